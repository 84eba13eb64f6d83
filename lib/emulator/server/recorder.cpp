#include "emulator/server/recorder.h"

#include <filesystem>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include "base/atomic_file.h"
#include "base/files.h"
#include "emulator/control/control.h"
#include "emulator/handler/socket.h"
#include "emulator/json/json.h"

namespace svc::emulator {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using text::Json;

constexpr std::chrono::minutes k_max_silence{10};

bool is_forwarded(sv name) {
  constexpr std::array<sv, 8> k_own = {"Host",       "Connection",       "Content-Length",
                                       "Expect",     "Accept-Encoding",  "X-Test-Id",
                                       "Keep-Alive", "Transfer-Encoding"};
  return std::ranges::none_of(k_own, [&](sv one) { return equals_ignore_case(one, name); });
}

Result<std::string> body_of(const HttpRequest& request) {
  if (!request.body_file) return request.body;
  return request.body_file->read(0, request.body_file->size());
}

// What the rule matches: the operation, the path with its query or without any, and the whole body.
Json match_of(const HttpRequest& request, sv operation, const std::string& body) {
  Json match = {{"path", request.target + (request.target.find('?') == sv::npos ? "?" : "")}};
  if (!operation.empty()) match["operation"] = operation;
  Json document = text::parse_json(body);
  redact(document);
  if (!document.is_null() || contains_ignore_case(request.header("Content-Type"), "json")) {
    match["body"] = {{"", std::move(document)}};  // null if it is not well-formed
  }
  return match;
}

// The answer as a rule writes it: JSON, the events of a stream, text, or bytes.
Json answer_of(const Response& response) {
  Json headers = {{"Content-Type", response.content_type}};
  for (const Header& header : response.headers) headers[header.name] = header.value;
  Json answer = {{"status", response.status}, {"headers", std::move(headers)}};
  if (Json document = text::parse_json(response.body); !document.is_null()) {
    redact(document);
    answer["body"] = std::move(document);
  } else if (response.body.empty() || !first_invalid_utf8(response.body)) {
    answer["body"] = response.body;
  } else {
    answer["body_base64"] = base64_encode(response.body);
  }
  return answer;
}

Response failed(sv why) {
  return error_response(502, "emulator_record_failed",
                        fmt::format("The service could not be reached: {}.", why));
}

}  // namespace

/// A connection to the service, plain or over TLS, used by one thread at a time.
class Recorder::Link {
 public:
  Link(const Upstream& upstream, asio::ssl::context& tls) : m_stream(m_context, tls) {
    asio::ip::tcp::resolver resolver(m_context);
    const auto found = resolver.resolve(upstream.host, upstream.port);
    run([&](auto&, const auto& done) { lowest().async_connect(found, done); });
    m_secure = upstream.tls;
    if (!m_secure) return;
    SSL_set_tlsext_host_name(m_stream.native_handle(), upstream.host.c_str());
    m_stream.set_verify_mode(asio::ssl::verify_peer);
    m_stream.set_verify_callback(asio::ssl::host_name_verification(upstream.host));
    run([&](auto&, const auto& done) {
      m_stream.async_handshake(asio::ssl::stream_base::client, done);
    });
  }

  void send(http::request<http::string_body>& request) {
    m_parser.skip(request.method() == http::verb::head);
    run([&](auto& stream, const auto& done) { http::async_write(stream, request, done); });
  }
  void read_head() {
    m_parser.body_limit(256ULL << 20U);
    m_parser.eager(true);
    run([&](auto& stream, const auto& done) {
      http::async_read_header(stream, m_input, m_parser, done);
    });
  }
  /// Returns the next part of the body; "" at its end.
  std::string read_part() {
    while (m_parser.get().body().empty() && !m_parser.is_done()) {
      run([&](auto& stream, const auto& done) {
        http::async_read_some(stream, m_input, m_parser, done);
      });
    }
    return std::exchange(m_parser.get().body(), {});
  }
  /// Ends a call of another thread.
  void stop() { ::shutdown(lowest().socket().native_handle(), SHUT_RDWR); }
  [[nodiscard]] const http::response<http::string_body>& head() const { return m_parser.get(); }

 private:
  beast::tcp_stream& lowest() { return beast::get_lowest_layer(m_stream); }

  // Waits for one operation; a service that is silent for too long is given up.
  template <typename Start>
  void run(const Start& start) {
    beast::error_code failed;
    const auto done = [&](const beast::error_code& error, auto&&...) { failed = error; };
    lowest().expires_after(k_max_silence);
    m_secure ? start(m_stream, done) : start(lowest(), done);
    m_context.restart();
    m_context.run();
    if (failed) throw boost::system::system_error(failed);
  }

  asio::io_context m_context{};
  beast::ssl_stream<beast::tcp_stream> m_stream;
  bool m_secure = false;
  beast::flat_buffer m_input{};
  http::response_parser<http::string_body> m_parser{};
};

Result<Upstream> parse_upstream(sv url) {
  Upstream upstream;
  upstream.tls = url.starts_with("https://");
  if (!upstream.tls && !url.starts_with("http://")) {
    return usage_error(fmt::format("--record must be an http or https URL, not {}.", shown(url)));
  }
  const sv rest = url.substr(url.find("://") + 3);
  const sv authority = rest.substr(0, rest.find('/'));
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != sv::npos && authority.find(']', colon) == sv::npos;
  upstream.authority = authority;
  upstream.host = authority.substr(0, has_port ? colon : sv::npos);
  if (upstream.host.starts_with('[') && upstream.host.ends_with(']')) {  // IPv6
    upstream.host = upstream.host.substr(1, upstream.host.size() - 2);
  }
  upstream.port = has_port ? authority.substr(colon + 1) : sv(upstream.tls ? "443" : "80");
  upstream.prefix = rest.substr(authority.size());
  while (upstream.prefix.ends_with('/')) upstream.prefix.pop_back();
  const bool plain = upstream.host.find_first_of("@?# ") == std::string::npos;
  if (upstream.host.empty() || !plain || !parse_integer(upstream.port)) {
    return usage_error(fmt::format("--record must be an http or https URL, not {}.", shown(url)));
  }
  return upstream;
}

Recorder::Recorder(Upstream upstream, std::string file)
    : m_upstream(std::move(upstream)),
      m_file(std::move(file)),
      m_tls(asio::ssl::context::tls_client),
      m_rules(std::make_shared<Json>(Json::array())) {
  m_tls.set_default_verify_paths();
}

Result<std::unique_ptr<Recorder>> Recorder::open(Upstream upstream, std::string file) {
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(upstream), std::move(file)));
  std::error_code error;
  if (std::filesystem::exists(recorder->m_file, error)) {
    SVC_TRY(text, read_file(recorder->m_file));
    Json rules = text::parse_json(text);
    if (!rules.is_array()) {
      return usage_error(
          fmt::format("{} is not a file of answer rules.", quote_path(recorder->m_file)),
          "Choose another file with --record-to.");
    }
    *recorder->m_rules = std::move(rules);
  }
  SVC_CHECK(
      write_file(recorder->m_file, text::dump(*recorder->m_rules) + "\n", Replace::Yes, 0600));
  return recorder;
}

Response Recorder::forward(const HttpRequest& request, sv operation) {
  if (asks_for_socket(request)) {
    return error_response(501, "emulator_record_failed", "--record does not forward WebSockets.");
  }
  const auto body = body_of(request);
  if (!body) return internal_error(body.error());
  http::request<http::string_body> out;
  out.method_string({request.method.data(), request.method.size()});
  out.target(m_upstream.prefix + request.target);
  for (const Header& header : request.headers) {
    if (is_forwarded(header.name)) out.insert(header.name, header.value);
  }
  out.set(http::field::host, m_upstream.authority);
  out.set(http::field::accept_encoding, "identity");
  out.body() = *body;
  out.prepare_payload();
  try {
    auto link = std::make_shared<Link>(m_upstream, m_tls);
    {
      const std::lock_guard lock(m_mutex);
      std::erase_if(m_links, [](const auto& one) { return one.expired(); });
      m_links.push_back(link);
    }
    // A client that leaves ends the call.
    const auto left = std::make_shared<std::stop_callback<std::function<void()>>>(
        request.stop, [link] { link->stop(); });
    link->send(out);
    link->read_head();
    Response response;
    response.status = static_cast<int>(link->head().result_int());
    response.content_type = std::string(link->head()[http::field::content_type]);
    for (const sv name : {"Retry-After", "x-request-id", "Location"}) {
      const auto value = link->head()[{name.data(), name.size()}];
      if (!value.empty()) response.headers.push_back({std::string(name), std::string(value)});
    }
    sv secret = request.header("Authorization");
    secret = secret.substr(std::min(secret.size(), secret.find(' ') + 1));
    Json match = match_of(request, operation, *body);
    if (!response.content_type.starts_with("text/event-stream")) {
      for (std::string part = link->read_part(); !part.empty(); part = link->read_part()) {
        response.body += part;
      }
      if (request.method != "HEAD") record(std::string(secret), std::move(match), response);
      return response;
    }
    const auto whole = std::make_shared<Response>(response);
    response.next = [this, link, left, whole, match, secret = std::string(secret),
                     done = false]() mutable -> std::optional<StreamChunk> {
      std::string part = done ? "" : link->read_part();
      whole->body += part;
      if (!part.empty()) return StreamChunk{std::move(part)};
      if (!std::exchange(done, true)) record(secret, match, *whole);
      return std::nullopt;
    };
    return response;
  } catch (const boost::system::system_error& error) {
    return failed(error.code().message());
  }
}

void Recorder::stop() {
  const std::lock_guard lock(m_mutex);
  for (const auto& weak : m_links) {
    if (const auto link = weak.lock()) link->stop();
  }
}

void Recorder::record(const std::string& secret, Json match, const Response& response) {
  Json rule = {{"match", std::move(match)}, {"answer", answer_of(response)}};
  if (!secret.empty()) rule = text::parse_json(replace_all(text::dump(rule), secret, "REDACTED"));
  const std::lock_guard lock(m_mutex);
  // The last answer to a request stays; those before it were given once.
  for (Json& one : *m_rules) {
    if (text::copy_of(one, "match") == rule["match"]) one["times"] = 1;
  }
  m_rules->push_back(std::move(rule));
  (void)write_file(m_file, m_rules->dump(1, ' ', false, Json::error_handler_t::replace) + "\n",
                   Replace::Yes, 0600);
}

}  // namespace svc::emulator
