// Another rate for the same sound (speexdsp, quality 5).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "audio/format.h"
#include "base/result.h"

namespace svc::audio {

/// What comes out is aligned with what goes in: the filter's latency is skipped at the beginning
/// and added by flush(). Between equal rates it copies, and needs no library.
class Resampler {
 public:
  /// Local when the library is missing.
  [[nodiscard]] static Result<Resampler> create(int channels, int from, int to);
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;
  ~Resampler();

  /// Appends to `out` what follows from `in` (whole frames).
  void process(std::span<const Sample> in, std::vector<Sample>& out);

  /// Appends the rest, so that as long as went in has come out, to the frame. Begins anew.
  void flush(std::vector<Sample>& out);

  /// Forgets what went in.
  void reset();

 private:
  struct State;
  explicit Resampler(std::unique_ptr<State> state);
  void run(std::span<const Sample> in, std::vector<Sample>& out);

  std::unique_ptr<State> m_state;
};

}  // namespace svc::audio
