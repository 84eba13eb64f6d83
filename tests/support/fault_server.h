// A server that does exactly what a script says, at the level of bytes and sockets: the peer that
// breaks the protocol on purpose. It understands just enough HTTP to find the end of a request.
//
// The text form of a script: one step per line; empty lines and lines that begin with `#` count for
// nothing. TEXT runs to the end of the line; `\r \n \t \0 \\ \xHH` are escapes, and `${PORT}` is
// the server's own port.
//
//   read                     read one request: its head and its body (Content-Length or chunked)
//   read head                only its head; a later `read body` reads the rest
//   read body
//   read COUNT               as `read head` first when needed, then at least COUNT bytes of the
//   body read h2                  read HTTP/2 frames up to the end of a request's header block
//   header NAME: VALUE       a header of the next `reply` or `events`
//   reply STATUS [TYPE [TEXT]]
//                            a whole answer: status line, headers, Content-Length (unless one was
//                            given, or a Transfer-Encoding), body; implies `read`
//   events                   the head of an event stream, chunked; implies `read`
//   events close             the same, ended by closing the connection instead of by chunks
//   event TEXT               `data: TEXT` and a blank line
//   comment TEXT             `: TEXT` and a blank line
//   done                     `data: [DONE]` and a blank line
//   part TEXT                bytes of the body
//   bytewise DELAY TEXT      bytes of the body one at a time, DELAY apart (`0ms`: as fast as may
//   be) repeat COUNT TEXT        bytes of the body, COUNT times; inside `events` the text is the
//   data of
//                            an event, unless it holds a newline
//   upgrade                  101 with the right accept key, and the headers given before; implies
//                            `read head`. In every other text `${ACCEPT}` is that key
//   frame WORDS              a WebSocket frame (fault_frames.h): `frame text hello`
//   read frame               read one frame; its record (`text hello`, and a newline) counts as
//                            body of the request. `read frames`: up to the client's close
//   echo                     sends each message back, until the client's close, which it answers
//   end                      the last chunk; implied at the end of a request's steps
//   send TEXT                bytes as they are, never framed as a chunk
//   sleep DELAY              `200ms`, `1.5s`
//   close                    close the connection in order (with TLS: close_notify, then FIN)
//   cut                      FIN without close_notify
//   reset                    a TCP reset
//   half                     shut down the sending side, go on reading
//   hang                     read and drop everything until the client closes
//   stall                    neither read nor write until the client closes
//   next                     the following steps answer the next request on this connection
//   connection               the following steps are for the next accepted connection
//   loop                     the steps since the last `next` or `connection` repeat for ever, on
//                            this connection and on every later one; ends the script
//
// Inside an open chunked `events` body each `event`, `comment`, `done`, `part`, each byte of
// `bytewise` and each repetition of `repeat` is one chunk.
//
// Steps that begin with a `read` are taken when a request begins to arrive, others at once. A
// connection beyond the scripted ones goes on where an earlier, closed one left off (so it does
// not matter whether a client reuses connections); when nothing is left, its request is recorded
// and the connection closed without an answer.
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

/// What is done for one request.
using ExchangeScript = std::vector<Step>;

struct ConnectionScript {
  std::vector<ExchangeScript> exchanges{};
};

struct Script {
  std::vector<ConnectionScript> connections{};
  bool loop = false;  ///< the last exchange of the last connection repeats for ever
};

/// Reads the text form. Usage, naming the line, when it does not follow the rules above.
[[nodiscard]] Result<Script> parse_script(std::string_view text);

/// The same for tests in C++: a mistake in the text throws std::invalid_argument.
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
  bool black_hole = false;  ///< never accepts: connections hang as if packets were lost
  std::uint64_t keep_body_bytes = 16U << 20U;  ///< how much of a request's body is recorded
};

struct RecordedRequest {
  int connection = 0;  ///< from 1, in order of acceptance
  std::string method{};
  std::string target{};
  std::vector<Header> headers{};
  std::string body{};               ///< chunks undone, at most keep_body_bytes
  std::uint64_t body_size = 0;      ///< all of it
  std::chrono::milliseconds at{0};  ///< when its head was complete, since the server started

  /// The first header of that name (case-insensitive), or nothing.
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

struct ConnectionRecord {
  std::uint64_t received = 0;   ///< bytes, after TLS
  std::uint64_t sent = 0;       ///< bytes, before TLS
  bool handshake_done = false;  ///< true without TLS
  bool client_closed = false;   ///< the client closed or reset it before the script did
  bool closed = false;
};

class FaultServer {
 public:
  /// Listens on 127.0.0.1, a free port, in a thread of its own, until destroyed.
  [[nodiscard]] static Result<std::unique_ptr<FaultServer>> start(Script script,
                                                                  ServerOptions options = {});
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;
  ~FaultServer();

  [[nodiscard]] std::uint16_t port() const noexcept;

  /// `http://127.0.0.1:PORT` or `https://127.0.0.1:PORT`, with `path` behind it.
  [[nodiscard]] std::string url(std::string_view path = {}) const;

  /// A PEM file with the certificate to trust; empty without TLS. Removed with the server.
  [[nodiscard]] std::string ca_file() const;

  /// What arrived so far. A request is listed from the moment its head is complete.
  [[nodiscard]] std::vector<RecordedRequest> requests() const;
  [[nodiscard]] std::vector<ConnectionRecord> connections() const;

  /// Waits until `count` requests have arrived, or every accepted connection is closed.
  [[nodiscard]] bool wait_for_requests(std::size_t count, std::chrono::milliseconds limit) const;
  [[nodiscard]] bool wait_until_closed(std::chrono::milliseconds limit) const;

  /// One JSON object per line and request: connection, method, target, headers (an array of
  /// [name, value]), body, body_size, at_ms.
  [[nodiscard]] std::string dump() const;

 private:
  struct Impl;
  explicit FaultServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> m_impl;
};

}  // namespace svc::test
