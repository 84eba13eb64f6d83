// Regular expressions in the syntax of JSON Schema.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc {

class Pattern {
 public:
  /// Usage, with the reason, if the expression is invalid.
  [[nodiscard]] static Result<Pattern> compile(std::string_view text);

  enum class Match : std::uint8_t { No, Yes, TooSlow };

  /// Searches `text`, which must be UTF-8. A pattern that backtracks excessively is stopped after a
  /// bounded number of steps. On a match, `groups` gets the matched text and that of each group.
  [[nodiscard]] Match find_in(std::string_view text,
                              std::vector<std::string>* groups = nullptr) const;

 private:
  struct Deleter {
    void operator()(void* expression) const noexcept;
  };
  explicit Pattern(void* expression) : m_expression(expression) {}
  std::unique_ptr<void, Deleter> m_expression;
};

}  // namespace svc
