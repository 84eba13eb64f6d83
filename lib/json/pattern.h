// Regular expressions as JSON Schema writes them.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"

namespace svc {

class Pattern {
 public:
  /// Usage, with what is wrong with it.
  [[nodiscard]] static Result<Pattern> compile(std::string_view text);

  /// Whether it is found in `text`, which is UTF-8. One that would take for ever is not.
  [[nodiscard]] bool is_in(std::string_view text) const;

 private:
  struct Free {
    void operator()(void* expression) const noexcept;
  };
  explicit Pattern(void* expression) : m_expression(expression) {}
  std::unique_ptr<void, Free> m_expression;
};

}  // namespace svc
