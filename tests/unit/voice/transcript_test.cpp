#include "voice/transcript.h"

#include <array>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "voice/cues.h"

using namespace svc;
using namespace svc::voice;

namespace {

/// Words, one per half second, from `start` on.
std::vector<Word> spoken(sv text, double start = 0, std::optional<std::int64_t> speaker = {},
                         std::optional<std::int64_t> channel = {}) {
  std::vector<Word> words;
  for (const sv part : split(text, ' ')) {
    words.push_back({.text = std::string(part),
                     .start = start,
                     .end = start + 0.4,
                     .speaker = speaker,
                     .channel = channel});
    start += 0.5;
  }
  return words;
}

Transcript of_words(std::vector<Word> words) {
  Transcript transcript;
  transcript.text = join_words(words);
  transcript.words = std::move(words);
  return transcript;
}

}  // namespace

TEST_CASE("a response is parsed, whatever it lacks") {
  const auto plain = read_transcript(
      R"({"text":"a b","language":"","duration":1.5,"new":{},"words":[
      {"text":"a","start":0.1,"end":0.2,"confidence":0.9},{"text":"b","start":0.3,"end":0.2,"speaker":1}]})");
  REQUIRE(plain);
  CHECK(plain->text == "a b");
  CHECK(plain->duration == 1.5);
  REQUIRE(plain->words.size() == 2);
  CHECK(plain->words[0].confidence == 0.9);
  CHECK_FALSE(plain->words[0].speaker);
  CHECK(plain->words[1].speaker == 1);
  CHECK(plain->words[1].end == 0.3);  // never before its start

  const auto bare = read_transcript(R"({"text":null,"words":null,"duration":"2.5"})");
  REQUIRE(bare);
  CHECK(bare->text.empty());
  CHECK(bare->duration == 2.5);
  CHECK(bare->words.empty());

  const auto odd = read_transcript(R"({"text":"","words":[{"text":" "},{"start":"x"},5,null]})");
  REQUIRE(odd);
  CHECK(odd->words.empty());

  const std::string none = "the transcript in the response is not a JSON object";
  const std::string expected = "expected the transcript in the response as \"text\", got ";
  const std::pair<const char*, std::string> rows[] = {
      {"", none},
      {"null", none},
      {"[1]", none},
      {"{", none},
      {"\"text\"", none},
      {"{}", expected + "none"},
      {R"({"text":null})", expected + "none"},
      {R"({"text":7,"words":[]})", expected + "number"},
      {R"({"text":{},"words":[]})", expected + "object"},
  };
  for (const auto& [wrong, told] : rows) {
    const auto refused = read_transcript(wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == Fault::Network);
    CHECK(refused.error().message == told);
  }
}

TEST_CASE("the words of all channels are one list, sorted by start") {
  const auto both = read_transcript(
      R"({"text":"hi you","duration":2,"words":[{"text":"merged","start":9,"end":9}],
    "channels":[{"index":0,"text":"hi","words":[{"text":"hi","start":1,"end":1.2}]},
                {"index":1,"text":"you","words":[{"text":"you","start":0.5,"end":0.8}]}]})");
  REQUIRE(both);
  REQUIRE(both->words.size() == 2);
  CHECK(both->words[0].text == "you");
  CHECK(both->words[0].channel == 1);
  CHECK(both->words[1].channel == 0);
  const auto together = read_transcript(
      R"({"channels":[{"index":0,"words":[{"text":"hi","start":1,"end":1.2}]},
                      {"index":1,"words":[{"text":"you","start":1,"end":1.8}]}]})");
  REQUIRE(together);
  CHECK(together->words.at(0).text == "hi");
  const auto silent = read_transcript(
      R"({"text":"merged","words":[{"text":"merged","start":9,"end":9}],"channels":[{"index":0}]})");
  REQUIRE(silent);
  CHECK(silent->words.size() == 1);
}

TEST_CASE("names of formats") {
  CHECK(parse_transcript_format("srt") == TranscriptFormat::Srt);
  CHECK_FALSE(parse_transcript_format("SRT"));
  CHECK(transcript_extension(TranscriptFormat::Text) == "txt");
  CHECK(transcript_extension(TranscriptFormat::Words) == "tsv");
}

TEST_CASE("cues are short enough to read, and lose no word") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("{}word{}", i == 0 ? "" : " ", i);
  const Transcript transcript = of_words(spoken(text));
  std::string again;
  double last = 0;
  for (const Cue& cue : make_cues(transcript, 0)) {
    CHECK(cue.lines.size() <= 2);
    CHECK(cue.end - cue.start <= 7.0);
    CHECK(cue.start >= last);
    CHECK(cue.end > cue.start);
    last = cue.end;
    for (const std::string& line : cue.lines) {
      CHECK(count_code_points(line) <= 42);
      again += (again.empty() ? "" : " ") + line;
    }
  }
  CHECK(again == text);
}

TEST_CASE("cues end at pauses and sentence ends") {
  std::vector<Word> words = spoken("One two three");
  const std::vector<Word> later = spoken("four five", 5);
  words.insert(words.end(), later.begin(), later.end());
  const auto paused = make_cues(of_words(words), 0);
  REQUIRE(paused.size() == 2);
  CHECK(paused[0].lines == std::vector<std::string>{"One two three"});
  CHECK(paused[1].start == 5);

  const auto cut = make_cues(
      of_words(spoken("It was a very dark and stormy night. Nobody had come for a long time, and "
                      "then he heard steps.")),
      0);
  REQUIRE(cut.size() >= 2);
  CHECK(cut[0].lines.back().ends_with("night."));

  // A short one is shown as long as there is room.
  const auto brief = make_cues(of_words({{.text = "Yes", .start = 1, .end = 1.1}}), 0);
  REQUIRE(brief.size() == 1);
  CHECK(brief[0].end == doctest::Approx(1.7));
}

TEST_CASE("lines have similar lengths, and very long words are split") {
  const auto two =
      make_cues(of_words(spoken("the quick brown fox jumps over the lazy dog again")), 0);
  REQUIRE(two.size() == 1);
  REQUIRE(two[0].lines.size() == 2);
  CHECK(two[0].lines[0] == "the quick brown fox jumps");

  const auto endless =
      make_cues(of_words({{.text = std::string(100, 'x'), .start = 0, .end = 1}}), 0);
  REQUIRE(endless.size() == 1);
  CHECK(endless[0].lines.size() == 3);  // one word is one cue, however long

  const auto japanese = make_cues(of_words(spoken("今日 は いい 天気 です ね 。")), 0);
  REQUIRE(japanese.size() == 1);
  CHECK(japanese[0].lines == std::vector<std::string>{"今日はいい天気ですね。"});
}

TEST_CASE("without words, the text is spread over its duration") {
  Transcript bare;
  bare.text = "one two\nthree four";
  bare.start = 10;
  bare.duration = 4;
  const auto cues = make_cues(bare, 0);
  REQUIRE(cues.size() == 1);
  CHECK(cues[0].start == 10);
  CHECK(cues[0].end == 14);
  CHECK(cues[0].lines == std::vector<std::string>{"one two three four"});
  CHECK(make_cues({}, 0).empty());
}

TEST_CASE("subtitles in both formats") {
  Transcript transcript = of_words(spoken("Tom & <Jerry> --> here"));
  TranscriptWriter srt(TranscriptFormat::Srt);
  CHECK(srt.add(transcript) == "1\n00:00:00,000 --> 00:00:02,400\nTom & <Jerry> -> here\n\n");
  CHECK(srt.finish().empty());
  TranscriptWriter vtt(TranscriptFormat::Vtt);
  CHECK(vtt.add(transcript) ==
        "WEBVTT\n\n1\n00:00:00.000 --> 00:00:02.400\nTom &amp; &lt;Jerry&gt; --&gt; here\n\n");
  TranscriptWriter nothing(TranscriptFormat::Vtt);
  CHECK(nothing.add({}) == "WEBVTT\n\n");
  TranscriptWriter never(TranscriptFormat::Vtt);
  CHECK(never.finish() == "WEBVTT\n");
  CHECK(subtitle(TranscriptFormat::Srt, 7, 3'723'046, 3'724'000, "svc",
                 std::array<std::string, 1>{"a --> b"}) ==
        "7\n01:02:03,046 --> 01:02:04,000\n[svc] a -> b\n\n");
}

TEST_CASE("utterances continue where the previous ones ended") {
  TranscriptWriter srt(TranscriptFormat::Srt);
  CHECK(srt.add(of_words(spoken("one", 4))).starts_with("1\n00:00:04,000"));
  // An utterance in another channel may have started before.
  CHECK(srt.add(of_words(spoken("two", 3))).starts_with("2\n00:00:04,000"));
  CHECK(srt.add(of_words(spoken("three", 8))).starts_with("3\n00:00:08,000"));

  TranscriptWriter text(TranscriptFormat::Text);
  CHECK(text.add(of_words(spoken("one two"))) == "one two\n");
  CHECK(text.add({}).empty());

  TranscriptWriter document(TranscriptFormat::Json);
  CHECK(document.add(of_words(spoken("one", 1))).empty());
  CHECK(document.add(of_words(spoken("two", 2))).empty());
  const auto whole = nlohmann::json::parse(document.finish(3.5));
  CHECK(whole["text"] == "one two");
  CHECK(whole["duration"] == 3.5);
  CHECK(whole["words"].size() == 2);
}

TEST_CASE("speakers and channels are shown") {
  std::vector<Word> talk = spoken("Good morning", 0, 0);
  for (const Word& word : spoken("Hello there", 1.5, 1)) talk.push_back(word);
  for (const Word& word : spoken("again", 2.6, 1)) talk.push_back(word);
  TranscriptWriter text(TranscriptFormat::Text);
  CHECK(text.add(of_words(talk)) == "[1] Good morning\n[2] Hello there again\n");
  TranscriptWriter srt(TranscriptFormat::Srt);
  const std::string cues = srt.add(of_words(talk));
  CHECK(cues.find("\n[1] Good morning\n") != std::string::npos);
  CHECK(cues.find("\n[2] Hello there again\n") != std::string::npos);

  CHECK(label_of({.channel = 0}, 2) == "left");
  CHECK(label_of({.speaker = 1, .channel = 1}, 2) == "right 2");
  CHECK(label_of({.channel = 3}, 4) == "channel 4");
  CHECK(label_of({.channel = 0}, 1).empty());

  // Speech that overlaps is not split into fragments.
  std::vector<Word> both = spoken("I say this now", 0, {}, 0);
  for (const Word& word : spoken("and I that", 0.25, {}, 1)) both.push_back(word);
  TranscriptWriter channels(TranscriptFormat::Text, 2);
  CHECK(channels.add(of_words(both)) == "[left] I say this now\n[right] and I that\n");
}

TEST_CASE("words are lines with their times") {
  TranscriptWriter words(TranscriptFormat::Words);
  Transcript transcript;
  transcript.words = {{.text = "a\tb", .start = 0.1, .end = 0.25, .confidence = 0.5, .speaker = 0},
                      {.text = "c", .start = 1, .end = 2}};
  CHECK(words.add(transcript) == "0.10\t0.25\ta b\t0.50\t1\t\n1.00\t2.00\tc\t\t\t\n");
}

TEST_CASE("a long recording is split quickly") {
  std::vector<Word> words;
  for (int i = 0; i < 20'000; ++i) {
    words.push_back({.text = "word", .start = i * 0.3, .end = i * 0.3 + 0.3, .speaker = i / 5000});
  }
  TranscriptWriter srt(TranscriptFormat::Srt);
  CHECK(srt.add(of_words(words)).size() > 100'000);
  TranscriptWriter text(TranscriptFormat::Text);
  CHECK(text.add(of_words(words)).size() > 100'000);
}

TEST_CASE("indexes of speakers and channels are whole and within reason") {
  const auto word = [](const char* members) {
    const auto read = read_transcript(R"({"text":"a","language":"en","words":[{"text":"a",)" +
                                      std::string(members) + "}]}");
    REQUIRE(read);
    CHECK(read->language == "en");
    return read->words.at(0);
  };
  CHECK(word(R"("speaker":"3","channel":1)").speaker == 3);
  CHECK(word(R"("speaker":"3","channel":1)").channel == 1);
  CHECK(word(R"("speaker":0)").speaker == 0);
  CHECK(word(R"("speaker":1000000)").speaker == 1'000'000);
  for (const char* none :
       {R"("speaker":-1)", R"("speaker":1000001)", R"("speaker":"x")", R"("speaker":null)"}) {
    CHECK_FALSE(word(none).speaker.has_value());
  }
  CHECK(word(R"("start":-2,"end":-1)").start == 0);
  CHECK(word(R"("start":-2,"end":-1)").end == 0);
  CHECK(word(R"("start":2)").end == 2);
  const auto channels = read_transcript(
      R"({"text":"","channels":[{"words":[{"text":"a","start":2}]},{"index":5,"words":[{"text":"b","start":1}]},
      {"words":[{"text":"c","start":3}]},{"words":7}]})");
  REQUIRE(channels);
  REQUIRE(channels->words.size() == 3);
  CHECK(channels->words[0].channel == 5);
  CHECK(channels->words[1].channel == 0);
  CHECK(channels->words[2].channel == 2);
  const auto refused = [](const char* text) { return read_transcript(text).error().message; };
  const std::string expected = "expected the transcript in the response as \"text\", got ";
  CHECK(refused(R"({"text":7,"words":[]})") == expected + "number");
  CHECK(refused("{}") == expected + "none");
  CHECK(read_transcript(R"({"channels":[]})"));
  CHECK(read_transcript(R"({"text":"x","duration":-1})")->duration == 0);
}

TEST_CASE("words of scripts without spaces stand together") {
  const auto of = [](char32_t code_point) {
    std::string text;
    append_utf8(text, code_point);
    return text;
  };
  constexpr std::array<std::array<char32_t, 2>, 9> ranges = {{{0x3040, 0x30FF},
                                                              {0x3400, 0x4DBF},
                                                              {0x4E00, 0x9FFF},
                                                              {0x20000, 0x2FA1F},
                                                              {0x3001, 0x3003},
                                                              {0xFF01, 0xFF1F},
                                                              {0x0E01, 0x0EFF},
                                                              {0x1000, 0x109F},
                                                              {0x1780, 0x17FF}}};
  for (const auto& [first, last] : ranges) {
    for (const char32_t one : {first, last}) {
      CHECK_FALSE(needs_space(of(one), "a"));
      CHECK_FALSE(needs_space("a", of(one)));
      CHECK_FALSE(needs_space("a" + of(one), "a"));
      CHECK(needs_space(of(one) + "a", "a"));
    }
    CHECK(needs_space(of(first - 1), "a"));
    CHECK(needs_space(of(last + 1), "a"));
  }
  CHECK_FALSE(needs_space("", "a"));
  CHECK_FALSE(needs_space("a", ""));
}

TEST_CASE("what a word ends, judged by its punctuation, decides where a cue ends") {
  // 24 words of half a second: no cue may be longer than seven seconds.
  const auto first_cue = [](const std::string& ending) {
    std::string text;
    for (int i = 0; i < 24; ++i)
      text += (i == 0 ? "ab" : " ab") + (i == 8 ? ending : std::string());
    const auto cues = make_cues(of_words(spoken(text)), 0);
    std::size_t words = 0;
    for (const std::string& line : cues.at(0).lines) words += split(line, ' ').size();
    return words;
  };
  CHECK(first_cue("") == 14);
  for (const char* sentence : {".", "!", "?", "…", "。", "！", "？", ".”", ".\")", "!]}»’"}) {
    CAPTURE(sentence);
    CHECK(first_cue(sentence) == 9);
  }
  for (const char* clause : {",", ";", ":", "–", "—", "、", "，", "；", "：", ",\""}) {
    CAPTURE(clause);
    CHECK(first_cue(clause) == 9);
  }
  for (const char* nothing : {"-", "\"", "/", "x"}) CHECK(first_cue(nothing) == 14);
  // A pause counts too, but less than a later clause.
  std::vector<Word> words = spoken("a b c d e f g h i j k l m n o p q r s t u v w x");
  for (std::size_t i = 9; i < words.size(); ++i) {
    words[i].start += 0.2;
    words[i].end += 0.2;
  }
  CHECK(make_cues(of_words(words), 0).at(0).lines.at(0).ends_with("i"));
  words[11].text = "l,";
  CHECK(make_cues(of_words(words), 0).at(0).lines.at(0).ends_with("l,"));
}

TEST_CASE("a cue ends in its second half, and its lines are full") {
  const auto first_cue = [](int stop) {
    std::string text;
    for (int i = 1; i <= 24; ++i)
      text += (i == 1 ? "ab" : " ab") + std::string(i == stop ? "." : "");
    const auto cues = make_cues(of_words(spoken(text)), 0);
    std::size_t words = 0;
    for (const std::string& line : cues.at(0).lines) words += split(line, ' ').size();
    return words;
  };
  CHECK(first_cue(6) == 14);
  CHECK(first_cue(7) == 7);
  CHECK(first_cue(14) == 14);
  const auto full = make_cues(of_words({{.text = std::string(40, 'a'), .end = 1},
                                        {.text = std::string(20, 'b'), .start = 1, .end = 2},
                                        {.text = std::string(21, 'c'), .start = 2, .end = 3}}),
                              0);
  REQUIRE(full.size() == 1);
  CHECK(full[0].lines.size() == 2);
  // Without the times of words, they are spread over the time of the text.
  std::string text;
  for (int i = 0; i < 30; ++i) text += "word\t";
  const auto cues = make_cues({.text = text, .start = 2, .duration = 30}, 0);
  REQUIRE(cues.size() == 5);
  CHECK(cues[0].start == doctest::Approx(2));
  CHECK(cues[1].start == doctest::Approx(9));
  CHECK(cues[4].end == doctest::Approx(32));
}

TEST_CASE("how long a cue is shown") {
  const auto times = [](const std::vector<Word>& words, std::size_t channels = 0) {
    std::string all;
    for (const Cue& cue : make_cues(of_words(words), channels)) {
      all += fmt::format("{:.3f}-{:.3f} ", cue.start, cue.end);
    }
    return all;
  };
  const auto word = [](double start, double end, std::optional<std::int64_t> speaker = {},
                       std::optional<std::int64_t> channel = {}) {
    return Word{.text = "a", .start = start, .end = end, .speaker = speaker, .channel = channel};
  };
  CHECK(times({word(1, 1.1)}) == "1.000-1.700 ");
  CHECK(times({word(1, 3)}) == "1.000-3.000 ");
  CHECK(times({word(1, 1)}) == "1.000-1.700 ");
  // Not into the next one.
  CHECK(times({word(1, 1.1, 0), word(1.5, 2.5, 1)}) == "1.000-1.500 1.500-2.500 ");
  // Two may overlap, of different speakers.
  CHECK(times({word(1, 3, {}, 0), word(2, 4, {}, 1)}, 2) == "1.000-3.000 2.000-4.000 ");
  CHECK(times({word(1, 3, {}, 0), word(2, 4, {}, 1)}, 1) == "1.000-4.000 ");
  // A pause ends a cue from its length on.
  CHECK(times({word(1, 2), word(2.7, 3)}) == "1.000-3.000 ");
  CHECK(times({word(1, 2), word(2.875, 3.875)}) == "1.000-2.000 2.875-3.875 ");
}

TEST_CASE("labels stand in the first line of a cue and count in its length") {
  // 42 characters in a line: "[1] " and 38 more.
  const auto lines = [](std::size_t size, std::optional<std::int64_t> speaker) {
    return make_cues(of_words({{.text = std::string(size, 'a'), .end = 1, .speaker = speaker},
                               {.text = "b", .start = 1, .end = 2, .speaker = speaker}}),
                     0)
        .at(0)
        .lines.size();
  };
  CHECK(lines(40, {}) == 1);
  CHECK(lines(41, {}) == 2);
  CHECK(lines(36, 0) == 1);
  CHECK(lines(37, 0) == 2);
}

TEST_CASE("a transcript in several parts, as JSON and as subtitles") {
  TranscriptWriter document(TranscriptFormat::Json);
  (void)document.add({.text = "one", .start = 1, .duration = 2});
  (void)document.add({.text = "two", .language = "en", .start = 2, .duration = 0.5});
  (void)document.add({.text = "。", .language = "de"});
  CHECK(document.finish() == "{\"text\":\"one two。\",\"language\":\"en\",\"duration\":3.0}\n");
  TranscriptWriter whole(TranscriptFormat::Json);
  (void)whole.add(
      {.words = {
           {.text = "a", .start = 0.5, .end = 1, .confidence = 0.25, .speaker = 0, .channel = 1}}});
  CHECK(
      whole.finish() ==
      "{\"text\":\"\",\"language\":\"\",\"duration\":0.0,\"words\":[{\"text\":\"a\",\"start\":0.5,"
      "\"end\":1.0,\"confidence\":0.25,\"speaker\":0,\"channel\":1}]}\n");
  TranscriptWriter vtt(TranscriptFormat::Vtt);
  CHECK(vtt.add(of_words(spoken("a", 1))).starts_with("WEBVTT\n\n1\n"));
  CHECK(vtt.add(of_words(spoken("b", 3))).starts_with("2\n00:00:03.000"));
  CHECK(vtt.finish().empty());
  CHECK(TranscriptWriter(TranscriptFormat::Srt).finish().empty());
  CHECK(subtitle(TranscriptFormat::Vtt, 1, 359'999'999, 360'000'000, "",
                 std::array<std::string, 2>{"a\nb\rc", "<d>"}) ==
        "1\n99:59:59.999 --> 100:00:00.000\na b c\n&lt;d&gt;\n\n");
  TranscriptWriter text(TranscriptFormat::Text);
  CHECK(text.add({.text = " \n", .words = spoken("a b")}) == "a b\n");
  CHECK(text.add({.text = " x "}) == "x\n");
  TranscriptWriter words(TranscriptFormat::Words);
  CHECK(words.add({.words = {{.text = " a\nb\r ", .channel = 1}}}) == "0.00\t0.00\ta b\t\t\t2\n");
  for (const char* name : {"text", "srt", "vtt", "json", "words"}) {
    CHECK(parse_transcript_format(name).has_value());
  }
  CHECK(transcript_extension(TranscriptFormat::Srt) == "srt");
  CHECK(transcript_extension(TranscriptFormat::Vtt) == "vtt");
  CHECK(transcript_extension(TranscriptFormat::Json) == "json");
}
