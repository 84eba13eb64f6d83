// Requests to /v1/tts and /v1/stt: errors, results, costs; the WebSockets.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "emulator/account/ledger.h"
#include "emulator/api/stt/stt.h"
#include "emulator/handler/handler.h"
#include "emulator/sound/listener.h"
#include "emulator/sound/speaker.h"
#include "unit/emulator/area_support.h"
#include "unit/emulator/core_support.h"
#include "unit/emulator/realtime_support.h"
#include "unit/emulator/socket_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace std::chrono_literals;
using nlohmann::json;
using test::Area;
using test::FormField;
using test::SocketClient;

namespace {

bool can_speak() {
  if (speech::flite_is_built_in() && speech::check_flite()) return true;
  MESSAGE("flite is not built in");
  return false;
}

bool can_listen() {
  return can_speak() && speech::recognizer_is_built_in();
}

std::vector<Route> voice_routes() {
  std::vector<Route> routes = tts_routes();
  for (auto& route : stt_routes()) routes.push_back(std::move(route));
  return routes;
}

std::vector<Header> json_type() {
  return {{"Content-Type", "application/json"}};
}

Response synthesize(Area& area, const json& body) {
  return area.call("POST", "/v1/tts", body.dump(), json_type());
}

std::string all_of(const Response& response) {
  std::string bytes = response.body;
  if (!response.next) return bytes;
  while (auto piece = response.next()) bytes += piece->bytes;
  return bytes;
}

// 16-bit little-endian samples at 16 kHz of that sentence, and half a second of silence.
std::string spoken_pcm(const std::string& text, const char* voice = "eve") {
  speech::Speaker speaker(
      {.text = text, .voice = std::string(voice), .rate = speech::k_listen_rate});
  std::string bytes;
  for (;;) {
    auto samples = speaker.next();
    REQUIRE(samples.has_value());
    if (!*samples) break;
    bytes.append(reinterpret_cast<const char*>((*samples)->data()), (*samples)->size() * 2);
  }
  return bytes + std::string(16'000, '\0');
}

Response transcribe(Area& area, std::vector<FormField> fields, const std::string& file) {
  if (!file.empty()) fields.push_back({"file", file, "a.raw", "application/octet-stream"});
  return area.call("POST", "/v1/stt", test::form_body(fields), test::form_headers());
}

/// A stream of transcription without a socket.
struct Stream {
  explicit Stream(std::vector<Header> query)
      : state(*State::open(":memory:", [] { return k_now_ms; })) {
    Request request;
    request.state = state.get();
    request.key.team_id = k_demo_team_id;
    request.query = std::move(query);
    auto opened = stt::open_stream(request);
    REQUIRE(std::holds_alternative<std::shared_ptr<SocketSession>>(opened));
    session = std::get<std::shared_ptr<SocketSession>>(std::move(opened));
    session->on_open(peer);
  }
  [[nodiscard]] std::int64_t charged_units() const {
    const auto lines = state->with([](Database& database) {
      return billing::usage_of(database, k_demo_team_id,
                               {.begin_s = 0, .end_s = k_now_ms / 1000 + 10});
    });
    REQUIRE(lines);
    std::int64_t units = 0;
    for (const billing::UsageLine& line : *lines) units += line.charge.units;
    return units;
  }

  static constexpr std::int64_t k_now_ms = 1'800'000'000'000;
  std::unique_ptr<State> state;
  std::shared_ptr<test::FakePeer> peer = std::make_shared<test::FakePeer>();
  std::shared_ptr<SocketSession> session{};
};

bool body_contains(const Response& response, int status, std::string_view part) {
  CAPTURE(response.body);
  CHECK(response.status == status);
  return response.body.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("synthesis rejects requests beyond its limits, with an error without code") {
  Area area(voice_routes());
  const json good = {{"text", "Hello."}, {"language", "en"}};
  const auto with = [&](json more) {
    json body = good;
    body.update(more);
    return synthesize(area, body);
  };
  CHECK(body_contains(synthesize(area, {{"language", "en"}}), 422, "missing field `text`"));
  CHECK(body_contains(synthesize(area, {{"text", "x"}}), 422, "missing field `language`"));
  CHECK(with({{"speed", 2}}).body == R"({"error":"speed must be between 0.7 and 1.5"})");
  CHECK(body_contains(with({{"text", " "}}), 400, "empty"));
  CHECK(body_contains(with({{"text", std::string(15'001, 'x')}}), 400, "15000"));
  CHECK(body_contains(with({{"language", "english!"}}), 400, "BCP-47"));
  CHECK(body_contains(with({{"voice_id", "nobody"}}), 400, "carina"));
  CHECK(body_contains(with({{"optimize_streaming_latency", 2}}), 400, "0 or 1"));
  CHECK(body_contains(with({{"output_format", {{"sample_rate", 8000}}}}), 422, "codec"));
  CHECK(body_contains(with({{"output_format", {{"codec", "flac"}}}}), 400, "mulaw"));
  CHECK(body_contains(with({{"output_format", {{"codec", "wav"}, {"sample_rate", 11025}}}}), 400,
                      "22050"));
  CHECK(
      body_contains(with({{"output_format", {{"codec", "mp3"}, {"bit_rate", 1}}}}), 400, "192000"));
}

TEST_CASE("voices") {
  Area area(voice_routes());
  const json list = area.json("GET", "/v1/tts/voices");
  CHECK(list["voices"].size() == 26);
  CHECK(list["voices"][0]["voice_id"] == "carina");
  CHECK(area.json("GET", "/v1/tts/voices/Eve")["name"] == "Eve");
  CHECK(body_contains(area.call("GET", "/v1/tts/voices/nobody"), 404, "nobody"));
}

TEST_CASE("speech in each codec, streamed or whole; reproducible; with its cost") {
  if (!can_speak()) return;
  Area area(voice_routes());
  const auto order = [&](const char* codec, int rate, const std::string& text = "Good morning.") {
    return synthesize(area, {{"text", text},
                             {"language", "AUTO"},
                             {"output_format", {{"codec", codec}, {"sample_rate", rate}}}});
  };
  const Response wav = order("wav", 8000);
  CHECK(wav.status == 200);
  CHECK(wav.content_type == "audio/wav");
  REQUIRE(wav.charges.size() == 1);
  CHECK(wav.charges[0].units == 13);
  const std::string whole = all_of(wav);
  std::uint32_t size = 0;
  REQUIRE(whole.size() > 44);
  std::memcpy(&size, whole.data() + 40, 4);
  CHECK(size == whole.size() - 44);
  const Response pcm = order("pcm", 8000);
  CHECK(pcm.content_type == "audio/pcm");
  CHECK(all_of(pcm) == whole.substr(44));
  CHECK(all_of(order("mulaw", 8000)).size() == size / 2);
  CHECK(all_of(order("pcm", 48000)).size() == doctest::Approx(size * 6).epsilon(0.01));
  // A file of up to a thousand characters has its true size.
  for (const std::size_t length : {1'000, 1'001}) {
    const Response one = order("wav", 8000, "x" + std::string(length - 1, ' '));
    CHECK(one.body.empty() == (length == 1'001));
    const std::string file = all_of(one);
    REQUIRE(file.size() > 44);
    std::memcpy(&size, file.data() + 40, 4);
    CHECK((size == file.size() - 44) == (length == 1'000));
    const Response timed = synthesize(area, {{"text", "x" + std::string(length - 1, ' ')},
                                             {"language", "en"},
                                             {"with_timestamps", true},
                                             {"output_format", {{"codec", "pcm"}}}});
    CHECK(timed.body.empty() == (length == 1'001));
    CHECK(json::parse(all_of(timed))["content_type"] == "audio/pcm");
  }
  // Phrases are replaced whatever their case, and with blanks around them.
  const auto replaced = [&](const char* text, const json& replace) {
    return all_of(synthesize(area, {{"text", text},
                                    {"language", "en"},
                                    {"replace", replace},
                                    {"output_format", {{"codec", "pcm"}}}}));
  };
  CHECK(replaced("A New York day", {{" New York ", "nice"}}) ==
        replaced("A nice day", json::object()));
  const Response two =
      order("pcm", 16000, "Here is the first sentence. And here is the second one.");
  REQUIRE(two.next);
  int pieces = 0;
  while (two.next()) ++pieces;
  CHECK(pieces == 2);
  const Response mp3 = synthesize(area, {{"text", "Hello."}, {"language", "en"}});
  CHECK((mp3.status == 503 || mp3.content_type == "audio/mpeg"));
}

TEST_CASE("timestamps: one per character, in order, within the audio; speed and tags change them") {
  if (!can_speak()) return;
  Area area(voice_routes());
  const auto timed = [&](const std::string& text, double speed) {
    const Response response =
        synthesize(area, {{"text", text},
                          {"language", "en"},
                          {"with_timestamps", true},
                          {"speed", speed},
                          {"output_format", {{"codec", "pcm"}, {"sample_rate", 16000}}}});
    REQUIRE(response.status == 200);
    return json::parse(response.body);
  };
  const json plain = timed("H\xc3\xa9llo [pause] world.", 1.0);
  const json& chars = plain["audio_timestamps"]["graph_chars"];
  const json& times = plain["audio_timestamps"]["graph_times"];
  CHECK(plain["content_type"] == "audio/pcm");
  REQUIRE(chars.size() == 20);
  REQUIRE(times.size() == 20);
  CHECK(chars[1] == "\xc3\xa9");
  double last = 0;
  for (const json& time : times) {
    CHECK(time["start"].get<double>() >= last - 1e-9);
    CHECK(time["end"].get<double>() >= time["start"].get<double>());
    last = time["end"].get<double>();
  }
  const double duration = plain["duration"].get<double>();
  CHECK(last <= duration + 1e-6);
  CHECK(times[12]["end"].get<double>() - times[6]["start"].get<double>() ==
        doctest::Approx(0.5).epsilon(0.01));
  const auto audio = base64_decode(plain["audio"].get<std::string>());
  REQUIRE(audio.has_value());
  CHECK(static_cast<double>(audio->size()) / 32'000 == doctest::Approx(duration));
  CHECK(timed("H\xc3\xa9llo [pause] world.", 1.5)["duration"].get<double>() < duration * 0.75);
}

TEST_CASE("uploads with conflicting fields are rejected") {
  Area area(voice_routes());
  const std::string sound(3200, '\0');
  const std::vector<FormField> raw = {{"audio_format", "pcm"}, {"sample_rate", "16000"}};
  const auto with = [&](const std::vector<FormField>& more) {
    std::vector<FormField> fields = raw;
    fields.insert(fields.end(), more.begin(), more.end());
    return transcribe(area, fields, sound);
  };
  CHECK(with({}).status == 200);
  CHECK(body_contains(transcribe(area, raw, ""), 400, "Exactly one of file or url"));
  CHECK(body_contains(with({{"url", "http://127.0.0.1:1/a.wav"}}), 400, "Exactly one"));
  CHECK(body_contains(transcribe(area, {{"url", "https://example.com/a.wav"}}, ""), 502,
                      "this machine"));
  CHECK(body_contains(transcribe(area, {{"audio_format", "pcm"}}, sound), 400, "sample_rate"));
  CHECK(body_contains(with({{"sample_rate", "11025"}}), 400, "22050"));
  CHECK(body_contains(with({{"format", "true"}}), 400, "requires language"));
  CHECK(body_contains(with({{"language", "auto"}}), 400, "language"));
  CHECK(body_contains(with({{"multichannel", "true"}}), 400, "channels"));
  CHECK(body_contains(with({{"multichannel", "yes"}}), 400, "true or false"));
  CHECK(body_contains(with({{"channels", "9"}}), 400, "2 to 8"));
  CHECK(body_contains(with({{"vad_threshold", "1.5"}}), 400, "0.0 to 1.0"));
  CHECK(body_contains(with({{"keyterm", std::string(51, 'x')}}), 400, "50"));
  CHECK(body_contains(with(std::vector<FormField>(101, {"keyterm", "x"})), 400, "100"));
  CHECK(with(std::vector<FormField>(100, {"keyterm", "x"})).status == 200);
  CHECK(body_contains(with({{"model", "svc-9"}}), 400, "svc-9"));
  CHECK(with({{"model", "svc-voice-transcribe-2.0"}}).status == 200);
  CHECK(area.call("POST", "/v1/stt", "{}", json_type()).status == 415);
  CHECK(body_contains(transcribe(area, {},
                                 std::string("\0\0\0\x20"
                                             "ftypM4A ",
                                             12)),
                      400, "m4a"));
  CHECK(body_contains(transcribe(area, {}, "what is this?"), 400, "not recognized"));
  // Fields after the file are ignored.
  std::string body = test::form_body({{"audio_format", "pcm"},
                                      {"sample_rate", "16000"},
                                      {"file", sound, "a.raw", ""},
                                      {"channels", "99"}});
  const Response late = area.call("POST", "/v1/stt", body, test::form_headers());
  CHECK(late.status == 200);
  CHECK(json::parse(late.body) == json{{"text", ""}, {"language", ""}, {"duration", 0.1}});
  CHECK(late.charges.at(0).units == 1);
}

TEST_CASE("an uploaded file has at most 500 MB") {
  const std::vector<Route> routes = stt_routes();
  const auto state = State::open(":memory:");
  REQUIRE(state.has_value());
  const auto upload = [&](std::uint64_t size) {
    Request request;
    request.state = state->get();
    request.headers = test::form_headers();
    const std::string form = test::form_body({{"file", "", "a.raw", "application/octet-stream"}});
    const std::size_t end = form.find("\r\n--XX--");
    REQUIRE(end != std::string::npos);
    request.body_file = std::make_shared<FileBackedBuffer>();
    REQUIRE(request.body_file->append(form.substr(0, end)));
    const auto path = request.body_file->path();
    REQUIRE(path.has_value());
    std::filesystem::resize_file(*path, end + size);  // zeros that take no room
    std::ofstream(*path, std::ios::app | std::ios::binary) << form.substr(end);
    const auto route = std::ranges::find_if(
        routes, [](const Route& one) { return one.method == "POST" && one.path == "/v1/stt"; });
    REQUIRE(route != routes.end());
    return route->handler(request);
  };
  CHECK(body_contains(upload(500'000'000), 400, "The audio format was not recognized."));
  CHECK(upload(500'000'001).body ==
        R"({"code":"Payload too large","error":"The file is larger than 500 MB."})");
}

TEST_CASE("an upload's words, their times and channels; from a file as from memory") {
  if (!can_listen()) return;
  Area area(voice_routes());
  const std::string left = spoken_pcm("The train to London leaves in the morning.");
  const std::string right = spoken_pcm("The weather is very nice today.", "rex");
  std::string both;
  for (std::size_t i = 0; i < left.size() + right.size(); i += 2) {  // first the second channel
    both += i < right.size() ? std::string(2, '\0') : left.substr(i - right.size(), 2);
    both += i < right.size() ? right.substr(i, 2) : std::string(2, '\0');
  }
  const Response response = transcribe(area,
                                       {{"audio_format", "pcm"},
                                        {"sample_rate", "16000"},
                                        {"multichannel", "true"},
                                        {"channels", "2"},
                                        {"language", "en"},
                                        {"format", "true"}},
                                       both);
  REQUIRE_MESSAGE(response.status == 200, response.body);
  const json out = json::parse(response.body);
  CAPTURE(response.body);
  REQUIRE(out["channels"].size() == 2);
  CHECK(out["channels"][1]["index"] == 1);
  const std::string text = out["text"];
  CHECK(text.starts_with("The weather"));
  CHECK(text.find("today. The train") != std::string::npos);
  CHECK(out["channels"][0]["text"].get<std::string>().find("weather") == std::string::npos);
  CHECK(out["duration"].get<double>() ==
        doctest::Approx(static_cast<double>(both.size()) / 64'000).epsilon(0.01));
  const json& words = out["words"];
  REQUIRE(words.size() > 8);
  CHECK(words.back()["end"].get<double>() <= out["duration"].get<double>());
  for (std::size_t i = 1; i < words.size(); ++i) CHECK(words[i - 1]["start"] <= words[i]["start"]);
  CHECK_FALSE(words[0].contains("speaker"));
  // Without channels of their own, all are heard; here the second one speaks.
  const json mixed = json::parse(
      transcribe(area, {{"audio_format", "pcm"}, {"sample_rate", "16000"}, {"channels", "2"}},
                 both.substr(0, 2 * right.size()))
          .body);
  CHECK_FALSE(mixed.contains("channels"));
  CHECK(mixed["text"].get<std::string>().find("weather") != std::string::npos);
}

TEST_CASE("row 57: an invalid query of a WebSocket is rejected before the upgrade") {
  test::TestServer server(voice_routes());
  const auto expect_error = [&](const std::string& query, std::string_view part) {
    SocketClient client(server.port(), "/v1/stt?" + query);
    CAPTURE(query);
    CHECK(client.status() == 400);
    CHECK_MESSAGE(client.body().find(part) != std::string::npos, client.body());
  };
  expect_error("sample_rate=11025", "22050");
  expect_error("encoding=opus", "mulaw");
  expect_error("interim_results=1", "true or false");
  expect_error("endpointing=5001", "5000");
  expect_error("channels=2", "multichannel");
  expect_error("multichannel=true", "channels");
  expect_error("channels=9&multichannel=true", "1 to 8");
  expect_error("smart_turn=2", "0.0 to 1.0");
  expect_error("smart_turn_timeout=100", "smart_turn");
  expect_error("smart_turn=0.5&smart_turn_timeout=0", "1 to 5000");
  expect_error("vad_threshold=-1", "0.0 to 1.0");
  expect_error("keyterm=" + std::string(51, 'x'), "50");
  CHECK(SocketClient(server.port(), "/v1/tts?codec=flac").status() == 400);
  CHECK(SocketClient(server.port(), "/v1/stt", {}).status() == 401);
}

TEST_CASE("streaming: created, interim and final events, finalize, done; the same at any pace") {
  if (!can_listen()) return;
  test::TestServer server(voice_routes());
  const std::string sound = spoken_pcm("The train to London leaves in the morning.") +
                            spoken_pcm("The weather is very nice today.", "rex");
  const auto listen = [&](std::size_t chunk, const std::string& query) {
    SocketClient client(server.port(), "/v1/stt?" + query);
    json created = client.receive_json();
    CHECK(created["type"] == "transcript.created");
    for (std::size_t at = 0; at < sound.size(); at += chunk) {
      client.send_binary(sound.substr(at, chunk));
    }
    client.send_text(R"({"type":"nonsense"})");
    client.send_text(R"({"type":"audio.done"})");
    json events = json::array();
    for (;;) {
      const auto message = client.receive(30s);
      if (message.kind == SocketClient::Message::Kind::Closed) {
        CHECK(message.code == 1000);
        return events;
      }
      REQUIRE(message.kind == SocketClient::Message::Kind::Text);
      events.push_back(json::parse(message.bytes));
    }
  };
  const auto count = [](const json& events, const std::string& type) {
    return std::ranges::count_if(events, [&](const json& event) { return event["type"] == type; });
  };
  const auto finals = [](const json& events) {
    json out = json::array();
    for (const json& event : events) {
      if (event["type"] == "transcript.partial" && event["speech_final"] == true)
        out.push_back(event);
    }
    return out;
  };
  const json events = listen(3200, "interim_results=true&diarize=true");
  CAPTURE(events.dump(1));
  CHECK(count(events, "error") == 1);  // and the connection remained open
  CHECK(count(events, "transcript.done") == 1);
  CHECK(events.back()["text"] == "");
  CHECK(events.back()["duration"].get<double>() ==
        doctest::Approx(static_cast<double>(sound.size()) / 32'000).epsilon(0.001));
  const json said = finals(events);
  REQUIRE(said.size() == 2);
  CHECK(said[0]["text"].get<std::string>().find("train to london") != std::string::npos);
  CHECK(said[1]["text"].get<std::string>().find("weather") != std::string::npos);
  CHECK(said[1]["words"][0]["speaker"] == 1);
  CHECK(count(events, "transcript.partial") > 5);
  CHECK(finals(listen(100'001, "diarize=true")) == said);
}

TEST_CASE("a client secret opens the speech WebSockets") {
  std::vector<Route> routes = voice_routes();
  for (auto& route : realtime_routes()) routes.push_back(std::move(route));
  test::TestServer server(std::move(routes));
  test::RawClient http(server.port());
  http.send(test::post_request("/v1/realtime/client_secrets", "{}"));
  const std::string response = http.receive_response();
  const auto begin = response.find("svc-realtime-client-secret-");
  REQUIRE(begin != std::string::npos);
  const std::string secret = response.substr(begin, response.find('"', begin) - begin);
  for (const char* path : {"/v1/stt", "/v1/tts"}) {
    SocketClient client(server.port(), path,
                        {{"Sec-WebSocket-Protocol", "svc-client-secret." + secret}});
    CHECK(client.is_open());
    CHECK(client.header("Sec-WebSocket-Protocol") == "svc-client-secret." + secret);
  }
}

TEST_CASE("streaming errors that close: a silent client, and a recogniser failure") {
  test::TestServer server(voice_routes());
  std::vector<Header> headers = test::with_demo_key();
  headers.push_back({"x-emulator-stream-timeout-ms", "50"});
  SocketClient silent(server.port(), "/v1/stt", headers);
  CHECK(silent.receive_json()["type"] == "transcript.created");
  CHECK(
      silent.receive_json() ==
      json{{"type", "error"}, {"message", "Stream timed out: no audio was received for 0.05 s."}});
  const SocketClient::Message end = silent.receive();
  CHECK(end.code == 1011);
  CHECK(end.bytes == "the transcription failed");
  SocketClient failing(server.port(), "/v1/stt?keyterm=Fail%20with:%20the%20pipeline%20broke");
  CHECK(failing.receive_json()["type"] == "transcript.created");
  failing.send_binary("x");
  CHECK(failing.receive_json()["message"] == "the pipeline broke");
  CHECK(failing.receive().kind == SocketClient::Message::Kind::Closed);
}

TEST_CASE("a stream is charged once, however it ends") {
  if (!can_listen()) return;
  const auto seconds_of = [](bool done, const std::string& term, std::size_t bytes) {
    std::vector<Header> query;
    if (!term.empty()) query.push_back({"keyterm", term});
    Stream stream(query);
    for (std::size_t at = 0; at < bytes; at += 16'000) {
      stream.session->on_binary(std::string(std::min<std::size_t>(16'000, bytes - at), '\0'));
    }
    if (done) stream.session->on_text(R"({"type":"audio.done"})");
    stream.peer->settle();
    CHECK(stream.peer->close_code == (term.empty() ? done ? k_close_normal : 0 : k_close_failure));
    stream.session->on_closed(k_close_normal, "");
    return stream.charged_units();
  };
  CHECK(seconds_of(true, "", 64'000) == 2);
  CHECK(seconds_of(true, "", 64'002) == 3);  // a second that has begun
  CHECK(seconds_of(false, "", 64'000) == 2);
  CHECK(seconds_of(true, "Fail with: noise", 64'000) == 0);  // before any audio
}

TEST_CASE("a stream's pieces may end within a frame; a client that is too fast waits") {
  if (!can_listen()) return;
  Stream stream({{"sample_rate", "8000"}, {"multichannel", "true"}, {"channels", "2"}});
  for (int i = 0; i < 100; ++i) stream.session->on_binary(std::string(6, '\0'));
  CHECK(stream.peer->is_reading);
  stream.session->on_text(R"({"type":"audio.done"})");
  stream.peer->settle();
  REQUIRE(stream.peer->sent.size() == 3);
  CHECK(stream.peer->sent[2]["type"] == "transcript.done");
  CHECK(stream.peer->sent[2]["channel_index"] == 1);
  CHECK(stream.peer->sent[2]["duration"] == 0.019);  // 150 frames
  for (const char* encoding : {"pcm", "mulaw", "alaw"}) {
    Stream encoded({{"encoding", encoding}, {"sample_rate", "8000"}});
    encoded.session->on_binary(std::string(4'000, '\0'));
    encoded.session->on_text(R"({"type":"audio.done"})");
    encoded.peer->settle();
    CAPTURE(encoding);
    CHECK(encoded.peer->sent.back()["duration"] == (encoding == std::string("pcm") ? 0.25 : 0.5));
  }
  Stream fast({});
  fast.session->on_binary("xx");
  fast.session->on_binary(std::string(2U << 20U, '\0'));
  CHECK(fast.peer->is_reading);
  fast.session->on_binary("xx");
  CHECK_FALSE(fast.peer->is_reading);
  fast.peer->settle();
  CHECK(fast.peer->is_reading);
  fast.session->on_binary("xx");
  fast.session->on_binary(std::string((2U << 20U) + 2, '\0'));
  CHECK_FALSE(fast.peer->is_reading);  // again
  fast.peer->settle();
}

TEST_CASE("each channel of a stream is finalized by itself, or all with the end") {
  if (!can_listen()) return;
  std::string right = spoken_pcm("The weather is very nice today.");
  right.resize(right.size() - 16'000);  // no silence that would end it
  std::string both;
  for (std::size_t i = 0; i < right.size(); i += 2)
    both += std::string(2, '\0') + right.substr(i, 2);
  for (const bool finalizes : {true, false}) {
    // With a language, what is final is a sentence.
    Stream stream(
        {{"multichannel", "true"}, {"channels", "2"}, {"language", finalizes ? "" : "en"}});
    const auto texts = [&] {
      std::vector<std::string> list;
      for (const json& event : stream.peer->sent) {
        if (event["type"] != "transcript.partial" || event["speech_final"] != true) continue;
        CHECK(event["channel_index"] == 1);
        list.push_back(event["text"]);
      }
      return list;
    };
    stream.session->on_binary(both);
    stream.peer->settle();
    CHECK(texts().empty());
    if (finalizes) {
      stream.session->on_text(R"({"type":"finalize","channel":0})");
      stream.peer->settle();
      CHECK(texts().empty());
      stream.session->on_text(R"({"type":"finalize","channel":1})");
    } else {
      stream.session->on_text(R"({"type":"audio.done"})");
    }
    stream.peer->settle();
    REQUIRE(texts().size() == 1);
    CHECK(texts()[0].find("weather") != std::string::npos);
    CHECK(texts()[0].starts_with(finalizes ? "t" : "T"));
    CHECK(texts()[0].ends_with('.') != finalizes);
  }
}

TEST_CASE("streaming synthesis: times are those in the turn, and each turn has its own text") {
  if (!can_speak()) return;
  test::TestServer server(voice_routes());
  SocketClient client(server.port(),
                      "/v1/tts?voice=eve&codec=pcm&sample_rate=16000&with_timestamps=true");
  double sounded = 0;  // seconds of this turn
  // How long after the sound of the parts before it the first character of a part is heard.
  const auto next_part = [&] {
    double bytes = 0;
    for (;;) {
      const json event = client.receive_json();
      REQUIRE(event["type"] == "audio.delta");
      bytes += static_cast<double>(base64_decode(event["delta"].get<std::string>())->size());
      if (!event.contains("audio_timestamps")) continue;
      const double start = event["audio_timestamps"]["graph_times"][0]["start"];
      return start - std::exchange(sounded, sounded + bytes / 32'000);
    }
  };
  client.send_text(R"({"type":"text.delta","delta":"Good morning. How are"})");
  const double lead = next_part();
  CHECK(lead < 0.4);
  CHECK(sounded > 0.5);
  client.send_text(R"({"type":"text.delta","delta":" you? And"})");  // begins with a space
  CHECK(next_part() == doctest::Approx(0).epsilon(0.01));
  client.send_text(R"({"type":"text.done"})");
  CHECK(next_part() == doctest::Approx(0).epsilon(0.01));
  CHECK(client.receive_json()["type"] == "audio.done");
  sounded = 0;
  client.send_text(R"({"type":"text.delta","delta":"Good evening. How"})");
  CHECK(next_part() == doctest::Approx(lead).epsilon(0.01));
  client.send_text(R"({"type":"text.clear"})");
  CHECK(client.receive_json()["type"] == "audio.clear");
  sounded = 0;
  client.send_text(R"({"type":"text.delta","delta":"Good night"})");
  client.send_text(R"({"type":"text.done"})");
  CHECK(next_part() == doctest::Approx(lead).epsilon(0.01));
  CHECK(client.receive_json()["type"] == "audio.done");
  // A turn may have 15,000 characters, and so may the next, however the first one ended.
  const auto add = [&](std::size_t count) {
    client.send_text(json{{"type", "text.delta"}, {"delta", std::string(count, ' ')}}.dump());
  };
  add(15'000);
  client.send_text(R"({"type":"text.clear"})");
  CHECK(client.receive_json()["type"] == "audio.clear");
  add(15'000);
  client.send_text(R"({"type":"text.done"})");
  json event;
  do {
    event = client.receive_json();
    CHECK(event["type"] != "error");
  } while (event["type"] != "audio.done");
  add(15'000);
  add(1);
  CHECK(client.receive_json()["message"] == "text must have at most 15000 characters");
  client.close();
}

TEST_CASE("streaming synthesis: pieces of text in, pieces of audio out") {
  if (!can_speak()) return;
  test::TestServer server(voice_routes());
  SocketClient client(server.port(), "/v1/tts?voice=eve&language=en&codec=pcm&sample_rate=16000");
  client.send_text(R"({"type":"text.delta","delta":"Good morning. How"})");
  client.send_text(R"({"type":"text.delta","delta":" are you?"})");
  client.send_text(R"({"type":"text.done"})");
  std::size_t bytes = 0;
  int deltas = 0;
  for (;;) {
    const json event = client.receive_json();
    if (event["type"] == "audio.done") break;
    REQUIRE(event["type"] == "audio.delta");
    ++deltas;
    bytes += base64_decode(event["delta"].get<std::string>())->size();
  }
  CHECK(deltas == 2);
  CHECK(bytes > 32'000);
  client.send_text(R"({"type":"text.clear"})");
  CHECK(client.receive_json()["type"] == "audio.clear");
  const auto expect_error = [&](const char* message) {
    CHECK(client.receive_json() == json{{"type", "error"}, {"message", message}});
  };
  client.send_text("{}");
  expect_error("Unknown message type ''.");
  const std::string type(80, 'x');
  client.send_text(json{{"type", type}}.dump());
  expect_error(("Unknown message type '" + type + "'.").c_str());
  client.send_text(json{{"type", type + "x"}}.dump());
  expect_error(("Unknown message type '" + type + "…'.").c_str());
  client.send_text("[]");
  expect_error("The message is not a JSON object.");
  client.send_binary("x");
  expect_error("This socket takes text messages.");
  const json long_text = {{"type", "text.delta"}, {"delta", std::string(15'001, 'x')}};
  client.send_text(long_text.dump());
  expect_error("text must have at most 15000 characters");
  client.close();
}
