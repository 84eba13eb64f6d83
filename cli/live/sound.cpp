#include "live/sound.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "audio/microphone_speaker.h"
#include "base/atomic_file.h"
#include "base/files.h"
#include "base/wait.h"
#include "catalogue/voice_fields.h"
#include "json/document.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

using SoundFlags = Flags<catalogue::k_conversation_sound_fields>;

constexpr auto k_player_slice = std::chrono::milliseconds(30);

OrderedJson device_json(const audio::Device& device) {
  const char* usual = device.default_input && device.default_output ? "in, out"
                      : device.default_input                        ? "in"
                      : device.default_output                       ? "out"
                                                                    : "";
  return {{"index", device.index},
          {"name", device.name},
          {"system", device.host},
          {"input_channels", device.input_channels},
          {"output_channels", device.output_channels},
          {"sample_rate", device.rate},
          {"default", usual}};
}

}  // namespace

Result<std::unique_ptr<SpeechPlayer>> SpeechPlayer::open(Session& session,
                                                         const audio::Format& format,
                                                         const std::string& otherwise) {
  auto sink = audio::open_speaker(output_device(session),
                                  {.format = format, .cancel = &session.cancel_token()});
  if (!sink) {
    Error error = std::move(sink).error();
    if (!otherwise.empty()) add_hint(error, otherwise);
    return error;
  }
  return std::unique_ptr<SpeechPlayer>(new SpeechPlayer(session, *std::move(sink)));
}

SpeechPlayer::SpeechPlayer(Session& session, std::unique_ptr<audio::Sink> sink)
    : m_session(session), m_sink(std::move(sink)), m_keys(session.err().terminal().is_tty) {}

void SpeechPlayer::feed(std::span<const audio::Sample> samples) {
  if (m_stopped) return;
  if (m_begin == m_waiting.size()) {
    m_waiting.clear();
    m_begin = 0;
  }
  m_waiting.insert(m_waiting.end(), samples.begin(), samples.end());
}

Result<void> SpeechPlayer::hand_over() {
  while (m_begin < m_waiting.size()) {
    SVC_TRY(taken, m_sink->write(std::span(m_waiting).subspan(m_begin)));
    if (taken == 0) return {};
    m_begin += taken;
  }
  return {};
}

void SpeechPlayer::handle_key(char key) {
  if (key == ' ') {
    if (m_sink->paused()) {
      m_sink->resume();
    } else {
      m_sink->pause();
    }
    m_session.progress().aside(m_sink->paused() ? "paused; space resumes"
                                                : "space: pause, q: stop");
  }
  if (key == 'q' || key == 'Q') {
    m_stopped = true;
    (void)m_sink->abort();
  }
}

Result<void> SpeechPlayer::tick() {
  for (const char key : m_keys.read()) handle_key(key);
  if (m_stopped) return {};
  SVC_CHECK(m_sink->check());
  return hand_over();
}

Result<void> SpeechPlayer::drain() {
  bool finished = false;
  while (!m_stopped) {
    if (const auto fault = m_session.cancel_token().requested()) {
      (void)m_sink->abort();
      return svc::canceled(*fault);
    }
    SVC_CHECK(tick());
    if (m_begin == m_waiting.size()) {
      if (!finished) m_sink->finish();
      finished = true;
      if (m_sink->idle()) break;
    }
    m_session.progress().tick();
    (void)wait_readable(m_keys.descriptor(), after(k_player_slice), m_session.cancel_token());
  }
  return {};
}

std::chrono::milliseconds SpeechPlayer::ahead() const {
  const auto channels = static_cast<std::size_t>(m_sink->format().channels);
  const std::uint64_t waiting = (m_waiting.size() - m_begin) / channels;
  const std::uint64_t inside = m_sink->written() - std::min(m_sink->position(), m_sink->written());
  return audio::time_of(m_sink->format(), waiting + inside);
}

Result<void> print_devices(Session& session) {
  SVC_TRY(devices, audio::list_devices(session.cancel_token()));
  OrderedJson rows = OrderedJson::array();
  for (const audio::Device& device : devices) rows.push_back(device_json(device));
  if (devices.empty() && session.format() == Format::Text) {
    session.notices().note("this machine has no sound devices");
    return {};
  }
  return print_list(session, rows, print::columns_of(*find_operation("sound", "devices")));
}

std::string input_device(const Session& session) {
  return SoundFlags(session.inputs())
      .get<"input-device">()
      .value_or(session.settings().input_device.value);
}

std::string output_device(const Session& session) {
  return SoundFlags(session.inputs())
      .get<"output-device">()
      .value_or(session.settings().output_device.value);
}

audio::Enhancement enhancement(const Session& session) {
  using Noise = audio::Enhancement::Noise;
  const Flags<catalogue::k_enhancement_fields> flags(session.inputs());
  const Settings& settings = session.settings();
  const std::string noise =
      flags.get<"noise-suppression">().value_or(settings.noise_suppression.value);
  return {.noise = noise == "high"  ? Noise::SuppressHigh
                   : noise == "low" ? Noise::SuppressLow
                                    : Noise::Keep,
          .gain = flags.get<"gain-control">().value_or(settings.gain_control.value == "true")};
}

std::string latency_name(const Session& session) {
  return Flags<catalogue::k_latency_fields>(session.inputs())
      .get<"latency">()
      .value_or(session.settings().latency.value);
}

audio::Latency latency_of(const Session& session) {
  const std::string name = latency_name(session);
  return name == "low"    ? audio::k_low_latency
         : name == "safe" ? audio::k_safe_latency
                          : audio::Latency{};
}

namespace {

constexpr const char* k_lags_file = "sound-lags.json";
constexpr std::size_t k_max_pairs = 50;

std::string pair_name(const audio::Device& input, const audio::Device& output) {
  return input.name + " / " + output.name;
}

OrderedJson read_lags() {
  const auto path = state_directory() / k_lags_file;
  const auto text = read_file(path.string());
  OrderedJson lags = text ? parse_reply_in_order(*text) : OrderedJson();
  return lags.is_object() ? lags : OrderedJson::object();
}

}  // namespace

std::optional<audio::Milliseconds> known_lag(const audio::Device& input,
                                             const audio::Device& output) {
  const OrderedJson lags = read_lags();
  const auto found = lags.find(pair_name(input, output));
  if (found == lags.end() || !found->is_number_integer()) return std::nullopt;
  const audio::Milliseconds lag(found->get<int>());
  return lag.count() > -50 && lag.count() < 550 ? std::optional(lag) : std::nullopt;
}

void remember_lag(const audio::Device& input, const audio::Device& output,
                  audio::Milliseconds lag) {
  const auto directory = state_directory();
  if (directory.empty() || !make_private_directory(directory)) return;
  OrderedJson lags = read_lags();
  lags.erase(pair_name(input, output));
  lags[pair_name(input, output)] = lag.count();  // the newest last
  while (lags.size() > k_max_pairs) lags.erase(lags.begin());
  (void)write_file((directory / k_lags_file).string(), compact_json(lags), Replace::Yes, 0600);
}

std::string level_meter(audio::Level level, bool utf8, int cells) {
  constexpr double k_floor = -50;
  const double loud = (audio::decibels(level.rms) - k_floor) / -k_floor;
  const int full = std::clamp(static_cast<int>(std::lround(loud * cells)), 0, cells);
  std::string meter;
  for (int i = 0; i < cells; ++i) meter += i < full ? (utf8 ? "▮" : "#") : (utf8 ? "▯" : "-");
  return meter;
}

http::Timeouts speech_timeouts(const Session& session, const ApiClient& client) {
  http::Timeouts times = client.policy().timeouts;
  if (session.settings().idle_timeout.origin == Origin::BuiltIn)
    times.idle = std::chrono::minutes(15);
  return times;
}

}  // namespace svc::cli
