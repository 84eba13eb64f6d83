// The operations on one file.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/files/extract.h"
#include "emulator/api/files/handlers.h"
#include "emulator/api/files/json.h"
#include "emulator/api/filter/filter.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/serve_bytes.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"
#include "emulator/state/seal.h"

namespace svc::emulator::files {
namespace {

using text::Json;
using text::refuse_argument;
using text::text_of;

constexpr std::int64_t k_most_public = 1'000;

// Nothing is published about the body of an update; these are the members of its nearest relative,
// with the file object's own word for the name.
const text::Types k_file_types(R"(
initialize = {name!, content_type!}
chunk = {file_id!, chunk!}
update = {name, filename, content_type, data}
public = {expires_after: integer}
)");

const std::string& id_of(const Call& call) {
  return call.params.at("file_id");
}

Json object_of(const Call& call, const StoredFile& file) {
  return file_object(file, own_address(call), call.state->now_ms() / 1000);
}

// The file of an outcome as an answer, or the refusal.
template <typename Show>
Answer show(const Call& call, const Result<std::optional<StoredFile>>& found, const Show& as_json) {
  if (!found) return refuse_internal(found.error());
  if (!*found) return refuse_file(id_of(call));
  return json_answer(as_json(**found));
}

// The wanted text, or why there is none.
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
using text::refuse_argument;

constexpr std::int64_t k_most = 100;  // larger limits are cut

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

/// What an order goes by. `seq` makes it total: files come numbered as they come.
struct Place {
  std::string text{};
  std::int64_t number = 0;
  std::int64_t seq = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Wish {
  std::size_t limit = 0;
  bool descending = true;  // the REST specification's default
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

std::optional<std::string> read_order(const Call& call, Wish& wish) {
  const std::string order = call.query_value("order").value_or("desc");
  if (order != "asc" && order != "desc") return "Invalid value for order: it must be asc or desc.";
  wish.descending = order == "desc";
  wish.sort_by = call.query_value("sort_by").value_or("created_at");
  if (wish.sort_by == "created_at" || wish.sort_by == "filename" || wish.sort_by == "size") {
    return std::nullopt;
  }
  return "Invalid value for sort_by: it must be created_at, filename or size.";
}

std::optional<std::string> read_token(const Call& call, Wish& wish) {
  wish.token = call.query_value("pagination_token").value_or("");
  if (wish.token.empty()) return std::nullopt;
  const auto values = read_page_token(wish.token_kind(), wish.token, 3);
  if (!values) {
    return "Invalid pagination_token: it is not one of a list with this order and sort_by.";
  }
  const auto number = parse_integer((*values)[1]);
  const auto seq = parse_integer((*values)[2]);
  if (number && seq) wish.after = Place{(*values)[0], *number, *seq};
  return std::nullopt;
}

std::optional<std::string> read_wish(const Call& call, Wish& wish) {
  const auto limit = parse_integer(call.query_value("limit").value_or(std::to_string(k_most)));
  if (!limit || *limit < 1) return "Invalid value for limit: it must be a whole number above 0.";
  wish.limit = static_cast<std::size_t>(std::min(*limit, k_most));
  if (auto fault = read_order(call, wish)) return fault;
  if (auto fault = read_token(call, wish)) return fault;
  auto parsed = Filter::parse(call.query_value("filter").value_or(""), k_fields);
  if (!parsed) return parsed.error().message;
  wish.filter = std::move(*parsed);
  return std::nullopt;
}

struct Entry {
  Place place{};
  StoredFile file{};
};

// What matches and comes after the token, in order, at most `limit`.
Result<std::vector<Entry>> find_page(const Call& call, const Wish& wish) {
  const auto before = [&](const Place& a, const Place& b) {
    return wish.descending ? b < a : a < b;
  };
  std::vector<Entry> entries;
  SVC_CHECK(each_file(*call.state, call.key.team_id, [&](const StoredFile& file) {
    Place place = place_of(file, wish.sort_by);
    const auto lookup = [&](sv field) { return value_of(file, field); };
    const bool later = !wish.after || before(*wish.after, place);
    if (later && wish.filter->matches(lookup)) entries.push_back({std::move(place), file});
    return true;
  }));
  const auto middle =
      entries.begin() + static_cast<std::ptrdiff_t>(std::min(wish.limit, entries.size()));
  std::partial_sort(entries.begin(), middle, entries.end(),
                    [&](const Entry& a, const Entry& b) { return before(a.place, b.place); });
  entries.erase(middle, entries.end());
  return entries;
}

// Always one, also behind the last page: what is stored later continues there.
std::string next_token(const Wish& wish, const std::vector<Entry>& entries) {
  if (entries.empty()) {
    return wish.token.empty() ? make_page_token(wish.token_kind(), {"", "", ""}) : wish.token;
  }
  const Place& last = entries.back().place;
  return make_page_token(wish.token_kind(),
                         {last.text, std::to_string(last.number), std::to_string(last.seq)});
}

}  // namespace

Answer get(const Call& call) {
  return show(call, find_file(*call.state, call.key.team_id, id_of(call)),
              [&](const StoredFile& file) { return object_of(call, file); });
}

Answer remove(const Call& call) {
  const auto removed = delete_file(*call.state, call.key.team_id, id_of(call));
  if (!removed) return refuse_internal(removed.error());
  if (!*removed) return refuse_file(id_of(call));
  return json_answer(Json{{"id", id_of(call)}, {"deleted", true}, {"object", "file"}});
}

Answer content(const Call& call) {
  const std::string format = call.query_value("format").value_or("original");
  if (format != "original" && format != "text") {
    return refuse_argument("Invalid value for format: it must be original or text.");
  }
  auto found = read_file(*call.state, call.key.team_id, id_of(call));
  if (!found) return refuse_internal(found.error());
  if (!*found) return refuse_file(id_of(call));
  // The stored type is not echoed.
  return format == "text" ? text_answer(**found)
                          : bytes_answer(call, std::move(**found), "application/octet-stream");
}

Answer update(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_file_types["update"], refusal);
  if (refusal) return *refusal;
  FileChange change;
  for (const char* name : {"filename", "name"}) {
    if (text::member(body, name)) change.filename = text_of(body, name);
  }
  if (text::member(body, "content_type")) change.content_type = text_of(body, "content_type");
  std::optional<std::string> data;
  if (text::member(body, "data")) {
    data = text::decode_base64(text_of(body, "data"));
    if (!data) return refuse_argument("data is not base64.");
    if (data->size() > k_max_file) return refuse_file_size(k_max_file);
    change.data = *data;
  }
  if (const auto fault = change_fault(change)) return refuse_argument(*fault);
  return show(call, update_file(*call.state, call.key.team_id, id_of(call), change),
              [&](const StoredFile& file) { return object_of(call, file); });
}

Answer publish(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_file_types["public"], refusal);
  if (refusal) return *refusal;
  const auto expires_after = text::integer_of(body, "expires_after");
  if (expires_after) {
    if (const auto fault = expiry_fault(*expires_after)) return refuse_argument(*fault);
  }
  const auto active = count_public_files(*call.state, call.key.team_id);
  if (!active) return refuse_internal(active.error());
  if (*active >= k_most_public) {
    return refuse(429, "Some resource has been exhausted",
                  fmt::format("Too many active public URLs: at most {}.", k_most_public));
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
  auto found = read_public_file(*call.state, call.params.at("token"));
  if (!found) return refuse_internal(found.error());
  if (!*found) return refuse_file(call.params.at("name"));
  std::string type = (*found)->file.content_type;
  if (type.empty()) type = "application/octet-stream";
  return bytes_answer(call, std::move(**found), std::move(type));
}

Answer initialize(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_file_types["initialize"], refusal);
  if (refusal) return *refusal;
  const std::string name = text_of(body, "name");
  if (const auto fault = name_fault(name)) return refuse_argument(*fault);
  const auto begun =
      begin_upload(*call.state, call.key.team_id,
                   NewFile{.filename = name, .content_type = text_of(body, "content_type")});
  if (!begun) return refuse_internal(begun.error());
  return json_answer(Json{{"file_id", begun->id}, {"metadata", file_metadata(*begun)}});
}

Answer upload_chunk(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_file_types["chunk"], refusal);
  if (refusal) return *refusal;
  const std::string id = text_of(body, "file_id");
  const auto chunk = text::decode_base64(text_of(body, "chunk"));
  if (!chunk) return refuse_argument("chunk is empty or not base64.");
  const auto limit = k_max_chunked_file - static_cast<std::int64_t>(chunk->size());
  auto stored = append_chunk(*call.state, call.key.team_id, id, *chunk, limit);
  if (!stored && stored.error().fault == Fault::Usage) return refuse_file_size(k_max_chunked_file);
  if (!stored) return refuse_internal(stored.error());
  if (!*stored) return refuse_file(id);
  return json_answer(file_metadata(**stored));
}

// GET /v1/files.

Answer list(const Call& call) {
  Wish wish;
  if (const auto fault = read_wish(call, wish)) return refuse_argument(*fault);
  const auto entries = find_page(call, wish);
  if (!entries) return refuse_internal(entries.error());
  text::Json data = text::Json::array();
  for (const Entry& entry : *entries) {
    data.push_back(file_object(entry.file, own_address(call), call.state->now_ms() / 1000));
  }
  return json_answer(
      text::Json{{"data", std::move(data)}, {"pagination_token", next_token(wish, *entries)}});
}

}  // namespace svc::emulator::files
