// The answers of the group images.
#pragma once

#include "catalogue/shared_answers.h"

namespace svc::catalogue::answer::images {

inline constexpr std::array k_image_members = {
    text("b64_json", "The image in base64.", nullable, drawn),
    text("revised_prompt", "The prompt as the service changed it.", nullable, details),
    text("mime_type", "Such as image/jpeg.", label("Type"), nullable, details),
    url("url", "Temporary URL of the image.", label("URL"), nullable, details),
    object("file_output", k_stored_file, "The file that the image was stored in.", nullable),
    text("storage_error", "Why the image was not stored.", nullable, drawn),
    boolean("respect_moderation", "False if the image was blocked.", nullable, drawn),
};
inline constexpr Shape k_image{"Image", k_image_members};

inline constexpr Member k_request_id =
    text("request_id", "ID to fetch deferred images with.", drawn);
inline constexpr std::array k_generated = {
    list("data[]", k_image, "The images.", required),
    object("usage", k_media_usage, "Cost, and tokens if they are counted."),
    k_request_id,
};
inline constexpr Shape k_answer{"Images", k_generated};

inline constexpr std::array<sv, 3> k_states = {"pending", "done", "failed"};
inline constexpr std::array k_job = {
    k_request_id,
    text("status", "State of the job.", choices(k_states), details),
    list("data[]", k_image, "The images."),
    object("error", k_failure, "Why the job failed.", nullable, drawn),
    object("usage", k_media_usage, "Cost, and tokens if they are counted.", nullable),
};

}  // namespace svc::catalogue::answer::images
