// Bytes to HTTP/1 requests, by the parser of Beast.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "emulator/handler/handler.h"
#include "emulator/handler/http_call.h"

namespace svc::emulator {

/// One request after another from one connection.
class RequestParser {
 public:
  RequestParser() { reset(); }
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser() = default;

  enum class Step : std::uint8_t {
    NeedMore,      ///< everything useful was consumed
    Head,          ///< the head is whole; told once, when a body follows
    Done,          ///< the request is whole
    Malformed,     ///< not HTTP/1
    HeadTooLarge,  ///< more than 64 kB
    BodyTooLarge,  ///< more than body_limit()
    BodyLost,      ///< it could not be written to the file of spool_to()
  };

  /// How large the body of the request at hand may be: k_max_request_body, unless limit_body() is
  /// called after Step::Head.
  void limit_body(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t body_limit() const { return m_body_limit; }

  /// Lets the body of the request at hand go to that file, and HttpCall::body_file name it. After
  /// Step::Head.
  void spool_to(std::shared_ptr<BodyFile> file) { m_spool = std::move(file); }

  /// Consumes from the front of `input`. Call again after Head; after Done take the request.
  [[nodiscard]] Step feed(std::string& input);

  /// At least one byte of the next request has arrived.
  [[nodiscard]] bool begun() const { return m_begun; }
  [[nodiscard]] bool head_done() const { return m_parser->is_header_done(); }

  /// The head, from Step::Head on; without the body.
  [[nodiscard]] HttpCall head() const;
  [[nodiscard]] std::optional<std::uint64_t> content_length() const;
  [[nodiscard]] bool expects_continue() const;
  [[nodiscard]] bool keep_alive() const { return m_parser->keep_alive(); }
  [[nodiscard]] bool is_http_10() const { return m_parser->get().version() < 11; }

  /// The whole request, after Step::Done; the parser is then ready for the next one.
  [[nodiscard]] HttpCall take();

 private:
  void reset();
  /// Moves what there is of the body to the file.
  [[nodiscard]] bool drain();

  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> m_parser{};
  std::uint64_t m_body_limit = k_max_request_body;
  std::shared_ptr<BodyFile> m_spool{};
  bool m_begun = false;
  bool m_head_told = false;
};

}  // namespace svc::emulator
