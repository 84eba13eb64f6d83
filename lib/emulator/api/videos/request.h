// What a request for a video asks for, and how it is kept until it is worked off.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/account/models.h"
#include "emulator/api/media/source.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::videos {

using text::Json;

enum class Kind : std::uint8_t { Generation, Edit, Extension };

/// How it ends.
enum class Ending : std::uint8_t { Done, Blocked, Failed, Expired };

struct VideoOrder {
  Kind kind = Kind::Generation;
  std::string prompt{};
  std::string model{};
  int duration_s = 0;   ///< of what is new; of an edit, the source's
  double source_s = 0;  ///< of an extension: how long its source is
  media::Size size{};
  std::int64_t price = 0;  ///< ticks for all of it
  bool in_batch = false;   ///< its batch pays, at the price of batches
  Ending ending = Ending::Done;
  std::string error_code{};  ///< of Ending::Failed
  std::string error_message{};
  std::string upload_url{};
  std::string address{};          ///< of the emulator, for URLs
  std::string storage_options{};  ///< the request's, as JSON; empty: none
  std::string film{};             ///< of an edit, kept beside it
};

/// What `call` asks for, in `order`; else the answer that refuses it.
[[nodiscard]] std::optional<Answer> read_order(const Call& call, Kind kind, VideoOrder& order);

/// The order without its film, as JSON, and back.
[[nodiscard]] std::string pack(const VideoOrder& order);
[[nodiscard]] VideoOrder unpack(const std::string& json);

// --- how many pixels a video has ---

/// The ratios of POST /v1/videos/generations.
inline constexpr std::array<std::string_view, 7> k_ratios = {"1:1", "16:9", "9:16", "4:3",
                                                             "3:4", "3:2",  "2:3"};

/// "480p" is 480 pixels on the shorter side; "" is 480p.
[[nodiscard]] media::Size video_size(std::string_view ratio, std::string_view resolution);

/// The same for the proportions of `like`, within 1:3 and 3:1.
[[nodiscard]] media::Size video_size(media::Size like, std::string_view resolution);

/// The size of what is made from a film of that size: the same, even, and not larger than 1080p.
[[nodiscard]] media::Size edited_size(media::Size source);

}  // namespace svc::emulator::videos
