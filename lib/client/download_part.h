// The parts of a download that need no network: validators, ranges, and partial files of
// interrupted runs. Internal to lib/client.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/atomic_file.h"
#include "base/result.h"
#include "client/download.h"
#include "http/transport.h"

namespace svc {

/// Identifies a version of a file (RFC 9110 §8.8, §13.1.5).
struct Validator {
  std::string etag{};  ///< strong ones only
  std::string last_modified{};

  [[nodiscard]] bool empty() const noexcept { return etag.empty() && last_modified.empty(); }
  /// The value of If-Range.
  [[nodiscard]] const std::string& text() const noexcept {
    return etag.empty() ? last_modified : etag;
  }
  [[nodiscard]] bool operator==(const Validator&) const = default;
};

[[nodiscard]] Validator validator_of(const http::HttpHead& head);

/// `bytes 5-9/10`; `total` is empty for `*`.
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total{};
};

[[nodiscard]] std::optional<ContentRange> parse_content_range(std::string_view text);

/// Saved for a later run to resume a download.
struct ResumeInfo {
  std::string source{};  ///< the URL without its query, which may contain a signature
  Validator validator{};
  std::optional<std::uint64_t> total{};
};

/// A URL without parts that may be secret or change between runs.
[[nodiscard]] std::string source_of(std::string_view url);

/// Adopts an earlier run's partial file of the same source, found next to `file`, and removes its
/// JSON file; returns its size, or empty if there is none.
struct Resumed {
  ResumeInfo info{};
  std::uint64_t bytes = 0;
};
[[nodiscard]] std::optional<Resumed> adopt_partial(AtomicFile& file, const std::string& source);

/// Saves the data written so far as "PATH.partial" with its JSON file; returns the path, or "" if
/// nothing is saved.
[[nodiscard]] std::string save_partial_download(AtomicFile& file, const ResumeInfo& info);

/// The destination of a download's bytes, which may allow rewinding. Internal to lib/client.
class Destination {
 public:
  Destination() = default;
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;
  virtual ~Destination() = default;

  /// Called before the first byte.
  virtual Result<void> open(const http::HttpHead& head) = 0;
  virtual Result<void> write(std::string_view bytes) = 0;
  /// Discards everything; only called if `can_rewind`.
  virtual Result<void> rewind() = 0;
  [[nodiscard]] virtual bool can_rewind() const = 0;
};

class SinkDestination final : public Destination {
 public:
  explicit SinkDestination(const std::function<Result<void>(std::string_view)>& sink)
      : m_sink(sink) {}
  Result<void> open(const http::HttpHead& /*head*/) override { return {}; }
  Result<void> write(std::string_view bytes) override { return m_sink(bytes); }
  Result<void> rewind() override { return {}; }
  [[nodiscard]] bool can_rewind() const override { return false; }

 private:
  const std::function<Result<void>(std::string_view)>& m_sink;
};

/// A file named by the user, or one in a directory with a name from the service.
class FileDestination final : public Destination {
 public:
  explicit FileDestination(const DownloadTarget& target) : m_target(target) {}

  /// Checks the target before anything is sent.
  [[nodiscard]] Result<void> prepare();

  Result<void> open(const http::HttpHead& head) override;
  Result<void> write(std::string_view bytes) override { return m_file->write(bytes); }
  Result<void> rewind() override { return m_file->rewind(); }
  [[nodiscard]] bool can_rewind() const override { return !m_file || !m_file->is_direct(); }

  /// Null until its name is known.
  [[nodiscard]] AtomicFile* file() noexcept { return m_file ? &*m_file : nullptr; }

 private:
  [[nodiscard]] Result<void> create_named(const std::string& name);
  [[nodiscard]] Result<void> create(const std::string& path, Links links);

  const DownloadTarget& m_target;
  std::optional<AtomicFile> m_file{};
};

}  // namespace svc
