// Where a download's bytes end up. Internal to lib/client.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "client/download.h"

namespace svc {

/// Where the bytes end up, and whether they can be taken back.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  /// Before the first byte.
  virtual Result<void> open(const http::HttpHead& head) = 0;
  virtual Result<void> write(std::string_view bytes) = 0;
  /// Forgets everything; not called unless `can_rewind`.
  virtual Result<void> rewind() = 0;
  [[nodiscard]] virtual bool can_rewind() const = 0;
};

class SinkStore final : public Store {
 public:
  explicit SinkStore(const std::function<Result<void>(std::string_view)>& sink) : m_sink(sink) {}
  Result<void> open(const http::HttpHead& /*head*/) override { return {}; }
  Result<void> write(std::string_view bytes) override { return m_sink(bytes); }
  Result<void> rewind() override { return {}; }
  [[nodiscard]] bool can_rewind() const override { return false; }

 private:
  const std::function<Result<void>(std::string_view)>& m_sink;
};

/// A file that the user named, or one in a folder whose name the service chose.
class FileStore final : public Store {
 public:
  explicit FileStore(const DownloadTarget& target) : m_target(target) {}

  /// What can be known before anything is sent.
  [[nodiscard]] Result<void> prepare();

  Result<void> open(const http::HttpHead& head) override;
  Result<void> write(std::string_view bytes) override { return m_file->write(bytes); }
  Result<void> rewind() override { return m_file->rewind(); }
  [[nodiscard]] bool can_rewind() const override { return !m_file || !m_file->is_straight(); }

  /// Null until its name is known.
  [[nodiscard]] AtomicFile* file() noexcept { return m_file ? &*m_file : nullptr; }

 private:
  [[nodiscard]] Result<void> create_named(const std::string& name);
  [[nodiscard]] Result<void> create(const std::string& path, Links links);

  const DownloadTarget& m_target;
  std::optional<AtomicFile> m_file{};
};

}  // namespace svc
