#include "emulator/api/media/store.h"

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/handler/ids.h"
#include "emulator/handler/routes.h"
#include "emulator/handler/serve_bytes.h"

namespace svc::emulator::media {
namespace {

constexpr std::string_view k_path = "/_media/";

std::string_view extension_of(std::string_view content_type) {
  return content_type.substr(content_type.find('/') + 1);
}

}  // namespace

Result<std::string> keep_media(State& state, std::string_view content_type, std::string_view data) {
  const std::string name = fmt::format("{}.{}", new_uuid(), extension_of(content_type));
  const std::int64_t now_s = state.now_ms() / 1000;
  SVC_CHECK(state.change([&](Database& database) -> Result<void> {
    SVC_TRY(dropped, database.change("DELETE FROM media WHERE expires_at <= ?", now_s));
    (void)dropped;
    SVC_TRY(added, database.change("INSERT INTO media (name, content_type, created_at, expires_at,"
                                   " data) VALUES (?,?,?,?,?)",
                                   name, content_type, now_s, now_s + k_url_life_s, Blob{data}));
    (void)added;
    return {};
  }));
  return name;
}

Result<std::optional<StoredMedia>> find_media(State& state, std::string_view name) {
  return state.with([&](Database& database) -> Result<std::optional<StoredMedia>> {
    SVC_TRY(row, database.query("SELECT content_type, data, created_at FROM media"
                                " WHERE name = ? AND expires_at > ?",
                                name, state.now_ms() / 1000));
    SVC_TRY(found, row.step());
    if (!found) return std::optional<StoredMedia>{};
    return std::optional(StoredMedia{row.text(0), row.bytes(1), row.integer(2)});
  });
}

std::string media_url(std::string_view address, std::string_view name) {
  return fmt::format("{}{}{}", address, k_path, name);
}

std::optional<std::string> media_name(std::string_view address, std::string_view url) {
  if (address.empty() || !url.starts_with(address)) return std::nullopt;
  url.remove_prefix(address.size());
  if (!url.starts_with(k_path)) return std::nullopt;
  url.remove_prefix(k_path.size());
  return std::string(url.substr(0, url.find_first_of("?#")));
}

}  // namespace svc::emulator::media

namespace svc::emulator {
namespace media {
namespace {

Answer plain(int status, std::string text) {
  Answer answer;
  answer.status = status;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = std::move(text);
  return answer;
}

Answer serve_media(const Call& call) {
  if (call.header("Authorization")) {
    return plain(403,
                 "The media host takes no Authorization header: an API key does not belong "
                 "here.\n");
  }
  const std::string& name = call.params.at("name");
  auto found = find_media(*call.state, name);
  if (!found) return refuse_internal(found.error());
  if (!*found) return plain(404, "No such media, or its URL has expired.\n");
  StoredMedia& media = **found;
  const std::string etag = fmt::format("\"{}\"", name.substr(0, name.find('.')));
  Answer answer = serve_bytes(call, std::move(media.data), std::move(media.content_type), etag,
                              media.created_at);
  answer.headers.push_back({"Cache-Control", fmt::format("public, max-age={}", k_url_life_s)});
  return answer;
}

}  // namespace
}  // namespace media

std::vector<Route> media_routes() {
  return {{.method = "GET",
           .path = "/_media/{name}",
           .handler = media::serve_media,
           .input = Input::Free,
           .key = KeyNeed::None}};
}

}  // namespace svc::emulator
