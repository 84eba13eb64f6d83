#include "terminal/editor/input_history.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_max_entry = 64U << 10U;
/// What is read of the file: its end.
constexpr std::uint64_t k_max_read = 16U << 20U;

std::string as_line(const std::string& entry) {
  return nlohmann::json(replace_invalid_utf8(entry)).dump() + "\n";
}

/// The end of a file, from the begin of a line on; "" if it cannot be read. `cut`: there is more.
std::string last_lines(const std::filesystem::path& path, bool& cut) {
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  if (failed || !file) return {};
  std::string text(std::min(size, k_max_read), '\0');
  file.seekg(static_cast<std::streamoff>(size - text.size()));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  cut = size > k_max_read;
  if (cut) text.erase(0, text.find('\n') + 1);
  return text;
}

}  // namespace

InputHistory::InputHistory(std::filesystem::path path) : m_path(std::move(path)) {
  if (m_path.empty()) return;
  bool cut = false;
  const std::string text = last_lines(m_path, cut);
  for (const sv line : split(text, '\n')) {
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (!entry.is_string()) continue;
    m_entries.push_back(entry.get<std::string>());
  }
  const bool too_long = cut || m_entries.size() > 2 * k_most;
  if (m_entries.size() > k_most) {
    m_entries.erase(m_entries.begin(), m_entries.end() - static_cast<std::ptrdiff_t>(k_most));
  }
  if (too_long) trim_file();
}

void InputHistory::trim_file() const {
  // Other programs take the same lock to add entries.
  const auto lock = FileLock::acquire(m_path.string() + ".lock", std::chrono::milliseconds(100));
  if (!lock) return;
  std::string text;
  for (const std::string& entry : m_entries) text += as_line(entry);
  (void)write_file(m_path.string(), text, Replace::Yes, 0600);
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
