// The answers of the group videos.
#pragma once

#include "catalogue/shared_answers.h"

namespace svc::catalogue::answer::videos {

inline constexpr std::array k_video_members = {
    seconds("duration", "Length of the video.", details),
    url("url", "Temporary URL of the video; empty if it was blocked.", label("URL"), nullable,
        details),
    object("file_output", k_stored_file, "The file that the video was stored in.", nullable),
    boolean("respect_moderation", "False if the video was blocked.", required, drawn),
    text("storage_error", "Why the video was not stored.", nullable, drawn),
};
inline constexpr Shape k_video{"Video", k_video_members};

inline constexpr std::array<sv, 4> k_states = {"pending", "done", "failed", "expired"};
inline constexpr Member k_status = text("status", "State of the job.", choices(k_states), details);
inline constexpr std::array k_outcome = {
    integer("progress", "Percent that is done.", nullable, drawn),
    text("model", "Model that made the video.", nullable, details),
    object("video", k_video, "The video, once it is there.", nullable),
    object("error", k_failure, "Why the job failed.", nullable, drawn),
    object("usage", k_media_usage, "Cost, and tokens if they are counted.", nullable),
};
inline constexpr auto k_job = concat(std::array{with(k_status, required)}, k_outcome);
inline constexpr Shape k_answer{"VideoJob", k_job};

/// The answer to a submission; with --wait, the finished job.
inline constexpr auto k_submitted =
    concat(std::array{text("request_id", "ID of the job.", required, drawn), k_status}, k_outcome);

}  // namespace svc::catalogue::answer::videos
