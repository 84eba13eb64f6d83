// SHA-256 as text, and the other digests that protocols ask for, as bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace svc {

/// Computes the SHA-256 hash (FIPS 180-4) of data that arrives in chunks.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view bytes);

  /// Returns the 32 bytes of the hash. This or hexadecimal() must be called only once, at the end.
  [[nodiscard]] std::string bytes();
  /// Returns 64 lower-case hexadecimal digits.
  [[nodiscard]] std::string hexadecimal();

 private:
  struct Context;
  std::unique_ptr<Context> m_context;
};

/// Returns the SHA-256 hash of `bytes` as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

/// Returns the 20 bytes of the SHA-1 hash, which WebSocket handshakes use (RFC 6455 §4.2.2). It
/// protects nothing.
[[nodiscard]] std::string sha1(std::string_view bytes);

/// Returns the 32 bytes of the HMAC-SHA-256 (RFC 2104) of `text`. A key may have any length.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);

/// Whether both are the same, in a time that does not depend on where they differ.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

}  // namespace svc
