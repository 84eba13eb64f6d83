#include "commands/stt/items.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "client/download.h"
#include "operation/results.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<sv, 3> k_raw_formats = {"pcm", "mulaw", "alaw"};
constexpr std::array<sv, 10> k_raw_endings = {".pcm", ".raw",  ".s16", ".ulaw", ".mulaw",
                                              ".ul",  ".alaw", ".al",  ".g711", ".sln"};
/// What the service finds out by itself.
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
      fmt::format("{} is raw audio, whose format must be given", shown),
      "Pass --audio-format pcm (or mulaw, alaw) --sample-rate 16000, with --channels N "
      "--multichannel for more than one channel.");
}

/// Whether a file can be what the service transcribes, as far as its bytes and its name tell.
Result<void> check_sound(const Part& part, const std::string& name) {
  const std::string shown = visible(name, Lines::Escape);
  const sv type = part.content_type;
  if (type.starts_with("audio/") || type.starts_with("video/")) return {};
  if (ends_with_one(name, k_raw_endings)) return not_described(shown);
  if (type == "application/octet-stream") {
    if (ends_with_one(name, k_sound_endings)) return {};
    return usage_error(
        fmt::format("the service does not detect the format of {} by itself: {}", shown,
                    k_containers),
        "For raw audio, pass --audio-format pcm (or mulaw, alaw) and --sample-rate 16000.");
  }
  return usage_error(
      fmt::format("{} is not audio: its type is {}", shown, type),
      fmt::format("The service takes {}, and raw pcm, mulaw or alaw.", k_containers));
}

Error nothing_given() {
  return usage_error("--file or --url is required", "Give a file to transcribe: svc stt talk.mp3.");
}

class SttReader {
 public:
  explicit SttReader(Session& session)
      : m_session(session), m_operation(*session.invocation().operation) {
    m_format = session.invocation().value("audio-format").value_or("");
    m_raw = std::find(k_raw_formats.begin(), k_raw_formats.end(), m_format) != k_raw_formats.end();
  }

  Result<std::vector<SttItem>> read() {
    std::vector<std::string> names = values_of(m_session, "file");
    const std::vector<std::string> urls = values_of(m_session, "url");
    m_redirected = names.empty() && urls.empty() && m_session.has_stdin();
    if (m_redirected) names.emplace_back("-");
    if (names.empty() || !urls.empty()) {
      // One address, or nothing at all: the request itself says what is wrong.
      SVC_TRY(request, prepare(m_session, m_operation, m_session.invocation().inputs));
      if (names.empty() && urls.empty()) return nothing_given();
      names.insert(names.end(), urls.begin(), urls.end());
      (void)request;
    }
    if (std::count(names.begin(), names.end(), "-") > 1) {
      return usage_error("standard input (-) was given more than once");
    }
    if (m_session.invocation().is_true("multichannel") && m_raw &&
        !m_session.invocation().value("channels")) {
      return usage_error("--multichannel needs --channels for raw audio",
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
    const bool address = is_address(name) || !values_of(m_session, "url").empty();
    if (address && !is_address(name)) {
      return usage_error(
          fmt::format("--url takes an http or https address, not '{}'", shown(name)));
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
      if (m_redirected && !only_shown && item.bytes == 0) return nothing_given();
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
    request::Inputs inputs = inputs_with(m_session, address ? "url" : "file", name);
    std::erase_if(inputs.given, [&](const request::Given& given) {
      return given.field->flag == (address ? "file" : "url");
    });
    return inputs;
  }

  void warn(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) m_session.notices().warning(warning);
    if (!m_format.empty() && !m_raw) {
      m_session.notices().warning(fmt::format(
          "--audio-format is for raw audio; the service detects {} by itself", m_format));
    }
  }

  Session& m_session;
  const Operation& m_operation;
  std::string m_format{};
  bool m_raw = false;
  bool m_redirected = false;  ///< nothing is named, and standard input is not a terminal
};

/// The name that a result has, without folder and ending.
std::string stem_of(const std::string& name) {
  if (name == "-") return "stdin";
  const std::string last = is_address(name) ? safe_file_name(name_in_url(name), "audio") : name;
  const std::string stem = fs::path(last).stem().string();
  return stem.empty() ? "audio" : stem;
}

}  // namespace

Result<std::vector<SttItem>> stt_items(Session& session) {
  return SttReader(session).read();
}

Result<std::optional<voice::TranscriptFormat>> stt_format(const Session& session) {
  const auto name = session.invocation().value("transcript-format");
  if (!name && session.format() != Format::Text) return std::optional<voice::TranscriptFormat>();
  const bool document = session.globals().jq || session.globals().settings.contains("format");
  const bool shown = session.globals().shows_only();
  if (document && session.format() != Format::Text && !shown) {
    return usage_error("--transcript-format and --json, --format or --jq exclude one another",
                       "--json prints the service's whole answer.");
  }
  return voice::parse_transcript_format(name.value_or("text"));
}

Result<void> plan_stt_targets(Session& session, std::optional<voice::TranscriptFormat> format,
                              std::vector<SttItem>& items) {
  const auto& output = session.globals().output;
  std::error_code unknown;
  const bool folder = output && (output->ends_with('/') || fs::is_directory(*output, unknown));
  if (!format) {
    if (folder) {
      return usage_error("--json gives one document, which needs a file, not a folder",
                         "Use --transcript-format json for a file of each.");
    }
    return {};
  }
  if (items.size() > 1 && output && !folder) {
    return usage_error(fmt::format("{} transcripts do not go into one file", items.size()),
                       "Give -o FOLDER/, leave -o out to have each beside its file, or print one "
                       "document with --json.");
  }
  if (items.size() == 1 && !folder) return {};
  std::map<std::string, std::string> taken;
  for (SttItem& item : items) {
    const fs::path beside =
        is_address(item.name) || item.name == "-" ? fs::path() : fs::path(item.name).parent_path();
    const std::string file =
        fmt::format("{}.{}", stem_of(item.name), voice::transcript_ending(*format));
    item.target = ((folder ? fs::path(*output) : beside) / file).string();
    const auto [other, fresh] = taken.emplace(item.target, item.name);
    if (!fresh) {
      return usage_error(
          fmt::format("{} and {} would both become {}", visible(other->second, Lines::Escape),
                      visible(item.name, Lines::Escape), visible(item.target, Lines::Escape)),
          "Transcribe them one by one, each with its own -o FILE.");
    }
    const bool force = session.globals().force;
    SVC_TRY(probe, AtomicFile::create(item.target, force ? Replace::Yes : Replace::No));
    (void)probe;
  }
  return {};
}

}  // namespace svc::cli
