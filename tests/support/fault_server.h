// A server that runs a script of bytes and socket operations, to break protocols on purpose. It
// understands just enough HTTP to find the end of a request.
//
// A script has one step per line; empty lines and lines that start with `#` are ignored. TEXT runs
// to the end of the line; `\r \n \t \0 \\ \xHH` are escapes, and `${PORT}` is the server's own
// port.
//
//   read                     read one request: its head and its body (Content-Length or chunked)
//   read head                only its head; a later `read body` reads the rest
//   read body
//   read COUNT               `read head` first if needed, then at least COUNT bytes of body
//   read h2                  read HTTP/2 frames up to the end of a request's header block
//   header NAME: VALUE       a header for the next `reply` or `events`
//   reply STATUS [TYPE [TEXT]]
//                            a whole response: status line, headers, Content-Length (unless it or
//                            Transfer-Encoding was given), body; implies `read`
//   events                   the head of an event stream, chunked; implies `read`
//   events close             the same, without chunks: ends when the connection closes
//   event TEXT               `data: TEXT` and a blank line
//   comment TEXT             `: TEXT` and a blank line
//   done                     `data: [DONE]` and a blank line
//   part TEXT                bytes of the body
//   bytewise DELAY TEXT      bytes of the body one at a time, DELAY apart (`0ms`: no delay)
//   repeat COUNT TEXT        bytes of the body, COUNT times; inside `events`, TEXT is an event's
//                            data unless it contains a newline
//   upgrade                  101 with the right accept key and the given headers; implies
//                            `read head`. In every other text, `${ACCEPT}` is that key
//   frame WORDS              a WebSocket frame (fault_frames.h): `frame text hello`
//   read frame               read one frame; its record (`text hello` and a newline) is added to
//                            the request's body. `read frames`: up to the client's close
//   echo                     send each message back until the client's close, and answer that
//   end                      the last chunk; implied at the end of a request's steps
//   send TEXT                raw bytes, never framed as a chunk
//   sleep DELAY              `200ms`, `1.5s`
//   close                    close the connection properly (with TLS: close_notify, then FIN)
//   cut                      FIN without close_notify
//   reset                    a TCP reset
//   half                     shut down the sending side, keep reading
//   hang                     read and discard everything until the client closes
//   stall                    neither read nor write until the client closes
//   next                     the following steps answer the next request on this connection
//   connection               the following steps are for the next accepted connection
//   loop                     repeat the steps since the last `next` or `connection` forever, on
//                            this and every later connection; ends the script
//
// Inside an open chunked `events` body each `event`, `comment`, `done`, `part`, each byte of
// `bytewise` and each repetition of `repeat` is one chunk.
//
// Steps that start with a `read` run when a request starts to arrive, others at once. Connections
// beyond the scripted ones continue where an earlier, closed one stopped (so that it does not
// matter whether a client reuses connections); after the last step, a request is recorded and its
// connection closed without a response.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/result.h"

namespace svc::test {

struct Step {
  enum class Kind : std::uint8_t {
    Read,
    ReadHead,
    ReadBody,
    ReadCount,
    ReadH2,
    ReadFrame,
    ReadFrames,
    Echo,
    Reply,
    Send,
    Bytewise,
    Repeat,
    Sleep,
    Close,
    Cut,
    Reset,
    HalfClose,
    Hang,
    Stall
  };
  Kind kind = Kind::Read;
  std::string head{};  ///< Reply: status line and headers, without the blank line
  std::string bytes{};
  std::uint64_t count = 0;             ///< Repeat, ReadCount
  std::chrono::milliseconds delay{0};  ///< Bytewise, Sleep
  bool chunked = false;                ///< each unit goes out as one chunk
};

/// The steps for one request.
using ExchangeScript = std::vector<Step>;

struct ConnectionScript {
  std::vector<ExchangeScript> exchanges{};
};

struct Script {
  std::vector<ConnectionScript> connections{};
  bool loop = false;  ///< the last exchange of the last connection repeats forever
};

/// Parses a script. Usage, with the line number, if it does not follow the rules above.
[[nodiscard]] Result<Script> parse_script(std::string_view text);

/// The same for tests in C++: throws std::invalid_argument if the script is invalid.
[[nodiscard]] Script script(std::string_view text);

enum class Tls : std::uint8_t {
  None,
  Good,       ///< valid for localhost and 127.0.0.1 once ca_file() is trusted
  WrongHost,  ///< for another name
  Expired,
  Tls11,  ///< speaks TLS 1.1 at most
};

struct ServerOptions {
  Tls tls = Tls::None;
  bool h2 = false;          ///< TLS: choose HTTP/2 by ALPN
  bool black_hole = false;  ///< never accepts; connections hang as if packets were lost
  std::uint64_t keep_body_bytes = 16U << 20U;  ///< maximum recorded size of a request's body
};

struct RecordedRequest {
  int connection = 0;  ///< from 1, in order of acceptance
  std::string method{};
  std::string target{};
  std::vector<Header> headers{};
  std::string body{};               ///< without chunks; at most keep_body_bytes
  std::uint64_t body_size = 0;      ///< the full size
  std::chrono::milliseconds at{0};  ///< when its head was complete, since the server started

  /// The first header with that name (case-insensitive), or nullopt.
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

struct ConnectionRecord {
  std::uint64_t received = 0;   ///< bytes, after TLS
  std::uint64_t sent = 0;       ///< bytes, before TLS
  bool handshake_done = false;  ///< true without TLS
  bool client_closed = false;   ///< closed or reset by the client before the script did
  bool closed = false;
};

class FaultServer {
 public:
  /// Listens on a free port of 127.0.0.1, in its own thread, until destroyed.
  [[nodiscard]] static Result<std::unique_ptr<FaultServer>> start(Script script,
                                                                  ServerOptions options = {});
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;
  ~FaultServer();

  [[nodiscard]] std::uint16_t port() const noexcept;

  /// `http://127.0.0.1:PORT` or `https://127.0.0.1:PORT`, followed by `path`.
  [[nodiscard]] std::string url(std::string_view path = {}) const;

  /// A PEM file with the certificate to trust; empty without TLS. Removed with the server.
  [[nodiscard]] std::string ca_file() const;

  /// The requests so far. A request is listed once its head is complete.
  [[nodiscard]] std::vector<RecordedRequest> requests() const;
  [[nodiscard]] std::vector<ConnectionRecord> connections() const;

  /// Waits until `count` requests have arrived, or every accepted connection is closed.
  [[nodiscard]] bool wait_for_requests(std::size_t count, std::chrono::milliseconds limit) const;
  [[nodiscard]] bool wait_until_closed(std::chrono::milliseconds limit) const;

  /// One line of JSON per request: connection, method, target, headers (an array of
  /// [name, value]), body, body_size, at_ms.
  [[nodiscard]] std::string dump() const;

 private:
  struct Impl;
  explicit FaultServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

}  // namespace svc::test
