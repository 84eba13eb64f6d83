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
  CHECK(one("[whisper] hey") == "[whisper] must wrap text: <whisper>…</whisper>");
  CHECK(one("[Whisper] hey") == "[Whisper] must wrap text: <whisper>…</whisper>");
  CHECK(one("<pause>") == "<pause> cannot wrap text: write [pause]");
  CHECK(one("</pause>") == "</pause> cannot wrap text: write [pause]");
  CHECK(one("<sof>a") == "the service does not know the tag <sof>; did you mean soft?");
  CHECK(one("<whisper>hey") == "<whisper> is not closed: </whisper> is missing");
  CHECK(one("hey</whisper>") == "</whisper> has no opening tag");
  CHECK(one("<soft><slow>x</soft></slow>") ==
        "</soft> comes before </slow>: tags must not overlap");
  CHECK(check_tags("<soft>a</soft></soft> <slow>b").size() == 2);
  CHECK(one("[Pause]").find("did you mean pause?") != std::string::npos);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[nothing-known] ";
  const auto all = check_tags(many);
  CHECK(all.size() == 11);
  CHECK(all.back() == "and 990 more invalid tags");
  std::string ten;
  for (int i = 0; i < 10; ++i) ten += "[nothing-known] ";
  CHECK(check_tags(ten).size() == 10);
  CHECK(check_tags(ten + "[nothing-known]").back() == "and 1 more invalid tags");
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

TEST_CASE("a text that fits is not changed") {
  CHECK(joined(split_text(" One. ", 6)) == " One. |");
  CHECK(joined(split_text(" One. ", 5)) == "One. |");
  CHECK(joined(split_text("\u3000\u00a0 One two.\n Three.", 12)) == "One two.|Three.|");
}

TEST_CASE("a better place to split counts unless its part is less than half, or a quarter") {
  CHECK(joined(split_text("aaa, bbb ccc", 9)) == "aaa,|bbb ccc|");
  CHECK(joined(split_text("aaa, bbb ccc", 10)) == "aaa, bbb|ccc|");
  CHECK(joined(split_text("a! B cccccccccccc", 10)) == "a!|B|cccccccccc|cc|");
  CHECK(joined(split_text("a! B cccccccccccc", 12)) == "a! B|cccccccccccc|");
  // From worst to best: a word, a clause, a line, a sentence, a paragraph.
  for (const char* clause : {",", ";", ":", "\u2013", "\u2014"}) {
    CHECK(joined(split_text(fmt::format("aaaa{} bb cc dd", clause), 10)) ==
          fmt::format("aaaa{}|bb cc dd|", clause));
  }
  CHECK(joined(split_text("aaaaa\nb, cc dd", 10)) == "aaaaa|b, cc dd|");
  for (const char* space : {" ", "\t", "\r", "\u3000", "\u00a0"}) {
    CHECK(joined(split_text(fmt::format("aaaaa{}bbbbbb", space), 8)) == "aaaaa|bbbbbb|");
  }
  CHECK(joined(split_text("aaaa.\nB\nc dd ee", 10)) == "aaaa.|B\nc dd ee|");
  CHECK(joined(split_text("aaaaa\n\nb. cc dd", 11)) == "aaaaa|b. cc dd|");
}

TEST_CASE("where sentences end") {
  CHECK(ends_sentence("It was I. Then", 9));
  CHECK(ends_sentence("No. Yes", 3));
  CHECK_FALSE(ends_sentence("nos. 3 and 4", 4));
  CHECK_FALSE(ends_sentence("(Dr. X", 4));
  CHECK_FALSE(ends_sentence("\"Dr. X", 4));
  CHECK_FALSE(ends_sentence("and etc. and so on", 8));
  CHECK_FALSE(ends_sentence("Is it? and", 6));
  CHECK_FALSE(ends_sentence("Is it? zoo", 6));
  CHECK_FALSE(ends_sentence("Well\u2026 and", 7));
  CHECK(ends_sentence("Is it? And", 6));
  CHECK(ends_sentence("Is it? 1", 6));
  CHECK(ends_sentence("Is it? {", 6));
  CHECK(ends_sentence("\u6587\u3002", 6));
  CHECK(ends_sentence("He (it is.) Then", 11));
  CHECK(ends_sentence("\u201cIt is.\u201d Then", 12));
  CHECK_FALSE(ends_sentence("\")", 2));
  CHECK_FALSE(ends_sentence("It is.<b", 8));
  CHECK_FALSE(ends_sentence("It is. a>", 9));
}

TEST_CASE("each abbreviation ends no sentence, some of them only before a number") {
  for (const char* word :
       {"mr",  "mrs",  "ms",   "dr",  "prof", "st",  "sr",   "jr",   "vs",     "etc", "e.g",
        "i.e", "fig",  "vol",  "pp",  "ed",   "al",  "cf",   "ca",   "approx", "inc", "ltd",
        "co",  "corp", "dept", "gen", "col",  "sgt", "capt", "rev",  "hon",    "z.b", "d.h",
        "u.a", "bzw",  "usw",  "nr",  "hr",   "fr",  "str",  "evtl", "vgl"}) {
    CAPTURE(word);
    CHECK_FALSE(ends_sentence(fmt::format("A {}. X", word), 2 + sv(word).size() + 1));
    CHECK(ends_sentence(fmt::format("A x{}. X", word), 3 + sv(word).size() + 1));
  }
  for (const char* word : {"no", "nos", "nrs"}) {
    CAPTURE(word);
    CHECK(ends_sentence(fmt::format("A {}. X", word), 2 + sv(word).size() + 1));
    CHECK_FALSE(ends_sentence(fmt::format("A {}.  5", word), 2 + sv(word).size() + 1));
  }
}

TEST_CASE("an initial ends no sentence, but I and a digit do") {
  CHECK_FALSE(ends_sentence("A J. X", 4));
  CHECK_FALSE(ends_sentence("A É. X", 5));
  CHECK(ends_sentence("A I. X", 4));
  CHECK(ends_sentence("A 5. X", 4));
}

TEST_CASE("each tag of the service is known, as what it is") {
  for (const char* name :
       {"pause", "long-pause", "hum-tune", "laugh", "chuckle", "giggle", "cry", "tsk",
        "tongue-click", "lip-smack", "breath", "inhale", "exhale", "sigh"}) {
    CAPTURE(name);
    CHECK(check_tags(fmt::format("a [{}] b", name)).empty());
    CHECK(check_tags(fmt::format("<{}>", name)).front() ==
          fmt::format("<{0}> cannot wrap text: write [{0}]", name));
  }
  for (const char* name :
       {"soft", "whisper", "loud", "build-intensity", "decrease-intensity", "higher-pitch",
        "lower-pitch", "slow", "fast", "sing-song", "singing", "laugh-speak", "emphasis"}) {
    CAPTURE(name);
    CHECK(check_tags(fmt::format("<{0}>a</{0}>", name)).empty());
    CHECK(check_tags(fmt::format("[{}]", name)).front() ==
          fmt::format("[{0}] must wrap text: <{0}>…</{0}>", name));
  }
  // A name has at most 31 letters.
  const std::string longest(31, 'x');
  CHECK(tag_at("[" + longest + "]", 0)->name == longest);
  CHECK_FALSE(tag_at("[" + longest + "x]", 0));
  CHECK_FALSE(tag_at("[-x]", 0));
  CHECK_FALSE(tag_at("<//x>", 0));
  CHECK_FALSE(tag_at("[/x]", 0));
  CHECK(tag_at("</x>", 0)->kind == Tag::Kind::Close);
  CHECK(tag_at("a<x>", 1)->begin == 1);
  CHECK(tag_at("a<x>", 1)->end == 4);
}

TEST_CASE("a tag that is open at a cut is closed there, and opened again") {
  const auto parts = split_text(
      "<soft><slow>Aaaa bbbb cccc dddd eeee ffff gggg hhhh</slow> iiii jjjj kkkk</soft> llll", 50);
  std::string spoken;
  for (const TextPart& part : parts) {
    CAPTURE(part.text);
    CHECK(check_tags(part.text).empty());
    std::string bare = part.text;
    for (const char* tag : {"<soft>", "</soft>", "<slow>", "</slow>"}) {
      bare = replace_all(bare, tag, "");
    }
    spoken += bare + " ";
  }
  CHECK(without_space(spoken) == "Aaaabbbbccccddddeeeeffffgggghhhhiiiijjjjkkkkllll");
  CHECK(parts.size() > 1);
  CHECK(parts[1].text.starts_with("<soft><slow>"));
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
  CHECK_FALSE(parse_codec("ulaw"));
  CHECK_FALSE(parse_codec(""));
  CHECK(codec_of_file("x.raw") == Codec::Pcm);
  CHECK(codec_of_file("x.UL") == Codec::MuLaw);
  for (const char* name : {"mp3", "wav", "pcm", "mulaw", "alaw"}) {
    CHECK(codec_name(*parse_codec(name)) == name);
  }
  CHECK(codec_extension(Codec::Mp3) == "mp3");
  CHECK(codec_extension(Codec::Pcm) == "pcm");
  CHECK(codec_extension(Codec::MuLaw) == "ulaw");
  CHECK(codec_extension(Codec::ALaw) == "alaw");
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
    PartAudioExtractor again(Codec::Mp3, 24'000);
    std::string none;
    const auto fed = again.feed(wrong, none);
    const auto refused = fed ? again.finish(none) : fed;
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == Fault::Network);
    CHECK(refused.error().message == "the service did not send MP3 audio");
  }
}

TEST_CASE("mp3 frames have the lengths of ISO 11172-3 and 13818-3, at every rate") {
  constexpr int high[] = {32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320};
  constexpr int low[] = {8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160};
  struct Version {
    unsigned bits;
    int rates[3];
    bool first;
  };
  for (const Version& version :
       {Version{3, {44'100, 48'000, 32'000}, true}, Version{2, {22'050, 24'000, 16'000}, false},
        Version{0, {11'025, 12'000, 8'000}, false}}) {
    for (unsigned rate = 0; rate < 3; ++rate) {
      for (unsigned kilobits = 1; kilobits <= 14; ++kilobits) {
        for (const unsigned padding : {0U, 1U}) {
          CAPTURE(version.bits);
          CAPTURE(rate);
          CAPTURE(kilobits);
          const int samples = version.first ? 1152 : 576;
          const int hertz = version.rates[rate];
          const int length =
              samples / 8 * (version.first ? high : low)[kilobits - 1] * 1000 / hertz +
              static_cast<int>(padding);
          std::string frame = {'\xFF', static_cast<char>(0xE3U | version.bits << 3U),
                               static_cast<char>(kilobits << 4U | rate << 2U | padding << 1U),
                               '\0'};
          frame.resize(static_cast<std::size_t>(length), 'x');
          PartAudioExtractor part(Codec::Mp3, 0);
          CHECK(bare_sound(part, frame + frame + frame, 10'000) == frame + frame + frame);
          CHECK(part.seconds() == doctest::Approx(3.0 * samples / hertz));
        }
      }
    }
  }
  for (const char* wrong :
       {"\xFE\xFB\x94\xC0", "\xFF\xDB\x94\xC0", "\xFF\xEB\x94\xC0", "\xFF\xF9\x94\xC0",
        "\xFF\xFD\x94\xC0", "\xFF\xFB\x04\xC0", "\xFF\xFB\xF4\xC0", "\xFF\xFB\x9C\xC0"}) {
    PartAudioExtractor part(Codec::Mp3, 0);
    std::string sound;
    REQUIRE(part.feed(std::string(wrong) + std::string(600, 'x'), sound).has_value() == false);
  }
}

TEST_CASE("an index is found where each kind of frame has it, and tags of any length are skipped") {
  struct Place {
    const char* head;
    std::size_t at;
    const char* mark;
  };
  for (const Place& place :
       {Place{"\xFF\xFB\x94\x40", 36, "Xing"}, Place{"\xFF\xFB\x94\xC0", 21, "Info"},
        Place{"\xFF\xF3\x94\x40", 21, "Xing"}, Place{"\xFF\xF3\x94\xC0", 13, "Info"},
        Place{"\xFF\xFB\x94\x40", 36, "VBRI"}, Place{"\xFF\xF3\x94\xC0", 36, "VBRI"}}) {
    CAPTURE(place.at);
    const bool first = place.head[1] == '\xFB';
    std::string frame = std::string(place.head) + std::string(first ? 380 : 236, 'x');
    std::string index = frame;
    index.replace(place.at, 4, place.mark);
    PartAudioExtractor part(Codec::Mp3, 0);
    CHECK(bare_sound(part, index + frame + frame, 5'000) == frame + frame);
    std::string elsewhere = frame;
    elsewhere.replace(place.at + 1, 4, place.mark);
    PartAudioExtractor other(Codec::Mp3, 0);
    CHECK(bare_sound(other, elsewhere + frame, 5'000) == elsewhere + frame);
  }
  const std::string sound = mp3_frame_of('a') + mp3_frame_of('b');
  std::string long_tag("ID3\x04\x00\x00\x00\x00\x02\x03", 10);  // 2 * 128 + 3
  long_tag += std::string(259, 'i');
  std::string with_footer("ID3\x04\x00\x10\x00\x00\x00\x05", 10);
  with_footer += std::string(15, 'i');
  std::string longest("ID3\x04\x00\x00\x01\x01\x01\x01", 10);  // 128³ + 128² + 128 + 1
  longest += std::string(2'113'665, 'i');
  for (const std::string& tag : {long_tag, with_footer, longest, id3(4) + std::string(7, '\0')}) {
    PartAudioExtractor part(Codec::Mp3, 0);
    CHECK(bare_sound(part, tag + sound, tag.size() / 5) == sound);
  }
  // What only looks like the tag at the end is audio.
  for (const std::string& end : {"TAG" + std::string(124, 't'), "TAG" + std::string(126, 't')}) {
    PartAudioExtractor part(Codec::Mp3, 0);
    CHECK(bare_sound(part, sound + end, 1'000) == sound + end);
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
  const auto other = read_wav_head("RIFFxxxxAVI ");
  REQUIRE_FALSE(other);
  CHECK(other.error().message == "the service did not send a WAV file");
}

namespace {

std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>(value >> (8U * static_cast<unsigned>(i)));
  return out;
}

std::string chunk(const std::string& name, const std::string& content) {
  return name + little_endian(content.size(), 4) + content + (content.size() % 2 == 1 ? "x" : "");
}

std::string fmt_chunk(int tag, int channels, int rate, int bits, const std::string& more = {}) {
  return chunk("fmt ", little_endian(static_cast<std::uint64_t>(tag), 2) +
                           little_endian(static_cast<std::uint64_t>(channels), 2) +
                           little_endian(static_cast<std::uint64_t>(rate), 4) +
                           little_endian(1, 4) + little_endian(1, 2) +
                           little_endian(static_cast<std::uint64_t>(bits), 2) + more);
}

const std::string k_riff = "RIFF....WAVE";

}  // namespace

TEST_CASE("a WAV head has chunks in any order, and its fields within reason") {
  const std::string data = "data" + little_endian(10, 4);
  const auto head = read_wav_head(k_riff + chunk("LIST", "odd") + fmt_chunk(7, 2, 8'000, 8) + data);
  REQUIRE(head);
  REQUIRE(*head);
  CHECK((*head)->tag == 7);
  CHECK((*head)->bits == 8);
  CHECK((*head)->format == audio::Format{8'000, 2});
  CHECK((*head)->data == 12 + 12 + 24 + 8);
  CHECK((*head)->data_bytes == 10);
  // The extensible format.
  const std::string more = std::string(8, '\0') + little_endian(1, 2);
  CHECK((*read_wav_head(k_riff + fmt_chunk(0xFFFE, 1, 1, 16, more) + data))->tag == 1);
  CHECK((*read_wav_head(k_riff + fmt_chunk(0xFFFE, 1, 1, 16, more.substr(0, 8)) + data))->tag ==
        0xFFFE);
  CHECK((*read_wav_head(k_riff + fmt_chunk(2, 1, 1, 16, more) + data))->tag == 2);
  // The length of a stream is not known.
  const auto length = [&](std::uint64_t size) {
    return (*read_wav_head(k_riff + fmt_chunk(1, 1, 1, 16) + "data" + little_endian(size, 4)))
        ->data_bytes;
  };
  CHECK(length(0x7FFF'FFFE) == 0x7FFF'FFFE);
  CHECK(length(0x7FFF'FFFF) == 0);
  CHECK(length(0xFFFF'FFFF) == 0);
  const auto fits = [&](int channels, int rate, int bits) {
    return read_wav_head(k_riff + fmt_chunk(1, channels, rate, bits) + data).has_value();
  };
  CHECK(fits(64, 1, 64));
  CHECK_FALSE(fits(65, 1, 16));
  CHECK_FALSE(fits(0, 1, 16));
  CHECK_FALSE(fits(1, 0, 16));
  CHECK_FALSE(fits(1, -1, 16));
  CHECK_FALSE(fits(1, 1, 0));
  CHECK_FALSE(fits(1, 1, 65));
  const auto none = read_wav_head(k_riff + data);
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "the service did not send a WAV file");
  CHECK_FALSE(read_wav_head(k_riff + chunk("fmt ", std::string(15, 'x')) + data));
  CHECK_FALSE(read_wav_head(k_riff + "LIST" + little_endian(65'537, 4)));
  CHECK_FALSE(*read_wav_head(k_riff + "LIST" + little_endian(65'536, 4)));
  std::string lists = k_riff;
  while (lists.size() <= 65'536) lists += chunk("LIST", std::string(1'000, 'x'));
  CHECK_FALSE(read_wav_head(lists));
}

TEST_CASE("WAV speech is decoded by its format, if that is one that can be played") {
  const std::vector<audio::Sample> tone = {0, 100, -100};
  const auto decoded = [&](int tag, int bits, audio::Encoding encoding) {
    SpeechDecoder decoder(Codec::Wav, 0);
    std::vector<audio::Sample> samples;
    const std::string bytes = audio::encode(tone, encoding);
    const auto done = decoder.decode(k_riff + fmt_chunk(tag, 1, 8'000, bits) + "data" +
                                         little_endian(bytes.size(), 4) + bytes + "LIST",
                                     samples);
    if (!done) {
      CHECK(done.error().hint == "Save it with -o FILE, or use --codec pcm.");
      return done.error().message;
    }
    CHECK(decoder.format() == audio::Format{8'000, 1});
    CHECK(samples == audio::decode(bytes, encoding));
    return std::string();
  };
  CHECK(decoded(1, 16, audio::Encoding::Pcm).empty());
  CHECK(decoded(7, 8, audio::Encoding::MuLaw).empty());
  CHECK(decoded(6, 8, audio::Encoding::ALaw).empty());
  for (const auto& [tag, bits] : {std::pair(1, 8), {1, 24}, {3, 16}, {7, 16}, {6, 16}, {2, 8}}) {
    CHECK(decoded(tag, bits, audio::Encoding::Pcm) ==
          "the service sent a WAV file in a format that cannot be played");
  }
}

TEST_CASE("the seconds of each codec") {
  const auto seconds = [](Codec codec, std::size_t bytes) {
    PartAudioExtractor part(codec, 8'000);
    std::string sound;
    REQUIRE(part.feed(std::string(bytes, 's'), sound));
    return part.seconds();
  };
  CHECK(seconds(Codec::Pcm, 8'000) == 0.5);
  CHECK(seconds(Codec::MuLaw, 8'000) == 1);
  CHECK(seconds(Codec::ALaw, 4'000) == 0.5);
  CHECK(PartAudioExtractor(Codec::Wav, 8'000).seconds() == 0);
  PartAudioExtractor stereo(Codec::Wav, 0);
  std::string sound;
  REQUIRE(stereo.feed(k_riff + fmt_chunk(1, 2, 1'000, 16) + "data" + little_endian(0xFFFF'FFFF, 4) +
                          std::string(6'000, 's'),
                      sound));
  CHECK(stereo.seconds() == 1.5);
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
    const auto times = read_char_times(wrong);
    REQUIRE_FALSE(times);
    CHECK(times.error().message == "the character timings in the response cannot be read");
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
  const auto told = [](sv answer) {
    TimedSpeechReader reader([](sv) -> Result<void> { return {}; });
    const auto fed = reader.feed(answer);
    if (!fed) return fed.error().message;
    const auto speech = reader.finish();
    if (speech) return std::string();
    CHECK(speech.error().hint == (speech.error().message == "no audio in the response"
                                      ? "Inspect the response with --json."
                                      : ""));
    return speech.error().message;
  };
  CHECK(told(R"({"audio":""})").empty());
  for (const char* none :
       {"{}", R"({"audio":null})", R"(["audio","AAAA"])", R"({"a":{"audio":"AAAA"}})"}) {
    CHECK(told(none) == "no audio in the response");
  }
  for (const char* wrong : {R"({"audio":"?"})", R"({"audio":"AAA"})"}) {
    CHECK(told(wrong) == "the audio in the response is not base64");
  }
  CHECK(told(R"({"audio":"AAAA","audio_timestamps":7})") ==
        "the character timings in the response cannot be read");
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

TEST_CASE("what is not audio in an answer with timings is limited") {
  TimedSpeechReader reader([](sv) -> Result<void> { return {}; });
  const std::string begin = R"({"x":")";
  REQUIRE(reader.feed(begin + std::string((64U << 20U) - begin.size(), 'x')));
  const auto full = reader.feed("x");
  REQUIRE_FALSE(full);
  CHECK(full.error().fault == Fault::Network);
  CHECK(full.error().message == "the response contains more than 67.1 MB in addition to its audio");
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

TEST_CASE("times of characters are never negative, and never end before they begin") {
  const auto times = read_char_times(
      R"({"graph_chars":["a","b","c"],"graph_times":[[-1,-0.5],[0.5,0.2],{"start":1,"end":2}]})");
  REQUIRE(times);
  CHECK((*times)[0].start == 0);
  CHECK((*times)[0].end == 0);
  CHECK((*times)[1].end == 0.5);
  CHECK((*times)[2].end == 2);
  for (const char* wrong : {"[\"x\",1]", "[1,\"x\"]", "[1,2,3]", R"({"end":1})", "7"}) {
    CHECK_FALSE(
        read_char_times(R"({"graph_chars":["a"],"graph_times":[)" + std::string(wrong) + "]}"));
  }
  CHECK(read_char_times(R"({"graph_chars":["a"]})")->empty());
  CHECK(read_char_times(R"({"graph_times":[[1,2]]})")->empty());
  CHECK(read_char_times(R"({"graph_chars":["a"],"graph_times":null})")->empty());
  CHECK(read_char_times("7").error().message ==
        "the character timings in the response cannot be read");
}

TEST_CASE("which characters and tags end a word") {
  const auto words = [](const std::vector<std::string>& characters) {
    std::vector<CharTime> times;
    double at = 0;
    for (const std::string& one : characters) {
      times.push_back({one, at, at + 1});
      at += 1;
    }
    std::string all;
    const Transcript transcript = spoken_words(times);
    for (const Word& word : transcript.words) {
      all += fmt::format("{}@{}-{} ", word.text, word.start, word.end);
    }
    return all + fmt::format("{}", transcript.duration);
  };
  const auto split_up = [](sv text) {
    std::vector<std::string> all;
    for (const char c : text) all.emplace_back(1, c);
    return all;
  };
  for (const char* blank : {" ", "\n", "\u00a0", "\u3000"}) {
    CHECK(words({"a", blank, "b"}) == "a@0-1 b@2-3 3");
  }
  CHECK(words({"é", "日本"}) == "é日本@0-2 2");
  CHECK(words(split_up("a[pause]b")) == "a@0-1 b@8-9 9");
  CHECK(words(split_up("a<soft>b</soft>c")) == "abc@0-16 16");
  CHECK(words(split_up("[no]")) == "[no]@0-4 4");
  CHECK(words({"a", "b"}) == "ab@0-2 2");
}

TEST_CASE("the audio of a response is the member of that name, whatever is around it") {
  const auto read = [](sv answer, std::size_t piece) {
    std::string sound;
    TimedSpeechReader reader([&](sv bytes) -> Result<void> {
      sound += bytes;
      return {};
    });
    for (std::size_t at = 0; at < answer.size(); at += piece) {
      if (const auto fed = reader.feed(answer.substr(at, piece)); !fed) return fed.error().message;
    }
    const auto speech = reader.finish();
    if (!speech) return speech.error().message;
    return sound + (speech->seconds ? fmt::format("/{}", *speech->seconds) : "");
  };
  for (const std::size_t piece : {1U, 3U, 1'000U}) {
    CAPTURE(piece);
    CHECK(read(R"({"audio":"YWJj"})", piece) == "abc");
    CHECK(read(R"({"x":["audio",{"audio":"AAAA"}],"audio":"YWJj","duration":"2"})", piece) ==
          "abc");
    CHECK(read("{\r\n\t\"x\": \"\\\\\" ,\"audio\"\t:\n\"YWJj\", \"duration\": 2}", piece) ==
          "abc/2");
    CHECK(read(R"({"x":"audio","y":"a\"","audio":"YWI=","duration":0.5})", piece) == "ab/0.5");
    CHECK(read(R"({"audios":"AAAA"})", piece) == "no audio in the response");
    CHECK(read(R"({"audio":"YQ==YQ=="})", piece) == "the audio in the response is not base64");
  }
  // What comes after padding is not base64, also in another piece.
  TimedSpeechReader reader([](sv) -> Result<void> { return {}; });
  CHECK(reader.feed(R"({"audio":")" + base64_encode(std::string(65'537, 'a'))));
  CHECK_FALSE(reader.feed(R"(YWJj"})"));
}
