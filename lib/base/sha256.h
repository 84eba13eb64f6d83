// SHA-256, as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace svc {

/// Of bytes that come in pieces.
class Sha256 {
 public:
  /// Throws std::bad_alloc when there is no memory for it.
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view bytes);

  /// 64 hexadecimal digits, in lower case. To be called once, at the end.
  [[nodiscard]] std::string hexadecimal();

 private:
  struct Context;
  std::unique_ptr<Context> m_context;
};

/// Of bytes that are at hand: 64 hexadecimal digits, in lower case.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace svc
