// SHA-256, as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace svc {

/// Computes the SHA-256 hash of data that arrives in chunks.
class Sha256 {
 public:
  /// Throws std::bad_alloc when out of memory.
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view bytes);

  /// Returns 64 lower-case hexadecimal digits. Must be called only once, at the end.
  [[nodiscard]] std::string hexadecimal();

 private:
  struct Context;
  std::unique_ptr<Context> m_context;
};

/// Returns the SHA-256 hash of `bytes` as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace svc
