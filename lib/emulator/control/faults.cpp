#include "emulator/control/control.h"

namespace svc::emulator {
namespace {

constexpr std::size_t k_max_rules = 100;

// Returns the route's path as a glob: "/v1/files/*" for "/v1/files/{file_id}".
std::string path_glob(sv path) {
  std::string glob;
  for (std::size_t at = 0; at < path.size(); ++at) {
    const std::size_t close = path[at] == '{' ? path.find('}', at) : sv::npos;
    if (close == sv::npos) {
      glob += path[at];
    } else {
      glob += '*';
      at = close;
    }
  }
  return glob;
}

// Whether some text matches both globs, in which `*` matches any text. `row[k]` is the result for
// the rest of `a` and the rest of `b` from k on; rows are computed from the end of `a`.
bool globs_meet(sv a, sv b) {
  std::vector<bool> below(b.size() + 1);
  for (std::size_t i = a.size() + 1; i-- > 0;) {
    std::vector<bool> row(b.size() + 1);
    for (std::size_t k = b.size() + 1; k-- > 0;) {
      const bool a_ends = i == a.size();
      const bool b_ends = k == b.size();
      if (a_ends && b_ends) {
        row[k] = true;
      } else if ((!a_ends && a[i] == '*') || (!b_ends && b[k] == '*')) {
        // The star ends, or matches the other glob's next character.
        row[k] = (!a_ends && below[k]) || (!b_ends && row[k + 1]);
      } else {
        row[k] = !a_ends && !b_ends && a[i] == b[k] && below[k + 1];
      }
    }
    below = std::move(row);
  }
  return below.front();
}

bool comes_instead(FaultAction action) {
  return action <= FaultAction::Empty;
}

void apply(const FaultRule& rule, FaultPlan& plan) {
  if (comes_instead(rule.action)) {
    plan.replacement = rule;
  } else if (rule.action == FaultAction::Latency) {
    plan.latency += rule.duration;
  } else if (rule.action == FaultAction::Slow) {
    plan.slow += rule.duration;
  } else {
    plan.after[rule.action] = rule;
  }
}

// The rule's own body, which is sent as JSON if it looks like JSON.
Response body_answer(const FaultRule& rule) {
  Response response = text_response(rule.status, rule.body);
  if (rule.body.starts_with('{') || rule.body.starts_with('[') || rule.body.starts_with('"')) {
    response.content_type = "application/json";
  }
  return response;
}

// The error bodies of the service and of the proxies in front of it.
Response status_answer(const FaultRule& rule) {
  constexpr std::array<std::pair<int, sv>, 5> k_usual = {{{400, "Bad request (fault)."},
                                                          {401, "Unauthorized (fault)."},
                                                          {403, "Forbidden (fault)."},
                                                          {404, "Not found (fault)."},
                                                          {429, "Too many requests (fault)."}}};
  const auto message_or = [&](sv usual) {
    return rule.message.empty() ? std::string(usual) : rule.message;
  };
  if (rule.status >= 502 && rule.status <= 504) {
    return text_response(rule.status, message_or("Service temporarily unavailable (fault)."));
  }
  if (rule.status < 300) return text_response(rule.status, message_or(""));
  for (const auto& [status, usual] : k_usual) {
    if (status == rule.status) return error_response(status, message_or(usual));
  }
  return error_response(rule.status, "Fault",
                        message_or(fmt::format("Status {} (fault).", rule.status)));
}

// Parses fault rules.

constexpr std::array<sv, 6> k_conditions = {"times", "after", "every", "rate", "key", "model"};

Error fault_error(sv rule, const std::string& why) {
  return usage_error(
      fmt::format("Invalid fault rule \"{}\": {}.", visible(rule, Lines::Escape),
                  visible(why, Lines::Escape)),
      "A rule has the form METHOD PATH: ACTION, for example \"POST /v1/chat/*: status 429 "
      "retry-after 1, times 2\"; --help lists the actions.");
}

// Splits into words and commas; a quoted word may contain spaces and commas.
Result<std::vector<std::string>> words_of(sv rule, sv text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
    } else if (text[i] == ',') {
      words.emplace_back(",");
      ++i;
    } else if (text[i] == '"' || text[i] == '\'') {
      const auto end = text.find(text[i], i + 1);
      if (end == sv::npos) return fault_error(rule, "unclosed quotation mark");
      words.emplace_back(text.substr(i + 1, end - i - 1));
      i = end + 1;
    } else {
      const auto end = std::min(text.find_first_of(" ,", i), text.size());
      words.emplace_back(text.substr(i, end - i));
      i = end;
    }
  }
  return words;
}

// Iterates over a rule's words.
class Reader {
 public:
  Reader(sv rule, std::vector<std::string> words) : m_rule(rule), m_words(std::move(words)) {}

  [[nodiscard]] bool at_part_end() const {
    return m_next >= m_words.size() || m_words[m_next] == ",";
  }
  [[nodiscard]] bool next_part() {  // skips a comma
    if (m_next >= m_words.size()) return false;
    ++m_next;
    return true;
  }
  [[nodiscard]] Result<std::string> word(sv what) {
    if (at_part_end()) return fail(fmt::format("{} is missing", what));
    return m_words[m_next++];
  }
  [[nodiscard]] Result<void> word(sv what, std::string& into) {
    SVC_TRY(text, word(what));
    into = std::move(text);
    return {};
  }
  [[nodiscard]] Result<std::uint64_t> count(sv what, std::uint64_t minimum) {
    SVC_TRY(text, word(what));
    const auto value = parse_integer(text);
    if (!value || *value < static_cast<std::int64_t>(minimum)) {
      return fail(fmt::format("{} must be an integer of at least {}, not {}", what, minimum, text));
    }
    return static_cast<std::uint64_t>(*value);
  }
  [[nodiscard]] Result<void> duration(sv what, std::chrono::milliseconds& into) {
    SVC_TRY(text, word(what));
    const auto value = parse_duration(text, std::chrono::milliseconds(1));
    constexpr std::chrono::hours k_max_duration{1};
    if (!value || *value > k_max_duration) {
      return fail(
          fmt::format("{} must be a duration of up to 1h, such as 200ms, not {}", what, text));
    }
    into = *value;
    return {};
  }
  [[nodiscard]] Error fail(const std::string& why) const { return fault_error(m_rule, why); }

 private:
  sv m_rule;
  std::vector<std::string> m_words;
  std::size_t m_next = 0;
};

Result<void> read_status(Reader& reader, FaultRule& rule, sv /*what*/) {
  SVC_TRY(status, reader.count("the status", 200));
  if (status > 599)
    return reader.fail(fmt::format("the status must be 200 to 599, not {}", status));
  rule.status = static_cast<int>(status);
  while (!reader.at_part_end()) {
    SVC_TRY(name, reader.word("the name of an argument"));
    if (name == "message" || name == "body") {
      SVC_CHECK(reader.word("the " + name, name == "body" ? rule.body : rule.message));
      continue;
    }
    if (name == "header") {
      SVC_TRY(line, reader.word("the header"));
      const auto end = line.find(':');
      if (end == std::string::npos || end == 0) {
        return reader.fail(fmt::format("a header must be \"NAME: VALUE\", not {}", line));
      }
      rule.headers.push_back({line.substr(0, end), std::string(trim(sv(line).substr(end + 1)))});
      continue;
    }
    sv header;
    if (name == "retry-after") header = "Retry-After";
    if (name == "retry-after-ms") header = "retry-after-ms";
    if (name == "should-retry") header = "x-should-retry";
    if (header.empty()) {
      return reader.fail(
          fmt::format("the arguments of status are retry-after, retry-after-ms, "
                      "should-retry, message, header and body, not {}",
                      name));
    }
    SVC_TRY(value, reader.word(fmt::format("the value of {}", name)));
    rule.headers.push_back({std::string(header), value});
  }
  return {};
}

Result<void> read_nothing(Reader& /*reader*/, FaultRule& /*rule*/, sv /*what*/) {
  return {};
}

Result<void> read_duration(Reader& reader, FaultRule& rule, sv what) {
  return reader.duration(what, rule.duration);
}

Result<void> read_slow(Reader& reader, FaultRule& rule, sv what) {
  SVC_CHECK(read_duration(reader, rule, what));
  for (const sv expected : {sv("per"), sv("byte")}) {
    if (reader.at_part_end()) return {};
    SVC_TRY(word, reader.word("the rest"));
    if (word != expected) return reader.fail("only \"per byte\" may follow the pause");
  }
  return {};
}

Result<void> read_amount(Reader& reader, FaultRule& rule, sv what) {
  SVC_TRY(amount, reader.count(what, 0));
  rule.amount = amount;
  return {};
}

Result<void> read_close(Reader& reader, FaultRule& rule, sv what) {
  SVC_CHECK(read_amount(reader, rule, what));
  rule.status = 1011;
  if (!reader.at_part_end()) {
    SVC_TRY(code, reader.count("the close code", 1000));
    if (code > 4999)
      return reader.fail(fmt::format("the close code must be 1000 to 4999, not {}", code));
    rule.status = static_cast<int>(code);
  }
  return reader.at_part_end() ? Result<void>{} : reader.word("the reason", rule.message);
}

struct Action {
  sv name;
  FaultAction action;
  Result<void> (*read)(Reader&, FaultRule&, sv what) = read_nothing;
  sv what{};  ///< the argument
};
constexpr std::array k_actions = {
    Action{"latency", FaultAction::Latency, read_duration, "the latency"},
    Action{"status", FaultAction::Status, read_status},
    Action{"reset", FaultAction::Reset},
    Action{"reset-after", FaultAction::ResetAfter, read_amount, "the number of bytes"},
    Action{"cut-after", FaultAction::CutAfter, read_amount, "the number of events"},
    Action{"stall", FaultAction::Stall},
    Action{"stall-after", FaultAction::StallAfter, read_amount, "the number of events"},
    Action{"slow", FaultAction::Slow, read_slow, "the pause"},
    Action{"garbage", FaultAction::Garbage},
    Action{"empty", FaultAction::Empty},
    Action{"close-after", FaultAction::CloseAfter, read_close, "the number of messages"},
    Action{"drop-after", FaultAction::DropAfter, read_amount, "the number of messages"}};

Result<void> read_action(Reader& reader, FaultRule& rule) {
  SVC_TRY(name, reader.word("the action"));
  std::vector<sv> names;
  for (const Action& action : k_actions) {
    names.push_back(action.name);
    if (action.name != name) continue;
    rule.action = action.action;
    return action.read(reader, rule, action.what);
  }
  const sv near = nearest(name, names);
  return reader.fail(
      near.empty() ? fmt::format("the action must be one of {}, not {}", join(names, ", "), name)
                   : fmt::format("unknown action {} (did you mean {}?)", name, near));
}

Result<void> read_condition(Reader& reader, FaultRule& rule) {
  SVC_TRY(name, reader.word("a condition"));
  if (name == "rate") {
    SVC_TRY(text, reader.word("the rate"));
    const auto rate = parse_number(text);
    if (!rate || *rate < 0 || *rate > 1) {
      return reader.fail(fmt::format("the rate must be a number from 0 to 1, not {}", text));
    }
    rule.rate = *rate;
    return {};
  }
  if (name == "key" || name == "model") {
    return reader.word("the " + name, name == "key" ? rule.key : rule.model);
  }
  if (!has_element(k_conditions, name)) {
    return reader.fail(
        fmt::format("a condition must be one of {}, not {}", join(k_conditions, ", "), name));
  }
  SVC_TRY(count, reader.count(fmt::format("the number of \"{}\"", name), name == "after" ? 0 : 1));
  if (name == "times") rule.times = count;
  if (name == "after") rule.after = count;
  if (name == "every") rule.every = count;
  return {};
}

Result<void> read_target(sv text, sv target, FaultRule& rule) {
  const auto space = target.find(' ');
  if (space == sv::npos) return fault_error(text, "it must start with a method and a path");
  rule.method = target.substr(0, space);
  rule.path = trim(target.substr(space));
  const bool word = std::ranges::all_of(
      rule.method, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
  if (rule.method != "*" && !word) {
    return fault_error(
        text, fmt::format("the method must be a word such as POST, or *, not {}", rule.method));
  }
  std::ranges::transform(rule.method, rule.method.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  if (rule.path.find(' ') != std::string::npos ||
      !(rule.path.starts_with('/') || rule.path.starts_with('*'))) {
    return fault_error(
        text,
        fmt::format("the path must start with / or * and contain no space, not {}", rule.path));
  }
  return {};
}

constexpr std::size_t k_capacity = 1000;
constexpr std::size_t k_max_body = 64'000;
// The WebSocket subprotocol may contain a client secret.
constexpr std::array<sv, 6> k_secret_headers = {"authorization", "proxy-authorization",
                                                "cookie",        "sec-websocket-protocol",
                                                "x-api-key",     "x-control-token"};

bool is_secret(const Header& header) {
  return std::ranges::any_of(k_secret_headers,
                             [&](sv name) { return equals_ignore_case(header.name, name); });
}

}  // namespace

bool matches_glob(sv glob, sv text) {
  if (glob.find('*') == sv::npos) return text == glob;
  const auto parts = split(glob, '*');
  if (!text.starts_with(parts.front())) return false;
  std::size_t at = parts.front().size();
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::size_t found = text.find(parts[i], at);
    if (found == sv::npos) return false;
    at = found + parts[i].size();
  }
  return text.substr(at).ends_with(parts.back());
}

Response fault_response(const FaultRule& rule) {
  Response response;
  if (rule.action == FaultAction::Garbage) {
    response.content_type = "text/html; charset=utf-8";
    response.body =
        "<!DOCTYPE html>\n<html><head><title>Sign in to the network</title></head>"
        "<body><h1>Please sign in</h1></body></html>\n";
  } else if (rule.action == FaultAction::Status) {
    response = rule.body.empty() ? status_answer(rule) : body_answer(rule);
    for (const Header& header : rule.headers) set_header(response, header);
  }
  return response;
}

Result<void> FaultRuleSet::check(const FaultRule& rule) const {
  if (m_operations.empty()) return {};
  std::vector<sv> paths;
  std::vector<sv> methods;
  for (const FaultOperation& operation : m_operations) {
    paths.push_back(operation.path);
    if (!globs_meet(rule.path, path_glob(operation.path))) continue;
    const bool head = rule.method == "HEAD" && operation.method == "GET";
    if (rule.method == "*" || rule.method == operation.method || head) return {};
    methods.push_back(operation.method);
  }
  const std::string rule_text = visible(rule.text, Lines::Escape);
  if (!methods.empty()) {
    std::ranges::sort(methods);
    methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
    return usage_error(
        fmt::format("The fault rule \"{}\" matches no operation: the methods of {} are "
                    "{}, not {}.",
                    rule_text, visible(rule.path, Lines::Escape), join(methods, ", "),
                    visible(rule.method, Lines::Escape)));
  }
  const sv near = nearest(rule.path, paths);
  return usage_error(
      fmt::format("The fault rule \"{}\" matches no operation: unknown path {}.", rule_text,
                  visible(rule.path, Lines::Escape)),
      near.empty() ? "`svc operations` lists the paths." : fmt::format("Did you mean {}?", near));
}

Result<void> FaultRuleSet::add(std::vector<FaultRule> rules) {
  const std::lock_guard lock(m_mutex);
  for (const FaultRule& rule : rules) SVC_CHECK(check(rule));
  if (m_entries.size() + rules.size() > k_max_rules) {
    return usage_error(fmt::format("There can be at most {} fault rules.", k_max_rules));
  }
  for (auto& rule : rules) m_entries.push_back({std::move(rule)});
  return {};
}

bool FaultRuleSet::should_apply(Entry& entry, const FaultTarget& target, bool taken) {
  const FaultRule& rule = entry.rule;
  if (rule.method != "*" && rule.method != target.method) return false;
  if (!matches_glob(rule.path, target.path)) return false;
  if (!rule.key.empty() && !(target.is_key && target.is_key(rule.key))) return false;
  if (!rule.model.empty() && !(target.names_model && target.names_model(rule.model))) return false;
  ++entry.seen;
  if (entry.seen <= rule.after || (entry.seen - rule.after) % rule.every != 0) return false;
  if (rule.times && entry.applied >= *rule.times) return false;
  if (rule.rate < 1.0 && std::uniform_real_distribution<>(0, 1)(m_random) >= rule.rate)
    return false;
  if (taken && comes_instead(rule.action)) return false;
  ++entry.applied;
  return true;
}

FaultPlan FaultRuleSet::plan(const FaultTarget& target) {
  const std::lock_guard lock(m_mutex);
  FaultPlan plan;
  for (Entry& entry : m_entries) {
    if (should_apply(entry, target, plan.replacement.has_value())) apply(entry.rule, plan);
  }
  return plan;
}

Result<FaultRule> parse_fault(sv given) {
  const sv text = trim(given);
  const auto colon = text.find(": ");  // a path may contain colons: /v1/batches/b1:cancel
  if (colon == sv::npos) {
    return fault_error(text, "a colon and a space must separate the path from the action");
  }
  FaultRule rule;
  rule.text = text;
  SVC_CHECK(read_target(text, trim(text.substr(0, colon)), rule));
  SVC_TRY(words, words_of(text, text.substr(colon + 2)));
  Reader reader(text, std::move(words));
  SVC_CHECK(read_action(reader, rule));
  if (!reader.at_part_end()) return reader.fail("the action has too many arguments");
  while (reader.next_part()) {
    SVC_CHECK(read_condition(reader, rule));
    if (!reader.at_part_end()) return reader.fail("conditions must be separated by commas");
  }
  return rule;
}

std::uint64_t RequestLog::add(const HttpRequest& call, std::int64_t now_ms) {
  LoggedRequest entry;
  entry.time_ms = now_ms;
  entry.method = call.method;
  entry.target = call.target;
  std::ranges::remove_copy_if(call.headers, std::back_inserter(entry.headers), is_secret);
  entry.body = call.body.substr(0, k_max_body);
  entry.body_bytes = call.body.size();
  if (call.body_file) {
    if (auto start = call.body_file->read(0, k_max_body)) entry.body = *std::move(start);
    entry.body_bytes = call.body_file->size();
  }
  const std::lock_guard lock(m_mutex);
  entry.number = ++m_last;
  m_requests.push_back(std::move(entry));
  if (m_requests.size() > k_capacity) m_requests.pop_front();
  return m_last;
}

LoggedRequest* RequestLog::find(std::uint64_t number) {
  if (m_requests.empty() || number < m_requests.front().number || number > m_last) return nullptr;
  return &m_requests[number - m_requests.front().number];
}

void RequestLog::add_response(std::uint64_t number, sv bytes) {
  const std::lock_guard lock(m_mutex);
  LoggedRequest* entry = find(number);
  if (entry == nullptr) return;
  entry->response_bytes += bytes.size();
  entry->response += bytes.substr(0, k_max_body - entry->response.size());
}

void RequestLog::add_message(std::uint64_t number, sv message, bool is_text) {
  const std::lock_guard lock(m_mutex);
  LoggedRequest* entry = find(number);
  if (entry == nullptr) return;
  ++entry->messages;
  if (!is_text) {
    entry->binary_bytes += message.size();
    return;
  }
  entry->body_bytes += message.size() + 1;
  const std::size_t room = k_max_body - entry->body.size();
  entry->body += message.substr(0, room);
  if (room > message.size()) entry->body += '\n';
}

std::vector<LoggedRequest> RequestLog::since(std::uint64_t number) const {
  const std::lock_guard lock(m_mutex);
  const auto first = std::ranges::upper_bound(m_requests, number, {}, &LoggedRequest::number);
  return {first, m_requests.end()};
}

}  // namespace svc::emulator
