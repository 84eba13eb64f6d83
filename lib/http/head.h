// Parses the head of a response line by line: interim responses, size limits, and checks that
// libcurl 7.88 lacks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/transport.h"

namespace svc::http {

/// The maximum size of all heads of one response, including interim ones and trailers.
inline constexpr std::size_t k_max_head_bytes = 256U << 10U;

class HeadReader {
 public:
  /// Parses one line, with or without its line end. Returns true if it completed the final head
  /// (not that of a 1xx response). Network if the head has too many or too long lines, or two
  /// different Content-Length values. Lines after the final head are trailers, which only count
  /// towards the size limit.
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

/// The value common to all Content-Length headers, or nothing without one. Network if they differ
/// or are not numbers.
[[nodiscard]] Result<std::optional<std::uint64_t>> content_length(const HttpHead& head);

}  // namespace svc::http
