// Images and videos: fetch or decode, save, show.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/files.h"
#include "base/result.h"
#include "client/api_client.h"
#include "operation/media_names.h"
#include "session/session.h"

namespace svc::cli {

/// Whether the operation's results are files, saved to --output.
[[nodiscard]] constexpr bool saves_media(const Operation& operation) noexcept {
  return operation.view == View::Images || operation.view == View::Video;
}

/// Checks before anything is sent that the results can be saved: Usage for several images to a pipe
/// or any to a terminal, Local if the target is not writable.
[[nodiscard]] Result<void> check_media_target(Session& session, const Operation& operation);

/// Saves the images of a response, decoded or fetched without the API key, and shows them if the
/// terminal supports images. If one cannot be saved, its URL is printed and the others are still
/// saved. Returns RemoteJob if one was blocked by moderation.
[[nodiscard]] Result<void> save_images(Session& session, const Operation& operation,
                                       const std::string& body);

/// Whether --output is the target of an answer's images: a directory, a pattern, or a file name
/// with an image's extension. Otherwise it is for the answer's text.
[[nodiscard]] bool takes_images(const std::optional<std::string>& output);

/// Opens --output for the text of such an answer, or checks before anything is sent that the images
/// can be saved there. Errors are Local.
[[nodiscard]] Result<void> check_answer_images(Session& session);

/// Saves the images of an answer: to --output, or, in text output, under an unused name in the
/// current directory.
[[nodiscard]] Result<void> save_answer_images(Session& session,
                                              const std::vector<std::string>& images);

/// Downloads the video of a finished job, or prints its URL.
[[nodiscard]] Result<void> save_video(Session& session, const Operation& operation,
                                      const std::string& body);

/// Returns the URL of a finished video, "" if there is none; `tells`: also reports on the copy that
/// the service was asked to store. Returns RemoteJob if moderation blocked the video.
[[nodiscard]] Result<std::string> take_video(Session& session, const nlohmann::json& document,
                                             bool tells);
/// The error for a finished video without a URL: RemoteJob.
[[nodiscard]] Error video_without_url();

/// Warns if the saved file is not a video: the URL may have returned an error page.
void check_saved_video(Session& session, const std::string& path);

/// Checks a job once, without waiting: prints its result if it is done, otherwise its progress.
[[nodiscard]] Result<void> print_media_look(Session& session, const Operation& operation,
                                            const CallReply& reply);

/// Where --output puts the results of this run.
[[nodiscard]] MediaPlan media_plan(Session& session);

/// Returns a client without an API key, which must not be sent to media URLs.
[[nodiscard]] Result<std::unique_ptr<ApiClient>> media_caller(Session& session);

/// Reports on standard error on the copy that the service was asked to store.
void tell_storage(Session& session, const nlohmann::json& item);

struct SavedImage {
  std::string path{};
  std::string type{};     ///< from its content: "image/jpeg"
  std::string warning{};  ///< set if the extension is for another type
};

/// An image being written to disk: its content determines its type, and therefore its name.
class ImageFile {
 public:
  /// Checks that `count` images can be saved there; creates a directory with a trailing slash.
  /// Errors are Local.
  [[nodiscard]] static Result<void> probe(const MediaPlan& plan, std::size_t count,
                                          Replace replace);

  /// Creates a temporary file there. Errors as for AtomicFile::create().
  [[nodiscard]] static Result<ImageFile> create(const MediaPlan& plan, std::size_t number,
                                                std::size_t count, Replace replace);

  /// Appends. Returns Network if the first bytes are text: an error page, not an image.
  [[nodiscard]] Result<void> write(std::string_view bytes);

  /// Moves the complete file into place; an automatic name is the first unused "image-N".
  [[nodiscard]] Result<SavedImage> commit();

 private:
  ImageFile(MediaPlan plan, AtomicFile file) : m_plan(std::move(plan)), m_file(std::move(file)) {}
  [[nodiscard]] Result<void> look();

  MediaPlan m_plan;
  AtomicFile m_file;
  std::string m_start{};  ///< buffered until the type is known
  std::string m_type{};
};

}  // namespace svc::cli
