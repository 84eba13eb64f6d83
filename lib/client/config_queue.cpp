#include "client/config_queue.h"

#include <cerrno>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.h"
#include "json/document.h"

namespace svc {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view k_prefix = ".edit-";
constexpr std::string_view k_unfinished = ".new";
constexpr std::chrono::milliseconds k_no_patience{0};

std::string to_text(const ConfigEdit& edit) {
  const auto text_or_null = [](const std::optional<std::string>& text) {
    return text ? json(*text) : json();
  };
  return compact_json(json{{"table", edit.table},
                           {"name", text_or_null(edit.name)},
                           {"value", text_or_null(edit.value)}});
}

std::optional<ConfigEdit> read_edit(const fs::path& file) {
  const auto text = read_file(file.string(), 1U << 16U);
  if (!text) return std::nullopt;
  const json made = json::parse(*text, nullptr, false);
  if (!made.is_object() || !made.contains("table") || !made["table"].is_array()) {
    return std::nullopt;
  }
  ConfigEdit edit;
  for (const json& name : made["table"]) {
    if (!name.is_string()) return std::nullopt;
    edit.table.push_back(name.get<std::string>());
  }
  const auto take = [&](const char* member, std::optional<std::string>& into) {
    const auto found = made.find(member);
    if (found != made.end() && found->is_string()) into = found->get<std::string>();
  };
  take("name", edit.name);
  take("value", edit.value);
  return edit;
}

/// Removes the file that it names, unless that is cleared before.
struct Removed {
  fs::path file;
  ~Removed() {
    std::error_code ignored;
    if (!file.empty()) fs::remove(file, ignored);
  }
};

}  // namespace

PendingEdit::PendingEdit(const fs::path& folder, const ConfigEdit& edit, const CancelToken& cancel)
    : m_cancel(cancel), m_folder(folder) {
  fs::path file = folder / fmt::format("{}{}", k_prefix, random_uuid());
  Removed unfinished{file.string() + std::string(k_unfinished)};
  // Locked before others see it: one that is not locked is nobody's.
  auto alive = FileLock::take(unfinished.file.string(), k_no_patience);
  if (!alive) {
    unfinished.file.clear();  // not ours
    return;
  }
  const std::string text = to_text(edit);
  std::ofstream out(unfinished.file);
  out << text;
  out.close();
  std::error_code failed;
  if (!out.fail()) fs::rename(unfinished.file, file, failed);
  if (out.fail() || failed) return;
  unfinished.file.clear();
  m_alive.emplace(*std::move(alive));
  m_file.swap(file);
}

PendingEdit::~PendingEdit() {
  std::error_code ignored;
  if (!m_file.empty()) fs::remove(m_file, ignored);
}

bool PendingEdit::is_made() const {
  return !m_file.empty() && ::access(m_file.c_str(), F_OK) != 0 && errno == ENOENT;
}

std::optional<Fault> PendingEdit::requested() const noexcept {
  if (const auto fault = m_cancel.requested()) return fault;
  return is_made() ? std::optional(Fault::Unexpected) : std::nullopt;
}

std::vector<PendingEdit::Other> PendingEdit::others() const {
  std::vector<Other> found;
  std::error_code failed;
  for (fs::directory_iterator at(m_folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    const fs::path& file = at->path();
    const std::string name = file.filename().string();
    if (!name.starts_with(k_prefix) || name.ends_with(k_unfinished) || file == m_file) continue;
    // Its owner holds it as long as he waits.
    if (FileLock::take(file.string(), k_no_patience)) {
      std::error_code ignored;
      fs::remove(file, ignored);
      continue;
    }
    if (auto edit = read_edit(file)) found.push_back({file, *std::move(edit)});
  }
  return found;
}

}  // namespace svc
