#include "emulator/api/media/source.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/api/files/store.h"
#include "emulator/api/media/fetch.h"
#include "emulator/api/media/store.h"
#include "emulator/handler/handler.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::media {
namespace {

using text::get_string;
using text::Json;

constexpr sv k_base64_mark = ";base64,";

// Returns "image/png" for "data:image/png;base64,…".
std::string declared_type(sv url) {
  if (!url.starts_with("data:")) return {};
  return to_lower(url.substr(5, url.find_first_of(";,") - 5));
}

Result<std::string> read_data_url(sv url) {
  const std::size_t mark = url.find(k_base64_mark);
  auto bytes =
      mark == sv::npos ? std::nullopt : base64_decode(url.substr(mark + k_base64_mark.size()));
  if (!bytes || bytes->empty()) {
    return usage_error("The data URL is not well-formed: data:TYPE;base64,DATA was expected.");
  }
  return *std::move(bytes);
}

Result<std::string> read_stored(const MediaContext& context, const std::string& id) {
  SVC_TRY(content, read_file(*context.state, context.team_id, id));
  if (content) return std::move(content->data);
  SVC_TRY(file, find_file(*context.state, context.team_id, id));
  if (file) return usage_error(fmt::format("File {} is not fully uploaded.", id));
  return Error{Fault::NotFound, fmt::format("File with id={} not found", excerpt(id, 80))};
}

// Returns what follows `path` in a URL of the emulator itself; nothing for any other.
std::optional<sv> own_path(sv address, sv path, sv url) {
  if (address.empty() || !url.starts_with(address)) return std::nullopt;
  url.remove_prefix(address.size());
  return url.starts_with(path) ? std::optional(url.substr(path.size())) : std::nullopt;
}

// The emulator's own URLs are looked up directly: a request to itself could deadlock.
Result<std::string> read_url(const MediaContext& context, const std::string& url) {
  if (const auto name = own_path(context.address, k_media_path, url)) {
    SVC_TRY(media, find_media(*context.state, name->substr(0, name->find_first_of("?#"))));
    if (media) return std::move(media->data);
    return Error{Fault::Network, "No such media, or its URL has expired."};
  }
  if (const auto token = own_path(context.address, "/public/files/", url)) {
    SVC_TRY(content, read_public_file(*context.state, token->substr(0, token->find('/'))));
    if (content) return std::move(content->data);
    return Error{Fault::Network, "No file has that public URL, or it has expired."};
  }
  return fetch(url);
}

sv format_name(sv type) {
  if (type == "image/jpeg" || type == "image/jpg") return "JPEG";
  if (type == "image/png") return "PNG";
  return type == "image/webp" ? "WebP" : sv{};
}

constexpr const char* k_argument_code = "Client specified an invalid argument";

SourceError to_source_error(const Error& error, const Json& source) {
  SourceError source_error{400, k_argument_code, error.message, is_remote(source)};
  if (error.fault == Fault::NotFound) {
    source_error.status = 404;
    source_error.code = "Some requested entity was not found";
  } else if (error.fault != Fault::Usage && error.fault != Fault::Network) {
    source_error.status = 500;
    source_error.code = "Internal error";
  }
  return source_error;
}

// Returns `url` or its alias; "" if both are absent.
std::string source_url(const Json& source) {
  const Json* alias = text::member(source, "image_url");
  const std::string other = alias != nullptr && alias->is_object()
                                ? get_string(*alias, "url")
                                : get_string(source, "image_url");
  return get_string(source, "url", other);
}

Result<std::string> load(const MediaContext& context, const Json& source) {
  if (const std::string id = get_string(source, "file_id"); !id.empty()) {
    return read_stored(context, id);
  }
  const std::string url = source_url(source);
  return url.starts_with("data:") ? read_data_url(url) : read_url(context, url);
}

}  // namespace

MediaContext MediaContext::of(const Request& request) {
  return {request.state, request.key.team_id, base_url(request)};
}

bool is_remote(const Json& source) {
  const std::string url = to_lower(source_url(source));
  return url.starts_with("http://") || url.starts_with("https://");
}

std::optional<Response> check_source(const Request& request, const Json& source,
                                     std::span<const text::Step> path) {
  const bool has_url = !source_url(source).empty();
  const bool has_file = !get_string(source, "file_id").empty();
  if (has_url && has_file) {
    return invalid_argument_error(
        fmt::format("{}: url and file_id exclude each other.", text::describe_path(path)));
  }
  if (has_url || has_file) return std::nullopt;
  const auto position = text::locate(request.body, path);
  return schema_mismatch_error(text::describe_path(path),
                               "missing field `url`: give url or file_id", position.line,
                               position.column);
}

std::optional<SourceError> load_bytes(const MediaContext& context, const Json& source, sv kind,
                                      std::string& bytes) {
  const std::string declared = declared_type(source_url(source));
  if (!declared.empty() && !declared.starts_with(kind)) {
    return SourceError{400, k_argument_code,
                       fmt::format("The data URL holds {}, not {}.", shown(declared),
                                   kind == "image" ? "an image" : "a video")};
  }
  auto loaded = load(context, source);
  if (!loaded) return to_source_error(loaded.error(), source);
  bytes = *std::move(loaded);
  return std::nullopt;
}

std::optional<SourceError> load_image(const MediaContext& context, const Json& source,
                                      Image& image) {
  const std::string declared = declared_type(source_url(source));
  const sv format = format_name(declared);
  const auto invalid = [&](std::string message) {
    return SourceError{400, "invalid_image", std::move(message), is_remote(source)};
  };
  if (!declared.empty() && format.empty()) {
    return invalid(fmt::format("Unsupported image type {}: only JPEG, PNG and WebP are supported.",
                               shown(declared)));
  }
  std::string bytes;
  if (auto source_error = load_bytes(context, source, "image", bytes)) return source_error;
  if (!format.empty() && format_name(image_type(bytes)) != format) {
    return invalid(fmt::format("Invalid {} image.", format));
  }
  auto decoded = decode_image(bytes);
  if (!decoded) return invalid(decoded.error().message);
  image = *std::move(decoded);
  return std::nullopt;
}

}  // namespace svc::emulator::media
