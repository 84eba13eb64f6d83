// `svc stt FILE|URL...`: transcribes several recordings concurrently over one transport.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/files.h"
#include "base/result.h"
#include "base/text.h"
#include "catalogue/stt_fields.h"
#include "client/concurrent_calls.h"
#include "client/download.h"
#include "commands/command.h"
#include "json/document.h"
#include "live/sound.h"
#include "operation/plan.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "print/json.h"
#include "request/inputs.h"
#include "session/cost_tracker.h"
#include "session/session.h"
#include "voice/transcript.h"

namespace svc::cli {
namespace {

using TranscribeFlags = Flags<catalogue::stt::k_transcribe_fields>;

// Collects the inputs (files, URLs, standard input) and checks all of them before sending the
// first.

struct SttItem {
  std::string name{};       ///< as given
  std::string target{};     ///< the result's file; empty: standard output, or --output
  std::uint64_t bytes = 0;  ///< to send; 0 for a URL
  request::Request request{};
};

namespace fs = std::filesystem;

constexpr std::array<sv, 3> k_raw_formats = {"pcm", "mulaw", "alaw"};
constexpr std::array<sv, 10> k_raw_endings = {".pcm", ".raw",  ".s16", ".ulaw", ".mulaw",
                                              ".ul",  ".alaw", ".al",  ".g711", ".sln"};
/// Formats that the service detects.
constexpr std::array<sv, 11> k_sound_endings = {".wav", ".mp3", ".ogg", ".opus", ".flac", ".aac",
                                                ".mp4", ".m4a", ".mkv", ".oga",  ".webm"};
constexpr sv k_containers = "wav, mp3, ogg, opus, flac, aac, mp4, m4a or mkv";

bool is_address(sv text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

template <std::size_t N>
bool ends_with_one(sv name, const std::array<sv, N>& endings) {
  const std::string lower = to_lower(name);
  return std::any_of(endings.begin(), endings.end(),
                     [&](sv ending) { return sv(lower).ends_with(ending); });
}

Error not_described(const std::string& shown) {
  return usage_error(
      fmt::format("{} is raw audio; specify its format", shown),
      "Pass --audio-format pcm (or mulaw, alaw) --sample-rate 16000, with --channels N "
      "--multichannel for more than one channel.");
}

/// Checks by content type and extension whether the service can transcribe a file.
Result<void> check_sound(const Part& part, const std::string& name) {
  const std::string shown = visible(name, Lines::Escape);
  const sv type = part.content_type;
  if (type.starts_with("audio/") || type.starts_with("video/")) return {};
  if (ends_with_one(name, k_raw_endings)) return not_described(shown);
  if (type == "application/octet-stream") {
    if (ends_with_one(name, k_sound_endings)) return {};
    return usage_error(
        fmt::format("cannot detect the format of {}; the service detects {}", shown, k_containers),
        "For raw audio, pass --audio-format pcm (or mulaw, alaw) and --sample-rate 16000.");
  }
  return usage_error(fmt::format("{} is not audio: its type is {}", shown, type),
                     fmt::format("Supported: {}, and raw pcm, mulaw or alaw.", k_containers));
}

/// Reads the inputs in the given order, with their requests. Usage for inputs that cannot be
/// transcribed: missing, empty, too large, not audio, or raw audio without a format.
class SttReader {
 public:
  explicit SttReader(Session& session)
      : m_session(session),
        m_operation(*session.invocation().operation),
        m_flags(session.inputs()) {
    m_format = m_flags.text<"audio-format">();
    m_raw = std::find(k_raw_formats.begin(), k_raw_formats.end(), m_format) != k_raw_formats.end();
  }

  Result<std::vector<SttItem>> read() {
    std::vector<std::string> names = m_flags.get<"file">();
    const auto url = m_flags.get<"url">();
    if (names.empty() && !url && m_session.has_stdin()) names.emplace_back("-");
    if (names.empty() || url) {
      // For a single URL, or nothing at all, building the request reports errors.
      SVC_TRY(request, prepare(m_session, m_operation, m_session.invocation().inputs));
      if (names.empty() && !url) {
        return usage_error("--file or --url is required",
                           "Pass a file to transcribe: svc stt talk.mp3.");
      }
      if (url) names.push_back(*url);
      (void)request;
    }
    if (std::count(names.begin(), names.end(), "-") > 1) {
      return usage_error("standard input (-) was given more than once");
    }
    if (m_flags.is_true<"multichannel">() && m_raw && !m_flags.get<"channels">()) {
      return usage_error("--multichannel requires --channels for raw audio",
                         "Raw audio carries no channel count: pass --channels, 2 to 8.");
    }
    std::vector<SttItem> items;
    for (const std::string& name : names) {
      SVC_TRY(item, read_one(name, items.empty()));
      items.push_back(std::move(item));
    }
    return items;
  }

 private:
  Result<SttItem> read_one(const std::string& name, bool first) {
    SttItem item{.name = name};
    const bool address = is_address(name) || m_flags.has<"url">();
    if (address && !is_address(name)) {
      return usage_error(fmt::format("--url must be an http or https URL, not '{}'", shown(name)));
    }
    SVC_TRY(request, prepare(m_session, m_operation, inputs_of(name, address)));
    item.request = std::move(request);
    if (first) warn(item.request.warnings);
    if (address) return item;
    for (const Part& part : std::get<std::vector<Part>>(item.request.body)) {
      const auto* source = std::get_if<FileSource>(&part.content);
      if (source == nullptr) continue;
      item.bytes = source->size;
      const bool only_shown = name == "-" && source->path == "-";
      if (m_format.empty() && !only_shown) {
        SVC_CHECK(check_sound(part, name == "-" ? "standard input" : name));
      } else if (m_raw && part.content_type.starts_with("audio/")) {
        m_session.notices().warning(
            fmt::format("{} has a header ({}), which --audio-format {} would treat as audio",
                        visible(name, Lines::Escape), part.content_type, m_format));
      }
    }
    return item;
  }

  [[nodiscard]] request::Inputs inputs_of(const std::string& name, bool address) const {
    request::Inputs inputs = inputs_with(m_session, address ? k_url : k_file, name);
    std::erase_if(inputs.given, [&](const request::Given& given) {
      return given.field->flag == (address ? k_file : k_url);
    });
    return inputs;
  }

  void warn(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) m_session.notices().warning(warning);
    if (!m_format.empty() && !m_raw) {
      m_session.notices().warning(fmt::format(
          "--audio-format is for raw audio; the service detects {} automatically", m_format));
    }
  }

  static constexpr sv k_file = TranscribeFlags::k_name<"file">;
  static constexpr sv k_url = TranscribeFlags::k_name<"url">;

  Session& m_session;
  const Operation& m_operation;
  TranscribeFlags m_flags;
  std::string m_format{};
  bool m_raw{};
};

/// The name of a result, without directory and extension.
std::string stem_of(const std::string& name) {
  if (name == "-") return "stdin";
  const std::string last = is_address(name) ? safe_file_name(name_in_url(name), "audio") : name;
  return fs::path(last).stem().string();
}

/// The transcript's format; nothing if the service's JSON is printed instead. Usage if both were
/// requested.
Result<std::optional<voice::TranscriptFormat>> stt_format(const Session& session) {
  const auto name = TranscribeFlags(session.inputs()).get<"transcript-format">();
  if (!name && session.format() != Format::Text) return std::optional<voice::TranscriptFormat>();
  const bool document = session.globals().jq ||
                        session.globals().settings.contains(std::string(k_global_flag<"format">));
  const bool shown = session.globals().shows_only();
  if (document && session.format() != Format::Text && !shown) {
    return usage_error("--transcript-format cannot be combined with --json, --format or --jq",
                       "--json prints the service's full response.");
  }
  return voice::parse_transcript_format(name.value_or("text"));
}

/// Chooses the file of each result and checks that it can be written: next to its input if there
/// are several, or in the directory of --output. Usage if two would go to one file, Local if one
/// exists or cannot be written.
Result<void> plan_stt_targets(Session& session, std::optional<voice::TranscriptFormat> format,
                              std::vector<SttItem>& items) {
  const auto& output = session.globals().output;
  const bool directory = session.globals().has_output_directory();
  // Where requests are only shown, JSON is their format.
  if (!format && !(directory && session.globals().shows_only())) {
    if (directory) {
      return usage_error("--json writes one document, so --output must be a file, not a directory",
                         "For one file per recording, use --transcript-format json.");
    }
    return {};
  }
  if (items.size() > 1 && output && !directory) {
    return usage_error(fmt::format("{} transcripts cannot be saved in one file", items.size()),
                       "Use -o DIR/, omit -o to save each next to its file, or print one "
                       "document with --json.");
  }
  if (items.size() == 1 && !directory) return {};
  std::map<std::string, std::string> taken;
  for (SttItem& item : items) {
    const fs::path beside =
        is_address(item.name) || item.name == "-" ? fs::path() : fs::path(item.name).parent_path();
    const std::string file =
        fmt::format("{}.{}", stem_of(item.name),
                    voice::transcript_extension(format.value_or(voice::TranscriptFormat::Text)));
    item.target = ((directory ? fs::path(*output) : beside) / file).string();
    const auto [other, fresh] = taken.emplace(item.target, item.name);
    if (!fresh) {
      return usage_error(
          fmt::format("{} and {} would both become {}", visible(other->second, Lines::Escape),
                      visible(item.name, Lines::Escape), visible(item.target, Lines::Escape)),
          "Transcribe them one by one, each with its own -o FILE.");
    }
    SVC_CHECK(check_output(session, item.target));
  }
  return {};
}

constexpr auto k_transcribe_slice = std::chrono::milliseconds(100);

class Transcriptions {
 public:
  Transcriptions(Session& session, std::vector<SttItem> items,
                 std::optional<voice::TranscriptFormat> format, ApiClient& client)
      : m_session(session),
        m_items(std::move(items)),
        m_format(format),
        m_client(client),
        m_calls(client),
        m_sent(m_items.size()),
        m_results(session, m_items.size()),
        m_failures(session, m_items.size(), "recordings were not transcribed") {}

  Result<void> run() {
    const std::int64_t most = TranscribeFlags(m_session.inputs()).get<"jobs">().value_or(4);
    show_begin();
    while (!m_broken && !over()) {
      while (!m_ended && m_next < m_items.size() &&
             m_calls.in_flight() < static_cast<std::size_t>(most)) {
        SVC_CHECK(start(m_next++));
      }
      m_calls.run(m_session.cancel_token(), std::chrono::steady_clock::now() + k_transcribe_slice);
      m_session.progress().tick();
    }
    m_session.progress().finish();
    if (m_broken) return *m_broken;
    SVC_CHECK(m_results.finish());
    return m_failures.verdict();
  }

 private:
  [[nodiscard]] bool several() const { return m_items.size() > 1; }
  [[nodiscard]] bool over() const {
    return m_calls.in_flight() == 0 && (m_ended || m_next == m_items.size());
  }

  Result<void> start(std::size_t at) {
    SttItem& item = m_items[at];
    SVC_CHECK(complete_address(m_session, item.request));
    m_calls.start({.request = item.request,
                   .timeouts = speech_timeouts(m_session, m_client),
                   .on_upload = [this, at](std::uint64_t sent,
                                           std::uint64_t total) { show_upload(at, sent, total); },
                   .done = [this, at](Result<CallReply> reply) { done(at, std::move(reply)); }});
    return {};
  }

  // Progress ------------------------------------------------------------------------------------

  void show_begin() {
    if (several()) {
      m_session.progress().start("Transcribing", print::ProgressUnit::Items, m_items.size());
    } else if (m_items.front().bytes > 0) {
      m_session.progress().start(fmt::format("Uploading {}", m_items.front().name),
                                 print::ProgressUnit::Bytes, m_items.front().bytes);
    } else {
      m_session.progress().start("Transcribing");
    }
  }

  void show_upload(std::size_t at, std::uint64_t sent, std::uint64_t total) {
    m_sent[at] = sent;
    if (several()) {
      std::uint64_t all = 0;
      for (const std::uint64_t one : m_sent) all += one;
      m_session.progress().aside(fmt::format("{} sent", format_bytes(all)));
    } else if (total != 0 && sent >= total) {
      if (!m_waiting) m_session.progress().start("Transcribing");
      m_waiting = true;
    } else {
      m_session.progress().update(sent, total);
    }
  }

  // Results -------------------------------------------------------------------------------------

  void done(std::size_t at, Result<CallReply> reply) {
    ++m_done;
    if (several()) m_session.progress().update(m_done);
    const Operation& operation = *m_items[at].request.operation;
    if (reply) record_document(m_session, operation, reply->body);
    if (!reply) record_interrupted(m_session, operation, reply.error());
    Result<void> taken = reply ? take(at, reply->body) : Result<void>(std::move(reply).error());
    if (taken) return;
    if (!m_failures.add(m_items[at].name, std::move(taken).error())) m_ended = true;
    hand_out(at, std::nullopt);
  }

  Result<void> take(std::size_t at, const std::string& body) {
    auto read = voice::read_transcript(body);
    if (!m_format && (read || m_session.format() == Format::Raw)) {
      hand_out(at, several() ? named(m_items[at].name, body) : body);
      return {};
    }
    SVC_TRY(transcript, std::move(read));
    const std::string text = written(transcript, body);
    if (trim(transcript.text).empty() && transcript.words.empty()) {
      m_session.notices().note(
          fmt::format("no speech detected in {}", visible(m_items[at].name, Lines::Escape)));
    }
    const std::string& target = m_items[at].target;
    const Replace replace = m_session.globals().replace();
    if (!target.empty()) SVC_CHECK(write_file(target, text, replace));
    m_session.progress().clear();
    SVC_CHECK(m_session.write_foreign(target.empty() ? text : target + "\n"));
    SVC_CHECK(m_session.out().flush());
    // Several files finish in any order, so each is named.
    if (several() && wants_details(m_session)) {
      m_session.notices().aside(visible(m_items[at].name, Lines::Escape) + ":");
    }
    print_details(m_session, parse_reply(body));
    return {};
  }

  std::string written(const voice::Transcript& transcript, const std::string& body) const {
    if (*m_format == voice::TranscriptFormat::Json) {
      std::string text;
      print::Out out(print::string_sink(text));
      if (print::print_json(out, body) && out.flush()) return text;
      return body + "\n";
    }
    std::int64_t channels = 0;
    for (const voice::Word& word : transcript.words) {
      channels = std::max(channels, word.channel.value_or(-1) + 1);
    }
    voice::TranscriptWriter writer(*m_format, static_cast<std::size_t>(channels));
    std::string text = writer.add(transcript);
    return text + writer.finish();
  }

  /// With several documents, adds the recording's name to each; the rest is unchanged.
  static std::string named(const std::string& name, const std::string& body) {
    const sv object = trim(body);
    if (!object.starts_with('{')) return body;
    const std::string file = compact_json(nlohmann::json(name));
    const bool empty = trim(object.substr(1)).starts_with('}');
    return fmt::format("{{\"file\":{}{}{}", file, empty ? "" : ",", object.substr(1));
  }

  /// Prints the documents in the order of the recordings.
  void hand_out(std::size_t at, std::optional<std::string> document) {
    if (m_format) return;
    m_held.emplace(at, std::move(document));
    for (auto next = m_held.find(m_passed); next != m_held.end(); next = m_held.find(m_passed)) {
      if (next->second && !m_broken) {
        m_session.progress().clear();
        if (auto added = m_results.add(*next->second, ""); !added) m_broken = added.error();
      }
      m_held.erase(next);
      ++m_passed;
    }
  }

  Session& m_session;
  std::vector<SttItem> m_items;
  std::optional<voice::TranscriptFormat> m_format;
  ApiClient& m_client;
  ConcurrentCalls m_calls;
  std::vector<std::uint64_t> m_sent;
  Results m_results;
  Failures m_failures;
  std::map<std::size_t, std::optional<std::string>> m_held{};
  std::size_t m_passed = 0;
  std::size_t m_next = 0;
  std::size_t m_done = 0;
  bool m_waiting = false;  ///< a single file is being uploaded
  bool m_ended = false;    ///< no more requests are started
  std::optional<Error> m_broken{};
};

}  // namespace

template <>
Result<void> run<Handler::SttTranscribe>(Session& session) {
  SVC_TRY(format, stt_format(session));
  SVC_TRY(items, SttReader(session).read());
  request::Plan plan;
  for (const SttItem& item : items) plan.steps.push_back({.request = item.request});
  SVC_CHECK(plan_stt_targets(session, format, items));
  // A single result file is written through the session's output.
  const bool one_file = std::all_of(items.begin(), items.end(),
                                    [](const SttItem& item) { return item.target.empty(); });
  if (one_file) SVC_CHECK(session.write_to_output_file());
  SVC_TRY(approved, approve(session, plan));
  if (!approved) return {};
  SVC_TRY(client, session.client(session.invocation().operation->host));
  return Transcriptions(session, std::move(items), format, *client).run();
}

}  // namespace svc::cli
