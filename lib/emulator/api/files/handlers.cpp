// The operations on files.

#include <nlohmann/json.hpp>

#include "emulator/api/files/store.h"
#include "emulator/api/filter/filter.h"

namespace svc::emulator::files {
namespace {

constexpr std::int64_t k_max_chunked_file = 512'000'000;
constexpr std::int64_t k_min_expiry = 3'600;
constexpr std::int64_t k_max_expiry = 2'592'000;
constexpr std::size_t k_max_name_length = 255;

std::optional<std::string> check_name(sv name) {
  if (name.empty()) return "The file name is empty.";
  if (name.size() > k_max_name_length) {
    return fmt::format("The file name is longer than {} bytes.", k_max_name_length);
  }
  if (first_invalid_utf8(name) || name.find('\0') != sv::npos) {
    return "The file name is not UTF-8 text.";
  }
  return std::nullopt;
}

std::optional<std::string> check_expiry(std::int64_t seconds) {
  if (seconds >= k_min_expiry && seconds <= k_max_expiry) return std::nullopt;
  return fmt::format("expires_after must be between {} and {} seconds, not {}.", k_min_expiry,
                     k_max_expiry, seconds);
}

using text::get_string;
using text::Json;

Json object_of(const Request& request, const StoredFile& file) {
  return file_object(file, base_url(request), request.state->now_ms() / 1000);
}

Response file_not_found_error(sv id) {
  return not_found_error(fmt::format("File with id={} not found", excerpt(id)));
}

Response file_too_large_error(std::uint64_t limit) {
  return error_response(413, "Payload too large",
                        fmt::format("The file is larger than {}.", format_bytes(limit)));
}

// Reads the form, field by field.
Checked<NewFile> read_form(const Request& request, const std::vector<FormPart>& parts) {
  NewFile file;
  bool has_file = false;
  bool anchored = false;
  for (const FormPart& part : parts) {
    if (part.name == "file") {
      if (has_file) return invalid_argument_error("The form has more than one part named file.");
      if (!part.filename)
        return invalid_argument_error("The file part of the form has no filename.");
      if (const auto fault = check_name(*part.filename)) return invalid_argument_error(*fault);
      if (part.data.size() > k_max_file) return file_too_large_error(k_max_file);
      has_file = true;
      file.filename = *part.filename;
      file.data = part.data;
      // A form's default type says nothing about the file.
      if (part.content_type != "application/octet-stream") file.content_type = part.content_type;
    } else if (part.name == "purpose") {
      file.purpose = part.data;
    } else if (part.name == "team_id" && part.data != request.key.team_id) {
      return permission_denied_error("team_id is not the team of this API key.");
    } else if (part.name.starts_with("expires_after") && has_file) {
      return invalid_argument_error("expires_after must come before the file part of the form.");
    } else if (part.name == "expires_after[anchor]") {
      anchored = true;
      if (part.data != "created_at") {
        return invalid_argument_error("expires_after[anchor] must be created_at.");
      }
    } else if (part.name == "expires_after" || part.name == "expires_after[seconds]") {
      file.expires_after = parse_integer(trim(part.data));
      if (!file.expires_after) {
        return invalid_argument_error(part.name + " must be a whole number of seconds.");
      }
      if (const auto fault = check_expiry(*file.expires_after))
        return invalid_argument_error(*fault);
    }
  }
  if (!has_file) return invalid_argument_error("The form has no part named file.");
  if (anchored && !file.expires_after) {
    return invalid_argument_error("expires_after[anchor] needs expires_after[seconds].");
  }
  return file;
}

Response upload(const Request& request) {
  SVC_TRY(parts, form_parts(request, request.body));
  SVC_TRY(file, read_form(request, parts));
  SVC_TRY(stored, checked(store_file(*request.state, request.key.team_id, file)));
  return json_response(object_of(request, stored));
}

constexpr std::int64_t k_max_public = 1'000;

const std::string& id_of(const Request& request) {
  return request.params.at("file_id");
}

// Returns the file as a response, or the refusal.
template <typename Show>
Response show(const Request& request, const Result<std::optional<StoredFile>>& found,
              const Show& as_json) {
  if (!found) return internal_error(found.error());
  if (!*found) return file_not_found_error(id_of(request));
  return json_response(as_json(**found));
}

// Returns the requested text, or why there is none.
Response text_of(const FileContent& content) {
  auto text = extract_text(content.file.content_type, content.data);
  if (!text) return invalid_argument_error(text.error().message);
  return text_response(200, *std::move(text));
}

Response bytes_response(const Request& request, FileContent content, std::string type) {
  const std::string etag = fmt::format("\"{}\"", content.file.hash);
  return serve_bytes(request, std::move(content.data), std::move(type), etag,
                     content.file.created_at);
}

std::optional<std::string> check_change(const FileChange& change) {
  if (!change.filename && !change.content_type && !change.data) {
    return "Nothing to update: give name, content_type or data.";
  }
  return change.filename ? check_name(*change.filename) : std::nullopt;
}

using filter::Filter;
using filter::Match;

constexpr std::int64_t k_max = 100;  // larger limits are reduced

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
  return nullptr;  // user_defined_id: no operation sets one
}

/// The sort key. `seq` makes the order total: files are numbered as they are created.
struct PagePosition {
  std::string text{};
  std::int64_t number = 0, seq = 0;
  friend auto operator<=>(const PagePosition&, const PagePosition&) = default;
};

struct ListOptions {
  std::size_t limit = 0;
  bool descending = true;  // the default in the REST specification
  std::string sort_by{"created_at"};
  std::string token{};
  std::optional<PagePosition> after{};
  std::optional<Filter> filter{};

  [[nodiscard]] std::string token_kind() const {
    return fmt::format("files by {} {}", sort_by, descending ? "desc" : "asc");
  }
};

PagePosition page_position_of(const StoredFile& file, const std::string& sort_by) {
  if (sort_by == "filename") return {file.filename, 0, file.seq};
  return {{}, sort_by == "size" ? file.bytes : file.created_at, file.seq};
}

// `after` is the ID of the last file seen; a pagination token takes precedence.
std::optional<std::string> read_after(const Request& request, ListOptions& options) {
  const std::string id = request.query_value("after").value_or("");
  if (id.empty() || !options.token.empty()) return std::nullopt;
  const auto file = find_file(*request.state, request.key.team_id, id);
  if (!file) return file.error().message;
  if (!*file) return fmt::format("Invalid after: there is no file {}.", excerpt(id));
  options.after = page_position_of(**file, options.sort_by);
  return std::nullopt;
}

std::optional<std::string> read_list_options(const Request& request, ListOptions& options) {
  const auto limit = parse_integer(request.query_value("limit").value_or(std::to_string(k_max)));
  if (!limit || *limit < 1) return "Invalid value for limit: it must be a whole number above 0.";
  options.limit = static_cast<std::size_t>(std::min(*limit, k_max));
  const std::string order = request.query_value("order").value_or("desc");
  if (order != "asc" && order != "desc") return "Invalid value for order: it must be asc or desc.";
  options.descending = order == "desc";
  options.sort_by = request.query_value("sort_by").value_or("created_at");
  if (options.sort_by != "created_at" && options.sort_by != "filename" &&
      options.sort_by != "size") {
    return "Invalid value for sort_by: it must be created_at, filename or size.";
  }
  options.token = request.query_value("pagination_token").value_or("");
  if (!options.token.empty()) {
    const auto values = read_page_token(options.token_kind(), options.token, 3);
    if (!values) {
      return "Invalid pagination_token: it is not one of a list with this order and sort_by.";
    }
    const auto number = parse_integer((*values)[1]);
    const auto seq = parse_integer((*values)[2]);
    if (number && seq) options.after = PagePosition{(*values)[0], *number, *seq};
  }
  if (auto fault = read_after(request, options)) return fault;
  auto parsed = Filter::parse(request.query_value("filter").value_or(""), k_fields);
  if (!parsed) return parsed.error().message;
  options.filter = std::move(*parsed);
  return std::nullopt;
}

// Returns at most `limit` matching files after the token, in order.
Result<std::vector<StoredFile>> find_page(const Request& request, const ListOptions& options) {
  const auto position = [&](const StoredFile& file) {
    return page_position_of(file, options.sort_by);
  };
  const auto before = [&](const PagePosition& a, const PagePosition& b) {
    return options.descending ? b < a : a < b;
  };
  SVC_TRY(files, all_files(*request.state, request.key.team_id));
  std::erase_if(files, [&](const StoredFile& file) {
    const bool later = !options.after || before(*options.after, position(file));
    return !later || !options.filter->matches([&](sv field) { return value_of(file, field); });
  });
  std::ranges::sort(files, before, position);
  if (files.size() > options.limit) files.resize(options.limit);
  return std::move(files);
}

// Always present, even on the last page: files stored later continue there.
std::string next_token(const ListOptions& options, const std::vector<StoredFile>& page) {
  if (page.empty()) {
    return options.token.empty() ? make_page_token(options.token_kind(), {"", "", ""})
                                 : options.token;
  }
  const PagePosition last = page_position_of(page.back(), options.sort_by);
  return make_page_token(options.token_kind(),
                         {last.text, std::to_string(last.number), std::to_string(last.seq)});
}

Response get(const Request& request) {
  return show(request, find_file(*request.state, request.key.team_id, id_of(request)),
              [&](const StoredFile& file) { return object_of(request, file); });
}

Response remove(const Request& request) {
  SVC_CHECK(found_or(delete_file(*request.state, request.key.team_id, id_of(request)),
                     file_not_found_error(id_of(request))));
  return json_response(Json{{"id", id_of(request)}, {"deleted", true}, {"object", "file"}});
}

Response content(const Request& request) {
  const std::string format = request.query_value("format").value_or("original");
  if (format != "original" && format != "text") {
    return invalid_argument_error("Invalid value for format: it must be original or text.");
  }
  SVC_TRY(found, found_or(read_file(*request.state, request.key.team_id, id_of(request)),
                          file_not_found_error(id_of(request))));
  // The stored type is not echoed.
  return format == "text" ? text_of(found)
                          : bytes_response(request, std::move(found), "application/octet-stream");
}

Response update(const Request& request) {
  SVC_TRY(body, text::read_body(request, "file_update"));
  FileChange change;
  for (const char* name : {"filename", "name"}) {
    if (text::member(body, name)) change.filename = get_string(body, name);
  }
  if (text::member(body, "content_type")) change.content_type = get_string(body, "content_type");
  std::optional<std::string> data;
  if (text::member(body, "data")) {
    data = base64_decode(get_string(body, "data"));
    if (!data || data->empty()) return invalid_argument_error("data is not base64.");
    if (data->size() > k_max_file) return file_too_large_error(k_max_file);
    change.data = *data;
  }
  if (const auto fault = check_change(change)) return invalid_argument_error(*fault);
  return show(request, update_file(*request.state, request.key.team_id, id_of(request), change),
              [&](const StoredFile& file) { return object_of(request, file); });
}

Response publish(const Request& request) {
  SVC_TRY(body, text::read_body(request, "file_public"));
  const auto expires_after = text::get_integer(body, "expires_after");
  if (expires_after) {
    if (const auto fault = check_expiry(*expires_after)) return invalid_argument_error(*fault);
  }
  SVC_TRY(active, checked(count_public_files(*request.state, request.key.team_id)));
  if (active >= k_max_public) {
    return resource_exhausted_error(
        fmt::format("Too many active public URLs: at most {}.", k_max_public));
  }
  return show(
      request, publish_file(*request.state, request.key.team_id, id_of(request), expires_after),
      [&](const StoredFile& file) {
        Json answer = {
            {"public_url", public_file_url(base_url(request), file.public_token, file.filename)}};
        if (file.public_expires_at) answer["expires_at"] = *file.public_expires_at;
        return answer;
      });
}

Response unpublish(const Request& request) {
  return show(request, unpublish_file(*request.state, request.key.team_id, id_of(request)),
              [](const StoredFile& file) {
                return Json{{"id", file.id}, {"revoked", true}, {"public_url", nullptr}};
              });
}

Response serve_public(const Request& request) {
  SVC_TRY(found, found_or(read_public_file(*request.state, request.params.at("token")),
                          file_not_found_error(request.params.at("name"))));
  std::string type = found.file.content_type;
  if (type.empty()) type = "application/octet-stream";
  return bytes_response(request, std::move(found), std::move(type));
}

Response initialize(const Request& request) {
  SVC_TRY(body, text::read_body(request, "file_initialize"));
  const std::string name = get_string(body, "name");
  if (const auto fault = check_name(name)) return invalid_argument_error(*fault);
  SVC_TRY(started,
          checked(begin_upload(
              *request.state, request.key.team_id,
              NewFile{.filename = name, .content_type = get_string(body, "content_type")})));
  return json_response(Json{{"file_id", started.id}, {"metadata", file_metadata(started)}});
}

Response upload_chunk(const Request& request) {
  SVC_TRY(body, text::read_body(request, "file_chunk"));
  const std::string id = get_string(body, "file_id");
  const auto chunk = base64_decode(get_string(body, "chunk"));
  if (!chunk || chunk->empty()) return invalid_argument_error("chunk is empty or not base64.");
  const auto limit = k_max_chunked_file - static_cast<std::int64_t>(chunk->size());
  auto stored = append_chunk(*request.state, request.key.team_id, id, *chunk, limit);
  if (!stored && stored.error().fault == Fault::Usage)
    return file_too_large_error(k_max_chunked_file);
  if (!stored) return internal_error(stored.error());
  if (!*stored) return file_not_found_error(id);
  return json_response(file_metadata(**stored));
}

Response list(const Request& request) {
  ListOptions options;
  if (const auto fault = read_list_options(request, options)) return invalid_argument_error(*fault);
  SVC_TRY(page, checked(find_page(request, options)));
  Json data =
      text::json_list(page, [&](const StoredFile& file) { return object_of(request, file); });
  return json_response(
      Json{{"data", std::move(data)}, {"pagination_token", next_token(options, page)}});
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
      {"GET", "/public/files/{token}/{name}", files::serve_public, "", Input::Free,
       KeyRequirement::None},
  };
}

}  // namespace svc::emulator
