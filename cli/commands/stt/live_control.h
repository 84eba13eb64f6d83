// What scripts tell `stt live` while it runs: lines of JSON on a descriptor, or SIGUSR1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "terminal/signals.h"

namespace svc::cli {

/// What is asked for: the end of an utterance, of one channel or of all, or of the input.
struct SttCommand {
  enum class Kind : std::uint8_t { Finalize, End };
  Kind kind = Kind::Finalize;
  std::optional<int> channel{};
};

/// `{"type":"finalize"}`, with `"channel":1` where there are several, or `{"type":"audio.done"}`:
/// what the service itself takes. Usage with what is wrong.
[[nodiscard]] Result<SttCommand> read_stt_command(const std::string& line, int channels);

class SttControl {
 public:
  /// `fd` is a descriptor that this process was given, or -1. Usage when it cannot be read.
  [[nodiscard]] static Result<void> check(int fd);
  explicit SttControl(int fd);

  /// To wait for.
  [[nodiscard]] std::vector<int> descriptors() const { return {m_fd, m_signal.descriptor()}; }
  /// What came since, in order; never waits.
  [[nodiscard]] std::vector<Result<SttCommand>> read(int channels);

 private:
  void read_lines(int channels, std::vector<Result<SttCommand>>& commands);

  int m_fd;
  std::string m_rest{};  ///< of a line that is not whole
  SignalWatch m_signal;
};

}  // namespace svc::cli
