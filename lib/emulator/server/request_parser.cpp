#include "emulator/server/request_parser.h"

#include <algorithm>
#include <limits>

#include <boost/asio/buffer.hpp>

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

void RequestParser::reset() {
  m_parser.emplace();
  m_parser->header_limit(k_max_head);
  // Beast compares a Content-Length with it at the head's end, when the right limit is not known.
  m_parser->body_limit(std::numeric_limits<std::uint64_t>::max());
  m_parser->eager(true);
  m_body_limit = k_max_request_body;
  m_spool = nullptr;
  m_begun = m_head_told = false;
}

bool RequestParser::drain() {
  auto& body = m_parser->get().body();
  if (!m_spool || body.empty()) return true;
  const bool kept = m_spool->append(body).has_value();
  body.clear();
  return kept;
}

void RequestParser::limit_body(std::uint64_t bytes) {
  m_body_limit = bytes;
  m_parser->body_limit(bytes);
}

RequestParser::Step RequestParser::feed(std::string& input) {
  auto& parser = *m_parser;
  // Empty lines before a request are to be ignored (RFC 9112, section 2.2).
  if (!m_begun) {
    input.erase(0, std::min(input.find_first_not_of("\r\n"), input.size()));
  }
  while (!parser.is_done()) {
    if (parser.is_header_done() && !m_head_told) {
      m_head_told = true;
      parser.body_limit(m_body_limit);
      return Step::Head;
    }
    if (m_head_told && content_length() > m_body_limit) return Step::BodyTooLarge;
    if (input.empty()) return Step::NeedMore;
    m_begun = true;
    // Until the head is told, its end must be seen before any of the body is taken.
    parser.eager(m_head_told);
    boost::beast::error_code error;
    const std::size_t used =
        parser.put(boost::asio::const_buffer(input.data(), input.size()), error);
    input.erase(0, used);
    if (!drain()) return Step::BodyLost;
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

HttpCall RequestParser::head() const {
  const auto& message = m_parser->get();
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
  const auto length = m_parser->content_length();
  if (!length) return std::nullopt;
  return *length;
}

bool RequestParser::expects_continue() const {
  return equals_ignore_case(view(m_parser->get()[http::field::expect]), "100-continue");
}

HttpCall RequestParser::take() {
  HttpCall call = head();
  call.body = std::move(m_parser->get().body());
  call.body_file = std::move(m_spool);
  reset();
  return call;
}

}  // namespace svc::emulator
