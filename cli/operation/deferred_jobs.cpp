#include "operation/deferred_jobs.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "json/document.h"

namespace svc::cli {
namespace {

constexpr std::int64_t k_lifetime = 24 * 60 * 60;
constexpr std::size_t k_max_file = 1U << 16U;

/// One file per job, so that concurrent processes do not wait for each other.
std::filesystem::path directory() {
  const auto state = state_directory();
  return state.empty() ? state : state / "deferred-jobs";
}

/// An ID may contain anything.
std::filesystem::path file_of(const std::string& id) {
  return directory() / (sha256(id).substr(0, 32) + ".json");
}

}  // namespace

void remember_deferred(const Session& session, const std::string& id, const std::string& command) {
  const auto where = directory();
  if (where.empty() || !make_private_directory(where)) return;
  (void)deferred_jobs();  // forgets those that have ended
  const OrderedJson job = {{"id", id},
                           {"profile", session.settings().profile.value},
                           {"command", command},
                           {"ends_at", unix_now() + k_lifetime}};
  (void)write_file(file_of(id).string(), compact_json(job) + "\n", Replace::Yes, 0600);
}

void forget_deferred(const std::string& id) {
  std::error_code ignored;
  if (!directory().empty()) std::filesystem::remove(file_of(id), ignored);
}

std::vector<DeferredJob> deferred_jobs() {
  std::vector<DeferredJob> jobs;
  std::error_code failed;
  if (directory().empty()) return jobs;
  for (std::filesystem::directory_iterator at(directory(), failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() != ".json") continue;  // another process is writing it
    const auto text = read_file(at->path().string(), k_max_file);
    if (!text) continue;
    const nlohmann::json found = parse_reply(*text);
    DeferredJob job{.id = text_member(found, "id"),
                    .profile = text_member(found, "profile"),
                    .command = text_member(found, "command")};
    if (const auto ends = found.find("ends_at"); ends != found.end() && ends->is_number_integer()) {
      job.ends_at = ends->get<std::int64_t>();
    }
    if (job.ends_at > unix_now()) {
      jobs.push_back(std::move(job));
    } else {
      std::error_code ignored;
      std::filesystem::remove(at->path(), ignored);
    }
  }
  return jobs;
}

}  // namespace svc::cli
