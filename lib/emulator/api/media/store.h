// What the emulator's media host keeps: generated images and videos under URLs of their own, for
// an hour.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/account/models.h"
#include "emulator/api/media/source.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
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

// --- beside its URL a finished picture or film may become a file of the team (storage_options) ---

/// What is wrong with the request's storage_options: the 400 for it.
[[nodiscard]] std::optional<Answer> storage_fault(const text::Json& body);

/// Stores `data` as the request's storage_options say, when it has them, and tells so in `item`:
/// `file_output`, or `storage_error` when that is not possible. `index` counts the results of one
/// request: the second file of `cat.jpg` is `cat-2.jpg`.
void store_output(const Place& place, const text::Json& body, std::string_view content_type,
                  std::string_view data, std::size_t index, text::Json& item);

/// The model that the body names (the default when it names none); else why not: 404, naming model
/// and team, or 403.
[[nodiscard]] Checked<const MediaModel*> pick_media_model(const Call& call, const text::Json& body,
                                                          Product product);

}  // namespace svc::emulator::media
