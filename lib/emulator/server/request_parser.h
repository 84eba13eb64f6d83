// Bytes to HTTP/1 requests. Its .cpp holds the only Beast parser.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/handler/handler.h"
#include "emulator/handler/http_call.h"

namespace svc::emulator {

/// One request after another from one connection.
class RequestParser {
 public:
  RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

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
  [[nodiscard]] std::uint64_t body_limit() const;

  /// Lets the body of the request at hand go to that file, and HttpCall::body_file name it. After
  /// Step::Head.
  void spool_to(std::shared_ptr<BodyFile> file);

  /// Consumes from the front of `input`. Call again after Head; after Done take the request.
  [[nodiscard]] Step feed(std::string& input);

  /// At least one byte of the next request has arrived.
  [[nodiscard]] bool begun() const;
  [[nodiscard]] bool head_done() const;

  /// The head, from Step::Head on; without the body.
  [[nodiscard]] HttpCall head() const;
  [[nodiscard]] std::optional<std::uint64_t> content_length() const;
  [[nodiscard]] bool expects_continue() const;
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] bool is_http_10() const;

  /// The whole request, after Step::Done; the parser is then ready for the next one.
  [[nodiscard]] HttpCall take();

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace svc::emulator
