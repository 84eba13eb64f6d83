// Images, videos, files and search.
#include "svc/media.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "catalogue/collections_answers.h"
#include "catalogue/files_answers.h"
#include "catalogue/files_fields.h"
#include "catalogue/images_answers.h"
#include "catalogue/videos_answers.h"
#include "client/download.h"
#include "client/list_items.h"
#include "client/resumable_upload.h"
#include "client/usage.h"
#include "json/document.h"
#include "request/form.h"
#include "request/media.h"
#include "svc/files.h"
#include "svc/impl/call.h"
#include "svc/impl/rows.h"
#include "svc/impl/usage.h"

namespace svc::v0 {
namespace {

namespace answer = catalogue::answer;
using UploadFlags = svc::Flags<catalogue::files::k_upload_fields>;

Usage usage_in_document(const std::string& document) {
  const auto usage = svc::read_usage(document);
  return usage ? usage_of(*usage) : Usage{};
}

// Images ------------------------------------------------------------------------------------------

Image image_of(const nlohmann::json& item) {
  const Row<answer::images::k_image_members> row(item);
  Image image{.url = row.text<"url">(),
              .mime_type = row.text<"mime_type">(),
              .revised_prompt = row.text<"revised_prompt">(),
              .blocked = row.is_false<"respect_moderation">()};
  image.bytes = base64_decode(row.text<"b64_json">()).value_or("");
  return image;
}

svc::Result<ImageAnswer> images_with(Call& call, const ImageRequest& from) {
  FlagList flags(from.flags);
  flags.add_text("prompt", from.prompt);
  flags.add_text("model", from.model);
  flags.add_all("image", from.images);
  flags.add_number("n", from.n);
  flags.add_text("aspect-ratio", from.aspect_ratio);
  flags.add_text("resolution", from.resolution);
  const Operation& operation = operation_of("images", from.images.empty() ? "generate" : "edit");
  SVC_TRY(submitted, call.run(operation, flags));
  SVC_TRY(reply, call.finish(operation, std::move(submitted)));
  const nlohmann::json document = parse_reply(reply.body);
  ImageAnswer made{.usage = usage_in_document(reply.body)};
  for (const auto& item : Row<answer::images::k_generated>(document).list<"data[]">()) {
    made.images.push_back(image_of(item));
  }
  made.json = std::move(reply.body);
  return made;
}

// Videos ------------------------------------------------------------------------------------------

Video video_of(const std::string& id, std::string body) {
  const nlohmann::json document = parse_reply(body);
  const Row<answer::videos::k_job> row(document);
  Video video{.id = id,
              .status = row.text<"status">(),
              .progress = static_cast<int>(row.integer<"progress">()),
              .url = row.text<"video.url">(),
              .duration = row.number<"video.duration">(),
              .blocked = row.is_false<"video.respect_moderation">(),
              .usage = usage_in_document(body)};
  video.json = std::move(body);
  return video;
}

svc::Result<std::string> start_video_with(Call& call, const VideoRequest& from) {
  FlagList flags(from.flags);
  flags.add_text("prompt", from.prompt);
  flags.add_text("model", from.model);
  flags.add_text("image", from.image);
  flags.add_number("duration", from.duration);
  flags.add_text("aspect-ratio", from.aspect_ratio);
  flags.add_text("resolution", from.resolution);
  const Operation& operation = operation_of("videos", "generate");
  SVC_TRY(reply, call.run(operation, flags));
  const auto id = submitted_job(operation, reply.body);
  if (!id) return svc::Error{svc::Fault::Network, "the service returned no ID of the video's job"};
  return *id;
}

svc::Result<Video> wait_video_with(Call& call, const std::string& id) {
  SVC_TRY(reply, call.wait(operation_of("videos", "wait"), id));
  return video_of(id, std::move(reply.body));
}

svc::Result<std::uint64_t> save_to(ApiClient& api, const http::HttpRequest& wire,
                                   const std::string& path, const DownloadOptions& options) {
  SVC_TRY(done, svc::download(api, wire,
                              {.path = path,
                               .replace = options.replace ? svc::Replace::Yes : svc::Replace::No},
                              {}));
  return done.bytes;
}

// Files -------------------------------------------------------------------------------------------

File file_of(std::string body) {
  const nlohmann::json document = parse_reply(body);
  const Row<answer::files::k_members> row(document);
  File file{.id = row.text<"id">(),
            .filename = row.text<"filename">(),
            .bytes = row.integer<"bytes">(),
            .created_at = row.integer<"created_at">(),
            .expires_at = row.integer<"expires_at">()};
  file.json = std::move(body);
  return file;
}

svc::Result<std::string> upload_chunked(Call& call, const std::string& path,
                                        const std::string& name, const std::string& type) {
  SVC_TRY(base, call.base_url(Host::Inference));
  SVC_TRY(api, call.client(Host::Inference));
  api->on_upload({});  // what is told is the progress of the file, not that of each request
  const auto progress = [&call](std::uint64_t sent, std::uint64_t total) {
    if (call.options().on_upload) call.tell([&] { call.options().on_upload(sent, total); });
  };
  return svc::upload_in_chunks(*api,
                               {.path = path,
                                .name = name,
                                .content_type = type,
                                .base_url = base,
                                .service = base,
                                .resumable = false},
                               progress, [](const std::string&) {});
}

svc::Result<File> upload_with(Call& call, const std::string& path, const UploadOptions& from) {
  std::error_code unknown;
  const std::string name =
      from.name.empty() ? std::filesystem::path(path).filename().string() : from.name;
  const std::string type =
      from.content_type.empty() ? request::file_type(path, name) : from.content_type;
  const auto size = std::filesystem::file_size(path, unknown);
  const bool large = !unknown && size > catalogue::files::k_max_at_once;
  if (large && size <= svc::k_max_chunked_upload && from.flags.empty()) {
    SVC_TRY(body, upload_chunked(call, path, name, type));
    const nlohmann::json document = parse_reply(body);
    const Row<answer::files::k_either> row(document);
    File file = file_of(std::move(body));
    if (file.id.empty()) file.id = row.text<"file_id">();
    if (file.filename.empty()) file.filename = row.text<"name">();
    if (file.bytes == 0) file.bytes = row.integer<"size_bytes">();
    return file;
  }
  FlagList flags(from.flags);
  flags.add("file", path);
  SVC_TRY(request, call.prepare(operation_of("files", "upload"), flags));
  for (Part& part : std::get<std::vector<Part>>(request.body)) {
    if (!std::holds_alternative<FileSource>(part.content)) continue;
    part.file_name = name;
    part.content_type = type;
  }
  SVC_TRY(reply, call.send(request));
  return file_of(std::move(reply.body));
}

svc::Result<std::uint64_t> download_with(Call& call, const std::string& id, const std::string& path,
                                         const DownloadOptions& options) {
  FlagList flags({});
  flags.add("file-id", id);
  SVC_TRY(request, call.prepare(operation_of("files", "download"), flags));
  SVC_TRY(api, call.client(request.operation->host));
  http::HttpRequest wire = api->to_http(request);
  // The key is not sent to the redirect's target.
  wire.redirects = http::Redirects::FollowWithoutCredentials;
  return save_to(*api, wire, path, options);
}

svc::Result<std::vector<Match>> search_with(Call& call, const SearchRequest& from) {
  FlagList flags(from.flags);
  flags.add("query", from.query);
  flags.add_all("collection", from.collections);
  flags.add_number("limit", from.limit);
  const Operation& operation = operation_of("collections", "search");
  SVC_TRY(reply, call.run(operation, flags));
  SVC_TRY(items, list_items(operation, reply.body, call.secrets()));
  std::vector<Match> matches;
  for (const sv item : items) {
    const nlohmann::json document = parse_reply(item);
    const Row<answer::collections::k_match_members> row(document);
    Match match{.text = row.text<"chunk_content">(),
                .score = row.number<"score">(),
                .file_id = row.text<"file_id">(),
                .chunk_id = row.text<"chunk_id">(),
                .page = row.integer<"page_number">(),
                .json = std::string(item)};
    for (const auto& id : row.list<"collection_ids[]">()) {
      match.collection_ids.push_back(plain_text(id));
    }
    matches.push_back(std::move(match));
  }
  return matches;
}

}  // namespace

Result<ImageAnswer> Client::images(const ImageRequest& request, const CallOptions& options) const {
  return run_call<ImageAnswer>(m_state, options,
                               [&](Call& call) { return images_with(call, request); });
}

Result<std::string> Client::start_video(const VideoRequest& request,
                                        const CallOptions& options) const {
  return run_call<std::string>(m_state, options,
                               [&](Call& call) { return start_video_with(call, request); });
}

Result<Video> Client::wait_video(const std::string& id, const CallOptions& options) const {
  return run_call<Video>(m_state, options, [&](Call& call) { return wait_video_with(call, id); });
}

Result<Video> Client::video(const VideoRequest& request, const CallOptions& options) const {
  return run_call<Video>(m_state, options, [&](Call& call) -> svc::Result<Video> {
    SVC_TRY(id, start_video_with(call, request));
    return wait_video_with(call, id);
  });
}

Result<std::uint64_t> Client::save(const std::string& url, const std::string& path,
                                   const DownloadOptions& download,
                                   const CallOptions& options) const {
  return run_call<std::uint64_t>(m_state, options, [&](Call& call) -> svc::Result<std::uint64_t> {
    SVC_TRY(base, call.base_url(Host::Inference));
    SVC_TRY(api, call.client(Host::Inference));
    SVC_TRY(wire, svc::media_request(url, base, api->policy()));
    return save_to(*api, wire, path, download);
  });
}

Result<File> Client::upload(const std::string& path, const UploadOptions& upload,
                            const CallOptions& options) const {
  return run_call<File>(m_state, options,
                        [&](Call& call) { return upload_with(call, path, upload); });
}

Result<File> Client::file(const std::string& id, const CallOptions& options) const {
  return run_call<File>(m_state, options, [&](Call& call) -> svc::Result<File> {
    FlagList flags({});
    flags.add("file-id", id);
    SVC_TRY(reply, call.run(operation_of("files", "get"), flags));
    return file_of(std::move(reply.body));
  });
}

Result<std::vector<File>> Client::files(std::size_t limit, const CallOptions& options) const {
  return run_call<std::vector<File>>(
      m_state, options, [&](Call& call) -> svc::Result<std::vector<File>> {
        std::vector<File> all;
        if (limit == 0) return all;
        SVC_CHECK(list_by_name(call, "files list", {{"limit", std::to_string(limit)}},
                               [&all](std::string_view json) {
                                 all.push_back(file_of(std::string(json)));
                                 return true;
                               }));
        return all;
      });
}

Result<std::uint64_t> Client::download(const std::string& id, const std::string& path,
                                       const DownloadOptions& download,
                                       const CallOptions& options) const {
  return run_call<std::uint64_t>(
      m_state, options, [&](Call& call) { return download_with(call, id, path, download); });
}

Result<void> Client::delete_file(const std::string& id, const CallOptions& options) const {
  return run_call<void>(m_state, options, [&](Call& call) -> svc::Result<void> {
    FlagList flags({});
    flags.add("file-id", id);
    SVC_CHECK(call.run(operation_of("files", "delete"), flags));
    return {};
  });
}

Result<std::vector<Match>> Client::search(const SearchRequest& request,
                                          const CallOptions& options) const {
  return run_call<std::vector<Match>>(m_state, options,
                                      [&](Call& call) { return search_with(call, request); });
}

}  // namespace svc::v0
