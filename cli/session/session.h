// What a command works with: streams, settings, keys, the way to the service.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/files.h"
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
#include "session/cost_tracker.h"
#include "session/emulator_process.h"
#include "terminal/stdin_buffer.h"

namespace svc::cli {

enum class Format : std::uint8_t { Text, Json, Jsonl, Raw };

/// What a command does about a configuration that is wrong.
enum class ConfigUse : std::uint8_t {
  Needed,    ///< it cannot work: open() fails
  Optional,  ///< open() warns, and the command works without
  Examined   ///< the command tells itself: see Session::config_faults()
};

/// What open() must know about a command.
struct OpenRules {
  ConfigUse config = ConfigUse::Needed;
  NewProfile profile = NewProfile::Refuse;
  bool own_output = false;  ///< the command itself writes the file of --output
};

/// A run inside another one, which gets its result and shares a budget and the emulator with it.
struct Embedding {
  print::Sink result{};
  std::shared_ptr<std::atomic<std::int64_t>> spent{};
  std::function<Result<EmulatorAddress>()> emulator{};
};

/// One run of the program. Owns everything; commands take it by reference.
class Session {
 public:
  /// Has `work` done at each tick, as long as it lives.
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

  /// `stop` must outlive the session. The settings are not resolved yet: see open().
  Session(const Invocation& invocation, const CancelToken& cancel, print::Out& err,
          print::Notices& notices, print::Progress& progress);

  /// Before open().
  void embed(Embedding embedding) { m_embedding = std::move(embedding); }

  /// The emulator that ensure_emulator() has started.
  [[nodiscard]] const EmulatorAddress& emulator() const { return m_emulator->address(); }

  /// Reads the configuration, resolves the settings, checks --jq and opens --output. Usage or
  /// Local.
  [[nodiscard]] Result<void> open(const OpenRules& rules);

  /// Flushes the result and puts an --output file in its place; without success the file's partial
  /// content is kept beside it.
  [[nodiscard]] Result<void> close(bool success);

  /// For a command that writes the file of --output itself (OpenRules::own_output), where it does
  /// not: the result goes there after all. Before the first result. Local as open().
  [[nodiscard]] Result<void> write_to_output_file() { return open_output({}); }

  /// Starts the emulator when the profile asks for it. Called before the first request.
  [[nodiscard]] Result<void> ensure_emulator();

  /// The address of the operation's host; says how to set it when nobody did.
  [[nodiscard]] Result<std::string> base_url(Host host) const;

  /// The key of the host, "" for one that takes none.
  [[nodiscard]] Result<std::string> key(Host host);

  /// A caller for that host, with its key. Unattended work asks for more patience than the built-in
  /// number of retries; a number that the user set holds. `stop` ends its calls instead of the
  /// program's own; it must outlive the caller.
  [[nodiscard]] Result<std::unique_ptr<ApiClient>> client(Host host, int patience = 0,
                                                          const CancelToken* cancel = nullptr);

  /// All of standard input; nothing when it is a terminal, closed, or to be ignored. After two
  /// seconds without a byte it says what it waits for.
  [[nodiscard]] Result<std::optional<std::string>> read_stdin();

  /// Whether there may be something to read there: a pipe, or a file that is not at its end.
  [[nodiscard]] bool has_stdin() const;

  /// All of standard input in a file, which lives as long as the session.
  [[nodiscard]] Result<FileSource> buffer_stdin(std::uint64_t most = 2'000'000'000);

  /// Asks a yes/no question on the terminal; --yes answers it. Usage off a terminal without --yes.
  [[nodiscard]] Result<bool> confirm(const std::string& question);

  /// Writes bytes that came from outside: as they are, or made visible on a terminal, however they
  /// are cut. Does not flush.
  [[nodiscard]] Result<void> write_foreign(std::string_view bytes);

  /// Writes a JSON document as the format says: --jq, json, jsonl, raw. Not for Format::Text.
  [[nodiscard]] Result<void> write_document(std::string_view json);

  /// The same for a document that is one line of well-formed UTF-8 already: --format jsonl takes it
  /// as it is, where nothing has to be done about it.
  [[nodiscard]] Result<void> write_line(std::string_view json);

  [[nodiscard]] http::Transport& transport();

  [[nodiscard]] const Invocation& invocation() const noexcept { return m_invocation; }
  [[nodiscard]] const Globals& globals() const noexcept { return m_invocation.globals; }
  [[nodiscard]] const Environment& environment() const noexcept { return m_environment; }
  [[nodiscard]] const ConfigFile& config() const noexcept { return m_config; }
  /// What is wrong with file and environment, for commands that examine it; what is right about
  /// them is in config() and settings().
  [[nodiscard]] const std::vector<Error>& config_faults() const noexcept { return m_faults; }
  /// The first of them, after the file's warnings and the other faults are told as warnings.
  [[nodiscard]] Result<void> config_verdict();
  [[nodiscard]] const Settings& settings() const noexcept { return m_settings; }
  /// From now on it is masked in everything that -v and errors tell.
  void keep_secret(std::string secret) { m_secrets.push_back(std::move(secret)); }

  /// Books what an answer cost: told, written into the ledger, held against the limits. Once for
  /// every answer, whatever the operation.
  void record_cost(const CostEntry& entry) { m_cost_tracker->record(entry); }
  [[nodiscard]] CostTracker& cost_tracker() noexcept { return *m_cost_tracker; }

  /// The model of what this run continues with; a flag still wins.
  void use_model(std::string model, std::string source) {
    m_settings.model = {std::move(model), std::move(source)};
  }

  /// A URL that the user typed, for the rest of the run.
  void use_url(const SettingRow& row, std::string url, std::string source) {
    m_settings.*row.member = {std::move(url), std::move(source)};
  }

  /// The team that a key turned out to belong to.
  void set_team(std::string id, std::string source) {
    m_settings.team_id = {std::move(id), std::move(source)};
  }
  [[nodiscard]] const CancelToken& cancel_token() const noexcept { return m_cancel; }
  [[nodiscard]] Format format() const noexcept { return m_format; }
  [[nodiscard]] print::Out& out() noexcept { return *m_out; }
  [[nodiscard]] print::Out& err() noexcept { return m_err; }
  [[nodiscard]] print::Notices& notices() noexcept { return m_notices; }
  [[nodiscard]] print::Progress& progress() noexcept { return m_progress; }

  /// What --columns and --wide say about a list.
  [[nodiscard]] print::ListChoice list_choice() const;

  /// Time went by while something is waited for: draws progress, and lets others do their part.
  void tick();
  [[nodiscard]] std::vector<std::string> secrets() const { return m_secrets; }

 private:
  [[nodiscard]] InputWait stdin_wait();
  [[nodiscard]] bool shares_stdin() const;
  [[nodiscard]] Result<void> open_config(const OpenRules& rules);
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
  std::optional<EmulatorProcess> m_emulator{};
  std::optional<Embedding> m_embedding{};
  std::optional<StdinBuffer> m_stdin_buffer{};
  std::unique_ptr<CostTracker> m_cost_tracker{};
  std::vector<std::string> m_secrets{};
  std::vector<OnTick*> m_ticks{};
};

// The team that management operations act on.

/// The configured team; else the one that the management key, or else the API key, belongs to,
/// which is asked once and then holds for this run. Usage when neither tells.
[[nodiscard]] Result<std::string> find_team(Session& session);

}  // namespace svc::cli
