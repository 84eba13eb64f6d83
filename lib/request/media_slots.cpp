#include "request/media_slots.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "request/body.h"
#include "request/convert.h"
#include "request/media.h"

namespace svc::request {
namespace {

/// "JPEG, PNG and WebP" for people.
std::string spoken(std::span<const sv> types) {
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) text += i + 1 == types.size() ? " and " : ", ";
    text += type_name(types[i]);
  }
  return text;
}

Result<void> check_type(const Field& field, std::string_view what, std::string_view type) {
  const MediaSlot& slot = *field.media;
  if (slot.types.empty() ||
      std::find(slot.types.begin(), slot.types.end(), type) != slot.types.end()) {
    return {};
  }
  return usage_error(fmt::format("{} {}: this is {}, which the service does not take here",
                                 flag_name(field), what, type_name(type)),
                     fmt::format("It takes {}.", spoken(slot.types)));
}

Result<void> check_size(const Field& field, std::string_view what, std::uint64_t size) {
  if (size <= field.media->max_bytes) return {};
  return usage_error(fmt::format("{} {}: {} were given, at most {} are allowed", flag_name(field),
                                 what, format_bytes(size), format_bytes(field.media->max_bytes)),
                     "Upload it with `svc files upload`, or give a URL.");
}

/// What a data: URL holds, by the first of its bytes.
Result<void> check_data_url(const Field& field, std::string_view url) {
  constexpr std::string_view k_base64 = ";base64,";
  const std::size_t comma = url.find(',');
  const std::string_view head = url.substr(0, std::min(comma, url.size()) + 1);
  if (comma == sv::npos || !head.ends_with(k_base64)) {
    return usage_error(
        fmt::format("{} takes a data: URL with base64, not '{}'", flag_name(field), shown(url, 40)),
        "For example: data:image/png;base64,iVBORw0…");
  }
  const std::string_view encoded = url.substr(comma + 1);
  SVC_CHECK(check_size(field, "data: URL", encoded.size() / 4 * 3));
  const auto bytes = base64_decode(encoded.substr(0, encoded.size() >= 64 ? 64 : encoded.size()));
  if (!bytes || bytes->empty()) {
    return usage_error(fmt::format("{}: the data: URL holds no base64", flag_name(field)));
  }
  return check_type(field, "data: URL", sniff_type(*bytes));
}

Result<OrderedJson> media_object(const Field& field, Media media, InlineFiles& files) {
  switch (media.form) {
    case MediaForm::Url:
      return OrderedJson{{"url", std::move(media.text)}};
    case MediaForm::FileId:
      return OrderedJson{{"file_id", std::move(media.text)}};
    case MediaForm::DataUrl:
      SVC_CHECK(check_data_url(field, media.text));
      return OrderedJson{{"url", std::move(media.text)}};
    case MediaForm::File:
    case MediaForm::Bytes:
      break;
  }
  const std::string name = visible(media.file_name, Lines::Escape);
  SVC_CHECK(check_type(field, name, media.type));
  SVC_CHECK(check_size(field, name, media.size()));
  return OrderedJson{{"url", data_url(media, files)}};
}

/// "SECONDS=MEDIA", apart: {"timestamp_s"} and what is left of the text.
Result<OrderedJson> take_moment(const Field& field, std::string& text) {
  const std::size_t equals = text.find('=');
  const auto seconds =
      equals != std::string::npos ? parse_number(sv(text).substr(0, equals)) : std::nullopt;
  if (!seconds || *seconds < 0) {
    return usage_error(
        fmt::format("{} takes SECONDS=IMAGE, not '{}'", flag_name(field), shown(text)),
        "For example: --keyframe 2.5=door.png");
  }
  text.erase(0, equals + 1);
  OrderedJson moment = OrderedJson::object();
  if (*seconds == std::floor(*seconds) && *seconds < 1e9) {
    moment["timestamp_s"] = static_cast<std::int64_t>(*seconds);
  } else {
    moment["timestamp_s"] = *seconds;
  }
  return moment;
}

Result<OrderedJson> gather(const Field& field, const Inputs& inputs,
                           const std::optional<std::string>& stdin_text, InlineFiles& files) {
  OrderedJson objects = OrderedJson::array();
  for (const Given& given : inputs.given) {
    if (given.field != &field) continue;
    std::string text = given.text;
    OrderedJson around;
    if (!field.wraps.empty()) {
      SVC_TRY(moment, take_moment(field, text));
      around = std::move(moment);
    }
    const bool from_stdin = text == "-";
    SVC_TRY(media, resolve_media(flag_name(field), text,
                                 from_stdin && stdin_text ? &*stdin_text : nullptr));
    SVC_TRY(object, media_object(field, std::move(media), files));
    if (!field.wraps.empty()) {
      around[std::string(field.wraps)] = std::move(object);
      object = std::move(around);
    }
    objects.push_back(std::move(object));
  }
  if (field.max_count != 0 && objects.size() > field.max_count) {
    return usage_error(fmt::format("{} was given {} times, at most {} are allowed",
                                   flag_name(field), objects.size(), field.max_count));
  }
  return objects;
}

}  // namespace

Result<void> place_media(const Operation& operation, const Inputs& inputs,
                         const std::optional<std::string>& stdin_text, InlineFiles& files,
                         OrderedJson& body) {
  for (const Field& field : operation.fields) {
    if (!field.media) continue;
    SVC_TRY(objects, gather(field, inputs, stdin_text, files));
    if (objects.empty()) continue;
    const MediaSlot& slot = *field.media;
    if (!slot.one.empty()) body.erase(std::string(slot.one));
    if (!slot.many.empty()) body.erase(std::string(slot.many));
    const bool alone = !slot.one.empty() && objects.size() == 1;
    SVC_CHECK(put(body, alone ? slot.one : slot.many,
                  alone ? std::move(objects.front()) : std::move(objects)));
  }
  return {};
}

}  // namespace svc::request
