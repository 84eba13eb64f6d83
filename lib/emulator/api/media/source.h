// The pictures and films that a request brings or names: {"url"} or {"file_id"}.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emulator/handler/handler.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::media {

/// What requests for images and videos share, as text::Types reads it. `image_url` is an alias of
/// `url`; one client's habit is an object there.
inline constexpr std::string_view k_shared_types = R"(
source = {file_id, url, image_url: any, type}
storage = {filename!, expires_after: integer, public_url: boolean | map}
)";

/// Whose store and whose address an order is worked off with.
struct Place {
  State* state = nullptr;
  std::string team_id{};
  std::string address{};  ///< own_address()

  [[nodiscard]] static Place of(const Call& call);
};

/// Exactly one of `url` (or its alias `image_url`) and `file_id` must be there: else the 422 or 400
/// that says so. `path` leads to the object in the request.
[[nodiscard]] std::optional<Answer> source_fault(const Call& call, const text::Json& source,
                                                 std::span<const text::Step> path);

/// Is it an http or https URL?
[[nodiscard]] bool is_remote(const text::Json& source);

/// Why a source cannot be used.
struct SourceTrouble {
  int status = 400;
  std::string code{};
  std::string message{};
  /// The source is a URL, which is read later than the rest of a video's request is judged: that is
  /// no refusal, but a failed video.
  bool remote = false;

  [[nodiscard]] Answer refusal() const { return refuse(status, code, message); }
};

/// The bytes behind a source, in `bytes`, which must be of `kind` ("image", "video") where a data
/// URL or a file says what it is.
[[nodiscard]] std::optional<SourceTrouble> load_bytes(const Place& place, const text::Json& source,
                                                      std::string_view kind, std::string& bytes);

/// The picture behind a source.
[[nodiscard]] std::optional<SourceTrouble> load_picture(const Place& place,
                                                        const text::Json& source, Picture& picture);

}  // namespace svc::emulator::media
