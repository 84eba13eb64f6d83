#include "conversation/mcp_trust.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_most_trusted = 1U << 20U;

fs::path trust_path() {
  const fs::path folder = state_folder();
  return folder.empty() ? fs::path() : folder / "mcp_servers";
}

/// What a server is asked for may hold names of files and people: only its hash is kept.
std::string mark_of(const std::string& identity) {
  return sha256(identity);
}

std::string read_marks() {
  const fs::path path = trust_path();
  std::error_code failed;
  if (path.empty() || !fs::exists(path, failed)) return {};
  auto text = read_private_file(path.string());
  return text ? *std::move(text) : std::string();
}

bool has_mark(const std::string& marks, const std::string& mark) {
  const std::vector<sv> lines = split(marks, '\n');
  return std::any_of(lines.begin(), lines.end(), [&](sv line) { return trim(line) == mark; });
}

}  // namespace

bool is_trusted_server(const std::string& identity) {
  return has_mark(read_marks(), mark_of(identity));
}

Result<void> trust_server(const std::string& identity) {
  const fs::path path = trust_path();
  if (path.empty()) return Error{Fault::Local, "there is no folder for it: HOME is not set"};
  SVC_CHECK(make_private_folder(path.parent_path()));
  SVC_TRY(lock, FileLock::take(path.string() + ".lock"));
  (void)lock;
  std::string marks = read_marks();
  if (marks.size() > k_most_trusted) marks.clear();
  const std::string mark = mark_of(identity);
  if (has_mark(marks, mark)) return {};
  return write_file(path.string(), marks + mark + "\n", Replace::Yes, 0600);
}

}  // namespace svc::cli
