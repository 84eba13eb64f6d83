#include "emulator/api/videos/videos.h"

#include <nlohmann/json.hpp>

#include "emulator/account/auth.h"
#include "emulator/model/answer.h"
#include "emulator/sound/speaker.h"

namespace svc::emulator::videos {
namespace {

constexpr double k_min_source_s = 2;  // of an extension
constexpr double k_max_source_s = 15;
constexpr double k_max_edit_s = 30;  // the emulator's own
constexpr double k_slack_s = 0.25;   // a video of "15 s" may have one more frame

int even(double pixels) {
  constexpr int k_min_side = 32;
  return std::max(k_min_side, static_cast<int>(std::lround(pixels / 2)) * 2);
}

void set_failure(VideoParams& params, const std::string& message) {
  if (params.outcome != Outcome::Done) return;
  params.outcome = Outcome::Failed;
  params.error_code = "invalid_argument";
  params.error_message = message;
}

/// What the images of a request are checked with.
struct Viewer {
  const Request& request;
  VideoParams& params;
  std::optional<media::Size> proportions{};  ///< of the first image

  // An unreadable image is refused, or makes the video fail.
  std::optional<Response> load(const Json& source, std::vector<text::Step> path) {
    if (auto refusal = media::check_source(request, source, path)) return refusal;
    media::Image image;
    if (auto source_error = media::load_image(media::MediaContext::of(request), source, image)) {
      if (!source_error->remote) return source_error->refusal();
      set_failure(params, source_error->message);
    } else if (!proportions) {
      proportions = image.size();
    }
    return std::nullopt;
  }
};

std::optional<Response> check_voice(const Json& body) {
  const Json* audios = text::member(body, "reference_audios");
  if (audios == nullptr) return std::nullopt;
  for (const Json& audio : *audios) {
    const std::string voice = text::get_string(audio, "voice_id");
    if (speech::find_voice(voice) != nullptr) continue;
    std::vector<sv> known;
    for (const auto& one : speech::voices()) known.push_back(one.id);
    return invalid_argument_error(
        fmt::format("Unknown voice_id: {}. Valid voices: {}.", shown(voice), join(known, ", ")));
  }
  return std::nullopt;
}

std::optional<Response> read_keyframes(const Json& body, Viewer& viewer) {
  const Json* frames = text::member(body, "keyframes");
  if (frames == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < frames->size(); ++i) {
    const Json& frame = (*frames)[i];
    const double time = text::get_number(frame, "timestamp_s").value_or(0);
    if (!(time >= 0 && time <= viewer.params.duration_s)) {
      return invalid_argument_error(
          fmt::format("Invalid value for keyframes[{}].timestamp_s: {} is not between 0 and {}.", i,
                      time, viewer.params.duration_s));
    }
    if (auto refusal = viewer.load(*text::member(frame, "image"),
                                   {std::string("keyframes"), i, std::string("image")})) {
      return refusal;
    }
  }
  return std::nullopt;
}

// Returns why a video cannot be the source, or "".
std::string check_length(const VideoParams& params, double seconds) {
  if (params.kind == Kind::Edit) {
    if (seconds <= k_max_edit_s) return {};
    return fmt::format("The source video lasts {:.1f} s; at most {} s are allowed.", seconds,
                       k_max_edit_s);
  }
  if (seconds >= k_min_source_s - k_slack_s && seconds <= k_max_source_s + k_slack_s) return {};
  return fmt::format("The source video lasts {:.1f} s; an extension takes one of {} to {} s.",
                     seconds, k_min_source_s, k_max_source_s);
}

// Returns what is wrong with the video, or "". Records its size and duration.
std::string load_video(VideoParams& params, const std::string& bytes) {
  const auto track = read_mp4(bytes);
  if (!track) return track.error().message;
  if (auto fault = check_length(params, track->duration_s); !fault.empty()) return fault;
  params.size = edited_size(track->size);
  if (params.kind == Kind::Edit) {
    params.duration_s = std::max(1, static_cast<int>(std::lround(track->duration_s)));
  } else {
    params.source_s = track->duration_s;
  }
  return {};
}

// Reads the images of the order, and checks reference_audios. An unreadable URL makes it fail.
std::optional<Response> read_images(const Json& body, Viewer& viewer) {
  if (auto refusal = check_voice(body)) return refusal;
  for (const char* name : {"image", "last_frame"}) {
    const Json* image = text::member(body, name);
    if (image == nullptr) continue;
    if (auto refusal = viewer.load(*image, {std::string(name)})) return refusal;
  }
  if (const Json* several = text::member(body, "reference_images")) {
    for (std::size_t i = 0; i < several->size(); ++i) {
      if (auto refusal = viewer.load((*several)[i], {std::string("reference_images"), i})) {
        return refusal;
      }
    }
  }
  return read_keyframes(body, viewer);
}

// The same for the source of an edit or extension, with its size and duration.
std::optional<Response> read_video(const Request& request, const Json& body, VideoParams& params) {
  const Json& source = *text::member(body, "video");
  const std::vector<text::Step> path = {std::string("video")};
  if (auto refusal = media::check_source(request, source, path)) return refusal;
  std::string video_bytes;
  if (auto source_error =
          media::load_bytes(media::MediaContext::of(request), source, "video", video_bytes)) {
    if (!source_error->remote) return source_error->refusal();
    set_failure(params, source_error->message);
    return std::nullopt;
  }
  const std::string fault = load_video(params, video_bytes);
  if (fault.empty()) {
    if (params.kind == Kind::Edit) params.video_bytes = std::move(video_bytes);
    return std::nullopt;
  }
  if (!media::is_remote(source)) return invalid_argument_error(fault);
  set_failure(params, fault);
  return std::nullopt;
}

constexpr std::array<sv, 5> k_error_codes = {"invalid_argument", "permission_denied",
                                             "failed_precondition", "service_unavailable",
                                             "internal_error"};

// Returns an integer given as a number or a string; nothing for anything else.
std::optional<std::int64_t> whole(const Json& value) {
  if (value.is_string()) return parse_integer(trim(value.get_ref<const std::string&>()));
  if (value.is_number_integer()) return value.get<std::int64_t>();
  const double number = value.get<double>();
  if (std::abs(number) > 1e6 || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<Response> read_duration(const Json& body, VideoParams& params) {
  if (params.kind == Kind::Edit) return std::nullopt;
  const bool extends = params.kind == Kind::Extension;
  const std::int64_t minimum = extends ? 2 : 1;
  const std::int64_t maximum = extends ? 10 : 15;
  params.duration_s = extends ? 6 : 8;
  for (const sv name : {sv("seconds"), sv("duration")}) {
    const Json* value = text::member(body, name);
    if (value == nullptr) continue;
    const auto seconds = whole(*value);
    if (!seconds || *seconds < minimum || *seconds > maximum) {
      return invalid_argument_error(
          fmt::format("Invalid value for {}: {} is not a whole number between {} and {}.", name,
                      shown(text::dump(*value)), minimum, maximum));
    }
    params.duration_s = static_cast<int>(*seconds);
  }
  return std::nullopt;
}

// `Refuse: …`, `Expire: …`, `Fail with: [CODE:] MESSAGE`.
void read_ending(VideoParams& params) {
  const auto directive = text::parse_directive(params.prompt);
  if (directive.kind == text::DirectiveKind::Refuse) params.outcome = Outcome::Blocked;
  if (to_lower(trim(params.prompt)).starts_with("expire:")) params.outcome = Outcome::Expired;
  if (directive.kind != text::DirectiveKind::Fail) return;
  params.outcome = Outcome::Failed;
  params.error_code = "internal_error";
  params.error_message = directive.text.empty() ? "The video could not be made." : directive.text;
  for (const sv code : k_error_codes) {
    if (!sv(directive.text).starts_with(code)) continue;
    sv rest = trim(sv(directive.text).substr(code.size()));
    if (rest.starts_with(':')) rest = trim(rest.substr(1));
    params.error_code = code;
    params.error_message = rest.empty() ? "The prompt asked for this failure." : rest;
  }
}

std::optional<Response> read_output(const Json& body, VideoParams& params) {
  if (const Json* output = text::member(body, "output")) {
    params.upload_url = text::get_string(*output, "upload_url");
    const std::string lower = to_lower(params.upload_url);
    if (!lower.starts_with("http://") && !lower.starts_with("https://")) {
      return error_response(400, "invalid-argument", "The output.upload_url field is invalid.");
    }
  }
  if (const Json* storage = text::member(body, "storage_options")) {
    params.storage_options = text::dump(*storage);
  }
  return std::nullopt;
}

bool has_references(const Json& body) {
  for (const sv name : {sv("reference_images"), sv("reference_audios")}) {
    const Json* list = text::member(body, name);
    if (list != nullptr && !list->empty()) return true;
  }
  return false;
}

bool needs_prompt(const Json& body, const VideoParams& params) {
  return params.kind != Kind::Generation || has_references(body) ||
         text::member(body, "image") == nullptr;
}

std::optional<Response> check_resolution(const Json& body, const media::MediaModel& model) {
  if (text::get_string(body, "resolution") != "1080p") return std::nullopt;
  if (has_references(body)) return invalid_argument_error("Reference-to-video makes at most 720p.");
  if (model.full_hd) return std::nullopt;
  return invalid_argument_error(
      fmt::format("Model {} does not make 1080p; svc-imagine-video-1.5 does.", model.name));
}

// The fields of an order that are stored with its job.
template <typename AnyParams, typename Visit>
void for_each_field(AnyParams& params, const Visit& visit) {
  visit("kind", params.kind);
  visit("model", params.model);
  visit("duration", params.duration_s);
  visit("width", params.size.width);
  visit("height", params.size.height);
  visit("price", params.price);
  visit("in_batch", params.in_batch);
  visit("ending", params.outcome);
  visit("error_code", params.error_code);
  visit("error_message", params.error_message);
  visit("upload_url", params.upload_url);
  visit("address", params.address);
  visit("storage_options", params.storage_options);
  visit("source_s", params.source_s);
}

struct Job {
  std::string id{};
  std::string team_id{};
  std::int64_t created_ms = 0;
  std::int64_t ready_at_ms = 0;
  std::int64_t expires_at = 0;          ///< Unix seconds
  std::string params{};                 ///< JSON, of pack()
  std::optional<std::string> result{};  ///< JSON, once it is processed
};

/// How long a job and its result can be read; for another day it is reported as expired.
constexpr std::int64_t k_retention_s = 86'400;

constexpr std::int64_t k_claim_ms = 30'000;

constexpr Table k_jobs("video_jobs",
                       "id, team_id, created_ms, ready_at_ms, expires_at, order_json, result",
                       &Job::id, &Job::team_id, &Job::created_ms, &Job::ready_at_ms,
                       &Job::expires_at, &Job::params, &Job::result);

constexpr const char* k_type = "video/mp4";

const std::string k_expired = R"({"status":"expired"})";

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
Result<std::string> read_source(State& state, sv id) {
  return state.with([&](Database& database) -> Result<std::string> {
    SVC_TRY(row, database.query("SELECT data FROM video_inputs WHERE job_id = ?", id));
    SVC_TRY(found, row.step());
    return found ? row.bytes(0) : std::string();
  });
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
  if (params.outcome == Outcome::Expired) return k_expired;
  if (params.outcome == Outcome::Failed)
    return failed_result(params.error_code, params.error_message);
  Json video = {{"duration", std::lround(length_of(params))},
                {"respect_moderation", params.outcome == Outcome::Done}};
  if (params.outcome == Outcome::Blocked) {
    video["url"] = "";
    return text::dump(done_result(params, std::move(video), 0));
  }
  // An edit returns its source; an extension creates a new, longer video.
  const auto video_bytes = params.kind == Kind::Edit ? read_source(state, job.id)
                                                     : make_video(params.size, length_of(params));
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
    SVC_TRY(added, k_jobs.insert(database, job, "INSERT OR IGNORE"));
    if (added == 0 || video_bytes.empty()) return {};
    return run_sql(database,
                   "INSERT INTO video_inputs (job_id, role, time_s, data)"
                   " VALUES (?,'film',0,?)",
                   job.id, Blob{video_bytes});
  });
}

Result<std::optional<Job>> find_job(State& state, sv team_id, sv id) {
  return state.with([&](Database& database) {
    return k_jobs.first(database, "WHERE id = ? AND team_id = ? AND expires_at > ?", id, team_id,
                        state.now_ms() / 1000);
  });
}

// Returns a job that is due, not processed, and has an upload_url.
Result<std::optional<Job>> find_due_upload(State& state) {
  const std::int64_t now = state.now_ms();
  return state.with([&](Database& database) {
    return k_jobs.first(database,
                        "WHERE result IS NULL AND ready_at_ms <= ? AND claimed_until_ms <= ?"
                        " AND json_extract(order_json, '$.upload_url') <> ''"
                        " ORDER BY ready_at_ms LIMIT 1",
                        now, now);
  });
}

// Returns true for only one caller within half a minute, which then processes the job.
Result<bool> claim_job(State& state, sv id) {
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
Result<void> finish_job(State& state, const Job& job, sv result,
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

// Processes a job and returns its result as JSON, with the errors of the order; nothing while
// another caller processes it. Records the cost, except for a batch, which charges it.
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
  job.expires_at = job.created_ms / 1000 + 2 * k_retention_s;
  job.params = pack(params);
  SVC_CHECK(checked(add_job(*request.state, job, params.video_bytes)));
  return json_response(Json{{"request_id", job.id}});
}

Response pending(const Job& job, std::int64_t now_ms) {
  const std::int64_t whole = std::max<std::int64_t>(1, job.ready_at_ms - job.created_ms);
  const std::int64_t progress =
      std::clamp<std::int64_t>((now_ms - job.created_ms) * 100 / whole, 0, 99);
  return Response{.status = 202,
                  .body = text::dump(Json{{"status", "pending"}, {"progress", progress}})};
}

Response poll(const Request& request) {
  const std::string& id = request.params.at("request_id");
  SVC_TRY(job, found_or(find_job(*request.state, request.key.team_id, to_lower(id)),
                        not_found_error(fmt::format("Video request with request_id={} not found",
                                                    excerpt(id)))));
  const std::int64_t now = request.state->now_ms();
  Response response;
  if (now / 1000 >= job.created_ms / 1000 + k_retention_s) {
    response.body = k_expired;
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

std::optional<Response> read_params(const Request& request, Kind kind, VideoParams& params) {
  constexpr std::array<sv, 3> k_types = {"video_generation", "video_edit", "video_extension"};
  SVC_TRY(body, text::read_body(request, k_types[static_cast<std::size_t>(kind)]));
  params.kind = kind;
  params.address = media::MediaContext::of(request).address;
  params.prompt = text::get_string(body, "prompt");
  if (trim(params.prompt).empty() && needs_prompt(body, params)) {
    return invalid_argument_error("The prompt cannot be empty.");
  }
  SVC_TRY(model, media::pick_media_model(request, body, media::Product::Video));
  params.model = model->name;
  if (auto refusal = read_duration(body, params)) return refusal;
  if (auto refusal = check_resolution(body, *model)) return refusal;
  if (auto refusal = read_output(body, params)) return refusal;
  read_ending(params);
  if (kind == Kind::Generation) {
    Viewer viewer{request, params};
    if (auto refusal = read_images(body, viewer)) return refusal;
    const std::string ratio = text::get_string(body, "aspect_ratio");
    const std::string resolution = text::get_string(body, "resolution");
    // Image-to-video uses the image's ratio.
    const bool follows =
        ratio.empty() && viewer.proportions && text::member(body, "image") != nullptr;
    params.size = video_size(
        follows ? media::ratio_of(*viewer.proportions) : media::ratio_of(ratio, 16.0 / 9.0),
        resolution);
  } else if (auto refusal = read_video(request, body, params)) {
    return refusal;
  }
  params.price = media::video_price(*model, std::min(params.size.width, params.size.height),
                                    params.duration_s);
  return std::nullopt;
}

std::string pack(const VideoParams& params) {
  Json packed = Json::object();
  for_each_field(params, [&](const char* name, const auto& value) { packed[name] = value; });
  return text::dump(packed);
}

VideoParams unpack(const std::string& json) {
  const Json packed = text::parse_json(json);
  VideoParams params;
  for_each_field(params, [&](const char* name, auto& value) { value = packed.value(name, value); });
  return params;
}

media::Size video_size(double ratio, sv resolution) {
  const int side = resolution == "1080p" ? 1080 : resolution == "720p" ? 720 : 480;
  const double bounded = std::clamp(ratio, 1.0 / 3.0, 3.0);
  if (bounded >= 1) return {even(side * bounded), side};
  return {side, even(side / bounded)};
}

media::Size edited_size(media::Size source) {
  constexpr double k_max_pixels = 1920.0 * 1080.0;
  const double pixels = static_cast<double>(source.width) * source.height;
  const double scale = pixels > k_max_pixels ? std::sqrt(k_max_pixels / pixels) : 1.0;
  return {even(source.width * scale), even(source.height * scale)};
}

Result<bool> process_upload(State& state) {
  SVC_TRY(job, find_due_upload(state));
  if (!job) return false;
  SVC_TRY(result, process(state, *job));
  return result.has_value();
}

}  // namespace svc::emulator::videos

auto svc::emulator::video_routes(VideoOptions options) -> std::vector<Route> {
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
