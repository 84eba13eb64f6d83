// `--jq EXPR`: a jq program over JSON results, by libjq.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "print/streams.h"

namespace svc::print {

/// A compiled jq program (jq 1.6 or 1.7). Each result is a line: strings without quotes, everything
/// else as compact JSON. On a terminal strings are made visible and other results are indented.
///
/// Numbers are doubles: an integer beyond 2^53 comes out rounded where the program computes with
/// it, and by jq 1.6 even where it does not (`--format json` keeps it). Nesting deeper than 256 is
/// refused.
class JqFilter {
 public:
  /// A program that does not compile is Fault::Usage with jq's own sentence.
  [[nodiscard]] static Result<JqFilter> compile(sv program);

  JqFilter(JqFilter&&) noexcept;
  JqFilter& operator=(JqFilter&&) noexcept;
  ~JqFilter();

  /// Runs the program on one document; may be called again and again. Does not flush.
  /// Text that is not JSON is Fault::Network; an error of the running program is
  /// Fault::Unexpected, and the results before it have been written.
  Result<void> run(sv json, Out& out);

 private:
  struct State;
  explicit JqFilter(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace svc::print
