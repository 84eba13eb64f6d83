#include "emulator/control/faults.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::emulator {
namespace {

constexpr std::size_t k_max_rules = 100;

// `*` matches any text. Backtracks only to the last star, which is enough and linear in practice.
bool glob_matches(sv glob, sv text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = sv::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (star != sv::npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

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

// Whether some text matches both globs. `row[k]` is the result for the rest of `a` and the rest of
// `b` from k on; rows are computed from the end of `a`.
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

Response text_response(int status, std::string text) {
  Response response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(text);
  return response;
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
  const auto message_or = [&](sv usual) {
    return rule.message.empty() ? std::string(usual) : rule.message;
  };
  switch (rule.status) {
    case 400:
      return invalid_argument_error(message_or("Bad request (fault)."));
    case 401:
      return error_response(
          401, "The request does not have valid authentication credentials for the operation",
          message_or("Unauthorized (fault)."));
    case 403:
      return permission_denied_error(message_or("Forbidden (fault)."));
    case 404:
      return not_found_error(message_or("Not found (fault)."));
    case 429:
      return resource_exhausted_error(message_or("Too many requests (fault)."));
    case 502:
    case 503:
    case 504:
      return text_response(rule.status, message_or("Service temporarily unavailable (fault)."));
    default:
      break;
  }
  if (rule.status < 300) return text_response(rule.status, message_or(""));
  return error_response(rule.status, "Fault",
                        message_or(fmt::format("Status {} (fault).", rule.status)));
}

}  // namespace

Response fault_response(const FaultRule& rule) {
  Response response;
  if (rule.action == FaultAction::Garbage) {
    response.content_type = "text/html; charset=utf-8";
    response.body =
        "<!DOCTYPE html>\n<html><head><title>Sign in to the network</title></head>"
        "<body><h1>Please sign in</h1></body></html>\n";
  } else if (rule.action == FaultAction::Status) {
    response = rule.body.empty() ? status_answer(rule) : body_answer(rule);
    for (const Header& header : rule.headers) {
      if (equals_ignore_case(header.name, "Content-Type")) {
        response.content_type = header.value;
      } else {
        response.headers.push_back(header);
      }
    }
  }
  return response;
}

void FaultRuleSet::set_operations(std::vector<FaultOperation> operations) {
  const std::lock_guard lock(m_mutex);
  m_operations = std::move(operations);
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

void FaultRuleSet::clear() {
  const std::lock_guard lock(m_mutex);
  m_entries.clear();
}

std::vector<FaultRuleSet::Entry> FaultRuleSet::entries() const {
  const std::lock_guard lock(m_mutex);
  return m_entries;
}

bool FaultRuleSet::should_apply(Entry& entry, const FaultTarget& target, bool taken) {
  const FaultRule& rule = entry.rule;
  if (rule.method != "*" && rule.method != target.method) return false;
  if (!glob_matches(rule.path, target.path)) return false;
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

}  // namespace svc::emulator
