#include "commands/tts/plan.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/tts_fields.h"
#include "json/document.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "request/body.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

using SpeakFlags = Flags<catalogue::tts::k_speak_fields>;

constexpr std::size_t k_max_characters = 15'000;  // of `POST /v1/tts`
constexpr int k_telephone_rate = 8'000;

class SpeechPlanner {
 public:
  SpeechPlanner(Session& session, const Operation& operation, const request::Inputs& inputs)
      : m_session(session), m_operation(operation), m_inputs(inputs), m_flags(session.inputs()) {}

  Result<SpeechPlan> plan() {
    SVC_CHECK(read_body());
    SVC_CHECK(choose_place());
    SVC_CHECK(choose_times());
    SVC_CHECK(choose_codec());
    SVC_TRY(text, read_text());
    for (const std::string& warning : voice::check_tags(text)) {
      m_session.notices().warning(warning);
    }
    SVC_CHECK(cut(text));
    for (const voice::TextPart& part : m_plan.parts) {
      SVC_TRY(request, build(part.text));
      m_plan.plan.steps.push_back({.request = std::move(request)});
    }
    for (const std::string& warning : m_plan.plan.steps.front().request.warnings) {
      m_session.notices().warning(warning);
    }
    return std::move(m_plan);
  }

 private:
  /// Reads --body and --set; flags override them.
  Result<void> read_body() {
    std::optional<std::string> piped;
    if (m_inputs.body == "-") {
      SVC_TRY(text, m_session.read_stdin());
      piped = std::move(text);
    }
    SVC_TRY(body, request::base_body(m_inputs, piped));
    m_body = std::move(body);
    return request::apply_sets(m_body, m_inputs);
  }

  /// A field's value, from a flag or the body.
  [[nodiscard]] std::string member(sv path) const {
    for (const request::Given& given : m_inputs.given) {
      if (given.field->in == In::Body && given.field->path == path) return given.text;
    }
    const OrderedJson* value = request::find(m_body, path);
    return value == nullptr ? std::string() : plain_text(*value);
  }

  // Output ------------------------------------------------------------------------------------

  Result<void> choose_place() {
    const auto& output = m_session.globals().output;
    const bool terminal = m_session.out().terminal().is_tty;
    const auto play = m_flags.get<"play">();
    if (m_session.globals().has_output_path()) {
      m_plan.place = SpeechPlace::File;
      m_plan.path = *output;
      if (m_session.globals().has_output_directory()) {
        return usage_error(
            fmt::format("'{}' is a directory, not a file", *output),
            "Add a file name; its extension, such as .mp3 or .wav, sets the format.");
      }
    } else if (play == true && !output) {
      m_plan.place = SpeechPlace::Speaker;
    } else if (!terminal || output) {
      m_plan.place = SpeechPlace::Stdout;
      if (terminal && !m_session.globals().force && m_session.format() == Format::Text) {
        return usage_error("audio is not written to a terminal",
                           "Save it with -o FILE, or omit -o to play it.");
      }
    } else {
      m_plan.place = play == false ? SpeechPlace::Chosen : SpeechPlace::Speaker;
    }
    m_plan.play = m_plan.place == SpeechPlace::Speaker ? play != false : play == true;
    return {};
  }

  Result<void> choose_codec() {
    const std::string given = member("output_format.codec");
    const bool named = m_plan.place == SpeechPlace::File;
    const auto by_file = voice::codec_of_file(named ? m_plan.path : std::string());
    const std::string ending = std::filesystem::path(m_plan.path).extension().string();
    if (!given.empty()) {
      const auto codec = voice::parse_codec(given);
      m_plan.codec = codec.value_or(
          voice::Codec::Mp3);  // an unknown codec is reported when the request is built
      if (codec && named && ((by_file && *by_file != *codec) || (!by_file && !ending.empty()))) {
        m_session.notices().warning(fmt::format("{} contains {}, despite its name",
                                                visible(m_plan.path, Lines::Escape), given));
      }
    } else if (by_file) {
      m_plan.codec = *by_file;
    } else if (named && !ending.empty() && !is_device(m_plan.path)) {
      return usage_error(fmt::format("unsupported file type '{}'", visible(ending, Lines::Escape)),
                         "Use the extension .mp3, .wav, .pcm, .ulaw or .alaw, or set --codec.");
    } else if (m_plan.place == SpeechPlace::Speaker) {
      m_plan.codec = voice::Codec::Pcm;
    }
    m_chose_codec =
        given.empty() &&
        (by_file || m_plan.place == SpeechPlace::Speaker || m_plan.place == SpeechPlace::Chosen ||
         m_flags.is_true<"split">() || !member("output_format").empty() ||
         !member("output_format.sample_rate").empty() || !member("output_format.bit_rate").empty());
    const bool telephone = voice::encoding_of(m_plan.codec) != audio::Encoding::Pcm;
    const std::string rate = member("output_format.sample_rate");
    m_chose_rate = rate.empty() && telephone && given.empty();
    m_plan.rate =
        m_chose_rate ? k_telephone_rate : static_cast<int>(parse_integer(rate).value_or(24'000));
    return {};
  }

  static bool is_device(const std::string& path) { return path.starts_with("/dev/"); }

  Result<void> choose_times() {
    m_plan.timestamps = m_flags.text<"timestamps">();
    m_plan.subtitles = m_flags.text<"subtitles">();
    const std::string ending =
        to_lower(std::filesystem::path(m_plan.subtitles).extension().string());
    if (!m_plan.subtitles.empty() && ending != ".srt" && ending != ".vtt") {
      return usage_error("--subtitles must be a file name ending in .srt or .vtt",
                         "For example: --subtitles speech.srt");
    }
    const bool asked = !m_plan.timestamps.empty() || !m_plan.subtitles.empty();
    m_plan.timed = asked || member("with_timestamps") == "true";
    if (asked && m_flags.get<"with-timestamps">() == false) {
      return usage_error(
          "--timestamps and --subtitles cannot be combined with --no-with-timestamps");
    }
    const Format format = m_session.format();
    const bool saved = m_plan.place == SpeechPlace::File || m_plan.place == SpeechPlace::Chosen;
    m_plan.document = format != Format::Text && m_plan.timed;
    const bool shown = m_session.globals().shows_only();
    if ((format == Format::Json || format == Format::Jsonl) && !m_plan.timed && !saved && !shown) {
      return usage_error("audio cannot be written as JSON",
                         "Save it with -o FILE, or add --with-timestamps for the service's JSON.");
    }
    if (m_plan.document && m_flags.is_true<"split">() && !shown) {
      return usage_error("--split returns several responses, not one JSON document",
                         "Save audio and times with -o FILE and --timestamps FILE.");
    }
    if (m_plan.document && m_plan.place != SpeechPlace::File) {
      m_plan.place = SpeechPlace::Stdout;
      m_plan.play = m_flags.is_true<"play">();
    }
    if (m_plan.timed && m_plan.timestamps.empty() && m_plan.place == SpeechPlace::File &&
        member("with_timestamps") == "true" && !is_device(m_plan.path)) {
      m_plan.timestamps = std::filesystem::path(m_plan.path).replace_extension(".json").string();
    }
    if (m_plan.timed && !m_plan.document && m_plan.timestamps.empty() && m_plan.subtitles.empty()) {
      m_session.notices().note("timestamps are discarded; use --timestamps FILE");
    }
    return {};
  }

  // Text --------------------------------------------------------------------------------------

  Result<std::string> read_text() {
    const auto given = SpeakFlags(m_inputs).get<"text">();
    std::string text;
    if (given && !given->is_stdin()) {
      SVC_TRY(resolved, request::resolve_text("--text", *given));
      text = std::move(resolved);
    } else if (const OrderedJson* value = request::find(m_body, "text");
               !given && value != nullptr && value->is_string()) {
      text = value->get<std::string>();
    } else {
      SVC_TRY(piped, m_session.read_stdin());
      if (!piped && given) {
        return usage_error("--text is -, but standard input is empty");
      }
      text = std::move(piped).value_or("");
      if (const auto at = first_invalid_utf8(text)) {
        return usage_error(fmt::format("standard input is not valid UTF-8 (at byte {})", *at + 1));
      }
    }
    if (trim(text).empty()) {
      return usage_error(given ? "the text to speak is empty" : "missing text to speak",
                         "For example: svc tts 'Hello world', or pipe in text.");
    }
    return text;
  }

  Result<void> cut(const std::string& text) {
    const std::size_t length = count_code_points(text);
    if (m_flags.is_true<"split">()) {
      m_plan.parts = voice::split_text(text, k_max_characters);
      return {};
    }
    if (length > k_max_characters) {
      return usage_error(fmt::format("the text is too long: {} characters (maximum: {})", length,
                                     k_max_characters),
                         "Use --split to split it at sentences and join the audio.");
    }
    m_plan.parts = {{.text = text}};
    return {};
  }

  // Request -----------------------------------------------------------------------------------

  Result<request::Request> build(const std::string& text) {
    OrderedJson body = m_body;
    body["text"] = text;
    if (!body.contains("language")) body["language"] = "auto";
    if (member("voice_id").empty() && m_session.settings().voice.is_set()) {
      body["voice_id"] = m_session.settings().voice.value;
    }
    if (m_plan.timed) body["with_timestamps"] = true;
    if (m_chose_codec) {
      SVC_CHECK(request::put(body, "output_format.codec", voice::codec_name(m_plan.codec)));
    }
    if (m_chose_rate) SVC_CHECK(request::put(body, "output_format.sample_rate", m_plan.rate));
    if (m_plan.place == SpeechPlace::Speaker && member("output_format.sample_rate").empty()) {
      SVC_CHECK(request::put(body, "output_format.sample_rate", m_plan.rate));
    }
    request::Inputs inputs = m_inputs;
    std::erase_if(inputs.given, [](const request::Given& given) {
      return given.field->flag == SpeakFlags::k_name<"text">;
    });
    inputs.sets.clear();
    inputs.body = compact_json(body);
    return prepare(m_session, m_operation, inputs);
  }

  Session& m_session;
  const Operation& m_operation;
  const request::Inputs& m_inputs;
  SpeakFlags m_flags;  ///< of the invocation, which may be another operation's
  OrderedJson m_body{};
  SpeechPlan m_plan{};
  bool m_chose_codec{};  ///< chosen here and sent with the request
  bool m_chose_rate{};
};

}  // namespace

Result<SpeechPlan> plan_speech(Session& session, const Operation& operation,
                               const request::Inputs& inputs) {
  return SpeechPlanner(session, operation, inputs).plan();
}

}  // namespace svc::cli
