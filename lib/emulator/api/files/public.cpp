// Rows of files, and their public URLs.
#include <fmt/format.h>

#include "base/text.h"
#include "emulator/api/files/rows.h"
#include "emulator/handler/ids.h"

namespace svc::emulator {
namespace files {

StoredFile read_row(const Statement& row) {
  StoredFile file;
  file.id = row.text(0);
  file.filename = row.text(1);
  file.content_type = row.text(2);
  file.bytes = row.integer(3);
  file.created_at = row.integer(4);
  file.expires_at = row.optional_integer(5);
  file.purpose = row.text(6);
  file.upload_status = row.text(7);
  file.hash = row.text(8);
  file.public_token = row.text(9);
  file.public_expires_at = row.optional_integer(10);
  file.seq = row.integer(11);
  return file;
}

}  // namespace files

namespace {

// A URL that has expired by itself is as good as none.
constexpr std::string_view k_active =
    "public_token <> '' AND (public_expires_at IS NULL OR public_expires_at > ?)";

Result<void> set_public(State& state, std::string_view team_id, std::string_view id,
                        const std::string& token, std::optional<std::int64_t> expires_at) {
  return state.with([&](Database& database) -> Result<void> {
    SVC_TRY(changed, database.change("UPDATE files SET public_token = ?, public_expires_at = ?"
                                     " WHERE id = ? AND team_id = ?",
                                     token, expires_at, id, team_id));
    (void)changed;
    return {};
  });
}

}  // namespace

Result<std::optional<StoredFile>> publish_file(State& state, std::string_view team_id,
                                               std::string_view id,
                                               std::optional<std::int64_t> expires_after) {
  SVC_TRY(found, find_file(state, team_id, id));
  if (!found) return std::optional<StoredFile>{};
  const std::int64_t now_s = state.now_ms() / 1000;
  const bool lapsed = found->public_expires_at && *found->public_expires_at <= now_s;
  if (found->public_token.empty() || lapsed) {
    found->public_token = replace_all(new_uuid(), "-", "");
  }
  found->public_expires_at = std::nullopt;
  if (expires_after) found->public_expires_at = now_s + *expires_after;
  SVC_CHECK(set_public(state, team_id, id, found->public_token, found->public_expires_at));
  return std::move(found);
}

Result<std::optional<StoredFile>> unpublish_file(State& state, std::string_view team_id,
                                                 std::string_view id) {
  SVC_TRY(found, find_file(state, team_id, id));
  if (!found) return std::optional<StoredFile>{};
  found->public_token.clear();
  found->public_expires_at = std::nullopt;
  SVC_CHECK(set_public(state, team_id, id, {}, std::nullopt));
  return std::move(found);
}

Result<std::int64_t> count_public_files(State& state, std::string_view team_id) {
  return state.with([&](Database& database) -> Result<std::int64_t> {
    const std::int64_t now_s = state.now_ms() / 1000;
    SVC_TRY(row, database.query(fmt::format("SELECT count(*) FROM files WHERE team_id = ? AND {}"
                                            " AND {}",
                                            files::k_visible, k_active),
                                team_id, now_s, now_s));
    SVC_TRY(found, row.step());
    return found ? row.integer(0) : 0;
  });
}

Result<std::optional<FileContent>> read_public_file(State& state, std::string_view token) {
  using Found = std::optional<std::pair<std::string, std::string>>;  // team and id
  const auto find = [&](Database& database) -> Result<Found> {
    SVC_TRY(row, database.query(fmt::format("SELECT team_id, id FROM files WHERE public_token = ?"
                                            " AND {}",
                                            k_active),
                                token, state.now_ms() / 1000));
    SVC_TRY(found, row.step());
    if (!found) return Found{};
    return Found({row.text(0), row.text(1)});
  };
  if (token.empty()) return std::optional<FileContent>{};
  SVC_TRY(found, state.with(find));
  if (!found) return std::optional<FileContent>{};
  return read_file(state, found->first, found->second);
}

}  // namespace svc::emulator
