#include "emulator/control/answers.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/handler/http_request.h"
#include "emulator/json/json.h"

namespace svc::emulator {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_max_answer_rules = 1'000;

/// The operations that rules can answer.
struct AnswerOperation {
  sv name;
  sv path;
};
constexpr std::array k_answer_operations = {AnswerOperation{"chat", "/v1/chat/completions"},
                                            AnswerOperation{"responses", "/v1/responses"},
                                            AnswerOperation{"completions", "/v1/completions"},
                                            AnswerOperation{"messages", "/v1/messages"},
                                            AnswerOperation{"complete", "/v1/complete"},
                                            AnswerOperation{"realtime", "/v1/realtime"}};

// Returns a string unchanged, anything else as JSON.
std::string as_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : text::dump(value);
}

// Reads one rule; fail() adds its number to the error.
class RuleReader {
 public:
  RuleReader(const Json& rule, std::size_t number) : m_json(rule), m_number(number) {}

  Result<AnswerRule> read() {
    if (!m_json.is_object()) return fail("not a JSON object");
    SVC_CHECK(check_names(m_json, "a rule", {"match", "answer", "times"}));
    m_rule.text = text::dump(m_json);
    if (m_json.contains("match")) SVC_CHECK(read_match(m_json["match"]));
    if (!m_json.contains("answer")) return fail("the field answer is missing");
    SVC_CHECK(read_answer(m_json["answer"]));
    SVC_CHECK(keep(m_rule.times, count_of(m_json, "times")));
    return std::move(m_rule);
  }

 private:
  [[nodiscard]] Error fail(const std::string& why) const {
    return usage_error(fmt::format("Answer rule {}: {}.", m_number, visible(why, Lines::Escape)));
  }

  [[nodiscard]] Result<void> check_names(const Json& object, sv what,
                                         std::initializer_list<sv> known) const {
    for (const auto& [name, value] : object.items()) {
      if (std::ranges::find(known, sv(name)) != known.end()) continue;
      const std::vector<sv> names(known);
      const sv near = nearest(name, names);
      return fail(near.empty()
                      ? fmt::format("{} has the fields {}, not {}", what, join(names, ", "), name)
                      : fmt::format("{} has no field {} (did you mean {}?)", what, name, near));
    }
    return {};
  }

  template <typename Member, typename Value>
  [[nodiscard]] static Result<void> keep(Member& member, Result<Value> value) {
    if (!value) return std::move(value).error();
    member = *std::move(value);
    return {};
  }

  [[nodiscard]] Result<std::string> get_string(const Json& object, const char* name) const {
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) return std::string();
    if (!found->is_string()) return fail(fmt::format("{} must be a string", name));
    return found->get<std::string>();
  }

  [[nodiscard]] Result<std::optional<std::int64_t>> count_of(const Json& object,
                                                             const char* name) const {
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) return std::optional<std::int64_t>{};
    if (!found->is_number_integer() || found->get<std::int64_t>() < 1) {
      return fail(fmt::format("{} must be an integer of at least 1", name));
    }
    return std::optional(found->get<std::int64_t>());
  }

  [[nodiscard]] Result<std::vector<Header>> headers_of(const Json& object, const char* name) const {
    std::vector<Header> headers;
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) return headers;
    if (!found->is_object()) return fail(fmt::format("{} must be an object of strings", name));
    for (const auto& [header, value] : found->items()) {
      if (!value.is_string() && !value.is_number_integer()) {
        return fail(fmt::format("the header {} must be a string", header));
      }
      headers.push_back({header, value.is_string() ? value.get<std::string>() : value.dump()});
    }
    return headers;
  }

  Result<void> read_match(const Json& match) {
    if (!match.is_object()) return fail("match must be a JSON object");
    SVC_CHECK(
        check_names(match, "match", {"operation", "model", "prompt", "call", "header", "key"}));
    SVC_TRY(operation, get_string(match, "operation"));
    SVC_CHECK(read_operation(operation));
    SVC_CHECK(keep(m_rule.model, get_string(match, "model")));
    SVC_CHECK(keep(m_rule.key, get_string(match, "key")));
    SVC_CHECK(keep(m_rule.headers, headers_of(match, "header")));
    SVC_CHECK(keep(m_rule.call, count_of(match, "call")));
    if (match.contains("prompt")) {
      SVC_TRY(prompt, get_string(match, "prompt"));
      auto pattern = Pattern::compile(prompt);
      if (!pattern) {
        return fail(
            fmt::format("prompt is not a valid regular expression: {}", pattern.error().message));
      }
      m_rule.prompt = std::make_shared<const Pattern>(std::move(*pattern));
    }
    return {};
  }

  // Accepts a name such as chat, or the operation's path with or without its method.
  Result<void> read_operation(sv given) {
    if (given.empty()) return {};
    const sv wanted = trim(given.substr(
        given.starts_with("POST ") || given.starts_with("GET ") ? given.find(' ') : 0));
    std::vector<sv> names;
    for (const AnswerOperation& operation : k_answer_operations) {
      if (wanted == operation.name || wanted == operation.path) {
        m_rule.operation = operation.name;
        return {};
      }
      names.push_back(wanted.starts_with('/') ? operation.path : operation.name);
    }
    const sv near = nearest(wanted, names);
    return fail(
        near.empty()
            ? fmt::format("the operation must be one of {}, not {}", join(names, ", "), wanted)
            : fmt::format("unknown text operation {} (did you mean {}?)", wanted, near));
  }

  Result<void> read_answer(const Json& answer) {
    if (!answer.is_object()) return fail("answer must be a JSON object");
    SVC_CHECK(check_names(answer, "answer",
                          {"text", "tool_calls", "status", "body", "headers", "events"}));
    CannedAnswer& given = m_rule.answer;
    if (answer.contains("text")) SVC_CHECK(keep(given.text, get_string(answer, "text")));
    SVC_CHECK(keep(given.headers, headers_of(answer, "headers")));
    if (answer.contains("tool_calls")) SVC_CHECK(read_calls(answer["tool_calls"]));
    if (answer.contains("events")) SVC_CHECK(read_events(answer["events"]));
    SVC_CHECK(read_response(answer));
    const int ways = (given.text || !given.calls.empty() ? 1 : 0) + (given.status != 0 ? 1 : 0) +
                     (given.events.empty() ? 0 : 1);
    if (ways == 1) return {};
    return fail(
        "answer must have exactly one of text and tool_calls (or both), status, and events");
  }

  Result<void> read_response(const Json& answer) {
    const auto status = answer.find("status");
    const auto body = answer.find("body");
    if (status == answer.end()) {
      return body == answer.end() ? Result<void>{} : fail("body requires status");
    }
    if (!status->is_number_integer() || *status < 200 || *status > 599) {
      return fail("status must be an integer from 200 to 599");
    }
    m_rule.answer.status = status->get<int>();
    if (body == answer.end()) return {};
    if (!body->is_string() && find_header(m_rule.answer.headers, "Content-Type") == nullptr) {
      m_rule.answer.headers.push_back({"Content-Type", "application/json"});
    }
    m_rule.answer.body = as_text(*body);
    return {};
  }

  Result<void> read_calls(const Json& calls) {
    if (!calls.is_array() || calls.empty())
      return fail("tool_calls must be a non-empty array of calls");
    for (const Json& call : calls) {
      if (!call.is_object()) return fail("a tool call must be a JSON object");
      SVC_CHECK(check_names(call, "a tool call", {"name", "arguments"}));
      SVC_TRY(name, get_string(call, "name"));
      if (name.empty()) return fail("a tool call has no name");
      // Strings are sent unchanged, so that a test can send invalid arguments.
      m_rule.answer.calls.push_back(
          {std::move(name), as_text(call.value("arguments", Json::object()))});
    }
    return {};
  }

  // A string is sent unchanged as the event; an object is its data, and {"event", "data"} adds a
  // name.
  Result<void> read_events(const Json& events) {
    if (!events.is_array() || events.empty())
      return fail("events must be a non-empty array of events");
    for (const Json& event : events) {
      std::string out;
      if (event.is_string()) {
        out = event.get<std::string>();
        const bool framed = std::ranges::any_of(
            std::array{sv("data:"), sv("event:"), sv("id:"), sv("retry:"), sv(":")},
            [&](sv field) { return out.starts_with(field); });
        if (!framed) out = "data: " + out;
      } else if (event.is_object() && event.size() == 2 && event.contains("event") &&
                 event.contains("data")) {
        out = fmt::format("event: {}\ndata: {}", as_text(event["event"]), as_text(event["data"]));
      } else {
        out = "data: " + as_text(event);
      }
      while (!out.ends_with("\n\n")) out += '\n';
      m_rule.answer.events.push_back(std::move(out));
    }
    return {};
  }

  const Json& m_json;
  std::size_t m_number;
  AnswerRule m_rule{};
};

bool has_headers(const std::vector<Header>& wanted, const std::vector<Header>* given) {
  return std::ranges::all_of(wanted, [&](const Header& header) {
    return given != nullptr && std::ranges::any_of(*given, [&](const Header& one) {
             return equals_ignore_case(one.name, header.name) && one.value == header.value;
           });
  });
}

bool fits(const AnswerRule& rule, const AnswerTarget& question) {
  if (!rule.operation.empty() && rule.operation != question.operation) return false;
  if (!rule.model.empty() &&
      std::ranges::find(question.models, sv(rule.model)) == question.models.end()) {
    return false;
  }
  if (!rule.answer.events.empty() && !question.streamed) return false;
  if (!has_headers(rule.headers, question.headers)) return false;
  if (rule.prompt && rule.prompt->find_in(question.prompt) != Pattern::Match::Yes) return false;
  return rule.key.empty() || (question.is_key && question.is_key(rule.key));
}

}  // namespace

Result<std::vector<AnswerRule>> parse_answers(std::string_view text) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) {
    return usage_error(
        "The answers must be a JSON array of rules.",
        R"(A rule looks like {"match": {"prompt": "weather"}, "answer": {"text": "Sunny."}}.)");
  }
  std::vector<AnswerRule> rules;
  for (const Json& item : list) {
    SVC_TRY(rule, RuleReader(item, rules.size() + 1).read());
    rules.push_back(std::move(rule));
  }
  return rules;
}

Result<void> AnswerRuleSet::add(std::vector<AnswerRule> rules) {
  const std::lock_guard lock(m_mutex);
  if (m_entries.size() + rules.size() > k_max_answer_rules) {
    return usage_error(fmt::format("There can be at most {} answer rules.", k_max_answer_rules));
  }
  for (auto& rule : rules) m_entries.push_back({std::move(rule)});
  return {};
}

void AnswerRuleSet::clear() {
  const std::lock_guard lock(m_mutex);
  m_entries.clear();
}

std::vector<AnswerRuleSet::Entry> AnswerRuleSet::entries() const {
  const std::lock_guard lock(m_mutex);
  return m_entries;
}

std::optional<CannedAnswer> AnswerRuleSet::take(const AnswerTarget& question) {
  const std::lock_guard lock(m_mutex);
  for (Entry& entry : m_entries) {
    const AnswerRule& rule = entry.rule;
    if (!fits(rule, question)) continue;
    CannedAnswer answer = rule.answer;
    if (!answer.calls.empty()) {
      if (question.after_tools) {
        if (!answer.text || entry.used == 0) continue;
        answer.calls.clear();
        return answer;  // the second half of a use that was already counted
      }
      answer.text.reset();
    }
    ++entry.seen;
    if (rule.call && entry.seen != *rule.call) continue;
    if (rule.times && entry.used >= *rule.times) continue;
    ++entry.used;
    return answer;
  }
  return std::nullopt;
}

}  // namespace svc::emulator
