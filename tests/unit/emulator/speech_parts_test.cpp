// Audio without its operations: rates, codecs, tags, spoken and written words, recognition.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "audio/wav.h"
#include "base/text.h"
#include "emulator/api/stt/stt.h"
#include "emulator/sound/audio.h"
#include "emulator/sound/listener.h"
#include "emulator/sound/speaker.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::emulator::speech;

namespace {

Samples tone(double hz, int rate, double seconds, double gain = 10'000) {
  Samples out;
  for (int i = 0; i < static_cast<int>(rate * seconds); ++i) {
    out.push_back(to_sample(gain * std::sin(2 * std::numbers::pi * hz * i / rate)));
  }
  return out;
}

// The amplitude of a tone of `hz` in `samples`.
double amplitude(SampleView samples, double hz, int rate) {
  double sine = 0;
  double cosine = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double phase = 2 * std::numbers::pi * hz * static_cast<double>(i) / rate;
    sine += samples[i] * std::sin(phase);
    cosine += samples[i] * std::cos(phase);
  }
  return 2 * std::hypot(sine, cosine) / static_cast<double>(samples.size());
}

std::vector<SpokenWord> words(std::string_view text) {
  std::vector<SpokenWord> out;
  double at = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(' ', begin), text.size());
    out.push_back({std::string(text.substr(begin, end - begin)), at, at + 0.5, 0.9});
    at += 0.5;
    begin = end + 1;
  }
  return out;
}

std::string polished(std::string_view text, const stt::TranscriptOptions& options) {
  return stt::join_words(stt::format_words(words(text), options), false);
}

}  // namespace

TEST_CASE("interleaved audio of any rate is split into channels, whatever its pieces") {
  const Samples left = tone(500, 44'100, 0.5);
  const Samples right = tone(1500, 44'100, 0.5);
  Samples both;
  for (std::size_t i = 0; i < left.size(); ++i) {
    both.push_back(left[i]);
    both.push_back(right[i]);
  }
  const auto split = [&](std::size_t piece) {
    auto splitter = stt::ChannelSplitter::make(44'100, 2);
    REQUIRE(splitter.has_value());
    std::vector<Samples> all(2);
    const auto add = [&](const std::vector<Samples>& channels) {
      for (std::size_t i = 0; i < 2; ++i) {
        all[i].insert(all[i].end(), channels[i].begin(), channels[i].end());
      }
    };
    for (std::size_t at = 0; at < both.size(); at += piece) {
      add(splitter->feed(SampleView(both).subspan(at, std::min(piece, both.size() - at))));
    }
    add(splitter->finish());
    return all;
  };
  const auto channels = split(both.size());
  CHECK(channels[0].size() == 8'000);
  CHECK(channels[1].size() == 8'000);
  const auto middle = [](const Samples& samples) {
    return SampleView(samples).subspan(1000, 6'400);
  };
  CHECK(amplitude(middle(channels[0]), 500, 16'000) == doctest::Approx(10'000).epsilon(0.02));
  CHECK(amplitude(middle(channels[0]), 1500, 16'000) < 100);
  CHECK(amplitude(middle(channels[1]), 1500, 16'000) == doctest::Approx(10'000).epsilon(0.02));
  CHECK(split(154) == channels);
}

TEST_CASE("telephone audio, too, is the same whatever its pieces") {
  const Samples sound = tone(500, 8'000, 0.3);
  const auto split = [&](std::size_t piece) {
    auto splitter = stt::ChannelSplitter::make(8'000, 1);
    REQUIRE(splitter.has_value());
    Samples all;
    const auto add = [&](const std::vector<Samples>& channels) {
      all.insert(all.end(), channels[0].begin(), channels[0].end());
    };
    for (std::size_t at = 0; at < sound.size(); at += piece) {
      add(splitter->feed(SampleView(sound).subspan(at, std::min(piece, sound.size() - at))));
    }
    add(splitter->finish());
    return all;
  };
  const Samples whole = split(sound.size());
  CHECK(whole.size() == 4'800);
  CHECK(amplitude(SampleView(whole).subspan(800, 3'200), 7'500, 16'000) > 1'000);  // the mirror
  for (const std::size_t piece : {77U, 1U, 160U}) CHECK(split(piece) == whole);
}

TEST_CASE("encoders: sizes, headers, and MP3 frames of the right rate") {
  const Samples sound = tone(440, 24000, 1.0);
  const auto encode = [&](speech::Codec codec, int rate, std::optional<std::uint64_t> total) {
    auto encoder = Encoder::make(codec, rate, 64'000, total);
    REQUIRE(encoder.has_value());
    std::string out;
    for (std::size_t at = 0; at < sound.size(); at += 1000) {
      out += (*encoder)->feed(SampleView(sound).subspan(at, 1000));
    }
    return out + (*encoder)->finish();
  };
  const std::string wav = encode(speech::Codec::Wav, 24000, 24'000);
  REQUIRE(wav.size() == 44 + 48'000);
  CHECK(wav.substr(0, 4) == "RIFF");
  std::uint32_t size = 0;
  std::memcpy(&size, wav.data() + 40, 4);
  CHECK(size == 48'000);
  const std::string endless = encode(speech::Codec::Wav, 24000, std::nullopt);
  std::memcpy(&size, endless.data() + 40, 4);
  CHECK(size > 0xffffff00U);
  CHECK(encode(speech::Codec::Pcm, 24000, {}) == wav.substr(44));
  CHECK(encode(speech::Codec::Mulaw, 24000, {}).size() == 24'000);
  if (!Encoder::make(speech::Codec::Mp3, 24000, 64'000)) return;  // no LAME here
  const std::string mp3 = encode(speech::Codec::Mp3, 24000, {});
  REQUIRE(mp3.size() > 4);
  CHECK(static_cast<std::uint8_t>(mp3[0]) == 0xff);
  CHECK((static_cast<std::uint8_t>(mp3[1]) & 0xfe) == 0xf2);  // MPEG 2, layer III
  CHECK((static_cast<std::uint8_t>(mp3[2]) >> 4) == 8);       // 64 kbit/s
  CHECK((static_cast<std::uint8_t>(mp3[3]) >> 6) == 3);       // mono
  CHECK(mp3.size() == doctest::Approx(8'000).epsilon(0.15));
}

TEST_CASE("tags are pauses or ignored; anything else is spoken") {
  if (!flite_is_built_in() || !check_flite()) return;
  const auto spoken = [](const char* text) {
    Speaker speaker({.text = text, .rate = 16'000});
    Samples all;
    for (;;) {
      const auto samples = speaker.next();
      REQUIRE(samples.has_value());
      if (!*samples) break;
      all.insert(all.end(), (*samples)->begin(), (*samples)->end());
    }
    CHECK(speaker.times().size() == count_code_points(text));
    CHECK(speaker.times().back().end > 0.6 * speaker.seconds());
    CHECK(speaker.times().back().end <= speaker.seconds());
    return all;
  };
  CHECK(spoken("[pause]") == Samples(8'000));
  CHECK(spoken("[laugh]") == Samples(8'000));
  CHECK(spoken("[long-pause]") == Samples(19'200));
  CHECK(spoken("<whisper>One two</whisper> <slow>three</slow>") == spoken("One two three"));
  CHECK(spoken("One two</loud>") == spoken("One two"));
  CHECK(spoken("[x] <b>").size() > spoken("x").size());
  Samples joined = spoken("One two three");
  joined.resize(joined.size() + 8'000);
  const Samples rest = spoken("four");
  joined.insert(joined.end(), rest.begin(), rest.end());
  CHECK(spoken("One two three[sigh]four") == joined);
  CHECK(spoken("\xe6\x97\xa5\xe6\x9c\xac").size() == 3'840);  // foreign words are silent
}

namespace {

// The samples of each phrase of a speech.
std::vector<Samples> phrases_of(Speech speech) {
  speech.rate = 16'000;  // flite's own
  Speaker speaker(std::move(speech));
  std::vector<Samples> phrases;
  for (;;) {
    auto samples = speaker.next();
    REQUIRE(samples.has_value());
    if (!*samples) return phrases;
    phrases.push_back(std::move(**samples));
  }
}

// `text` is spoken as these phrases, each of which is one by itself.
void expect_phrases(const std::string& text, const std::vector<std::string>& expected,
                    bool quick_start = false) {
  CAPTURE(text);
  const auto phrases = phrases_of({.text = text, .quick_start = quick_start});
  REQUIRE(phrases.size() == expected.size());
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    CAPTURE(expected[i]);
    const auto alone = phrases_of({.text = expected[i]});
    REQUIRE(alone.size() == 1);
    CHECK(phrases[i] == alone[0]);
  }
}

}  // namespace

TEST_CASE("the documented tags, and no others, are not spoken") {
  if (!flite_is_built_in() || !check_flite()) return;
  for (const std::string name :
       {"pause", "hum-tune", "laugh", "chuckle", "giggle", "cry", "tsk", "breath", "inhale",
        "lip-smack", "exhale", "sigh", "tongue-click"}) {
    CAPTURE(name);
    CHECK(phrases_of({.text = "[" + name + "]"}) == std::vector<Samples>{Samples(8'000)});
    CHECK(phrases_of({.text = "</" + name + ">"}).front().size() > 3'000);
  }
  for (const std::string name :
       {"soft", "whisper", "loud", "build-intensity", "decrease-intensity", "slow", "fast",
        "sing-song", "higher-pitch", "lower-pitch", "laugh-speak", "singing", "emphasis"}) {
    CAPTURE(name);
    CHECK(phrases_of({.text = "<" + name + "></" + name + ">"}).empty());
    CHECK(phrases_of({.text = "[" + name + "]"}).size() == 1);
  }
  CHECK(phrases_of({.text = "[pause", .speed = 1}) != std::vector<Samples>{Samples(8'000)});
  CHECK(phrases_of({.text = "[long-pause]", .speed = 2}) == std::vector<Samples>{Samples(9'600)});

  Speaker speaker({.text = "[pause]\xe6\x97\xa5\xe6\x9c\xac"});
  REQUIRE(speaker.next().has_value());
  const std::vector<CharTime> times = speaker.times();
  REQUIRE(times.size() == 9);
  for (int i = 0; i < 9; ++i) {
    CAPTURE(i);
    const CharTime& time = times[static_cast<std::size_t>(i)];
    CHECK(time.start == doctest::Approx(i < 7 ? 0.5 / 7 * i : 0.5 + 0.12 * (i - 7)));
    CHECK(time.end == doctest::Approx(i < 7 ? 0.5 / 7 * (i + 1) : 0.5 + 0.12 * (i - 6)));
  }
}

TEST_CASE("a text is spoken phrase by phrase") {
  if (!flite_is_built_in() || !check_flite()) return;
  for (const std::string end : {".", "!", "?", ";", ":", ".\"", ".'", ".)", ".]", ".}", "\n"}) {
    expect_phrases("One two three" + end + " four", {"One two three" + end, "four"});
  }
  expect_phrases("One two. Four", {"One two. Four"});
  for (const std::string word : {"three,", ".", "e.g.", "I.e.", "Dr.", "mr.", "Mrs."}) {
    expect_phrases("One two tree " + word + " four", {"One two tree " + word + " four"});
  }
  std::string most = "a";
  for (int i = 1; i < 30; ++i) most += " a";
  expect_phrases(most, {most});
  expect_phrases(most + " b", {most, "b"});
  expect_phrases("One [sigh] two", {"One", "[sigh]", "two"});

  expect_phrases("One two three four", {"One two three four"}, true);
  expect_phrases("One two three four five six", {"One two three four five", "six"}, true);
  expect_phrases("One two, three four, five", {"One two,", "three four, five"}, true);
  expect_phrases("One, two three", {"One, two three"}, true);
}

TEST_CASE("written words are spoken as people say them") {
  CHECK(spoken_form("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß") == "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTss");
  CHECK(spoken_form("àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ") == "aaaaaaaceeeeiiiidnooooo/ouuuuyty");
  CHECK(spoken_form("‘don’t’") == "'don't'");
  CHECK(spoken_form("“a”–b—c…") == "\"a\"-b-c...");
  CHECK(spoken_form("a\x1f b\x7f~¿") == "a b~");
  for (const char* heard : {"&", "%", "+", "@", "=", "#", "$", "0", "z"}) {
    CHECK(spoken_form(heard) == heard);
  }
  for (const char* silent : {"!", ".", "*", "/", "(", "<", "_", "~", "'"}) {
    CHECK(spoken_form(silent).empty());
  }
  CHECK(spoken_form("na\xc3\xafve") == "naive");
  CHECK(spoken_form("\xe6\x97\xa5\xe6\x9c\xac").empty());
  CHECK(spoken_form("--").empty());
  CHECK(spoken_form("42") == "42");
}

TEST_CASE("voices: all documented ones, and custom ones") {
  CHECK(voices().size() == 26);
  CHECK(find_voice("EVE") != nullptr);
  CHECK(find_voice("nobody") == nullptr);
  CHECK_FALSE(voice_settings("nobody").has_value());
  CHECK(voice_settings("nlbqfwie7").has_value());
  CHECK(voice_settings("rex")->base_voice == BaseVoice::Rms);
  // Of eight letters or more, of which one is a digit.
  for (const char* none : {"abcdef1", "abcdefgh", "abcdefg.1", "abcdefg 1", ""}) {
    CHECK_FALSE(voice_settings(none).has_value());
  }
  for (const auto& [id, like] : {std::pair("abcdefg1", "celeste"),
                                 {"nlbqfwie7", "lux"},
                                 {"voice-_1x", "lux"},
                                 {"00000000", "iris"}}) {
    const auto custom = voice_settings(id);
    const auto built_in = voice_settings(like);
    REQUIRE((custom.has_value() && built_in.has_value()));
    CHECK(custom->base_voice == built_in->base_voice);
    CHECK(custom->pitch == built_in->pitch);
    CHECK(custom->size == built_in->size);
    CHECK(custom->pace == built_in->pace);
  }
}

TEST_CASE("fillers and terms in transcripts") {
  CHECK(polished("um i like uh trains", {}) == "i like trains");
  CHECK(polished("um yes", {.filler_words = true}) == "um yes");
  CHECK(polished("ask the new york team", {.keyterms = {"NewYork"}}) == "ask the NewYork team");
  CHECK(polished("see oslo", {.keyterms = {"Oslo", "Bergen"}}) == "see Oslo");
  const auto merged = stt::format_words(words("the new york team"), {.keyterms = {"New York"}});
  REQUIRE(merged.size() == 3);
  CHECK(merged[1].start == 0.5);
  CHECK(merged[1].end == 1.5);
  CHECK(stt::join_words(words("i am here"), true) == "I am here.");
  CHECK(stt::join_words(words("i am here"), false) == "i am here");
  // Of up to three words, with the least of their confidences; what follows stays as it is.
  auto parts = words("see new york - city");
  parts[1].confidence = 0.3;
  const auto one = stt::format_words(parts, {.keyterms = {"New York"}});
  REQUIRE(one.size() == 4);
  CHECK(one[1].text == "New York");
  CHECK(one[1].confidence == 0.3);
  CHECK(one[2].text == "-");
  CHECK(polished("a b c", {.keyterms = {"ABC"}}) == "ABC");
  CHECK(polished("a b c d", {.keyterms = {"ABCD"}}) == "a b c d");
  CHECK(polished("a b a b", {.keyterms = {"A-B"}}) == "A-B A-B");
  CHECK(polished("a b", {.keyterms = {"..."}}) == "a b");
}

TEST_CASE("silence and quiet noise are not recognised") {
  std::vector<RecognitionResult> heard;
  Listener listener({.vad_threshold = 0.5});
  listener.feed(Samples(16000, 0), heard);
  listener.feed(tone(200, 16000, 1.0, 60), heard);
  listener.finalize(heard);
  CHECK(heard.empty());
}

TEST_CASE("a spoken sentence is recognised, whatever its pieces; speakers in turn") {
  if (!flite_is_built_in() || !recognizer_is_built_in() || !check_flite()) {
    MESSAGE("speech is not built in");
    return;
  }
  Samples sound;
  for (const auto& [voice, text] : {std::pair("eve", "The train to London leaves in the morning."),
                                    std::pair("rex", "The weather is very nice today.")}) {
    Speaker speaker({.text = text, .voice = std::string(voice), .rate = k_listen_rate});
    const auto spoken = speaker.next();
    REQUIRE(spoken.has_value());
    REQUIRE(spoken->has_value());
    sound.insert(sound.end(), (*spoken)->begin(), (*spoken)->end());
    sound.resize(sound.size() + 8000);
  }
  const auto listen = [&](std::size_t piece) {
    Listener listener({.endpointing_ms = 300, .interim = piece > 1000, .speakers = true});
    std::vector<RecognitionResult> heard;
    for (std::size_t at = 0; at < sound.size(); at += piece) {
      listener.feed(SampleView(sound).subspan(at, std::min(piece, sound.size() - at)), heard);
    }
    listener.finalize(heard);
    return heard;
  };
  const auto all = listen(1600);
  std::vector<RecognitionResult> finals;
  std::size_t interims = 0;
  for (const RecognitionResult& one : all) {
    if (one.speech_final) finals.push_back(one);
    if (!one.is_final) ++interims;
  }
  REQUIRE(finals.size() == 2);
  CHECK(interims >= 4);
  const std::string first = stt::join_words(finals[0].words, false);
  for (const char* word : {"train", "london", "morning"}) {
    CHECK_MESSAGE(first.find(word) != std::string::npos, first);
  }
  const std::string second = stt::join_words(finals[1].words, false);
  for (const char* word : {"weather", "nice", "today"}) {
    CHECK_MESSAGE(second.find(word) != std::string::npos, second);
  }
  CHECK(finals[0].words.front().speaker == 0);
  CHECK(finals[1].words.front().speaker == 1);
  CHECK(finals[1].start > finals[0].start + finals[0].duration - 0.01);
  CHECK(finals[0].words.front().confidence > 0);
  // The same audio from uneven pieces, in one go.
  const auto again = listen(777);
  std::string joined;
  for (const RecognitionResult& one : again) {
    if (one.speech_final) joined += stt::join_words(one.words, false) + "|";
  }
  CHECK(joined == first + "|" + second + "|");
}

TEST_CASE(
    "smart turn: an unfinished sentence is locked, a finished one ends; a timeout ends both") {
  if (!flite_is_built_in() || !recognizer_is_built_in() || !check_flite()) return;
  const auto said = [](const char* text) {
    Speaker speaker({.text = text, .voice = "eve", .rate = k_listen_rate});
    const auto spoken = speaker.next();
    REQUIRE((spoken.has_value() && spoken->has_value()));
    return **spoken;
  };
  std::vector<RecognitionResult> heard;
  Listener listener({.smart_turn = 0.5, .smart_turn_timeout_ms = 1000});
  listener.feed(said("We open the window and"), heard);
  listener.feed(Samples(8000), heard);
  REQUIRE(heard.size() == 1);  // it might continue
  CHECK(heard[0].is_final);
  CHECK_FALSE(heard[0].speech_final);
  CHECK(*heard[0].end_of_turn == 0.15);
  listener.feed(Samples(16000), heard);
  REQUIRE(heard.size() == 2);  // it did not
  CHECK(heard[1].speech_final);
  CHECK(heard[1].words.size() == heard[0].words.size());
  listener.feed(said("The weather is very nice today."), heard);
  listener.feed(Samples(8000), heard);
  REQUIRE(heard.size() == 3);
  CHECK(heard[2].speech_final);
  CHECK(*heard[2].end_of_turn == 0.9);
}

TEST_CASE("a turn that ends with a word such as \"and\" is hardly over") {
  if (!flite_is_built_in() || !recognizer_is_built_in() || !check_flite()) return;
  const auto end_of = [](const std::string& text) {
    Speaker speaker({.text = text, .voice = "eve", .rate = k_listen_rate});
    const auto spoken = speaker.next();
    REQUIRE((spoken.has_value() && spoken->has_value()));
    std::vector<RecognitionResult> heard;
    Listener listener({.smart_turn = 1.0});
    listener.feed(**spoken, heard);
    listener.feed(Samples(8'000), heard);
    REQUIRE_FALSE(heard.empty());
    return std::pair(heard.back().words, heard.back().end_of_turn);
  };
  // Others sound too much alike.
  for (const std::string word :
       {"and", "but", "or", "because", "the", "in", "on", "with", "if", "that", "is", "then"}) {
    CAPTURE(word);
    const auto [words, sure] = end_of("We open the window " + word);
    if (words.size() > 1 && words.back().text == word) CHECK(sure == 0.15);
  }
  const auto [one, sure] = end_of("Yes.");
  REQUIRE(one.size() == 1);
  CHECK(sure == 0.65);
}

TEST_CASE("phrases are replaced before they are spoken") {
  if (!flite_is_built_in() || !check_flite()) return;
  const auto spoken = [](std::map<std::string, std::string> replace, const char* text) {
    Speaker speaker({.text = text, .rate = 16'000, .replace = std::move(replace)});
    const auto samples = speaker.next();
    REQUIRE((samples.has_value() && samples->has_value()));
    return **samples;
  };
  CHECK(spoken({{"new york", "nice"}}, "A New York day") == spoken({}, "A nice day"));
  CHECK(spoken({{"new york", "nice"}}, "A new yak day") == spoken({}, "A new yak day"));
  CHECK(spoken({{"new york", "nice"}}, "New York new york") == spoken({}, "nice nice"));
  CHECK(spoken({{"a b c", "x"}}, "a b") == spoken({}, "a b"));
  for (const char sign : std::string("\"'`({[.,:;!?)}]")) {
    CAPTURE(sign);
    CHECK(spoken({{"cat", "dog"}}, (sign + std::string("Cat") + sign).c_str()) ==
          spoken({}, "dog"));
  }
  CHECK(spoken({{"cat", "dog"}}, "*Cat*") == spoken({}, "*Cat*"));
}

TEST_CASE("samples are rounded and kept in range; durations are rounded down") {
  for (const auto& [value, sample] : {std::pair(0.4, 0),
                                      {0.5, 1},
                                      {-0.4, 0},
                                      {-0.5, -1},
                                      {32'766.4, 32'766},
                                      {32'767.0, 32'767},
                                      {40'000.0, 32'767},
                                      {-32'768.0, -32'768},
                                      {-40'000.0, -32'768}}) {
    CHECK(to_sample(value) == sample);
  }
  CHECK(realtime::milliseconds_of(23, 24'000) == 0);
  CHECK(realtime::milliseconds_of(24, 24'000) == 1);
  CHECK(realtime::AudioFormat{}.rate == 24'000);
  CHECK(stt::InputFormat{}.channels == 1);
  CHECK(realtime::AudioFormat{audio::Encoding::Pcm, 8'000}.type() == "audio/pcm");
  CHECK(realtime::AudioFormat{audio::Encoding::MuLaw, 8'000}.type() == "audio/pcmu");
  CHECK(realtime::AudioFormat{audio::Encoding::ALaw, 8'000}.type() == "audio/pcma");
}

TEST_CASE("a library that is not there is named") {
  const auto library = open_library("svc-none", 3, "owner");
  REQUIRE_FALSE(library.has_value());
  CHECK(library.error().fault == Fault::Local);
  CHECK(library.error().message ==
        "The library " + library_name("svc-none", 3) + " is not installed.");
  CHECK(library.error().hint == install_hint("libowner3"));
}

TEST_CASE("codecs by name, with their types and what they begin with") {
  for (const auto& [name, type] : {std::pair("mp3", "audio/mpeg"),
                                   {"wav", "audio/wav"},
                                   {"pcm", "audio/pcm"},
                                   {"mulaw", "audio/basic"},
                                   {"alaw", "audio/alaw"}}) {
    REQUIRE(find_codec(name).has_value());
    CHECK(content_type(*find_codec(name)) == type);
  }
  CHECK_FALSE(find_codec("ogg").has_value());
  const auto encoded = [](speech::Codec codec, const Samples& samples) {
    auto encoder = Encoder::make(codec, 8'000, 64'000, 2);
    REQUIRE(encoder.has_value());
    std::string out = samples.empty() ? "" : (*encoder)->feed(samples);
    return out + (*encoder)->finish();
  };
  const std::string head = encoded(speech::Codec::Wav, {});
  CHECK(head.size() == 44);
  CHECK(encoded(speech::Codec::Wav, {1, 2}) == head + std::string("\1\0\2\0", 4));
  CHECK(encoded(speech::Codec::Pcm, {}).empty());
  CHECK(encoded(speech::Codec::Mulaw, {0, 0}) == "\xff\xff");
  CHECK(encoded(speech::Codec::Alaw, {0, 0}) == "\xd5\xd5");
  CHECK(stt::raw_encoding("pcm") == audio::Encoding::Pcm);
  CHECK(stt::raw_encoding("mulaw") == audio::Encoding::MuLaw);
  CHECK(stt::raw_encoding("alaw") == audio::Encoding::ALaw);
  CHECK_FALSE(stt::raw_encoding("opus").has_value());
}

TEST_CASE("the upper band of telephone audio is filled, whatever its pieces") {
  const auto filled = [](int rate, std::size_t position) {
    Samples samples = {100, 100, 100, 100};
    fill_upper_band(samples, rate, position);
    return samples;
  };
  CHECK(filled(8'001, 0) == Samples{100, 100, 100, 100});
  CHECK(filled(8'000, 0) == Samples{100, 30, 100, 30});
  CHECK(filled(8'000, 1) == Samples{30, 100, 30, 100});
  CHECK(filled(4'000, 2) == Samples{100, 30, 100, 30});
}

TEST_CASE("audio is read to its end, and what cannot be read is named") {
  const auto decoded = [](std::string_view bytes, const stt::InputFormat& format) {
    std::size_t samples = 0;
    std::size_t channels = 0;
    const auto seconds = stt::decode_audio(bytes, format, [&](const std::vector<Samples>& part) {
      channels = part.size();
      samples += part[0].size();
      return true;
    });
    return seconds ? fmt::format("{} s, {} channels, {} samples", *seconds, channels, samples)
                   : seconds.error().message;
  };
  const stt::InputFormat raw{audio::Encoding::Pcm, 16'000, 1};
  CHECK(decoded(std::string(3'200, '\0'), raw) == "0.1 s, 1 channels, 1600 samples");
  CHECK(decoded(std::string(3'201, '\0'), raw) == "0.1 s, 1 channels, 1600 samples");
  CHECK(decoded("", raw) == "0 s, 1 channels, 0 samples");
  CHECK(decoded(std::string(100'000, '\0'), {audio::Encoding::MuLaw, 8'000, 1}) ==
        "12.5 s, 1 channels, 200000 samples");
  CHECK(decoded(std::string(6'403, '\0'), {audio::Encoding::Pcm, 16'000, 2}) ==
        "0.1 s, 2 channels, 1600 samples");

  const auto wav = [&](int rate, int channels) {
    return decoded(audio::wav_header({rate, channels}, 288) + std::string(288, '\0'), {});
  };
  CHECK(wav(16'000, 2) == "0.0045 s, 2 channels, 72 samples");
  CHECK(wav(16'000, 8).ends_with("8 channels, 18 samples"));
  const std::string limits = "Audio has 1 to 8 channels and 1 to 384 kHz.";
  CHECK(wav(16'000, 9) == limits);
  CHECK(wav(999, 1) == limits);
  CHECK(wav(1'000, 1).starts_with("0.144 s"));
  CHECK(wav(384'000, 1).ends_with("6 samples"));
  CHECK(wav(384'001, 1) == limits);

  const auto foreign = [&](std::string head) {
    head.resize(64, '\0');
    return decoded(head, {});
  };
  const auto cannot = [](const char* name) {
    return fmt::format(
        "This emulator cannot decode {}, which the service can. Convert the file to "
        "wav, mp3, ogg, opus or flac.",
        name);
  };
  CHECK(foreign("1234ftypM4A ") == cannot("m4a"));
  CHECK(foreign("1234ftypisom") == cannot("mp4"));
  CHECK(foreign("\x1a\x45\xdf\xa3") == cannot("mkv"));
  CHECK(foreign("\xff\xf1") == cannot("aac"));
  CHECK(foreign("\xff\xf9") == cannot("aac"));
  const std::string unknown =
      "The audio format was not recognized. Containers are detected by their content; raw audio "
      "needs audio_format and sample_rate.";
  CHECK(foreign("<html>") == unknown);
  CHECK(foreign("\xfe\xf1") == unknown);
  CHECK(decoded("1234ftypM4A", {}) == unknown);
  CHECK(decoded("\xff", {}) == unknown);
}

TEST_CASE("the documented voices, each with its name") {
  std::string ids;
  for (const Voice& voice : voices()) {
    ids += std::string(voice.id) + " ";
    std::string name(voice.id);
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    CHECK(voice.name == name);
    CHECK(voice.settings.size == doctest::Approx(1).epsilon(0.07));
    CHECK(voice.settings.pace == doctest::Approx(1).epsilon(0.11));
    CHECK((voice.settings.pitch == 0 || voice.settings.pitch >= 100));
  }
  CHECK(ids ==
        "carina zagan helix orion luna iris altair zenith perseus helios lux kepler rigel cosmo "
        "celeste ursa sirius lumen castor naksh atlas ara eve leo rex sal ");
}

TEST_CASE("each voice is one of the four that can speak, with its own pitch, size and pace") {
  std::string all;
  for (const Voice& voice : voices()) {
    const VoiceSettings& one = voice.settings;
    all += fmt::format("{}{}/{:.0f}/{:.0f} ", static_cast<int>(one.base_voice), one.pitch,
                       one.size * 100, one.pace * 100);
  }
  CHECK(all ==
        "0185/100/100 30/100/100 10/104/105 10/97/95 0175/104/95 0200/102/105 20/100/100 "
        "2120/96/100 10/97/105 10/106/110 0155/96/105 2140/104/100 10/96/100 10/105/95 "
        "0190/105/100 0145/97/95 2110/97/95 0160/100/92 10/102/92 2150/103/105 10/95/95 "
        "0180/102/100 00/100/100 10/100/110 10/100/100 0140/98/100 ");
}

TEST_CASE("when each character is heard: one after the other, up to the end") {
  if (!flite_is_built_in() || !check_flite()) return;
  const auto times_of = [](const char* text, double speed = 1) {
    Speaker speaker({.text = text, .speed = speed, .rate = 16'000});
    while (*speaker.next()) {
    }
    auto times = speaker.times();
    times.push_back({speaker.seconds(), speaker.seconds()});
    return times;
  };
  for (const char* text :
       {"One two three", "One, -- two! Three.", "Say \"one\" twice", "A (b) c"}) {
    CAPTURE(text);
    const auto times = times_of(text);
    for (std::size_t i = 1; i < times.size(); ++i) {
      CAPTURE(i);
      CHECK(times[i - 1].start <= times[i - 1].end + 1e-9);
      CHECK(times[i].start >= times[i - 1].end - 1e-6);
    }
    CHECK(times[times.size() - 2].end > 0.6 * times.back().end);
  }
  const auto one = times_of("One two three");
  CHECK(one[0].start > 0);
  CHECK(one[0].start < 0.4);
  CHECK(one[1].start == doctest::Approx(one[0].end));  // within a word, evenly
  CHECK(one[2].end - one[2].start == doctest::Approx(one[0].end - one[0].start));
  CHECK(one[3].start == doctest::Approx(one[2].end));  // the space fills the gap
  CHECK(one[3].end == doctest::Approx(one[4].start));
  CHECK(one[4].start > one[0].start + 0.1);
  CHECK(times_of("One two three", 2).back().end ==
        doctest::Approx(one.back().end / 2).epsilon(0.1));

  // Before anything is spoken, nothing has a time; another rate changes none.
  const Speaker silent({.text = "One two"});
  for (const CharTime& time : silent.times()) CHECK(time.end == 0);
  Speaker other({.text = "One two three", .rate = 8'000});
  REQUIRE(other.next().has_value());
  CHECK(other.seconds() == doctest::Approx(one.back().end).epsilon(0.01));
}

TEST_CASE("foreign letters are silent as long as they last, signs take no time") {
  if (!flite_is_built_in() || !check_flite()) return;
  // U+0250, U+1FFE, U+2C00 and U+AC00 are letters; U+024F, U+2000, U+2BFF and U+FEFF are not.
  for (const char* letter : {"\xc9\x90", "\xe1\xbf\xbe", "\xe2\xb0\x80", "\xea\xb0\x80"}) {
    CHECK(phrases_of({.text = letter}) == std::vector<Samples>{Samples(1'920)});
  }
  for (const char* sign : {"\xc9\x8f", "\xe2\x80\x80", "\xe2\xaf\xbf", "\xef\xbb\xbf"}) {
    CHECK(phrases_of({.text = sign}) == std::vector<Samples>{Samples()});
  }
  CHECK(phrases_of({.text = "\xe6\x97\xa5", .replace = {{"\xe6\x97\xa5", "day"}}}) ==
        phrases_of({.text = "day"}));
  CHECK(phrases_of({.text = "Hi", .voice = "nobody"}) == phrases_of({.text = "Hi"}));
  CHECK(phrases_of({.text = "Hi", .voice = "REX"}) != phrases_of({.text = "Hi"}));
}

namespace {

// "start+duration" of each part that a listener that is never sure of a turn's end takes as speech:
// tones of that amplitude and length in ms, or silence, after a second of silence.
std::string heard_parts(double threshold, const std::vector<std::pair<int, int>>& parts,
                        bool silence_first = true) {
  Listener listener({.vad_threshold = threshold, .smart_turn = 1.0});
  std::vector<RecognitionResult> heard;
  if (silence_first) listener.feed(Samples(16'000), heard);
  for (const auto& [gain, ms] : parts) listener.feed(tone(200, 16'000, ms / 1000.0, gain), heard);
  std::string out;
  for (const RecognitionResult& one : heard) {
    CHECK(one.is_final);
    CHECK_FALSE(one.speech_final);
    out += fmt::format("{:.2f}+{:.2f} ", one.start, one.duration);
  }
  return out;
}

}  // namespace

TEST_CASE("the same is heard in the same speech, whatever was heard before") {
  if (!flite_is_built_in() || !recognizer_is_built_in() || !check_flite()) return;
  std::vector<std::unique_ptr<Recognizer>> others;  // all that are loaded: the next one is new
  for (int i = 0; i < 3; ++i) {
    auto taken = Recognizer::take();
    if (!taken) return;
    others.push_back(*std::move(taken));
  }
  const auto heard = [](SampleView samples) {
    Listener listener({});
    std::vector<RecognitionResult> results;
    listener.feed(samples, results);
    listener.finalize(results);
    std::string out;
    for (const RecognitionResult& one : results) {
      for (const SpokenWord& word : one.words) {
        out += fmt::format("{} {} {} {} ", word.text, word.start, word.end, word.confidence);
      }
    }
    return out;
  };
  Speaker speaker({.text = "The train to London leaves in the morning.",
                   .voice = "eve",
                   .rate = k_listen_rate});
  const auto phrase = speaker.next();
  REQUIRE((phrase.has_value() && phrase->has_value()));
  const SampleView spoken = **phrase;
  const std::string first = heard(spoken);
  CHECK(first.find("train") != std::string::npos);
  CHECK(heard(spoken) == first);
  (void)heard(spoken.first(spoken.size() / 2));  // ends within a word
  CHECK(heard(spoken) == first);
}

TEST_CASE("what is loud for three of five frames is speech, until 240 ms are silent") {
  if (!recognizer_is_built_in() || !Recognizer::take()) return;
  // It begins 15 frames of 20 ms before the third loud one has ended, and ends with the silence.
  CHECK(heard_parts(0.5, {{3'000, 120}, {0, 500}}) == "0.76+0.60 ");
  CHECK(heard_parts(0.5, {{3'000, 60}, {0, 500}}) == "0.76+0.54 ");
  CHECK(heard_parts(0.5, {{3'000, 40}, {0, 500}}) == "");
  CHECK(heard_parts(0.5, {{3'000, 20}, {0, 20}, {3'000, 20}, {0, 20}, {3'000, 20}, {0, 500}}) ==
        "0.80+0.54 ");
  CHECK(heard_parts(0.5, {{3'000, 40}, {0, 60}, {3'000, 20}, {0, 500}}) == "");
  CHECK(heard_parts(0.5, {{3'000, 100}, {0, 220}, {3'000, 100}, {0, 500}}) == "0.76+0.90 ");
  CHECK(heard_parts(0.5, {{3'000, 100}, {0, 240}, {3'000, 60}, {0, 500}}) ==
        "0.76+0.58 1.34+0.30 ");
  // The probability 0.5 stands for -44 dB, 0.08 for -54 dB, 0 for everything.
  CHECK(heard_parts(0.5, {{280, 120}, {0, 500}}) == "");
  CHECK(heard_parts(0.5, {{310, 120}, {0, 500}}) == "0.76+0.60 ");
  CHECK(heard_parts(0.08, {{80, 120}, {0, 500}}) == "");
  CHECK(heard_parts(0.08, {{95, 120}, {0, 500}}) == "0.76+0.60 ");
  // Without a silence, a part ends after 20 s; from 12 s on at a silence of 40 ms. Words may be
  // heard in what is before it.
  CHECK(heard_parts(0.5, {{3'000, 20'100}, {0, 500}}).ends_with("21.06+0.28 "));
  CHECK(heard_parts(0.5, {{3'000, 12'020}, {0, 40}, {3'000, 100}, {0, 500}})
            .ends_with("13.06+0.34 "));
  CHECK(heard_parts(0.5, {{3'000, 12'000}, {0, 40}, {3'000, 100}, {0, 500}})
            .ends_with("13.18+0.24 "));
  CHECK(heard_parts(0.5, {{3'000, 12'500}, {0, 20}, {3'000, 100}, {0, 500}})
            .ends_with("13.66+0.24 "));
  // Noise from the beginning is no speech, until it is quiet.
  CHECK(heard_parts(0.08, {{150, 1'000}, {0, 1'000}}, false) == "");
  CHECK(heard_parts(0.08, {{150, 300}, {0, 1'000}, {150, 300}, {0, 500}}, false) == "1.06+0.78 ");
}

TEST_CASE("words are final at a short silence, an utterance after its own") {
  if (!flite_is_built_in() || !recognizer_is_built_in() || !check_flite()) return;
  Speaker speaker({.text = "We open the window", .voice = "eve", .rate = k_listen_rate});
  const auto spoken = speaker.next();
  REQUIRE((spoken.has_value() && spoken->has_value()));
  std::vector<RecognitionResult> heard;
  Listener listener({.endpointing_ms = 600});
  listener.feed(**spoken, heard);
  listener.feed(Samples(4'800), heard);  // the speech ends with some silence
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].is_final);
  CHECK_FALSE(heard[0].speech_final);
  CHECK_FALSE(heard[0].end_of_turn.has_value());
  CHECK(heard[0].notice.empty());
  listener.feed(Samples(16'000), heard);
  REQUIRE(heard.size() == 2);
  CHECK(heard[1].speech_final);
  CHECK_FALSE(heard[1].end_of_turn.has_value());
  REQUIRE(heard[1].words.size() == heard[0].words.size());
  CHECK(heard[1].start == heard[0].start);
  CHECK(heard[1].duration > heard[0].duration + 0.2);
  double last = heard[1].start;
  for (const SpokenWord& word : heard[1].words) {
    CHECK(word.start >= last - 1e-9);
    CHECK(word.end > word.start);
    CHECK(word.confidence > 0);
    CHECK(word.confidence <= 1);
    CHECK(word.speaker == 0);
    last = word.end;
  }
  CHECK(last <= heard[1].start + heard[1].duration);
  listener.finalize(heard);
  CHECK(heard.size() == 2);

  Listener turns({.interim = true, .smart_turn = 0.5});
  heard.clear();
  turns.feed(SampleView(**spoken).subspan(0, 14'000), heard);
  for (const RecognitionResult& one : heard) {
    CHECK_FALSE(one.is_final);
    CHECK(one.end_of_turn == 0.0);
    CHECK(one.duration > 0.49);
  }
  CHECK(heard.size() == 1);  // after half a second
  turns.finalize(heard);
  REQUIRE(heard.size() == 2);
  CHECK(heard[1].speech_final);
  CHECK(heard[1].end_of_turn == 1.0);
  turns.finalize(heard);
  CHECK(heard.size() == 2);
}
