// The program svc-emulator: its command line, and what it does.
#pragma once

#include "emulator/control/control.h"

namespace svc::emulator {

struct Options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::optional<std::string> state{};  ///< a file or ":memory:"; unset: the default file
  bool tls = false;                    ///< also true if a certificate is given
  std::string certificate_file{}, key_file{};
  std::vector<FaultRule> faults{};
  std::vector<AnswerRule> answers{};
  std::optional<std::uint64_t> seed{};
  std::optional<std::int64_t> clock_s{};  ///< initial time of the clock, Unix seconds
  std::optional<std::chrono::milliseconds> video_time{};  ///< how long a video takes
  std::vector<std::pair<std::string, std::int64_t>> limits{};
  std::string control_token{}, record_url{}, record_file{};
  bool replay = false, strict = false;
  int announce_fd = -1;
  int parent_fd = -1;
  bool die_with_parent = false, quiet = false, help = false, version = false;
};

/// Parses the arguments after the program's name. Returns Usage, with the flag in the message.
[[nodiscard]] Result<Options> parse_options(std::span<const sv> arguments);

/// Returns the text of --help.
[[nodiscard]] std::string options_help();

/// Serves until a signal or the parent's exit. Call it before any other thread is started.
[[nodiscard]] Result<void> serve(const Options& options, sv version);

/// What a user, or the program that started the emulator, must know to use it.
struct Endpoint {
  std::string host;  ///< as given to --host
  std::uint16_t port = 0;
  bool tls = false;
  std::string ca_file{};  ///< the certificate to trust; empty: none was generated
};

/// Returns "http://127.0.0.1:8080"; `scheme` is "http" or "ws", to which TLS adds an s.
[[nodiscard]] std::string endpoint_url(const Endpoint& endpoint, sv scheme);

/// Returns one line of JSON with the URLs, the demo keys and the team.
[[nodiscard]] std::string announce_json(const Endpoint& endpoint, bool in_memory = false);

/// Returns lines that a shell can evaluate: all but the exports are comments.
[[nodiscard]] std::string announce_text(const Endpoint& endpoint, sv version, sv state);

/// Returns "Speech: flite speaks, pocketsphinx listens, …" or what is missing.
[[nodiscard]] std::string speech_parts();

}  // namespace svc::emulator
