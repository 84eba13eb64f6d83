// The head of an answer, line by line: interim answers, caps, and what libcurl 7.88 lets pass.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/transport.h"

namespace svc::http {

/// The most that the heads of one answer, interim ones and trailers included, may take.
inline constexpr std::size_t k_max_head_bytes = 256U << 10U;

class HeadReader {
 public:
  /// Takes one line as it arrived, with or without its line end. True when it completed the final
  /// head (not that of a 1xx answer). Network when the lines are too many or too long, or when the
  /// head has two different Content-Length values. Lines behind the final head are trailers and
  /// only counted.
  [[nodiscard]] Result<bool> line(std::string_view text);

  [[nodiscard]] bool complete() const noexcept { return m_complete; }
  [[nodiscard]] const HttpHead& head() const noexcept { return m_head; }

 private:
  [[nodiscard]] Result<bool> status_line(std::string_view text);
  [[nodiscard]] Result<bool> end_of_head();
  void header_line(std::string_view text);

  HttpHead m_head{};
  std::size_t m_bytes = 0;
  bool m_complete = false;
};

/// The one value of all Content-Length headers, or nothing when there is none. Network when they
/// differ or are no numbers.
[[nodiscard]] Result<std::optional<std::uint64_t>> content_length(const HttpHead& head);

}  // namespace svc::http
