// `--jq EXPR`: a jq program over JSON results, run by libjq.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "print/streams.h"

namespace svc::print {

/// A compiled jq program (jq 1.6 or 1.7). Each result is a line: strings without quotes, everything
/// else as compact JSON. On a terminal, strings are escaped and other results indented.
///
/// Numbers are doubles: integers beyond 2^53 are rounded if the program computes with them, and
/// with jq 1.6 always (`--format json` never rounds). Nesting deeper than 256 levels is an error.
class JqFilter {
 public:
  /// Compiles the program. A program that does not compile is Fault::Usage with jq's own message.
  /// A run ends once `cancel`, which must outlive the filter, is canceled; null: never.
  [[nodiscard]] static Result<JqFilter> compile(sv program, const CancelToken* cancel = nullptr);

  JqFilter(JqFilter&&) noexcept;
  JqFilter& operator=(JqFilter&&) noexcept;
  ~JqFilter();

  /// Runs the program on one document; may be called repeatedly. Does not flush. Returns
  /// Fault::Network if the text is not JSON, and Fault::Unexpected if the program fails; results
  /// before the error are written.
  Result<void> run(sv json, Out& out);

 private:
  struct State;
  explicit JqFilter(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace svc::print
