#include "emulator/handler/handler.h"

#include "base/url.h"
#include "json/text.h"

namespace svc::emulator {
namespace {

// A test's name may follow them.
constexpr std::array<sv, 2> k_demo_keys = {"svc-demo-key", "svc-demo-management-key"};

constexpr std::array<std::pair<int, sv>, 7> k_error_codes = {{
    {400, "Client specified an invalid argument"},
    {401, "The request does not have valid authentication credentials for the operation"},
    {403, "The caller does not have permission to execute the specified operation"},
    {404, "Some requested entity was not found"},
    {429, "Some resource has been exhausted"},
    {500, "Internal error"},
    {503, "The service is currently unavailable"},
}};

// The text is used in URLs, so it must be only a host.
bool is_host(sv text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == ':' || c == '[' || c == ']';
  });
}

/// A part of some bytes; empty if it lies beyond their end.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};

// Returns the part that the header asks for; nothing if it asks for none, or for several.
std::optional<Range> read_range(sv header, std::uint64_t size) {
  constexpr sv k_unit = "bytes=";
  const std::size_t dash = header.find('-');
  if (!header.starts_with(k_unit) || dash == sv::npos) return std::nullopt;
  const auto from = trim(header.substr(k_unit.size(), dash - k_unit.size()));
  const auto to = trim(header.substr(dash + 1));
  const auto first = parse_integer(from);
  const auto last = parse_integer(to);
  if ((!first && !from.empty()) || (!last && !to.empty()) || (!first && !last)) return std::nullopt;
  if (last && *last < first.value_or(0)) return std::nullopt;
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

sv HttpRequest::header(sv name) const {
  const Header* found = find_header(headers, name);
  return found == nullptr ? sv{} : sv(found->value);
}

const Header* find_header(const std::vector<Header>& headers, sv name) {
  const auto found = std::ranges::find_if(
      headers, [&](const Header& header) { return equals_ignore_case(header.name, name); });
  return found == headers.end() ? nullptr : &*found;
}

void take_scope(HttpRequest& request) {
  request.scope = request.header("X-Test-Id");
  if (request.target.starts_with(k_scope_prefix)) {
    const std::size_t begin = k_scope_prefix.size();
    const std::size_t end =
        std::min(request.target.find_first_of("/?", begin), request.target.size());
    request.scope = percent_decode(request.target.substr(begin, end - begin));
    request.target.erase(0, end);
    if (!request.target.starts_with('/')) request.target.insert(0, "/");
  }
  constexpr sv k_scheme = "Bearer ";
  for (Header& header : request.headers) {
    if (!equals_ignore_case(header.name, "Authorization")) continue;
    for (const sv key : k_demo_keys) {
      const std::size_t size = k_scheme.size() + key.size();
      const bool named = header.value.size() > size + 1 && header.value[size] == '.' &&
                         equals_ignore_case(header.value.substr(0, k_scheme.size()), k_scheme) &&
                         sv(header.value).substr(k_scheme.size()).starts_with(key);
      if (!named) continue;
      if (request.scope.empty()) request.scope = header.value.substr(size + 1);
      header.value.resize(size);
    }
  }
}

std::vector<Header> parse_query(sv target) {
  std::vector<Header> query;
  const auto mark = target.find('?');
  if (mark == sv::npos) return query;
  const std::string text = replace_all(std::string(target.substr(mark + 1)), "+", " ");
  for (const sv pair : split(text, '&')) {
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const sv value = equals == sv::npos ? sv{} : pair.substr(equals + 1);
    query.push_back({percent_decode(pair.substr(0, equals)), percent_decode(value)});
  }
  return query;
}

std::optional<std::string> Request::query_value(sv name) const {
  const auto found = std::ranges::find(query, name, &Header::name);
  if (found == query.end()) return std::nullopt;
  return found->value;
}

std::optional<std::string> Request::header(sv name) const {
  const Header* found = find_header(headers, name);
  return found == nullptr ? std::nullopt : std::optional(found->value);
}

void set_header(Response& response, const Header& header) {
  const bool type = equals_ignore_case(header.name, "Content-Type");
  std::erase_if(response.headers,
                [&](const Header& one) { return equals_ignore_case(one.name, header.name); });
  type ? void(response.content_type = header.value) : response.headers.push_back(header);
}

bool has_acl(const KeyRecord& key, sv kind, sv name) {
  const std::string prefix = fmt::format("api-key:{}:", kind);
  return std::ranges::any_of(key.acls, [&](sv acl) {
    if (!acl.starts_with(prefix)) return false;
    acl.remove_prefix(prefix.size());
    return acl == "*" || acl == name;
  });
}

Response error_response(int status, sv code, sv message) {
  return Response{
      .status = status,
      .body = fmt::format(R"({{"code":{},"error":{}}})", json_quote(code), json_quote(message))};
}

Response error_response(int status, sv message) {
  const auto known = std::ranges::find(k_error_codes, status, &std::pair<int, sv>::first);
  return error_response(status, known->second, message);
}

Response text_response(int status, std::string text) {
  return Response{
      .status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(text)};
}

Response schema_mismatch_error(sv path, sv reason, std::size_t line, std::size_t column) {
  return text_response(
      422, fmt::format("Failed to deserialize the JSON body into the target type: {}: {} at line "
                       "{} column {}",
                       path, reason, line, column));
}

Response resource_exhausted_error(sv message, std::int64_t retry_after_s) {
  Response response = error_response(429, message);
  if (retry_after_s > 0) response.headers.push_back({"Retry-After", std::to_string(retry_after_s)});
  return response;
}

Response model_access_error(sv model) {
  return permission_denied_error(
      fmt::format("This API key has no access to the model {}. Give it the ACL api-key:model:{} or "
                  "api-key:model:*.",
                  model, model));
}

std::string base_url(const Request& request) {
  const auto host = request.header("Host");
  return fmt::format(
      "{}://{}{}", request.tls ? "https" : "http", host && is_host(*host) ? *host : "127.0.0.1",
      request.scope.empty() ? std::string()
                            : std::string(k_scope_prefix) + percent_encode(request.scope));
}

std::string public_file_url(const std::string& address, sv token, sv filename) {
  if (token.empty()) return {};
  return fmt::format("{}/public/files/{}/{}", address, token, percent_encode(filename));
}

Response serve_bytes(const Request& request, std::string data, std::string content_type, sv etag,
                     std::int64_t modified_s) {
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
    response = text_response(416, "The range lies beyond the end.\n");
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

namespace svc::emulator::text {
namespace {

constexpr std::size_t k_max_piece = 24;  // code points

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The current position in a lane.
class Lane {
 public:
  explicit Lane(std::vector<Run> runs) : m_runs(std::move(runs)) { skip_empty(); }

  [[nodiscard]] bool done() const { return m_run == m_runs.size(); }

  StreamChunk next(std::chrono::milliseconds delay) {
    const Run& run = m_runs[m_run];
    const std::string head = run.name.empty() ? "" : "event: " + run.name + "\n";
    StreamChunk chunk;
    if (run.whole) {
      chunk.bytes = run.event(run.text, true);
      advance();
    } else {
      const bool cut = m_cut < run.cuts.size();
      const std::size_t end = cut ? run.cuts[m_cut].end : chunk_end(run.text, m_at);
      const bool last = end == run.text.size();
      chunk.bytes = run.event(sv(run.text).substr(m_at, end - m_at), last);
      const bool own = cut && run.cuts[m_cut].delay.count() > 0;
      chunk.delay = own ? run.cuts[m_cut].delay : delay;
      ++m_cut;
      for (; m_at < end; m_at = chunk_end(run.text, m_at)) chunk.tokens += own ? 0 : 1;
      m_at = end;
      if (last) advance();
    }
    chunk.bytes = head + "data: " + chunk.bytes + "\n\n";
    return chunk;
  }

 private:
  void advance() {
    ++m_run;
    m_at = m_cut = 0;
    skip_empty();
  }

  void skip_empty() {
    while (!done() && !m_runs[m_run].whole && m_runs[m_run].text.empty()) ++m_run;
  }

  std::vector<Run> m_runs;
  std::size_t m_run = 0;
  std::size_t m_at = 0;
  std::size_t m_cut = 0;
};

class FeedSource {
 public:
  explicit FeedSource(Feed feed) : m_done_mark(feed.done_mark), m_delay(feed.delay) {
    for (auto& runs : feed.lanes) m_lanes.emplace_back(std::move(runs));
    m_tail.emplace_back(std::move(feed.tail));
  }

  std::optional<StreamChunk> next() {
    if (auto chunk = next_of(m_lanes)) return chunk;
    if (auto chunk = next_of(m_tail)) return chunk;
    if (!std::exchange(m_done_mark, false)) return std::nullopt;
    return StreamChunk{"data: [DONE]\n\n"};
  }

 private:
  std::optional<StreamChunk> next_of(std::vector<Lane>& lanes) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      Lane& lane = lanes[(m_turn + i) % lanes.size()];
      if (lane.done()) continue;
      m_turn = (m_turn + i + 1) % lanes.size();
      return lane.next(m_delay);
    }
    m_turn = 0;
    return std::nullopt;
  }

  std::vector<Lane> m_lanes{};
  std::vector<Lane> m_tail{};
  std::size_t m_turn = 0;
  bool m_done_mark;
  std::chrono::milliseconds m_delay;
};

}  // namespace

Run single(std::string data, std::string name) {
  return Run{.event = [data = std::move(data)](sv, bool) { return data; }, .name = std::move(name)};
}

Response stream(Feed feed) {
  Response response;
  response.content_type = "text/event-stream";
  response.headers.push_back({"cache-control", "no-cache"});
  // A function must be copyable, but its source must not be copied.
  response.next = [source = std::make_shared<FeedSource>(std::move(feed))] {
    return source->next();
  };
  return response;
}

std::size_t chunk_end(sv text, std::size_t begin) {
  std::size_t at = begin;
  std::size_t count = 0;
  while (at < text.size() && is_blank(text[at]) && count < k_max_piece) {
    ++at;
    ++count;
  }
  while (at < text.size() && !is_blank(text[at]) && count < k_max_piece) {
    (void)decode_utf8(text, at);
    ++count;
  }
  return at;
}

}  // namespace svc::emulator::text
