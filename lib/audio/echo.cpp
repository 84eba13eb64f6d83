#include "audio/echo.h"

#include <algorithm>
#include <cmath>

#include <unistd.h>

#include "audio/echo_plugin.h"
#include "audio/sound_library.h"
#include "base/platform.h"

namespace svc::audio {

namespace {

constexpr const char* k_file = "svc-echo.so";

/// Next to the program (in a build directory), or in the corresponding library directory.
std::vector<std::string> plugin_paths() {
  const std::string directory = own_path().parent_path();
  if (directory.empty()) return {};
  return {directory + "/" + k_file, directory + "/" SVC_LIBRARY_DIRECTORY "/svc/" + k_file};
}

class Canceller final : public EchoFilter {
 public:
  Canceller(const svc_echo_functions& functions, void* state) noexcept
      : m_functions(functions), m_state(state) {}
  Canceller(const Canceller&) = delete;
  Canceller& operator=(const Canceller&) = delete;
  ~Canceller() override { m_functions.destroy(m_state); }

  [[nodiscard]] bool finds_lag() const override { return m_functions.finds_lag != 0; }

  void process(std::span<const Sample> played, std::span<Sample> captured) override {
    m_played.assign(played.begin(), played.end());
    m_captured.assign(captured.begin(), captured.end());
    for (float& value : m_played) value /= 32768.0F;
    for (float& value : m_captured) value /= 32768.0F;
    const int frames = static_cast<int>(captured.size());
    if (m_functions.process(m_state, m_played.data(), m_captured.data(), frames) != 0) return;
    std::ranges::transform(m_captured, captured.begin(), sample_of);
  }

 private:
  const svc_echo_functions& m_functions;
  void* m_state;
  std::vector<float> m_played{};
  std::vector<float> m_captured{};
};

/// Why there is no plug-in; `missing` names the package to install.
Error without_plugin([[maybe_unused]] const char* what, Error missing) {
#ifdef SVC_PORTABLE
  missing.message = std::string(what) + " is not part of the portable archive of svc";
  missing.hint = "Build svc from its sources to have it; everything else works without it.";
#endif
  return missing;
}

/// What the plug-in makes of `options`; `what` is its name in messages.
Result<std::unique_ptr<EchoFilter>> make_filter(const char* what, const svc_echo_options& options,
                                                const std::string& plugin) {
  if (options.rate % 100 != 0) {
    return Error{Fault::Local, std::string(what) + " is not available at " +
                                   std::to_string(options.rate) + " Hz"};
  }
  std::vector<std::string> paths = plugin_paths();
  if (!plugin.empty()) paths = {plugin};
  const auto found = std::ranges::find_if(
      paths, [](const std::string& one) { return ::access(one.c_str(), R_OK) == 0; });
  const std::string path = found != paths.end() ? *found : k_file;
  auto library = load_library(path, what, SVC_ECHO_PACKAGE);
  if (!library) return without_plugin(what, library.error());
  decltype(&svc_echo_plugin) enter = nullptr;
  SVC_CHECK(library->find(enter, "svc_echo_plugin"));
  const svc_echo_functions* functions = enter();
  void* state = functions->version == k_svc_echo_version ? functions->create(&options) : nullptr;
  if (state == nullptr) {
    return Error{Fault::Local, "the audio filter in " + path + " has the wrong version"};
  }
  return std::unique_ptr<EchoFilter>(std::make_unique<Canceller>(*functions, state));
}

class Gate final : public EchoFilter {
 public:
  void process(std::span<const Sample> played, std::span<Sample> captured) override {
    const double loud = level_of(captured).rms;
    m_path.add(level_of(played).rms, loud);
    const bool silent = m_path.loudest() < EchoPath::k_silence;
    const double most = k_above * m_path.coupling() * m_path.loudest();
    const bool speaks = m_path.known() && loud >= std::max(0.015, most + 0.002);
    m_open = speaks ? k_hold : std::max(0, m_open - 1);
    if (!silent && m_open == 0) std::ranges::fill(captured, Sample{0});
  }

 private:
  static constexpr double k_above = 1.5;  // louder than the echo: a voice
  static constexpr int k_hold = 50;       // steps until the played audio has faded

  EchoPath m_path{};
  int m_open = 0;
};

}  // namespace

Result<std::unique_ptr<EchoFilter>> make_echo_canceller(int rate, Suppression suppression,
                                                        const std::string& plugin) {
  return make_filter("echo cancellation",
                     {.rate = rate,
                      .cancel = 1,
                      .strong = suppression == Suppression::High ? 1 : 0,
                      .noise = 0,
                      .gain = 0},
                     plugin);
}

Result<std::unique_ptr<EchoFilter>> make_enhancer(int rate, Enhancement enhancement,
                                                  const std::string& plugin) {
  const bool noise = enhancement.noise != Enhancement::Noise::Keep;
  return make_filter(noise ? "noise suppression" : "gain control",
                     {.rate = rate,
                      .cancel = 0,
                      .strong = 0,
                      .noise = static_cast<int>(enhancement.noise),
                      .gain = enhancement.gain ? 1 : 0},
                     plugin);
}

void EchoPath::add(double played, double captured) {
  constexpr double k_follow = 0.01;    // per step: a memory of about one second
  constexpr double k_forget = 0.9995;  // per step: a loud moment has an effect for some seconds
  constexpr double k_rise = 1.002;     // per step
  constexpr double k_voice = 1.5;      // times louder than the echo: a voice
  m_played[m_next] = played;
  m_loudest = *std::ranges::max_element(m_played);
  if (m_loudest >= k_silence) {
    m_mean_played += k_follow * (played - m_mean_played);
    m_mean_captured += k_follow * (captured - m_mean_captured);
    const double above = captured - m_mean_captured;
    for (std::size_t lag = 0; lag < k_lags; ++lag) {
      const double then = m_played[(m_next + k_lags - lag) % k_lags] - m_mean_played;
      m_shared[lag] += k_follow * (then * above - m_shared[lag]);
    }
    const double share = captured / m_loudest;
    // A raised speaker volume is learnt too, but slowly.
    const bool voice = known() && share >= k_voice * m_coupling;
    m_coupling = voice ? m_coupling * k_rise : std::max(m_coupling * k_forget, share);
    m_steps = std::min(m_steps + 1, k_enough);
  }
  m_next = (m_next + 1) % k_lags;
}

Milliseconds EchoPath::delay() const {
  constexpr Milliseconds k_default_delay{200};
  const auto best = std::ranges::max_element(m_shared);
  return known() && *best > 0 ? 10 * Milliseconds(best - m_shared.begin()) : k_default_delay;
}

std::unique_ptr<EchoFilter> make_echo_gate() {
  return std::make_unique<Gate>();
}

}  // namespace svc::audio
