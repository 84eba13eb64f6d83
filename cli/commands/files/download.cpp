// `svc files download ID...`: saves to files or a directory, or writes to a pipe.
#include "client/download.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "base/write_target.h"
#include "catalogue/catalogue.h"
#include "catalogue/files_fields.h"
#include "commands/command.h"
#include "json/document.h"
#include "operation/plan.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "request/media.h"

namespace svc::cli {
namespace {

using DownloadFlags = Flags<catalogue::files::k_download_fields>;

using nlohmann::json;

/// The destination.
enum class Way : std::uint8_t { Stream, File, Directory };

/// The metadata of a file that is needed here.
struct Known {
  std::string name{};
  std::optional<std::uint64_t> bytes{};
};

Known read_known(const std::string& body) {
  const json file = parse_reply(body);
  Known known{.name = text_member(file, {"filename", "name"})};
  const json& bytes = member(file, "bytes");
  if (bytes.is_number_unsigned()) known.bytes = bytes.get<std::uint64_t>();
  return known;
}

class Downloads {
 public:
  explicit Downloads(Session& session)
      : m_session(session),
        m_operation(*session.invocation().operation),
        m_flags(session.inputs()),
        m_ids(m_flags.get<"file-id">()),
        m_text(m_flags.is_true<"format-text">() || m_flags.get<"content-format">() == "text") {}

  Result<void> run() {
    SVC_CHECK(choose_way());
    SVC_CHECK(build());
    if (m_way == Way::Directory) SVC_CHECK(check_download_directory(m_place));
    if (m_way == Way::File) {
      SVC_CHECK(check_write_target(m_place, m_session.globals().replace()));
    }
    SVC_TRY(approved, approve(m_session, m_plan));
    if (!approved) return {};
    SVC_TRY(client, m_session.client(m_operation.host));
    m_client = client.get();
    Results results(m_session, m_ids.size());
    Failures failures(m_session, m_ids.size(), "files were not downloaded");
    for (std::size_t i = 0; i < m_ids.size(); ++i) {
      const auto done = fetch(i, results);
      m_session.progress().finish();
      if (!done && m_way == Way::Stream) return undelivered(i, done.error());
      if (!done && !failures.add(m_ids[i], done.error())) break;
    }
    if (m_way != Way::Stream) SVC_CHECK(results.finish());
    return failures.verdict();
  }

 private:
  Result<void> build() {
    const Field* format = find_field(m_operation, DownloadFlags::k_name<"content-format">);
    for (const std::string& id : m_ids.empty() ? std::vector<std::string>(1) : m_ids) {
      request::Inputs inputs = m_ids.empty()
                                   ? m_session.invocation().inputs
                                   : inputs_with(m_session, DownloadFlags::k_name<"file-id">, id);
      if (m_flags.is_true<"format-text">() && !m_flags.get<"content-format">()) {
        std::erase_if(inputs.given, [](const request::Given& given) {
          return given.field->flag == DownloadFlags::k_name<"format-text">;
        });
        inputs.given.push_back({format, "text"});
      }
      SVC_TRY(request, prepare(m_session, m_operation, inputs));
      if (m_way == Way::Directory) {
        // A file that is saved under its own name: its name and size.
        SVC_TRY(look, prepare_other(m_session, *find_operation("files", "get"),
                                    {{DownloadFlags::k_name<"file-id">, id}}));
        m_plan.steps.push_back({.request = std::move(look)});
      }
      m_plan.steps.push_back({.request = std::move(request)});
    }
    return {};
  }

  Result<void> choose_way() {
    const auto& output = m_session.globals().output;
    const bool described =
        m_session.format() == Format::Json || m_session.format() == Format::Jsonl;
    if (output && *output == "-" && described) {
      return usage_error("--output - and --json cannot be combined",
                         "Omit --json, or save the file with --output FILE.");
    }
    if (!m_session.globals().has_output_path()) {
      const bool shown = m_session.out().terminal().is_tty;
      const bool streamed = output.has_value() || (!described && (!shown || m_text));
      m_way = streamed ? Way::Stream : Way::Directory;
      m_place = ".";
      return {};
    }
    m_way = m_session.globals().has_output_directory() ? Way::Directory : Way::File;
    m_place = *output;
    if (m_way == Way::File && m_ids.size() > 1) {
      return usage_error(fmt::format("--output {} is one file, but {} were requested",
                                     visible(*output, Lines::Escape), m_ids.size()),
                         "Use a directory: --output DIR/");
    }
    return {};
  }

  Result<void> fetch(std::size_t at, Results& results) {
    const bool named = m_way == Way::Directory;
    request::Request& request = m_plan.steps[named ? 2 * at + 1 : at].request;
    SVC_CHECK(complete_address(m_session, request));
    http::HttpRequest wire = m_client->to_http(request);
    wire.redirects =
        http::Redirects::FollowWithoutCredentials;  // the key is not sent to the redirect's target
    DownloadOptions options;
    options.on_progress = [this](std::uint64_t done, std::uint64_t total) {
      m_session.progress().update(done, total);
    };
    if (m_way == Way::Stream) return stream(wire, options, at);
    DownloadTarget target{.path = m_place, .directory = named};
    target.replace = m_session.globals().replace();
    if (named) {
      SVC_TRY(known, look_up(m_plan.steps[2 * at].request));
      target.name = unused_name(known.name, m_ids[at]);
      if (!m_text) options.expected_bytes = known.bytes;
    }
    m_session.progress().start(
        fmt::format("Downloading {}", target.directory ? target.name : m_place),
        print::ProgressUnit::Bytes, options.expected_bytes);
    SVC_TRY(done, download(*m_client, wire, target, options));
    m_session.progress().finish();
    const json report{{"file_id", m_ids[at]}, {"path", done.path}, {"bytes", done.bytes}};
    const std::string line = m_way == Way::Directory ? done.path + "\n" : std::string();
    return results.add(compact_json(report), line);
  }

  /// After an incomplete file, no other may follow in the same pipe.
  [[nodiscard]] Error undelivered(std::size_t at, Error error) const {
    if (m_ids.size() == 1 || is_cancellation(error.fault)) return error;
    error.message = fmt::format("{}: {}", visible(m_ids[at], Lines::Escape), error.message);
    if (at + 1 < m_ids.size()) add_hint(error, "The files after it were not requested.");
    return error;
  }

  Result<void> stream(const http::HttpRequest& wire, const DownloadOptions& options,
                      std::size_t at) {
    if (!m_session.out().terminal().is_tty) {
      m_session.progress().start(fmt::format("Downloading {}", m_ids[at]),
                                 print::ProgressUnit::Bytes);
    }
    bool first = true;
    char last = '\n';
    const bool shown = m_session.out().terminal().is_tty;
    const auto sink = [&](sv bytes) -> Result<void> {
      if (std::exchange(first, false) && shown && !m_text &&
          request::sniff_type(bytes) != "text/plain") {
        return Error{Fault::Local, "the file is binary and is not written to a terminal",
                     "Save it with --output FILE or pipe it to a program."};
      }
      last = bytes.back();
      return m_session.write_foreign(bytes);
    };
    const auto done = download(*m_client, wire, sink, options);
    if (!done) return done.error();
    if (shown && last != '\n') SVC_CHECK(m_session.out().write("\n"));
    return m_session.out().flush();
  }

  Result<Known> look_up(request::Request& request) {
    SVC_CHECK(complete_address(m_session, request));
    SVC_TRY(reply, m_client->call(request));
    return read_known(reply.body);
  }

  /// A safe form of the file's name, numbered if an earlier file of this run has it.
  std::string unused_name(const std::string& name, const std::string& id) {
    const std::string safe = safe_file_name(m_text ? name + ".txt" : name, id);
    const std::filesystem::path path(safe);
    std::string found = safe;
    for (int number = 2; !m_used.insert(found).second; ++number) {
      found = fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
    }
    return found;
  }

  Session& m_session;
  const Operation& m_operation;
  DownloadFlags m_flags;
  std::vector<std::string> m_ids;
  bool m_text;
  request::Plan m_plan{};
  ApiClient* m_client = nullptr;
  Way m_way = Way::Stream;
  std::string m_place{};
  std::set<std::string> m_used{};
};

}  // namespace

template <>
Result<void> run<Handler::FilesDownload>(Session& session) {
  return Downloads(session).run();
}

}  // namespace svc::cli
