// WebSockets of the library: bugs on their thread, full queues, time limits, conversations.
#include "svc/impl/socket.h"

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

#include <sys/socket.h>

#include "base/file_descriptor.h"
#include "fixture.h"
#include "support/mentions.h"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

/// What a peer that sends for ever has sent and received.
struct Traffic {
  std::atomic<int> reads = 0;
  std::atomic<std::size_t> written = 0;
};

/// Has a message of 65,532 bytes for each read(), or throws.
class Flood final : public http::Connection {
 public:
  explicit Flood(Traffic* traffic) : m_traffic(traffic) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    m_near.reset(ends[0]);
    m_far.reset(ends[1]);
    REQUIRE(::write(m_far.get(), "a", 1) == 1);  // always readable
  }
  Result<std::optional<std::size_t>> read(std::span<char> into) override {
    if (m_traffic == nullptr) throw std::runtime_error("a bug");
    ++m_traffic->reads;
    REQUIRE(into.size() == 65'536);
    std::fill(into.begin(), into.end(), 'x');
    into[0] = '\x82';
    into[1] = '\x7e';
    into[2] = '\xff';
    into[3] = '\xfc';
    return std::optional(into.size());
  }
  Result<std::size_t> write(std::string_view bytes) override {
    if (m_traffic != nullptr) m_traffic->written += bytes.size();
    return bytes.size();
  }
  [[nodiscard]] int descriptor() const noexcept override { return m_near.get(); }

 private:
  Traffic* m_traffic;
  FileDescriptor m_near{};
  FileDescriptor m_far{};
};

std::unique_ptr<websocket::WebSocket> flood(Traffic* traffic) {
  return std::make_unique<websocket::WebSocket>(std::make_unique<Flood>(traffic),
                                                websocket::ChannelOptions{.close_timeout = 10ms});
}

/// 64 MB, and what the last message has beyond.
constexpr int k_full = 1025;

void wait_until_full(const Traffic& traffic) {
  while (traffic.reads < k_full) std::this_thread::sleep_for(1ms);
}

}  // namespace

TEST_CASE("an exception on the thread of a socket is its error") {
  const api::Socket socket(std::make_shared<api::Socket::State>(flood(nullptr), std::nullopt));
  const auto message = socket.receive();
  REQUIRE_FALSE(message);
  CHECK(message.error().fault == api::Fault::Unexpected);
  CHECK(mentions(message.error().message, "a bug"));
  CHECK_FALSE(socket.send("Hello"));
}

TEST_CASE("a socket sends while nobody takes what has arrived") {
  Traffic traffic;
  const api::Socket socket(std::make_shared<api::Socket::State>(flood(&traffic), std::nullopt));
  wait_until_full(traffic);
  const std::string piece(1U << 20U, 'y');
  for (int i = 0; i < 12; ++i) CHECK(socket.send(piece));
  while (traffic.written < 12U << 20U) std::this_thread::sleep_for(1ms);
  CHECK(traffic.reads == k_full);
  REQUIRE(socket.receive());  // makes room
  while (traffic.reads == k_full) std::this_thread::sleep_for(1ms);
  for (int i = 0; i < 10; ++i) {
    const auto message = socket.receive();
    REQUIRE(message);
    CHECK((*message)->data.size() == 65'532);
  }
  while (traffic.reads < k_full + 8) std::this_thread::sleep_for(1ms);
}

TEST_CASE("a socket that is full can be cancelled") {
  Traffic traffic;
  const api::Cancellation cancellation;
  const api::Socket socket(std::make_shared<api::Socket::State>(flood(&traffic), cancellation));
  wait_until_full(traffic);
  cancellation.cancel();
  const std::string piece(1U << 20U, 'y');
  api::Result<void> sent;
  while (sent) sent = socket.send(piece);
  CHECK(sent.error().fault == api::Fault::Interrupted);
  auto message = socket.receive();
  while (message) message = socket.receive();
  CHECK(message.error().fault == api::Fault::Interrupted);
}

TEST_CASE("opening a socket ends with the time of the call") {
  {
    ClientWorld world("read head\nstall\n");
    const auto opened = world.client.realtime({}, {.timeout = 50ms});
    REQUIRE_FALSE(opened);
    CHECK(opened.error().fault == api::Fault::Timeout);
  }
  ClientWorld world("upgrade\nhang\n");
  const auto opened = world.client.transcribe_live({}, {.timeout = 50ms});
  REQUIRE_FALSE(opened);
  CHECK(opened.error().fault == api::Fault::Timeout);
}

TEST_CASE("audio is sent in tenths of a second, and utterances follow it") {
  ClientWorld world(
      "upgrade\nframe text {\"type\":\"transcript.created\"}\n"
      "read frame\nread frame\nread frame\nread frame\nframe binary xx\n"
      R"(frame text {"type":"transcript.partial","text":"hal","start":0.1})"
      "\n"
      R"(frame text {"type":"transcript.partial","text":"hallo","is_final":true,)"
      R"("speech_final":true,"start":0.1,"language":"de","words":[{"text":"hallo","start":0.1,)"
      R"("end":0.2,"confidence":0.5,"speaker":1}]})"
      "\n"
      R"(frame text {"type":"transcript.partial","text":"da","is_final":true,)"
      R"("speech_final":true,"start":0.125})"
      "\n"
      R"(frame text {"type":"transcript.done","text":"hallo da ja","duration":0.3})"
      "\nread frames\nclose\n");
  const auto live = world.client.transcribe_live({.sample_rate = 8'000, .language = "de"});
  REQUIRE_MESSAGE(live, live.error().message);
  REQUIRE(live->send(std::string(1'600, 'a') + std::string(1'600, 'b') + std::string(400, 'c')));
  REQUIRE(live->finish());
  const auto first = live->next();
  REQUIRE_MESSAGE(first, first.error().message);
  REQUIRE(*first);
  CHECK((*first)->final);
  CHECK((*first)->transcript.text == "hallo");
  CHECK((*first)->transcript.language == "de");
  REQUIRE((*first)->transcript.words.size() == 1);
  CHECK((*first)->transcript.words[0].end == 0.2);
  CHECK((*first)->transcript.words[0].confidence == 0.5);
  CHECK((*first)->transcript.words[0].speaker == 1);
  const auto second = live->next();
  REQUIRE(second);
  REQUIRE(*second);
  CHECK((*second)->transcript.text == "da");
  // Without a duration it lasts until what was sent: 3,600 bytes of 16,000 a second.
  CHECK((*second)->transcript.duration == doctest::Approx(0.1));
  const auto third = live->next();
  REQUIRE(third);
  REQUIRE(*third);
  CHECK((*third)->transcript.text == "ja");
  const auto over = live->next();
  REQUIRE(over);
  CHECK_FALSE(over->has_value());
  const auto request = world.server->requests().front();
  CHECK(mentions(request.target, "sample_rate=8000"));
  CHECK(mentions(request.target, "encoding=pcm"));
  CHECK(mentions(request.target, "language=de"));
  CHECK_FALSE(mentions(request.target, "interim_results"));
  CHECK(request.body.starts_with("binary " + std::string(1'600, 'a') + "\nbinary " +
                                 std::string(1'600, 'b') + "\nbinary " + std::string(400, 'c') +
                                 "\ntext {\"type\":\"audio.done\"}\n"));
}

TEST_CASE("live transcription tells interim texts if it is asked to, errors, and a broken end") {
  const std::string created = "upgrade\nframe text {\"type\":\"transcript.created\"}\n";
  {
    ClientWorld world(created +
                      "read frame\nread frame\n"
                      R"(frame text {"type":"transcript.partial","text":"hal"})"
                      "\nframe close 1000\nread frames\nclose\n");
    const auto live = world.client.transcribe_live(
        {.sample_rate = 8'000, .encoding = "mulaw", .interim_results = true});
    REQUIRE_MESSAGE(live, live.error().message);
    REQUIRE(live->send(std::string(800, 'a') + std::string(800, 'b')));
    const auto interim = live->next();
    REQUIRE(interim);
    REQUIRE(*interim);
    CHECK_FALSE((*interim)->final);
    CHECK((*interim)->transcript.text == "hal");
    const auto rest = live->next();  // what was open when it closed
    REQUIRE(rest);
    REQUIRE(*rest);
    CHECK((*rest)->final);
    CHECK((*rest)->transcript.text == "hal");
    CHECK_FALSE(live->next()->has_value());
    const auto request = world.server->requests().front();
    CHECK(mentions(request.target, "interim_results=true"));
    CHECK(mentions(request.target, "encoding=mulaw"));
    CHECK(request.body.starts_with("binary " + std::string(800, 'a') + "\nbinary " +
                                   std::string(800, 'b') + "\n"));
  }
  ClientWorld failing(created + R"(frame text {"type":"error","message":"bad frame"})" +
                      "\nread frames\nclose\n");
  const auto live = failing.client.transcribe_live({});
  REQUIRE_MESSAGE(live, live.error().message);
  const auto failed = live->next();
  REQUIRE_FALSE(failed);
  CHECK(failed.error().fault == api::Fault::Service);
  CHECK(failed.error().message == "the service reports: bad frame");
  for (const std::size_t length : {400, 401}) {  // what is longer is cut
    ClientWorld talkative(created + R"(frame text {"type":"error","message":")" +
                          std::string(length, 'x') + "\"}\nread frames\nclose\n");
    const auto told = talkative.client.transcribe_live({});
    REQUIRE(told);
    CHECK(told->next().error().message ==
          "the service reports: " + std::string(400, 'x') + (length > 400 ? "\u2026" : ""));
  }
  ClientWorld closing("upgrade\nframe close 1000\nread frames\nclose\n");
  const auto closed = closing.client.transcribe_live({});
  REQUIRE_FALSE(closed);
  CHECK(closed.error().fault == api::Fault::Network);
  CHECK(closed.error().message == "the service closed the connection before any audio");
}

TEST_CASE("a realtime conversation has text, sound and an end") {
  ClientWorld world(
      "upgrade\nread frame\nread frame\nread frame\nread frame\n"
      R"(frame text {"type":"response.output_audio.delta","delta":"AAEC"})"
      "\n"
      R"(frame text {"type":"response.output_audio_transcript.delta","delta":"Hi"})"
      "\n"
      R"(frame text {"type":"error","error":{"message":"no"}})"
      "\nframe text nonsense\nframe close 1000\nread frames\nclose\n");
  const auto talk = world.client.realtime({.model = "m"});
  REQUIRE(talk);
  REQUIRE(talk->send_text("Hello \xff"));
  REQUIRE(talk->send_audio(std::string("\0\1\2", 3)));
  REQUIRE(talk->send(R"({"type":"response.cancel"})"));
  const auto audio = talk->next();
  REQUIRE(audio);
  CHECK((*audio)->audio == std::string("\0\1\2", 3));
  const auto text = talk->next();
  REQUIRE(text);
  CHECK((*text)->text == "Hi");
  CHECK((*talk->next())->type == "error");
  CHECK((*talk->next())->json == "nonsense");
  const auto over = talk->next();
  REQUIRE(over);
  CHECK_FALSE(over->has_value());
  const std::string body = world.server->requests().front().body;
  CHECK(body.starts_with(
      R"(text {"type":"conversation.item.create","item":{"type":"message","role":"user",)"
      R"("content":[{"type":"input_text","text":"Hello )"
      "\uFFFD"
      R"("}]}})"
      "\n"
      R"(text {"type":"response.create"})"
      "\n"
      R"(text {"type":"input_audio_buffer.append","audio":"AAEC"})"
      "\n"
      R"(text {"type":"response.cancel"})"
      "\n"));
}
