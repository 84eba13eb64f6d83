#include "emulator/api/videos/jobs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/auth.h"
#include "emulator/account/ledger.h"
#include "emulator/api/media/fetch.h"
#include "emulator/api/media/store.h"
#include "emulator/api/videos/request.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/routes.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"
#include "emulator/picture/mp4.h"
#include "database/rows.h"

namespace svc::emulator::videos {

namespace {

struct Job {
  std::string id{};
  std::string team_id{};
  std::int64_t created_ms = 0;
  std::int64_t ready_at_ms = 0;
  std::string order{};                  ///< JSON, see request.h
  std::optional<std::string> result{};  ///< JSON, once it is processed
};

/// How long a job and its result can be read; for another day it is reported as expired.
constexpr std::int64_t k_retention_s = 86'400;

constexpr std::int64_t k_claim_ms = 30'000;

// Returns the first job for which `condition` holds.
template <typename... Values>
Result<std::optional<Job>> first_job(State& state, sv condition, const Values&... values) {
  const auto read = [](const Statement& row) {
    Job job;
    read_row(row, job.id, job.team_id, job.created_ms, job.ready_at_ms, job.order, job.result);
    return job;
  };
  return state.with([&](Database& database) {
    return first_row(database, read,
                     fmt::format("SELECT id, team_id, created_ms, ready_at_ms, order_json, result"
                                 " FROM video_jobs WHERE {}",
                                 condition),
                     values...);
  });
}

constexpr const char* k_type = "video/mp4";

// The result of an expired job.
std::string expired_result() {
  return text::dump(Json{{"status", "expired"}});
}

std::string failed_result(const std::string& code, const std::string& message) {
  return text::dump(Json{{"status", "failed"},
                         {"video", {{"url", ""}, {"duration", 0}, {"respect_moderation", true}}},
                         {"error", {{"code", code}, {"message", message}}},
                         {"progress", 0}});
}

Json done_result(const VideoOrder& order, Json video, std::int64_t cost) {
  return Json{{"status", "done"},
              {"video", std::move(video)},
              {"model", order.model},
              {"usage", {{"cost_in_usd_ticks", cost}}},
              {"progress", 100}};
}

// For an extension, both parts.
double length_of(const VideoOrder& order) {
  return order.duration_s + order.source_s;
}

// Returns the source video of a job.
Result<std::string> read_source(State& state, std::string_view id) {
  return state.with([&](Database& database) -> Result<std::string> {
    SVC_TRY(row, database.query("SELECT data FROM video_inputs WHERE job_id = ?", id));
    SVC_TRY(found, row.step());
    return found ? row.bytes(0) : std::string();
  });
}

// An edit returns its source; an extension creates a new, longer video.
Result<std::string> film_of(State& state, const Job& job, const VideoOrder& order) {
  if (order.kind == Kind::Edit) return read_source(state, job.id);
  return make_film(order.size, length_of(order));
}

Result<std::string> deliver(State& state, const Job& job, const VideoOrder& order,
                            const std::string& film, Json video) {
  const media::Place place{&state, job.team_id, order.address};
  if (order.upload_url.empty()) {
    SVC_TRY(name, media::keep_media(state, k_type, film));
    video["url"] = media::media_url(order.address, name);
  } else if (const auto sent = media::put(order.upload_url, k_type, film); !sent) {
    return failed_result("failed_precondition",
                         fmt::format("The result could not be uploaded to output.upload_url. {}",
                                     sent.error().message));
  }
  if (!order.storage_options.empty()) {
    const Json body = {{"storage_options", text::parse_json(order.storage_options)}};
    media::store_output(place, body, k_type, film, 0, video);
  }
  return text::dump(done_result(order, std::move(video), order.price));
}

Result<std::string> make_result(State& state, const Job& job) {
  const VideoOrder order = unpack(job.order);
  if (order.ending == Ending::Expired) return expired_result();
  if (order.ending == Ending::Failed) return failed_result(order.error_code, order.error_message);
  Json video = {{"duration", std::lround(length_of(order))},
                {"respect_moderation", order.ending == Ending::Done}};
  if (order.ending == Ending::Blocked) {
    video["url"] = "";
    return text::dump(done_result(order, std::move(video), 0));
  }
  const auto film = film_of(state, job, order);
  if (!film) return failed_result("internal_error", film.error().message);
  return deliver(state, job, order, *film, std::move(video));
}

// `film`: the source video; "" for none.
Result<void> add_job(State& state, const Job& job, const std::string& film) {
  return state.change([&](Database& database) -> Result<void> {
    const std::int64_t now_s = job.created_ms / 1000;
    SVC_CHECK(
        database.change("DELETE FROM video_inputs WHERE job_id IN"
                        " (SELECT id FROM video_jobs WHERE expires_at <= ?)",
                        now_s));
    SVC_CHECK(database.change("DELETE FROM video_jobs WHERE expires_at <= ?", now_s));
    // A batch whose worker was killed repeats its request.
    SVC_TRY(added, database.change(
                       "INSERT OR IGNORE INTO video_jobs (id, team_id, created_ms, ready_at_ms,"
                       " expires_at, order_json) VALUES (?,?,?,?,?,?)",
                       job.id, job.team_id, job.created_ms, job.ready_at_ms,
                       now_s + 2 * k_retention_s, job.order));
    if (added == 0 || film.empty()) return {};
    return run_sql(database,
                   "INSERT INTO video_inputs (job_id, role, time_s, data)"
                   " VALUES (?,'film',0,?)",
                   job.id, Blob{film});
  });
}

Result<std::optional<Job>> find_job(State& state, std::string_view team_id, std::string_view id) {
  return first_job(state, "id = ? AND team_id = ? AND expires_at > ?", id, team_id,
                   state.now_ms() / 1000);
}

// Returns a job that is due, not processed, and has an upload_url.
Result<std::optional<Job>> find_due_upload(State& state) {
  const std::int64_t now = state.now_ms();
  return first_job(state,
                   "result IS NULL AND ready_at_ms <= ? AND claimed_until_ms <= ?"
                   " AND json_extract(order_json, '$.upload_url') <> ''"
                   " ORDER BY ready_at_ms LIMIT 1",
                   now, now);
}

// Returns true for only one caller within half a minute, which then processes the job.
Result<bool> claim_job(State& state, std::string_view id) {
  const std::int64_t now = state.now_ms();
  SVC_TRY(changed, state.with([&](Database& database) {
    return database.change(
        "UPDATE video_jobs SET claimed_until_ms = ? WHERE id = ?"
        " AND result IS NULL AND claimed_until_ms <= ?",
        now + k_claim_ms, id, now);
  }));
  return changed == 1;
}

// Records the result and its cost, and drops the source video, all at once.
Result<void> finish_job(State& state, const Job& job, std::string_view result,
                        const std::vector<Charge>& charges) {
  return state.change([&](Database& database) -> Result<void> {
    SVC_TRY(changed, database.change("UPDATE video_jobs SET result = ? WHERE id = ?"
                                     " AND result IS NULL",
                                     result, job.id));
    SVC_CHECK(database.change("DELETE FROM video_inputs WHERE job_id = ?", job.id));
    if (changed == 0 || charges.empty()) return {};
    return billing::book(database, job.team_id, charges, state.now_ms());
  });
}

// The cost of a result: a finished video is charged by the second.
std::vector<Charge> charges_of(const VideoOrder& order, const std::string& result) {
  const Json document = text::parse_json(result);
  const Json* usage = text::member(document, "usage");
  const auto cost = usage == nullptr ? std::nullopt : text::integer_of(*usage, "cost_in_usd_ticks");
  const std::int64_t seconds = std::max(1, order.duration_s);
  if (!cost || *cost == 0) return {};
  return {{order.model + " video", "second", seconds, *cost / seconds}};
}

// Processes a job and returns its result as JSON: generates the video, uploads or stores it. Errors
// of the order are part of the result; a returned error is one of the emulator itself. Returns
// nothing while another caller is processing it. Records the cost, except for a batch's job, which
// the batch charges.
Result<std::optional<std::string>> work_off(State& state, const Job& job) {
  SVC_TRY(claimed, claim_job(state, job.id));
  if (!claimed) return std::optional<std::string>{};
  SVC_TRY(result, make_result(state, job));
  const VideoOrder order = unpack(job.order);
  const std::vector<Charge> charges =
      order.in_batch ? std::vector<Charge>() : charges_of(order, result);
  SVC_CHECK(finish_job(state, job, result, charges));
  return std::optional(std::move(result));
}

Answer submit(const Call& call, Kind kind, const VideoOptions& options) {
  VideoOrder order;
  if (auto refusal = read_order(call, kind, order)) return *std::move(refusal);
  order.in_batch = call.key.id == k_batch_key_id;
  Job job;
  job.id = text::is_uuid(call.request_id) ? call.request_id : new_uuid();
  job.team_id = call.key.team_id;
  job.created_ms = call.state->now_ms();
  const auto wish = text::wished_time(call, "x-emulator-video-ms", std::chrono::hours(1));
  job.ready_at_ms = job.created_ms + wish.value_or(options.render_time).count();
  job.order = pack(order);
  SVC_CHECK(checked(add_job(*call.state, job, order.film)));
  return json_answer(Json{{"request_id", job.id}});
}

Answer pending(const Job& job, std::int64_t now_ms) {
  const std::int64_t whole = std::max<std::int64_t>(1, job.ready_at_ms - job.created_ms);
  const std::int64_t progress =
      std::clamp<std::int64_t>((now_ms - job.created_ms) * 100 / whole, 0, 99);
  Answer answer;
  answer.status = 202;
  answer.body = text::dump(Json{{"status", "pending"}, {"progress", progress}});
  return answer;
}

Answer poll(const Call& call) {
  const std::string& id = call.params.at("request_id");
  SVC_TRY(job, found_or(find_job(*call.state, call.key.team_id, to_lower(id)),
                        refuse_missing(fmt::format("Video request with request_id={} not found",
                                                   excerpt(id, 60)))));
  const std::int64_t now = call.state->now_ms();
  Answer answer;
  if (now / 1000 >= job.created_ms / 1000 + k_retention_s) {
    answer.body = expired_result();
  } else if (job.result) {
    answer.body = *job.result;
  } else if (now < job.ready_at_ms) {
    return pending(job, now);
  } else {  // the first request after the due time processes the job
    SVC_TRY(result, found_or(work_off(*call.state, job), pending(job, now)));
    answer.body = std::move(result);
  }
  // Only its batch polls a batch's job, until it is done, and pays for it.
  if (call.key.id == k_batch_key_id) answer.charges = charges_of(unpack(job.order), answer.body);
  return answer;
}

}  // namespace

Result<bool> work_off_upload(State& state) {
  SVC_TRY(job, find_due_upload(state));
  if (!job) return false;
  SVC_TRY(result, work_off(state, *job));
  return result.has_value();
}

}  // namespace svc::emulator::videos

namespace svc::emulator {

std::vector<Route> video_routes(VideoOptions options) {
  constexpr const char* acl = "video";
  using videos::Kind;
  const auto handler = [options](Kind kind) -> Handler {
    return [options, kind](const Call& call) { return videos::submit(call, kind, options); };
  };
  std::vector<Route> routes = {{"POST", "/v1/videos/generations", handler(Kind::Generation), acl},
                               {"POST", "/v1/videos/edits", handler(Kind::Edit), acl},
                               {"POST", "/v1/videos/extensions", handler(Kind::Extension), acl},
                               {"GET", "/v1/videos/{request_id}", videos::poll, acl}};
  // Slow: inputs are decoded, and the first request for a finished video generates it.
  for (Route& route : routes) route.run = RunOn::Worker;
  return routes;
}

}  // namespace svc::emulator
