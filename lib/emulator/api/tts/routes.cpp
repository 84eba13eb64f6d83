#include "emulator/handler/routes.h"

#include <deque>
#include <memory>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/account/ledger.h"
#include "emulator/account/models.h"
#include "emulator/api/realtime/open.h"
#include "emulator/api/tts/order.h"
#include "emulator/handler/socket.h"
#include "emulator/json/json.h"
#include "emulator/sound/speaker.h"

namespace svc::emulator {
namespace tts {
namespace {

using text::Json;

// When each character is heard; the text starts at `begin_s`.
Json timestamps(sv text, const std::vector<speech::CharTime>& times, double begin_s) {
  Json chars = Json::array();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    (void)decode_utf8(text, at);
    chars.push_back(text.substr(begin, at - begin));
  }
  return {{"graph_chars", std::move(chars)},
          {"graph_times", text::json_list(times, [&](const speech::CharTime& time) -> Json {
             return {{"start", begin_s + time.start}, {"end", begin_s + time.end}};
           })}};
}

/// One part of a turn, spoken phrase by phrase on a worker thread.
struct Part {
  Order order{};
  bool ends_turn = false;
};

/// Text arrives in chunks; complete sentences are spoken at once, the rest at text.done.
class TtsSession final : public SocketSession, public std::enable_shared_from_this<TtsSession> {
 public:
  TtsSession(Order order, const Call& call)
      : m_order(std::move(order)), m_state(*call.state), m_team(call.key.team_id) {}

  void on_open(std::shared_ptr<SocketPeer> peer) override { m_peer = std::move(peer); }
  void on_binary(std::string /*message*/) override { complain("This socket takes text messages."); }
  void on_text(std::string message) override;
  void on_closed(std::uint16_t /*code*/, std::string_view /*reason*/) override { m_turn += 1; }

 private:
  void complain(sv sentence) { send({{"type", "error"}, {"message", sentence}}); }
  void send(const Json& event) { m_peer->send_text(text::dump(event)); }
  void add_text(const std::string& delta);
  void queue(std::string text, bool ends_turn);
  void work();
  void deliver(std::uint64_t turn, const std::string& bytes, const Json& times);
  void part_done(std::uint64_t turn, const Error* error);
  void clear();

  Order m_order;
  State& m_state;
  std::string m_team;
  std::shared_ptr<SocketPeer> m_peer{};
  std::string m_text{};  ///< not yet passed on
  std::size_t m_turn_chars = 0;
  std::deque<Part> m_parts{};
  bool m_working = false;
  std::uint64_t m_turn = 0;                      ///< output for an earlier turn is dropped
  std::shared_ptr<speech::Encoder> m_encoder{};  ///< of this turn; used by one job at a time
  double m_spoken = 0;                           ///< seconds of this turn
};

void TtsSession::on_text(std::string message) {
  const Json event = text::parse_json(message);
  const std::string type = event.is_object() ? text::text_of(event, "type") : "";
  if (type == "text.delta") return add_text(text::text_of(event, "delta"));
  if (type == "text.done") return queue(std::exchange(m_text, {}), true);
  if (type == "text.clear") return clear();
  complain(event.is_object() ? fmt::format("Unknown message type '{}'.", excerpt(type, 60))
                             : "The message is not a JSON object.");
}

void TtsSession::add_text(const std::string& delta) {
  m_turn_chars += count_code_points(delta);
  if (m_turn_chars > k_longest_text) {
    return complain(fmt::format("text must have at most {} characters", k_longest_text));
  }
  m_text += delta;
  const auto end = m_text.find_last_of(".!?");
  if (end == std::string::npos || end + 1 >= m_text.size() || m_text[end + 1] != ' ') return;
  const std::string rest = m_text.substr(end + 1);
  m_text.resize(end + 1);
  queue(std::exchange(m_text, rest), false);
}

void TtsSession::queue(std::string text, bool ends_turn) {
  Part part{m_order, ends_turn};
  part.order.speech.text = std::move(text);
  m_parts.push_back(std::move(part));
  if (!m_working) work();
}

void TtsSession::work() {
  if (m_parts.empty()) return;
  m_working = true;
  auto part = std::make_shared<Part>(std::move(m_parts.front()));
  m_parts.pop_front();
  if (!m_encoder) {
    auto made =
        speech::Encoder::make(part->order.codec, part->order.speech.rate, part->order.bit_rate);
    if (!made) return part_done(m_turn, &made.error());
    m_encoder = *std::move(made);
  }
  const auto length = static_cast<std::int64_t>(count_code_points(part->order.speech.text));
  const auto charged =
      book_charges(m_state, m_team, std::vector{charge_for(k_spoken_character, length)});
  if (!charged) return part_done(m_turn, &charged.error());
  // The job reaches the session only through posted results.
  m_peer->run_apart([part, encoder = m_encoder, turn = m_turn, begin = m_spoken, peer = m_peer,
                     weak = weak_from_this()] {
    speech::Speaker speaker(part->order.speech);
    const auto post = [&](std::string bytes, std::optional<Error> error, bool done, Json times) {
      peer->post([weak, turn, bytes = std::move(bytes), error = std::move(error), done,
                  times = std::move(times), seconds = begin + speaker.seconds(), part] {
        const auto self = weak.lock();
        if (!self) return;
        if (self->m_turn == turn) self->m_spoken = seconds;
        if (!bytes.empty() || !times.is_null()) self->deliver(turn, bytes, times);
        if (error) self->part_done(turn, &*error);
        if (done) {
          if (part->ends_turn && self->m_turn == turn) {
            self->m_encoder = nullptr;
            self->m_spoken = 0;
            self->m_turn_chars = 0;
            self->send({{"type", "audio.done"}});
          }
          self->part_done(turn, nullptr);
        }
      });
    };
    while (!weak.expired()) {  // otherwise the session is gone
      auto samples = speaker.next();
      if (!samples) return post({}, samples.error(), false, nullptr);
      if (!*samples) break;
      post(encoder->feed(**samples), std::nullopt, false, nullptr);
    }
    Json times = part->order.with_timestamps
                     ? timestamps(part->order.speech.text, speaker.times(), begin)
                     : Json(nullptr);
    std::string rest = part->ends_turn ? encoder->finish() : "";
    post(std::move(rest), std::nullopt, true, std::move(times));
  });
}

void TtsSession::deliver(std::uint64_t turn, const std::string& bytes, const Json& times) {
  if (turn != m_turn) return;
  Json event = {{"type", "audio.delta"}, {"delta", base64_encode(bytes)}};
  if (!times.is_null()) event["audio_timestamps"] = times;
  send(event);
}

void TtsSession::part_done(std::uint64_t turn, const Error* error) {
  m_working = false;
  if (error != nullptr && turn == m_turn) {
    complain(error->hint.empty() ? error->message : error->message + " " + error->hint);
    m_peer->close(k_close_failure, "speech synthesis failed");
    return;
  }
  work();
}

void TtsSession::clear() {
  ++m_turn;
  m_text.clear();
  m_parts.clear();
  m_encoder = nullptr;
  m_spoken = 0;
  m_turn_chars = 0;
  send({{"type", "audio.clear"}});
}

std::variant<std::shared_ptr<SocketSession>, Answer> open_tts_socket(const Call& call) {
  Order order;
  if (auto refusal = read_query(call, order)) return *std::move(refusal);
  return std::make_shared<TtsSession>(std::move(order), call);
}

// A text this short is spoken so quickly that the WAV file is generated as a whole, with its true
// size.
constexpr std::size_t k_short_text = 1000;

Answer refuse_fault(const Error& error) {
  return refuse_speech(error.fault == Fault::Local ? 503 : 500,
                       error.hint.empty() ? error.message : error.message + " " + error.hint);
}

void add_trace(const Call& call, Answer& answer) {
  answer.headers.push_back({"x-trace-id", call.request_id});
}

/// An order being processed: phrases in, bytes out.
struct Stream {
  Stream(Order given, std::stop_token token)
      : order(std::move(given)), speaker(order.speech), stop(std::move(token)) {}

  Order order;
  speech::Speaker speaker;
  std::stop_token stop;
  std::unique_ptr<speech::Encoder> encoder{};
  /// Generated before the response's head, so that an error can set the status.
  std::string first{};
  bool ended = false;

  /// Returns the bytes of the next phrase; "" after the last.
  Result<std::string> next() {
    while (!ended && !stop.stop_requested()) {
      SVC_TRY(samples, speaker.next());
      if (!samples) {
        ended = true;
        return encoder->finish();
      }
      std::string bytes = encoder->feed(*samples);
      if (!bytes.empty()) return bytes;
    }
    return std::string();
  }
};

Result<std::string> speak_whole(Stream& stream) {
  speech::Samples all;
  for (;;) {
    SVC_TRY(samples, stream.speaker.next());
    if (!samples || stream.stop.stop_requested()) break;
    all.insert(all.end(), samples->begin(), samples->end());
  }
  SVC_TRY(encoder, speech::Encoder::make(stream.order.codec, stream.order.speech.rate,
                                         stream.order.bit_rate, all.size()));
  std::string bytes = encoder->feed(all);
  return bytes + encoder->finish();
}

Answer answer_whole(Stream& stream) {
  auto bytes = speak_whole(stream);
  if (!bytes) return refuse_fault(bytes.error());
  const Order& order = stream.order;
  if (order.with_timestamps) {
    return json_answer(
        {{"audio", base64_encode(*bytes)},
         {"content_type", speech::content_type(order.codec)},
         {"duration", stream.speaker.seconds()},
         {"audio_timestamps", timestamps(order.speech.text, stream.speaker.times(), 0)}});
  }
  Answer answer;
  answer.content_type = speech::content_type(order.codec);
  answer.body = *std::move(bytes);
  return answer;
}

Answer answer_streamed(const std::shared_ptr<Stream>& stream) {
  auto encoder =
      speech::Encoder::make(stream->order.codec, stream->order.speech.rate, stream->order.bit_rate);
  if (!encoder) return refuse_fault(encoder.error());
  stream->encoder = *std::move(encoder);
  auto first = stream->next();
  if (!first) return refuse_fault(first.error());
  stream->first = *std::move(first);
  Answer answer;
  answer.content_type = speech::content_type(stream->order.codec);
  answer.next = [stream]() -> std::optional<Piece> {
    if (!stream->first.empty()) return Piece{std::exchange(stream->first, {})};
    auto bytes = stream->next();
    if (!bytes) throw std::runtime_error(bytes.error().message);
    if (bytes->empty()) return std::nullopt;
    return Piece{*std::move(bytes)};
  };
  return answer;
}

Answer speak(const Call& call) {
  Order order;
  if (auto refusal = read_order(call, order)) return *std::move(refusal);
  const std::size_t length = count_code_points(order.speech.text);
  const auto stream = std::make_shared<Stream>(std::move(order), call.stop);
  const bool short_wav = stream->order.codec == speech::Codec::Wav && length <= k_short_text;
  Answer answer =
      stream->order.with_timestamps || short_wav ? answer_whole(*stream) : answer_streamed(stream);
  if (answer.status == 200) {
    answer.charges = {charge_for(k_spoken_character, static_cast<std::int64_t>(length))};
  }
  add_trace(call, answer);
  return answer;
}

Json voice_json(const speech::Voice& voice) {
  return {{"voice_id", voice.id}, {"name", voice.name}, {"language", "en"}};
}

Answer list_voices(const Call& call) {
  Answer answer = json_answer({{"voices", text::json_list(speech::voices(), voice_json)}});
  add_trace(call, answer);
  return answer;
}

Answer get_voice(const Call& call) {
  const std::string& id = call.params.at("voice_id");
  const speech::Voice* voice = speech::find_voice(id);
  if (voice == nullptr) {
    return refuse_speech(404, fmt::format("Voice '{}' not found.", excerpt(id, 60)));
  }
  Answer answer = json_answer(voice_json(*voice));
  add_trace(call, answer);
  return answer;
}

}  // namespace
}  // namespace tts

std::vector<Route> tts_routes() {
  constexpr const char* acl = "tts";
  Route speak{"POST", "/v1/tts", tts::speak, acl};
  speak.max_body = 1U << 20U;
  speak.run = RunOn::Worker;
  return {std::move(speak),
          {"GET", "/v1/tts/voices", tts::list_voices, acl},
          {"GET", "/v1/tts/voices/{voice_id}", tts::get_voice, acl},
          // Client secrets of realtime sessions are valid for this socket too.
          socket_route({.path = "/v1/tts",
                        .factory = tts::open_tts_socket,
                        .endpoint_acl = acl,
                        .secrets = realtime::find_client_secret})};
}

}  // namespace svc::emulator
