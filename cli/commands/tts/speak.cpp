// `svc tts TEXT`: plays speech while it arrives, saves it or prints it.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "audio/sound_file.h"
#include "base/file_backed_buffer.h"
#include "base/text.h"
#include "catalogue/tts_fields.h"
#include "client/concurrent_calls.h"
#include "commands/command.h"
#include "commands/tts/output.h"
#include "live/sound.h"
#include "operation/plan.h"
#include "operation/runner.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

constexpr auto k_speak_slice = std::chrono::milliseconds(30);
constexpr std::size_t k_parts_ahead = 3;
constexpr double k_sound_ahead = 120;  ///< seconds of audio to request ahead of playback
constexpr auto k_player_ahead =
    std::chrono::seconds(10);  ///< decoded ahead; the rest stays encoded
constexpr std::size_t k_chunk_bytes = 64U << 10U;
constexpr double k_mp3_second = 16'000;          ///< bytes per second at the default bit rate
constexpr double k_bytes_of_a_character = 1000;  ///< of mp3 at the default bit rate
constexpr double k_max_of_a_part = 0.95;  ///< most of an incomplete part that counts as spoken

/// One request and its result.
struct SpokenPart {
  FileBackedBuffer sound{};   ///< audio not passed on yet
  std::uint64_t written = 0;  ///< bytes passed to the output
  std::uint64_t heard = 0;    ///< bytes decoded for the speaker; approximate for mp3
  std::unique_ptr<audio::SoundReader> mp3{};
  std::unique_ptr<voice::TimedSpeechReader> timed{};
  std::uint64_t arrived = 0;  ///< bytes of audio
  std::optional<double> seconds{};
  std::vector<voice::CharTime> times{};
  bool whole = false;
  std::optional<Error> error{};
};

class SpeechRun {
 public:
  SpeechRun(Session& session, const SpeechPlan& plan, SpeechOutput output,
            std::unique_ptr<SpeechPlayer> player, ApiClient& client)
      : m_session(session),
        m_plan(plan),
        m_output(std::move(output)),
        m_player(std::move(player)),
        m_decoder(plan.codec, plan.rate),
        m_client(client),
        m_calls(client),
        m_parts(plan.plan.steps.size()) {}

  Result<void> run() {
    show_begin();
    Result<void> spoken = speak();
    for (std::size_t at = m_head; at < m_next; ++at) {
      if (!m_parts[at].whole)
        record_interrupted(m_session, *m_plan.plan.steps[at].request.operation);
    }
    if (!spoken) {
      const Fault fault = spoken.error().fault;
      // If the output cannot be written, there is no partial file to keep.
      if (fault != Fault::Local) m_output.keep();
      // Plays the audio received before the error; nothing more of it if that is Ctrl-C.
      if (playing()) (void)play_rest();
      m_session.progress().finish();
      return explained(std::move(spoken).error());
    }
    if (!quit()) SVC_CHECK(m_output.commit());
    if (playing()) take_loss(play_rest());
    m_session.progress().finish();
    if (m_lost_speaker) return *m_lost_speaker;
    return {};
  }

 private:
  [[nodiscard]] bool several() const { return m_parts.size() > 1; }
  [[nodiscard]] bool kept() const {
    return m_plan.place != SpeechPlace::Speaker || m_plan.document;
  }
  /// Whether the user stopped playback and nothing is saved.
  [[nodiscard]] bool quit() const { return !kept() && m_player && m_player->stopped(); }
  [[nodiscard]] bool playing() const { return m_player && !m_lost_speaker && !m_player->stopped(); }

  Result<void> speak() {
    while (m_head < m_parts.size() && !quit()) {
      while (may_begin()) SVC_CHECK(begin(m_next++));
      m_calls.run(m_session.cancel_token(), std::chrono::steady_clock::now() + k_speak_slice);
      SVC_CHECK(deliver_one());
      if (playing()) take_loss(play());
      if (m_lost_speaker && !kept()) return *m_lost_speaker;
      m_session.progress().tick();
      // Without requests in flight, run() returns at once: the speaker has enough audio for now.
      if (m_calls.in_flight() == 0 && m_head < m_parts.size() && !may_begin()) {
        SVC_CHECK(interruptible_sleep(k_speak_slice, m_session.cancel_token()));
      }
    }
    return {};
  }

  [[nodiscard]] bool may_begin() const {
    const std::size_t oldest = playing() ? std::min(m_head, m_played) : m_head;
    if (m_next >= m_parts.size() || m_next >= oldest + k_parts_ahead) return false;
    return !playing() || m_next == 0 || seconds_ahead() < k_sound_ahead;
  }

  /// Seconds of audio that have not been played.
  [[nodiscard]] double seconds_ahead() const {
    double bytes = 0;
    for (std::size_t at = m_played; at < m_next; ++at) {
      bytes += static_cast<double>(m_parts[at].sound.size() - m_parts[at].heard);
    }
    return bytes / bytes_per_second() + std::chrono::duration<double>(m_player->ahead()).count();
  }

  [[nodiscard]] double bytes_per_second() const {
    if (m_plan.codec == voice::Codec::Mp3) return k_mp3_second;
    return m_plan.rate *
           static_cast<double>(audio::bytes_per_sample(voice::encoding_of(m_plan.codec)));
  }

  Result<void> begin(std::size_t at) {
    request::Request request = m_plan.plan.steps[at].request;
    SVC_CHECK(complete_address(m_session, request));
    CallJob job{.request = std::move(request),
                .timeouts = speech_timeouts(m_session, m_client),
                .done = [this, at](Result<CallReply> reply) { done(at, std::move(reply)); }};
    if (m_plan.timed) {
      m_parts[at].timed = std::make_unique<voice::TimedSpeechReader>(
          [this, at](sv sound) { return arrived(at, sound); });
      // The JSON document is printed as a whole.
      if (!m_plan.document)
        job.on_bytes = [&part = m_parts[at]](sv bytes) { return part.timed->feed(bytes); };
    } else {
      job.on_head = [](const http::HttpHead& head) { return check_type(head); };
      job.on_bytes = [this, at](sv bytes) { return arrived(at, bytes); };
    }
    m_calls.start(std::move(job));
    return {};
  }

  static Result<void> check_type(const http::HttpHead& head) {
    const sv type = head.header("content-type").value_or("");
    if (!type.starts_with("text/") && type.find("json") == sv::npos) return {};
    return Error{Fault::Network, fmt::format("expected audio, got {}", shown(type)),
                 "A proxy may have answered; check the URL with `svc doctor`."};
  }

  Result<void> arrived(std::size_t at, sv bytes) {
    SpokenPart& part = m_parts[at];
    part.arrived += bytes.size();
    m_received += bytes.size();
    m_session.progress().update(several() ? spoken_characters() : m_received);
    if (at == m_head && !playing() && part.written == part.sound.size()) {
      return m_output.write(bytes);
    }
    SVC_CHECK(part.sound.append(bytes));
    SVC_CHECK(write_out(m_parts[m_head]));
    if (playing()) take_loss(play());
    return {};
  }

  /// Writes the available audio of the current part.
  Result<void> write_out(SpokenPart& part) {
    while (part.written < part.sound.size()) {
      SVC_TRY(bytes, part.sound.read(part.written, k_chunk_bytes));
      SVC_CHECK(m_output.write(bytes));
      part.written += bytes.size();
    }
    return {};
  }

  /// Passes more of the available audio to the speaker.
  Result<void> play() {
    while (m_played < m_parts.size() && m_player->ahead() < k_player_ahead) {
      SpokenPart& part = m_parts[m_played];
      const bool mp3 = m_plan.codec == voice::Codec::Mp3;
      if (mp3 ? part.whole && part.arrived > 0 : part.heard < part.sound.size()) {
        SVC_CHECK(mp3 ? feed_mp3(part) : feed(part));
      } else if (part.whole && !part.error) {
        next_played();
      } else {
        break;
      }
    }
    return m_player->tick();
  }

  void next_played() {
    m_decoder.next_part();
    if (m_played < m_head) m_parts[m_played].sound = {};
    ++m_played;
  }

  Result<void> feed_mp3(SpokenPart& part) {
    if (!part.mp3) {
      SVC_TRY(path, part.sound.path());
      SVC_TRY(reader, audio::open_sound_reader(path, {m_plan.rate, 1}));
      part.mp3 = std::move(reader);
    }
    std::vector<audio::Sample> samples;
    SVC_TRY(more, part.mp3->read(static_cast<std::size_t>(m_plan.rate), samples));
    m_player->feed(samples);
    part.heard = std::min(part.sound.size(), part.heard + static_cast<std::uint64_t>(k_mp3_second));
    if (more) return {};
    part.mp3.reset();
    next_played();
    return {};
  }

  Result<void> feed(SpokenPart& part) {
    SVC_TRY(bytes, part.sound.read(part.heard, k_chunk_bytes));
    std::vector<audio::Sample> samples;
    SVC_CHECK(m_decoder.decode(bytes, samples));
    part.heard += bytes.size();
    const auto format = m_decoder.format();
    if (format && *format != audio::Format{m_plan.rate, 1}) {
      return Error{Fault::Network,
                   fmt::format("the service sent {} Hz and {} channels instead of {} Hz and one",
                               format->rate, format->channels, m_plan.rate)};
    }
    m_player->feed(samples);
    return {};
  }

  /// Plays all received audio to the end.
  Result<void> play_rest() {
    while (playing()) {
      SVC_CHECK(play());
      const SpokenPart* part = m_played < m_parts.size() ? &m_parts[m_played] : nullptr;
      if (part == nullptr || m_player->ahead() < k_player_ahead) break;
      m_session.progress().tick();
      SVC_CHECK(interruptible_sleep(k_speak_slice, m_session.cancel_token()));
    }
    return m_player->drain();
  }

  void done(std::size_t at, Result<CallReply> reply) {
    SpokenPart& part = m_parts[at];
    if (!reply)
      record_interrupted(m_session, *m_plan.plan.steps[at].request.operation, reply.error());
    Result<void> fine = reply ? Result<void>() : Result<void>(std::move(reply).error());
    if (fine && part.timed) fine = take_timed(part, *reply);
    if (fine && part.arrived == 0) {
      fine = Error{Fault::Network, "the service sent no audio", "Try again."};
    }
    if (!fine) part.error = std::move(fine).error();
    part.timed.reset();
    part.whole = true;
    m_session.progress().update(several() ? spoken_characters() : m_received);
  }

  Result<void> take_timed(SpokenPart& part, const CallReply& reply) {
    const std::vector<std::string> secrets = m_session.secrets();
    const std::string& body = m_plan.document ? reply.body : part.timed->rest();
    if (auto wrong = not_json(reply.head, body, secrets)) return *std::move(wrong);
    record_document(m_session, *m_plan.plan.steps.front().request.operation, body);
    if (m_plan.document) {
      SVC_CHECK(m_session.write_document(reply.body));
      SVC_CHECK(m_session.out().flush());
      SVC_CHECK(part.timed->feed(reply.body));
    }
    SVC_TRY(speech, part.timed->finish());
    part.seconds = speech.seconds;
    part.times = std::move(speech.times);
    return {};
  }

  /// Passes on the parts in order, as far as they have arrived.
  Result<void> deliver_one() {
    while (m_head < m_parts.size()) {
      SpokenPart& part = m_parts[m_head];
      if (part.error) return *std::move(part.error);
      SVC_CHECK(write_out(part));
      if (!part.whole) return {};
      SVC_CHECK(m_output.end_part(part.seconds, std::exchange(part.times, {})));
      if (!playing() || m_head < m_played) part.sound = {};
      ++m_head;
      show_part();
    }
    return {};
  }

  /// Handles a playback error: the audio can still be saved.
  void take_loss(Result<void> played) {
    if (played || m_lost_speaker) return;
    m_lost_speaker = std::move(played).error();
    const Fault fault = m_lost_speaker->fault;
    if (is_cancellation(fault)) return;
    if (kept() && m_head < m_parts.size()) {
      m_session.notices().warning(
          fmt::format("playback stopped: {}; the audio is still saved", m_lost_speaker->message));
    } else if (!kept() && m_lost_speaker->hint.empty()) {
      m_lost_speaker->hint = "Save it instead with -o FILE.";
    }
  }

  Error explained(Error error) {
    if (!several() || m_head == 0 || m_head == m_parts.size()) return error;
    const std::size_t begin = m_plan.parts[m_head].begin;
    error.message =
        fmt::format("part {} of {} failed: {}", m_head + 1, m_parts.size(), error.message);
    add_hint(error, fmt::format("{} of {} parts are complete; the rest of the text starts at byte "
                                "{}: tail -c +{} TEXT | svc tts --split -o REST",
                                m_head, m_parts.size(), begin, begin + 1));
    return error;
  }

  void show_begin() {
    if (m_plan.place == SpeechPlace::Speaker) {
      m_session.progress().start("Speaking");
    } else {
      m_session.progress().start(
          "Receiving speech",
          several() ? print::ProgressUnit::Characters : print::ProgressUnit::Bytes,
          several() ? std::optional(characters()) : std::nullopt);
    }
    show_part();
  }

  /// Characters spoken so far. For a part in progress they are estimated from its bytes, at the
  /// ratio of complete parts or a default.
  [[nodiscard]] std::uint64_t characters() const {
    std::uint64_t all = 0;
    for (const voice::TextPart& part : m_plan.parts) all += count_code_points(part.text);
    return all;
  }

  [[nodiscard]] std::uint64_t spoken_characters() const {
    double bytes = 0;
    double known = 0;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
      if (!m_parts[i].whole) continue;
      bytes += static_cast<double>(m_parts[i].arrived);
      known += static_cast<double>(count_code_points(m_plan.parts[i].text));
    }
    const double each = bytes > 0 ? bytes / known : k_bytes_of_a_character;
    double spoken = known;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
      if (m_parts[i].whole) continue;
      const auto length = static_cast<double>(count_code_points(m_plan.parts[i].text));
      spoken += std::min(static_cast<double>(m_parts[i].arrived) / each, length * k_max_of_a_part);
    }
    return static_cast<std::uint64_t>(spoken);
  }

  void show_part() {
    std::string text;
    if (several() && m_head < m_parts.size()) {
      text = fmt::format("part {} of {}", m_head + 1, m_parts.size());
    }
    if (m_player && !m_player->stopped()) {
      text += text.empty() ? "space: pause, q: stop" : "; space: pause, q: stop";
    }
    m_session.progress().aside(text);
  }

  Session& m_session;
  const SpeechPlan& m_plan;
  SpeechOutput m_output;
  std::unique_ptr<SpeechPlayer> m_player;
  voice::SpeechDecoder m_decoder;
  ApiClient& m_client;
  ConcurrentCalls m_calls;
  std::vector<SpokenPart> m_parts;
  std::size_t m_head = 0;    ///< the next part to write
  std::size_t m_played = 0;  ///< the next part to play
  std::size_t m_next = 0;    ///< the next part to request
  std::uint64_t m_received = 0;
  std::optional<Error> m_lost_speaker{};
};

}  // namespace

Result<void> speak(Session& session, const SpeechPlan& plan) {
  if (session.globals().shows_only()) SVC_CHECK(SpeechOutput::check(session, plan));
  SVC_TRY(approved, approve(session, plan.plan));
  if (!approved) return {};
  SVC_TRY(output, SpeechOutput::open(session, plan));
  std::unique_ptr<SpeechPlayer> player;
  if (plan.play) {
    const std::string otherwise =
        plan.place == SpeechPlace::Speaker ? "-o FILE saves the speech instead." : "";
    SVC_TRY(opened, SpeechPlayer::open(session, {plan.rate, 1}, otherwise));
    player = std::move(opened);
  }
  SVC_TRY(client, session.client(Host::Inference));
  return SpeechRun(session, plan, std::move(output), std::move(player), *client).run();
}

template <>
Result<void> run<Handler::TtsSpeak>(Session& session) {
  if (Flags<catalogue::tts::k_speak_fields>(session.inputs()).is_true<"list-devices">())
    return print_devices(session);
  SVC_TRY(plan, plan_speech(session, *session.invocation().operation, session.invocation().inputs));
  return speak(session, plan);
}

}  // namespace svc::cli
