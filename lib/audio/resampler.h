// Audio resampling (speexdsp, quality 5).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "audio/format.h"
#include "base/result.h"

namespace svc::audio {

/// The output is aligned with the input: the filter's latency is skipped at the start and added by
/// flush(). With equal rates it copies and needs no library.
class Resampler {
 public:
  /// Fails with Fault::Local if the library is missing.
  [[nodiscard]] static Result<Resampler> create(int channels, int from, int to);
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;
  ~Resampler();

  /// Resamples `in` (whole frames) and appends the output to `out`.
  void process(std::span<const Sample> in, std::vector<Sample>& out);

  /// Appends the rest, so that output and input have the same duration to the frame, and resets.
  void flush(std::vector<Sample>& out);

  /// Discards the input so far.
  void reset();

 private:
  struct State;
  explicit Resampler(std::unique_ptr<State> state);
  void run(std::span<const Sample> in, std::vector<Sample>& out);

  std::unique_ptr<State> m_state;
};

}  // namespace svc::audio
