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
  std::size_t most_header = 0;
  std::size_t header = 0;  ///< bytes of it that were parsed
  bool continued = false;
};

namespace {

constexpr std::string_view k_end_of_header = "\r\n\r\n";
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
  // The parser's own limit depends on how the bytes are cut; it only bounds what is kept.
  m_state->parser.header_limit(static_cast<std::uint32_t>(2 * limits.header));
  m_state->most_header = limits.header;
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
  const bool in_header = !state.parser.is_header_done();
  if (in_header) {
    const std::size_t end = left.find(k_end_of_header);
    const std::size_t here =
        end == std::string_view::npos ? left.size() : end + k_end_of_header.size();
    if (state.header + here > state.most_header) return refuse(431);
  }
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
  const std::size_t parsed = state.rest.size() - left.size();
  if (in_header) state.header += parsed;
  state.rest.erase(0, parsed);
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
