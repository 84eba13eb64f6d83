#include "emulator/handler/handler.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/url.h"
#include "json/text.h"

namespace svc::emulator {

std::optional<std::string> Request::query_value(std::string_view name) const {
  const auto found = std::ranges::find(query, name, &Header::name);
  if (found == query.end()) return std::nullopt;
  return found->value;
}

std::optional<std::string> Request::header(std::string_view name) const {
  const Header* found = find_header(headers, name);
  return found == nullptr ? std::nullopt : std::optional(found->value);
}

bool has_acl(const KeyRecord& key, std::string_view kind, std::string_view name) {
  const std::string prefix = fmt::format("api-key:{}:", kind);
  return std::ranges::any_of(key.acls, [&](std::string_view acl) {
    if (!acl.starts_with(prefix)) return false;
    acl.remove_prefix(prefix.size());
    return acl == "*" || acl == name;
  });
}

Response error_response(int status, std::string_view code, std::string_view message) {
  Response response;
  response.status = status;
  response.body = fmt::format(R"({{"code":{},"error":{}}})", json_quote(code), json_quote(message));
  return response;
}

Response schema_mismatch_error(std::string_view path, std::string_view reason, std::size_t line,
                               std::size_t column) {
  Response response;
  response.status = 422;
  response.content_type = "text/plain; charset=utf-8";
  response.body = fmt::format(
      "Failed to deserialize the JSON body into the target type: {}: {} at line {} column {}", path,
      reason, line, column);
  return response;
}

Response invalid_argument_error(std::string_view message) {
  return error_response(400, "Client specified an invalid argument", message);
}

Response permission_denied_error(std::string_view message) {
  return error_response(
      403, "The caller does not have permission to execute the specified operation", message);
}

Response not_found_error(std::string_view message) {
  return error_response(404, "Some requested entity was not found", message);
}

Response resource_exhausted_error(std::string_view message, std::int64_t retry_after_s) {
  Response response = error_response(429, "Some resource has been exhausted", message);
  if (retry_after_s > 0) response.headers.push_back({"Retry-After", std::to_string(retry_after_s)});
  return response;
}

Response unavailable_error(std::string_view message) {
  return error_response(503, "The service is currently unavailable", message);
}

Response model_access_error(std::string_view model) {
  return permission_denied_error(
      fmt::format("This API key has no access to the model {}. Give it the ACL api-key:model:{} or "
                  "api-key:model:*.",
                  model, model));
}

Response internal_error(const Error& error) {
  return error_response(500, "Internal error", error.message);
}

namespace {

// The text is used in URLs, so it must be only a host.
bool is_host(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == ':' || c == '[' || c == ']';
  });
}

}  // namespace

std::string base_url(const Request& request) {
  const auto host = request.header("Host");
  return fmt::format(
      "{}://{}{}", request.tls ? "https" : "http", host && is_host(*host) ? *host : "127.0.0.1",
      request.scope.empty() ? std::string()
                            : std::string(k_scope_prefix) + percent_encode(request.scope));
}

std::string public_file_url(const std::string& address, std::string_view token,
                            std::string_view filename) {
  if (token.empty()) return {};
  return fmt::format("{}/public/files/{}/{}", address, token, percent_encode(filename));
}

namespace {

/// A part of some bytes; empty if it lies beyond their end.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};

// Returns the part that the header asks for; nothing if it asks for none, or for several.
std::optional<Range> read_range(std::string_view header, std::uint64_t size) {
  constexpr std::string_view k_unit = "bytes=";
  const std::size_t dash = header.find('-');
  if (!header.starts_with(k_unit) || dash == std::string_view::npos) return std::nullopt;
  const auto from = trim(header.substr(k_unit.size(), dash - k_unit.size()));
  const auto to = trim(header.substr(dash + 1));
  const auto first = parse_integer(from);
  const auto last = parse_integer(to);
  if ((!first && !from.empty()) || (!last && !to.empty()) || (!first && !last)) return std::nullopt;
  if (first.value_or(0) < 0 || (last && *last < first.value_or(0))) return std::nullopt;
  if (!first) {  // the last N bytes
    const auto count = std::min(static_cast<std::uint64_t>(*last), size);
    return Range{size - count, count};
  }
  const auto begin = static_cast<std::uint64_t>(*first);
  if (begin >= size) return Range{};
  const auto end = last ? std::min(static_cast<std::uint64_t>(*last) + 1, size) : size;
  return Range{begin, end - begin};
}

}  // namespace

Response serve_bytes(const Request& request, std::string data, std::string content_type,
                     std::string_view etag, std::int64_t modified_s) {
  const std::string modified = format_http_date(modified_s);
  Response response;
  response.content_type = std::move(content_type);
  response.headers = {
      {"Accept-Ranges", "bytes"}, {"ETag", std::string(etag)}, {"Last-Modified", modified}};
  const auto condition = request.header("If-Range");
  const bool unchanged = !condition || *condition == etag || *condition == modified;
  const auto header = request.header("Range");
  // HEAD has no body, and therefore no range.
  const auto range = header && unchanged && request.method == "GET"
                         ? read_range(*header, data.size())
                         : std::nullopt;
  if (!range) {
    response.body = std::move(data);
  } else if (range->size == 0) {
    response.status = 416;
    response.content_type = "text/plain; charset=utf-8";
    response.body = "The range lies beyond the end.\n";
    response.headers = {{"Content-Range", fmt::format("bytes */{}", data.size())}};
  } else {
    response.status = 206;
    response.body = data.substr(range->first, range->size);
    response.headers.push_back(
        {"Content-Range",
         fmt::format("bytes {}-{}/{}", range->first, range->first + range->size - 1, data.size())});
  }
  return response;
}

}  // namespace svc::emulator
