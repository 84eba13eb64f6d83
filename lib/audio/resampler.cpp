#include "audio/resampler.h"

#include <speex/speex_resampler.h>

#include "audio/library.h"

namespace svc::audio {
namespace {

constexpr int k_quality = 5;  // 1.7 ms of latency, 0.5 to 2 ms of work for a second

}  // namespace

struct Resampler::State {
  struct Speex {
    decltype(&speex_resampler_init) init = nullptr;
    decltype(&speex_resampler_destroy) destroy = nullptr;
    decltype(&speex_resampler_process_interleaved_int) process = nullptr;
    decltype(&speex_resampler_get_input_latency) latency = nullptr;
    decltype(&speex_resampler_skip_zeros) skip_zeros = nullptr;
    decltype(&speex_resampler_reset_mem) reset = nullptr;
  };
  [[nodiscard]] static Result<Speex> load();

  Speex speex{};
  SpeexResamplerState* handle = nullptr;  ///< null: rates are equal
  std::size_t channels = 1;
  std::uint64_t from = 1;
  std::uint64_t to = 1;
  std::uint64_t taken = 0;  ///< frames, since the beginning
  std::uint64_t given = 0;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (handle != nullptr) speex.destroy(handle);
  }
};

Result<Resampler::State::Speex> Resampler::State::load() {
  SVC_TRY(library, load_library("libspeexdsp.so.1", "changing the rate of sound", "libspeexdsp1"));
  Speex table;
  SVC_CHECK(library.find(table.init, "speex_resampler_init"));
  SVC_CHECK(library.find(table.destroy, "speex_resampler_destroy"));
  SVC_CHECK(library.find(table.process, "speex_resampler_process_interleaved_int"));
  SVC_CHECK(library.find(table.latency, "speex_resampler_get_input_latency"));
  SVC_CHECK(library.find(table.skip_zeros, "speex_resampler_skip_zeros"));
  SVC_CHECK(library.find(table.reset, "speex_resampler_reset_mem"));
  return table;
}

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
    SVC_TRY(speex, State::load());
    state->speex = speex;
    int problem = 0;
    state->handle = speex.init(static_cast<spx_uint32_t>(channels), static_cast<spx_uint32_t>(from),
                               static_cast<spx_uint32_t>(to), k_quality, &problem);
    if (state->handle == nullptr) {
      return Error{Fault::Local, "sound of " + std::to_string(from) + " Hz cannot become " +
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
