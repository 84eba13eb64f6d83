// The emulator's media host: stores generated images and videos under temporary URLs, for an hour.
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

/// The path of stored images and videos, before their names.
inline constexpr std::string_view k_media_path = "/_media/";

/// The service calls these URLs temporary.
inline constexpr std::int64_t k_url_lifetime_s = 3600;

struct StoredMedia {
  std::string content_type{};
  std::string data{};
  std::int64_t created_at = 0;  ///< Unix seconds
};

/// Stores `data` and returns its name in the URL: "<uuid>.jpeg", "<uuid>.mp4".
[[nodiscard]] Result<std::string> store_media(State& state, std::string_view content_type,
                                              std::string_view data);

/// Returns nothing if there is none with that name, or it has expired.
[[nodiscard]] Result<std::optional<StoredMedia>> find_media(State& state, std::string_view name);

/// Returns the URL of a stored image or video on the emulator at `address`.
[[nodiscard]] std::string media_url(std::string_view address, std::string_view name);

// --- additional storage of a finished image or video as a file of the team (storage_options) ---

/// Checks the request's storage_options; returns the 400 if they are invalid.
[[nodiscard]] std::optional<Response> check_storage(const text::Json& body);

/// Stores `data` according to the request's storage_options, if any, and reports it in `item`:
/// `file_output`, or `storage_error` on failure. `index` numbers the results of one request: the
/// second file of `cat.jpg` is `cat-2.jpg`.
void store_output(const MediaContext& context, const text::Json& body,
                  std::string_view content_type, std::string_view data, std::size_t index,
                  text::Json& item);

/// Returns the model in the body (or the default), or why it is refused: 404, with model and team
/// in the message, or 403.
[[nodiscard]] Checked<const MediaModel*> pick_media_model(const Request& request,
                                                          const text::Json& body, Product product);

}  // namespace svc::emulator::media
