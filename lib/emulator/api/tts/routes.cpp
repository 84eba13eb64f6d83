#include "emulator/api/tts/routes.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/api/realtime/secrets.h"
#include "emulator/api/tts/order.h"
#include "emulator/api/tts/socket.h"
#include "emulator/json/json.h"
#include "emulator/json/json_answer.h"
#include "emulator/sound/voices.h"

namespace svc::emulator {
namespace tts {
namespace {

using text::Json;

// A WAV file that is spoken so quickly is made whole, and says its true size.
constexpr std::size_t k_short_text = 1000;

Answer refuse_fault(const Error& error) {
  return refuse_speech(error.fault == Fault::Local ? 503 : 500,
                       error.hint.empty() ? error.message : error.message + " " + error.hint);
}

void add_trace(const Call& call, Answer& answer) {
  answer.headers.push_back({"x-trace-id", call.request_id});
}

/// An order on its way: phrases in, bytes out.
struct Stream {
  Stream(Order given, std::stop_token token)
      : order(std::move(given)), speaker(order.speech), stop(std::move(token)) {}

  Order order;
  speech::Speaker speaker;
  std::stop_token stop;
  std::unique_ptr<speech::Encoder> encoder{};
  std::string first{};  ///< made before the answer's head, so that a failure has its status
  bool ended = false;

  /// The bytes of the next phrase; "" after the last.
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
  Answer answer;
  answer.content_type = speech::content_type(stream.order.codec);
  answer.body = *std::move(bytes);
  return answer;
}

Answer answer_timed(Stream& stream) {
  const auto bytes = speak_whole(stream);
  if (!bytes) return refuse_fault(bytes.error());
  Json chars = Json::array();
  const sv text = stream.order.speech.text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    (void)decode_utf8(text, at);
    chars.push_back(text.substr(begin, at - begin));
  }
  Json times = Json::array();
  for (const auto& time : stream.speaker.times()) {
    times.push_back(Json{{"start", time.start}, {"end", time.end}});
  }
  return json_answer({{"audio", base64_encode(*bytes)},
                      {"content_type", speech::content_type(stream.order.codec)},
                      {"duration", stream.speaker.seconds()},
                      {"audio_timestamps",
                       {{"graph_chars", std::move(chars)}, {"graph_times", std::move(times)}}}});
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
  Answer answer;
  if (stream->order.with_timestamps) {
    answer = answer_timed(*stream);
  } else if (stream->order.codec == speech::Codec::Wav && length <= k_short_text) {
    answer = answer_whole(*stream);
  } else {
    answer = answer_streamed(stream);
  }
  if (answer.status == 200) answer.charges = charges_for(length);
  add_trace(call, answer);
  return answer;
}

Json voice_json(const speech::Voice& voice) {
  return {{"voice_id", voice.id}, {"name", voice.name}, {"language", "en"}};
}

Answer list_voices(const Call& call) {
  Json list = Json::array();
  for (const auto& voice : speech::voices()) list.push_back(voice_json(voice));
  Answer answer = json_answer({{"voices", std::move(list)}});
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
          // The secrets of realtime sessions open this socket too.
          socket_route({.path = "/v1/tts",
                        .factory = tts::open_tts_socket,
                        .endpoint_acl = acl,
                        .secrets = realtime::find_client_secret})};
}

}  // namespace svc::emulator
