// The operations on files.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/api/files/extract.h"
#include "emulator/api/files/multipart.h"
#include "emulator/api/files/store.h"
#include "emulator/api/filter/filter.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/routes.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/state/seal.h"

namespace svc::emulator::files {
namespace {

constexpr std::int64_t k_max_chunked_file = 512'000'000;
constexpr std::int64_t k_least_expiry = 3'600;
constexpr std::int64_t k_most_expiry = 2'592'000;
constexpr std::size_t k_longest_name = 255;

std::optional<std::string> name_fault(std::string_view name) {
  if (name.empty()) return "The file name is empty.";
  if (name.size() > k_longest_name) {
    return fmt::format("The file name is longer than {} bytes.", k_longest_name);
  }
  if (first_invalid_utf8(name) || name.find('\0') != std::string_view::npos) {
    return "The file name is not UTF-8 text.";
  }
  return std::nullopt;
}

std::optional<std::string> expiry_fault(std::int64_t seconds) {
  if (seconds >= k_least_expiry && seconds <= k_most_expiry) return std::nullopt;
  return fmt::format("expires_after must be between {} and {} seconds, not {}.", k_least_expiry,
                     k_most_expiry, seconds);
}

using text::Json;
using text::text_of;

Json object_of(const Call& call, const StoredFile& file) {
  return file_object(file, own_address(call), call.state->now_ms() / 1000);
}

Answer refuse_file(std::string_view id) {
  return refuse_missing(fmt::format("File with id={} not found", excerpt(id, 80)));
}

Answer refuse_file_size(std::uint64_t limit) {
  return refuse(413, "Payload too large",
                fmt::format("The file is larger than {}.", format_bytes(limit)));
}

// Reads the form, field by field.
Checked<NewFile> read_form(const Call& call, const std::vector<FormPart>& parts) {
  NewFile file;
  bool has_file = false;
  bool anchored = false;
  for (const FormPart& part : parts) {
    if (part.name == "file") {
      if (has_file) return refuse_argument("The form has more than one part named file.");
      if (!part.filename) return refuse_argument("The file part of the form has no filename.");
      if (const auto fault = name_fault(*part.filename)) return refuse_argument(*fault);
      if (part.data.size() > k_max_file) return refuse_file_size(k_max_file);
      has_file = true;
      file.filename = *part.filename;
      file.data = part.data;
      // A form's default type says nothing about the file.
      if (part.content_type != "application/octet-stream") file.content_type = part.content_type;
    } else if (part.name == "purpose") {
      file.purpose = part.data;
    } else if (part.name == "team_id" && part.data != call.key.team_id) {
      return refuse_permission("team_id is not the team of this API key.");
    } else if (part.name.starts_with("expires_after") && has_file) {
      return refuse_argument("expires_after must come before the file part of the form.");
    } else if (part.name == "expires_after[anchor]") {
      anchored = true;
      if (part.data != "created_at") {
        return refuse_argument("expires_after[anchor] must be created_at.");
      }
    } else if (part.name == "expires_after" || part.name == "expires_after[seconds]") {
      file.expires_after = parse_integer(trim(part.data));
      if (!file.expires_after) {
        return refuse_argument(part.name + " must be a whole number of seconds.");
      }
      if (const auto fault = expiry_fault(*file.expires_after)) return refuse_argument(*fault);
    }
  }
  if (!has_file) return refuse_argument("The form has no part named file.");
  if (anchored && !file.expires_after) {
    return refuse_argument("expires_after[anchor] needs expires_after[seconds].");
  }
  return file;
}

Answer upload(const Call& call) {
  const auto boundary = form_boundary(call.header("Content-Type").value_or(""));
  if (!boundary) {
    return refuse(
        415, "Unsupported media type",
        "This operation takes a form: Content-Type: multipart/form-data with a boundary.");
  }
  const auto parts = parse_form(call.body, *boundary);
  if (!parts) return refuse_argument(parts.error().message);
  SVC_TRY(file, read_form(call, *parts));
  SVC_TRY(stored, checked(store_file(*call.state, call.key.team_id, file)));
  return json_answer(object_of(call, stored));
}

constexpr std::int64_t k_most_public = 1'000;

// The body of an update is not documented; these are the fields of the most similar operation, with
// the file object's own field for the name.
const text::Types k_file_types(R"(
initialize = {name!, content_type!}
chunk = {file_id!, chunk!}
update = {name, filename, content_type, data}
public = {expires_after: integer}
)");

const std::string& id_of(const Call& call) {
  return call.params.at("file_id");
}

// Returns the file as a response, or the refusal.
template <typename Show>
Answer show(const Call& call, const Result<std::optional<StoredFile>>& found, const Show& as_json) {
  if (!found) return refuse_internal(found.error());
  if (!*found) return refuse_file(id_of(call));
  return json_answer(as_json(**found));
}

// Returns the requested text, or why there is none.
Answer text_answer(const FileContent& content) {
  auto text = extract_text(content.file.content_type, content.data);
  if (!text) return refuse_argument(text.error().message);
  Answer answer;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = *std::move(text);
  return answer;
}

Answer bytes_answer(const Call& call, FileContent content, std::string type) {
  const std::string etag = fmt::format("\"{}\"", content.file.hash);
  return serve_bytes(call, std::move(content.data), std::move(type), etag, content.file.created_at);
}

std::optional<std::string> change_fault(const FileChange& change) {
  if (!change.filename && !change.content_type && !change.data) {
    return "Nothing to update: give name, content_type or data.";
  }
  return change.filename ? name_fault(*change.filename) : std::nullopt;
}

using filter::Filter;
using filter::Match;

constexpr std::int64_t k_most = 100;  // larger limits are reduced

constexpr std::array k_fields = {
    filter::Field{"name", Match::Fuzzy},           filter::Field{"file_name", Match::Fuzzy},
    filter::Field{"file_id", Match::Exact},        filter::Field{"size_bytes", Match::Integer},
    filter::Field{"content_type", Match::Part},    filter::Field{"created_at", Match::Time},
    filter::Field{"expires_at", Match::Time},      filter::Field{"upload_status", Match::Exact},
    filter::Field{"user_defined_id", Match::Exact}};

filter::Value value_of(const StoredFile& file, sv field) {
  if (field == "name" || field == "file_name") return file.filename;
  if (field == "file_id") return file.id;
  if (field == "size_bytes") return file.bytes;
  if (field == "content_type") return file.content_type;
  if (field == "created_at") return file.created_at;
  if (field == "upload_status") return file.upload_status;
  if (field == "expires_at" && file.expires_at) return *file.expires_at;
  return {};  // user_defined_id: no operation sets one
}

/// The sort key. `seq` makes the order total: files are numbered as they are created.
struct Place {
  std::string text{};
  std::int64_t number = 0;
  std::int64_t seq = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Wish {
  std::size_t limit = 0;
  bool descending = true;  // the default in the REST specification
  std::string sort_by{"created_at"};
  std::string token{};
  std::optional<Place> after{};
  std::optional<Filter> filter{};

  [[nodiscard]] std::string token_kind() const {
    return fmt::format("files by {} {}", sort_by, descending ? "desc" : "asc");
  }
};

Place place_of(const StoredFile& file, const std::string& sort_by) {
  if (sort_by == "filename") return {file.filename, 0, file.seq};
  return {{}, sort_by == "size" ? file.bytes : file.created_at, file.seq};
}

std::optional<std::string> read_wish(const Call& call, Wish& wish) {
  const auto limit = parse_integer(call.query_value("limit").value_or(std::to_string(k_most)));
  if (!limit || *limit < 1) return "Invalid value for limit: it must be a whole number above 0.";
  wish.limit = static_cast<std::size_t>(std::min(*limit, k_most));
  const std::string order = call.query_value("order").value_or("desc");
  if (order != "asc" && order != "desc") return "Invalid value for order: it must be asc or desc.";
  wish.descending = order == "desc";
  wish.sort_by = call.query_value("sort_by").value_or("created_at");
  if (wish.sort_by != "created_at" && wish.sort_by != "filename" && wish.sort_by != "size") {
    return "Invalid value for sort_by: it must be created_at, filename or size.";
  }
  wish.token = call.query_value("pagination_token").value_or("");
  if (!wish.token.empty()) {
    const auto values = read_page_token(wish.token_kind(), wish.token, 3);
    if (!values) {
      return "Invalid pagination_token: it is not one of a list with this order and sort_by.";
    }
    const auto number = parse_integer((*values)[1]);
    const auto seq = parse_integer((*values)[2]);
    if (number && seq) wish.after = Place{(*values)[0], *number, *seq};
  }
  auto parsed = Filter::parse(call.query_value("filter").value_or(""), k_fields);
  if (!parsed) return parsed.error().message;
  wish.filter = std::move(*parsed);
  return std::nullopt;
}

struct Entry {
  Place place{};
  StoredFile file{};
};

// Returns at most `limit` matching files after the token, in order.
Result<std::vector<Entry>> find_page(const Call& call, const Wish& wish) {
  const auto before = [&](const Place& a, const Place& b) {
    return wish.descending ? b < a : a < b;
  };
  SVC_TRY(files, all_files(*call.state, call.key.team_id));
  std::vector<Entry> entries;
  for (StoredFile& file : files) {
    Place place = place_of(file, wish.sort_by);
    const auto lookup = [&](sv field) { return value_of(file, field); };
    const bool later = !wish.after || before(*wish.after, place);
    if (later && wish.filter->matches(lookup)) {
      entries.push_back({std::move(place), std::move(file)});
    }
  }
  const auto middle =
      entries.begin() + static_cast<std::ptrdiff_t>(std::min(wish.limit, entries.size()));
  std::partial_sort(entries.begin(), middle, entries.end(),
                    [&](const Entry& a, const Entry& b) { return before(a.place, b.place); });
  entries.erase(middle, entries.end());
  return entries;
}

// Always present, even on the last page: files stored later continue there.
std::string next_token(const Wish& wish, const std::vector<Entry>& entries) {
  if (entries.empty()) {
    return wish.token.empty() ? make_page_token(wish.token_kind(), {"", "", ""}) : wish.token;
  }
  const Place& last = entries.back().place;
  return make_page_token(wish.token_kind(),
                         {last.text, std::to_string(last.number), std::to_string(last.seq)});
}

Answer get(const Call& call) {
  return show(call, find_file(*call.state, call.key.team_id, id_of(call)),
              [&](const StoredFile& file) { return object_of(call, file); });
}

Answer remove(const Call& call) {
  SVC_CHECK(
      found_or(delete_file(*call.state, call.key.team_id, id_of(call)), refuse_file(id_of(call))));
  return json_answer(Json{{"id", id_of(call)}, {"deleted", true}, {"object", "file"}});
}

Answer content(const Call& call) {
  const std::string format = call.query_value("format").value_or("original");
  if (format != "original" && format != "text") {
    return refuse_argument("Invalid value for format: it must be original or text.");
  }
  SVC_TRY(found, found_or(read_file(*call.state, call.key.team_id, id_of(call)),
                          refuse_file(id_of(call))));
  // The stored type is not echoed.
  return format == "text" ? text_answer(found)
                          : bytes_answer(call, std::move(found), "application/octet-stream");
}

Answer update(const Call& call) {
  SVC_TRY(body, text::read_body(call, k_file_types["update"]));
  FileChange change;
  for (const char* name : {"filename", "name"}) {
    if (text::member(body, name)) change.filename = text_of(body, name);
  }
  if (text::member(body, "content_type")) change.content_type = text_of(body, "content_type");
  std::optional<std::string> data;
  if (text::member(body, "data")) {
    data = base64_decode(text_of(body, "data"));
    if (!data || data->empty()) return refuse_argument("data is not base64.");
    if (data->size() > k_max_file) return refuse_file_size(k_max_file);
    change.data = *data;
  }
  if (const auto fault = change_fault(change)) return refuse_argument(*fault);
  return show(call, update_file(*call.state, call.key.team_id, id_of(call), change),
              [&](const StoredFile& file) { return object_of(call, file); });
}

Answer publish(const Call& call) {
  SVC_TRY(body, text::read_body(call, k_file_types["public"]));
  const auto expires_after = text::integer_of(body, "expires_after");
  if (expires_after) {
    if (const auto fault = expiry_fault(*expires_after)) return refuse_argument(*fault);
  }
  SVC_TRY(active, checked(count_public_files(*call.state, call.key.team_id)));
  if (active >= k_most_public) {
    return refuse_exhausted(fmt::format("Too many active public URLs: at most {}.", k_most_public));
  }
  return show(call, publish_file(*call.state, call.key.team_id, id_of(call), expires_after),
              [&](const StoredFile& file) {
                Json answer = {{"public_url", public_file_url(own_address(call), file.public_token,
                                                              file.filename)}};
                if (file.public_expires_at) answer["expires_at"] = *file.public_expires_at;
                return answer;
              });
}

Answer unpublish(const Call& call) {
  return show(call, unpublish_file(*call.state, call.key.team_id, id_of(call)),
              [](const StoredFile& file) {
                return Json{{"id", file.id}, {"revoked", true}, {"public_url", nullptr}};
              });
}

Answer serve_public(const Call& call) {
  SVC_TRY(found, found_or(read_public_file(*call.state, call.params.at("token")),
                          refuse_file(call.params.at("name"))));
  std::string type = found.file.content_type;
  if (type.empty()) type = "application/octet-stream";
  return bytes_answer(call, std::move(found), std::move(type));
}

Answer initialize(const Call& call) {
  SVC_TRY(body, text::read_body(call, k_file_types["initialize"]));
  const std::string name = text_of(body, "name");
  if (const auto fault = name_fault(name)) return refuse_argument(*fault);
  SVC_TRY(begun, checked(begin_upload(
                     *call.state, call.key.team_id,
                     NewFile{.filename = name, .content_type = text_of(body, "content_type")})));
  return json_answer(Json{{"file_id", begun.id}, {"metadata", file_metadata(begun)}});
}

Answer upload_chunk(const Call& call) {
  SVC_TRY(body, text::read_body(call, k_file_types["chunk"]));
  const std::string id = text_of(body, "file_id");
  const auto chunk = base64_decode(text_of(body, "chunk"));
  if (!chunk || chunk->empty()) return refuse_argument("chunk is empty or not base64.");
  const auto limit = k_max_chunked_file - static_cast<std::int64_t>(chunk->size());
  auto stored = append_chunk(*call.state, call.key.team_id, id, *chunk, limit);
  if (!stored && stored.error().fault == Fault::Usage) return refuse_file_size(k_max_chunked_file);
  if (!stored) return refuse_internal(stored.error());
  if (!*stored) return refuse_file(id);
  return json_answer(file_metadata(**stored));
}

Answer list(const Call& call) {
  Wish wish;
  if (const auto fault = read_wish(call, wish)) return refuse_argument(*fault);
  SVC_TRY(entries, checked(find_page(call, wish)));
  Json data =
      text::json_list(entries, [&](const Entry& entry) { return object_of(call, entry.file); });
  return json_answer(
      Json{{"data", std::move(data)}, {"pagination_token", next_token(wish, entries)}});
}

}  // namespace
}  // namespace svc::emulator::files

namespace svc::emulator {

namespace {

constexpr const char* k_file_acl = "files";
constexpr std::uint64_t k_form_extra = 32'768;  // the form around the file

}  // namespace

std::vector<Route> file_routes() {
  return {
      {.method = "POST",
       .path = "/v1/files",
       .handler = files::upload,
       .endpoint_acl = k_file_acl,
       .input = Input::Free,
       .max_body = k_max_file + k_form_extra},
      {.method = "PUT",
       .path = "/v1/files/{file_id}",
       .handler = files::update,
       .endpoint_acl = k_file_acl,
       .max_body = k_max_file / 3 * 4 + k_form_extra},  // the content in base64, inside JSON
      {"GET", "/v1/files", files::list, k_file_acl},
      {"POST", "/v1/files:initialize", files::initialize, k_file_acl},
      {"POST", "/v1/files:uploadChunks", files::upload_chunk, k_file_acl},
      {"GET", "/v1/files/{file_id}", files::get, k_file_acl},
      {"DELETE", "/v1/files/{file_id}", files::remove, k_file_acl},
      {"GET", "/v1/files/{file_id}/content", files::content, k_file_acl},
      {"POST", "/v1/files/{file_id}/public-url", files::publish, k_file_acl},
      {"POST", "/v1/files/{file_id}/public-url/revoke", files::unpublish, k_file_acl, Input::Free},
      {"GET", "/public/files/{token}/{name}", files::serve_public, "", Input::Free, KeyNeed::None},
  };
}

}  // namespace svc::emulator
