// The context of a command: streams, settings, keys and access to the service.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/cancel_token.h"
#include "base/result.h"
#include "base/visible.h"
#include "client/api_client.h"
#include "client/config_file.h"
#include "client/credentials.h"
#include "client/settings.h"
#include "command_line/parse_args.h"
#include "http/transport.h"
#include "print/jq.h"
#include "print/notice.h"
#include "print/progress.h"
#include "print/streams.h"
#include "print/table.h"
#include "request/flags.h"
#include "request/plan.h"
#include "session/cost_tracker.h"
#include "session/emulator_process.h"
#include "session/model_lists.h"
#include "terminal/stdin_buffer.h"

namespace svc::cli {

enum class Format : std::uint8_t { Text, Json, Jsonl, Raw };

/// What open() needs to know about a command.
struct OpenRules {
  ConfigUse config = ConfigUse::Required;
  NewProfile profile = NewProfile::Refuse;
  bool own_output = false;  ///< the command writes the --output file itself
};

/// A run inside another run, which receives its result and shares its budget and emulator.
struct Embedding {
  print::Sink result{};
  std::shared_ptr<SharedSpending> spent{};
  std::function<Result<EmulatorAddress>()> emulator{};
};

/// One run of svc. Owns everything; commands take it by reference.
class Session {
 public:
  /// Calls `work` at each tick for the lifetime of this object.
  class OnTick {
   public:
    OnTick(Session& session, std::function<void()> work);
    OnTick(const OnTick&) = delete;
    OnTick& operator=(const OnTick&) = delete;
    ~OnTick();

   private:
    friend class Session;
    Session& m_session;
    std::function<void()> m_work;
  };

  /// `cancel` must outlive the session. Settings are not resolved yet: see open().
  Session(const Invocation& invocation, const CancelToken& cancel, print::Out& err,
          print::Notices& notices, print::Progress& progress);

  /// Call before open().
  void embed(Embedding embedding) { m_embedding = std::move(embedding); }

  /// The emulator started by ensure_emulator().
  [[nodiscard]] const EmulatorAddress& emulator() const { return m_emulator->address(); }

  /// Reads the configuration, resolves the settings, checks --jq and opens --output. Fails with
  /// Fault::Usage or Fault::Local.
  [[nodiscard]] Result<void> open(const OpenRules& rules);

  /// Flushes the result and moves an --output file to its path; without success, the partial
  /// content is saved next to it.
  [[nodiscard]] Result<void> close(bool success);

  /// Writes the result to the --output file after all, for a command that usually writes the file
  /// itself (OpenRules::own_output). Call before the first result. Fails like open().
  [[nodiscard]] Result<void> write_to_output_file() { return open_output({}); }

  /// Starts the emulator if the profile uses it. Call before the first request.
  [[nodiscard]] Result<void> ensure_emulator();

  /// The URL of the operation's host. If it is not set, the error explains how to set it.
  [[nodiscard]] Result<std::string> base_url(Host host) const;

  /// The key for the host, or "" if the host needs none.
  [[nodiscard]] Result<std::string> key(Host host);

  /// A client for that host, with its key. `patience` is the number of retries for unattended work,
  /// if it exceeds the default; a number set by the user takes precedence. `cancel` replaces the
  /// session's token and must outlive the client. Unless it `reserves`, its caller keeps the
  /// limits.
  [[nodiscard]] Result<std::unique_ptr<ApiClient>> client(Host host, int patience = 0,
                                                          const CancelToken* cancel = nullptr,
                                                          bool reserves = true);

  /// All of standard input; nothing if it is a terminal, closed or to be ignored. After two seconds
  /// without input, a notice is printed.
  [[nodiscard]] Result<std::optional<std::string>> read_stdin();

  /// --no-stdin or SVC_NO_STDIN.
  [[nodiscard]] bool ignores_stdin() const {
    return globals().no_stdin || m_environment("SVC_NO_STDIN") == "1";
  }

  /// Whether standard input may have data: a pipe, or a file not at its end.
  [[nodiscard]] bool has_stdin() const;

  /// Copies standard input to a temporary file, which exists as long as the session.
  [[nodiscard]] Result<FileSource> buffer_stdin(std::uint64_t most = 2'000'000'000);

  /// The path of that file; "" if there is none.
  [[nodiscard]] std::string stdin_copy() const {
    return m_stdin_buffer ? m_stdin_buffer->source().path : std::string();
  }

  /// With --dry-run or --curl: what has to be looked up before the command's first request.
  void plan_lookup(request::Lookup lookup) { m_lookups.push_back(std::move(lookup)); }
  [[nodiscard]] const std::vector<request::Lookup>& planned_lookups() const { return m_lookups; }

  /// Whether a question can be asked: standard input and standard error are a terminal.
  [[nodiscard]] bool can_ask() const;
  /// Asks a yes/no question on the terminal; --yes answers it. Fails with Fault::Usage without a
  /// terminal or --yes.
  [[nodiscard]] Result<bool> confirm(const std::string& question);

  /// Writes trusted text to standard error at once: a question, or its answer.
  [[nodiscard]] Result<void> say(std::string_view text);

  [[nodiscard]] bool notifies() const { return m_settings.notify.value != "false"; }
  /// With the setting `notify`: makes the terminal call the user, because work that began at
  /// `begin` is done. `looks`: whether the user looks at the terminal; unknown, only after long
  /// work.
  void notify_done(std::chrono::steady_clock::time_point begin, std::optional<bool> looks = {});

  /// Writes untrusted bytes: unchanged, or with control characters escaped on a terminal, even if
  /// they are split between calls. Does not flush.
  [[nodiscard]] Result<void> write_foreign(std::string_view bytes);

  /// Writes a JSON document in the output format: --jq, json, jsonl, raw. Not for Format::Text.
  [[nodiscard]] Result<void> write_document(std::string_view json);

  /// As write_document(), for a document that is already one line of valid UTF-8: --format jsonl
  /// writes it unchanged if possible.
  [[nodiscard]] Result<void> write_line(std::string_view json);

  [[nodiscard]] http::Transport& transport();

  [[nodiscard]] const Invocation& invocation() const noexcept { return m_invocation; }
  [[nodiscard]] const request::Inputs& inputs() const noexcept { return m_invocation.inputs; }
  [[nodiscard]] const Globals& globals() const noexcept { return m_invocation.globals; }
  [[nodiscard]] const Environment& environment() const noexcept { return m_environment; }
  [[nodiscard]] const ConfigFile& config() const noexcept { return m_config; }
  /// The errors in the configuration file and environment, for commands that examine them; the
  /// valid parts are in config() and settings().
  [[nodiscard]] const std::vector<Error>& config_faults() const noexcept { return m_faults; }
  /// Prints the file's warnings and all errors but the first as warnings, and returns the first
  /// error.
  [[nodiscard]] Result<void> config_verdict();
  [[nodiscard]] const Settings& settings() const noexcept { return m_settings; }
  /// Masks `secret` in all later output of errors and -v.
  void keep_secret(const std::string& secret) {
    m_secrets.push_back(secret);
    m_notices.keep_secret(secret);
  }

  /// Records the cost of an answer: prints it, writes it to the ledger, and counts it against the
  /// limits. Call once per answer, for any operation.
  void record_cost(const CostEntry& entry) { m_cost_tracker->record(entry); }
  [[nodiscard]] CostTracker& cost_tracker() noexcept { return *m_cost_tracker; }
  /// What a request costs, by the prices on this machine. `counted`: as in quote_of().
  [[nodiscard]] Quote quote(const Operation& operation, const Payload& body,
                            std::optional<std::int64_t> counted = {});
  /// What the service publishes about its models.
  [[nodiscard]] ModelLists& models() noexcept { return m_models; }

  /// Changes a setting for the rest of the run: a URL that the user typed, the model of a continued
  /// conversation, the team of a key.
  void use(Setting Settings::*setting, Setting value) { m_settings.*setting = std::move(value); }
  [[nodiscard]] const CancelToken& cancel_token() const noexcept { return m_cancel; }
  [[nodiscard]] Format format() const noexcept { return m_format; }
  [[nodiscard]] print::Out& out() noexcept { return *m_out; }
  /// Whether open() has succeeded, so that there is an output.
  [[nodiscard]] bool is_open() const noexcept { return m_out != nullptr; }
  [[nodiscard]] print::Out& err() noexcept { return m_err; }
  [[nodiscard]] print::Notices& notices() noexcept { return m_notices; }
  [[nodiscard]] print::Progress& progress() noexcept { return m_progress; }

  /// The list options set by --columns and --wide.
  [[nodiscard]] print::ListChoice list_choice() const;

  /// Call regularly while waiting: draws progress and runs the OnTick functions.
  void tick();
  [[nodiscard]] std::vector<std::string> secrets() const { return m_secrets; }

 private:
  [[nodiscard]] InputWait stdin_wait();
  [[nodiscard]] bool shares_stdin() const;
  [[nodiscard]] Result<void> open_config(const OpenRules& rules);
  void warn_of_config(std::size_t first_fault);
  [[nodiscard]] Result<void> open_output(const OpenRules& rules);

  const Invocation& m_invocation;
  const CancelToken& m_cancel;
  print::Out& m_err;
  print::Notices& m_notices;
  print::Progress& m_progress;
  Environment m_environment{};
  ConfigFile m_config{};
  std::vector<Error> m_faults{};
  Settings m_settings{};
  Format m_format = Format::Text;
  std::optional<print::JqFilter> m_jq{};
  std::optional<AtomicFile> m_file{};
  VisibleStream m_visible{};
  std::unique_ptr<print::Out> m_out{};
  std::unique_ptr<http::Transport> m_transport{};
  std::unique_ptr<http::RetryQuota> m_quota{};
  std::unique_ptr<EmulatorProcess> m_emulator{};
  std::optional<Embedding> m_embedding{};
  std::optional<StdinBuffer> m_stdin_buffer{};
  std::unique_ptr<CostTracker> m_cost_tracker{};
  ModelLists m_models{*this};
  std::vector<std::string> m_secrets{};
  std::vector<OnTick*> m_ticks{};
  std::vector<request::Lookup> m_lookups{};
};

// The team for management operations.

/// The configured team, or else the team of the management key or of the API key, which is queried
/// once per run. Fails with Fault::Usage if there is none.
[[nodiscard]] Result<std::string> find_team(Session& session);

}  // namespace svc::cli
