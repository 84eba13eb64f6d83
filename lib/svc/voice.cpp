#include "svc/voice.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "catalogue/realtime_answers.h"
#include "catalogue/voice_answers.h"
#include "json/document.h"
#include "svc/impl/call.h"
#include "svc/impl/rows.h"
#include "svc/impl/socket.h"
#include "voice/live_transcript.h"
#include "voice/transcript.h"

namespace svc::v0 {

using namespace std::chrono_literals;

namespace {

/// What may wait for receive(); beyond that, the connection is not read.
constexpr std::size_t k_most_arrived = 64U << 20U;
/// How long the service may take to get ready for audio, unless the call says.
constexpr std::chrono::milliseconds k_greeting = 10s;

// A transcript has no member that no row has.
static_assert(has_row(catalogue::answer::stt::k_transcript, "text") &&
              has_row(catalogue::answer::stt::k_transcript, "language") &&
              has_row(catalogue::answer::stt::k_transcript, "duration") &&
              has_row(catalogue::answer::stt::k_transcript, "words[].text") &&
              has_row(catalogue::answer::stt::k_transcript, "words[].start") &&
              has_row(catalogue::answer::stt::k_transcript, "words[].end") &&
              has_row(catalogue::answer::stt::k_transcript, "words[].confidence") &&
              has_row(catalogue::answer::stt::k_transcript, "words[].speaker") &&
              has_row(catalogue::answer::stt::k_transcript, "channels[].index"));

Transcript transcript_of(voice::Transcript from) {
  Transcript to{.text = std::move(from.text),
                .language = std::move(from.language),
                .duration = from.duration};
  for (voice::Word& word : from.words) {
    to.words.push_back({.text = std::move(word.text),
                        .start = word.start,
                        .end = word.end,
                        .confidence = word.confidence,
                        .speaker = word.speaker,
                        .channel = word.channel});
  }
  return to;
}

}  // namespace

// Sockets -----------------------------------------------------------------------------------------

Socket::State::State(std::unique_ptr<websocket::WebSocket> channel,
                     std::optional<Cancellation> cancellation)
    : m_channel(std::move(channel)), m_cancellation(std::move(cancellation)) {
  if (m_cancellation) {
    m_cancel.link({&m_stop, &m_cancellation->state()->source});
  } else {
    m_cancel.link({&m_stop});
  }
  m_thread = std::thread([this] { drive(); });
}

Socket::State::~State() {
  close();
  {
    std::unique_lock lock(m_mutex);
    // Leaves what is queued, and the close frame, a moment to be sent.
    m_changed.wait_for(lock, 2s, [this] { return m_ended; });
  }
  m_stop.cancel();
  m_thread.join();
}

void Socket::State::drive() noexcept {
  std::optional<svc::Error> error;
  try {
    auto ended = transfer();
    if (!ended) error = std::move(ended).error();
  } catch (...) {  // it would end the program
    error = error_of_exception();
  }
  const std::lock_guard lock(m_mutex);
  m_ended = true;
  m_error = std::move(error);
  m_changed.notify_all();
}

svc::Result<void> Socket::State::transfer() {
  while (true) {
    m_channel->hold(is_full());
    SVC_TRY(got, m_channel->receive(m_cancel));
    const bool text = got.what == websocket::ReceivedKind::Text;
    if (got.what == websocket::ReceivedKind::Closed) {
      if (got.close.code == websocket::k_normal_closure) return {};
      return websocket::close_error(got.close);
    }
    if (!text && got.what != websocket::ReceivedKind::Binary) continue;
    const std::lock_guard lock(m_mutex);
    m_bytes += got.data.size();
    m_arrived.push_back({std::move(got.data), !text});
    m_changed.notify_all();
  }
}

bool Socket::State::is_full() {
  const std::lock_guard lock(m_mutex);
  return m_bytes >= k_most_arrived;
}

svc::Result<void> Socket::State::send(websocket::Message message) {
  while (true) {
    {
      const std::lock_guard lock(m_mutex);
      if (m_error) return *m_error;
      if (m_ended) return svc::Error{svc::Fault::Network, "the connection has ended"};
    }
    if (m_channel->send(message)) return {};
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, 5ms);  // the queue is full: nothing tells when it is not any more
  }
}

svc::Result<std::optional<SocketMessage>> Socket::State::receive(
    std::optional<std::chrono::steady_clock::time_point> until) {
  std::unique_lock lock(m_mutex);
  const auto ready = [this] { return !m_arrived.empty() || m_ended; };
  if (!until) {
    m_changed.wait(lock, ready);
  } else if (!m_changed.wait_until(lock, *until, ready)) {
    return svc::Error{svc::Fault::Timeout, "the service sent nothing in time"};
  }
  if (m_arrived.empty()) {
    if (m_error) return *m_error;
    return std::optional<SocketMessage>();
  }
  SocketMessage first = std::move(m_arrived.front());
  m_arrived.pop_front();
  const bool was_full = m_bytes >= k_most_arrived;
  m_bytes -= first.data.size();
  if (was_full) m_channel->wake();
  return std::optional(std::move(first));
}

void Socket::State::close() noexcept {
  (void)at_boundary<void>([this]() -> svc::Result<void> {
    m_channel->close();
    return {};
  });
}

svc::Result<std::shared_ptr<Socket::State>> open_socket_state(Call& call,
                                                              const Operation& operation,
                                                              const FlagList& flags) {
  SVC_TRY(request, call.prepare(operation, flags));
  SVC_TRY(channel, call.open_socket(request));
  auto state = std::make_shared<Socket::State>(std::move(channel), call.options().cancellation);
  if (const auto* opening = std::get_if<std::string>(&request.body);
      opening != nullptr && !opening->empty()) {
    SVC_CHECK(state->send({.data = *opening}));
  }
  return state;
}

svc::Result<Socket> open_socket(Call& call, const Operation& operation, const FlagList& flags) {
  SVC_TRY(state, open_socket_state(call, operation, flags));
  return Socket(std::move(state));
}

Result<void> Socket::send(std::string_view text) const {
  return at_boundary<void>([&] { return m_state->send({.data = std::string(text)}); });
}

Result<void> Socket::send_binary(std::string_view bytes) const {
  return at_boundary<void>(
      [&] { return m_state->send({.binary = true, .data = std::string(bytes)}); });
}

Result<std::optional<SocketMessage>> Socket::receive() const {
  return at_boundary<std::optional<SocketMessage>>([&] { return m_state->receive(); });
}

void Socket::close() const {
  m_state->close();
}

// Speech ------------------------------------------------------------------------------------------

namespace {

svc::Result<Speech> speak_with(Call& call, const SpeechRequest& from, const OnAudio* on_audio) {
  FlagList flags(from.flags);
  if (on_audio != nullptr) SVC_CHECK(check_callback(*on_audio));
  flags.add("text", from.text);
  flags.add_text("voice-id", from.voice.empty() ? call.settings().voice.value : from.voice);
  flags.add("language", from.language.empty() ? "auto" : from.language);  // the service requires it
  flags.add_text("output-format-codec", from.codec);
  flags.add_number("output-format-sample-rate", from.sample_rate);
  SVC_TRY(request, call.prepare(operation_of("tts", "speak"), flags));
  SVC_TRY(api, call.client(request.operation->host));
  Speech speech;
  const auto head = api->fetch(request, [&](sv bytes) -> svc::Result<void> {
    speech.bytes += bytes.size();
    if (on_audio == nullptr) {
      speech.audio += bytes;
      return {};
    }
    if (call.ask([&] { return (*on_audio)(bytes); })) return {};
    speech.stopped = true;
    return canceled(svc::Fault::Interrupted);
  });
  if (!head && !speech.stopped) return head.error();
  if (head) speech.content_type = std::string(head->header("content-type").value_or(sv()));
  return speech;
}

svc::Result<Transcript> transcribe_with(Call& call, const std::string& source,
                                        const TranscribeOptions& from) {
  FlagList flags(from.flags);
  const bool url = source.starts_with("https://") || source.starts_with("http://");
  flags.add(url ? "url" : "file", source);
  flags.add_text("language", from.language);
  flags.add_text("model", from.model);
  if (from.diarize) flags.add("diarize", "true");
  if (from.multichannel) flags.add("multichannel", "true");
  SVC_TRY(reply, call.run(operation_of("stt", "transcribe"), flags));
  SVC_TRY(read, voice::read_transcript(reply.body));
  Transcript transcript = transcript_of(std::move(read));
  transcript.json = std::move(reply.body);
  return transcript;
}

}  // namespace

Result<Speech> Client::speak(const SpeechRequest& request, const CallOptions& options) const {
  return run_call<Speech>(m_state, options,
                          [&](Call& call) { return speak_with(call, request, nullptr); });
}

Result<Speech> Client::speak(const SpeechRequest& request, const OnAudio& on_audio,
                             const CallOptions& options) const {
  return run_call<Speech>(m_state, options,
                          [&](Call& call) { return speak_with(call, request, &on_audio); });
}

Result<Transcript> Client::transcribe(const std::string& source,
                                      const TranscribeOptions& transcribe,
                                      const CallOptions& options) const {
  return run_call<Transcript>(
      m_state, options, [&](Call& call) { return transcribe_with(call, source, transcribe); });
}

// Live transcription ------------------------------------------------------------------------------

struct LiveTranscription::State {
  std::shared_ptr<Socket::State> socket{};
  std::mutex mutex{};  ///< of the rest, which next() uses
  voice::LiveTranscript transcript{};
  bool interim{};
  double bytes_per_second{};
  std::atomic<std::uint64_t> sent = 0;  ///< bytes of audio
  std::deque<Utterance> ready{};
  bool over = false;

  svc::Result<void> await_created(std::chrono::milliseconds limit);
  svc::Result<std::optional<Utterance>> next();

 private:
  svc::Result<void> read_one(
      std::optional<std::chrono::steady_clock::time_point> until = std::nullopt);
};

svc::Result<void> LiveTranscription::State::read_one(
    std::optional<std::chrono::steady_clock::time_point> until) {
  SVC_TRY(message, socket->receive(until));
  if (!message) {
    over = true;
    for (voice::Transcript& rest : transcript.close()) {
      ready.push_back({.transcript = transcript_of(std::move(rest))});
    }
    return {};
  }
  if (message->binary) return {};
  voice::LiveEvent event =
      transcript.feed(message->data, static_cast<double>(sent) / bytes_per_second);
  switch (event.kind) {
    case voice::LiveEvent::Kind::Created:
      return {};
    case voice::LiveEvent::Kind::Error:
      return svc::Error{svc::Fault::Service,
                        fmt::format("the service reports: {}", shown_message(event.message))};
    case voice::LiveEvent::Kind::Interim:
      if (!interim) return {};
      ready.push_back({.final = false, .transcript = {.text = transcript.open_text()}});
      return {};
    case voice::LiveEvent::Kind::Final:
    case voice::LiveEvent::Kind::Done:
    case voice::LiveEvent::Kind::Nothing:
      break;
  }
  if (event.utterance) ready.push_back({.transcript = transcript_of(*std::move(event.utterance))});
  if (transcript.done()) {
    over = true;
    socket->close();
  }
  return {};
}

svc::Result<std::optional<Utterance>> LiveTranscription::State::next() {
  const std::lock_guard lock(mutex);
  while (ready.empty() && !over) SVC_CHECK(read_one());
  if (ready.empty()) return std::optional<Utterance>();
  Utterance first = std::move(ready.front());
  ready.pop_front();
  return std::optional(std::move(first));
}

svc::Result<void> LiveTranscription::State::await_created(std::chrono::milliseconds limit) {
  const std::lock_guard lock(mutex);
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!transcript.created() && !over) SVC_CHECK(read_one(until));
  if (!over) return {};
  return svc::Error{svc::Fault::Network, "the service closed the connection before any audio"};
}

Result<void> LiveTranscription::send(std::string_view audio) const {
  return at_boundary<void>([&]() -> svc::Result<void> {
    // A tenth of a second each, as the service expects.
    const auto frame =
        std::max<std::size_t>(2, static_cast<std::size_t>(m_state->bytes_per_second) / 10 / 2 * 2);
    while (!audio.empty()) {
      const std::string_view piece = audio.substr(0, frame);
      SVC_CHECK(m_state->socket->send({.binary = true, .data = std::string(piece)}));
      m_state->sent += piece.size();
      audio.remove_prefix(piece.size());
    }
    return {};
  });
}

Result<void> LiveTranscription::finish() const {
  return at_boundary<void>(
      [&] { return m_state->socket->send({.data = R"({"type":"audio.done"})"}); });
}

Result<std::optional<Utterance>> LiveTranscription::next() const {
  return at_boundary<std::optional<Utterance>>([&] { return m_state->next(); });
}

Result<LiveTranscription> Client::transcribe_live(const LiveOptions& live,
                                                  const CallOptions& options) const {
  return run_call<LiveTranscription>(
      m_state, options, [&](Call& call) -> svc::Result<LiveTranscription> {
        FlagList flags(live.flags);
        const int rate = live.sample_rate.value_or(16'000);
        const std::string encoding = live.encoding.empty() ? "pcm" : live.encoding;
        flags.add("sample-rate", std::to_string(rate));
        flags.add("encoding", encoding);
        flags.add_text("language", live.language);
        if (live.interim_results) flags.add("interim-results", "true");
        SVC_TRY(socket, open_socket_state(call, operation_of("stt", "live"), flags));
        auto state = std::make_shared<LiveTranscription::State>();
        state->socket = std::move(socket);
        state->interim = live.interim_results;
        state->bytes_per_second = rate * (encoding == "pcm" ? 2 : 1);
        state->transcript.begin(0);
        SVC_CHECK(state->await_created(options.timeout.value_or(k_greeting)));
        return LiveTranscription(std::move(state));
      });
}

// Realtime ----------------------------------------------------------------------------------------

Result<void> Realtime::send(std::string_view json) const {
  return m_socket.send(json);
}

Result<void> Realtime::send_audio(std::string_view bytes) const {
  return at_boundary<void>([&] {
    return m_socket.state()->send(
        {.data = fmt::format(R"({{"type":"input_audio_buffer.append","audio":"{}"}})",
                             base64_encode(bytes))});
  });
}

Result<void> Realtime::send_text(std::string_view text) const {
  return at_boundary<void>([&]() -> svc::Result<void> {
    const OrderedJson part = {{"type", "input_text"}, {"text", text}};
    const OrderedJson item = {
        {"type", "message"}, {"role", "user"}, {"content", OrderedJson::array({part})}};
    SVC_CHECK(m_socket.state()->send(
        {.data = compact_json(OrderedJson{{"type", "conversation.item.create"}, {"item", item}})}));
    return m_socket.state()->send({.data = R"({"type":"response.create"})"});
  });
}

Result<std::optional<RealtimeEvent>> Realtime::next() const {
  return at_boundary<std::optional<RealtimeEvent>>(
      [&]() -> svc::Result<std::optional<RealtimeEvent>> {
        SVC_TRY(message, m_socket.state()->receive());
        if (!message) return std::optional<RealtimeEvent>();
        const nlohmann::json document = parse_reply(message->data);
        RealtimeEvent event{.type = text_member(document, "type"),
                            .json = std::move(message->data)};
        const std::string delta = text_member(document, {"delta", "transcript", "text"});
        if (event.type.ends_with("audio.delta")) {
          event.audio = base64_decode(delta).value_or("");
        } else {
          event.text = delta;
        }
        return std::optional(std::move(event));
      });
}

void Realtime::close() const {
  m_socket.close();
}

Result<Realtime> Client::realtime(const RealtimeOptions& realtime,
                                  const CallOptions& options) const {
  return run_call<Realtime>(m_state, options, [&](Call& call) -> svc::Result<Realtime> {
    FlagList flags(realtime.flags);
    flags.add_text("model", realtime.model);
    flags.add_text("voice", realtime.voice);
    flags.add_text("instructions", realtime.instructions);
    SVC_TRY(socket, open_socket(call, operation_of("realtime", "connect"), flags));
    return Realtime(std::move(socket));
  });
}

}  // namespace svc::v0
