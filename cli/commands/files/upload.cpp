// `svc files upload FILE...`: uploads one file after the other, streamed from disk.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "catalogue/files_fields.h"
#include "client/resumable_upload.h"
#include "commands/command.h"
#include "json/document.h"
#include "operation/chunked_upload.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "request/form.h"
#include "request/rules.h"

namespace svc::cli {
namespace {

using UploadFlags = Flags<catalogue::files::k_upload_fields>;

using nlohmann::json;

/// A file to upload.
struct Item {
  std::string path{};  ///< as given
  std::string name{};  ///< on the service
  std::string content_type{};
  std::string source{};  ///< what is read: the path, or the copy of standard input
  std::uint64_t size{};
  request::Request request{};  ///< not for a chunked upload
};

Result<void> check_name(const Item& item) {
  if (first_invalid_utf8(item.name)) {
    return usage_error(
        fmt::format("the file name {} is not valid UTF-8", visible(item.path, Lines::Escape)),
        "Choose another one with --name NAME.");
  }
  return {};
}

class Uploads {
 public:
  explicit Uploads(Session& session)
      : m_session(session),
        m_operation(*session.invocation().operation),
        m_flags(session.inputs()),
        m_paths(m_flags.get<"file">()),
        m_chunked(m_flags.is_true<"chunked">()) {}

  Result<void> run() {
    SVC_CHECK(check_flags());
    // Check all files before sending the first.
    for (const std::string& path : m_paths) {
      SVC_TRY(item, m_chunked ? chunked_item(path) : form_item(path));
      SVC_CHECK(check_name(item));
      m_items.push_back(std::move(item));
    }
    if (m_session.globals().shows_only()) return show_all();
    SVC_TRY(client, m_session.client(m_operation.host));
    m_client = client.get();
    m_client->on_upload([this](std::uint64_t sent, std::uint64_t total) {
      m_all_sent = total != 0 && sent >= total;
      if (!m_chunked) m_session.progress().update(sent, total);
    });
    Results results(m_session, m_items.size());
    Failures failures(m_session, m_items.size(), "files were not uploaded");
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      m_session.progress().start(label(i), print::ProgressUnit::Bytes, m_items[i].size);
      const auto made = m_chunked ? send_in_chunks(m_items[i]) : send_form(m_items[i]);
      m_session.progress().finish();
      if (made) {
        SVC_CHECK(results.add_object(*made, line(m_items[i], *made)));
      } else if (!failures.add(m_items[i].path, made.error())) {
        break;
      }
    }
    SVC_CHECK(results.finish());
    return failures.verdict();
  }

 private:
  Result<void> check_flags() {
    if (m_paths.empty()) {
      // Building the request reports what is missing.
      const auto request = prepare(m_session, m_operation, m_session.invocation().inputs);
      return request ? Result<void>(usage_error("--file is missing")) : request.error();
    }
    const auto name = m_flags.get<"name">();
    if (name && m_paths.size() > 1) {
      return usage_error(
          fmt::format("--name applies to one file, but {} were given", m_paths.size()),
          "Upload them one by one to rename them.");
    }
    const bool piped = std::find(m_paths.begin(), m_paths.end(), "-") != m_paths.end();
    if (piped && !name) {
      return usage_error("standard input has no file name",
                         "Set one: svc files upload - --name notes.txt");
    }
    if (m_chunked) return request::check_local(m_operation, m_session.invocation().inputs);
    return {};
  }

  [[nodiscard]] std::string requested_name(const std::string& otherwise) const {
    return m_flags.get<"name">().value_or(otherwise);
  }

  [[nodiscard]] std::string type_of(const std::string& source, const std::string& name) const {
    const auto given = m_flags.get<"content-type">();
    return given ? *given : request::file_type(source, name);
  }

  Result<Item> form_item(const std::string& path) {
    Item item{.path = path};
    auto request =
        prepare(m_session, m_operation, inputs_with(m_session, UploadFlags::k_name<"file">, path));
    if (!request) {
      Error error = std::move(request).error();
      std::error_code unknown;
      const auto size = std::filesystem::file_size(path, unknown);
      if (!unknown && size > find_field(m_operation, UploadFlags::k_name<"file">)->max_bytes)
        error.hint = "Use --chunked for up to 512 MB.";
      return error;
    }
    item.request = *std::move(request);
    if (m_items.empty()) {
      for (const std::string& warning : item.request.warnings) m_session.notices().warning(warning);
    }
    for (Part& part : std::get<std::vector<Part>>(item.request.body)) {
      const auto* source = std::get_if<FileSource>(&part.content);
      if (source == nullptr) continue;
      part.file_name = requested_name(part.file_name);
      part.content_type = type_of(source->path, part.file_name);
      item.name = part.file_name;
      item.content_type = part.content_type;
      item.source = source->path;
      item.size = source->size;
    }
    return item;
  }

  Result<Item> chunked_item(const std::string& path) {
    Item item{.path = path};
    Field field = *find_field(m_operation, UploadFlags::k_name<"file">);
    field.max_bytes = k_max_chunked_upload;
    request::BuildContext context;
    context.buffer_stdin = [this] { return m_session.buffer_stdin(); };
    SVC_TRY(part, request::form_part(field, path, context));
    item.name = requested_name(part.file_name);
    const auto& source = std::get<FileSource>(part.content);
    item.content_type = type_of(source.path, item.name);
    item.source = source.path;
    item.size = source.size;
    return item;
  }

  Result<void> show_all() {
    PlanPrinter printer(m_session);
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      Item& item = m_items[i];
      if (!m_chunked) {
        SVC_CHECK(printer.add({.request = std::move(item.request)}));
      } else {
        SVC_CHECK(show_upload(m_session, printer, chunked(item), fmt::format("FILE_{}", i + 1)));
      }
    }
    return printer.finish();
  }

  [[nodiscard]] std::string label(std::size_t at) const {
    if (m_items.size() == 1) return fmt::format("Uploading {}", m_items[at].name);
    return fmt::format("Uploading {} ({} of {})", m_items[at].name, at + 1, m_items.size());
  }

  Result<std::string> send_form(Item& item) {
    SVC_CHECK(complete_address(m_session, item.request));
    m_all_sent = false;
    auto reply = m_client->call(item.request);
    if (reply) return std::move(reply->body);
    Error error = std::move(reply).error();
    const bool stopped = is_cancellation(error.fault);
    if (error.fault == Fault::UnknownOutcome || (stopped && m_all_sent)) {
      error.hint =
          fmt::format("The file may have been uploaded; check with: svc files list --filter {}",
                      shell_quote(fmt::format("name = {}", compact_json(json(item.name)))));
    } else if (stopped) {
      error.hint = fmt::format("{} was not sent completely; nothing was stored.",
                               visible(item.path, Lines::Escape));
    }
    return error;
  }

  static ChunkedFile chunked(const Item& item) {
    return {.path = item.source,
            .name = item.name,
            .content_type = item.content_type,
            .resumable = item.path != "-"};
  }

  Result<std::string> send_in_chunks(const Item& item) {
    return upload_large(m_session, *m_client, chunked(item),
                        [this](std::uint64_t sent, std::uint64_t total) {
                          m_session.progress().update(sent, total);
                        });
  }

  /// The output line of one of several files.
  static std::string line(const Item& item, const std::string& body) {
    return fmt::format("{}\t{}\n", text_member(parse_reply(body), {"id", "file_id"}),
                       visible(item.path, Lines::Escape));
  }

  Session& m_session;
  const Operation& m_operation;
  UploadFlags m_flags;
  std::vector<std::string> m_paths;
  bool m_chunked;
  std::vector<Item> m_items{};
  ApiClient* m_client = nullptr;
  bool m_all_sent{};  ///< of the request in flight
};

}  // namespace

template <>
Result<void> run<Handler::FilesUpload>(Session& session) {
  return Uploads(session).run();
}

}  // namespace svc::cli
