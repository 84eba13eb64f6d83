#include "emulator/api/images/jobs.h"

namespace svc::emulator::images {
namespace {

constexpr std::int64_t k_day_s = 86'400;

}  // namespace

Result<void> add_image_job(State& state, std::string_view team_id, std::string_view id,
                           std::int64_t ready_at_ms, std::string_view body) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<void> {
    SVC_TRY(dropped, database.change("DELETE FROM image_jobs WHERE expires_at <= ?", now_s));
    (void)dropped;
    SVC_TRY(added, database.change("INSERT INTO image_jobs (id, team_id, ready_at_ms, expires_at,"
                                   " body) VALUES (?,?,?,?,?)",
                                   id, team_id, ready_at_ms, now_s + k_day_s, body));
    (void)added;
    return {};
  });
}

Result<DeferredFetch> find_image_job(State& state, std::string_view team_id, std::string_view id) {
  const std::int64_t now = state.now_ms();
  return state.with([&](Database& database) -> Result<DeferredFetch> {
    SVC_TRY(row, database.query("SELECT ready_at_ms, body FROM image_jobs"
                                " WHERE id = ? AND team_id = ? AND expires_at > ?",
                                id, team_id, now / 1000));
    SVC_TRY(found, row.step());
    if (!found) return DeferredFetch{};
    if (row.integer(0) > now) return DeferredFetch{DeferredFetch::Status::Pending};
    return DeferredFetch{DeferredFetch::Status::Ready, row.text(1)};
  });
}

}  // namespace svc::emulator::images
