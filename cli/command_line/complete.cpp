#include "command_line/complete.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "command_line/flags.h"
#include "command_line/guesses.h"
#include "docgen/describe.h"
#include "docgen/topics.h"
#include "print/table.h"
#include "request/flags.h"

namespace svc::cli {
namespace {

std::string without_stop(sv sentence) {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return std::string(sentence);
}

void offer_values(ShellCompletion& offer, std::span<const sv> values) {
  for (const sv value : values) offer.candidates.push_back({std::string(value)});
}

/// Offers paths for the part of `typed` after the last `mark`; nothing if there is no mark. `@`
/// counts only at the start.
void offer_files_behind(ShellCompletion& offer, char mark, sv typed) {
  const std::size_t at = mark == '@' ? typed.find('@') : typed.rfind(mark);
  if (at == sv::npos || (mark == '@' && at != 0)) return;
  offer.prefix += typed.substr(0, at + 1);
  offer.files = true;
}

/// `typed` is the value typed so far.
void offer_value(ShellCompletion& offer, const Field& field, sv typed) {
  offer.source = field.completes;
  if (field.completes.empty()) {
    offer_values(offer, field.choices.empty() ? field.suggests : field.choices);
  }
  const bool takes_file_prefix = field.kind == Kind::Json || field.kind == Kind::TextOrJson ||
                                 field.kind == Kind::Secret || field.file_text;
  if (takes_file_prefix) offer_files_behind(offer, '@', typed);
  if (field.kind != Kind::File && field.kind != Kind::Media) return;
  // NAME=PROGRAM, SECONDS=IMAGE
  const bool named = !field.wraps.empty() || docgen::value_name(field).find('=') != sv::npos;
  if (named) offer_files_behind(offer, '=', typed);
  offer.files = offer.files || !named;
}

/// Offers the names of columns after the last comma.
void offer_columns(ShellCompletion& offer, const Operation& operation, sv typed) {
  const std::size_t comma = typed.rfind(',');
  if (comma != sv::npos) offer.prefix += typed.substr(0, comma + 1);
  for (const print::Column& column : print::columns_of(operation)) {
    offer.candidates.push_back({print::column_name(column)});
  }
}

/// The path with each index as the rows have it: "choices[]" for "choices[0]".
std::string without_indices(sv path) {
  std::string plain;
  bool inside = false;
  for (const char c : path) {
    inside = inside && c != ']';
    if (!inside) plain += c;
    inside = inside || c == '[';
  }
  return plain;
}

/// Offers the members that the path at the end of a jq program can go on with: `.usage.` has the
/// members of usage. The JSON of a list is an array of its items; in bulk work, the program sees
/// one record after the other.
void offer_jq_paths(ShellCompletion& offer, const Operation& operation, bool bulk, sv typed) {
  std::size_t begin = typed.size();
  while (begin > 0 && sv(" |(),;:{'\"").find(typed[begin - 1]) == sv::npos) --begin;
  const sv path = typed.substr(begin);
  const std::size_t dot = path.rfind('.');
  const sv typed_before = dot == sv::npos ? sv() : path.substr(0, dot);
  const std::string before = without_indices(typed_before);
  const bool list = prints_array(operation) && !bulk;
  if (list && (before.empty() || !before.starts_with(".[]"))) {
    offer.prefix += typed.substr(0, begin);
    offer.candidates.push_back({".[]", "Each item"});
    return;
  }
  const sv base = list ? sv(before).substr(std::min<std::size_t>(before.size(), 3)) : before;
  const std::string below(base.substr(base.starts_with('.') ? 1 : 0));
  const bool inner = list && !operation.items.empty() && operation.printed.empty();
  const std::string items =
      inner ? fmt::format("{}[]", operation.items.substr(0, operation.items.find('|'))) : "";
  const std::string at = items.empty() ? below : below.empty() ? items : items + "." + below;
  offer.prefix += std::string(typed.substr(0, begin)) + std::string(typed_before);
  const std::string inside = at.empty() ? at : at + '.';
  for (const OpenMember& one :
       open_members(bulk ? operation.bulk.record : printed_members(operation))) {
    const std::string whole = plain_path(one.path);
    if (one.member->view || !whole.starts_with(inside)) continue;
    const std::string rest = whole.substr(inside.size());
    const std::string name = "." + rest.substr(0, rest.find('.'));
    const auto same = [&](const Candidate& candidate) { return candidate.word == name; };
    if (std::ranges::any_of(offer.candidates, same)) continue;
    offer.candidates.push_back(
        {name, rest.size() + 1 == name.size() ? without_stop(one.member->help) : std::string()});
  }
}

void offer_value(ShellCompletion& offer, const GlobalFlag& flag, const Operation* operation,
                 bool bulk, sv typed) {
  if (!flag.choices.empty()) offer_values(offer, split(flag.choices, '|'));
  if (flag.name == k_global_flag<"columns"> && operation != nullptr) {
    offer_columns(offer, *operation, typed);
  }
  if (flag.name == k_global_flag<"jq"> && operation != nullptr) {
    offer_jq_paths(offer, *operation, bulk, typed);
  }
  if (flag.name == k_global_flag<"profile">) offer.source = "profiles";
  if (flag.value.find("@FILE") != sv::npos) offer_files_behind(offer, '@', typed);
  if (flag.value == "FILE") offer.files = true;
}

void offer_value(ShellCompletion& offer, const Flag& flag, const Operation* operation, bool bulk,
                 sv typed) {
  if (flag.field != nullptr) offer_value(offer, *flag.field, typed);
  if (flag.global != nullptr) offer_value(offer, *flag.global, operation, bulk, typed);
}

/// The command line up to the word being typed, read like parse_args() does, but incomplete input
/// is not an error.
class Line {
 public:
  explicit Line(std::span<const std::string> words) {
    std::vector<std::string> rest;
    std::size_t at = 0;
    const auto take = [&](std::size_t count) {
      while (count-- > 0) rest.push_back(words[at++]);
    };
    for (;;) {
      take(count_global_flags(words.subspan(at)));
      if (at == words.size()) break;
      const sv word = words[at];
      const bool stray = m_group == nullptr && word.starts_with('-') && word != "-" && word != "--";
      if (!stray && !extends_command(words[at])) break;
      ++at;
    }
    m_settled = at < words.size();
    take(words.size() - at);
    const Cut cut = cut_arguments(operation(), rest);
    m_arguments = cut.positionals.size();
    m_dashes = cut.dashes;
    for (const GivenFlag& given : cut.flags) {
      if (!given.value) m_flag = given.flag;
      const Field* field = given.flag.field;
      m_bulk = m_bulk || (field != nullptr && field->flag == operation()->bulk.flag);
    }
  }

  [[nodiscard]] ShellCompletion offer(sv typed) const {
    ShellCompletion offer;
    if (m_flag.known()) {
      offer_value(offer, m_flag, operation(), m_bulk, typed);
    } else if (const std::size_t equals = typed.find('=');
               !m_dashes && typed.starts_with("--") && equals != sv::npos) {
      offer.prefix = typed.substr(0, equals + 1);
      offer_value(offer, find_flag(operation(), typed.substr(2, equals - 2)), operation(), m_bulk,
                  typed.substr(equals + 1));
    } else if (!m_dashes && typed.starts_with('-')) {
      offer_flags(offer);
    } else {
      if (const Field* field = next_argument()) offer_value(offer, *field, typed);
      if (!m_settled && !m_dashes && offer.prefix.empty()) offer_words(offer);
    }
    return offer;
  }

 private:
  [[nodiscard]] const Operation* operation() const {
    if (m_operation != nullptr || m_group == nullptr) return m_operation;
    return m_verb.empty() ? default_operation(*m_group) : nullptr;
  }

  bool extends_command(const std::string& word) {
    if (m_group == nullptr) {
      m_group = find_group(word);
      const bool help = m_group == nullptr && word == "help" && !m_help;
      m_help = m_help || help;
      return help || m_group != nullptr;
    }
    const std::string name = m_verb.empty() ? word : m_verb + " " + word;
    const Operation* found = find_verb(*m_group, name);
    const bool begins = std::any_of(
        m_group->operations.begin(), m_group->operations.end(),
        [&](const Operation& operation) { return operation.name.starts_with(name + " "); });
    if (found == nullptr && !begins) return false;
    m_operation = found;
    m_verb = name;
    return true;
  }

  void offer_flags(ShellCompletion& offer) const {
    const auto add = [&](sv lead, sv name, std::string help) {
      offer.candidates.push_back({std::string(lead) + std::string(name), std::move(help)});
    };
    if (operation() != nullptr) {
      for (const Field& field : operation()->fields) {
        if (field.status != Status::Current) continue;
        const std::string help = without_stop(command_line_help(field));
        add("--", field.flag, help);
        if (field.kind == Kind::Boolean && field.stands_for.empty()) {
          add("--no-", field.flag, "Turn off --" + std::string(field.flag));
        }
      }
    }
    for (const GlobalFlag& flag : k_global_flags) add("--", flag.name, without_stop(flag.help));
  }

  void offer_words(ShellCompletion& offer) const {
    const auto add = [&](sv word, sv help) {
      const auto same = [&](const Candidate& candidate) { return candidate.word == word; };
      if (std::any_of(offer.candidates.begin(), offer.candidates.end(), same)) return;
      offer.candidates.push_back({std::string(word), without_stop(help)});
    };
    if (m_group == nullptr) {
      if (m_help) {
        // If a topic and a group share a name, `svc help` explains the topic.
        for (const docgen::Topic& topic : docgen::topics()) add(topic.name, topic.summary);
      }
      for (const Group& group : groups()) add(group.name, group.summary);
      if (!m_help) add("help", "Show help for a command or topic");
      return;
    }
    // Verbs of several words, such as "documents add", are completed word by word.
    const std::string before = m_verb.empty() ? "" : m_verb + " ";
    for (const Operation& operation : m_group->operations) {
      if (!operation.name.starts_with(before) || operation.name.size() == before.size()) continue;
      const sv rest = operation.name.substr(before.size());
      const std::size_t blank = rest.find(' ');
      add(rest.substr(0, blank), blank == sv::npos ? operation.summary : "More verbs");
    }
  }

  /// The field that takes the next argument, or null.
  [[nodiscard]] const Field* next_argument() const {
    if (operation() == nullptr || m_help) return nullptr;
    const std::vector<const Field*> fields = docgen::arguments(*operation());
    if (m_arguments < fields.size()) return fields[m_arguments];
    return !fields.empty() && fields.back()->repeated ? fields.back() : nullptr;
  }

  const Group* m_group = nullptr;
  const Operation* m_operation = nullptr;
  std::string m_verb{};
  Flag m_flag{};  ///< the flag whose value is being typed, if any
  std::size_t m_arguments = 0;
  bool m_help = false;
  bool m_settled = false;  ///< group and verb are complete
  bool m_dashes = false;
  bool m_bulk = false;  ///< the flag of bulk work is given
};

}  // namespace

ShellCompletion complete_line(const std::vector<std::string>& words) {
  return words.empty() ? ShellCompletion()
                       : Line(std::span(words).first(words.size() - 1)).offer(words.back());
}

}  // namespace svc::cli
