// Images and videos: fetched or decoded, saved, shown.
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

/// Whether the operation's result is files, so that --output says where they go.
[[nodiscard]] constexpr bool saves_media(const Operation& operation) noexcept {
  return operation.view == View::Images || operation.view == View::Video;
}

/// Finds out before anything is sent whether the results can be put where they belong: Usage for
/// several images into a pipe or one to a terminal, Local for a place that cannot be written.
[[nodiscard]] Result<void> check_media_target(Session& session, const Operation& operation);

/// Saves the images of an answer, decoded or fetched without the key, and shows them where the
/// terminal can. One that cannot be saved does not keep the others from it; its URL is told.
/// RemoteJob when one was refused by moderation.
[[nodiscard]] Result<void> save_images(Session& session, const Operation& operation,
                                       const std::string& body);

/// Whether --output says where the images go that come with an answer: a folder, a pattern, or a
/// file whose name ends as an image's does. Else it is for the answer's text.
[[nodiscard]] bool takes_images(const std::optional<std::string>& output);

/// Opens --output for the text of such an answer, or finds out before anything is sent whether the
/// images can be put there. Local.
[[nodiscard]] Result<void> check_answer_images(Session& session);

/// Saves the images that were made for an answer: where --output says, else, in text output, under
/// a free name in the current folder.
[[nodiscard]] Result<void> save_answer_images(Session& session,
                                              const std::vector<std::string>& images);

/// Downloads the video of a finished job, or prints its URL.
[[nodiscard]] Result<void> save_video(Session& session, const Operation& operation,
                                      const std::string& body);

/// The URL of a finished video, "" when there is none; `tells`: says what became of a copy that the
/// service was to keep. RemoteJob when moderation blocked the video.
[[nodiscard]] Result<std::string> take_video(Session& session, const nlohmann::json& document,
                                             bool tells);
/// The video is done, but nowhere to be fetched from. RemoteJob.
[[nodiscard]] Error video_without_url();

/// Warns when what was saved is no video: the address may have given a page that says no.
void check_saved_video(Session& session, const std::string& path);

/// One look at a job, without waiting: its result when it is done, else how far it is.
[[nodiscard]] Result<void> print_media_look(Session& session, const Operation& operation,
                                            const CallReply& reply);

/// Where --output puts the results of this run.
[[nodiscard]] MediaPlan media_plan(Session& session);

/// A caller without a key: media addresses get none.
[[nodiscard]] Result<std::unique_ptr<ApiClient>> media_caller(Session& session);

/// Says on standard error what became of a copy that the service was to keep.
void tell_storage(Session& session, const nlohmann::json& item);

struct SavedImage {
  std::string path{};
  std::string type{};     ///< by its bytes: "image/jpeg"
  std::string warning{};  ///< when its name says something else
};

/// One image on its way to disk: its bytes say what it is, and so what it is called.
class ImageFile {
 public:
  /// Whether `count` images can be put there; a folder with a slash at its end is made. Local.
  [[nodiscard]] static Result<void> probe(const MediaPlan& plan, std::size_t count,
                                          Replace replace);

  /// A temporary file at the place. Local as AtomicFile::create().
  [[nodiscard]] static Result<ImageFile> create(const MediaPlan& plan, std::size_t number,
                                                std::size_t count, Replace replace);

  /// Appends. Network when the first bytes are a text: an error page, not an image.
  [[nodiscard]] Result<void> write(std::string_view bytes);

  /// Puts the whole file in its place; a chosen name is the first free "image-N" there.
  [[nodiscard]] Result<SavedImage> commit();

 private:
  ImageFile(MediaPlan plan, AtomicFile file) : m_plan(std::move(plan)), m_file(std::move(file)) {}
  [[nodiscard]] Result<void> look();

  MediaPlan m_plan;
  AtomicFile m_file;
  std::string m_start{};  ///< held back until it is known what it is
  std::string m_type{};
};

}  // namespace svc::cli
