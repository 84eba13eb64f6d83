// `svc stt live`: transcribes audio live.
#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "audio/enhanced_source.h"
#include "audio/microphone_speaker.h"
#include "audio/source.h"
#include "base/text.h"
#include "catalogue/stt_fields.h"
#include "commands/command.h"
#include "commands/stt/live_run.h"
#include "commands/stt/live_view.h"
#include "live/live_channel.h"
#include "live/sound.h"
#include "operation/runner.h"
#include "terminal/key_input.h"

namespace svc::cli {
namespace {

using SttLiveFlags = Flags<catalogue::stt::k_stt_live_fields>;

constexpr std::chrono::milliseconds k_stt_greeting{10'000};
constexpr int k_stt_usual_rate = 16'000;  ///< sufficient for speech, and the service's default

audio::Encoding stt_encoding(const std::string& name) {
  if (name == "mulaw") return audio::Encoding::MuLaw;
  if (name == "alaw") return audio::Encoding::ALaw;
  return audio::Encoding::Pcm;
}

/// The audio settings of the command line.
struct SttSoundPlan {
  std::string input{};  ///< a file, "-", or empty: the microphone
  audio::Timing timing = audio::Timing::RealTime;
  audio::Encoding encoding = audio::Encoding::Pcm;
  int rate{};      ///< 0: not set
  int channels{};  ///< 0: not set
  bool multichannel{};
};

class SttLive {
 public:
  explicit SttLive(Session& session) : m_session(session), m_flags(session.inputs()) {
    read_flags();
  }

  Result<void> run() {
    const bool only_shown = m_session.globals().shows_only();
    // Errors in the flags are reported before errors in the audio.
    if (m_sound.multichannel && m_sound.channels == 0 &&
        (m_sound.input.empty() || m_sound.input == "-")) {
      return usage_error("--multichannel requires --channels",
                         "Raw audio carries no channel count: pass --channels.");
    }
    if (m_sound.input.empty() && m_sound.channels > 1 && enhancement(m_session).any()) {
      return usage_error("noise suppression and gain control need a microphone of one channel",
                         "Pass --noise-suppression off --no-gain-control, or omit --channels.");
    }
    SVC_CHECK(prepare_request(m_sound.rate, m_sound.channels));
    if (only_shown) return show_request();
    const int control_fd = static_cast<int>(m_flags.get<"control-fd">().value_or(-1));
    if (control_fd >= 0) SVC_CHECK(SttControl::check(control_fd));
    SttControl control(control_fd);
    auto source = open_source();
    if (!source) return std::move(source).error();
    SVC_CHECK(check_channels((*source)->format()));
    SVC_TRY(request, prepare_request((*source)->format().rate, (*source)->format().channels));
    for (const std::string& warning : request.warnings) m_session.notices().warning(warning);
    SVC_TRY(live, LivePlan::make(m_session, request));
    SttLivePlan plan{.live = std::move(live),
                     .idle = timeouts_of(m_session.settings()).idle,
                     .encoding = m_sound.encoding,
                     .channels = m_sound.multichannel ? (*source)->format().channels : 1,
                     .interim = interim(),
                     .raw = m_sound.input == "-",
                     .waits = !m_sound.input.empty()};
    if (m_flags.get<"reconnect">() == false) plan.live.retries = 0;
    KeyInput keys(m_sound.input != "-" && !m_session.globals().no_stdin);
    plan.live.what = "the transcription";
    plan.live.ready = "that it is ready for audio";
    plan.live.greeting = std::min(k_stt_greeting, plan.idle);
    plan.live.meanwhile = plan.waits ? "the rest of the audio waits" : "your speech is buffered";
    plan.live.key = keys.descriptor() >= 0;
    SttLiveView view(m_session, m_format, static_cast<std::size_t>(plan.channels),
                     keys.descriptor() >= 0);
    return transcribe_live(m_session, std::move(plan), *std::move(source), view, keys, control);
  }

 private:
  void read_flags() {
    m_format = voice::parse_transcript_format(m_flags.get<"transcript-format">().value_or("text"))
                   .value_or(voice::TranscriptFormat::Text);
    m_sound.input = m_flags.text<"input">();
    m_sound.timing = m_flags.is_true<"fast">() ? audio::Timing::Immediate : audio::Timing::RealTime;
    m_sound.encoding = stt_encoding(m_flags.text<"encoding">());
    m_sound.rate = static_cast<int>(m_flags.get<"sample-rate">().value_or(0));
    m_sound.channels = static_cast<int>(m_flags.get<"channels">().value_or(0));
    m_sound.multichannel = m_flags.is_true<"multichannel">();
  }

  [[nodiscard]] bool interim() const {
    return m_flags.get<"interim-results">().value_or(
        SttLiveView::shows_interim(m_session, m_format));
  }

  /// Builds the handshake with the actual audio format, where the user did not set it.
  Result<request::Request> prepare_request(int rate, int channels) {
    const Operation& operation = *m_session.invocation().operation;
    request::Inputs inputs = m_session.invocation().inputs;
    const auto fill = [&](bool given, sv flag, std::string text) {
      if (!given) inputs.given.push_back({find_field(operation, flag), std::move(text)});
    };
    fill(m_flags.has<"sample-rate">(), SttLiveFlags::k_name<"sample-rate">,
         std::to_string(rate != 0 ? rate : k_stt_usual_rate));
    fill(m_flags.has<"encoding">(), SttLiveFlags::k_name<"encoding">, "pcm");
    fill(!interim() || m_flags.has<"interim-results">(), SttLiveFlags::k_name<"interim-results">,
         "true");
    fill(channels <= 1 || m_flags.has<"channels">(), SttLiveFlags::k_name<"channels">,
         std::to_string(channels));
    return prepare(m_session, operation, inputs);
  }

  /// Opens the source; a file's rate and channel count apply unless set.
  Result<std::unique_ptr<audio::Source>> open_source() {
    audio::SourceOptions options{.format = {m_sound.rate, std::max(m_sound.channels, 1)},
                                 .cancel = &m_session.cancel_token()};
    if (m_sound.input == "-") {
      if (::isatty(STDIN_FILENO) == 1) {
        return usage_error("--input - cannot read audio from a terminal",
                           "Pipe in raw audio, or omit --input to use the microphone.");
      }
      if (options.format.rate == 0) options.format.rate = k_stt_usual_rate;
      return audio::open_raw_source(STDIN_FILENO, m_sound.encoding, options, m_sound.timing);
    }
    if (m_sound.input.empty()) {
      if (options.format.rate == 0) options.format.rate = k_stt_usual_rate;
      SVC_TRY(microphone, audio::open_microphone(input_device(m_session), options));
      return audio::enhance(std::move(microphone), enhancement(m_session));
    }
    if (m_sound.multichannel && m_sound.channels == 0) options.format.channels = 0;
    if (options.format.rate == 0) {
      SVC_TRY(probe, audio::open_sound_file(m_sound.input, options, m_sound.timing));
      options.format.rate = probe->format().rate <= 8000 ? 8000 : k_stt_usual_rate;
    }
    return audio::open_sound_file(m_sound.input, options, m_sound.timing);
  }

  Result<void> check_channels(const audio::Format& format) const {
    if (!m_sound.multichannel) return {};
    if (format.channels >= 2 && format.channels <= 8) return {};
    return usage_error(fmt::format("--multichannel needs 2 to 8 channels, but {} has {}",
                                   visible(m_sound.input, Lines::Escape), format.channels),
                       "Without --multichannel, the channels are transcribed as one.");
  }

  /// Shows the request without opening a device; a file's format is read if it exists.
  Result<void> show_request() {
    audio::Format format{m_sound.rate, m_sound.channels};
    if (!m_sound.input.empty() && m_sound.input != "-") {
      if (const auto source = open_source()) format = (*source)->format();
    }
    SVC_TRY(request, prepare_request(format.rate, format.channels));
    return show_socket(m_session, std::move(request));
  }

  Session& m_session;
  SttLiveFlags m_flags;
  voice::TranscriptFormat m_format = voice::TranscriptFormat::Text;
  SttSoundPlan m_sound{};
};

}  // namespace

template <>
Result<void> run<Handler::SttLive>(Session& session) {
  if (SttLiveFlags(session.inputs()).is_true<"list-devices">()) return print_devices(session);
  return SttLive(session).run();
}

}  // namespace svc::cli
