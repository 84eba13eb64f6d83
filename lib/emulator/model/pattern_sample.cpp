#include "emulator/model/pattern_sample.h"

#include <algorithm>
#include <bitset>
#include <utility>

#include "base/text.h"

namespace svc::emulator::text {
namespace {

using Characters = std::bitset<128>;

constexpr int k_deepest_group = 50;
constexpr std::size_t k_most_repeats = 10'000;
constexpr std::size_t k_longest_pattern_sample = 100'000;
constexpr sv k_preferred = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

void add_range(Characters& set, char from, char to) {
  const auto last = static_cast<unsigned char>(to);
  for (auto c = static_cast<unsigned char>(from); c <= last; ++c) set.set(c);
}

// What `\d`, `\w` or `\s` stand for; nothing for another letter.
std::optional<Characters> named_class(char letter) {
  Characters set;
  switch (to_lower(sv(&letter, 1)).front()) {
    case 'd':
      add_range(set, '0', '9');
      break;
    case 'w':
      add_range(set, 'a', 'z');
      add_range(set, 'A', 'Z');
      add_range(set, '0', '9');
      set.set('_');
      break;
    case 's':
      set.set(' ');
      set.set('\t');
      break;
    default:
      return std::nullopt;
  }
  return letter >= 'a' ? set : ~set;
}

std::optional<char> control_escape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      break;
  }
  const bool is_word = (letter >= '0' && letter <= '9') || k_preferred.find(letter) != sv::npos;
  if (is_word) return std::nullopt;  // \b, \1, \p, \u and the like are not understood
  return letter;
}

// Reads a pattern and writes a match of it at the same time. Every open quantifier is repeated
// `extra` times more than it must be.
class Reader {
 public:
  Reader(sv pattern, std::size_t extra, std::size_t variation)
      : m_pattern(pattern), m_extra(extra), m_variation(variation) {}

  std::optional<std::string> read() {
    auto text = alternatives(0);
    if (!text || m_at != m_pattern.size()) return std::nullopt;
    return text;
  }

 private:
  [[nodiscard]] bool more() const { return m_at < m_pattern.size(); }
  [[nodiscard]] char peek() const { return m_pattern[m_at]; }
  bool take(sv word) {
    if (!m_pattern.substr(m_at).starts_with(word)) return false;
    m_at += word.size();
    return true;
  }

  // The first alternative counts; the others are read to find their end.
  std::optional<std::string> alternatives(int depth) {
    if (depth > k_deepest_group) return std::nullopt;
    auto text = sequence(depth);
    while (text && take("|")) {
      if (!sequence(depth)) return std::nullopt;
    }
    return text;
  }

  std::optional<std::string> sequence(int depth) {
    std::string text;
    while (more() && peek() != '|' && peek() != ')') {
      if (take("^") || take("$")) continue;
      const std::size_t begin = m_at;
      auto one = atom(depth);
      if (!one) return std::nullopt;
      const std::size_t end = m_at;
      const auto times = quantifier();
      if (!times || one->size() * *times > k_longest_pattern_sample) return std::nullopt;
      const std::size_t after = m_at;
      if (*times == 0) one->clear();
      text += *one;
      for (std::size_t i = 1; i < *times && !one->empty() && text.size() < k_longest_pattern_sample;
           ++i) {
        // Read again, so that a varied first character is not repeated.
        m_at = begin;
        const auto again = atom(depth);
        if (!again || m_at != end) return std::nullopt;
        text += *again;
      }
      m_at = after;
    }
    return text;
  }

  std::optional<std::string> atom(int depth) {
    if (take("(")) {
      if (!take("?:") && more() && peek() == '?') return std::nullopt;
      auto text = alternatives(depth + 1);
      if (!text || !take(")")) return std::nullopt;
      return text;
    }
    if (take("[")) {
      const auto set = character_class();
      return set ? pick(*set) : std::nullopt;
    }
    if (take(".")) return pick(~Characters{});
    if (take("\\")) return escape();
    if (peek() == '*' || peek() == '+' || peek() == '?') return std::nullopt;
    const std::size_t begin = m_at;
    (void)decode_utf8(m_pattern, m_at);
    return std::string(m_pattern.substr(begin, m_at - begin));
  }

  std::optional<std::string> escape() {
    if (!more()) return std::nullopt;
    const char letter = m_pattern[m_at++];
    if (const auto set = named_class(letter)) return pick(*set);
    const auto literal = control_escape(letter);
    if (!literal) return std::nullopt;
    return std::string(1, *literal);
  }

  std::optional<Characters> character_class() {
    const bool negated = take("^");
    Characters set;
    bool first = true;
    while (more() && (first || peek() != ']')) {
      first = false;
      auto low = class_member(set);
      if (!low) return std::nullopt;
      if (*low < 0) continue;
      char high = static_cast<char>(*low);
      if (m_at + 1 < m_pattern.size() && peek() == '-' && m_pattern[m_at + 1] != ']') {
        ++m_at;
        const auto end = class_member(set);
        if (!end || *end < *low) return std::nullopt;
        high = static_cast<char>(*end);
      }
      add_range(set, static_cast<char>(*low), high);
    }
    if (!take("]")) return std::nullopt;
    return negated ? ~set : set;
  }

  // One character, or -1 for a named class that went into `set`; nothing when not understood.
  std::optional<int> class_member(Characters& set) {
    if (!more() || static_cast<unsigned char>(peek()) >= 0x80) return std::nullopt;
    const char c = m_pattern[m_at++];
    if (c != '\\') return c;
    if (!more()) return std::nullopt;
    const char letter = m_pattern[m_at++];
    if (const auto named = named_class(letter)) {
      set |= *named;
      return -1;
    }
    return control_escape(letter);
  }

  // How often; nothing for a quantifier that is not understood.
  std::optional<std::size_t> quantifier() {
    std::size_t least = 1;
    std::size_t most = 1;
    if (take("*")) {
      least = 0;
      most = k_most_repeats;
    } else if (take("+")) {
      most = k_most_repeats;
    } else if (take("?")) {
      least = 0;
    } else if (take("{")) {
      const std::size_t end = m_pattern.find('}', m_at);
      if (end == sv::npos) return std::nullopt;
      const auto bounds = split(m_pattern.substr(m_at, end - m_at), ',');
      const auto low = parse_integer(bounds.front());
      if (!low || *low < 0 || bounds.size() > 2) return std::nullopt;
      least = static_cast<std::size_t>(*low);
      most = least;
      if (bounds.size() == 2) {
        const auto high = parse_integer(bounds[1]);
        most =
            high ? static_cast<std::size_t>(std::max<std::int64_t>(*high, *low)) : k_most_repeats;
      }
      m_at = end + 1;
    }
    (void)take("?");  // a lazy quantifier matches the same
    if (least > k_most_repeats) return std::nullopt;
    return std::min(most, least + m_extra);
  }

  std::optional<std::string> pick(const Characters& set) {
    std::string members;
    for (const char c : k_preferred) {
      if (set.test(static_cast<std::size_t>(c))) members += c;
    }
    for (char c = ' '; c <= '~' && members.empty(); ++c) {
      if (set.test(static_cast<std::size_t>(c))) members += c;
    }
    if (members.empty()) return std::nullopt;
    // Each character takes one digit of the variation, in the base of its own class.
    const char picked = members[m_variation % members.size()];
    m_variation /= members.size();
    return std::string(1, picked);
  }

  sv m_pattern;
  std::size_t m_extra;
  std::size_t m_variation;
  std::size_t m_at = 0;
};

}  // namespace

std::optional<std::string> sample_pattern(sv pattern, std::size_t min_length,
                                          std::size_t max_length, std::size_t variation) {
  std::size_t last_size = 0;
  for (std::size_t extra = 0; extra <= k_most_repeats; ++extra) {
    auto text = Reader(pattern, extra, variation).read();
    if (!text || text->size() > max_length) return std::nullopt;
    if (text->size() >= min_length) return text;
    if (extra > 0 && text->size() == last_size) return std::nullopt;
    last_size = text->size();
  }
  return std::nullopt;
}

}  // namespace svc::emulator::text
