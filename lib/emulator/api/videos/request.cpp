#include "emulator/api/videos/request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/media/source.h"
#include "emulator/api/media/store.h"
#include "emulator/json/check.h"
#include "emulator/model/directive.h"
#include "emulator/picture/mp4.h"

namespace svc::emulator::videos {

namespace {

constexpr std::size_t k_max_references = 7;
constexpr std::size_t k_max_voices = 3;
constexpr std::size_t k_max_keyframes = 4;
constexpr double k_min_source_s = 2;  // of an extension
constexpr double k_max_source_s = 15;
constexpr double k_max_edit_s = 30;  // the emulator's own
constexpr double k_slack_s = 0.25;   // a video of "15 s" may have one more frame

constexpr std::array<sv, 26> k_video_voices = {
    "carina", "zagan", "helix",  "orion", "luna",  "iris",    "altair", "zenith", "perseus",
    "helios", "lux",   "kepler", "rigel", "cosmo", "celeste", "ursa",   "sirius", "lumen",
    "castor", "naksh", "atlas",  "ara",   "eve",   "leo",     "rex",    "sal"};

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

std::optional<Response> too_many(sv member, std::size_t count, std::size_t maximum) {
  if (count <= maximum) return std::nullopt;
  return invalid_argument_error(
      fmt::format("Too many {}: {} given, at most {} are allowed.", member, count, maximum));
}

std::optional<Response> check_voice(const Json& body) {
  const Json* audios = text::member(body, "reference_audios");
  if (audios == nullptr) return std::nullopt;
  if (auto refusal = too_many("reference_audios", audios->size(), k_max_voices)) return refusal;
  for (const Json& audio : *audios) {
    const std::string voice = text::get_string(audio, "voice_id");
    if (std::ranges::find(k_video_voices, sv(to_lower(voice))) != k_video_voices.end()) continue;
    return invalid_argument_error(fmt::format("Unknown voice_id: {}. Valid voices: {}.",
                                              shown(voice), join(k_video_voices, ", ")));
  }
  return std::nullopt;
}

std::optional<Response> read_keyframes(const Json& body, Viewer& viewer) {
  const Json* frames = text::member(body, "keyframes");
  if (frames == nullptr) return std::nullopt;
  if (auto refusal = too_many("keyframes", frames->size(), k_max_keyframes)) return refusal;
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
  if (seconds >= k_min_source_s - k_slack_s && seconds <= k_max_source_s + k_slack_s) {
    return {};
  }
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

// Reads image, reference_images, keyframes and last_frame into the order's inputs, and checks
// reference_audios. An unreadable URL makes the order fail.
std::optional<Response> read_images(const Json& body, Viewer& viewer) {
  if (auto refusal = check_voice(body)) return refusal;
  for (const char* name : {"image", "last_frame"}) {
    const Json* image = text::member(body, name);
    if (image == nullptr) continue;
    if (auto refusal = viewer.load(*image, {std::string(name)})) return refusal;
  }
  if (const Json* several = text::member(body, "reference_images")) {
    if (auto refusal = too_many("reference_images", several->size(), k_max_references)) {
      return refusal;
    }
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

// A duration is a number or a numeric string. An edit has none, and ignores it.
const text::Type& type_of(Kind kind) {
  static const text::Types k_types(
      std::string(media::k_shared_types) +
      fmt::format("duration = number | text output = {{upload_url!}}"
                  " generation = {{prompt, model, duration: duration, seconds: duration,"
                  " aspect_ratio: <{}>, resolution: <480p 720p 1080p>, image: source,"
                  " reference_images: [source], reference_audios: [{{voice_id!}}],"
                  " keyframes: [{{image!: source, timestamp_s!: number}}], last_frame: source,"
                  " output: output, storage_options: storage, user}}"
                  " edit = {{prompt, model, video!: source, output: output,"
                  " storage_options: storage, user}}"
                  " extension = {{prompt, model, video!: source, duration: duration,"
                  " seconds: duration, output: output, storage_options: storage, user}}",
                  join(k_ratios, " ")));
  return k_types[kind == Kind::Generation ? "generation"
                 : kind == Kind::Edit     ? "edit"
                                          : "extension"];
}

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
                      shown(text::dump(*value), 40), minimum, maximum));
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
  return media::check_storage(body);
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
  if (has_references(body)) {
    return invalid_argument_error("Reference-to-video makes at most 720p.");
  }
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

}  // namespace

std::optional<Response> read_params(const Request& request, Kind kind, VideoParams& params) {
  SVC_TRY(body, text::read_body(request, type_of(kind)));
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

media::Size video_size(double ratio, std::string_view resolution) {
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

}  // namespace svc::emulator::videos
