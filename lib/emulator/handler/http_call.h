// A request as it came over the wire, before routing, with its body; and the pieces of its target.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/message.h"
#include "base/result.h"

namespace svc::emulator {

/// A large request body in a file of its own, so that memory stays flat. A file without a name: it
/// goes with its last owner. Written first, then read, from any thread.
class BodyFile {
 public:
  /// Returns Local if there is no directory or space for it.
  [[nodiscard]] static Result<std::shared_ptr<BodyFile>> create();

  [[nodiscard]] Result<void> append(std::string_view bytes);

  [[nodiscard]] std::uint64_t size() const { return m_size; }

  /// Reads at `offset` to fill `into`; returns the bytes read: 0 at the end and on error.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<char> into) const;

 private:
  explicit BodyFile(FileDescriptor file) : m_file(std::move(file)) {}
  FileDescriptor m_file;
  std::uint64_t m_size = 0;
};

struct HttpCall {
  std::string method{};
  std::string target{};  ///< path and query, as sent
  std::vector<Header> headers{};
  std::string body{};
  bool from_loopback = true;                    ///< the peer has a loopback address
  bool tls = false;                             ///< received over TLS
  std::shared_ptr<const BodyFile> body_file{};  ///< contains the body instead
  std::stop_token stop{};  ///< requested when the client no longer waits for the response

  /// Returns the target up to the question mark, still encoded.
  [[nodiscard]] std::string_view raw_path() const;
  /// Returns the value of the first header with this name, case-insensitively; "" if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// Undoes percent-encoding; a percent sign without two hexadecimal digits is unchanged.
[[nodiscard]] std::string percent_decode(std::string_view text, bool plus_is_blank = false);

/// Returns the query of a target, decoded, in order.
[[nodiscard]] std::vector<Header> parse_query(std::string_view target);

}  // namespace svc::emulator
