#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/batch_key.h"
#include "emulator/api/videos/jobs.h"
#include "emulator/api/videos/request.h"
#include "emulator/handler/ids.h"
#include "emulator/handler/routes.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"

namespace svc::emulator {
namespace videos {
namespace {

constexpr std::int64_t k_longest_ms = 3'600'000;

std::int64_t render_ms(const Call& call, const VideoOptions& options) {
  const auto header = call.header("x-emulator-video-ms");
  const auto wish = header ? parse_integer(*header) : std::nullopt;
  if (!wish || *wish < 0) return options.render_time.count();
  return std::min(*wish, k_longest_ms);
}

Answer submit(const Call& call, Kind kind, const VideoOptions& options) {
  VideoOrder order;
  if (auto refusal = read_order(call, kind, order)) return *std::move(refusal);
  order.in_batch = call.key.id == batches::k_key_id;
  Job job;
  job.id = text::is_uuid(call.request_id) ? call.request_id : new_uuid();
  job.team_id = call.key.team_id;
  job.created_ms = call.state->now_ms();
  job.ready_at_ms = job.created_ms + render_ms(call, options);
  job.order = pack(order);
  if (const auto added = add_job(*call.state, job, order.film); !added) {
    return refuse_internal(added.error());
  }
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

// Whoever asks first after its time works the job off.
Answer work_off_now(State& state, const Job& job) {
  auto result = work_off(state, job);
  if (!result) return refuse_internal(result.error());
  if (!*result) return pending(job, state.now_ms());
  Answer answer;
  answer.body = **std::move(result);
  return answer;
}

// Only its batch asks for a job of a batch, until it is done, and pays for it.
void charge_batch(const Call& call, const Job& job, Answer& answer) {
  if (call.key.id == batches::k_key_id) answer.charges = charges_of(unpack(job.order), answer.body);
}

Answer poll(const Call& call) {
  const std::string& id = call.params.at("request_id");
  const auto job = find_job(*call.state, call.key.team_id, to_lower(id));
  if (!job) return refuse_internal(job.error());
  if (!*job) {
    return text::refuse_missing(
        fmt::format("Video request with request_id={} not found", excerpt(id, 60)));
  }
  const std::int64_t now = call.state->now_ms();
  Answer answer;
  if (now / 1000 >= (*job)->created_ms / 1000 + k_retention_s) {
    answer.body = expired_result();
  } else if ((*job)->result) {
    answer.body = *(*job)->result;
  } else if (now < (*job)->ready_at_ms) {
    return pending(**job, now);
  } else {
    answer = work_off_now(*call.state, **job);
  }
  if (answer.status == 200) charge_batch(call, **job, answer);
  return answer;
}

}  // namespace
}  // namespace videos

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
  // Inputs are decoded, and who asks first for a finished video has it made.
  for (Route& route : routes) route.run = RunOn::Worker;
  return routes;
}

}  // namespace svc::emulator
