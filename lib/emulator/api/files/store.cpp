#include "emulator/api/files/store.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"

namespace svc::emulator {
namespace {

constexpr Table k_files(
    "files",
    "seq, id, team_id, filename, content_type, bytes, created_at, expires_at, purpose,"
    " upload_status, hash, public_token, public_expires_at",
    &StoredFile::seq, &StoredFile::id, &StoredFile::team_id, &StoredFile::filename,
    &StoredFile::content_type, &StoredFile::bytes, &StoredFile::created_at, &StoredFile::expires_at,
    &StoredFile::purpose, &StoredFile::upload_status, &StoredFile::hash, &StoredFile::public_token,
    &StoredFile::public_expires_at);

// Not expired; the parameter is the time in Unix seconds.
constexpr sv k_visible = "(expires_at IS NULL OR expires_at > ?)";

Result<void> drop_bytes(Database& database, sv id) {
  return run_sql(database, "DELETE FROM file_chunks WHERE file_id = ?", id);
}

Result<void> add_bytes(Database& database, sv id, sv data) {
  return run_sql(database, "INSERT INTO file_chunks (file_id, data) VALUES (?,?)", id, Blob{data});
}

// Every store operation also removes expired files.
Result<void> drop_expired(Database& database, std::int64_t now_s) {
  SVC_CHECK(
      database.change("DELETE FROM file_chunks WHERE file_id IN"
                      " (SELECT id FROM files WHERE expires_at <= ?)",
                      now_s));
  return run_sql(database, "DELETE FROM files WHERE expires_at <= ?", now_s);
}

std::string new_token(State& state) {
  return replace_all(state.new_uuid(), "-", "");
}

StoredFile make_file(State& state, sv team_id, const NewFile& given, std::int64_t now_s) {
  StoredFile file;
  file.id = "file_" + state.new_uuid();
  file.team_id = team_id;
  file.filename = given.filename;
  file.content_type = given.content_type.empty() ? std::string(guess_content_type(given.filename))
                                                 : given.content_type;
  file.bytes = static_cast<std::int64_t>(given.data.size());
  file.created_at = now_s;
  if (given.expires_after) file.expires_at = now_s + *given.expires_after;
  file.purpose = given.purpose;
  if (given.public_url) file.public_token = new_token(state);
  if (given.public_expires_after) file.public_expires_at = now_s + *given.public_expires_after;
  return file;
}

Result<std::optional<StoredFile>> find_row(Database& database, sv team_id, sv id,
                                           std::int64_t now_s) {
  return k_files.first(database, fmt::format("WHERE id = ? AND team_id = ? AND {}", k_visible), id,
                       team_id, now_s);
}

Result<std::string> read_bytes(Database& database, const StoredFile& file) {
  std::string data;
  data.reserve(static_cast<std::size_t>(file.bytes));
  SVC_TRY(row,
          database.query("SELECT data FROM file_chunks WHERE file_id = ? ORDER BY seq", file.id));
  for (;;) {
    SVC_TRY(found, row.step());
    if (!found) return data;
    data += row.bytes(0);
  }
}

// A chunked upload is complete once the file is requested; more chunks reopen it.
Result<void> complete_upload(Database& database, StoredFile& file) {
  if (file.upload_status != k_upload_uploading) return {};
  SVC_TRY(data, read_bytes(database, file));
  file.hash = sha256(data);
  file.upload_status = k_upload_complete;
  return run_sql(database, "UPDATE files SET upload_status = ?, hash = ? WHERE id = ?",
                 file.upload_status, file.hash, file.id);
}

Result<std::optional<StoredFile>> find_complete(Database& database, sv team_id, sv id,
                                                std::int64_t now_s) {
  SVC_TRY(found, find_row(database, team_id, id, now_s));
  if (found) SVC_CHECK(complete_upload(database, *found));
  return found;
}

// Stores the file as `work(database, file)` changes it; returns nothing if it does not exist.
template <typename Work>
Result<std::optional<StoredFile>> change_file(State& state, sv team_id, sv id, const Work& work) {
  return state.change([&](Database& database) -> Result<std::optional<StoredFile>> {
    SVC_TRY(found, find_row(database, team_id, id, state.now_ms() / 1000));
    if (!found) return std::optional<StoredFile>{};
    SVC_CHECK(work(database, *found));
    SVC_CHECK(k_files.replace(database, *found));
    return std::move(found);
  });
}

// An expired URL counts as none.
constexpr sv k_active =
    "public_token <> '' AND (public_expires_at IS NULL OR public_expires_at > ?)";

}  // namespace

Result<StoredFile> store_file(State& state, sv team_id, const NewFile& given) {
  const std::int64_t now_s = state.now_ms() / 1000;
  StoredFile file = make_file(state, team_id, given, now_s);
  file.hash = sha256(given.data);
  return state.change([&](Database& database) -> Result<StoredFile> {
    SVC_CHECK(drop_expired(database, now_s));
    SVC_CHECK(k_files.insert(database, file));
    SVC_CHECK(add_bytes(database, file.id, given.data));
    return file;
  });
}

Result<std::optional<StoredFile>> find_file(State& state, sv team_id, sv id) {
  return state.with([&](Database& database) {
    return find_complete(database, team_id, id, state.now_ms() / 1000);
  });
}

Result<std::optional<FileContent>> read_file(State& state, sv team_id, sv id) {
  return state.with([&](Database& database) -> Result<std::optional<FileContent>> {
    SVC_TRY(found, find_complete(database, team_id, id, state.now_ms() / 1000));
    if (!found || !found->complete()) return std::optional<FileContent>{};
    SVC_TRY(data, read_bytes(database, *found));
    return std::optional(FileContent{std::move(*found), std::move(data)});
  });
}

Result<bool> delete_file(State& state, sv team_id, sv id) {
  return state.change([&](Database& database) -> Result<bool> {
    SVC_TRY(found, find_row(database, team_id, id, state.now_ms() / 1000));
    if (!found) return false;
    SVC_CHECK(drop_bytes(database, id));
    SVC_CHECK(database.change("DELETE FROM files WHERE id = ?", id));
    return true;
  });
}

Result<StoredFile> begin_upload(State& state, sv team_id, const NewFile& given) {
  StoredFile file = make_file(state, team_id, given, state.now_ms() / 1000);
  file.upload_status = k_upload_initializing;
  return state.with([&](Database& database) -> Result<StoredFile> {
    SVC_CHECK(k_files.insert(database, file));
    return file;
  });
}

Result<std::optional<StoredFile>> append_chunk(State& state, sv team_id, sv id, sv chunk,
                                               std::int64_t limit) {
  return change_file(state, team_id, id, [&](Database& database, StoredFile& file) -> Result<void> {
    if (file.bytes > limit) return usage_error("The file is too large.");
    file.bytes += static_cast<std::int64_t>(chunk.size());
    file.upload_status = k_upload_uploading;
    file.hash.clear();
    return add_bytes(database, file.id, chunk);
  });
}

Result<std::optional<StoredFile>> update_file(State& state, sv team_id, sv id,
                                              const FileChange& change) {
  const auto work = [&](Database& database, StoredFile& file) -> Result<void> {
    if (change.filename) file.filename = *change.filename;
    if (change.content_type) file.content_type = *change.content_type;
    if (!change.data) return {};
    file.hash = sha256(*change.data);
    file.bytes = static_cast<std::int64_t>(change.data->size());
    file.upload_status = k_upload_complete;
    SVC_CHECK(drop_bytes(database, file.id));
    return add_bytes(database, file.id, *change.data);
  };
  return change_file(state, team_id, id, work);
}

Result<std::vector<StoredFile>> all_files(State& state, sv team_id) {
  return state.with([&](Database& database) {
    return k_files.all(database, fmt::format("WHERE team_id = ? AND {} ORDER BY seq", k_visible),
                       team_id, state.now_ms() / 1000);
  });
}

Result<std::optional<StoredFile>> publish_file(State& state, sv team_id, sv id,
                                               std::optional<std::int64_t> expires_after) {
  return change_file(state, team_id, id, [&](Database& database, StoredFile& file) -> Result<void> {
    SVC_CHECK(complete_upload(database, file));
    const std::int64_t now_s = state.now_ms() / 1000;
    if (!file.is_public(now_s)) file.public_token = new_token(state);
    file.public_expires_at = std::nullopt;
    if (expires_after) file.public_expires_at = now_s + *expires_after;
    return {};
  });
}

Result<std::optional<StoredFile>> unpublish_file(State& state, sv team_id, sv id) {
  return change_file(state, team_id, id, [](Database& database, StoredFile& file) -> Result<void> {
    SVC_CHECK(complete_upload(database, file));
    file.public_token.clear();
    file.public_expires_at = std::nullopt;
    return {};
  });
}

Result<std::int64_t> count_public_files(State& state, sv team_id) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.with([&](Database& database) {
    return first_value<std::int64_t>(
        database,
        fmt::format("SELECT count(*) FROM files WHERE team_id = ? AND {} AND {}", k_visible,
                    k_active),
        team_id, now_s, now_s);
  });
}

Result<std::optional<FileContent>> read_public_file(State& state, sv token) {
  SVC_TRY(found, state.with([&](Database& database) {
    return k_files.first(database, fmt::format("WHERE public_token = ? AND {}", k_active), token,
                         state.now_ms() / 1000);
  }));
  if (!found) return std::optional<FileContent>{};
  return read_file(state, found->team_id, found->id);
}

using text::Json;

Json file_object(const StoredFile& file, const std::string& address, std::int64_t now_s) {
  Json object = {{"id", file.id},
                 {"object", "file"},
                 {"bytes", file.bytes},
                 {"created_at", file.created_at},
                 {"expires_at", text::or_null(file.expires_at)},
                 {"filename", file.filename},
                 {"purpose", file.purpose}};
  if (file.is_public(now_s)) {
    object["public_url"] = public_file_url(address, file.public_token, file.filename);
    if (file.public_expires_at) object["public_url_expires_at"] = *file.public_expires_at;
  }
  return object;
}

Json file_metadata(const StoredFile& file) {
  return {{"file_id", file.id},
          {"name", file.filename},
          {"size_bytes", std::to_string(file.bytes)},
          {"content_type", file.content_type},
          {"created_at", format_rfc3339(file.created_at)},
          {"expires_at", file.expires_at ? Json(format_rfc3339(*file.expires_at)) : Json(nullptr)},
          {"hash", file.hash},
          {"upload_status", file.upload_status},
          {"upload_error_message", ""},
          {"processing_status", file.complete() ? "Complete" : "Pending"},
          {"file_path", ""}};
}

sv guess_content_type(sv filename) {
  const auto dot = filename.rfind('.');
  const std::string ending = to_lower(filename.substr(dot == sv::npos ? filename.size() : dot + 1));
  for (const sv line : split(text::embedded_file("types.txt"), '\n')) {
    if (!ending.empty() && line.starts_with(ending + ' ')) return line.substr(ending.size() + 1);
  }
  return "application/octet-stream";
}

}  // namespace svc::emulator
