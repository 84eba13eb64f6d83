// The parts of a download that need no network: validators, ranges, and what is left of a run that
// was cut. Internal to lib/client.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "http/transport.h"

namespace svc {

/// What tells that a file is still the same one (RFC 9110 §8.8, §13.1.5).
struct Validator {
  std::string etag{};  ///< strong ones only
  std::string last_modified{};

  [[nodiscard]] bool empty() const noexcept { return etag.empty() && last_modified.empty(); }
  /// For If-Range.
  [[nodiscard]] const std::string& text() const noexcept {
    return etag.empty() ? last_modified : etag;
  }
  [[nodiscard]] bool operator==(const Validator&) const = default;
};

[[nodiscard]] Validator validator_of(const http::HttpHead& head);

/// `bytes 5-9/10`; `total` is nothing for `*`.
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total{};
};

[[nodiscard]] std::optional<ContentRange> parse_content_range(std::string_view text);

/// What a later run must know to go on.
struct ResumeInfo {
  std::string source{};  ///< the address without query, which may hold a signature
  Validator validator{};
  std::optional<std::uint64_t> total{};
};

/// An address without what may be secret or change between runs.
[[nodiscard]] std::string source_of(std::string_view url);

/// Looks beside `file`'s path for what an earlier run left of the same source, takes it over, and
/// removes the note beside it; the number of bytes, or nothing.
struct Resumed {
  ResumeInfo info{};
  std::uint64_t bytes = 0;
};
[[nodiscard]] std::optional<Resumed> take_up(AtomicFile& file, const std::string& source);

/// Leaves what was written as "PATH.partial" with its note; the path, or "" when nothing is left.
[[nodiscard]] std::string leave(AtomicFile& file, const ResumeInfo& info);

}  // namespace svc
