#include "conversation/attachments.h"

#include <cerrno>
#include <filesystem>
#include <variant>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "catalogue/files_fields.h"
#include "catalogue/shared_fields.h"
#include "catalogue/tool_fields.h"
#include "json/document.h"
#include "operation/plan.h"
#include "operation/runner.h"
#include "request/convert.h"
#include "request/form.h"
#include "request/media.h"

namespace svc::cli {
namespace {

using AttachmentFlags = Flags<catalogue::k_attachment_fields>;

/// The lifetime of an uploaded file, in seconds, should svc fail to delete it: one day.
constexpr sv k_file_lifetime = "86400";

/// The longest lifetime that the service accepts besides unlimited, in seconds: 30 days.
constexpr sv k_stored_file_lifetime = "2592000";

bool is_file_flag(const request::Given& given) {
  return given.field->in == In::Compose && given.field->flag == AttachmentFlags::k_name<"file">;
}

/// "FILE_1": stands for the ID of an uploaded file in a plan.
std::string variable_of(std::size_t index) {
  return fmt::format("FILE_{}", index + 1);
}

}  // namespace

Attachments::Attachments(Session& session, const Operation& operation, CallerFor client)
    : m_session(session),
      m_operation(operation),
      m_client(std::move(client)),
      m_keep(Flags<catalogue::k_turn_fields>(session.inputs()).is_true<"keep">()) {}

Attachments::~Attachments() {
  if (m_keep) return;
  for (const File& file : m_uploaded) {
    const Result<void> removed = remove(file.id);
    if (removed || removed.error().fault == Fault::NotFound) continue;
    m_session.notices().warning(
        fmt::format("{}, uploaded as {}, could not be deleted: {}; it expires within a day, or "
                    "run: svc files delete {}",
                    file.name, file.id, removed.error().message, file.id));
  }
}

Result<void> Attachments::find_in_stdin(std::size_t place,
                                        std::optional<std::optional<std::string>>& stdin_text) {
  SVC_TRY(source, m_session.buffer_stdin());
  const std::string type = request::file_type(source.path, "stdin");
  if (source.size == 0 || type == "text/plain") {
    SVC_TRY(text, read_file(source.path, request::k_max_inline_media));
    stdin_text = std::move(text);
    return {};
  }
  m_found.push_back({.place = place,
                     .path = source.path,
                     .name = type == "application/pdf" ? "stdin.pdf" : "stdin",
                     .type = type,
                     .size = source.size});
  return {};
}

/// A pipe can be read only once, and a file in its data may have to be uploaded.
Result<void> Attachments::find_in_pipe(std::size_t place, const std::string& path) {
  // Opening does not wait for a writer; the wait below can be stopped with Ctrl-C.
  const FileDescriptor pipe(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!pipe.is_open()) return system_error("cannot read " + path, errno);
  const InputWait wait{.on_silence = [&] {
    m_session.notices().note(fmt::format("waiting for data from {}", quote_path(path)));
  }};
  auto spool =
      StdinBuffer::read(pipe.get(), request::k_max_inline_media, m_session.cancel_token(), wait);
  if (!spool) {
    Error error = std::move(spool).error();
    if (is_cancellation(error.fault)) {
      error.message = "interrupted while waiting for data from " + quote_path(path);
    }
    if (error.fault == Fault::Usage)
      error.message =
          fmt::format("--file {}: {}", path, "the pipe contains more data than can be attached");
    return error;
  }
  m_pipes.push_back(*std::move(spool));
  const FileSource& source = m_pipes.back().source();
  const std::string type = request::file_type(source.path, "pipe");
  m_found.push_back({.place = place,
                     .path = source.path,
                     .name = type == "application/pdf" ? "pipe.pdf" : "pipe",
                     .type = type,
                     .size = source.size,
                     .inlined = source.size == 0 || type == "text/plain",
                     .pipe = path});
  return {};
}

Result<bool> Attachments::find(const request::Inputs& inputs,
                               std::optional<std::optional<std::string>>& stdin_text) {
  m_found.clear();
  // Responses accept file contents in the input; chat accepts only file IDs and URLs.
  if (m_operation.composer != Composer::Chat) return false;
  for (std::size_t i = 0; i < inputs.given.size(); ++i) {
    const request::Given& given = inputs.given[i];
    if (!is_file_flag(given)) continue;
    if (given.text == "-" && !stdin_text) {
      SVC_CHECK(find_in_stdin(i, stdin_text));
      continue;
    }
    std::error_code failed;
    if (std::filesystem::is_fifo(given.text, failed)) {
      SVC_CHECK(find_in_pipe(i, given.text));
      continue;
    }
    if (!std::filesystem::is_regular_file(given.text, failed)) continue;
    SVC_TRY(media, request::resolve_media(request::flag_name(*given.field), given.text, nullptr));
    if (media.form != request::MediaForm::File || media.type == "text/plain") continue;
    m_found.push_back({.place = i,
                       .path = given.text,
                       .name = media.file_name,
                       .type = request::file_type(given.text, media.file_name),
                       .size = media.file.size});
  }
  for (File& file : m_found) file.placeholder = request::placeholder_id("file");
  return !m_found.empty();
}

void Attachments::attach(const File& file, request::Given& given) {
  given.text = file.path;
  given.file_name = file.name;
}

request::Inputs Attachments::placeholders(const request::Inputs& inputs) const {
  request::Inputs changed = inputs;
  for (std::size_t i = 0; i < m_found.size(); ++i) {
    const File& file = m_found[i];
    request::Given& given = changed.given[file.place];
    if (file.inlined) {
      attach(file, given);
    } else {
      given.text = file.placeholder;
    }
  }
  return changed;
}

/// The path of a pipe's copy means nothing to whoever reads the plan.
void Attachments::name_pipe(request::Request& upload, const std::string& pipe) {
  for (Part& part : std::get<std::vector<Part>>(upload.body)) {
    if (auto* file = std::get_if<FileSource>(&part.content)) file->path = pipe;
  }
  m_session.notices().note(fmt::format(
      "{} is a pipe, which was read to show this; the upload reads it again", quote_path(pipe)));
}

Result<void> Attachments::plan_uploads(request::Plan& plan, request::Request& request) {
  for (std::size_t i = 0; i < m_found.size(); ++i) {
    const File& file = m_found[i];
    if (file.inlined) continue;
    SVC_TRY(upload, upload_request(file));
    if (!file.pipe.empty()) name_pipe(upload, file.pipe);
    plan.steps.push_back(
        {.request = std::move(upload), .purpose = fmt::format("Upload {}.", file.name)});
    plan_result(plan, request, file.placeholder, variable_of(i), ".id");
  }
  return {};
}

Result<void> Attachments::plan_removals(request::Plan& plan) {
  if (m_keep || m_outlive) return {};
  for (std::size_t i = 0; i < m_found.size(); ++i) {
    const File& file = m_found[i];
    if (file.inlined) continue;
    SVC_TRY(request, removal_request(file.placeholder));
    request::put_variable(request, file.placeholder, variable_of(i));
    plan.steps.push_back(
        {.request = std::move(request), .purpose = fmt::format("Delete {}.", file.name)});
  }
  return {};
}

Result<request::Request> Attachments::upload_request(const File& file) {
  const Operation* upload = find_operation("files", "upload");
  request::Inputs inputs;
  inputs.given.push_back({find_field(*upload, AttachmentFlags::k_name<"file">), file.path});
  SVC_TRY(request, prepare(m_session, *upload, inputs));
  auto& parts = std::get<std::vector<Part>>(request.body);
  for (Part& part : parts) {
    if (!std::holds_alternative<FileSource>(part.content)) continue;
    part.file_name = file.name;
    part.content_type = file.type;
  }
  // The expiry is sent before the file: the service reads the form in order.
  if (!m_keep) {
    const sv life = m_outlive ? k_stored_file_lifetime : k_file_lifetime;
    parts.insert(parts.begin(), Part{.name = "expires_after", .content = std::string(life)});
  }
  return std::move(request);
}

void Attachments::warn_of_lost(const File& file, const Error& error) {
  const Fault fault = error.fault;
  if (!is_cancellation(fault) && fault != Fault::UnknownOutcome) return;
  m_session.notices().note(fmt::format("{} may have been uploaded{}: check `svc files list`",
                                       file.name,
                                       m_keep      ? ""
                                       : m_outlive ? ", and expires automatically"
                                                   : ", and expires within a day"));
}

void Attachments::note_stored(const File& file) {
  if (m_keep) {
    m_session.notices().note(fmt::format("{} is stored as {}", file.name, file.id));
  } else if (m_outlive) {
    m_session.notices().note(
        fmt::format("{} is stored on the service as {} for 30 days for this conversation; run `svc "
                    "files delete {}` to remove it",
                    file.name, file.id, file.id));
  }
}

Result<request::Inputs> Attachments::upload(const request::Inputs& inputs,
                                            const CancelToken& cancel) {
  request::Inputs changed = inputs;
  SVC_TRY(client, m_client(&cancel));
  client->on_upload([this](std::uint64_t sent, std::uint64_t total) {
    m_session.progress().update(sent, total);
  });
  for (File& file : m_found) {
    if (file.inlined) {
      attach(file, changed.given[file.place]);
      continue;
    }
    SVC_TRY(request, upload_request(file));
    SVC_CHECK(complete_address(m_session, request));
    m_session.progress().start(fmt::format("Uploading {}", shown(file.name)),
                               print::ProgressUnit::Bytes, file.size);
    const auto reply = client->call(request);
    m_session.progress().finish();
    if (!reply) {
      warn_of_lost(file, reply.error());
      return reply.error();
    }
    file.id = text_member(parse_reply(reply->body), "id");
    if (file.id.empty()) return Error{Fault::Network, "the upload response has no file ID"};
    changed.given[file.place].text = file.id;
    m_uploaded.push_back(file);
    client->on_upload({});
    note_stored(file);
  }
  return changed;
}

Result<request::Request> Attachments::removal_request(const std::string& id) {
  const Operation* remove = find_operation("files", "delete");
  request::Inputs inputs;
  inputs.given.push_back(
      {find_field(*remove, Flags<catalogue::files::k_ids_fields>::k_name<"file-id">), id});
  return prepare(m_session, *remove, inputs);
}

Result<void> Attachments::remove(const std::string& id) {
  SVC_TRY(request, removal_request(id));
  // Not canceled by Ctrl-C: the uploaded file is deleted all the same.
  static const NeverCanceled never;
  SVC_TRY(client, m_client(&never));
  SVC_CHECK(complete_address(m_session, request));
  const auto reply = client->call(request);
  return reply ? Result<void>() : reply.error();
}

}  // namespace svc::cli
