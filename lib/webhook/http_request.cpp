#include "webhook/http_request.h"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/text.h"

namespace svc::webhook {

namespace http = boost::beast::http;

struct RequestReader::State {
  http::request_parser<http::string_body> parser{};
  std::string rest{};  ///< not parsed yet: a line that is not whole
  bool continued = false;
};

namespace {

/// No chunked body ends with less.
constexpr std::string_view k_last_chunk = "0\r\n\r\n";

int status_of(const boost::system::error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::bad_version) return 505;
  return 400;
}

std::string text_of(boost::beast::string_view view) {
  return {view.data(), view.size()};
}

std::string header_of(const http::fields& fields, const char* name) {
  std::string all;
  const auto [begin, end] = fields.equal_range(name);
  for (auto at = begin; at != end; ++at) {
    if (!all.empty()) all += ' ';
    all += text_of(at->value());
  }
  return all;
}

}  // namespace

RequestReader::RequestReader(const HttpLimits& limits) : m_state(std::make_unique<State>()) {
  m_state->parser.header_limit(static_cast<std::uint32_t>(limits.header));
  m_state->parser.body_limit(limits.body);
  m_state->parser.eager(true);
}
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;
RequestReader::~RequestReader() = default;

RequestReader::Progress RequestReader::refuse(int status) {
  m_status = status;
  return Progress::Refused;
}

RequestReader::Progress RequestReader::judge() {
  State& state = *m_state;
  if (state.parser.is_done()) return Progress::Whole;
  if (!state.parser.is_header_done() || state.continued) return Progress::More;
  const auto expect = state.parser.get()[http::field::expect];
  state.continued = true;
  return equals_ignore_case(text_of(expect), "100-continue") ? Progress::Continue : Progress::More;
}

RequestReader::Progress RequestReader::feed(std::string_view bytes) {
  State& state = *m_state;
  if (m_status != 0) return Progress::Refused;
  if (state.parser.is_done()) return Progress::Whole;
  state.rest.append(bytes);
  std::string_view left = state.rest;
  while (!left.empty() && !state.parser.is_done()) {
    // The parser counts on more of the last chunk than may have come.
    const bool in_chunks = state.parser.is_header_done() && state.parser.chunked();
    if (in_chunks && left.front() == '0' && left.size() < k_last_chunk.size()) break;
    boost::system::error_code error;
    const std::size_t used =
        state.parser.put(boost::asio::const_buffer(left.data(), left.size()), error);
    left.remove_prefix(used);
    if (error == http::error::need_more) break;
    if (error) return refuse(status_of(error));
    if (used == 0) break;
  }
  state.rest.erase(0, state.rest.size() - left.size());
  return judge();
}

RequestReader::Progress RequestReader::ended() {
  State& state = *m_state;
  if (m_status != 0) return Progress::Refused;
  if (state.parser.is_done()) return Progress::Whole;
  boost::system::error_code error;
  if (state.parser.got_some()) state.parser.put_eof(error);
  return state.parser.is_done() && !error ? Progress::Whole : refuse(400);
}

std::size_t RequestReader::kept() const noexcept {
  return m_state->rest.capacity() + m_state->parser.get().body().capacity();
}

HttpRequest RequestReader::take() {
  auto message = m_state->parser.release();
  const std::string target = text_of(message.target());
  return {.method = text_of(message.method_string()),
          .path = target.substr(0, target.find('?')),
          .id = header_of(message, "webhook-id"),
          .timestamp = header_of(message, "webhook-timestamp"),
          .signature = header_of(message, "webhook-signature"),
          .authorization = header_of(message, "authorization"),
          .body = std::move(message.body())};
}

}  // namespace svc::webhook
