// Images and videos in a request: {"url"} or {"file_id"}.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "emulator/handler/handler.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::media {

/// Types shared by requests for images and videos, in the syntax of text::Types. `image_url` is an
/// alias of `url`; one client sends an object there.
inline constexpr std::string_view k_shared_types = R"(
source = {file_id, url, image_url: any, type}
storage = {filename!, expires_after: integer, public_url: boolean | map}
)";

/// The state and URL with which to process a request.
struct MediaContext {
  State* state = nullptr;
  std::string team_id{};
  std::string address{};  ///< base_url()

  [[nodiscard]] static MediaContext of(const Request& request);
};

/// Exactly one of `url` (or its alias `image_url`) and `file_id` must be present; otherwise returns
/// the 422 or 400. `path` is the object's position in the request.
[[nodiscard]] std::optional<Response> check_source(const Request& request, const text::Json& source,
                                                   std::span<const text::Step> path);

/// Whether it is an http or https URL.
[[nodiscard]] bool is_remote(const text::Json& source);

/// Why a source cannot be used.
struct SourceError {
  int status = 400;
  std::string code{};
  std::string message{};
  /// The source is a URL, which is fetched after the rest of a video's request was accepted: the
  /// video fails instead of being refused.
  bool remote = false;

  [[nodiscard]] Response refusal() const { return error_response(status, code, message); }
};

/// Loads the bytes of a source into `bytes`. A data URL or a file with a type must be of `kind`
/// ("image", "video").
[[nodiscard]] std::optional<SourceError> load_bytes(const MediaContext& context,
                                                    const text::Json& source, std::string_view kind,
                                                    std::string& bytes);

/// Loads the image of a source.
[[nodiscard]] std::optional<SourceError> load_image(const MediaContext& context,
                                                    const text::Json& source, Image& image);

}  // namespace svc::emulator::media
