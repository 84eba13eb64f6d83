// Rules of the voice operations: fields that depend on another one's value, forms.
#include <doctest/doctest.h>

#include "request/show.h"
#include "try.h"

using namespace svc;
using svc::test::Attempt;

namespace {

std::string long_text(std::size_t characters) {
  std::string text;
  for (std::size_t i = 0; i < characters; ++i) text += "ü";
  return text;
}

/// The names of the form's parts, in order.
std::string parts_of(const Attempt& attempt) {
  Attempt copy = attempt;
  copy.context.without_files = true;
  const auto request = copy.build();
  REQUIRE_MESSAGE(request.has_value(), (request ? "" : request.error().message));
  std::string names;
  for (const Part& part : std::get<std::vector<Part>>(request->body)) {
    const auto* text = std::get_if<std::string>(&part.content);
    names += part.name + (text != nullptr ? "=" + *text : "") + " ";
  }
  return names;
}

}  // namespace

TEST_CASE("a text to speak is limited to 15,000 characters, not bytes") {
  CHECK(Attempt("tts", "speak", {{"text", long_text(15'000)}}).build().has_value());
  const Error error = Attempt("tts", "speak", {{"text", long_text(15'001)}}).error();
  CHECK(error.message.find("15001") != std::string::npos);
  CHECK(error.message.find("15000") != std::string::npos);
}

TEST_CASE("the audio format is one object, whichever flags set it") {
  const auto body = Attempt("tts", "speak",
                            {{"text", "a"},
                             {"codec", "mp3"},
                             {"bit-rate", "64000"},
                             {"output-format-sample-rate", "16000"},
                             {"voice", "ara"}})
                        .body();
  CHECK(body["output_format"] ==
        nlohmann::json{{"codec", "mp3"}, {"bit_rate", 64000}, {"sample_rate", 16000}});
  CHECK(body["voice_id"] == "ara");
  CHECK(Attempt("tts", "speak", {{"text", "a"}, {"codec", "wav"}, {"output-format-codec", "wav"}})
            .error()
            .message.find("cannot be combined") != std::string::npos);
}

TEST_CASE("a bit rate requires mp3") {
  for (const char* codec : {"wav", "pcm", "mulaw", "alaw"}) {
    const Error error =
        Attempt("tts", "speak", {{"text", "a"}, {"codec", codec}, {"bit-rate", "64000"}}).error();
    // In the words the user typed.
    CHECK(error.message == "--bit-rate requires --codec mp3");
  }
  CHECK(Attempt("tts", "speak", {{"text", "a"}, {"output-format-bit-rate", "64000"}})
            .with_body(R"({"output_format":{"codec":"mp3"}})")
            .build()
            .has_value());
}

TEST_CASE("audio numbers must be among the allowed ones") {
  for (const char* rate : {"7999", "24001", "024000", "24000.0", "", "24k", "-8000"}) {
    CAPTURE(rate);
    (void)Attempt("tts", "speak", {{"text", "a"}, {"codec", "pcm"}, {"sample-rate", rate}}).error();
    (void)Attempt("stt", "transcribe", {{"url", "https://a.test/a"}, {"sample-rate", rate}})
        .error();
  }
  for (const char* speed : {"0.69", "1.51", "0", "nan", "fast"}) {
    (void)Attempt("tts", "speak", {{"text", "a"}, {"speed", speed}}).error();
  }
  (void)Attempt("tts", "speak", {{"text", "a"}, {"optimize-streaming-latency", "2"}}).error();
}

TEST_CASE("a transcription takes one file or one URL, and the file comes last") {
  CHECK(parts_of(Attempt("stt", "transcribe",
                         {{"file", "talk.mp3"},
                          {"language", "en"},
                          {"format-text", "true"},
                          {"diarize", "false"},
                          {"keyterm", "a"},
                          {"keyterm", "b"},
                          {"vad-threshold", "0"}})) ==
        "language=en format=true diarize=false keyterm=a keyterm=b vad_threshold=0 file ");
  CHECK(Attempt("stt", "transcribe").error().message == "--file or --url is required");
  Attempt both("stt", "transcribe", {{"file", "a.mp3"}, {"url", "https://a.test/a"}});
  both.context.without_files = true;
  CHECK(both.error().message.find("cannot be combined") != std::string::npos);
  CHECK(Attempt("stt", "transcribe", {{"url", "u"}, {"format-text", "true"}}).error().message ==
        "--format-text requires --language");
}

TEST_CASE("raw audio requires its rate, in either field") {
  for (const char* raw : {"pcm", "mulaw", "alaw"}) {
    const Error error = Attempt("stt", "transcribe", {{"url", "u"}, {"audio-format", raw}}).error();
    CHECK(error.message == "--audio-format pcm or mulaw or alaw requires --sample-rate");
  }
  CHECK(parts_of(Attempt("stt", "transcribe",
                         {{"url", "u"}, {"audio-format", "pcm"}, {"sample-rate-hertz", "8000"}})) ==
        "url=u audio_format=pcm sample_rate=8000 ");
  CHECK(Attempt("stt", "transcribe", {{"url", "u"}, {"audio-format", "mp3"}}).build().has_value());
  CHECK(Attempt("stt", "transcribe",
                {{"url", "u"}, {"sample-rate", "8000"}, {"sample-rate-hertz", "8000"}})
            .error()
            .message.find("cannot be combined") != std::string::npos);
}

TEST_CASE("key terms: at most a hundred of fifty characters") {
  Attempt many("stt", "transcribe", {{"url", "u"}});
  const Field* keyterm = find_field(*many.operation, "keyterm");
  for (int i = 0; i < 100; ++i) many.inputs.given.push_back({keyterm, long_text(50)});
  CHECK(many.build().has_value());
  many.inputs.given.push_back({keyterm, "one more"});
  CHECK(many.error().message == "--keyterm was given 101 times (maximum: 100)");
  CHECK(Attempt("stt", "transcribe", {{"url", "u"}, {"keyterm", long_text(51)}})
            .error()
            .message.find("51 characters") != std::string::npos);
}
