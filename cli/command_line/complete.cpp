#include "command_line/complete.h"

#include <algorithm>

#include "base/text.h"
#include "command_line/flags.h"
#include "command_line/verb_guess.h"
#include "docgen/describe.h"
#include "docgen/topics.h"

namespace svc::cli {
namespace {

std::string without_stop(sv sentence) {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return std::string(sentence);
}

void offer_values(ShellCompletion& offer, std::span<const sv> values) {
  for (const sv value : values) offer.candidates.push_back({std::string(value)});
}

/// Paths behind the last `mark` of `typed`; none before it.
void offer_files_behind(ShellCompletion& offer, char mark, sv typed) {
  const std::size_t at = mark == '@' ? typed.find('@') : typed.rfind(mark);
  if (at == sv::npos || (mark == '@' && at != 0)) return;
  offer.prefix += typed.substr(0, at + 1);
  offer.files = true;
}

/// `typed` is what there is of the value.
void offer_value(ShellCompletion& offer, const Field& field, sv typed) {
  offer.source = field.completes;
  if (field.completes.empty()) {
    offer_values(offer, field.choices.empty() ? field.suggests : field.choices);
  }
  const bool takes_at = field.kind == Kind::Json || field.kind == Kind::TextOrJson ||
                        field.kind == Kind::Secret || field.file_text;
  if (takes_at) offer_files_behind(offer, '@', typed);
  if (field.kind != Kind::File && field.kind != Kind::Media) return;
  // NAME=PROGRAM, SECONDS=IMAGE
  const bool named = !field.wraps.empty() || docgen::value_name(field).find('=') != sv::npos;
  if (named) offer_files_behind(offer, '=', typed);
  offer.files = offer.files || !named;
}

void offer_value(ShellCompletion& offer, const GlobalFlag& flag, sv typed) {
  if (!flag.choices.empty()) offer_values(offer, split(flag.choices, '|'));
  if (flag.name == "profile") offer.source = "profiles";
  if (flag.value.find("@FILE") != sv::npos) offer_files_behind(offer, '@', typed);
  if (flag.value == "FILE") offer.files = true;
}

void offer_value(ShellCompletion& offer, const Flag& flag, sv typed) {
  if (flag.field != nullptr) offer_value(offer, *flag.field, typed);
  if (flag.global != nullptr) offer_value(offer, *flag.global, typed);
}

/// The command line up to the word that is being typed, read as parse_args() will read it, but
/// without a complaint about what is not there yet.
class Line {
 public:
  explicit Line(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) read(words[i]);
  }

  [[nodiscard]] ShellCompletion offer(sv typed) const {
    ShellCompletion offer;
    if (m_flag.takes_value()) {
      offer_value(offer, m_flag, typed);
    } else if (const std::size_t equals = typed.find('=');
               !m_dashes && typed.starts_with("--") && equals != sv::npos) {
      offer.prefix = typed.substr(0, equals + 1);
      offer_value(offer, flag_of(typed.substr(0, equals)), typed.substr(equals + 1));
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

  void read(const std::string& word) {
    const bool is_value = m_flag.takes_value();
    m_flag = {};
    if (is_value) return;
    if (!m_dashes && word == "--") {
      m_dashes = true;
    } else if (!m_dashes && word.size() > 1 && word.front() == '-') {
      const Flag flag = flag_of(word.substr(0, word.find('=')));
      if (m_group != nullptr && flag.global == nullptr) m_settled = true;
      if (word.find('=') == std::string::npos && !has_value(word)) m_flag = flag;
    } else if (m_dashes || m_settled || !extends_command(word)) {
      m_settled = true;
      ++m_arguments;
    }
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

  /// Of "--name", or of the letter of "-abc" that takes a value, or of the last one.
  [[nodiscard]] Flag flag_of(sv word) const {
    if (word.starts_with("--")) return find_flag(operation(), word.substr(2));
    return find_flag(operation(), word[value_letter(word)]);
  }
  /// "-mNAME": the value follows its letter at once.
  [[nodiscard]] bool has_value(sv word) const {
    return !word.starts_with("--") && value_letter(word) + 1 < word.size();
  }
  [[nodiscard]] std::size_t value_letter(sv word) const {
    for (std::size_t i = 1; i < word.size(); ++i) {
      if (find_flag(operation(), word[i]).takes_value()) return i;
    }
    return word.size() - 1;
  }

  void offer_flags(ShellCompletion& offer) const {
    const auto add = [&](sv lead, sv name, std::string help) {
      offer.candidates.push_back({std::string(lead) + std::string(name), std::move(help)});
    };
    if (operation() != nullptr) {
      for (const Field& field : operation()->fields) {
        if (field.status != Status::Current) continue;
        const std::string help = without_stop(field.help);
        add("--", field.flag, help);
        if (field.kind == Kind::Boolean && field.stands_for.empty()) {
          add("--no-", field.flag, "Not: " + help);
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
        // Of a topic and a group of one name the topic is what is explained.
        for (const docgen::Topic& topic : docgen::topics()) add(topic.name, topic.summary);
      }
      for (const Group& group : groups()) add(group.name, group.summary);
      if (!m_help) add("help", "Explain a command or a topic");
      return;
    }
    // Verbs of several words nest: "documents add" is a word after the group and one after that.
    const std::string before = m_verb.empty() ? "" : m_verb + " ";
    for (const Operation& operation : m_group->operations) {
      if (!operation.name.starts_with(before) || operation.name.size() == before.size()) continue;
      const sv rest = operation.name.substr(before.size());
      const std::size_t blank = rest.find(' ');
      add(rest.substr(0, blank), blank == sv::npos ? operation.summary : "Further verbs");
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
  Flag m_flag{};  ///< the last word, as far as it is one
  std::size_t m_arguments = 0;
  bool m_help = false;
  bool m_settled = false;  ///< no verb can follow any more
  bool m_dashes = false;
};

}  // namespace

ShellCompletion complete_line(const std::vector<std::string>& words) {
  return words.empty() ? ShellCompletion() : Line(words).offer(words.back());
}

}  // namespace svc::cli
