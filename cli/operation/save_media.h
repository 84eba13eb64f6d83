// Images and videos: fetch or decode, save, show.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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
[[nodiscard]] bool takes_images(const Globals& globals);

/// Opens --output for the text of such an answer, or checks before anything is sent that the images
/// can be saved there. Errors are Local.
[[nodiscard]] Result<void> check_answer_images(Session& session);

/// Saves the images of an answer: to --output, or, in text output, under an unused name in the
/// current directory.
[[nodiscard]] Result<void> save_answer_images(Session& session,
                                              const std::vector<std::string>& images);

/// Checks a job once, without waiting: prints its result if it is done, otherwise its progress.
[[nodiscard]] Result<void> print_media_look(Session& session, const Operation& operation,
                                            const CallReply& reply);

/// Where --output puts the results of this run.
[[nodiscard]] MediaPlan media_plan(Session& session);

/// Returns a client without an API key, which must not be sent to media URLs.
[[nodiscard]] Result<std::unique_ptr<ApiClient>> media_caller(Session& session);

/// Reports on standard error on the copy that the service was asked to store.
void note_storage(Session& session, const nlohmann::json& item);

}  // namespace svc::cli
