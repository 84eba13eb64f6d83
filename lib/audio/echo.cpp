#include "audio/echo.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <unistd.h>

#include "audio/echo_plugin.h"
#include "audio/library.h"

namespace svc::audio {
namespace {

constexpr const char* k_file = "svc-echo.so";

/// Beside the program (where it was built), or in the library folder that goes with it.
std::vector<std::string> plugin_places() {
  std::array<char, 4096> buffer{};
  const ssize_t length = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
  if (length <= 0 || static_cast<std::size_t>(length) >= buffer.size()) return {};
  const std::string program(buffer.data(), static_cast<std::size_t>(length));
  const std::string folder = program.substr(0, program.rfind('/'));
  return {folder + "/" + k_file, folder + "/" SVC_LIBRARY_FOLDER "/svc/" + k_file};
}

class Canceller final : public EchoFilter {
 public:
  Canceller(const svc_echo_functions& functions, void* state) noexcept
      : m_functions(functions), m_state(state) {}
  Canceller(const Canceller&) = delete;
  Canceller& operator=(const Canceller&) = delete;
  ~Canceller() override { m_functions.destroy(m_state); }

  void process(std::span<const Sample> played, std::span<Sample> heard) override {
    m_played.assign(played.begin(), played.end());
    m_heard.assign(heard.begin(), heard.end());
    for (float& value : m_played) value /= 32768.0F;
    for (float& value : m_heard) value /= 32768.0F;
    const int frames = static_cast<int>(heard.size());
    if (m_functions.process(m_state, m_played.data(), m_heard.data(), frames) != 0) return;
    std::ranges::transform(m_heard, heard.begin(), [](float value) {
      return static_cast<Sample>(std::clamp(std::lrintf(value * 32768.0F), -32768L, 32767L));
    });
  }

 private:
  const svc_echo_functions& m_functions;
  void* m_state;
  std::vector<float> m_played{};
  std::vector<float> m_heard{};
};

class Gate final : public EchoFilter {
 public:
  void process(std::span<const Sample> played, std::span<Sample> heard) override {
    const double loud = level_of(played).rms;
    m_played = std::max(loud, m_played * k_fall);
    if (m_played < k_silence) return;
    const bool speaks = level_of(heard).rms >= std::max(0.015, 0.6 * m_played + 0.002);
    m_open = speaks ? k_hold : std::max(0, m_open - 1);
    if (m_open == 0) std::ranges::fill(heard, Sample{0});
  }

 private:
  static constexpr double k_fall = 0.9;  // a step: a room is silent after a quarter of a second
  static constexpr double k_silence = 0.001;  // of the speaker
  static constexpr int k_hold = 20;           // steps: the pauses within a word

  double m_played = 0;
  int m_open = 0;
};

}  // namespace

Result<std::unique_ptr<EchoFilter>> make_echo_canceller(int rate, const std::string& plugin) {
  if (rate % 100 != 0) {
    return Error{Fault::Local, "no echo can be taken out at " + std::to_string(rate) + " Hz"};
  }
  std::vector<std::string> places = plugin_places();
  if (!plugin.empty()) places = {plugin};
  places.emplace_back(k_file);
  std::string place = places.back();
  for (const std::string& one : places) {
    if (one.find('/') == std::string::npos || ::access(one.c_str(), R_OK) != 0) continue;
    place = one;
    break;
  }
  SVC_TRY(library, load_library(place, "echo cancellation", SVC_ECHO_PACKAGE));
  decltype(&svc_echo_plugin) enter = nullptr;
  SVC_CHECK(library.find(enter, "svc_echo_plugin"));
  const svc_echo_functions* functions = enter();
  void* state = functions->version == k_svc_echo_version ? functions->create(rate) : nullptr;
  if (state == nullptr) {
    return Error{Fault::Local, "the echo canceller in " + place + " is of another version"};
  }
  return std::unique_ptr<EchoFilter>(std::make_unique<Canceller>(*functions, state));
}

std::unique_ptr<EchoFilter> make_echo_gate() {
  return std::make_unique<Gate>();
}

}  // namespace svc::audio
