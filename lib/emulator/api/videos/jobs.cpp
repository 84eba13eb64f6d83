#include "emulator/api/videos/jobs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "database/rows.h"
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

namespace svc::emulator::videos {

namespace {

struct Job {
  std::string id{};
  std::string team_id{};
  std::int64_t created_ms = 0;
  std::int64_t ready_at_ms = 0;
  std::string params{};                 ///< JSON, see request.h
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
    read_row(row, job.id, job.team_id, job.created_ms, job.ready_at_ms, job.params, job.result);
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

Json done_result(const VideoParams& params, Json video, std::int64_t cost) {
  return Json{{"status", "done"},
              {"video", std::move(video)},
              {"model", params.model},
              {"usage", {{"cost_in_usd_ticks", cost}}},
              {"progress", 100}};
}

// For an extension, both parts.
double length_of(const VideoParams& params) {
  return params.duration_s + params.source_s;
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
Result<std::string> video_of(State& state, const Job& job, const VideoParams& params) {
  if (params.kind == Kind::Edit) return read_source(state, job.id);
  return make_video(params.size, length_of(params));
}

Result<std::string> deliver(State& state, const Job& job, const VideoParams& params,
                            const std::string& video_bytes, Json video) {
  const media::MediaContext context{&state, job.team_id, params.address};
  if (params.upload_url.empty()) {
    SVC_TRY(name, media::store_media(state, k_type, video_bytes));
    video["url"] = media::media_url(params.address, name);
  } else if (const auto sent = media::put(params.upload_url, k_type, video_bytes); !sent) {
    return failed_result("failed_precondition",
                         fmt::format("The result could not be uploaded to output.upload_url. {}",
                                     sent.error().message));
  }
  if (!params.storage_options.empty()) {
    const Json body = {{"storage_options", text::parse_json(params.storage_options)}};
    media::store_output(context, body, k_type, video_bytes, 0, video);
  }
  return text::dump(done_result(params, std::move(video), params.price));
}

Result<std::string> make_result(State& state, const Job& job) {
  const VideoParams params = unpack(job.params);
  if (params.outcome == Outcome::Expired) return expired_result();
  if (params.outcome == Outcome::Failed)
    return failed_result(params.error_code, params.error_message);
  Json video = {{"duration", std::lround(length_of(params))},
                {"respect_moderation", params.outcome == Outcome::Done}};
  if (params.outcome == Outcome::Blocked) {
    video["url"] = "";
    return text::dump(done_result(params, std::move(video), 0));
  }
  const auto video_bytes = video_of(state, job, params);
  if (!video_bytes) return failed_result("internal_error", video_bytes.error().message);
  return deliver(state, job, params, *video_bytes, std::move(video));
}

// `video_bytes`: the source video; "" for none.
Result<void> add_job(State& state, const Job& job, const std::string& video_bytes) {
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
                       now_s + 2 * k_retention_s, job.params));
    if (added == 0 || video_bytes.empty()) return {};
    return run_sql(database,
                   "INSERT INTO video_inputs (job_id, role, time_s, data)"
                   " VALUES (?,'film',0,?)",
                   job.id, Blob{video_bytes});
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
    return billing::record_charges(database, job.team_id, charges, state.now_ms());
  });
}

// The cost of a result: a finished video is charged by the second.
std::vector<Charge> charges_of(const VideoParams& params, const std::string& result) {
  const Json document = text::parse_json(result);
  const Json* usage = text::member(document, "usage");
  const auto cost =
      usage == nullptr ? std::nullopt : text::get_integer(*usage, "cost_in_usd_ticks");
  const std::int64_t seconds = std::max(1, params.duration_s);
  if (!cost || *cost == 0) return {};
  return {{params.model + " video", "second", seconds, *cost / seconds}};
}

// Processes a job and returns its result as JSON: generates the video, uploads or stores it. Errors
// of the order are part of the result; a returned error is one of the emulator itself. Returns
// nothing while another caller is processing it. Records the cost, except for a batch's job, which
// the batch charges.
Result<std::optional<std::string>> process(State& state, const Job& job) {
  SVC_TRY(claimed, claim_job(state, job.id));
  if (!claimed) return std::optional<std::string>{};
  SVC_TRY(result, make_result(state, job));
  const VideoParams params = unpack(job.params);
  const std::vector<Charge> charges =
      params.in_batch ? std::vector<Charge>() : charges_of(params, result);
  SVC_CHECK(finish_job(state, job, result, charges));
  return std::optional(std::move(result));
}

Response submit(const Request& request, Kind kind, const VideoOptions& options) {
  VideoParams params;
  if (auto refusal = read_params(request, kind, params)) return *std::move(refusal);
  params.in_batch = request.key.id == k_batch_key_id;
  Job job;
  job.id = text::is_uuid(request.request_id) ? request.request_id : request.state->new_uuid();
  job.team_id = request.key.team_id;
  job.created_ms = request.state->now_ms();
  const auto requested_ms =
      text::requested_duration(request, "x-emulator-video-ms", std::chrono::hours(1));
  job.ready_at_ms = job.created_ms + requested_ms.value_or(options.render_time).count();
  job.params = pack(params);
  SVC_CHECK(checked(add_job(*request.state, job, params.video_bytes)));
  return json_response(Json{{"request_id", job.id}});
}

Response pending(const Job& job, std::int64_t now_ms) {
  const std::int64_t whole = std::max<std::int64_t>(1, job.ready_at_ms - job.created_ms);
  const std::int64_t progress =
      std::clamp<std::int64_t>((now_ms - job.created_ms) * 100 / whole, 0, 99);
  Response response;
  response.status = 202;
  response.body = text::dump(Json{{"status", "pending"}, {"progress", progress}});
  return response;
}

Response poll(const Request& request) {
  const std::string& id = request.params.at("request_id");
  SVC_TRY(job, found_or(find_job(*request.state, request.key.team_id, to_lower(id)),
                        not_found_error(fmt::format("Video request with request_id={} not found",
                                                    excerpt(id, 60)))));
  const std::int64_t now = request.state->now_ms();
  Response response;
  if (now / 1000 >= job.created_ms / 1000 + k_retention_s) {
    response.body = expired_result();
  } else if (job.result) {
    response.body = *job.result;
  } else if (now < job.ready_at_ms) {
    return pending(job, now);
  } else {  // the first request after the due time processes the job
    SVC_TRY(result, found_or(process(*request.state, job), pending(job, now)));
    response.body = std::move(result);
  }
  // Only its batch polls a batch's job, until it is done, and pays for it.
  if (request.key.id == k_batch_key_id)
    response.charges = charges_of(unpack(job.params), response.body);
  return response;
}

}  // namespace

Result<bool> process_upload(State& state) {
  SVC_TRY(job, find_due_upload(state));
  if (!job) return false;
  SVC_TRY(result, process(state, *job));
  return result.has_value();
}

}  // namespace svc::emulator::videos

namespace svc::emulator {

std::vector<Route> video_routes(VideoOptions options) {
  constexpr const char* acl = "video";
  using videos::Kind;
  const auto handler = [options](Kind kind) -> Handler {
    return
        [options, kind](const Request& request) { return videos::submit(request, kind, options); };
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
