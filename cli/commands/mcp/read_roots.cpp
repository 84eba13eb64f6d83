#include "commands/mcp/read_roots.h"

#include <algorithm>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/platform.h"
#include "base/text.h"
#include "base/url.h"
#include "commands/command.h"
#include "json/text.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr sv k_file_scheme = "file:";
/// Its files show the environment and the memory of processes, svc's too.
const fs::path k_processes = "/proc";
/// Longest time for which a file waits for the client to name its roots.
constexpr auto k_longest_wait = 5s;

/// Whether `file` is `directory` or below it; both are real paths.
bool is_below(const fs::path& file, const fs::path& directory) {
  const auto [end, _] = std::ranges::mismatch(directory, file);
  return end == directory.end();
}

/// Without symbolic links and "..", as far as it exists; empty if it cannot be known.
fs::path real_path(const fs::path& path) {
  std::error_code failed;
  fs::path real = fs::weakly_canonical(path, failed);
  if (failed) return {};
  // A trailing slash would be an empty last component.
  return real.has_filename() || real == real.root_path() ? real : real.parent_path();
}

/// The path of a file: URI of this machine; anything else is returned as it is.
std::string path_of(const std::string& text) {
  if (!text.starts_with(k_file_scheme)) return text;
  sv rest = sv(text).substr(k_file_scheme.size());
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    if (rest.starts_with("localhost/")) rest.remove_prefix(sv("localhost").size());
  }
  return rest.starts_with('/') ? percent_decode(rest) : text;
}

bool is_same_file(const fs::path& path, const struct stat& file) {
  struct stat other {};
  return ::stat(path.c_str(), &other) == 0 && other.st_dev == file.st_dev &&
         other.st_ino == file.st_ino;
}

/// Whether `own`, or a file below it, is the same file by another name.
bool holds_same_file(const fs::path& own, const struct stat& file) {
  std::error_code failed;
  if (!fs::is_directory(own, failed)) return is_same_file(own, file);
  fs::recursive_directory_iterator it(own, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && it != fs::recursive_directory_iterator(); it.increment(failed)) {
    if (is_same_file(it->path(), file)) return true;
  }
  return false;
}

/// The file as it is at this moment; nothing if it cannot be opened or is not a regular file. The
/// path is asked for after opening: before, a directory on the way could become a link.
std::optional<ReadableFile> open_regular(const fs::path& path) {
  ReadableFile file{
      FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK))};
  struct stat status {};
  if (!file.open.is_open() || ::fstat(file.open.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  file.path = real_path_of(file.open.get());
  if (file.path.empty()) return std::nullopt;
  return file;
}

fs::path default_root(const std::string& home) {
  std::error_code failed;
  const fs::path here = real_path(fs::current_path(failed));
  const bool is_home = !home.empty() && here == real_path(home);
  return failed || here == here.root_path() || is_home ? fs::path() : here;
}

}  // namespace

Result<std::unique_ptr<ReadRoots>> ReadRoots::create(const std::vector<std::string>& roots,
                                                     const Session& session) {
  std::unique_ptr<ReadRoots> made(new ReadRoots);
  for (const std::string& root : roots) {
    std::error_code failed;
    if (!fs::is_directory(root, failed)) {
      return usage_error(fmt::format("--root: {} is not a directory", quote_path(root)));
    }
    made->m_roots.push_back(real_path(root));
  }
  if (const fs::path here = default_root(session.environment()("HOME").value_or(""));
      roots.empty() && !here.empty()) {
    made->m_roots.push_back(here);
  }
  for (const fs::path& own : {config_directory(), state_directory()}) {
    if (!own.empty()) made->m_own.push_back(real_path(own));
  }
  made->add_files_of(session.settings());
  for (const auto& [name, _] : session.config().profiles()) {
    std::vector<Error> ignored;
    const auto settings = resolve_settings({{"profile", name}}, session.environment(),
                                           session.config(), NewProfile::Refuse, &ignored);
    if (settings) made->add_files_of(*settings);
  }
  return made;
}

void ReadRoots::add_files_of(const Settings& settings) {
  for (const SettingRow& row : setting_rows()) {
    const Setting& setting = settings.*row.member;
    if (row.kind == SettingKind::Path && setting.is_set()) {
      m_own.push_back(real_path(setting.value));
    }
  }
}

void ReadRoots::expect() {
  const std::lock_guard lock(m_mutex);
  m_expected = true;
}

void ReadRoots::grant(const std::vector<std::string>& uris) {
  const std::lock_guard lock(m_mutex);
  m_roots.clear();
  for (const std::string& uri : uris) {
    const fs::path path = path_of(uri);
    if (uri.starts_with(k_file_scheme) && path.is_absolute()) m_roots.push_back(real_path(path));
  }
  m_expected = false;
  m_named.notify_all();
}

void ReadRoots::give_up() {
  const std::lock_guard lock(m_mutex);
  m_expected = false;
  m_named.notify_all();
}

std::string temporary_call_path() {
  std::error_code failed;
  fs::path directory = fs::temp_directory_path(failed);
  if (failed) directory = "/tmp";
  return (directory / "svc-mcp-XXXXXX").string();
}

HeldFiles::~HeldFiles() {
  std::error_code ignored;
  if (!m_directory.empty()) fs::remove_all(m_directory, ignored);
}

Result<std::string> HeldFiles::add(ReadableFile file) {
  std::error_code failed;
  if (m_directory.empty()) {
    std::string path = temporary_call_path();
    if (::mkdtemp(path.data()) == nullptr) {
      return system_error("cannot create a directory for the files of a call", errno);
    }
    m_directory = std::move(path);
  }
  // A directory for each: two files may have one name.
  const fs::path place = fs::path(m_directory) / std::to_string(m_held.size());
  const fs::path name = place / file.path.filename();
  fs::create_directory(place, failed);
  if (!failed) fs::create_symlink(path_to_descriptor(file.open.get()), name, failed);
  if (failed) return system_error("cannot open " + quote_path(file.path.string()), failed.value());
  m_held.push_back(
      {std::move(file.open), place.string() + "/", (file.path.parent_path() / "").string()});
  return name.string();
}

std::string HeldFiles::with_real_paths(std::string json) const {
  for (const Held& held : m_held) {
    const bool plain = json_quote(held.real).size() == held.real.size() + 2;
    if (plain) json = replace_all(std::move(json), held.place, held.real);
  }
  return json;
}

Result<void> ReadRoots::wait_for_client(const CancelToken& cancel) const {
  std::unique_lock lock(m_mutex);
  const auto end = std::chrono::steady_clock::now() + k_longest_wait;
  while (m_expected && std::chrono::steady_clock::now() < end) {
    if (const auto fault = cancel.requested()) return canceled(*fault);
    m_named.wait_for(lock, 20ms);
  }
  if (!m_expected) return {};
  return usage_error("files cannot be read: the client did not say which roots it grants");
}

bool ReadRoots::is_own(const fs::path& file, const FileDescriptor& open) const {
  // The journals of bulk work lie beside its input, their logs beside them.
  if (file.filename().string().find(".svc-journal") != std::string::npos) return true;
  if (is_below(file, k_processes)) return true;
  // A hard link has a real path of its own.
  struct stat status {};
  if (::fstat(open.get(), &status) != 0) return true;
  return std::any_of(m_own.begin(), m_own.end(), [&](const fs::path& own) {
    return is_below(file, own) || (status.st_nlink != 1 && holds_same_file(own, status));
  });
}

Result<ReadableFile> ReadRoots::open(std::string_view argument, const std::string& path,
                                     const CancelToken& cancel) const {
  SVC_CHECK(wait_for_client(cancel));
  const std::lock_guard lock(m_mutex);
  if (path.find('\0') != std::string::npos) {
    return usage_error(fmt::format("{}: a path has no null bytes", argument));
  }
  const fs::path given = path_of(path);
  bool inside = false;
  for (const fs::path& root : m_roots) {
    const fs::path expected = real_path(root / given);
    if (expected.empty() || !is_below(expected, root)) continue;
    inside = true;
    auto file = open_regular(expected);
    if (!file || !is_below(file->path, root)) continue;
    if (is_own(file->path, file->open)) {
      return usage_error(
          fmt::format("{}: {} belongs to svc itself and is not read", argument, quote_path(path)));
    }
    return *std::move(file);
  }
  if (inside) return usage_error(fmt::format("{}: no such file: {}", argument, quote_path(path)));
  std::vector<std::string> roots;
  for (const fs::path& root : m_roots) roots.push_back(quote_path(root.string()));
  return usage_error(
      fmt::format("{}: {} is outside the directories that svc mcp reads", argument,
                  quote_path(path)),
      roots.empty()
          ? "It reads none here. Grant roots in the client, or start svc mcp with --root DIR."
          : fmt::format("It reads below {}. Grant roots in the client, or start svc mcp with "
                        "--root DIR.",
                        join(roots, ", ")));
}

}  // namespace svc::cli
