// What the emulator's media host keeps: generated images and videos under URLs of their own, for
// an hour.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator::media {

/// The service calls these URLs temporary.
inline constexpr std::int64_t k_url_life_s = 3600;

struct StoredMedia {
  std::string content_type{};
  std::string data{};
  std::int64_t created_at = 0;  ///< Unix seconds
};

/// Keeps `data` and gives its name in the URL: "<uuid>.jpeg", "<uuid>.mp4".
[[nodiscard]] Result<std::string> keep_media(State& state, std::string_view content_type,
                                             std::string_view data);

/// Nothing when there is none of that name, or its hour is over.
[[nodiscard]] Result<std::optional<StoredMedia>> find_media(State& state, std::string_view name);

/// The URL of a kept picture or film on the emulator at `address`.
[[nodiscard]] std::string media_url(std::string_view address, std::string_view name);

/// The name in such a URL; nothing when `url` is no such one.
[[nodiscard]] std::optional<std::string> media_name(std::string_view address, std::string_view url);

}  // namespace svc::emulator::media
