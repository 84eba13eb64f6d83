// Fields that images and videos share.
#pragma once

#include <array>

#include "catalogue/shared_fields.h"

namespace svc::catalogue {

inline constexpr std::array<sv, 3> k_image_inputs = {"image/jpeg", "image/png", "image/webp"};
inline constexpr std::array<sv, 1> k_video_inputs = {"video/mp4"};

/// The fields of a single image object, for scripts; interactive users have --image.
inline constexpr std::array k_image_members = {
    text("image.url", "URL or data: URL of the image, passed as is.",
         example("https://example.com/cat.png")),
    text("image.file_id", "File ID of an uploaded image.", example("file_0001"),
         completes("files")),
    // --image-url is the flag of image.url.
    text("image.image_url", "Alias of --image-url.", example("https://example.com/cat.png")),
    text("image.type", "Type of the image object: image_url.", example("image_url")),
};

/// --image, the fields of the image object and the array cannot be combined.
inline constexpr std::array k_image_rules = {
    excludes("image", "image-url", "--image takes URLs too."),
    excludes("image", "image-file-id", "--image takes file IDs too."),
    excludes("image", "image-image-url", "--image takes URLs too."),
    excludes("image", "image-type", "--image sets the whole object."),
    excludes("image-file-id", "image-url", "Specify one source."),
    excludes("image-file-id", "image-image-url", "Specify one source."),
    excludes("image-url", "image-image-url", "Both set the same field."),
};

/// Storing the result as a file on the service.
inline constexpr std::array k_storage_fields = {
    text("storage_options.filename", "Store the result as a file on the service, and print its ID.",
         example("cat.png")),
    duration("storage_options.expires_after",
             "Delete the stored file after this time, such as 7d, or seconds.",
             range(1, 2592000, "seconds"), unit_ms(1000), fallback("never"), example("86400")),
    json("storage_options.public_url", "Give the stored file a public URL: true, or JSON options.",
         fallback("false"), example("true")),
};

inline constexpr std::array k_storage_rules = {
    needs("storage-options-expires-after", "storage-options-filename",
          "A stored file needs a name."),
    needs("storage-options-public-url", "storage-options-filename", "A stored file needs a name."),
};

/// For commands that wait by default.
inline constexpr Field k_wait_unless_field = boolean(
    "wait", "Wait for the job to finish; --no-wait prints its ID.", local, common, fallback("on"));

inline constexpr std::array k_slow_wait_fields = {
    duration("poll-interval", "Poll at this interval.", local, fallback("5s"), example("10s")),
    duration("wait-timeout", "Stop waiting after this time; the job continues.", local,
             fallback("10m"), example("30m")),
};

/// Every five seconds, for ten minutes, like the service's own clients.
inline constexpr Poll k_media_poll{.operation = "wait",
                                   .id_path = "request_id",
                                   .first_seconds = 5,
                                   .max_seconds = 5,
                                   .limit_seconds = 600,
                                   .by_default = true,
                                   .judge = Judge::Status};

}  // namespace svc::catalogue
