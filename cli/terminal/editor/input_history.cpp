#include "terminal/editor/input_history.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_max_entry = 64U << 10U;
/// What is read of the file: its end.
constexpr std::streamoff k_max_read = 16 << 20;

std::string as_line(const std::string& entry) {
  return nlohmann::json(replace_invalid_utf8(entry)).dump() + "\n";
}

/// What a file says, as far as it is read.
struct SavedLines {
  std::vector<std::string> entries{};
  bool cut = false;  ///< there are earlier ones
};

/// The end of a file, from the begin of a line on; nothing if it cannot be read.
SavedLines read_lines(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  std::string text(static_cast<std::size_t>(std::min(size, k_max_read)), '\0');
  file.seekg(size - static_cast<std::streamoff>(text.size()));
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) return {};
  SavedLines lines{.cut = size > k_max_read};
  if (lines.cut) text.erase(0, text.find('\n') + 1);
  for (const sv line : split(text, '\n')) {
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_string()) lines.entries.push_back(entry.get<std::string>());
  }
  return lines;
}

/// The newest entries.
std::vector<std::string> newest(std::vector<std::string> entries) {
  const std::size_t more = entries.size() - std::min(entries.size(), InputHistory::k_most);
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(more));
  return entries;
}

/// Leaves only the newest entries in the file, and returns them.
std::vector<std::string> trimmed(const std::filesystem::path& path) {
  // Other programs take the same lock to add entries, and to do this.
  const auto lock = FileLock::acquire(path.string() + ".lock", std::chrono::milliseconds(100));
  std::vector<std::string> entries = newest(read_lines(path).entries);
  if (!lock || entries.empty()) return entries;
  std::string text;
  for (const std::string& entry : entries) text += as_line(entry);
  (void)write_file(path.string(), text, Replace::Yes, 0600);
  return entries;
}

}  // namespace

InputHistory::InputHistory(std::filesystem::path path) : m_path(std::move(path)) {
  if (m_path.empty()) return;
  SavedLines lines = read_lines(m_path);
  if (lines.cut || lines.entries.size() > 2 * k_most) lines.entries = trimmed(m_path);
  m_entries = newest(std::move(lines.entries));
}

Result<void> InputHistory::add(const std::string& entry, const std::vector<std::string>& secrets) {
  rest();
  if (trim(entry).empty() || entry.starts_with(' ') || entry.size() > k_max_entry) return {};
  if (!m_entries.empty() && m_entries.back() == entry) return {};
  for (const std::string& secret : secrets) {
    if (!secret.empty() && entry.find(secret) != std::string::npos) return {};
  }
  m_entries.push_back(entry);
  if (m_path.empty()) return {};
  SVC_CHECK(make_private_directory(m_path.parent_path()));
  const auto lock = FileLock::acquire(m_path.string() + ".lock", std::chrono::milliseconds(500));
  if (!lock) return lock.error();
  const FileDescriptor file(
      ::open(m_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0) return system_error("cannot open " + m_path.string(), errno);
  const std::string line = as_line(entry);
  if (::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return system_error("cannot write " + m_path.string(), errno);
  }
  return {};
}

std::optional<std::string> InputHistory::older(const std::string& current) {
  if (m_ago >= m_entries.size()) return std::nullopt;
  if (m_ago == 0) m_current = current;
  ++m_ago;
  return ago(m_ago - 1);
}

std::optional<std::string> InputHistory::newer() {
  if (m_ago == 0) return std::nullopt;
  --m_ago;
  return m_ago == 0 ? m_current : ago(m_ago - 1);
}

std::optional<std::size_t> InputHistory::find(std::string_view part, std::size_t from) const {
  for (std::size_t at = from; at < m_entries.size(); ++at) {
    if (contains_ignore_case(ago(at), part)) return at;
  }
  return std::nullopt;
}

const std::string& InputHistory::ago(std::size_t count) const {
  return m_entries[m_entries.size() - 1 - count];
}

}  // namespace svc::cli
