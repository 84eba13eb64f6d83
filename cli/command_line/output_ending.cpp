#include "command_line/output_ending.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "catalogue/chat_fields.h"
#include "catalogue/history_fields.h"
#include "catalogue/realtime_fields.h"
#include "catalogue/responses_fields.h"
#include "catalogue/stt_fields.h"
#include "catalogue/tts_fields.h"
#include "request/flags.h"

namespace svc::cli {
namespace {

using EachFlags = Flags<catalogue::chat::k_each_fields>;
using TranscribeFlags = Flags<catalogue::stt::k_transcribe_fields>;
using TalkFlags = Flags<catalogue::realtime::k_talk_fields>;
constexpr sv k_transcript_format = TranscribeFlags::k_name<"transcript-format">;
constexpr sv k_web_images = Flags<catalogue::k_response_tool_flags>::k_name<"web-images">;
constexpr sv k_record = TalkFlags::k_name<"record">;

enum class Content : std::uint8_t { Text, Json, Jsonl, Table, Subtitles, Sound, Image, Video };

struct Ending {
  sv name;
  Content content;
};

constexpr std::array k_endings = {
    Ending{"txt", Content::Text},      Ending{"md", Content::Text},
    Ending{"json", Content::Json},     Ending{"jsonl", Content::Jsonl},
    Ending{"ndjson", Content::Jsonl},  Ending{"csv", Content::Table},
    Ending{"tsv", Content::Table},     Ending{"srt", Content::Subtitles},
    Ending{"vtt", Content::Subtitles}, Ending{"wav", Content::Sound},
    Ending{"mp3", Content::Sound},     Ending{"pcm", Content::Sound},
    Ending{"flac", Content::Sound},    Ending{"ogg", Content::Sound},
    Ending{"opus", Content::Sound},    Ending{"m4a", Content::Sound},
    Ending{"aac", Content::Sound},     Ending{"jpg", Content::Image},
    Ending{"jpeg", Content::Image},    Ending{"png", Content::Image},
    Ending{"webp", Content::Image},    Ending{"gif", Content::Image},
    Ending{"heic", Content::Image},    Ending{"avif", Content::Image},
    Ending{"mp4", Content::Video},     Ending{"mov", Content::Video},
    Ending{"webm", Content::Video},    Ending{"mkv", Content::Video}};

const Ending* find_ending(sv name) {
  const auto* found = std::find_if(k_endings.begin(), k_endings.end(),
                                   [&](const Ending& one) { return one.name == name; });
  return found == k_endings.end() ? nullptr : found;
}

bool can_write(const Operation& operation, bool bulk, const Ending& ending) {
  const Content content = ending.content;
  if (operation.view == View::Images) return content == Content::Image;
  if (operation.view == View::Video) return content == Content::Video;
  const bool transcript = find_field(operation, k_transcript_format) != nullptr;
  switch (content) {
    case Content::Text:
    case Content::Jsonl:
      return true;
    case Content::Json:
      return !bulk;
    case Content::Table:
      return bulk || prints_list(operation) || (transcript && ending.name == "tsv");
    case Content::Subtitles:
      return transcript;
    case Content::Image:
      return find_field(operation, k_web_images) != nullptr;
    case Content::Sound:
    case Content::Video:
      break;
  }
  return false;
}

/// Whether the operation runs over the rows of a file and names its results by itself.
bool is_bulk(const Operation& operation, const request::Inputs& inputs) {
  return operation.run == Handler::BatchesRun || EachFlags(inputs).has<"each">();
}

/// The ending in lower case, without its dot; "" if there is none.
std::string ending_of(const std::string& output) {
  std::error_code failed;
  const bool plain = !output.ends_with('/') && !output.starts_with("/dev/") &&
                     !std::filesystem::is_directory(output, failed);
  const std::string ending = plain ? std::filesystem::path(output).extension().string() : "";
  return to_lower(ending.substr(ending.empty() ? 0 : 1));
}

Error refused_ending(const Operation& operation, bool bulk, const std::string& output,
                     const std::string& ending) {
  std::string possible;
  for (const Ending& one : k_endings) {
    if (can_write(operation, bulk, one)) possible += fmt::format(" .{}", one.name);
  }
  std::string hint = fmt::format("It writes:{}.", possible);
  for (const sv flag : {k_record, TalkFlags::k_name<"transcript">,
                        Flags<catalogue::tts::k_local>::k_name<"subtitles">}) {
    const Field* field = find_field(operation, flag);
    const bool sound = find_ending(ending)->content == Content::Sound;
    if (field != nullptr && sound == (flag == k_record)) {
      hint += fmt::format(" `--{} {}` saves that.", flag, shown_word(output));
    }
  }
  return usage_error(fmt::format("--output {}: 'svc {}' cannot write .{}", shown(output),
                                 command_name(operation, true), ending),
                     std::move(hint));
}

}  // namespace

bool is_ending(sv ending) {
  return find_ending(ending) != nullptr;
}

EndingUse use_of_ending(const Operation& operation, bool bulk, sv ending) {
  const Ending* known = find_ending(ending);
  if (known == nullptr || operation.reply == Reply::Bytes || operation.run == Handler::Api) {
    return EndingUse::Own;
  }
  if (!can_write(operation, bulk, *known)) return EndingUse::Refused;
  return bulk || known->content >= Content::Sound ? EndingUse::Own : EndingUse::Decides;
}

Result<void> apply_output_ending(Invocation& invocation) {
  Globals& globals = invocation.globals;
  const Operation& operation = *invocation.operation;
  const request::Inputs& inputs = invocation.inputs;
  if (!globals.output || globals.settings.contains("format") || globals.jq) return {};
  for (const sv flag :
       {k_transcript_format, Flags<catalogue::history::k_export_fields>::k_name<"as">,
        Flags<catalogue::tts::k_voices_own>::k_name<"sample">}) {
    // They set what is written.
    if (request::text_given(inputs, flag)) return {};
  }
  const std::string ending = ending_of(*globals.output);
  const bool bulk = is_bulk(operation, inputs);
  const EndingUse use = use_of_ending(operation, bulk, ending);
  if (use == EndingUse::Refused) {
    return refused_ending(operation, bulk, *globals.output, ending);
  }
  if (use == EndingUse::Own) return {};
  const Content content = find_ending(ending)->content;
  globals.by_ending = true;
  globals.settings["format"] = content == Content::Json    ? "json"
                               : content == Content::Jsonl ? "jsonl"
                                                           : "text";
  const Field* transcript = find_field(operation, k_transcript_format);
  if (transcript != nullptr && (content == Content::Subtitles || ending == "tsv")) {
    invocation.inputs.given.push_back({transcript, ending == "tsv" ? "words" : ending});
  } else if (prints_list(operation)) {
    globals.separator = ending == "csv"   ? ','
                        : ending == "tsv" ? '\t'
                        : ending == "md"  ? '|'
                                          : '\0';
  }
  return {};
}

}  // namespace svc::cli
