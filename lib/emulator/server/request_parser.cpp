#include "emulator/server/request_parser.h"

#include <algorithm>
#include <limits>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/text.h"
#include "emulator/handler/body_file.h"

namespace svc::emulator {
namespace {

namespace http = boost::beast::http;

constexpr std::uint32_t k_max_head = 64U << 10U;

sv view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// "http://host/path" -> "/path": the absolute form that proxies get.
sv origin_form(sv target) {
  const auto scheme = target.find("://");
  if (target.starts_with('/') || scheme == sv::npos) return target;
  const auto path = target.find_first_of("/?", scheme + 3);
  return path == sv::npos ? sv("/") : target.substr(path);
}

}  // namespace

struct RequestParser::Impl {
  std::optional<http::request_parser<http::string_body>> parser{};
  std::uint64_t body_limit = k_max_request_body;
  std::shared_ptr<BodyFile> spool{};
  bool begun = false;
  bool head_told = false;

  /// Moves what there is of the body to the file.
  [[nodiscard]] bool drain() {
    auto& body = parser->get().body();
    if (!spool || body.empty()) return true;
    const bool kept = spool->append(body).has_value();
    body.clear();
    return kept;
  }

  void reset() {
    parser.emplace();
    parser->header_limit(k_max_head);
    // Beast compares a Content-Length with it at the head's end, when the right limit is not known.
    parser->body_limit(std::numeric_limits<std::uint64_t>::max());
    body_limit = k_max_request_body;
    spool = nullptr;
    parser->eager(true);
    begun = false;
    head_told = false;
  }
};

RequestParser::RequestParser() : m_impl(std::make_unique<Impl>()) {
  m_impl->reset();
}
RequestParser::~RequestParser() = default;

void RequestParser::limit_body(std::uint64_t bytes) {
  m_impl->body_limit = bytes;
  m_impl->parser->body_limit(bytes);
}
std::uint64_t RequestParser::body_limit() const {
  return m_impl->body_limit;
}

void RequestParser::spool_to(std::shared_ptr<BodyFile> file) {
  m_impl->spool = std::move(file);
}

RequestParser::Step RequestParser::feed(std::string& input) {
  auto& parser = *m_impl->parser;
  // Empty lines before a request are to be ignored (RFC 9112, section 2.2).
  if (!m_impl->begun) {
    input.erase(0, std::min(input.find_first_not_of("\r\n"), input.size()));
  }
  while (!parser.is_done()) {
    if (parser.is_header_done() && !m_impl->head_told) {
      m_impl->head_told = true;
      parser.body_limit(m_impl->body_limit);
      return Step::Head;
    }
    if (m_impl->head_told && content_length() > m_impl->body_limit) return Step::BodyTooLarge;
    if (input.empty()) return Step::NeedMore;
    m_impl->begun = true;
    // Until the head is told, its end must be seen before any of the body is taken.
    parser.eager(m_impl->head_told);
    boost::beast::error_code error;
    const std::size_t used =
        parser.put(boost::asio::const_buffer(input.data(), input.size()), error);
    input.erase(0, used);
    if (!m_impl->drain()) return Step::BodyLost;
    if (error == http::error::need_more) {
      // Beast bounds the head, but not the line before a chunk.
      return input.size() > 2 * k_max_head ? Step::Malformed : Step::NeedMore;
    }
    if (error == http::error::header_limit) return Step::HeadTooLarge;
    if (error == http::error::body_limit) return Step::BodyTooLarge;
    if (error) return Step::Malformed;
  }
  return Step::Done;
}

bool RequestParser::begun() const {
  return m_impl->begun;
}
bool RequestParser::head_done() const {
  return m_impl->parser->is_header_done();
}

HttpCall RequestParser::head() const {
  const auto& message = m_impl->parser->get();
  HttpCall call;
  call.method = view(message.method_string());
  call.target = origin_form(view(message.target()));
  for (const auto& field : message) {
    call.headers.push_back(
        {std::string(view(field.name_string())), std::string(view(field.value()))});
  }
  return call;
}

std::optional<std::uint64_t> RequestParser::content_length() const {
  const auto length = m_impl->parser->content_length();
  if (!length) return std::nullopt;
  return *length;
}

bool RequestParser::expects_continue() const {
  return equals_ignore_case(view(m_impl->parser->get()[http::field::expect]), "100-continue");
}

bool RequestParser::keep_alive() const {
  return m_impl->parser->keep_alive();
}
bool RequestParser::is_http_10() const {
  return m_impl->parser->get().version() < 11;
}

HttpCall RequestParser::take() {
  HttpCall call = head();
  call.body = std::move(m_impl->parser->get().body());
  call.body_file = std::move(m_impl->spool);
  m_impl->reset();
  return call;
}

}  // namespace svc::emulator
