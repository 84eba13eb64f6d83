// Text to be spoken, and the resulting audio.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "voice/char_times.h"
#include "voice/speech_audio.h"
#include "voice/speech_text.h"

using namespace svc;
using namespace svc::voice;

namespace {

std::string joined(const std::vector<TextPart>& parts) {
  std::string text;
  for (const TextPart& part : parts) text += part.text + "|";
  return text;
}

std::string without_space(sv text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n') out += c;
  }
  return out;
}

/// A frame of MPEG-2 layer III, 24 kHz, 32 kbit/s, mono: 96 bytes, 24 ms.
std::string mp3_frame_of(char fill) {
  return std::string("\xFF\xF3\x44\xC0", 4) + std::string(92, fill);
}

std::string index_frame() {
  std::string frame = mp3_frame_of('\0');
  frame.replace(4 + 9, 4, "Info");
  return frame;
}

std::string id3(std::size_t size) {
  std::string tag("ID3\x04\x00\x00\x00\x00\x00", 9);
  tag += static_cast<char>(size);
  return tag + std::string(size, 'i');
}

WavHead mono(int rate = 24'000) {
  WavHead head;
  head.format = {rate, 1};
  return head;
}

}  // namespace

TEST_CASE("valid tags cause no warning") {
  for (const char* text :
       {"Hello", "[pause] a [long-pause]", "<whisper>a <slow>b</slow> [sigh]</whisper>",
        "a < b and c > d, [1], [ pause ], <3, x[0]", "5 <6> 7", "<>", "[]", "<", "["}) {
    CAPTURE(text);
    CHECK(check_tags(text).empty());
  }
}

TEST_CASE("invalid tags are reported, with the closest name") {
  const auto one = [](sv text) {
    const auto all = check_tags(text);
    REQUIRE(all.size() == 1);
    return all.front();
  };
  CHECK(one("[pausse]") == "the service does not know the tag [pausse]; did you mean pause?");
  CHECK(one("[banana]") == "the service does not know the tag [banana] and may read it out");
  CHECK(one("[whisper] hey").find("<whisper>…</whisper>") != std::string::npos);
  CHECK(one("<pause>").find("[pause]") != std::string::npos);
  CHECK(one("<whisper>hey").find("is not closed") != std::string::npos);
  CHECK(one("hey</whisper>").find("has no opening tag") != std::string::npos);
  CHECK(one("<soft><slow>x</soft></slow>").find("must not overlap") != std::string::npos);
  CHECK(one("[Pause]").find("did you mean pause?") != std::string::npos);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[nothing-known] ";
  const auto all = check_tags(many);
  CHECK(all.size() == 11);
  CHECK(all.back() == "and 990 more invalid tags");
}

TEST_CASE("ends of sentences") {
  const auto ends = [](sv text) { return ends_sentence(text, text.size()); };
  for (const char* text :
       {"It is.", "Is it?", "Yes!", "He said \"no.\"", "Well…", "It was 1999."}) {
    CAPTURE(text);
    CHECK(ends(text));
  }
  for (const char* text : {"Dr.", "Mr.", "e.g.", "J.", "a word", "z.B.", ""}) {
    CAPTURE(text);
    CHECK_FALSE(ends(text));
  }
  CHECK_FALSE(ends_sentence("the 3. place", 6));
  CHECK_FALSE(ends_sentence("in No. 5 there", 6));
  CHECK(ends_sentence("the end. Then", 8));
  CHECK(ends("<slow>It is.</slow>"));
  CHECK(ends("It is. [sigh]") == false);
}

TEST_CASE("a long text is split at sentences, and nothing is lost") {
  CHECK(joined(split_text("One. Two.", 9)) == "One. Two.|");
  CHECK(joined(split_text("One. Two.", 8)) == "One.|Two.|");
  CHECK(joined(split_text("First one. Second one. Third one.", 24)) ==
        "First one. Second one.|Third one.|");
  CHECK(joined(split_text("I met Dr. Smith there. He left.", 23)) ==
        "I met Dr. Smith there.|He left.|");
  CHECK(joined(split_text("One two three.\n\nYes. Five six.", 20)) ==
        "One two three.|Yes. Five six.|");
  CHECK(joined(split_text("One.\n\nThree. Four five six.", 20)) ==
        "One.\n\nThree.|Four five six.|");
  CHECK(joined(split_text("no end at all here", 10)) == "no end at|all here|");
  CHECK(joined(split_text("abcdefghijkl", 5)) == "abcde|fghij|kl|");
  CHECK(joined(split_text("[pause] ab", 2)) == "[pause]|ab|");
  CHECK(joined(split_text("a[pause]", 2)) == "a|[pause]|");
  CHECK(joined(split_text("これは文です。次の文です。", 8)) == "これは文です。|次の文です。|");

  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += fmt::format("Sentence {} of Mr. Müller is spoken, isn't it?{}", i,
                        i % 10 == 9 ? "\n\n" : " ");
  }
  std::string again;
  for (const TextPart& part : split_text(text, 15'000)) {
    CHECK(count_code_points(part.text) <= 15'000);
    CHECK(trim(part.text).ends_with('?'));
    CHECK(text.compare(part.begin, part.text.size(), part.text) == 0);
    again += part.text;
  }
  CHECK(without_space(again) == without_space(text));
}

TEST_CASE("a split is not inside a wrapping tag, unless that is too long") {
  CHECK(joined(split_text("One two. <slow>Three. Four.</slow> Five.", 36)) ==
        "One two. <slow>Three. Four.</slow>|Five.|");
  std::string inside = "<whisper>";
  for (int i = 0; i < 200; ++i) inside += "Hush now. ";
  inside += "</whisper>";
  for (const TextPart& part : split_text(inside, 1000)) {
    CHECK(count_code_points(part.text) <= 1000);
    CHECK(part.text.starts_with("<whisper>"));
    CHECK(part.text.ends_with("</whisper>"));
    CHECK(check_tags(part.text).empty());
  }
}

TEST_CASE("codecs from file names") {
  CHECK(codec_of_file("a/B.MP3") == Codec::Mp3);
  CHECK(codec_of_file("x.ulaw") == Codec::MuLaw);
  CHECK(codec_of_file("x.al") == Codec::ALaw);
  CHECK_FALSE(codec_of_file("x.ogg"));
  CHECK_FALSE(codec_of_file("mp3"));
  CHECK(parse_codec("mulaw") == Codec::MuLaw);
  CHECK(encoding_of(Codec::MuLaw) == audio::Encoding::MuLaw);
  CHECK(encoding_of(Codec::ALaw) == audio::Encoding::ALaw);
  for (const Codec other : {Codec::Mp3, Codec::Wav, Codec::Pcm}) {
    CHECK(encoding_of(other) == audio::Encoding::Pcm);
  }
  CHECK(codec_name(Codec::ALaw) == "alaw");
}

namespace {

/// A part, in pieces; nothing if it has another codec.
std::optional<std::string> bare_sound(PartAudioExtractor& part, sv bytes, std::size_t piece) {
  std::string sound;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!part.feed(bytes.substr(at, piece), sound)) return std::nullopt;
  }
  if (!part.finish(sound)) return std::nullopt;
  return sound;
}

}  // namespace

TEST_CASE("mp3 parts join without tags and index frames") {
  const std::string sound = mp3_frame_of('a') + mp3_frame_of('b');
  for (const std::string& part : {sound, id3(20) + sound, id3(20) + index_frame() + sound,
                                  index_frame() + sound + "TAG" + std::string(125, 't')}) {
    for (const std::size_t piece : {part.size(), std::size_t{1}, std::size_t{100}}) {
      PartAudioExtractor bare(Codec::Mp3, 24'000);
      CHECK(bare_sound(bare, part, piece) == sound);
      CHECK(bare.seconds() == doctest::Approx(0.048));
    }
  }
  for (const std::string& wrong : {std::string(), std::string("<html>"), id3(5)}) {
    PartAudioExtractor bare(Codec::Mp3, 24'000);
    CHECK_FALSE(bare_sound(bare, wrong, 100));
  }
}

TEST_CASE("WAV parts are joined with one header") {
  const std::string samples(4800, 's');
  const std::string known = make_wav_head(mono(), 4800) + samples;
  PartAudioExtractor bare(Codec::Wav, 0);
  CHECK(bare_sound(bare, known, 1) == samples);
  CHECK(bare.seconds() == doctest::Approx(0.1));
  REQUIRE(bare.wav());
  CHECK(bare.wav()->format == audio::Format{24'000, 1});
  // A head may name any rate.
  WavHead fast = mono();
  fast.format.rate = 1'831'214'912;
  PartAudioExtractor odd(Codec::Wav, 0);
  CHECK(bare_sound(odd, make_wav_head(fast, 4800) + samples, 100) == samples);
  CHECK(odd.seconds() > 0);
  CHECK(odd.seconds() < 0.001);
  const auto sound = [](Codec codec, const std::string& part) {
    PartAudioExtractor one(codec, 24'000);
    return bare_sound(one, part, 3);
  };
  // A stream's length is unknown at the start; a chunk may follow the samples.
  CHECK(sound(Codec::Wav, make_wav_head(mono(), std::nullopt) + samples) == samples);
  CHECK(sound(Codec::Wav, known + "LIST1234") == samples);
  CHECK_FALSE(sound(Codec::Wav, "RIFF"));
  CHECK_FALSE(sound(Codec::Wav, "no wave at all, but long enough to be one"));
  CHECK(sound(Codec::Pcm, "abc") == "ab");  // half a sample is not a sample
}

TEST_CASE("WAV headers may arrive in pieces and be invalid") {
  const std::string head = make_wav_head(mono(8000), 100);
  CHECK(head.size() == 44);
  for (std::size_t cut = 0; cut < head.size(); ++cut) {
    const auto read = read_wav_head(sv(head).substr(0, cut));
    REQUIRE(read);
    CHECK_FALSE(*read);
  }
  const auto whole = read_wav_head(head);
  REQUIRE(whole);
  REQUIRE(*whole);
  CHECK((*whole)->data == 44);
  CHECK((*whole)->data_bytes == 100);
  std::string broken = head;
  broken[22] = '\0';  // no channels
  CHECK_FALSE(read_wav_head(broken));
  CHECK_FALSE(read_wav_head("RIFFxxxxAVI "));
}

TEST_CASE("speech is decoded while it arrives") {
  const std::vector<audio::Sample> tone = {0, 100, -100, 32'767, -32'768, 7};
  const std::string bytes = audio::encode(tone, audio::Encoding::Pcm);
  for (const bool wav : {false, true}) {
    SpeechDecoder decoder(wav ? Codec::Wav : Codec::Pcm, 24'000);
    std::string stream = wav ? make_wav_head(mono(), bytes.size()) + bytes + "LIST" : bytes;
    std::vector<audio::Sample> samples;
    for (const char c : stream) REQUIRE(decoder.decode(sv(&c, 1), samples));
    CHECK(samples == tone);
    CHECK(decoder.format() == audio::Format{24'000, 1});
    decoder.next_part();
    REQUIRE(decoder.decode(stream, samples));
    CHECK(samples.size() == 2 * tone.size());
  }
  SpeechDecoder law(Codec::MuLaw, 8000);
  std::vector<audio::Sample> samples;
  REQUIRE(law.decode(audio::encode(tone, audio::Encoding::MuLaw), samples));
  CHECK(samples.size() == tone.size());
  SpeechDecoder wrong(Codec::Wav, 24'000);
  CHECK_FALSE(wrong.decode("{\"error\":1}", samples));
}

TEST_CASE("times of characters in both formats") {
  const auto objects = read_char_times(
      R"({"graph_chars":["H","i"],"graph_times":[{"start":0,"end":0.1},{"start":0.1,"end":0.25}]})");
  const auto arrays =
      read_char_times(R"({"graph_chars":["H","i"],"graph_times":[[0,0.1],[0.1,0.25]]})");
  for (const auto& times : {objects, arrays}) {
    REQUIRE(times);
    REQUIRE(times->size() == 2);
    CHECK((*times)[1].text == "i");
    CHECK((*times)[1].start == 0.1);
    CHECK((*times)[1].end == 0.25);
  }
  CHECK(read_char_times("null")->empty());
  CHECK(read_char_times(R"({"graph_chars":null})")->empty());
  for (const char* wrong : {"[]", R"({"graph_chars":["a"],"graph_times":[]})",
                            R"({"graph_chars":["a"],"graph_times":[[1]]})",
                            R"({"graph_chars":[1],"graph_times":[[1,2]]})",
                            R"({"graph_chars":["a"],"graph_times":[{"start":1}]})", "{"}) {
    CAPTURE(wrong);
    CHECK_FALSE(read_char_times(wrong));
  }
  const CharTimesJson json = char_times_json(*arrays);
  CHECK(json.chars == R"("H","i")");
  CHECK(nlohmann::json::parse("[" + json.spans + "]")[1]["start"] == 0.1);
  CHECK(char_times_json({}).spans.empty());
}

TEST_CASE("a response with audio and times") {
  const std::string body =
      R"({"note":{"audio":"AAAA"},"x":"a\"udio", "audio" : "c291bmQ\/","duration":1.5,"audio_timestamps":{"graph_chars":["a"],"graph_times":[[0,1]]}})";
  for (const std::size_t piece : {body.size(), std::size_t{1}, std::size_t{7}}) {
    std::string sound;
    TimedSpeechReader reader([&](sv bytes) -> Result<void> {
      sound += bytes;
      return {};
    });
    for (std::size_t at = 0; at < body.size(); at += piece) {
      REQUIRE(reader.feed(sv(body).substr(at, piece)));
    }
    const auto speech = reader.finish();
    REQUIRE(speech);
    CHECK(sound == "sound?");
    CHECK(speech->seconds == 1.5);
    CHECK(speech->times.size() == 1);
    CHECK(reader.rest().find("\"audio\" : \"\",") != std::string::npos);
  }
  const auto fine = [](sv answer) {
    TimedSpeechReader reader([](sv) -> Result<void> { return {}; });
    return reader.feed(answer) && reader.finish();
  };
  CHECK(fine(R"({"audio":""})"));
  for (const char* wrong :
       {"{}", R"({"audio":null})", R"({"audio":"?"})", R"({"audio":"AAA"})", R"(["audio","AAAA"])",
        R"({"a":{"audio":"AAAA"}})", R"({"audio":"AAAA","audio_timestamps":7})"}) {
    CAPTURE(wrong);
    CHECK_FALSE(fine(wrong));
  }
}

TEST_CASE("long audio is passed on in pieces, and only the incomplete rest is kept") {
  const std::string sound(1'000'000, 's');
  std::string got;
  TimedSpeechReader reader([&](sv bytes) -> Result<void> {
    got += bytes;
    return {};
  });
  REQUIRE(reader.feed(R"({"audio":")"));
  const std::string base64 = base64_encode(sound);
  for (std::size_t at = 0; at < base64.size(); at += 16'001) {
    REQUIRE(reader.feed(sv(base64).substr(at, 16'001)));
  }
  CHECK(got.size() > 900'000);
  REQUIRE(reader.feed(R"("})"));
  CHECK(got == sound);
  CHECK(reader.rest() == R"({"audio":""})");
}

TEST_CASE("words with times: tags are not spoken") {
  std::vector<CharTime> times;
  double at = 0;
  for (const char c : sv("Hi [pause] <soft>my friend</soft>.")) {
    times.push_back({std::string(1, c), at, at + 0.1});
    at += 0.1;
  }
  const Transcript words = spoken_words(times);
  REQUIRE(words.words.size() == 3);
  CHECK(words.text == "Hi my friend.");
  CHECK(words.words[0].end == doctest::Approx(0.2));
  CHECK(words.words[1].start == doctest::Approx(1.7));
  CHECK(spoken_words({}).words.empty());
}
