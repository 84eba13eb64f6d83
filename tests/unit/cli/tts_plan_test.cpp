// What `svc tts` makes of its flags: where speech goes, in which format, and what is sent.
#include <array>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/text.h"
#include "commands/tts/plan.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

/// "PLACE PATH, CODEC at RATE", what else is planned, the requests' bodies and what was said; or
/// the error.
std::string planned(const std::string& flags, const std::string& text = "Hi") {
  std::vector<std::string> words = {"tts", text, "--no-stdin"};
  for (const sv flag : split(flags, ' ')) {
    if (!flag.empty()) words.emplace_back(flag);
  }
  SessionStage stage(words, "[profile.default]\nbase_url = \"https://host\"\n");
  const auto plan = plan_speech(stage.session(), *stage.session().invocation().operation,
                                stage.session().inputs());
  const std::string said = stage.err();
  if (!plan) return replace_all(said, "\n", "|") + plan.error().message + " / " + plan.error().hint;
  constexpr std::array<const char*, 4> k_places = {"speaker", "file", "chosen", "stdout"};
  std::string all = fmt::format("{} {}, {} at {}", k_places[static_cast<std::size_t>(plan->place)],
                                plan->path, voice::codec_name(plan->codec), plan->rate);
  if (plan->play) all += ", played";
  if (plan->timed) all += ", timed";
  if (plan->document) all += ", document";
  if (!plan->timestamps.empty()) all += ", times in " + plan->timestamps;
  if (!plan->subtitles.empty()) all += ", subtitles in " + plan->subtitles;
  for (const auto& step : plan->plan.steps) {
    all += "\n" + std::get<std::string>(step.request.body);
  }
  return replace_all(all + (said.empty() ? "" : "\n" + said), "\n", "|");
}

}  // namespace

TEST_CASE("the place and the format of speech follow from the output and the flags") {
  CHECK(planned("") == R"(stdout , mp3 at 24000|{"text":"Hi","language":"auto"})");
  CHECK(planned("-o -") == R"(stdout , mp3 at 24000|{"text":"Hi","language":"auto"})");
  CHECK(
      planned("-o a.mp3") ==
      R"(file a.mp3, mp3 at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"mp3"}})");
  CHECK(
      planned("-o a.WAV") ==
      R"(file a.WAV, wav at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"wav"}})");
  CHECK(
      planned("-o a.pcm") ==
      R"(file a.pcm, pcm at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"pcm"}})");
  CHECK(
      planned("-o a.ulaw") ==
      R"(file a.ulaw, mulaw at 8000|{"text":"Hi","language":"auto","output_format":{"codec":"mulaw","sample_rate":8000}})");
  CHECK(
      planned("-o a.alaw") ==
      R"(file a.alaw, alaw at 8000|{"text":"Hi","language":"auto","output_format":{"codec":"alaw","sample_rate":8000}})");
  CHECK(planned("-o a") == R"(file a, mp3 at 24000|{"text":"Hi","language":"auto"})");
  CHECK(planned("-o /dev/a.b") == R"(file /dev/a.b, mp3 at 24000|{"text":"Hi","language":"auto"})");
  CHECK(planned("-o a.b") ==
        "unsupported file type '.b' / Use the extension .mp3, .wav, .pcm, .ulaw or .alaw, or set "
        "--codec.");
  CHECK(planned("-o a/") ==
        "'a/' is a directory, not a file / Add a file name; its extension, such as .mp3 or .wav, "
        "sets the format.");
  CHECK(
      planned("--play") ==
      R"(speaker , pcm at 24000, played|{"text":"Hi","language":"auto","output_format":{"codec":"pcm","sample_rate":24000}})");
  CHECK(planned("--no-play") == R"(stdout , mp3 at 24000|{"text":"Hi","language":"auto"})");
  CHECK(
      planned("--play -o a.wav") ==
      R"(file a.wav, wav at 24000, played|{"text":"Hi","language":"auto","output_format":{"codec":"wav"}})");
  CHECK(planned("--play -o -") ==
        R"(stdout , mp3 at 24000, played|{"text":"Hi","language":"auto"})");
  CHECK(
      planned("--codec wav -o a.wav") ==
      R"(file a.wav, wav at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"wav"}})");
  CHECK(
      planned("--codec mp3 -o a.wav") ==
      R"(file a.wav, mp3 at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"mp3"}}|svc: warning: a.wav contains mp3, despite its name|)");
  CHECK(
      planned("--codec mp3 -o a.b") ==
      R"(file a.b, mp3 at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"mp3"}}|svc: warning: a.b contains mp3, despite its name|)");
  CHECK(planned("--codec mp3 -o a") ==
        R"(file a, mp3 at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"mp3"}})");
  CHECK(
      planned("--codec mulaw") ==
      R"(stdout , mulaw at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"mulaw"}})");
  CHECK(
      planned("--codec alaw --sample-rate 16000 -o a.alaw") ==
      R"(file a.alaw, alaw at 16000|{"text":"Hi","language":"auto","output_format":{"codec":"alaw","sample_rate":16000}})");
  CHECK(
      planned("--sample-rate 16000") ==
      R"(stdout , mp3 at 16000|{"text":"Hi","language":"auto","output_format":{"codec":"mp3","sample_rate":16000}})");
  CHECK(
      planned("--sample-rate 16000 -o a.ulaw") ==
      R"(file a.ulaw, mulaw at 16000|{"text":"Hi","language":"auto","output_format":{"codec":"mulaw","sample_rate":16000}})");
  CHECK(
      planned("--bit-rate 64000") ==
      R"(stdout , mp3 at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"mp3","bit_rate":64000}})");
  CHECK(planned("--split") ==
        R"(stdout , mp3 at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"mp3"}})");
  CHECK(
      planned("--play --sample-rate 48000") ==
      R"(speaker , pcm at 48000, played|{"text":"Hi","language":"auto","output_format":{"codec":"pcm","sample_rate":48000}})");
}

TEST_CASE("the times of words are asked for where they are saved or printed") {
  CHECK(
      planned("-o a.mp3 --timestamps t.json") ==
      R"(file a.mp3, mp3 at 24000, timed, times in t.json|{"text":"Hi","language":"auto","with_timestamps":true,"output_format":{"codec":"mp3"}})");
  CHECK(
      planned("-o a.mp3 --subtitles t.SRT") ==
      R"(file a.mp3, mp3 at 24000, timed, subtitles in t.SRT|{"text":"Hi","language":"auto","with_timestamps":true,"output_format":{"codec":"mp3"}})");
  CHECK(
      planned("-o a.mp3 --subtitles t.vtt") ==
      R"(file a.mp3, mp3 at 24000, timed, subtitles in t.vtt|{"text":"Hi","language":"auto","with_timestamps":true,"output_format":{"codec":"mp3"}})");
  CHECK(planned("-o a.mp3 --subtitles t.txt") ==
        "--subtitles must be a file name ending in .srt or .vtt / For example: --subtitles "
        "speech.srt");
  CHECK(
      planned("-o a.mp3 --with-timestamps") ==
      R"(file a.mp3, mp3 at 24000, timed, times in a.json|{"text":"Hi","language":"auto","with_timestamps":true,"output_format":{"codec":"mp3"}})");
  CHECK(
      planned("--with-timestamps") ==
      R"(stdout , mp3 at 24000, timed|{"text":"Hi","language":"auto","with_timestamps":true}|svc: note: timestamps are discarded; use --timestamps FILE|)");
  CHECK(
      planned("-o /dev/null --with-timestamps") ==
      R"(file /dev/null, mp3 at 24000, timed|{"text":"Hi","language":"auto","with_timestamps":true}|svc: note: timestamps are discarded; use --timestamps FILE|)");
  CHECK(planned("--json") ==
        "audio cannot be written as JSON / Save it with -o FILE, or add --with-timestamps for the "
        "service's JSON.");
  CHECK(planned("--format jsonl") ==
        "audio cannot be written as JSON / Save it with -o FILE, or add --with-timestamps for the "
        "service's JSON.");
  CHECK(planned("--format raw") == R"(stdout , mp3 at 24000|{"text":"Hi","language":"auto"})");
  CHECK(
      planned("--json --with-timestamps") ==
      R"(stdout , mp3 at 24000, timed, document|{"text":"Hi","language":"auto","with_timestamps":true})");
  CHECK(
      planned("--json --with-timestamps --play") ==
      R"(stdout , mp3 at 24000, played, timed, document|{"text":"Hi","language":"auto","with_timestamps":true})");
  CHECK(planned("--json --with-timestamps -o a.json") ==
        "unsupported file type '.json' / Use the extension .mp3, .wav, .pcm, .ulaw or .alaw, or "
        "set --codec.");
  CHECK(planned("--json --with-timestamps --split") ==
        "--split returns several responses, not one JSON document / Save audio and times with -o "
        "FILE and --timestamps FILE.");
  CHECK(planned("--timestamps t.json --no-with-timestamps") ==
        "--timestamps and --subtitles cannot be combined with --no-with-timestamps / ");
  CHECK(planned("--subtitles t.srt --no-with-timestamps") ==
        "--timestamps and --subtitles cannot be combined with --no-with-timestamps / ");
  CHECK(planned("--no-with-timestamps") ==
        R"(stdout , mp3 at 24000|{"text":"Hi","language":"auto","with_timestamps":false})");
  CHECK(
      planned("--json -o a.mp3") ==
      R"(file a.mp3, mp3 at 24000|{"text":"Hi","language":"auto","output_format":{"codec":"mp3"}})");
}

TEST_CASE("the text and the voice come from the flags, the body or the profile") {
  CHECK(planned("", " ") ==
        "the text to speak is empty / For example: svc tts 'Hello world', or pipe in text.");
  CHECK(planned("--voice eve --language de") ==
        R"(stdout , mp3 at 24000|{"text":"Hi","language":"de","voice_id":"eve"})");
  CHECK(planned("--set voice_id=ara --set language=fr") ==
        R"(stdout , mp3 at 24000|{"voice_id":"ara","language":"fr","text":"Hi"})");
  CHECK(planned("--set text=no") == R"(stdout , mp3 at 24000|{"text":"Hi","language":"auto"})");
  CHECK(planned("", std::string(15'001, 'x')) ==
        "the text is too long: 15001 characters (maximum: 15000) / Use --split to split it at "
        "sentences and join the audio.");
  CHECK(count_code_points(planned("", std::string(15'000, 'x'))) > 15'000);
  CHECK(
      planned("", "A [laughs] B <whisper>C") ==
      R"(stdout , mp3 at 24000|{"text":"A [laughs] B <whisper>C","language":"auto"}|svc: warning: the service does not know the tag [laughs]; did you mean laugh?|svc: warning: <whisper> is not closed: </whisper> is missing|)");
}

}  // namespace svc::cli
