#include "emulator/api/media/store.h"

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/handler/ids.h"

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
