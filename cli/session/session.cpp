#include "session/session.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "audio/sound_file.h"
#include "base/counted.h"
#include "base/platform.h"
#include "base/text.h"
#include "base/wait.h"
#include "base/write_target.h"
#include "json/slices.h"
#include "print/json.h"
#include "print/width.h"
#include "request/media.h"
#include "session/key_check.h"
#include "session/question.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_max_stdin = 64ULL << 20U;

Format read_format(sv text) {
  if (text == "json") return Format::Json;
  if (text == "jsonl") return Format::Jsonl;
  if (text == "raw") return Format::Raw;
  return Format::Text;
}

sv setting_name(Host host) {
  switch (host) {
    case Host::Inference:
      return "base_url";
    case Host::Realtime:
      return "realtime_url";
    case Host::Management:
      return "management_url";
    case Host::Docs:
      return "docs_url";
    case Host::Local:
      break;
  }
  return {};
}

/// The team of the key of that kind; "" if there is no such key, no URL for it, or no team in the
/// response.
Result<std::string> team_of(Session& session, KeyKind kind) {
  if (!session.base_url(host_of(kind))) return std::string();
  SVC_TRY(found, find_optional_credential(kind, session.settings(), session.environment(),
                                          session.config(), session.cancel_token()));
  if (!found) return std::string();
  SVC_TRY(facts, try_key(session, kind, found->key));
  return std::move(facts.team_id);
}

}  // namespace

Session::Session(const Invocation& invocation, const CancelToken& cancel, print::Out& err,
                 print::Notices& notices, print::Progress& progress)
    : m_invocation(invocation),
      m_cancel(cancel),
      m_err(err),
      m_notices(notices),
      m_progress(progress),
      m_environment(Environment::of_process()),
      m_quota(std::make_unique<http::RetryQuota>()) {}

Result<void> Session::open_config(const OpenRules& rules) {
  const bool needed = rules.config == ConfigUse::Required;
  auto config = ConfigFile::load_default();
  if (!config && needed) return std::move(config).error();
  if (!config) {
    m_faults.push_back(std::move(config).error());
    m_config = ConfigFile::unread_default();
  } else {
    m_config = *std::move(config);
  }
  SVC_TRY(settings, resolve_settings(globals().settings, m_environment, m_config, rules.profile,
                                     needed ? nullptr : &m_faults));
  m_settings = std::move(settings);
  if (rules.config == ConfigUse::CommandReports) return {};
  warn_of_config(0);
  return {};
}

void Session::warn_of_config(std::size_t first_fault) {
  for (const std::string& warning : m_config.warnings()) m_notices.warning(warning);
  for (std::size_t i = first_fault; i < m_faults.size(); ++i) {
    m_notices.warning(m_faults[i].message);
  }
}

Result<void> Session::config_verdict() {
  warn_of_config(1);
  if (m_faults.empty()) return {};
  return m_faults.front();
}

Result<void> Session::open(const OpenRules& rules) {
  SVC_CHECK(open_config(rules));
  if (m_settings.screen_reader.value == "true") m_err.use_screen_reader();
  m_format = read_format(m_settings.format.value);
  if (globals().jq) {
    SVC_TRY(filter, print::JqFilter::compile(*globals().jq, &m_cancel));
    m_jq.emplace(std::move(filter));
    if (m_format == Format::Raw) return usage_error("--jq and --format raw cannot be combined");
    if (m_format == Format::Text) m_format = Format::Json;
  }
  const sv tells = m_settings.cost.value;
  m_cost_tracker = std::make_unique<CostTracker>(
      CostTracker::Owner{
          .profile = m_settings.profile.value,
          .emulated = m_settings.wants_emulator(),
          .command = command_name(*m_invocation.operation),
          .run_limit = ticks_of(m_settings.max_cost),
          .day_limit = ticks_of(m_settings.max_cost_per_day),
          .tells = tells == "always" || (tells != "never" && m_format == Format::Text &&
                                         (m_err.terminal().is_tty || globals().verbose)),
          .sends_nothing = globals().shows_only(),
          .spent = m_embedding ? m_embedding->spent : nullptr,
          .quote = [this](const Operation& operation,
                          const Payload& body) { return quote(operation, body); },
      },
      m_notices);
  return open_output(rules);
}

Result<void> Session::open_output(const OpenRules& rules) {
  const auto color = print::parse_color(globals().color).value_or(print::ColorChoice::Auto);
  if (m_embedding) {
    m_out = std::make_unique<print::Out>(m_embedding->result);
    return {};
  }
  const bool to_file = globals().has_output_path() && !rules.own_output;
  // What a dry run shows is not what the file is for.
  const bool only_checked = to_file && globals().shows_only();
  if (only_checked) SVC_CHECK(check_write_target(*globals().output, globals().replace()));
  if (!to_file || only_checked) {
    print::Terminal terminal = print::detect_terminal(STDOUT_FILENO, color);
    // Raw bytes are not split into lines.
    const bool bytes = m_format == Format::Raw || m_invocation.operation->reply == Reply::Bytes;
    if (bytes) terminal.line_chunk = 0;
    print::Sink sink = print::fd_sink(STDOUT_FILENO, "standard output", &m_cancel);
    if (terminal.is_tty) {
      sink = [this, sink = std::move(sink)](sv text) {
        m_progress.clear();  // it may be where the text goes
        return sink(text);
      };
    }
    m_out = std::make_unique<print::Out>(std::move(sink), terminal);
    if (m_settings.screen_reader.value == "true") m_out->use_screen_reader();
    return {};
  }
  SVC_TRY(file, AtomicFile::create(*globals().output, globals().replace(),
                                   m_invocation.operation->secret ? 0600 : 0666));
  m_file.emplace(std::move(file));
  m_out = std::make_unique<print::Out>([this](sv bytes) {
    return m_file ? m_file->write(bytes)
                  : Result<void>(Error{Fault::Unexpected, "the output is already closed"});
  });
  return {};
}

Result<void> Session::close(bool success) {
  if (!m_out) return {};
  if (m_out->terminal().is_tty) SVC_CHECK(m_out->write(m_visible.finish()));
  SVC_CHECK(m_out->finish());
  if (!m_file) return {};
  if (success) {
    const Result<void> committed = m_file->commit();
    m_file.reset();
    return committed;
  }
  const Result<std::string> saved = m_file->save_partial();
  if (saved && !saved->empty()) {
    m_notices.note(fmt::format("partial output saved in {}", visible(*saved, Lines::Escape)));
  }
  return {};
}

Result<void> Session::ensure_emulator() {
  if (!m_settings.wants_emulator() || m_emulator) return {};
  if (m_embedding) {
    SVC_TRY(address, m_embedding->emulator());
    fill_from_emulator(m_settings, address);
    return {};
  }
  SVC_TRY(emulator, EmulatorProcess::start(m_cancel));
  m_emulator = std::move(emulator);
  if (m_emulator->address().in_memory) {
    m_notices.note("no directory for the emulator's state is writable: it forgets what it stores");
  }
  fill_from_emulator(m_settings, m_emulator->address());
  return {};
}

Result<std::string> Session::base_url(Host host) const {
  const SettingRow* row = find_setting(setting_name(host));
  if (row == nullptr) return Error{Fault::Unexpected, "a local command has no URL"};
  const Setting& setting = m_settings.*row->member;
  if (!setting.is_set()) return missing_setting(*row);
  return setting.value;
}

Result<std::string> Session::key(Host host) {
  if (host == Host::Docs || host == Host::Local) return std::string();
  const KeyKind kind = host == Host::Management ? KeyKind::Management : KeyKind::Inference;
  SVC_TRY(credential, find_credential(kind, m_settings, m_environment, m_config, m_cancel));
  keep_secret(credential.key);
  return std::move(credential.key);
}

namespace {

/// What is charged for the recording in a form: {"seconds":61}; "{}" if its length is unknown.
std::string sound_quantity(const std::vector<Part>& parts) {
  std::map<sv, sv> texts;
  const FileSource* file = nullptr;
  for (const Part& part : parts) {
    if (const auto* text = std::get_if<std::string>(&part.content)) texts[part.name] = *text;
    if (const auto* source = std::get_if<FileSource>(&part.content)) file = source;
  }
  if (file == nullptr) return "{}";
  std::uint64_t frames = 0;
  std::uint64_t rate = 0;
  const sv format = texts["audio_format"];
  if (format == "pcm" || format == "mulaw" || format == "alaw") {
    const auto channels = parse_integer(texts["channels"]).value_or(1);
    rate = static_cast<std::uint64_t>(parse_integer(texts["sample_rate"]).value_or(0));
    frames = file->size / (format == "pcm" ? 2 : 1) /
             static_cast<std::uint64_t>(std::max<std::int64_t>(channels, 1));
  } else if (const auto reader = audio::open_sound_reader(file->path, {.rate = 0, .channels = 0});
             reader) {
    frames = (*reader)->frames();
    rate = static_cast<std::uint64_t>((*reader)->format().rate);
  }
  if (rate == 0 || frames == 0) return "{}";
  return fmt::format(R"({{"{}":{}}})", k_sound_seconds, (frames + rate - 1) / rate);
}

}  // namespace

Quote Session::quote(const Operation& operation, const Payload& body,
                     std::optional<std::int64_t> counted) {
  Prices own{};
  for (const PriceRow& row : price_rows()) {
    own[static_cast<std::size_t>(row.price)] = m_models.own_price(row.price);
  }
  const auto* text = std::get_if<std::string>(&body);
  std::string read;
  if (const auto* parts = std::get_if<std::vector<Part>>(&body); parts != nullptr) {
    const bool priced = own[static_cast<std::size_t>(Price::SoundSecond)].has_value();
    read = priced ? sound_quantity(*parts) : "{}";
    text = &read;
  } else if (text == nullptr) {
    if (auto whole = request::complete_body(body)) read = *std::move(whole);
    text = &read;
  }
  std::string model = json_string(json_member(*text, "model"));
  if (model.empty()) model = operation.default_model;
  const ModelFacts* facts = price_list_of(operation).empty()
                                ? nullptr
                                : m_models.find_kept(model_list_of(operation), model);
  return quote_of(operation, *text, facts, own, counted);
}

Result<std::unique_ptr<ApiClient>> Session::client(Host host, int patience,
                                                   const CancelToken* cancel, bool reserves) {
  SVC_CHECK(ensure_emulator());
  SVC_TRY(secret, key(host));
  CallPolicy policy{.timeouts = timeouts_of(m_settings),
                    .retries = m_settings.retries.origin == Origin::BuiltIn
                                   ? std::max(patience, retries_of(m_settings))
                                   : retries_of(m_settings),
                    .max_wait = max_wait_of(m_settings),
                    .key = std::move(secret),
                    .secrets = m_secrets,
                    .spending = reserves ? m_cost_tracker.get() : nullptr};
  const Operation& operation = *m_invocation.operation;
  const bool pays = may_cost(operation) || operation.host == Host::Local;
  if (host == Host::Inference && pays && m_cost_tracker->is_limited()) {
    m_models.load(model_list_of(operation));
  }
  return std::make_unique<ApiClient>(
      transport(), *m_quota, cancel != nullptr ? *cancel : m_cancel, std::move(policy),
      [this](const std::string& line) { m_notices.detail(line); },
      // Where nobody is shown progress, the request needs no ticks.
      m_embedding || m_err.terminal().is_tty || m_out->terminal().is_tty
          ? ApiClient::Tick([this] { tick(); })
          : ApiClient::Tick());
}

Session::OnTick::OnTick(Session& session, std::function<void()> work)
    : m_session(session), m_work(std::move(work)) {
  m_session.m_ticks.push_back(this);
}

Session::OnTick::~OnTick() {
  std::erase(m_session.m_ticks, this);
}

print::ListChoice Session::list_choice() const {
  print::ListChoice choice{
      .wide = globals().wide, .details = globals().verbose, .separator = globals().separator};
  const std::string names = globals().columns.value_or("");
  for (const sv name : split(names, ',')) {
    if (!trim(name).empty()) choice.columns.emplace_back(trim(name));
  }
  return choice;
}

void Session::tick() {
  for (std::size_t i = 0; i < m_ticks.size(); ++i) m_ticks[i]->m_work();
  m_progress.tick();
}

http::Transport& Session::transport() {
  if (!m_transport) {
    http::TransportOptions options{.user_agent = "svc/" SVC_VERSION};
    if (globals().verbose) {
      options.trace = [this](sv line) { m_notices.detail(line); };
    }
    m_transport = http::make_curl_transport(std::move(options));
  }
  return *m_transport;
}

Result<std::optional<std::string>> Session::read_stdin() {
  // Treat a closed standard input as no input.
  if (ignores_stdin() || ::isatty(STDIN_FILENO) == 1 || ::fcntl(STDIN_FILENO, F_GETFD) < 0) {
    return std::optional<std::string>();
  }
  std::string text;
  const bool shared = shares_stdin();
  SVC_CHECK(read_to_end(STDIN_FILENO, m_cancel, stdin_wait(), [&](sv bytes) -> Result<void> {
    text += bytes;
    if (text.size() <= k_max_stdin) return {};
    return usage_error(fmt::format("standard input is larger than {}", format_bytes(k_max_stdin)));
  }));
  if (shared && !text.empty()) {
    const auto lines = std::count(text.begin(), text.end(), '\n') + (text.ends_with('\n') ? 0 : 1);
    m_notices.warning(fmt::format(
        "standard input is shared with the calling program, such as a shell loop: the rest of "
        "it ({}) was added to the prompt; use --no-stdin to ignore it",
        counted(lines, "line", "lines")));
  }
  return std::optional<std::string>(std::move(text));
}

/// Whether another process also reads standard input: a file already partly read, or the pipe of
/// the shell that runs svc in a loop. False if the user requested standard input with "-".
bool Session::shares_stdin() const {
  const auto& given = m_invocation.inputs.given;
  const bool prompt = std::any_of(given.begin(), given.end(),
                                  [](const request::Given& one) { return one.field->positional; });
  const bool asked = m_invocation.inputs.body == "-" ||
                     std::any_of(given.begin(), given.end(),
                                 [](const request::Given& one) { return one.text == "-"; });
  struct stat own {};
  if (!prompt || asked || ::fstat(STDIN_FILENO, &own) != 0) return false;
  if (S_ISREG(own.st_mode)) return ::lseek(STDIN_FILENO, 0, SEEK_CUR) > 0;
  return shares_pipe_with_parent();
}

bool Session::has_stdin() const {
  struct stat status {};
  if (ignores_stdin() || ::fstat(STDIN_FILENO, &status) != 0) return false;
  if (S_ISREG(status.st_mode)) return ::lseek(STDIN_FILENO, 0, SEEK_CUR) < status.st_size;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
}

InputWait Session::stdin_wait() {
  return {
      .on_silence =
          [this] { m_notices.insist("waiting for standard input; use --no-stdin to ignore it"); },
      .limit = timeouts_of(m_settings).total};
}

Result<FileSource> Session::buffer_stdin(std::uint64_t most) {
  if (m_stdin_buffer) return m_stdin_buffer->source();
  if (::isatty(STDIN_FILENO) == 1) {
    return usage_error("standard input is a terminal; - needs a file or pipe",
                       "Send a file's content with `< FILE`, or the output of a command with `|`.");
  }
  SVC_TRY(buffer, StdinBuffer::read(STDIN_FILENO, most, m_cancel, stdin_wait()));
  m_stdin_buffer.emplace(std::move(buffer));
  return m_stdin_buffer->source();
}

bool Session::can_ask() const {
  return ::isatty(STDIN_FILENO) == 1 && m_err.terminal().is_tty;
}

Result<bool> Session::confirm(const std::string& question) {
  if (globals().yes) return true;
  if (!can_ask()) {
    return usage_error("cannot ask for confirmation without a terminal",
                       "Use --yes to skip the prompt.");
  }
  RawTerminal terminal(STDIN_FILENO);
  (void)terminal.enter();
  constexpr int k_answer = 4;  // plus the cursor
  const std::string text =
      print::fold(fmt::format("{} {}", question, yes_or_no(m_err.terminal())),
                  static_cast<std::size_t>(std::max(m_err.terminal().columns - k_answer, 16)));
  const Result<KeyChoice> answer = ask_question(*this, terminal, text, "yn", m_cancel);
  const bool yes = answer && answer->key == 'y';
  SVC_CHECK(say(!answer ? "\n" : yes ? "yes\n" : "no\n"));
  if (!answer) return answer.error();
  return yes;
}

Result<void> Session::say(std::string_view text) {
  SVC_CHECK(m_err.write(text));
  return m_err.flush();
}

void Session::notify_done(std::chrono::steady_clock::time_point begin, std::optional<bool> looks) {
  constexpr std::chrono::milliseconds k_usual{10'000};
  constexpr std::chrono::milliseconds k_short{2'000};
  const print::Terminal& terminal = m_err.terminal();
  if (!notifies() || !terminal.is_tty || terminal.dumb) return;
  const auto set = parse_duration(m_settings.notify.value);
  const auto took = std::chrono::steady_clock::now() - begin;
  const auto unseen = set ? std::min(*set, k_short) : k_short;
  if (looks.value_or(false) || took < (looks ? unseen : set.value_or(k_usual))) return;
  (void)say(print::call_user(m_environment, "svc: done"));
}

Result<void> Session::write_foreign(std::string_view bytes) {
  return m_out->terminal().is_tty ? m_out->write(m_visible.feed(bytes)) : m_out->write(bytes);
}

Result<void> Session::write_document(std::string_view json) {
  if (m_jq) return m_jq->run(json, *m_out);
  if (m_format == Format::Json) return print::print_json(*m_out, json);
  if (m_format == Format::Jsonl) return print::JsonLines(*m_out).print(json);
  return write_foreign(json);
}

Result<void> Session::write_line(std::string_view json) {
  const print::Terminal& terminal = m_out->terminal();
  if (m_jq || m_format != Format::Jsonl || terminal.is_tty || terminal.color) {
    return write_document(json);
  }
  SVC_CHECK(m_out->write(json));
  return m_out->write("\n");
}

Result<std::string> find_team(Session& session) {
  if (session.settings().team_id.is_set()) return session.settings().team_id.value;
  std::optional<Error> wrong;
  for (const KeyKind kind : {KeyKind::Management, KeyKind::Inference}) {
    Result<std::string> team = team_of(session, kind);
    if (!team && is_cancellation(team.error().fault)) return team;
    if (!team && !wrong) wrong = team.error();
    if (!team || team->empty()) continue;
    session.notices().detail(
        fmt::format("the {} belongs to team {}", key_title(kind), visible(*team, Lines::Escape)));
    session.use(&Settings::team_id,
                {*team, Origin::Lookup, fmt::format("the {}", key_title(kind))});
    return team;
  }
  Error unknown = missing_setting(*find_setting("team_id"));
  if (wrong) {
    wrong->message =
        fmt::format("{}; looking up the key's team failed: {}", unknown.message, wrong->message);
    if (wrong->fault != Fault::Auth) wrong->hint = unknown.hint;
    return *std::move(wrong);
  }
  return unknown;
}

}  // namespace svc::cli
