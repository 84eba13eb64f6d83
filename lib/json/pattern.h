// Regular expressions as JSON Schema writes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace svc {

class Pattern {
 public:
  /// Usage, with what is wrong with it.
  [[nodiscard]] static Result<Pattern> compile(std::string_view text);

  enum class Match : std::uint8_t { No, Yes, TooSlow };

  /// Whether it is found in `text`, which is UTF-8. A pattern that backtracks without end is
  /// stopped after a bounded number of steps.
  [[nodiscard]] Match find_in(std::string_view text) const;

 private:
  struct Free {
    void operator()(void* expression) const noexcept;
  };
  explicit Pattern(void* expression) : m_expression(expression) {}
  std::unique_ptr<void, Free> m_expression;
};

}  // namespace svc
