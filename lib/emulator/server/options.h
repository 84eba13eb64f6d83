// The command line of svc-emulator.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "emulator/control/answers.h"
#include "emulator/control/faults.h"

namespace svc::emulator {

struct Options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::optional<std::string> state{};  ///< a file or ":memory:"; unset: the default file
  bool tls = false;                    ///< also true if a certificate is given
  std::string certificate_file{};
  std::string key_file{};
  std::vector<FaultRule> faults{};
  std::vector<AnswerRule> answers{};
  std::optional<std::uint64_t> seed{};
  std::optional<std::int64_t> clock_s{};  ///< initial time of the clock, Unix seconds
  std::optional<std::chrono::milliseconds> video_time{};  ///< how long a video takes
  std::vector<std::pair<std::string, std::int64_t>> limits{};
  std::string control_token{};
  std::string record_url{};
  std::string record_file{};
  bool replay = false;
  bool strict = false;
  int announce_fd = -1;
  int parent_fd = -1;
  bool die_with_parent = false;
  bool quiet = false;
  bool help = false;
  bool version = false;
};

/// Parses the arguments after the program's name. Returns Usage, with the flag in the message.
[[nodiscard]] Result<Options> parse_options(std::span<const std::string_view> arguments);

/// Returns the text of --help.
[[nodiscard]] std::string options_help();

}  // namespace svc::emulator
