#include "emulator/api/media/store.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "database/rows.h"
#include "emulator/api/files/store.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/routes.h"

namespace svc::emulator::media {
namespace {

using text::Json;

constexpr std::int64_t k_max_storage_s = 2'592'000;
constexpr std::size_t k_max_name_length = 255;

std::string numbered(const std::string& name, std::size_t index) {
  if (index == 0) return name;
  const std::size_t dot = name.rfind('.');
  const std::size_t cut = dot == std::string::npos || dot == 0 ? name.size() : dot;
  return fmt::format("{}-{}{}", name.substr(0, cut), index + 1, name.substr(cut));
}

// Returns why a file cannot have that name, or "".
std::string check_name(sv name) {
  if (trim(name).empty() || name == "." || name == "..") return "a file needs a name";
  if (name.size() > k_max_name_length) return "the file name is longer than 255 bytes";
  for (const char c : name) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (c == '/' || c == '\\' || control) {
      return "the file name holds a slash, a backslash or a control character";
    }
  }
  return {};
}

Json describe(const MediaContext& context, const StoredFile& file) {
  Json output = {{"file_id", file.id},
                 {"filename", file.filename},
                 {"expires_at", text::or_null(file.expires_at)}};
  const std::string url = public_file_url(context.address, file.public_token, file.filename);
  if (url.empty()) return output;
  output["public_url"] = url;
  output["public_url_expires_at"] = text::or_null(file.public_expires_at);
  return output;
}

sv product_name(Product product) {
  return product == Product::Image ? "svc-imagine-image" : "svc-imagine-video";
}

std::string_view extension_of(std::string_view content_type) {
  return content_type.substr(content_type.find('/') + 1);
}

Response plain(int status, std::string text) {
  Response response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(text);
  return response;
}

Response serve_media(const Request& request) {
  if (request.header("Authorization")) {
    return plain(403,
                 "The media host takes no Authorization header: an API key does not belong "
                 "here.\n");
  }
  const std::string& name = request.params.at("name");
  SVC_TRY(found, found_or(find_media(*request.state, name),
                          plain(404, "No such media, or its URL has expired.\n")));
  StoredMedia& media = found;
  const std::string etag = fmt::format("\"{}\"", name.substr(0, name.find('.')));
  Response response = serve_bytes(request, std::move(media.data), std::move(media.content_type),
                                  etag, media.created_at);
  response.headers.push_back(
      {"Cache-Control", fmt::format("public, max-age={}", k_url_lifetime_s)});
  return response;
}

}  // namespace

Result<std::string> store_media(State& state, std::string_view content_type,
                                std::string_view data) {
  const std::string name = fmt::format("{}.{}", state.new_uuid(), extension_of(content_type));
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<std::string> {
    SVC_CHECK(database.change("DELETE FROM media WHERE expires_at <= ?", now_s));
    SVC_CHECK(
        database.change("INSERT INTO media (name, content_type, created_at, expires_at,"
                        " data) VALUES (?,?,?,?,?)",
                        name, content_type, now_s, now_s + k_url_lifetime_s, Blob{data}));
    return name;
  });
}

Result<std::optional<StoredMedia>> find_media(State& state, std::string_view name) {
  return state.with([&](Database& database) -> Result<std::optional<StoredMedia>> {
    return first_row(
        database,
        [](const Statement& row) {
          return StoredMedia{row.text(0), row.bytes(1), row.integer(2)};
        },
        "SELECT content_type, data, created_at FROM media"
        " WHERE name = ? AND expires_at > ?",
        name, state.now_ms() / 1000);
  });
}

std::string media_url(std::string_view address, std::string_view name) {
  return fmt::format("{}{}{}", address, k_media_path, name);
}

std::optional<Response> check_storage(const Json& body) {
  const Json* storage = text::member(body, "storage_options");
  if (storage == nullptr) return std::nullopt;
  const auto expires = text::get_integer(*storage, "expires_after");
  if (!expires || (*expires >= 1 && *expires <= k_max_storage_s)) return std::nullopt;
  return invalid_argument_error(
      fmt::format("Invalid value for storage_options.expires_after: {} is not between 1 and {}.",
                  *expires, k_max_storage_s));
}

void store_output(const MediaContext& context, const Json& body, std::string_view content_type,
                  std::string_view data, std::size_t index, Json& item) {
  const Json* storage = text::member(body, "storage_options");
  if (storage == nullptr) return;
  const std::string name = text::get_string(*storage, "filename");
  if (const std::string why = check_name(name); !why.empty()) {
    item["storage_error"] = fmt::format("The result was not stored: {}.", why);
    return;
  }
  NewFile file;
  file.filename = numbered(name, index);
  file.content_type = content_type;
  file.data = data;
  file.expires_after = text::get_integer(*storage, "expires_after");
  const Json* sharing = text::member(*storage, "public_url");
  if (sharing != nullptr) {
    file.public_url = sharing->is_object() || sharing->get<bool>();
    file.public_expires_after = text::get_integer(*sharing, "expires_after");
  }
  const auto stored = store_file(*context.state, context.team_id, file);
  if (!stored) {
    item["storage_error"] = fmt::format("The result was not stored: {}", stored.error().message);
    return;
  }
  item["file_output"] = describe(context, *stored);
}

Checked<const MediaModel*> pick_media_model(const Request& request, const Json& body,
                                            Product product) {
  const std::string name = text::get_string(body, "model", product_name(product));
  const MediaModel* model = find_media_model(product, name);
  if (model == nullptr) {
    return not_found_error(
        fmt::format("The model {} does not exist or your team {} does not have access to it.",
                    shown(name, 80), request.key.team_id));
  }
  if (!may_use_model(request.key, model->name)) return model_access_error(model->name);
  return model;
}

}  // namespace svc::emulator::media

namespace svc::emulator {

std::vector<Route> media_routes() {
  return {{.method = "GET",
           .path = "/_media/{name}",
           .handler = media::serve_media,
           .input = Input::Free,
           .key = KeyRequirement::None}};
}

}  // namespace svc::emulator
