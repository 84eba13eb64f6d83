// `svc doctor`: checks configuration, keys and connectivity.
#include "commands/doctor/doctor.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "base/version.h"
#include "commands/command.h"
#include "commands/sound/sound_report.h"
#include "http/transport.h"
#include "http/url.h"
#include "json/document.h"
#include "operation/runner.h"
#include "print/width.h"

namespace svc::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t k_max_answer = 1U << 20U;

/// Stores a response.
class Listener final : public http::Receiver {
 public:
  explicit Listener(Probe& probe) : m_asked(probe) {}

  Result<void> on_head(const http::HttpHead& /*head*/) override { return {}; }
  Result<void> on_body(std::string_view bytes) override {
    m_asked.body += bytes;
    return {};
  }

 private:
  Probe& m_asked;
};

/// Short default timeouts, instead of the usual hour.
http::Timeouts short_timeouts(const Settings& settings) {
  http::Timeouts timeouts = timeouts_of(settings);
  const auto default_value = [](const Setting& setting) {
    return setting.origin == Origin::BuiltIn;
  };
  if (default_value(settings.timeout)) timeouts.total = std::chrono::seconds(15);
  if (default_value(settings.connect_timeout)) timeouts.connect = std::chrono::seconds(10);
  if (default_value(settings.idle_timeout)) timeouts.idle = std::chrono::seconds(15);
  return timeouts;
}

/// Collects the findings in the order in which they are printed.
class Examination {
 public:
  explicit Examination(Session& session) : m_session(session) {}

  Result<std::vector<Finding>> run() {
    check_program();
    check_config();
    const auto started = m_session.ensure_emulator();
    if (!started) m_findings.push_back(finding_of("emulator", started.error()));
    m_findings.push_back(check_proxy(m_session.environment()));
    // Without its emulator, that profile has neither keys nor hosts to check.
    if (started) {
      check_settings();
      SVC_CHECK(check_keys());
      plan();
      ask();
    }
    if (const auto fault = m_session.cancel_token().requested()) return canceled(*fault);
    report_hosts();
    std::ranges::move(check_sound(m_session), std::back_inserter(m_findings));
    if (const auto fault = m_session.cancel_token().requested()) return canceled(*fault);
    return std::move(m_findings);
  }

 private:
  void add(std::string check, State state, std::string detail, std::string hint = {}) {
    m_findings.push_back({std::move(check), state, std::move(detail), std::move(hint)});
  }

  void check_program() {
    add("version", State::Ok, fmt::format("svc {}, {}", k_full_version, http::curl_version_text()));
    const auto program = find_emulator();
    if (program) {
      add("emulator", State::Ok, visible(*program, Lines::Escape));
    } else {
      add("emulator", State::Warning, program.error().message, program.error().hint);
    }
  }

  void check_config() {
    const ConfigFile& file = m_session.config();
    const std::string path = visible(file.path().string(), Lines::Escape);
    for (const Error& fault : m_session.config_faults()) {
      m_findings.push_back(finding_of("config", fault));
    }
    for (const std::string& warning : file.warnings()) add("config", State::Warning, warning);
    if (file.path().empty()) {
      add("config", State::Note,
          "no directory for the file: neither XDG_CONFIG_HOME nor HOME is set");
    } else if (m_session.config_faults().empty() && file.warnings().empty()) {
      add("config", State::Ok, file.exists() ? path : path + " (no such file yet)");
    }
    const Settings& settings = m_session.settings();
    add("profile", State::Ok,
        fmt::format("{} ({})", settings.profile.value, settings.profile.source()));
  }

  void check_settings() {
    const Settings& settings = m_session.settings();
    for (const SettingRow& row : setting_rows()) {
      const Setting& setting = settings.*row.member;
      const bool is_address = row.kind == SettingKind::Url || row.kind == SettingKind::SocketUrl;
      if (is_address || !setting.is_set() || setting.origin == Origin::BuiltIn) continue;
      add(std::string(row.name), State::Ok,
          fmt::format("{} ({})", visible(setting.value, Lines::Escape), setting.source()));
    }
  }

  Result<void> check_keys() {
    for (const KeyKind kind : {KeyKind::Inference, KeyKind::Management}) {
      const bool inference = kind == KeyKind::Inference;
      const std::string check = inference ? "api_key" : "management_key";
      auto found = find_optional_credential(kind, m_session.settings(), m_session.environment(),
                                            m_session.config(), m_session.cancel_token());
      if (!found && is_cancellation(found.error().fault)) return found.error();
      if (!found) {
        m_findings.push_back(finding_of(check, found.error()));
      } else if (*found) {
        add(check, State::Ok, fmt::format("{} ({})", mask_key((*found)->key), (*found)->source));
        (inference ? m_key : m_management_key) = (*found)->key;
      } else if (m_session.config().is_unread()) {
        add(check, State::Note, "none found; the configuration cannot be read");
      } else if (inference) {
        m_findings.push_back(finding_of(check, missing_key(kind, m_session.settings())));
      } else {
        add(check, State::Note, "none; management commands need one",
            missing_key(kind, m_session.settings()).hint);
      }
    }
    return {};
  }

  /// Prepares the checks of configured hosts; the others are reported at once.
  void plan() {
    const Settings& settings = m_session.settings();
    plan_host("base_url", KeyKind::Inference, m_key);
    plan_host("management_url", KeyKind::Management, m_management_key);
    const auto base = http::parse_url(http::to_websocket_url(settings.base_url.value));
    const auto realtime = http::parse_url(settings.realtime_url.value);
    if (base && realtime && http::same_origin(*base, *realtime)) {
      // The state of that host is reported with base_url.
      add("realtime_url", State::Note,
          fmt::format("{} ({}), the host of base_url", settings.realtime_url.value,
                      settings.realtime_url.source()));
    } else {
      plan_host("realtime_url", std::nullopt, "");
    }
    plan_host("docs_url", std::nullopt, "");
  }

  void plan_host(sv name, std::optional<KeyKind> kind, const std::string& key) {
    const SettingRow& row = *find_setting(name);
    const Setting& setting = m_session.settings().*row.member;
    if (setting.is_set()) {
      auto probe = std::make_unique<Probe>();
      probe->check = name;
      probe->setting = &setting;
      probe->kind = kind;
      probe->key = key;
      m_asked.push_back(std::move(probe));
      m_places.push_back(m_findings.size());
      add(std::string(name), State::Note, "");  // placeholder for the result
      return;
    }
    if (m_session.config().is_unread()) {
      if (name == "realtime_url") return;
      add(std::string(name), State::Note, "not found; the configuration cannot be read");
      return;
    }
    const Error missing = missing_setting(row);
    if (name == "base_url") {
      m_findings.push_back(finding_of(std::string(name), missing));
    } else if (name != "realtime_url") {
      add(std::string(name), State::Note, "not set", missing.hint);
    }
  }

  [[nodiscard]] http::HttpRequest request_for(const Probe& probe) const {
    http::HttpRequest request;
    // A WebSocket host also responds to plain requests, if only with an error.
    std::string base = probe.setting->value;
    if (base.starts_with("ws")) base.replace(0, 2, "http");
    const sv path = probe.kind                      ? key_check_operation(*probe.kind).path
                    : probe.check == "realtime_url" ? sv("/v1/realtime")
                                                    : sv("/api/mcp");
    request.url = base + std::string(path);
    request.bearer = probe.key;
    request.timeouts = short_timeouts(m_session.settings());
    request.max_body_bytes = k_max_answer;
    return request;
  }

  /// Checks all hosts concurrently.
  void ask() {
    std::vector<std::unique_ptr<Listener>> listeners;
    std::size_t open = m_asked.size();
    const auto begin = steady_clock::now();
    for (const auto& probe : m_asked) {
      listeners.push_back(std::make_unique<Listener>(*probe));
      m_session.transport().start(
          request_for(*probe), *listeners.back(), [&open, begin, &probe](http::Outcome outcome) {
            probe->took =
                std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
            probe->outcome = std::move(outcome);
            --open;
          });
    }
    m_session.progress().start("Contacting the hosts");
    while (open > 0) {
      m_session.transport().run(m_session.cancel_token(),
                                steady_clock::now() + std::chrono::milliseconds(100));
      m_session.progress().tick();
    }
    m_session.progress().finish();
  }

  void report_hosts() {
    for (std::size_t i = 0; i < m_asked.size(); ++i) m_findings[m_places[i]] = assess(*m_asked[i]);
    for (const auto& probe : m_asked) {
      if (probe->outcome.error) continue;
      if (auto clock = check_clock(probe->outcome.head, unix_now())) {
        m_findings.push_back(*std::move(clock));
        return;
      }
    }
  }

  Session& m_session;
  std::vector<Finding> m_findings{};
  std::string m_key{};
  std::string m_management_key{};
  std::vector<std::unique_ptr<Probe>> m_asked{};
  std::vector<std::size_t> m_places{};  ///< index of each host's finding
};

/// Prints the findings as text, never truncated: the cause of an error may be at the end.
Result<void> write_lines(print::Out& out, std::span<const Finding> findings) {
  constexpr std::size_t k_state = 7;
  constexpr std::size_t k_narrow = 20;  // minimum width of the detail column
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.check.size());
  const std::size_t indent = k_state + width + 4;
  const auto columns = static_cast<std::size_t>(out.terminal().columns);
  for (const Finding& finding : findings) {
    std::string lead =
        fmt::format("{:<{}}  {:<{}}  ", state_word(finding.state), k_state, finding.check, width);
    const std::string detail = visible(finding.detail, Lines::Escape);
    for (const std::string& line :
         print::wrap(detail, std::max(columns, indent + k_narrow) - indent)) {
      SVC_CHECK(out.write(fmt::format("{}{}\n", lead, line)));
      lead.assign(indent, ' ');
    }
  }
  return {};
}

Result<void> write_report(Session& session, std::span<const Finding> findings) {
  print::Out& out = session.out();
  if (session.format() == Format::Text && out.terminal().is_tty) {
    SVC_CHECK(write_lines(out, findings));
  } else if (session.format() == Format::Text || session.format() == Format::Jsonl) {
    OrderedJson rows = OrderedJson::array();
    for (const Finding& finding : findings) rows.push_back(to_json(finding));
    SVC_CHECK(print_list(session, rows));
  } else {
    SVC_CHECK(session.write_document(compact_json(to_json(findings))));
  }
  return out.flush();
}

}  // namespace

Result<void> finish_call(Session& session, std::span<const Finding> findings) {
  SVC_CHECK(write_report(session, findings));
  auto failed = verdict(findings);
  std::set<sv> printed;
  if (failed) printed.insert(failed->hint);
  for (const Finding& finding : findings) {
    if (finding.state < State::Warning || finding.hint.empty()) continue;
    if (!printed.insert(finding.hint).second) continue;
    session.notices().note(fmt::format("{}: {}", finding.check, finding.hint));
  }
  if (failed) return *std::move(failed);
  return {};
}

template <>
Result<void> run<Handler::Doctor>(Session& session) {
  SVC_TRY(findings, Examination(session).run());
  return finish_call(session, findings);
}

}  // namespace svc::cli
