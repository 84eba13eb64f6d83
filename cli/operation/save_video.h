// Videos: fetch, save, report.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// Downloads the video of a finished job, or prints its URL.
[[nodiscard]] Result<void> save_video(Session& session, const Operation& operation,
                                      const std::string& body);

/// Returns the URL of a finished video, "" if there is none; `tells`: also reports on the copy that
/// the service was asked to store. Returns RemoteJob if moderation blocked the video.
[[nodiscard]] Result<std::string> finished_video_url(Session& session,
                                                     const nlohmann::json& document, bool tells);
/// The error for a finished video without a URL: RemoteJob.
[[nodiscard]] Error video_without_url();

/// Warns if the saved file is not a video: the URL may have returned an error page.
void check_saved_video(Session& session, const std::string& path);

}  // namespace svc::cli
