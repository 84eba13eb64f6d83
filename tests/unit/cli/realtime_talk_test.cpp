// Parts of `realtime talk` that need no socket: the session, the voice.
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "commands/realtime/talk_session.h"
#include "commands/realtime/talk_voice.h"

namespace svc::cli {

using namespace std::chrono_literals;

TEST_CASE("the session holds what the user set, and what the tool needs") {
  auto plain = make_talk_session("", {}, {});
  REQUIRE(plain);
  CHECK(plain->update ==
        R"({"type":"session.update","session":{"resumption":{"enabled":true},"audio":{)"
        R"("input":{"format":{"type":"audio/pcm","rate":24000}},)"
        R"("output":{"format":{"type":"audio/pcm","rate":24000}}}}})");
  CHECK(plain->resume);
  CHECK_FALSE(plain->manual);
  auto set = make_talk_session(
      R"({"type":"session.update","session":{"turn_detection":{"type":null},"resumption":{"enabled":false},)"
      R"("audio":{"input":{"format":{"type":"audio/pcmu"},"transport":"binary"}}}})",
      {.text = false, .voice = "ara"},
      {{.name = "w", .tool = R"({"type":"function","name":"w"})"}});
  REQUIRE(set);
  CHECK(set->manual);
  CHECK_FALSE(set->resume);
  CHECK(set->input.encoding == audio::Encoding::MuLaw);
  CHECK(set->input.rate == 8000);
  CHECK(set->input.binary);
  CHECK(set->update.find(R"("voice":"ara")") != std::string::npos);
  CHECK(set->update.find(R"("tools":[{"type":"function","name":"w"}])") != std::string::npos);
  auto text = make_talk_session("", {.text = true, .voice = "ara"}, {});
  REQUIRE(text);
  CHECK(text->manual);
  CHECK(text->update.find("audio") == std::string::npos);
  auto call = make_talk_session("", {.call = true}, {});
  REQUIRE(call);
  CHECK(call->update == R"({"type":"session.update","session":{"resumption":{"enabled":true}}})");
  CHECK(make_talk_session(R"({"session":{"audio":{"output":{"format":{"type":"audio/opus"}}}}})",
                          {}, {})
            .error()
            .fault == Fault::Usage);
}

TEST_CASE("an interruption leaves what was heard, and never more") {
  const audio::Format format{24'000, 1};
  TalkVoice voice(audio::open_null_sink({.format = format, .prebuffer = 0ms}, audio::Pace::Real),
                  audio::Encoding::Pcm);
  const std::string second(48'000, '\1');
  REQUIRE(voice.play("a", 0, second));
  REQUIRE(voice.play("b", 0, second));
  voice.finish("a");
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(150ms);
  REQUIRE(voice.pump());
  const auto cut = voice.interrupt();
  const auto most =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  REQUIRE(cut.size() == 2);
  CHECK(cut[0].item == "a");
  CHECK(cut[0].heard_ms >= 100);
  CHECK(cut[0].heard_ms <= most.count() + 5);
  CHECK(cut[1].heard_ms == 0);
  CHECK(voice.idle());
  CHECK(voice.interrupt().empty());
  REQUIRE(voice.play("c", 0, second));
  CHECK(voice.interrupt().at(0).item == "c");
}

}  // namespace svc::cli
