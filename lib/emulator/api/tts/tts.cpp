#include <cctype>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "emulator/account/ledger.h"
#include "emulator/api/realtime/session.h"
#include "emulator/handler/socket.h"
#include "emulator/sound/audio.h"
#include "emulator/sound/speaker.h"

namespace svc::emulator::tts {
namespace {

struct SpeechParams {
  speech::Speech speech{};
  speech::Codec codec = speech::Codec::Mp3;
  int bit_rate = 128'000;
  bool with_timestamps = false;
};

/// The longest text, in characters.
inline constexpr std::size_t k_max_text_length = 15'000;

// The error message for an invalid field.
using ErrorMessage = std::optional<std::string>;

constexpr std::array<std::int64_t, 6> k_rates = {8000, 16000, 22050, 24000, 44100, 48000};
constexpr std::array<std::int64_t, 5> k_bit_rates = {32000, 64000, 96000, 128000, 192000};
constexpr double k_slowest = 0.7;
constexpr double k_fastest = 1.5;

// "en", "pt-BR": a BCP-47 code of two or three letters, with parts of two to eight.
bool is_language(sv text) {
  bool first = true;
  for (const sv part : split(text, '-')) {
    const bool letters = std::ranges::all_of(
        part, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    if (!letters || part.size() < 2 || part.size() > (first ? 3U : 8U)) return false;
    first = false;
  }
  return true;
}

using text::Json;

ErrorMessage set_voice(SpeechParams& params, sv id) {
  if (!speech::voice_settings(id)) {
    std::vector<sv> known;
    for (const auto& voice : speech::voices()) known.push_back(voice.id);
    return fmt::format("Unknown voice '{}'. Available voices: {}", shown(id), join(known, ", "));
  }
  params.speech.voice = id;
  return std::nullopt;
}

ErrorMessage set_language(sv language) {
  if (equals_ignore_case(language, "auto") || is_language(language)) return std::nullopt;
  return fmt::format("language must be 'auto' or a BCP-47 code such as en or pt-BR, not '{}'",
                     shown(language));
}

// One of the known rates, if there is one.
template <std::size_t Count>
ErrorMessage set_rate(const Json& format, sv name, const std::array<std::int64_t, Count>& known,
                      int& into) {
  const auto rate = text::get_integer(format, name);
  if (!rate) return std::nullopt;
  if (!has_element(known, *rate)) {
    return fmt::format("{} must be one of {}, not {}", name, fmt::join(known, ", "), *rate);
  }
  into = static_cast<int>(*rate);
  return std::nullopt;
}

ErrorMessage read_format(const Json& format, SpeechParams& params) {
  if (const Json* name = text::member(format, "codec")) {
    const auto codec = speech::find_codec(name->get_ref<const std::string&>());
    if (!codec) {
      return fmt::format("codec must be one of mp3, wav, pcm, mulaw, alaw, not '{}'",
                         shown(name->get_ref<const std::string&>()));
    }
    params.codec = *codec;
  }
  if (auto bad = set_rate(format, "sample_rate", k_rates, params.speech.rate)) return bad;
  return set_rate(format, "bit_rate", k_bit_rates, params.bit_rate);
}

ErrorMessage read_replacements(const Json& body, SpeechParams& params) {
  const Json* replace = text::member(body, "replace");
  if (replace == nullptr) return std::nullopt;
  for (const auto& [written, spoken] : replace->items()) {
    if (!spoken.is_string()) return "replace maps each phrase to a text";
    params.speech.replace[to_lower(trim(written))] = spoken.get<std::string>();
  }
  return std::nullopt;
}

// Reads everything except the text.
ErrorMessage read_manner(const Json& body, SpeechParams& params) {
  if (auto bad = set_voice(params, text::get_string(body, "voice_id", speech::k_default_voice))) {
    return bad;
  }
  if (const Json* format = text::member(body, "output_format")) {
    if (auto bad = read_format(*format, params)) return bad;
  }
  params.speech.speed = text::get_number(body, "speed").value_or(1);
  if (!(params.speech.speed >= k_slowest && params.speech.speed <= k_fastest)) {
    return fmt::format("speed must be between {} and {}", k_slowest, k_fastest);
  }
  const auto level = text::get_integer(body, "optimize_streaming_latency").value_or(0);
  if (level != 0 && level != 1) {
    return fmt::format("optimize_streaming_latency must be 0 or 1, not {}", level);
  }
  params.speech.quick_start = level == 1;
  params.with_timestamps = text::get_bool(body, "with_timestamps", false);
  return read_replacements(body, params);
}

ErrorMessage read_members(const Json& body, SpeechParams& params) {
  params.speech.text = text::get_string(body, "text");
  const std::size_t length = count_code_points(params.speech.text);
  if (trim(params.speech.text).empty()) return "text must not be empty";
  if (length > k_max_text_length) {
    return fmt::format("text must have at most {} characters, not {}", k_max_text_length, length);
  }
  if (auto bad = set_language(text::get_string(body, "language"))) return bad;
  return read_manner(body, params);
}

// Adds a parameter of the query to the members of a request; unknown ones are ignored.
ErrorMessage add_parameter(sv name, sv value, Json& body) {
  constexpr std::array<sv, 3> k_formats = {"codec", "sample_rate", "bit_rate"};
  constexpr std::array<sv, 3> k_whole = {"sample_rate", "bit_rate", "optimize_streaming_latency"};
  const std::string member(name == "voice" ? sv("voice_id") : name);
  const bool format = has_element(k_formats, name);
  Json& into = format ? body["output_format"][member] : body[member];
  if (has_element(k_whole, name)) {
    const auto number = parse_integer(value);
    if (!number) return fmt::format("{} must be a whole number", name);
    into = *number;
  } else if (name == "speed") {
    into = parse_number(value).value_or(0);
  } else if (name == "text_normalization" || name == "with_timestamps") {
    // The speaker always reads numbers and abbreviations as words.
    if (value != "true" && value != "false") return fmt::format("{} must be true or false", name);
    into = value == "true";
  } else {
    into = value;
  }
  return name == "language" ? set_language(value) : std::nullopt;
}

// `{"error": "…"}`: speech errors have no code.
Response speech_error(int status, sv message) {
  return Response{.status = status, .body = fmt::format(R"({{"error":{}}})", json_quote(message))};
}

// Parses an order from JSON, and from a query.

std::optional<Response> read_params(const Request& request, SpeechParams& params) {
  SVC_TRY(body, text::read_body(request, "speech"));
  if (const auto bad = read_members(body, params)) return speech_error(400, *bad);
  return std::nullopt;
}

// Parses the query of the socket /v1/tts: the same fields without the text.
std::optional<Response> read_query(const Request& request, SpeechParams& params) {
  Json body = Json::object();
  for (const auto& [name, value] : request.query) {
    if (value.empty() || name == "replace") continue;
    if (const auto bad = add_parameter(name, value, body)) return speech_error(400, *bad);
  }
  if (const auto bad = read_manner(body, params)) return speech_error(400, *bad);
  return std::nullopt;
}

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
  SpeechParams params{};
  bool ends_turn = false;
};

/// Text arrives in chunks; complete sentences are spoken at once, the rest at text.done.
class TtsSession final : public SocketSession, public std::enable_shared_from_this<TtsSession> {
 public:
  TtsSession(SpeechParams params, const Request& request)
      : m_params(std::move(params)), m_state(*request.state), m_team(request.key.team_id) {}

  void on_open(std::shared_ptr<SocketPeer> peer) override { m_peer = std::move(peer); }
  void on_binary(std::string /*message*/) override {
    send_error("This socket takes text messages.");
  }

  void on_text(std::string message) override {
    const Json event = text::parse_json(message);
    const std::string type = event.is_object() ? text::get_string(event, "type") : "";
    if (type == "text.delta") return add_text(text::get_string(event, "delta"));
    if (type == "text.done") return queue(std::exchange(m_text, {}), true);
    if (type == "text.clear") return clear();
    send_error(event.is_object() ? fmt::format("Unknown message type '{}'.", excerpt(type))
                                 : "The message is not a JSON object.");
  }

  void on_closed(std::uint16_t /*code*/, sv /*reason*/) override { m_turn += 1; }

 private:
  void send_error(sv message) { send({{"type", "error"}, {"message", message}}); }
  void send(const Json& event) { m_peer->send_text(text::dump(event)); }

  void add_text(const std::string& delta) {
    m_turn_chars += count_code_points(delta);
    if (m_turn_chars > k_max_text_length) {
      return send_error(fmt::format("text must have at most {} characters", k_max_text_length));
    }
    m_text += delta;
    const auto end = m_text.find_last_of(".!?");
    if (end == std::string::npos || end + 1 >= m_text.size() || m_text[end + 1] != ' ') return;
    const std::string rest = m_text.substr(end + 1);
    m_text.resize(end + 1);
    queue(std::exchange(m_text, rest), false);
  }

  void queue(std::string text, bool ends_turn) {
    Part part{m_params, ends_turn};
    part.params.speech.text = std::move(text);
    m_parts.push_back(std::move(part));
    if (!m_working) work();
  }

  void work() {
    if (m_parts.empty()) return;
    m_working = true;
    auto part = std::make_shared<Part>(std::move(m_parts.front()));
    m_parts.pop_front();
    if (!m_encoder) {
      auto made = speech::Encoder::make(part->params.codec, part->params.speech.rate,
                                        part->params.bit_rate);
      if (!made) return part_done(m_turn, &made.error());
      m_encoder = *std::move(made);
    }
    const auto length = static_cast<std::int64_t>(count_code_points(part->params.speech.text));
    const auto charged =
        charge_team(m_state, m_team, std::vector{charge_for(k_spoken_character, length)});
    if (!charged) return part_done(m_turn, &charged.error());
    // The job reaches the session only through posted results.
    m_peer->run_blocking([part, encoder = m_encoder, turn = m_turn, begin = m_spoken, peer = m_peer,
                          weak = weak_from_this()] {
      speech::Speaker speaker(part->params.speech);
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
      Json times = part->params.with_timestamps
                       ? timestamps(part->params.speech.text, speaker.times(), begin)
                       : Json(nullptr);
      std::string rest = part->ends_turn ? encoder->finish() : "";
      post(std::move(rest), std::nullopt, true, std::move(times));
    });
  }

  void deliver(std::uint64_t turn, const std::string& bytes, const Json& times) {
    if (turn != m_turn) return;
    Json event = {{"type", "audio.delta"}, {"delta", base64_encode(bytes)}};
    if (!times.is_null()) event["audio_timestamps"] = times;
    send(event);
  }

  void part_done(std::uint64_t turn, const Error* error) {
    m_working = false;
    if (error != nullptr && turn == m_turn) {
      send_error(sentences_of(*error));
      m_peer->close(k_close_failure, "speech synthesis failed");
      return;
    }
    work();
  }

  void clear() {
    ++m_turn;
    m_text.clear();
    m_parts.clear();
    m_encoder = nullptr;
    m_spoken = 0;
    m_turn_chars = 0;
    send({{"type", "audio.clear"}});
  }

  SpeechParams m_params;
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

std::variant<std::shared_ptr<SocketSession>, Response> open_tts_socket(const Request& request) {
  SpeechParams params;
  if (auto refusal = read_query(request, params)) return *std::move(refusal);
  return std::make_shared<TtsSession>(std::move(params), request);
}

// A text this short is spoken so quickly that the WAV file is generated as a whole, with its true
// size.
constexpr std::size_t k_short_text = 1000;

Response fault_rule_error(const Error& error) {
  return speech_error(error.fault == Fault::Local ? 503 : 500, sentences_of(error));
}

void add_trace(const Request& request, Response& response) {
  response.headers.push_back({"x-trace-id", request.request_id});
}

/// An order being processed: phrases in, bytes out.
struct Stream {
  Stream(SpeechParams given, std::stop_token token)
      : params(std::move(given)), speaker(params.speech), stop(std::move(token)) {}

  SpeechParams params;
  speech::Speaker speaker;
  std::stop_token stop;
  std::unique_ptr<speech::Encoder> encoder{};
  /// Generated before the response's head, so that an error can set the status.
  std::string first{};
  bool ended = false;

  /// Begins with the first phrase; with `whole`, speaks all of them.
  Result<void> begin(bool whole) {
    speech::Samples all;
    while (whole && !stop.stop_requested()) {
      SVC_TRY(samples, speaker.next());
      if (!samples) break;
      all.insert(all.end(), samples->begin(), samples->end());
    }
    SVC_TRY(made, speech::Encoder::make(params.codec, params.speech.rate, params.bit_rate,
                                        whole ? std::optional(all.size()) : std::nullopt));
    encoder = std::move(made);
    if (whole) {
      ended = true;
      first = encoder->feed(all);
      first += encoder->finish();
      return {};
    }
    SVC_TRY(bytes, next());
    first = std::move(bytes);
    return {};
  }

  /// Returns the bytes of the next phrase; "" after the last.
  Result<std::string> next() {
    if (!first.empty()) return std::exchange(first, {});
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

// Sends what `next` returns, up to "". An error breaks the connection.
std::function<std::optional<StreamChunk>()> chunks_of(std::function<Result<std::string>()> next) {
  return [next = std::move(next)]() -> std::optional<StreamChunk> {
    auto bytes = next();
    if (!bytes) throw std::runtime_error(bytes.error().message);
    if (bytes->empty()) return std::nullopt;
    return StreamChunk{*std::move(bytes)};
  };
}

/// The JSON document with audio and timestamps, part by part: the audio may be long, and its times
/// are known only after its end.
struct TimedStream {
  std::shared_ptr<Stream> stream;
  std::string rest{};  ///< bytes that do not fill a group of base64
  bool begun = false;
  bool ended = false;

  Result<std::string> next() {
    if (ended) return std::string();
    SVC_TRY(bytes, stream->next());
    rest += bytes;
    std::string part = std::exchange(begun, true) ? "" : R"({"audio":")";
    const std::size_t whole = bytes.empty() ? rest.size() : rest.size() / 3 * 3;
    part += base64_encode(sv(rest).substr(0, whole));
    rest.erase(0, whole);
    if (!bytes.empty()) return part.empty() ? next() : part;
    ended = true;
    const SpeechParams& params = stream->params;
    const Json end = {
        {"content_type", speech::content_type(params.codec)},
        {"duration", stream->speaker.seconds()},
        {"audio_timestamps", timestamps(params.speech.text, stream->speaker.times(), 0)}};
    return part + "\"," + text::dump(end).substr(1);
  }
};

Response speak(const Request& request) {
  SpeechParams params;
  if (auto refusal = read_params(request, params)) return *std::move(refusal);
  const std::size_t length = count_code_points(params.speech.text);
  const auto stream = std::make_shared<Stream>(std::move(params), request.stop);
  const bool whole = length <= k_short_text && stream->params.codec == speech::Codec::Wav;
  Response response;
  if (const auto begun = stream->begin(whole); !begun) {
    response = fault_rule_error(begun.error());
  } else if (stream->params.with_timestamps) {
    const auto timed = std::make_shared<TimedStream>(TimedStream{stream});
    response.next = chunks_of([timed] { return timed->next(); });
    while (length <= k_short_text && response.next) {  // a document of which rules can set members
      auto part = timed->next();
      if (!part) response = fault_rule_error(part.error());
      if (part) response.body += *part;
      if (!part || part->empty()) response.next = nullptr;
    }
  } else {
    response.content_type = speech::content_type(stream->params.codec);
    response.body = whole ? stream->first : "";
    if (!whole) response.next = chunks_of([stream] { return stream->next(); });
  }
  if (response.status == 200) {
    response.charges = {charge_for(k_spoken_character, static_cast<std::int64_t>(length))};
  }
  add_trace(request, response);
  return response;
}

Json voice_json(const speech::Voice& voice) {
  return {{"voice_id", voice.id}, {"name", voice.name}, {"language", "en"}};
}

Response list_voices(const Request& request) {
  Response response = json_response({{"voices", text::json_list(speech::voices(), voice_json)}});
  add_trace(request, response);
  return response;
}

Response get_voice(const Request& request) {
  const std::string& id = request.params.at("voice_id");
  const speech::Voice* voice = speech::find_voice(id);
  if (voice == nullptr) {
    return speech_error(404, fmt::format("Voice '{}' not found.", excerpt(id)));
  }
  Response response = json_response(voice_json(*voice));
  add_trace(request, response);
  return response;
}

}  // namespace
}  // namespace svc::emulator::tts

auto svc::emulator::tts_routes() -> std::vector<Route> {
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
