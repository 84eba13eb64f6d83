// The command line of svc-emulator.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/control/answers.h"
#include "emulator/control/faults.h"

namespace svc::emulator {

struct Options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::optional<std::string> state{};  ///< a file or ":memory:"; unset: the usual file
  bool tls = false;                    ///< also true when a certificate is given
  std::string certificate_file{};
  std::string key_file{};
  std::vector<FaultRule> faults{};
  std::vector<AnswerRule> answers{};
  std::optional<std::uint64_t> seed{};
  std::optional<std::int64_t> clock_s{};  ///< what the clock shows at the start, Unix seconds
  std::optional<std::chrono::milliseconds> video_time{};  ///< how long a video takes
  int announce_fd = -1;
  int parent_fd = -1;
  bool die_with_parent = false;
  bool quiet = false;
  bool help = false;
  bool version = false;
};

/// Reads the arguments after the program's name. Usage, with a sentence that names the flag.
[[nodiscard]] Result<Options> parse_options(std::span<const std::string_view> arguments);

/// The text of --help.
[[nodiscard]] std::string options_help();

}  // namespace svc::emulator
