#include "history/tty_id.h"

#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace svc::history {
namespace {

// Indices of fields after the name in /proc/PID/stat (proc(5)), starting with the state.
constexpr std::size_t k_session = 3;
constexpr std::size_t k_tty = 4;
constexpr std::size_t k_start_time = 19;

/// The fields after the process's name, which may contain anything, including spaces and brackets.
std::vector<std::string> stat_fields(const std::string& path) {
  const auto text = read_prefix(path, 4096);
  const std::size_t end = text ? text->rfind(')') : std::string::npos;
  if (end == std::string::npos) return {};
  std::vector<std::string> fields;
  for (const sv field : split(trim(sv(*text).substr(end + 1)), ' ')) fields.emplace_back(field);
  return fields;
}

}  // namespace

std::string tty_id(const std::string& proc) {
  const std::vector<std::string> self = stat_fields(proc + "/self/stat");
  if (self.size() <= k_tty || self[k_tty] == "0") return {};
  const std::string& leader = self[k_session];
  const std::vector<std::string> session = stat_fields(fmt::format("{}/{}/stat", proc, leader));
  if (session.size() <= k_start_time) return {};
  const auto boot = read_prefix(proc + "/sys/kernel/random/boot_id", 64);
  return fmt::format("{} {} {} {}", self[k_tty], leader, session[k_start_time],
                     boot ? trim(*boot) : sv());
}

}  // namespace svc::history
