#include "emulator/api/stt/stt.h"

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "emulator/api/files/store.h"
#include "emulator/api/media/media.h"
#include "emulator/api/realtime/session.h"

namespace svc::emulator::stt {
namespace {

using speech::SpokenWord;
using Words = std::vector<SpokenWord>;

constexpr std::array<sv, 7> k_fillers = {"um", "uh", "er", "hm", "hmm", "mhm", "ah"};

// Merges `count` words from `first` into one.
void merge(Words& words, std::size_t first, std::size_t count, std::string text) {
  SpokenWord& whole = words[first];
  for (std::size_t i = 1; i < count; ++i) {
    whole.confidence = std::min(whole.confidence, words[first + i].confidence);
  }
  whole.end = words[first + count - 1].end;
  whole.text = std::move(text);
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first) + 1;
  words.erase(begin, begin + static_cast<std::ptrdiff_t>(count) - 1);
}

// Returns only the letters, in lower case.
std::string letters_of(sv text) {
  std::string out;
  for (const char c : to_lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += c;
  }
  return out;
}

void apply_term(Words& words, const std::string& term) {
  const std::string wanted = letters_of(term);
  if (wanted.empty()) return;
  for (std::size_t first = 0; first < words.size(); ++first) {
    std::string recognized;
    // A term unknown to the recognizer may be recognized as up to three shorter words.
    for (std::size_t count = 1; count <= 3 && first + count <= words.size(); ++count) {
      recognized += letters_of(words[first + count - 1].text);
      if (recognized != wanted) continue;
      merge(words, first, count, term);
      break;
    }
  }
}

constexpr std::array<std::int64_t, 6> k_sample_rates = {8000, 16000, 22050, 24000, 44100, 48000};
// Languages with formatting.
constexpr std::array<sv, 25> k_formatted = {"ar", "cs", "da", "nl", "en", "fil", "fr", "de", "hi",
                                            "id", "it", "ja", "ko", "mk", "ms",  "fa", "pl", "pt",
                                            "ro", "ru", "es", "sv", "th", "tr",  "vi"};
constexpr std::size_t k_max_keyterms = 100;
constexpr std::size_t k_max_keyterm = 50;  // characters

ErrorMessage read_rate(sv value, int& into) {
  const auto number = parse_integer(value);
  if (!number || !has_element(k_sample_rates, *number)) {
    return fmt::format("sample_rate must be one of {}, not '{}'.", fmt::join(k_sample_rates, ", "),
                       shown(value));
  }
  into = static_cast<int>(*number);
  return std::nullopt;
}

ErrorMessage add_keyterm(sv term, TranscriptOptions& options) {
  if (options.keyterms.size() >= k_max_keyterms) {
    return fmt::format("At most {} keyterms are allowed.", k_max_keyterms);
  }
  if (trim(term).empty()) return "A keyterm must not be empty.";
  if (count_code_points(term) > k_max_keyterm) {
    return fmt::format("A keyterm has at most {} characters: '{}' is longer.", k_max_keyterm,
                       shown(term));
  }
  options.keyterms.emplace_back(term);
  return std::nullopt;
}

ErrorMessage check_language(sv language) {
  const sv primary = language.substr(0, language.find('-'));
  const bool letters = std::ranges::all_of(language, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
  });
  const bool is_code = letters && (primary.size() == 2 || primary.size() == 3);
  if (is_code && !equals_ignore_case(language, "auto")) return std::nullopt;
  return fmt::format("language must be a code such as en or fr, not '{}'.", shown(language));
}

bool can_format(sv language) {
  const std::string primary = to_lower(language.substr(0, language.find('-')));
  return has_element(k_formatted, sv(primary));
}

/// The largest body: a file of 500 MB and the fields before it.
constexpr std::uint64_t k_max_upload = 500'000'000ULL;
using text::Json;

constexpr std::array<sv, 12> k_formats = {"pcm",  "mulaw", "alaw", "wav", "mp3", "ogg",
                                          "opus", "flac",  "aac",  "mp4", "m4a", "mkv"};
constexpr std::array<sv, 2> k_models = {"svc-voice-transcribe-2.0", "svc-voice-transcribe-1.0"};

struct Upload {
  std::string url{};
  std::string fetched{};                           ///< from `url`
  boost::interprocess::mapped_region body_file{};  ///< the body, if it is in a file
  sv sound{};
  Settings settings{.listener = {.vad_threshold = 0.5}};
};

// `audio_format` matters for raw audio only.
ErrorMessage read_audio_format(sv value, InputFormat& format) {
  if (!has_element(k_formats, value)) {
    return fmt::format("audio_format must be one of {}.", fmt::join(k_formats, ", "));
  }
  if (const auto raw = raw_encoding(value)) format.raw = raw;
  return std::nullopt;
}

ErrorMessage read_value(const Header& field, Upload& upload) {
  const auto& [name, value] = field;
  Settings& settings = upload.settings;
  if (name == "url") upload.url = value;
  if (name == "audio_format") return read_audio_format(value, settings.format);
  if (name == "sample_rate_hertz") return read_setting("sample_rate", value, settings);
  if (name == "format") return read_flag(name, value, settings.formatted);
  if (name == "channels") return read_integer(name, value, 2, 8, settings.format.channels);
  if (name == "model" && !has_element(k_models, sv(value))) {
    return fmt::format("Model not found: {}", shown(value));
  }
  return read_setting(name, value, settings);
}

// Checks combinations of fields.
ErrorMessage check_together(const Upload& upload, bool has_file) {
  if (has_file == !upload.url.empty()) {
    return "Exactly one of file or url must be provided; file must be the last field.";
  }
  if (upload.settings.formatted && upload.settings.language.empty())
    return "format=true requires language.";
  if (upload.settings.formatted && !can_format(upload.settings.language)) {
    return fmt::format("Formatting is not available for the language {}.",
                       upload.settings.language);
  }
  const bool raw = upload.settings.format.raw.has_value();
  if (raw && upload.settings.format.rate == 0)
    return "Raw audio (pcm, mulaw, alaw) requires sample_rate.";
  if (raw && upload.settings.multichannel && upload.settings.format.channels < 2) {
    return "multichannel raw audio requires channels (2 to 8).";
  }
  return std::nullopt;
}

// Returns the body of `request`; one in a file is mapped by `upload`.
Result<sv> body_of(const Request& request, Upload& upload) {
  using namespace boost::interprocess;
  if (!request.body_file || request.body_file->size() == 0) return sv(request.body);
  SVC_TRY(path, request.body_file->path());
  upload.body_file = mapped_region(file_mapping(path.c_str(), read_only), read_only);
  return sv(static_cast<const char*>(upload.body_file.get_address()), upload.body_file.get_size());
}

// Parses the form into `upload`, or returns the refusal.
std::optional<Response> read_upload(const Request& request, Upload& upload) {
  SVC_TRY(body, checked(body_of(request, upload)));
  SVC_TRY(parts, form_parts(request, body));
  bool has_file = false;
  for (const FormPart& part : parts) {
    if (part.name == "file") {  // What follows it is ignored.
      has_file = true;
      upload.sound = part.data;
      break;
    }
    if (const auto bad = read_value({part.name, std::string(part.data)}, upload)) {
      return invalid_argument_error(*bad);
    }
  }
  if (const auto bad = check_together(upload, has_file)) return invalid_argument_error(*bad);
  if (upload.sound.size() > k_max_upload) {
    return error_response(413, "Payload too large", "The file is larger than 500 MB.");
  }
  if (has_file) return std::nullopt;
  // From this machine only: an emulator must not access the network.
  auto fetched = media::fetch(upload.url);
  if (!fetched)
    return error_response(502, "Bad gateway",
                          "The url could not be fetched. " + fetched.error().message);
  upload.fetched = *std::move(fetched);
  upload.sound = upload.fetched;
  return std::nullopt;
}

// --- listening -------------------------------------------------------------------------------

/// The listener of one channel, and its results.
struct ChannelListener {
  explicit ChannelListener(const speech::ListenerOptions& listener_options)
      : listener(listener_options) {}
  speech::Listener listener;
  std::vector<speech::RecognitionResult> results{};
};

speech::Samples mixed(const std::vector<speech::Samples>& channels) {
  speech::Samples out = channels[0];
  for (std::size_t i = 0; i < out.size(); ++i) {
    int sum = 0;
    for (const auto& channel : channels) sum += channel[i];
    out[i] = static_cast<std::int16_t>(sum / static_cast<int>(channels.size()));
  }
  return out;
}

struct Transcription {
  double seconds = 0;
  std::vector<std::unique_ptr<ChannelListener>> channel_listeners{};
};

Result<Transcription> listen(const Request& request, const Upload& upload) {
  Transcription transcription;
  const auto sink = [&](const std::vector<speech::Samples>& channels) {
    const std::size_t count = upload.settings.multichannel ? channels.size() : 1;
    while (transcription.channel_listeners.size() < count) {
      transcription.channel_listeners.push_back(
          std::make_unique<ChannelListener>(upload.settings.listener));
    }
    for (std::size_t i = 0; i < count; ++i) {
      ChannelListener& channel_listener = *transcription.channel_listeners[i];
      const bool mix = count == 1 && channels.size() > 1;
      channel_listener.listener.feed(mix ? mixed(channels) : channels[i], channel_listener.results);
    }
    return !request.stop.stop_requested();
  };
  SVC_TRY(seconds, decode_audio(upload.sound, upload.settings.format, sink));
  transcription.seconds = seconds;
  for (auto& channel_listener : transcription.channel_listeners) {
    channel_listener->listener.finalize(channel_listener->results);
    std::erase_if(channel_listener->results,
                  [](const speech::RecognitionResult& one) { return !one.speech_final; });
  }
  return transcription;
}

// --- the answer ------------------------------------------------------------------------------

struct Line {
  double start = 0;
  std::string text{};
};

std::string joined(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) text += (text.empty() ? "" : " ") + line.text;
  return text;
}

// Returns the text and words of one channel; adds its lines to `lines`.
Json channel_json(const Upload& upload, const ChannelListener& channel_listener,
                  std::vector<Line>& lines) {
  std::vector<Line> own;
  Json words = Json::array();
  for (const speech::RecognitionResult& one : channel_listener.results) {
    const auto polished = format_words(one.words, upload.settings.options);
    std::string text =
        one.notice.empty() ? join_words(polished, upload.settings.formatted) : one.notice;
    if (!text.empty()) own.push_back({one.start, std::move(text)});
    for (const auto& word : polished)
      words.push_back(word_json(word, upload.settings.listener.speakers, 100));
  }
  Json out = {{"text", joined(own)}, {"language", ""}};
  if (!words.empty()) out["words"] = std::move(words);
  lines.insert(lines.end(), own.begin(), own.end());
  return out;
}

Json answer_json(const Upload& upload, const Transcription& transcription) {
  std::vector<Line> lines;
  Json channels = Json::array();
  Json words = Json::array();
  for (std::size_t i = 0; i < transcription.channel_listeners.size(); ++i) {
    Json channel = channel_json(upload, *transcription.channel_listeners[i], lines);
    if (const Json* own = text::member(channel, "words")) {
      words.insert(words.end(), own->begin(), own->end());
    }
    Json numbered = {{"index", i}};
    numbered.update(channel);
    channels.push_back(std::move(numbered));
  }
  std::ranges::stable_sort(lines, {}, &Line::start);
  std::stable_sort(words.begin(), words.end(), [](const Json& a, const Json& b) {
    return a["start"].get<double>() < b["start"].get<double>();
  });
  Json out = {{"text", joined(lines)},
              {"language", ""},
              {"duration", rounded_to(transcription.seconds, 100)}};
  if (!words.empty()) out["words"] = std::move(words);
  if (channels.size() > 1) out["channels"] = std::move(channels);
  return out;
}

}  // namespace

std::vector<SpokenWord> format_words(std::vector<SpokenWord> words,
                                     const TranscriptOptions& options) {
  if (!options.filler_words) {
    std::erase_if(words,
                  [](const SpokenWord& word) { return has_element(k_fillers, sv(word.text)); });
  }
  for (const std::string& term : options.keyterms) apply_term(words, term);
  return words;
}

std::string join_words(const std::vector<SpokenWord>& words, bool sentence) {
  std::string text;
  for (const SpokenWord& word : words) {
    if (!text.empty()) text += ' ';
    text += word.text == "i" && sentence ? "I" : word.text;
  }
  if (!sentence || text.empty()) return text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + '.';
}

double rounded_to(double value, double parts) {
  return std::round(value * parts) / parts;
}

text::Json word_json(const SpokenWord& word, bool speaker, double parts) {
  text::Json out = {{"text", word.text},
                    {"start", rounded_to(word.start, parts)},
                    {"end", rounded_to(word.end, parts)}};
  if (const double sure = rounded_to(word.confidence, parts); sure > 0) out["confidence"] = sure;
  if (speaker) out["speaker"] = word.speaker;
  return out;
}

ErrorMessage read_flag(sv name, sv value, bool& into) {
  if (value != "true" && value != "false") {
    return fmt::format("{} must be true or false, not '{}'.", name, shown(value));
  }
  into = value == "true";
  return std::nullopt;
}

ErrorMessage read_integer(sv name, sv value, int low, int high, int& into) {
  const auto number = parse_integer(value);
  if (!number || *number < low || *number > high) {
    return fmt::format("{} must be a whole number from {} to {}, not '{}'.", name, low, high,
                       shown(value));
  }
  into = static_cast<int>(*number);
  return std::nullopt;
}

ErrorMessage read_fraction(sv name, sv value, double& into) {
  const auto number = parse_number(value);
  if (!number || *number < 0 || *number > 1) {
    return fmt::format("{} must be a number from 0.0 to 1.0, not '{}'.", name, shown(value));
  }
  into = *number;
  return std::nullopt;
}

ErrorMessage read_setting(sv name, sv value, Settings& settings) {
  if (name == "sample_rate") return read_rate(value, settings.format.rate);
  if (name == "language") {
    settings.language = value;
    return value.empty() ? std::nullopt : check_language(value);
  }
  if (name == "multichannel") return read_flag(name, value, settings.multichannel);
  if (name == "diarize") return read_flag(name, value, settings.listener.speakers);
  if (name == "filler_words") return read_flag(name, value, settings.options.filler_words);
  if (name == "keyterm") return add_keyterm(value, settings.options);
  if (name == "vad_threshold") return read_fraction(name, value, settings.listener.vad_threshold);
  return std::nullopt;
}

Charge charge_for_sound(double seconds) {
  return charge_for(k_transcribed_second, static_cast<std::int64_t>(std::ceil(seconds)));
}

Response transcribe_upload(const Request& request) {
  Upload upload;
  if (auto refusal = read_upload(request, upload)) return *std::move(refusal);
  const auto transcription = listen(request, upload);
  if (!transcription) {
    if (transcription.error().fault == Fault::Usage)
      return invalid_argument_error(transcription.error().message);
    return unavailable_error(sentences_of(transcription.error()));
  }
  Response response = json_response(answer_json(upload, *transcription));
  response.charges = {charge_for_sound(transcription->seconds)};
  return response;
}

}  // namespace svc::emulator::stt

auto svc::emulator::stt_routes() -> std::vector<Route> {
  constexpr const char* acl = "stt";
  constexpr std::uint64_t k_room_for_fields = 1U << 20U;
  Route upload{"POST", "/v1/stt", stt::transcribe_upload, acl, Input::Free};
  upload.max_body = stt::k_max_upload + k_room_for_fields;
  upload.run = RunOn::Worker;
  upload.spool = true;
  return {std::move(upload), socket_route({.path = "/v1/stt",
                                           .factory = stt::open_stream,
                                           .endpoint_acl = acl,
                                           .secrets = realtime::find_client_secret})};
}
