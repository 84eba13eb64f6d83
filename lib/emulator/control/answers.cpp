#include <nlohmann/json.hpp>

#include "emulator/control/control.h"

namespace svc::emulator {
namespace {

using text::Json;

constexpr std::size_t k_max_answer_rules = 10'000;
constexpr std::size_t k_max_asked = 1'000;
constexpr std::size_t k_max_asked_bytes = 64U << 20U;
constexpr std::uint64_t k_max_delay_ms = 86'400'000;
constexpr std::size_t k_shown = 60;  // bytes of a value in an explanation
constexpr std::size_t k_shown_rule = 200;
constexpr std::size_t k_shown_differences = 8;
// Members of a request or an answer that contain a secret.
constexpr std::array<sv, 8> k_secrets = {
    "apiKey",     "api_key",       "secret",        "client_secret",
    "auth_token", "auth_password", "authorization", "dispatch_signing_secret"};

/// The operations with a short name.
struct AnswerOperation {
  sv name;
  sv operation;
};
constexpr std::array k_answer_operations = {
    AnswerOperation{"chat", "POST /v1/chat/completions"},
    AnswerOperation{"responses", "POST /v1/responses"},
    AnswerOperation{"completions", "POST /v1/completions"},
    AnswerOperation{"messages", "POST /v1/messages"},
    AnswerOperation{"complete", "POST /v1/complete"},
    AnswerOperation{"realtime", "GET /v1/realtime"},
    AnswerOperation{"images", "POST /v1/images/generations"},
    AnswerOperation{"videos", "POST /v1/videos/generations"},
    AnswerOperation{"speech", "POST /v1/tts"},
    AnswerOperation{"transcription", "POST /v1/stt"},
    AnswerOperation{"transcription", "GET /v1/stt"},
    AnswerOperation{"search", "POST /v1/documents/search"}};

// Returns a string unchanged, anything else as JSON.
std::string as_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : text::dump(value);
}

// Reads one rule; fail() adds its number to the error.
class RuleReader {
 public:
  RuleReader(const Json& rule, std::string name) : m_json(rule), m_name(std::move(name)) {}

  Result<AnswerRule> read() {
    SVC_CHECK(check("rule", "a rule"));
    m_rule.text = text::dump(m_json);
    SVC_CHECK(read_match(text::copy_of(m_json, "match")));
    SVC_CHECK(read_answer(m_json["answer"]));
    SVC_CHECK(check_text());
    m_rule.times = text::get_integer(m_json, "times");
    return std::move(m_rule);
  }

  Result<AnswerCheck> read_check() {
    SVC_CHECK(check("rule_check", "it"));
    SVC_CHECK(read_match(text::copy_of(m_json, "match")));
    return AnswerCheck{std::move(m_rule.match), text::get_integer(m_json, "count")};
  }

 private:
  [[nodiscard]] Error fail(const std::string& why) const {
    return usage_error(fmt::format("{}: {}.", m_name, visible(why, Lines::Escape)));
  }

  [[nodiscard]] Result<void> check(sv type, sv what) const {
    if (!m_json.is_object()) return fail("not a JSON object");
    SVC_CHECK(check_names(m_json, text::request_type(type), what));
    const auto mismatch = text::check_type(m_json, text::request_type(type), {});
    if (!mismatch) return {};
    using Kind = text::SchemaMismatch::Kind;
    if (mismatch->kind == Kind::Missing) {
      return fail(fmt::format("the field {} is missing", mismatch->path));
    }
    if (mismatch->kind != Kind::Range) {
      return fail(fmt::format("{}: {}", mismatch->path, mismatch->reason));
    }
    return fail(mismatch->reason.substr(0, mismatch->reason.size() - 1));
  }

  // Members that the type does not have are refused, unlike in requests of the service.
  [[nodiscard]] Result<void> check_names(const Json& value, const text::Type& type, sv what) const {
    if (type.shape == text::Shape::Either ||
        (type.shape == text::Shape::List && value.is_array())) {
      for (const Json& part : value.is_array() ? value : Json::array({value})) {
        SVC_CHECK(check_names(part, *type.options.back(), what));
      }
    }
    if (type.members.empty() || !value.is_object()) return {};
    std::vector<sv> names;
    for (const text::Member& member : type.members) names.push_back(member.name);
    for (const auto& [name, part] : value.items()) {
      const auto found = std::ranges::find(type.members, sv(name), &text::Member::name);
      if (found != type.members.end()) {
        SVC_CHECK(check_names(part, *found->type, name));
        continue;
      }
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

  [[nodiscard]] static std::shared_ptr<const Json> object_of(const Json& object, sv name) {
    const Json* found = text::member(object, name);
    return found == nullptr ? nullptr : std::make_shared<const Json>(*found);
  }

  // A number is in milliseconds.
  [[nodiscard]] Result<std::chrono::milliseconds> duration_of(const Json& object,
                                                              const char* name) const {
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) return std::chrono::milliseconds(0);
    std::optional<std::chrono::milliseconds> duration;
    if (found->is_number_unsigned()) {
      duration = std::chrono::milliseconds(
          static_cast<std::int64_t>(std::min(found->get<std::uint64_t>(), k_max_delay_ms + 1)));
    }
    if (found->is_string()) duration = parse_duration(found->get<std::string>());
    if (duration && duration->count() > static_cast<std::int64_t>(k_max_delay_ms)) {
      return fail(fmt::format("{} must be at most 24h", name));
    }
    if (!duration) return fail(fmt::format("{} must be a duration such as 200ms or 3s", name));
    return *duration;
  }

  [[nodiscard]] Result<std::shared_ptr<const Pattern>> pattern_of(const Json& object,
                                                                  const char* name) const {
    if (text::member(object, name) == nullptr) return std::shared_ptr<const Pattern>();
    auto pattern = Pattern::compile(text::get_string(object, name));
    if (pattern) return std::make_shared<const Pattern>(std::move(*pattern));
    return fail(
        fmt::format("{} is not a valid regular expression: {}", name, pattern.error().message));
  }

  [[nodiscard]] Result<std::vector<Header>> headers_of(const Json& object, sv name) const {
    std::vector<Header> headers;
    const Json given = text::value_or(object, name, Json::object());
    for (const auto& [header, value] : given.items()) {
      if (!value.is_string() && !value.is_number_integer()) {
        return fail(fmt::format("the header {} must be a string", header));
      }
      headers.push_back({header, as_text(value)});
    }
    return headers;
  }

  Result<void> read_match(const Json& match) {
    AnswerMatch& to = m_rule.match;
    SVC_CHECK(read_operation(text::get_string(match, "operation")));
    to.path = text::get_string(match, "path");
    to.model = text::get_string(match, "model");
    to.key = text::get_string(match, "key");
    to.body = object_of(match, "body");
    to.call = text::get_integer(match, "call");
    SVC_CHECK(keep(to.headers, headers_of(match, "header")));
    SVC_CHECK(keep(to.prompt, pattern_of(match, "prompt")));
    SVC_CHECK(keep(to.system, pattern_of(match, "system")));
    return keep(to.tool_result, pattern_of(match, "tool_result"));
  }

  // Accepts a name such as chat, or an operation's path with or without its method.
  Result<void> read_operation(sv given) {
    if (given.empty()) return {};
    std::vector<sv> names;
    for (const AnswerOperation& known : k_answer_operations) {
      const sv path = known.operation.substr(known.operation.find('/'));
      if (given == known.name || given == known.operation || given == path) {
        m_rule.match.operation = known.name;
        return {};
      }
      if (names.empty() || names.back() != known.name) names.push_back(known.name);
    }
    if (given.find('/') != sv::npos) {  // of the routing table, which add() knows
      m_rule.match.operation = given;
      return {};
    }
    const sv near = nearest(given, names);
    return fail(near.empty() ? fmt::format("the operation must be one of {}, or a path, not {}",
                                           join(names, ", "), given)
                             : fmt::format("unknown operation {} (did you mean {}?)", given, near));
  }

  Result<void> read_answer(const Json& answer) {
    CannedAnswer& given = m_rule.answer;
    if (answer.contains("text")) given.text = text::get_string(answer, "text");
    SVC_CHECK(read_pieces(answer));
    given.reasoning = text::get_string(answer, "reasoning_content");
    given.refusal = text::get_string(answer, "refusal");
    given.finish_reason = text::get_string(answer, "finish_reason");
    given.usage = object_of(answer, "usage");
    given.members = object_of(answer, "members");
    given.rate = text::get_number(answer, "rate").value_or(0);
    given.jitter = text::get_number(answer, "jitter").value_or(0);
    SVC_CHECK(keep(given.delay, duration_of(answer, "delay")));
    SVC_CHECK(keep(given.headers, headers_of(answer, "headers")));
    if (const Json* urls = text::member(answer, "citations")) {
      given.citations = urls->get<std::vector<std::string>>();
    }
    // Strings are sent unchanged, so that a test can send invalid arguments.
    for (const Json& call : text::value_or(answer, "tool_calls", Json::array())) {
      given.calls.push_back({text::get_string(call, "name"),
                             as_text(text::value_or(call, "arguments", Json::object()))});
    }
    read_events(text::value_or(answer, "events", Json::array()));
    SVC_CHECK(read_response(answer));
    const bool changed = given.citations || given.usage || given.members ||
                         given.delay.count() > 0 || given.rate > 0 ||
                         !given.finish_reason.empty() || !given.headers.empty();
    const int ways = (given.says_nothing() ? 0 : 1) + (given.status != 0 ? 1 : 0) +
                     (given.events.empty() ? 0 : 1);
    if (ways == 1 || (ways == 0 && changed)) return {};
    return fail(
        "answer must have exactly one of text (or tool_calls, reasoning_content, refusal), status, "
        "and events, or other members");
  }

  // Text or events for an operation that has none would be ignored.
  [[nodiscard]] Result<void> check_text() const {
    constexpr std::array<sv, 3> k_without = {"images", "videos", "search"};
    const std::string& operation = m_rule.match.operation;
    const bool has_text =
        operation.find('/') == std::string::npos && !has_element(k_without, operation);
    const bool has_events = !m_rule.answer.events.empty();
    const bool spoken = operation == "speech" || operation == "transcription";
    if (has_events ? has_text && !spoken : has_text || m_rule.answer.says_nothing()) return {};
    return fail(fmt::format("{} does not answer with {}; use members, or status and body",
                            operation, has_events ? "events" : "text"));
  }

  Result<void> read_response(const Json& answer) {
    const auto body = answer.find("body");
    const auto bytes = answer.find("body_base64");
    const auto status = text::get_integer(answer, "status");
    if (!status && (body != answer.end() || bytes != answer.end())) {
      return fail("body requires status");
    }
    m_rule.answer.status = static_cast<int>(status.value_or(0));
    if (bytes != answer.end()) {
      const auto decoded =
          bytes->is_string() ? base64_decode(bytes->get_ref<const std::string&>()) : std::nullopt;
      if (!decoded || body != answer.end()) return fail("body_base64 is not base64, or has a body");
      m_rule.answer.body = *decoded;
    }
    if (body == answer.end()) return {};
    if (!body->is_string() && find_header(m_rule.answer.headers, "Content-Type") == nullptr) {
      m_rule.answer.headers.push_back({"Content-Type", "application/json"});
    }
    m_rule.answer.body = as_text(*body);
    return {};
  }

  Result<void> read_pieces(const Json& answer) {
    const Json* pieces = text::member(answer, "pieces");
    if (pieces == nullptr) return {};
    if (m_rule.answer.text) return fail("pieces must be an array of strings, without text");
    m_rule.answer.text.emplace();
    for (const Json& piece : *pieces) {
      AnswerPiece read;
      read.text = piece.is_string() ? piece.get<std::string>() : text::get_string(piece, "text");
      if (piece.is_object()) SVC_CHECK(keep(read.delay, duration_of(piece, "delay")));
      if (read.text.empty()) return fail("a piece must be a string, or have a text");
      *m_rule.answer.text += read.text;
      m_rule.answer.pieces.push_back(std::move(read));
    }
    return {};
  }

  // A string is the event itself; an object its data, to which {"event", "data"} adds a name.
  void read_events(const Json& events) {
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
  }

  const Json& m_json;
  std::string m_name;
  AnswerRule m_rule{};
};

/// How well a request matches: the conditions that hold, and the others.
struct Comparison {
  bool detailed = false;  ///< whether `different` says what differs
  int same = 0;
  std::vector<std::string> different{};
  std::vector<std::string> groups{};  ///< of the first regular expression

  template <typename Describe>
  void add(bool holds, const Describe& describe) {
    holds ? void(++same) : different.push_back(detailed ? describe() : std::string());
  }

  void add_pattern(const std::shared_ptr<const Pattern>& pattern, sv name,
                   const std::string& text) {
    if (!pattern) return;
    std::vector<std::string> found;
    add(pattern->find_in(text, &found) == Pattern::Match::Yes,
        [&] { return fmt::format("{} is not found in \"{}\"", name, excerpt(text, k_shown)); });
    if (groups.empty()) groups = std::move(found);
  }
};

bool has_header(const std::vector<Header>& given, const Header& header) {
  return std::ranges::any_of(given, [&](const Header& one) {
    return equals_ignore_case(one.name, header.name) && matches_glob(header.value, one.value);
  });
}

// Whatever the order of members.
bool equal(const Json& a, const Json& b) {
  return a.is_structured() ? nlohmann::json(a) == nlohmann::json(b) : a == b;
}

// `wanted` may be a path without a method.
bool is_operation(sv operation, sv wanted) {
  if (!wanted.starts_with('/')) return operation == wanted;
  const std::size_t space = operation.find(' ');
  return space != sv::npos && operation.substr(space + 1) == wanted;
}

// Adds each value of a member of the body that differs.
void add_differences(const std::string& member, const nlohmann::json& found,
                     const nlohmann::json& wanted, std::vector<std::string>& out) {
  for (const nlohmann::json& change : nlohmann::json::diff(wanted, found)) {
    const std::string path = change["path"];
    const sv kind = change["op"].get_ref<const std::string&>();
    std::string is = kind == "remove" ? "missing" : change["value"].dump();
    std::string should =
        kind == "add" ? "missing" : wanted[nlohmann::json::json_pointer(path)].dump();
    // Long texts are shown from their first difference on.
    std::size_t begin = std::ranges::mismatch(is, should).in1 - is.begin();
    while (begin > 0 && (static_cast<unsigned char>(is[begin]) & 0xC0U) == 0x80) --begin;
    if (begin > k_shown / 2) {
      for (std::string* text : {&is, &should}) text->replace(0, begin, "…");
    }
    const std::string at = fmt::format("{}{}", member, replace_all(path, "/", "."));
    out.push_back(fmt::format("body.{} is {}, not {}", at.starts_with('.') ? at.substr(1) : at,
                              excerpt(is, k_shown), excerpt(should, k_shown)));
  }
}

std::string listed(std::vector<std::string> differences) {
  if (differences.size() > k_shown_differences) {
    const std::size_t more = differences.size() - k_shown_differences;
    differences.resize(k_shown_differences);
    differences.push_back(fmt::format("and {} more", more));
  }
  return join(differences, "; ");
}

Comparison compare(const AnswerMatch& match, const AnswerTarget& target, bool detailed = true) {
  Comparison result{.detailed = detailed};
  if (!match.operation.empty()) {
    result.add(is_operation(target.operation, match.operation), [&] {
      return fmt::format("operation is {}, not {}", target.operation, match.operation);
    });
  }
  if (!match.path.empty()) {
    const bool with_query = match.path.find('?') != std::string::npos;
    const std::size_t query = target.path.find('?');
    std::string path = target.path.substr(0, with_query ? std::string::npos : query);
    if (with_query && query == std::string::npos) path += '?';
    result.add(matches_glob(match.path, path),
               [&] { return fmt::format("path is {}, not {}", path, match.path); });
  }
  if (!match.model.empty()) {
    result.add(has_element(target.models, match.model), [&] {
      return fmt::format("model is {}, not {}", target.models.empty() ? "" : target.models.front(),
                         match.model);
    });
  }
  result.add_pattern(match.prompt, "prompt", target.prompt);
  result.add_pattern(match.tool_result, "tool_result", target.tool_result);
  result.add_pattern(match.system, "system", target.system);
  for (const Header& header : match.headers) {
    result.add(has_header(target.headers, header),
               [&] { return fmt::format("header {} is not {}", header.name, header.value); });
  }
  if (!match.key.empty()) {
    result.add(target.is_key && target.is_key(match.key), [] { return std::string("other key"); });
  }
  if (match.body) {
    for (const auto& item : match.body->items()) {
      const Json& wanted = item.value();
      const Json* found = target.body ? find_path(*target.body, item.key()) : nullptr;
      const bool same = found == nullptr ? wanted.is_null() : equal(*found, wanted);
      if (!same && detailed && found != nullptr) {
        add_differences(item.key(), *found, wanted, result.different);
        continue;
      }
      result.add(same, [&] {
        return fmt::format("body.{} is missing, not {}", item.key(),
                           excerpt(text::dump(wanted), k_shown));
      });
    }
  }
  return result;
}

// Speech and transcripts have only the text that a rule gives to them, as opposed to models.
bool takes_text(const AnswerTarget& target, const AnswerMatch& match) {
  if (target.text == AnswerText::Named) return !match.operation.empty() || !match.path.empty();
  return target.text == AnswerText::Model;
}

// What is JSON stays JSON, whatever the groups contain.
std::string expand_document(const std::string& text, const std::vector<std::string>& groups) {
  std::string plain = expand_groups(text, groups);
  const Json document = plain == text ? Json() : text::parse_json(text);
  return document.is_null() ? plain : text::dump(expand_json(document, groups));
}

bool may_follow_tools(const AnswerRule& rule, const AnswerTarget& target) {
  return !target.after_tools || rule.answer.calls.empty() || rule.times || rule.match.call ||
         rule.match.tool_result;
}

void expand(CannedAnswer& answer) {
  if (answer.groups.empty()) return;
  const auto in = [&](std::string& text) { text = expand_groups(text, answer.groups); };
  if (answer.text) in(*answer.text);
  for (AnswerPiece& piece : answer.pieces) in(piece.text);
  for (FunctionCall& call : answer.calls) {
    in(call.name);
    call.arguments = expand_document(call.arguments, answer.groups);
  }
  for (std::string* text : {&answer.reasoning, &answer.refusal, &answer.finish_reason}) in(*text);
  answer.body = expand_document(answer.body, answer.groups);
  for (std::string& event : answer.events) {
    constexpr sv k_data = "data: ";
    const std::size_t data = event.find(k_data);
    const std::size_t begin = data == std::string::npos ? 0 : data + k_data.size();
    const std::size_t end = event.find_last_not_of('\n') + 1;
    event = expand_groups(sv(event).substr(0, begin), answer.groups) +
            expand_document(event.substr(begin, end - begin), answer.groups) + event.substr(end);
  }
  for (Header& header : answer.headers) in(header.value);
  if (answer.citations) std::ranges::for_each(*answer.citations, in);
}

}  // namespace

sv operation_name(sv operation) {
  const auto known = std::ranges::find(k_answer_operations, operation, &AnswerOperation::operation);
  return known == k_answer_operations.end() ? operation : known->name;
}

std::string expand_groups(sv text, const std::vector<std::string>& groups) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t digit = at + 1;
    const bool is_group = text[at] == '$' && digit < text.size() && text[digit] >= '0' &&
                          text[digit] <= '9' &&
                          static_cast<std::size_t>(text[digit] - '0') < groups.size();
    out += is_group ? groups[static_cast<std::size_t>(text[digit] - '0')] : text.substr(at, 1);
    if (is_group || text.substr(at, 2) == "$$") ++at;
  }
  return out;
}

Json expand_json(const Json& value, const std::vector<std::string>& groups) {
  if (value.is_string()) return expand_groups(value.get_ref<const std::string&>(), groups);
  if (!value.is_structured()) return value;
  Json out = value.is_array() ? Json::array() : Json::object();
  for (const auto& [name, part] : value.items()) {
    Json made = expand_json(part, groups);
    value.is_array() ? out.push_back(std::move(made))
                     : void(out[expand_groups(name, groups)] = std::move(made));
  }
  return out;
}

void redact(Json& value) {
  if (!value.is_structured()) return;
  for (const auto& [name, part] : value.items()) {
    // A client secret has an end; the headers are those for a server of tools.
    const bool secret = value.is_object() && (has_element(k_secrets, sv(name)) ||
                                              (name == "value" && value.contains("expires_at")));
    if (secret && part.is_string()) part = "REDACTED";
    if (name == "headers" && part.is_object()) {
      for (Json& header : part) header = "REDACTED";
    }
    redact(part);
  }
}

const Json* find_path(const Json& document, sv path) {
  const Json* at = &document;
  if (path.empty()) return at;
  for (const sv step : split(path, '.')) {
    if (at->is_object()) {
      const auto found = at->find(std::string(step));
      if (found == at->end()) return nullptr;
      at = &*found;
      continue;
    }
    const auto index = parse_integer(step);
    if (!at->is_array() || !index) return nullptr;
    const std::int64_t place = *index < 0 ? *index + static_cast<std::int64_t>(at->size()) : *index;
    if (place < 0 || static_cast<std::size_t>(place) >= at->size()) return nullptr;
    at = &(*at)[static_cast<std::size_t>(place)];
  }
  return at;
}

Result<std::vector<AnswerRule>> parse_answers(sv text) {
  Json list = Json::parse(text, nullptr, false);
  if (list.is_object()) list = Json::array({std::move(list)});
  if (!list.is_array()) {
    return usage_error(
        "The answers must be a rule or a JSON array of rules.",
        R"(A rule looks like {"match": {"prompt": "weather"}, "answer": {"text": "Sunny."}}.)");
  }
  std::vector<AnswerRule> rules;
  for (const Json& item : list) {
    SVC_TRY(rule, RuleReader(item, fmt::format("Answer rule {}", rules.size() + 1)).read());
    rules.push_back(std::move(rule));
  }
  return rules;
}

Result<AnswerCheck> parse_check(sv text) {
  const Json value = Json::parse(text, nullptr, false);
  return RuleReader(value, "The check").read_check();
}

Result<void> AnswerRuleSet::check_operation(const AnswerMatch& match) const {
  const std::string& wanted = match.operation;
  if (m_operations.empty() || wanted.find('/') == std::string::npos) return {};
  if (std::ranges::any_of(m_operations, [&](sv one) { return is_operation(one, wanted); }))
    return {};
  const std::vector<sv> known(m_operations.begin(), m_operations.end());
  const sv near = nearest(wanted, known);
  return usage_error(
      fmt::format("Unknown operation {}.", visible(wanted, Lines::Escape)),
      near.empty() ? "`svc operations` lists them." : fmt::format("Did you mean {}?", near));
}

Result<void> AnswerRuleSet::add(std::vector<AnswerRule> rules, Place place) {
  const std::lock_guard lock(m_mutex);
  for (const AnswerRule& rule : rules) {
    SVC_CHECK(check_operation(rule.match));
    if (m_strict == Strict::All && rule.answer.status == 0 && rule.answer.events.empty()) {
      return usage_error(fmt::format("A rule for --replay must have status or events, not {}.",
                                     excerpt(rule.text, k_shown_rule)));
    }
  }
  if (m_entries.size() + rules.size() > k_max_answer_rules) {
    return usage_error(fmt::format("There can be at most {} answer rules.", k_max_answer_rules));
  }
  for (auto& rule : rules) {
    const auto after = std::ranges::find(m_entries, Place::Last, &Entry::place);
    m_entries.insert(place == Place::Last ? m_entries.end() : after,
                     {.rule = std::move(rule), .id = ++m_last_id, .place = place});
  }
  return {};
}

AnswerRuleSet::Taken AnswerRuleSet::take(AnswerTarget question) {
  const std::lock_guard lock(m_mutex);
  Taken taken;
  for (Entry& entry : m_entries) {
    const AnswerRule& rule = entry.rule;
    if (!rule.answer.events.empty() && !question.streamed) continue;
    if (!rule.answer.says_nothing() && !takes_text(question, rule.match)) continue;
    Comparison comparison = compare(rule.match, question, false);
    if (!comparison.different.empty()) continue;
    ++entry.seen;  // every rule counts, whichever of them answers
    if (taken.answer) continue;
    const bool text_is_next = question.after_tools && !rule.answer.calls.empty() &&
                              rule.answer.text && (entry.used > 0 || !rule.match.tool_result);
    // The text is the second half of a use. Calls without a limit would follow their own results.
    if (text_is_next ? entry.used == 0 : !may_follow_tools(rule, question)) continue;
    if (!text_is_next) {
      if (rule.match.call && entry.seen != *rule.match.call) continue;
      if (rule.times && entry.used >= *rule.times) continue;
      ++entry.used;
    }
    taken.answer = rule.answer;
    taken.answer->groups = std::move(comparison.groups);
    if (text_is_next) {
      taken.answer->calls.clear();
    } else if (!rule.answer.calls.empty()) {
      taken.answer->text.reset();
    }
  }
  const bool strict = m_strict == Strict::All || (m_strict == Strict::Models && question.modelled);
  if (taken.answer) {
    expand(*taken.answer);
  } else if (strict) {
    taken.refusal = explain(question);
  }
  remember(std::move(question));
  return taken;
}

void AnswerRuleSet::note(std::uint64_t number, const std::function<AnswerTarget()>& read) {
  const std::lock_guard lock(m_mutex);
  if (!has_element(m_asked, number, &AnswerTarget::number)) remember(read());
}

void AnswerRuleSet::remember(AnswerTarget question) {
  m_asked_bytes += question.body_bytes;
  m_asked.push_back(std::move(question));
  while (m_asked.size() > k_max_asked ||
         (m_asked.size() > 1 && m_asked_bytes > k_max_asked_bytes)) {
    m_asked_bytes -= m_asked.front().body_bytes;
    m_asked.pop_front();
  }
}

// Names the rule with the fewest differences.
std::string AnswerRuleSet::explain(const AnswerTarget& question) const {
  std::string request = question.operation;
  if (!question.prompt.empty())
    request += fmt::format(" with the prompt \"{}\"", excerpt(question.prompt, k_shown));
  if (m_entries.empty()) return fmt::format("No rule matches {}: there are no rules.", request);
  const Entry* near = nullptr;
  Comparison best;
  for (const Entry& entry : m_entries) {
    Comparison comparison = compare(entry.rule.match, question);
    const bool better =
        near == nullptr || comparison.different.size() < best.different.size() ||
        (comparison.different.size() == best.different.size() && comparison.same > best.same);
    if (!better) continue;
    near = &entry;
    best = std::move(comparison);
  }
  if (best.different.empty()) {
    best.different.push_back(
        near->rule.times && near->used >= *near->rule.times
            ? fmt::format("its {} uses are spent", near->used)
        : near->rule.match.call
            ? fmt::format("this is matching request {}, not {}", near->seen, *near->rule.match.call)
            : "it does not apply to this kind of answer");
  }
  return fmt::format("No rule matches {}. The nearest is rule {}: {}. That rule is {}.", request,
                     near->id, listed(best.different), excerpt(near->rule.text, k_shown_rule));
}

Result<std::int64_t> AnswerRuleSet::verify(const AnswerCheck& check) const {
  const std::lock_guard lock(m_mutex);
  std::int64_t count = 0;
  std::string others;
  for (const AnswerTarget& asked : m_asked) {
    const Comparison comparison = compare(check.match, asked);
    if (comparison.different.empty()) {
      ++count;
    } else if (others.size() < 2'000) {
      others += fmt::format(" {} \"{}\": {}.", asked.operation, excerpt(asked.prompt, k_shown),
                            listed(comparison.different));
    }
  }
  const bool ordinal = check.match.call && count >= *check.match.call;
  if (check.match.call) count = ordinal ? 1 : 0;
  if (check.count ? count == *check.count : count > 0) return count;
  return usage_error(fmt::format(
      "{} requests match, not {}.{}", count,
      check.count ? std::to_string(*check.count) : "1 or more",
      others.empty() ? m_asked.empty() ? " No requests came." : "" : " Others:" + others));
}

}  // namespace svc::emulator
