#include "emulator/api/videos/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/videos/size.h"
#include "emulator/model/rules.h"
#include "emulator/picture/mp4.h"

namespace svc::emulator::videos {
namespace {

constexpr std::size_t k_most_references = 7;
constexpr std::size_t k_most_voices = 3;
constexpr std::size_t k_most_keyframes = 4;
constexpr double k_shortest_source_s = 2;  // of an extension
constexpr double k_longest_source_s = 15;
constexpr double k_longest_edit_s = 30;  // the emulator's own
constexpr double k_slack_s = 0.25;       // a film of "15 s" may have a frame more

constexpr std::array<sv, 26> k_video_voices = {
    "carina", "zagan", "helix",  "orion", "luna",  "iris",    "altair", "zenith", "perseus",
    "helios", "lux",   "kepler", "rigel", "cosmo", "celeste", "ursa",   "sirius", "lumen",
    "castor", "naksh", "atlas",  "ara",   "eve",   "leo",     "rex",    "sal"};

void fail_later(VideoOrder& order, const std::string& message) {
  if (order.ending != Ending::Done) return;
  order.ending = Ending::Failed;
  order.error_code = "invalid_argument";
  order.error_message = message;
}

/// Looks at one picture after the other: what cannot be read is refused, or fails the video.
class Pictures {
 public:
  Pictures(const Call& call, VideoOrder& order, std::optional<media::Size>& proportions)
      : m_call(call), m_place(media::Place::of(call)), m_order(order), m_proportions(proportions) {}

  std::optional<Answer> look_at(const Json& source, std::vector<text::Step> path) {
    if (auto refusal = media::source_fault(m_call, source, path)) return refusal;
    media::Picture picture;
    if (auto trouble = media::load_picture(m_place, source, picture)) {
      if (!trouble->remote) return trouble->refusal();
      fail_later(m_order, trouble->message);
    } else if (!m_proportions) {
      m_proportions = picture.size();
    }
    return std::nullopt;
  }

 private:
  const Call& m_call;
  media::Place m_place;
  VideoOrder& m_order;
  std::optional<media::Size>& m_proportions;
};

std::optional<Answer> too_many(sv member, std::size_t count, std::size_t most) {
  if (count <= most) return std::nullopt;
  return text::refuse_argument(
      fmt::format("Too many {}: {} given, at most {} are allowed.", member, count, most));
}

std::optional<Answer> voice_fault(const Json& body) {
  const Json* audios = text::member(body, "reference_audios");
  if (audios == nullptr) return std::nullopt;
  if (auto refusal = too_many("reference_audios", audios->size(), k_most_voices)) return refusal;
  for (const Json& audio : *audios) {
    const std::string voice = text::text_of(audio, "voice_id");
    if (std::ranges::find(k_video_voices, sv(to_lower(voice))) != k_video_voices.end()) continue;
    return text::refuse_argument(fmt::format("Unknown voice_id: {}. Valid voices: {}.",
                                             visible(excerpt(voice, 60), Lines::Escape),
                                             join(k_video_voices, ", ")));
  }
  return std::nullopt;
}

std::optional<Answer> read_keyframes(const Json& body, const VideoOrder& order,
                                     Pictures& pictures) {
  const Json* frames = text::member(body, "keyframes");
  if (frames == nullptr) return std::nullopt;
  if (auto refusal = too_many("keyframes", frames->size(), k_most_keyframes)) return refusal;
  for (std::size_t i = 0; i < frames->size(); ++i) {
    const Json& frame = (*frames)[i];
    const double time = text::number_of(frame, "timestamp_s").value_or(0);
    if (!(time >= 0 && time <= order.duration_s)) {
      return text::refuse_argument(
          fmt::format("Invalid value for keyframes[{}].timestamp_s: {} is not between 0 and {}.", i,
                      time, order.duration_s));
    }
    if (auto refusal = pictures.look_at(*text::member(frame, "image"),
                                        {std::string("keyframes"), i, std::string("image")})) {
      return refusal;
    }
  }
  return std::nullopt;
}

// Why a film cannot be the source, or "".
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

// What is wrong with the film, or "". Notes its size and duration.
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

}  // namespace

std::optional<Answer> read_pictures(const Call& call, const Json& body, VideoOrder& order,
                                    std::optional<media::Size>& proportions) {
  if (auto refusal = voice_fault(body)) return refusal;
  Pictures pictures(call, order, proportions);
  for (const char* name : {"image", "last_frame"}) {
    const Json* image = text::member(body, name);
    if (image == nullptr) continue;
    if (auto refusal = pictures.look_at(*image, {std::string(name)})) return refusal;
  }
  if (const Json* several = text::member(body, "reference_images")) {
    if (auto refusal = too_many("reference_images", several->size(), k_most_references)) {
      return refusal;
    }
    for (std::size_t i = 0; i < several->size(); ++i) {
      if (auto refusal = pictures.look_at((*several)[i], {std::string("reference_images"), i})) {
        return refusal;
      }
    }
  }
  return read_keyframes(body, order, pictures);
}

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
  if (!media::is_remote(source)) return text::refuse_argument(fault);
  fail_later(order, fault);
  return std::nullopt;
}

}  // namespace svc::emulator::videos
