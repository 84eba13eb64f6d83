#include "emulator/api/videos/finish.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/media/fetch.h"
#include "emulator/api/media/output.h"
#include "emulator/api/media/store.h"
#include "emulator/api/videos/request.h"
#include "emulator/picture/mp4.h"

namespace svc::emulator::videos {
namespace {

constexpr const char* k_type = "video/mp4";

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

// For an extension both parts.
double length_of(const VideoOrder& order) {
  return order.duration_s + order.source_s;
}

// An edit is its source; an extension begins anew, and is longer.
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

}  // namespace

std::string expired_result() {
  return text::dump(Json{{"status", "expired"}});
}

std::vector<Charge> charges_of(const VideoOrder& order, const std::string& result) {
  const Json document = text::parse_json(result);
  const Json* usage = text::member(document, "usage");
  const auto cost = usage == nullptr ? std::nullopt : text::integer_of(*usage, "cost_in_usd_ticks");
  const std::int64_t seconds = std::max(1, order.duration_s);
  if (!cost || *cost == 0) return {};
  return {{order.model + " video", "second", seconds, *cost / seconds}};
}

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

Result<bool> work_off_upload(State& state) {
  SVC_TRY(job, find_due_upload(state));
  if (!job) return false;
  SVC_TRY(result, work_off(state, *job));
  return result.has_value();
}

}  // namespace svc::emulator::videos
