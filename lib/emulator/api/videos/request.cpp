#include "emulator/api/videos/request.h"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/media/output.h"
#include "emulator/api/videos/inputs.h"
#include "emulator/api/videos/request_types.h"
#include "emulator/model/rules.h"
#include "emulator/model/steer.h"

namespace svc::emulator::videos {
namespace {

constexpr std::array<sv, 5> k_error_codes = {"invalid_argument", "permission_denied",
                                             "failed_precondition", "service_unavailable",
                                             "internal_error"};

const Type& type_of(Kind kind) {
  switch (kind) {
    case Kind::Generation:
      return k_generation;
    case Kind::Edit:
      return k_edit;
    default:
      return k_extension;
  }
}

// A whole number, as a number or as text; nothing for anything else.
std::optional<std::int64_t> whole(const Json& value) {
  if (value.is_string()) return parse_integer(trim(value.get_ref<const std::string&>()));
  if (value.is_number_integer()) return value.get<std::int64_t>();
  const double number = value.get<double>();
  if (std::abs(number) > 1e6 || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<Answer> read_duration(const Json& body, VideoOrder& order) {
  const bool extends = order.kind == Kind::Extension;
  const std::int64_t least = extends ? 2 : 1;
  const std::int64_t most = extends ? 10 : 15;
  order.duration_s = extends ? 6 : 8;
  for (const sv name : {sv("seconds"), sv("duration")}) {
    const Json* value = text::member(body, name);
    if (value == nullptr) continue;
    const auto seconds = whole(*value);
    if (!seconds || *seconds < least || *seconds > most) {
      return text::refuse_argument(
          fmt::format("Invalid value for {}: {} is no whole number between {} and {}.", name,
                      visible(excerpt(text::dump(*value), 40), Lines::Escape), least, most));
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
    return text::refuse_argument("Reference-to-video makes at most 720p.");
  }
  if (model.full_hd) return std::nullopt;
  return text::refuse_argument(
      fmt::format("Model {} does not make 1080p; svc-imagine-video-1.5 does.", model.name));
}

// The service's prices are not published: the emulator's own grow with the pixels.
std::int64_t price_of(const media::MediaModel& model, const VideoOrder& order) {
  const int side = std::min(order.size.width, order.size.height);
  const std::int64_t tenths = side > 720 ? 20 : side > 480 ? 14 : 10;
  return model.price * order.duration_s * tenths / 10;
}

}  // namespace

std::optional<Answer> read_order(const Call& call, Kind kind, VideoOrder& order) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, type_of(kind), refusal);
  if (refusal) return refusal;
  order.kind = kind;
  order.address = media::Place::of(call).address;
  order.prompt = text::text_of(body, "prompt");
  if (trim(order.prompt).empty() && needs_prompt(body, order)) {
    return text::refuse_argument("The prompt cannot be empty.");
  }
  const media::MediaModel* model = nullptr;
  if ((refusal = media::pick_media_model(call, body, media::Product::Video, model))) return refusal;
  order.model = model->name;
  if (kind != Kind::Edit && (refusal = read_duration(body, order))) return refusal;
  if ((refusal = resolution_fault(body, *model))) return refusal;
  if ((refusal = read_output(body, order))) return refusal;
  read_ending(order);
  if (kind == Kind::Generation) {
    std::optional<media::Size> proportions;
    if ((refusal = read_pictures(call, body, order, proportions))) return refusal;
    const std::string ratio = text::text_of(body, "aspect_ratio");
    const std::string resolution = text::text_of(body, "resolution");
    // Image-to-video follows its image.
    const bool follows = ratio.empty() && proportions && text::member(body, "image") != nullptr;
    order.size = follows ? video_size(*proportions, resolution) : video_size(ratio, resolution);
  } else if ((refusal = read_film(call, body, order))) {
    return refusal;
  }
  order.price = price_of(*model, order);
  return std::nullopt;
}

std::string pack(const VideoOrder& order) {
  return text::dump(Json{{"kind", static_cast<int>(order.kind)},
                         {"model", order.model},
                         {"duration", order.duration_s},
                         {"width", order.size.width},
                         {"height", order.size.height},
                         {"price", order.price},
                         {"in_batch", order.in_batch},
                         {"ending", static_cast<int>(order.ending)},
                         {"error_code", order.error_code},
                         {"error_message", order.error_message},
                         {"upload_url", order.upload_url},
                         {"address", order.address},
                         {"storage_options", order.storage_options},
                         {"source_s", order.source_s}});
}

VideoOrder unpack(const std::string& json) {
  const Json packed = text::parse_json(json);
  const auto number = [&](sv name) { return text::integer_of(packed, name).value_or(0); };
  VideoOrder order;
  order.kind = static_cast<Kind>(number("kind"));
  order.model = text::text_of(packed, "model");
  order.duration_s = static_cast<int>(number("duration"));
  order.size = {static_cast<int>(number("width")), static_cast<int>(number("height"))};
  order.price = number("price");
  order.in_batch = text::flag_of(packed, "in_batch", false);
  order.ending = static_cast<Ending>(number("ending"));
  order.error_code = text::text_of(packed, "error_code");
  order.error_message = text::text_of(packed, "error_message");
  order.upload_url = text::text_of(packed, "upload_url");
  order.address = text::text_of(packed, "address");
  order.storage_options = text::text_of(packed, "storage_options");
  order.source_s = text::number_of(packed, "source_s").value_or(0);
  return order;
}

}  // namespace svc::emulator::videos
