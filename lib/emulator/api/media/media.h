// Images and videos: where a request takes them from, and where results are stored.
#pragma once

#include "emulator/account/ledger.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::media {

inline constexpr std::size_t k_max_fetched = 64U << 20U;

/// GET of an http URL on a loopback address; returns the body of a 200. Usage for any other URL,
/// Network if it fails or takes more than five seconds. Redirects are not followed.
[[nodiscard]] Result<std::string> fetch(sv url);

/// The response to a POST.
struct HttpReply {
  unsigned status = 0;
  std::string body{};
};

/// POST with header lines that each end with CR LF. Any status is a success.
[[nodiscard]] Result<HttpReply> post(sv url, sv headers, sv body);

/// PUT to an http URL on a loopback address; any 2xx is a success. Errors as for fetch().
[[nodiscard]] Result<void> put(sv url, sv content_type, sv body);

// Images and videos in a request: {"url"} or {"file_id"}.

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
  std::string code{};  ///< empty: the service's for that status
  std::string message{};
  /// The source is a URL, which is fetched after the rest of a video's request was accepted: the
  /// video fails instead of being refused.
  bool remote = false;

  [[nodiscard]] Response refusal() const {
    return code.empty() ? error_response(status, message) : error_response(status, code, message);
  }
};

/// Loads the bytes of a source, which must be of `kind` ("image", "video") if it has a type.
[[nodiscard]] std::optional<SourceError> load_bytes(const MediaContext& context,
                                                    const text::Json& source, sv kind,
                                                    std::string& bytes);

/// Loads the image of a source.
[[nodiscard]] std::optional<SourceError> load_image(const MediaContext& context,
                                                    const text::Json& source, Image& image);

// The emulator's media host: stores generated images and videos under temporary URLs, for an hour.

/// The path of stored images and videos, before their names.
inline constexpr sv k_media_path = "/_media/";

/// The service calls these URLs temporary.
inline constexpr std::int64_t k_url_lifetime_s = 3600;

struct StoredMedia {
  std::string content_type{}, data{};
  std::int64_t created_at = 0;  ///< Unix seconds
};

/// Stores `data` and returns its name in the URL: "<uuid>.jpeg", "<uuid>.mp4".
[[nodiscard]] Result<std::string> store_media(State& state, sv content_type, sv data);

/// Returns nothing if there is none with that name, or it has expired.
[[nodiscard]] Result<std::optional<StoredMedia>> find_media(State& state, sv name);

/// Returns the URL of a stored image or video on the emulator at `address`.
[[nodiscard]] std::string media_url(sv address, sv name);

// --- additional storage of a finished image or video as a file of the team (storage_options) ---

/// Stores `data` if the request has storage_options, and reports it in `item`. `index` numbers the
/// results of one request: the second file of `cat.jpg` is `cat-2.jpg`.
void store_output(const MediaContext& context, const text::Json& body, sv content_type, sv data,
                  std::size_t index, text::Json& item);

/// Returns the model in the body (or the default), or why it is refused: 404 or 403.
[[nodiscard]] Checked<const MediaModel*> pick_media_model(const Request& request,
                                                          const text::Json& body, Product product);

}  // namespace svc::emulator::media

namespace svc::emulator::images {

/// Returns the size for proportions and a resolution ("1k", "1.5k", "2k"; "" is 1k). The documents
/// specify no pixels: here they are about the square of the resolution.
[[nodiscard]] media::Size image_size(double ratio, sv resolution);

/// Returns the ratio that "auto" selects for a prompt: one of five, deterministically.
[[nodiscard]] sv choose_ratio(sv prompt);

}  // namespace svc::emulator::images
