#include "commands/doctor/report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "client/api_error.h"
#include "client/credentials.h"
#include "http/trace.h"

namespace svc::cli {
namespace {

/// Errors by severity, the worst first.
constexpr std::array k_worst_first = {Fault::Unexpected, Fault::Network, Fault::Timeout,
                                      Fault::Service,    Fault::Limited, Fault::Auth,
                                      Fault::NotFound,   Fault::Local,   Fault::Usage};

std::size_t rank(Fault fault) {
  const auto* at = std::find(k_worst_first.begin(), k_worst_first.end(), fault);
  return static_cast<std::size_t>(at - k_worst_first.begin());
}

std::string host_text(const Probe& probe) {
  return fmt::format("{} ({})", probe.setting->value, probe.setting->source());
}

/// "answered in 43 ms over HTTP/2, certificate verified".
std::string answer_text(const Probe& probe) {
  const bool secure =
      probe.setting->value.starts_with("https") || probe.setting->value.starts_with("wss");
  return fmt::format("answered in {} over HTTP/{}, {}", format_duration(probe.took),
                     probe.outcome.head.version.empty() ? "1.1" : probe.outcome.head.version,
                     secure ? "certificate verified" : "not encrypted");
}

Finding fine(const Probe& probe, std::string_view more) {
  std::string detail = fmt::format("{}: {}", host_text(probe), answer_text(probe));
  if (!more.empty()) detail += fmt::format("; {}", more);
  return {probe.check, State::Ok, std::move(detail), ""};
}

Finding failed(const Probe& probe, const Error& error) {
  Finding finding = finding_of(probe.check, error);
  finding.detail = fmt::format("{}: {}", host_text(probe), error.message);
  return finding;
}

std::string facts_text(const Probe& probe, const KeyFacts& facts) {
  std::string text = fmt::format("accepts the {}", key_title(*probe.kind));
  if (!facts.name.empty()) text += fmt::format(" '{}'", visible(facts.name, Lines::Escape));
  if (!facts.team_id.empty()) {
    text += fmt::format(" of team {}", visible(facts.team_id, Lines::Escape));
  }
  return text;
}

/// The URL responds, but not like the service.
Finding unknown_path(const Probe& probe) {
  const std::string_view path = key_check_operation(*probe.kind).path;
  if (probe.setting->origin == Origin::Emulator) {
    return fine(probe, fmt::format("the emulator does not check the {}", key_title(*probe.kind)));
  }
  return {
      .check = probe.check,
      // The path for management keys is undocumented.
      .state = probe.kind == KeyKind::Management ? State::Warning : State::Error,
      .detail = fmt::format("{}: {}, but has no {}", host_text(probe), answer_text(probe), path),
      .hint = "Check that this is the service's URL.",
      .fault = Fault::Network};
}

/// The result for a host that was sent a key.
Finding assess_with_key(const Probe& probe, const std::vector<std::string>& secrets) {
  const int status = probe.outcome.head.status;
  if (status == 200) {
    const auto facts = read_key_facts(*probe.kind, probe.body);
    return facts ? fine(probe, facts_text(probe, *facts)) : failed(probe, facts.error());
  }
  const Error error = api_error(probe.outcome.head, probe.body, secrets);
  Finding finding = failed(probe, error);
  // The host is reachable and knows the key; the rest is temporary or not a matter of
  // configuration.
  if (error.fault == Fault::Limited) finding.state = State::Warning;
  return finding;
}

}  // namespace

std::string_view state_word(State state) noexcept {
  switch (state) {
    case State::Ok:
      return "ok";
    case State::Note:
      return "note";
    case State::Warning:
      return "warning";
    case State::Error:
      return "error";
  }
  return {};
}

Finding finding_of(std::string check, const Error& error) {
  return {std::move(check), State::Error, error.message, error.hint, error.fault};
}

OrderedJson to_json(const Finding& finding) {
  return {{"check", finding.check},
          {"state", state_word(finding.state)},
          {"detail", finding.detail},
          {"hint", text_or_null(finding.hint)}};
}

OrderedJson to_json(std::span<const Finding> findings) {
  OrderedJson out = {{"ok", !verdict(findings).has_value()}, {"checks", OrderedJson::array()}};
  for (const Finding& finding : findings) out["checks"].push_back(to_json(finding));
  return out;
}

std::optional<Error> verdict(std::span<const Finding> findings) {
  const Finding* worst = nullptr;
  std::size_t count = 0;
  for (const Finding& finding : findings) {
    if (finding.state != State::Error) continue;
    ++count;
    if (worst == nullptr || rank(finding.fault) < rank(worst->fault)) worst = &finding;
  }
  if (worst == nullptr) return std::nullopt;
  std::string message = fmt::format("{}: {}", worst->check, worst->detail);
  if (count > 1) message = fmt::format("{} checks failed; the worst: {}", count, message);
  return Error{worst->fault, std::move(message), worst->hint};
}

Finding check_proxy(const Environment& environment) {
  std::string detail;
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY",
                           "no_proxy", "NO_PROXY"}) {
    const std::string value = environment(name).value_or("");
    if (value.empty()) continue;
    if (!detail.empty()) detail += ", ";
    // A proxy URL may lack a scheme and still contain a password.
    const bool bare = value.find("://") == std::string::npos;
    const std::string masked = http::mask(bare ? "//" + value : value, {});
    detail += fmt::format("{}={}", name,
                          visible(bare ? sv(masked).substr(2) : sv(masked), Lines::Escape));
  }
  if (detail.empty()) return {"proxy", State::Ok, "none", ""};
  return {"proxy", State::Note, std::move(detail), ""};
}

std::optional<Finding> check_clock(const http::HttpHead& head, std::int64_t now) {
  const auto date = parse_http_date(head.header("date").value_or(""));
  if (!date) return std::nullopt;
  const std::int64_t apart = now - *date;
  if (apart >= -300 && apart <= 300) {
    return Finding{"clock", State::Ok, "agrees with the service", ""};
  }
  const auto span = std::chrono::milliseconds(std::chrono::seconds(apart < 0 ? -apart : apart));
  return Finding{"clock", State::Warning,
                 fmt::format("this machine is {} {} the service", format_duration(span),
                             apart < 0 ? "behind" : "ahead of"),
                 "Set the clock: certificates, signatures and retries depend on it."};
}

Finding assess(const Probe& probe) {
  const std::vector<std::string> secrets{probe.key};
  const int status = probe.outcome.head.status;
  if (probe.outcome.error) {
    Error error = *probe.outcome.error;
    error.message = scrub(std::move(error.message), secrets);
    return failed(probe, error);
  }
  if (status >= 500) return failed(probe, api_error(probe.outcome.head, probe.body, secrets));
  if (!probe.kind) return fine(probe, "");
  if (status == 404) return unknown_path(probe);
  if (!probe.key.empty()) return assess_with_key(probe, secrets);
  return fine(probe, fmt::format("no {} to check", key_title(*probe.kind)));
}

}  // namespace svc::cli
