#include <nlohmann/json.hpp>

#include "emulator/account/ledger.h"
#include "emulator/api/stt/stt.h"

namespace svc::emulator::stt {
namespace {

struct StreamQuery {
  Settings settings{.format = {audio::Encoding::Pcm, 16'000, 1}};
  /// For tests: with a keyterm `Fail with: X`, the recognizer fails at the first audio.
  std::optional<std::string> failure{};
  /// The maximum time without client input; set by the header x-emulator-stream-timeout-ms.
  std::chrono::milliseconds timeout{60'000};
};

/// Client input, in order.
struct StreamInput {
  enum class Kind : std::uint8_t { Sound, Finalize, Done };
  Kind kind = Kind::Sound;
  std::string bytes{};                   ///< of Sound
  std::optional<std::size_t> channel{};  ///< of Finalize; unset: all
};

ErrorMessage set_encoding(StreamQuery& query, sv value) {
  const auto encoding = raw_encoding(value);
  if (!encoding) {
    return fmt::format("encoding must be one of pcm, mulaw, alaw, not '{}'.", shown(value));
  }
  query.settings.format.raw = encoding;
  return std::nullopt;
}

ErrorMessage set_term(StreamQuery& query, sv value) {
  constexpr sv k_fail = "Fail with:";
  if (value.starts_with(k_fail)) {
    query.failure = trim(value.substr(k_fail.size()));
    return std::nullopt;
  }
  return read_setting("keyterm", value, query.settings);
}

ErrorMessage read_value(const Header& field, StreamQuery& query) {
  const auto& [name, value] = field;
  Settings& settings = query.settings;
  speech::ListenerOptions& listener = settings.listener;
  if (name == "encoding") return set_encoding(query, value);
  if (name == "interim_results") return read_flag(name, value, listener.interim);
  if (name == "endpointing") return read_integer(name, value, 0, 5000, listener.endpointing_ms);
  if (name == "channels") return read_integer(name, value, 1, 8, settings.format.channels);
  if (name == "keyterm") return set_term(query, value);
  if (name == "smart_turn") return read_fraction(name, value, listener.smart_turn.emplace());
  if (name == "smart_turn_timeout") {
    return read_integer(name, value, 1, 5000, listener.smart_turn_timeout_ms.emplace());
  }
  if (name == "language") settings.formatted = settings.formatted || !value.empty();
  return read_setting(name, value, settings);
}

ErrorMessage check_query(const StreamQuery& query) {
  if (query.settings.multichannel && query.settings.format.channels < 2) {
    return "multichannel needs channels from 2 to 8.";
  }
  if (!query.settings.multichannel && query.settings.format.channels > 1)
    return "channels needs multichannel=true.";
  if (query.settings.listener.smart_turn_timeout_ms && !query.settings.listener.smart_turn) {
    return "smart_turn_timeout needs smart_turn.";
  }
  return std::nullopt;
}

// Parses the query of `request` into `query`; otherwise returns the refusal, before the upgrade.
std::optional<Response> read_stream_query(const Request& request, StreamQuery& query) {
  for (const Header& field : request.query) {
    if (const auto bad = read_value(field, query)) return invalid_argument_error(*bad);
  }
  if (const auto bad = check_query(query)) return invalid_argument_error(*bad);
  if (const auto wait =
          parse_integer(request.header("x-emulator-stream-timeout-ms").value_or(""))) {
    query.timeout = std::chrono::milliseconds(*wait);
  }
  return std::nullopt;
}

using text::Json;

/// Not thread-safe.
class StreamWork {
 public:
  explicit StreamWork(const StreamQuery& query)
      : m_query(query), m_decoder(*query.settings.format.raw) {
    for (int i = 0; i < query.settings.format.channels; ++i) {
      m_ears.push_back(std::make_unique<speech::Listener>(query.settings.listener));
    }
  }

  /// Returns the messages that respond to `input`, as JSON text. Done ends with transcript.done,
  /// one per channel. Returns Local if audio of that rate cannot be processed.
  [[nodiscard]] Result<std::vector<std::string>> take(const StreamInput& input) {
    std::vector<std::string> out;
    if (input.kind == StreamInput::Kind::Sound) {
      if (!m_splitter) {
        SVC_TRY(splitter, ChannelSplitter::make(m_query.settings.format.rate,
                                                m_query.settings.format.channels));
        m_splitter = std::move(splitter);
      }
      speech::Samples samples = std::exchange(m_part_frame, {});
      m_decoder.decode(input.bytes, samples);
      const std::size_t frames = samples.size() / m_ears.size();
      m_frames += frames;
      m_part_frame.assign(samples.begin() + static_cast<std::ptrdiff_t>(frames * m_ears.size()),
                          samples.end());
      samples.resize(frames * m_ears.size());
      hear(m_splitter->feed(samples), out);
      return out;
    }
    const bool done = input.kind == StreamInput::Kind::Done;
    if (done && m_splitter) hear(m_splitter->finish(), out);
    for (std::size_t channel = 0; channel < m_ears.size(); ++channel) {
      if (input.channel && *input.channel != channel) continue;
      std::vector<speech::RecognitionResult> heard;
      m_ears[channel]->finalize(heard);
      if (done && m_given && !m_given->empty() && heard.empty()) {
        heard.push_back({.is_final = true, .speech_final = true});
      }
      append_transcripts(channel, heard, out);
    }
    if (!done) return out;
    for (std::size_t channel = 0; channel < m_ears.size(); ++channel) {
      // The text is often empty: it was in the events before.
      Json event = {{"type", "transcript.done"},
                    {"text", ""},
                    {"words", Json::array()},
                    {"duration", rounded_to(seconds(), 1000)}};
      if (m_query.settings.multichannel) event["channel_index"] = channel;
      out.push_back(text::dump(event));
    }
    return out;
  }

  /// All that is heard, at the end of the first utterance or of the input.
  void set_transcript(std::string text) { m_given = std::move(text); }

  /// Returns the seconds of audio so far.
  [[nodiscard]] double seconds() const {
    return static_cast<double>(m_frames) / m_query.settings.format.rate;
  }

 private:
  void hear(const std::vector<speech::Samples>& channels, std::vector<std::string>& out) {
    for (std::size_t channel = 0; channel < channels.size(); ++channel) {
      std::vector<speech::RecognitionResult> heard;
      m_ears[channel]->feed(channels[channel], heard);
      append_transcripts(channel, heard, out);
    }
  }

  void append_transcripts(std::size_t channel, const std::vector<speech::RecognitionResult>& heard,
                          std::vector<std::string>& out) {
    for (const speech::RecognitionResult& one : heard) {
      auto words = format_words(one.words, m_query.settings.options);
      const bool sentence = m_query.settings.formatted && one.speech_final;
      std::string text = one.notice.empty() ? join_words(words, sentence) : one.notice;
      if (m_given) {
        words.clear();
        text = one.speech_final ? std::exchange(*m_given, "") : "";
      }
      Json event = {{"type", "transcript.partial"},
                    {"text", std::move(text)},
                    {"words", text::json_list(words,
                                              [&](const speech::SpokenWord& word) {
                                                return word_json(
                                                    word, m_query.settings.listener.speakers, 1000);
                                              })},
                    {"is_final", one.is_final},
                    {"speech_final", one.speech_final},
                    {"start", rounded_to(one.start, 1000)},
                    {"duration", rounded_to(one.duration, 1000)}};
      if (m_query.settings.multichannel) event["channel_index"] = channel;
      if (one.end_of_turn) event["end_of_turn_confidence"] = *one.end_of_turn;
      out.push_back(text::dump(event));
    }
  }

  StreamQuery m_query;
  std::optional<ChannelSplitter> m_splitter{};  ///< created at the first audio
  std::vector<std::unique_ptr<speech::Listener>> m_ears{};
  audio::Decoder m_decoder;
  std::optional<std::string> m_given{};  ///< a rule's text, until it was sent
  speech::Samples m_part_frame{};        ///< samples of an incomplete frame
  std::uint64_t m_frames = 0;
};

// A client that sends faster than the audio is processed has to wait.
constexpr std::size_t k_max_waiting = 2U << 20U;
constexpr std::size_t k_few_waiting = 256U << 10U;

class StreamSession final : public SocketSession,
                            public std::enable_shared_from_this<StreamSession> {
 public:
  StreamSession(StreamQuery query, const Request& request)
      : m_query(std::move(query)),
        m_work(std::make_shared<StreamWork>(m_query)),
        m_state(*request.state),
        m_team(request.key.team_id),
        m_id(request.request_id) {}

  void set_transcript(std::string text) override { m_work->set_transcript(std::move(text)); }

  void on_open(std::shared_ptr<SocketPeer> peer) override {
    m_peer = std::move(peer);
    send({{"type", "transcript.created"}, {"id", m_id}});
    watch();
  }

  void on_binary(std::string message) override {
    if (m_done) return;
    if (m_query.failure) return fail(*m_query.failure);
    watch();
    m_bytes += message.size();
    queue({StreamInput::Kind::Sound, std::move(message), std::nullopt});
  }

  // An invalid message is answered with an error, and the connection remains open.
  void on_text(std::string message) override {
    if (m_done) return;
    watch();
    const Json event = text::parse_json(message);
    if (!event.is_object())
      return send_error("Failed to parse the message: it is not a JSON object.");
    const std::string type = text::get_string(event, "type");
    if (type == "audio.done") {
      m_done = true;
      return queue({StreamInput::Kind::Done, {}, std::nullopt});
    }
    if (type == "finalize" || type == "Finalize") return finalize(event);
    send_error(fmt::format("Failed to parse the message: unknown type '{}'.", shown(type)));
  }

  void on_closed(std::uint16_t /*code*/, sv /*reason*/) override {
    m_inputs.clear();
    charge();
  }

 private:
  void send(const Json& event) { m_peer->send_text(text::dump(event)); }
  void send_error(sv sentence) { send({{"type", "error"}, {"message", sentence}}); }

  // Errors that close the connection.
  void fail(sv sentence) {
    m_done = true;
    m_inputs.clear();
    send_error(sentence);
    charge();
    m_peer->close(k_close_failure, "the transcription failed");
  }

  // Closes the session if the client is silent for too long.
  void watch() {
    m_peer->cancel_timer(m_timer);
    m_timer = m_peer->start_timer(m_query.timeout, [this] {
      if (m_done) return;
      if (m_working || !m_inputs.empty()) return watch();  // the client is waiting for us
      fail(fmt::format("Stream timed out: no audio was received for {} s.",
                       static_cast<double>(m_query.timeout.count()) / 1000));
    });
  }

  void queue(StreamInput input) {
    m_waiting += input.bytes.size();
    m_inputs.push_back(std::move(input));
    if (m_waiting > k_max_waiting && !m_paused) {
      m_paused = true;
      m_peer->pause_reading();
    }
    if (!m_working) work();
  }

  // One job takes all queued input; the next starts after its events are sent.
  void work() {
    if (m_inputs.empty()) return;
    m_working = true;
    auto inputs = std::make_shared<std::deque<StreamInput>>(std::exchange(m_inputs, {}));
    m_waiting = 0;
    m_peer->run_blocking([inputs, work = m_work, peer = m_peer, weak = weak_from_this()] {
      for (const StreamInput& input : *inputs) {
        const bool last = &input == &inputs->back();
        std::vector<std::string> events;
        std::string error_text;
        try {
          if (auto taken = work->take(input)) {
            events = *std::move(taken);
          } else {
            error_text = sentences_of(taken.error());
          }
        } catch (const std::exception& bug) {
          error_text = bug.what();
        }
        if (events.empty() && error_text.empty() && !last) continue;
        // Send each event when it is available, not when the job ends.
        const bool done = input.kind == StreamInput::Kind::Done;
        peer->post([weak, events = std::move(events), error_text, done, last] {
          const auto self = weak.lock();
          if (!self) return;
          self->worked(events, error_text, done);
          if (!last) return;
          self->m_working = false;
          self->work();
        });
        if (!error_text.empty() || weak.expired()) return;
      }
    });
  }

  void worked(const std::vector<std::string>& events, const std::string& error_text, bool done) {
    if (!error_text.empty()) return fail("The transcription failed: " + error_text);
    for (const std::string& event : events) m_peer->send_text(event);
    if (m_paused && m_waiting < k_few_waiting) {
      m_paused = false;
      m_peer->resume_reading();
    }
    if (!done) return;
    charge();
    m_peer->close(k_close_normal, "");
  }

  void finalize(const Json& event) {
    StreamInput input{StreamInput::Kind::Finalize, {}, std::nullopt};
    if (text::member(event, "channel") != nullptr) {
      const auto channel = text::get_integer(event, "channel");
      if (!channel || *channel < 0 || *channel >= m_query.settings.format.channels) {
        return send_error(fmt::format("channel must be a number from 0 to {}.",
                                      m_query.settings.format.channels - 1));
      }
      input.channel = static_cast<std::size_t>(*channel);
    }
    queue(std::move(input));
  }

  // Charges the received seconds, once.
  void charge() {
    if (std::exchange(m_charged, true)) return;
    const std::size_t width = audio::bytes_per_sample(*m_query.settings.format.raw);
    const double second = static_cast<double>(m_query.settings.format.rate) *
                          static_cast<double>(width) * m_query.settings.format.channels;
    (void)charge_team(m_state, m_team,
                      std::vector{charge_for_sound(static_cast<double>(m_bytes) / second)});
  }

  StreamQuery m_query;
  std::shared_ptr<StreamWork> m_work;  ///< used by one job at a time
  State& m_state;
  std::string m_team;
  std::string m_id;
  std::shared_ptr<SocketPeer> m_peer{};
  std::deque<StreamInput> m_inputs{};
  std::size_t m_waiting = 0;  ///< bytes in m_inputs
  std::uint64_t m_bytes = 0;  ///< of audio, in total
  SocketPeer::TimerId m_timer = 0;
  bool m_working = false;
  bool m_paused = false;
  bool m_done = false;  ///< the client has sent audio.done, or the session has failed
  bool m_charged = false;
};

}  // namespace

std::variant<std::shared_ptr<SocketSession>, Response> open_stream(const Request& request) {
  StreamQuery query;
  if (auto refusal = read_stream_query(request, query)) return *std::move(refusal);
  return std::make_shared<StreamSession>(std::move(query), request);
}

}  // namespace svc::emulator::stt
