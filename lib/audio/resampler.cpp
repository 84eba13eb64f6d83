#include "audio/resampler.h"

#include <speex/speex_resampler.h>

#include "audio/sound_library.h"
#include "base/platform.h"

namespace svc::audio {

// clang-format off
#define SVC_SPEEX_FUNCTIONS(F) \
  F(init, speex_resampler_init) \
  F(destroy, speex_resampler_destroy) \
  F(process, speex_resampler_process_interleaved_int) \
  F(latency, speex_resampler_get_input_latency) \
  F(skip_zeros, speex_resampler_skip_zeros) \
  F(reset, speex_resampler_reset_mem)
// clang-format on
SVC_LIBRARY(Speex, SVC_SPEEX_FUNCTIONS);

namespace {

constexpr int k_quality = 5;  // latency 1.7 ms; 0.5 to 2 ms of CPU time per second of audio

}  // namespace

struct Resampler::State {
  Speex speex{};
  SpeexResamplerState* handle = nullptr;  ///< null: the rates are equal
  std::size_t channels = 1;
  std::uint64_t from = 1;
  std::uint64_t to = 1;
  std::uint64_t taken = 0;  ///< frames since the start
  std::uint64_t given = 0;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (handle != nullptr) speex.destroy(handle);
  }
};

Resampler::Resampler(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Resampler::Resampler(Resampler&&) noexcept = default;
Resampler& Resampler::operator=(Resampler&&) noexcept = default;
Resampler::~Resampler() = default;

Result<Resampler> Resampler::create(int channels, int from, int to) {
  auto state = std::make_unique<State>();
  state->channels = static_cast<std::size_t>(channels);
  state->from = static_cast<std::uint64_t>(from);
  state->to = static_cast<std::uint64_t>(to);
  if (from != to) {
    SVC_TRY(library, load_library(library_name("speexdsp", 1), "audio resampling", "libspeexdsp1"));
    SVC_TRY(speex, Speex::find_in(library));
    state->speex = speex;
    int problem = 0;
    state->handle = speex.init(static_cast<spx_uint32_t>(channels), static_cast<spx_uint32_t>(from),
                               static_cast<spx_uint32_t>(to), k_quality, &problem);
    if (state->handle == nullptr) {
      return Error{Fault::Local, "cannot resample from " + std::to_string(from) + " Hz to " +
                                     std::to_string(to) + " Hz"};
    }
    speex.skip_zeros(state->handle);
  }
  return Resampler(std::move(state));
}

void Resampler::run(std::span<const Sample> in, std::vector<Sample>& out) {
  State& state = *m_state;
  const std::size_t channels = state.channels;
  std::size_t frames = in.size() / channels;
  const Sample* next = in.data();
  while (frames > 0) {
    const std::size_t room = static_cast<std::size_t>(frames * state.to / state.from) + 64;
    const std::size_t before = out.size();
    out.resize(before + room * channels);
    auto used = static_cast<spx_uint32_t>(frames);
    auto made = static_cast<spx_uint32_t>(room);
    state.speex.process(state.handle, next, &used, out.data() + before, &made);
    out.resize(before + made * channels);
    state.given += made;
    next += used * channels;
    frames -= used;
  }
}

void Resampler::process(std::span<const Sample> in, std::vector<Sample>& out) {
  State& state = *m_state;
  state.taken += in.size() / state.channels;
  if (state.handle == nullptr) {
    out.insert(out.end(), in.begin(), in.end());
  } else {
    run(in, out);
  }
}

void Resampler::flush(std::vector<Sample>& out) {
  State& state = *m_state;
  if (state.handle == nullptr) return;
  const std::uint64_t due = (state.taken * state.to + state.from / 2) / state.from;
  const auto latency = static_cast<std::size_t>(state.speex.latency(state.handle));
  const std::vector<Sample> silence((latency + 1) * state.channels);
  while (state.given < due) run(silence, out);
  out.resize(out.size() - static_cast<std::size_t>(state.given - due) * state.channels);
  reset();
}

void Resampler::reset() {
  State& state = *m_state;
  state.taken = state.given = 0;
  if (state.handle == nullptr) return;
  state.speex.reset(state.handle);
  state.speex.skip_zeros(state.handle);
}

}  // namespace svc::audio
