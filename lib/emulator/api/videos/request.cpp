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
#include "emulator/model/steer.h"
#include "emulator/picture/mp4.h"

namespace svc::emulator::videos {

namespace {

constexpr std::size_t k_most_references = 7;
constexpr std::size_t k_most_voices = 3;
constexpr std::size_t k_most_keyframes = 4;
constexpr double k_shortest_source_s = 2;  // of an extension
constexpr double k_longest_source_s = 15;
constexpr double k_longest_edit_s = 30;  // the emulator's own
constexpr double k_slack_s = 0.25;       // a video of "15 s" may have one more frame

constexpr std::array<sv, 26> k_video_voices = {
    "carina", "zagan", "helix",  "orion", "luna",  "iris",    "altair", "zenith", "perseus",
    "helios", "lux",   "kepler", "rigel", "cosmo", "celeste", "ursa",   "sirius", "lumen",
    "castor", "naksh", "atlas",  "ara",   "eve",   "leo",     "rex",    "sal"};

int even(double pixels) {
  constexpr int k_least_side = 32;
  return std::max(k_least_side, static_cast<int>(std::lround(pixels / 2)) * 2);
}

void fail_later(VideoOrder& order, const std::string& message) {
  if (order.ending != Ending::Done) return;
  order.ending = Ending::Failed;
  order.error_code = "invalid_argument";
  order.error_message = message;
}

/// What the images of a request are checked with.
struct Viewer {
  const Call& call;
  VideoOrder& order;
  std::optional<media::Size> proportions{};  ///< of the first image

  // An unreadable image is refused, or makes the video fail.
  std::optional<Answer> look_at(const Json& source, std::vector<text::Step> path) {
    if (auto refusal = media::source_fault(call, source, path)) return refusal;
    media::Picture picture;
    if (auto trouble = media::load_picture(media::Place::of(call), source, picture)) {
      if (!trouble->remote) return trouble->refusal();
      fail_later(order, trouble->message);
    } else if (!proportions) {
      proportions = picture.size();
    }
    return std::nullopt;
  }
};

std::optional<Answer> too_many(sv member, std::size_t count, std::size_t most) {
  if (count <= most) return std::nullopt;
  return refuse_argument(
      fmt::format("Too many {}: {} given, at most {} are allowed.", member, count, most));
}

std::optional<Answer> voice_fault(const Json& body) {
  const Json* audios = text::member(body, "reference_audios");
  if (audios == nullptr) return std::nullopt;
  if (auto refusal = too_many("reference_audios", audios->size(), k_most_voices)) return refusal;
  for (const Json& audio : *audios) {
    const std::string voice = text::text_of(audio, "voice_id");
    if (std::ranges::find(k_video_voices, sv(to_lower(voice))) != k_video_voices.end()) continue;
    return refuse_argument(fmt::format("Unknown voice_id: {}. Valid voices: {}.", shown(voice),
                                       join(k_video_voices, ", ")));
  }
  return std::nullopt;
}

std::optional<Answer> read_keyframes(const Json& body, Viewer& viewer) {
  const Json* frames = text::member(body, "keyframes");
  if (frames == nullptr) return std::nullopt;
  if (auto refusal = too_many("keyframes", frames->size(), k_most_keyframes)) return refusal;
  for (std::size_t i = 0; i < frames->size(); ++i) {
    const Json& frame = (*frames)[i];
    const double time = text::number_of(frame, "timestamp_s").value_or(0);
    if (!(time >= 0 && time <= viewer.order.duration_s)) {
      return refuse_argument(
          fmt::format("Invalid value for keyframes[{}].timestamp_s: {} is not between 0 and {}.", i,
                      time, viewer.order.duration_s));
    }
    if (auto refusal = viewer.look_at(*text::member(frame, "image"),
                                      {std::string("keyframes"), i, std::string("image")})) {
      return refusal;
    }
  }
  return std::nullopt;
}

// Returns why a video cannot be the source, or "".
std::string length_fault(const VideoOrder& order, double seconds) {
  if (order.kind == Kind::Edit) {
    if (seconds <= k_longest_edit_s) return {};
    return fmt::format("The source video lasts {:.1f} s; at most {} s are allowed.", seconds,
                       k_longest_edit_s);
  }
  if (seconds >= k_shortest_source_s - k_slack_s && seconds <= k_longest_source_s + k_slack_s) {
    return {};
  }
  return fmt::format("The source video lasts {:.1f} s; an extension takes one of {} to {} s.",
                     seconds, k_shortest_source_s, k_longest_source_s);
}

// Returns what is wrong with the video, or "". Records its size and duration.
std::string look_at_film(VideoOrder& order, const std::string& bytes) {
  const auto track = read_mp4(bytes);
  if (!track) return track.error().message;
  if (auto fault = length_fault(order, track->duration_s); !fault.empty()) return fault;
  order.size = edited_size(track->size);
  if (order.kind == Kind::Edit) {
    order.duration_s = std::max(1, static_cast<int>(std::lround(track->duration_s)));
  } else {
    order.source_s = track->duration_s;
  }
  return {};
}

// Reads image, reference_images, keyframes and last_frame into the order's inputs, and checks
// reference_audios. An unreadable URL makes the order fail.
std::optional<Answer> read_pictures(const Json& body, Viewer& viewer) {
  if (auto refusal = voice_fault(body)) return refusal;
  for (const char* name : {"image", "last_frame"}) {
    const Json* image = text::member(body, name);
    if (image == nullptr) continue;
    if (auto refusal = viewer.look_at(*image, {std::string(name)})) return refusal;
  }
  if (const Json* several = text::member(body, "reference_images")) {
    if (auto refusal = too_many("reference_images", several->size(), k_most_references)) {
      return refusal;
    }
    for (std::size_t i = 0; i < several->size(); ++i) {
      if (auto refusal = viewer.look_at((*several)[i], {std::string("reference_images"), i})) {
        return refusal;
      }
    }
  }
  return read_keyframes(body, viewer);
}

// The same for the source of an edit or extension, with its size and duration.
std::optional<Answer> read_film(const Call& call, const Json& body, VideoOrder& order) {
  const Json& source = *text::member(body, "video");
  const std::vector<text::Step> path = {std::string("video")};
  if (auto refusal = media::source_fault(call, source, path)) return refusal;
  std::string film;
  if (auto trouble = media::load_bytes(media::Place::of(call), source, "video", film)) {
    if (!trouble->remote) return trouble->refusal();
    fail_later(order, trouble->message);
    return std::nullopt;
  }
  const std::string fault = look_at_film(order, film);
  if (fault.empty()) {
    if (order.kind == Kind::Edit) order.film = std::move(film);
    return std::nullopt;
  }
  if (!media::is_remote(source)) return refuse_argument(fault);
  fail_later(order, fault);
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

std::optional<Answer> read_duration(const Json& body, VideoOrder& order) {
  if (order.kind == Kind::Edit) return std::nullopt;
  const bool extends = order.kind == Kind::Extension;
  const std::int64_t least = extends ? 2 : 1;
  const std::int64_t most = extends ? 10 : 15;
  order.duration_s = extends ? 6 : 8;
  for (const sv name : {sv("seconds"), sv("duration")}) {
    const Json* value = text::member(body, name);
    if (value == nullptr) continue;
    const auto seconds = whole(*value);
    if (!seconds || *seconds < least || *seconds > most) {
      return refuse_argument(
          fmt::format("Invalid value for {}: {} is not a whole number between {} and {}.", name,
                      shown(text::dump(*value), 40), least, most));
    }
    order.duration_s = static_cast<int>(*seconds);
  }
  return std::nullopt;
}

// `Refuse: …`, `Expire: …`, `Fail with: [CODE:] MESSAGE`.
void read_ending(VideoOrder& order) {
  const auto steering = text::read_steering(order.prompt);
  if (steering.kind == text::Steer::Refuse) order.ending = Ending::Blocked;
  if (to_lower(trim(order.prompt)).starts_with("expire:")) order.ending = Ending::Expired;
  if (steering.kind != text::Steer::Fail) return;
  order.ending = Ending::Failed;
  order.error_code = "internal_error";
  order.error_message = steering.text.empty() ? "The video could not be made." : steering.text;
  for (const sv code : k_error_codes) {
    if (!sv(steering.text).starts_with(code)) continue;
    sv rest = trim(sv(steering.text).substr(code.size()));
    if (rest.starts_with(':')) rest = trim(rest.substr(1));
    order.error_code = code;
    order.error_message = rest.empty() ? "The prompt asked for this failure." : rest;
  }
}

std::optional<Answer> read_output(const Json& body, VideoOrder& order) {
  if (const Json* output = text::member(body, "output")) {
    order.upload_url = text::text_of(*output, "upload_url");
    const std::string lower = to_lower(order.upload_url);
    if (!lower.starts_with("http://") && !lower.starts_with("https://")) {
      return refuse(400, "invalid-argument", "The output.upload_url field is invalid.");
    }
  }
  if (const Json* storage = text::member(body, "storage_options")) {
    order.storage_options = text::dump(*storage);
  }
  return media::storage_fault(body);
}

bool has_references(const Json& body) {
  for (const sv name : {sv("reference_images"), sv("reference_audios")}) {
    const Json* list = text::member(body, name);
    if (list != nullptr && !list->empty()) return true;
  }
  return false;
}

bool needs_prompt(const Json& body, const VideoOrder& order) {
  return order.kind != Kind::Generation || has_references(body) ||
         text::member(body, "image") == nullptr;
}

std::optional<Answer> resolution_fault(const Json& body, const media::MediaModel& model) {
  if (text::text_of(body, "resolution") != "1080p") return std::nullopt;
  if (has_references(body)) {
    return refuse_argument("Reference-to-video makes at most 720p.");
  }
  if (model.full_hd) return std::nullopt;
  return refuse_argument(
      fmt::format("Model {} does not make 1080p; svc-imagine-video-1.5 does.", model.name));
}

// The fields of an order that are stored with its job.
template <typename AnyOrder, typename Visit>
void each_member(AnyOrder& order, const Visit& visit) {
  visit("kind", order.kind);
  visit("model", order.model);
  visit("duration", order.duration_s);
  visit("width", order.size.width);
  visit("height", order.size.height);
  visit("price", order.price);
  visit("in_batch", order.in_batch);
  visit("ending", order.ending);
  visit("error_code", order.error_code);
  visit("error_message", order.error_message);
  visit("upload_url", order.upload_url);
  visit("address", order.address);
  visit("storage_options", order.storage_options);
  visit("source_s", order.source_s);
}

}  // namespace

std::optional<Answer> read_order(const Call& call, Kind kind, VideoOrder& order) {
  SVC_TRY(body, text::read_body(call, type_of(kind)));
  order.kind = kind;
  order.address = media::Place::of(call).address;
  order.prompt = text::text_of(body, "prompt");
  if (trim(order.prompt).empty() && needs_prompt(body, order)) {
    return refuse_argument("The prompt cannot be empty.");
  }
  SVC_TRY(model, media::pick_media_model(call, body, media::Product::Video));
  order.model = model->name;
  if (auto refusal = read_duration(body, order)) return refusal;
  if (auto refusal = resolution_fault(body, *model)) return refusal;
  if (auto refusal = read_output(body, order)) return refusal;
  read_ending(order);
  if (kind == Kind::Generation) {
    Viewer viewer{call, order};
    if (auto refusal = read_pictures(body, viewer)) return refusal;
    const std::string ratio = text::text_of(body, "aspect_ratio");
    const std::string resolution = text::text_of(body, "resolution");
    // Image-to-video uses the image's ratio.
    const bool follows =
        ratio.empty() && viewer.proportions && text::member(body, "image") != nullptr;
    order.size = video_size(
        follows ? media::ratio_of(*viewer.proportions) : media::ratio_of(ratio, 16.0 / 9.0),
        resolution);
  } else if (auto refusal = read_film(call, body, order)) {
    return refusal;
  }
  order.price =
      media::video_price(*model, std::min(order.size.width, order.size.height), order.duration_s);
  return std::nullopt;
}

std::string pack(const VideoOrder& order) {
  Json packed = Json::object();
  each_member(order, [&](const char* name, const auto& value) { packed[name] = value; });
  return text::dump(packed);
}

VideoOrder unpack(const std::string& json) {
  const Json packed = text::parse_json(json);
  VideoOrder order;
  each_member(order, [&](const char* name, auto& value) { value = packed.value(name, value); });
  return order;
}

media::Size video_size(double ratio, std::string_view resolution) {
  const int side = resolution == "1080p" ? 1080 : resolution == "720p" ? 720 : 480;
  const double bounded = std::clamp(ratio, 1.0 / 3.0, 3.0);
  if (bounded >= 1) return {even(side * bounded), side};
  return {side, even(side / bounded)};
}

media::Size edited_size(media::Size source) {
  constexpr double k_most_pixels = 1920.0 * 1080.0;
  const double pixels = static_cast<double>(source.width) * source.height;
  const double scale = pixels > k_most_pixels ? std::sqrt(k_most_pixels / pixels) : 1.0;
  return {even(source.width * scale), even(source.height * scale)};
}

}  // namespace svc::emulator::videos
