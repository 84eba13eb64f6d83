// Fields that images and videos share.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr std::array<sv, 3> k_image_inputs = {"image/jpeg", "image/png", "image/webp"};
inline constexpr std::array<sv, 1> k_video_inputs = {"video/mp4"};

/// The members of an image object that stands alone, for scripts that have them apart;
/// people use --image.
inline constexpr std::array<Field, 4> k_image_members = {
    Field{.flag = "image-url",
          .path = "image.url",
          .help = "URL or data: URL of the image, passed as is.",
          .example = "https://example.com/cat.png"},
    Field{.flag = "image-file-id",
          .path = "image.file_id",
          .help = "File ID of an uploaded image.",
          .example = "file_0001",
          .completes = "files"},
    // image.url has the name that the rule gives.
    Field{.flag = "image-image-url",
          .path = "image.image_url",
          .help = "Alias of --image-url.",
          .example = "https://example.com/cat.png"},
    Field{.flag = "image-type",
          .path = "image.type",
          .help = "Type of the image object: image_url.",
          .example = "image_url"},
};

/// One way to name the image at a time: --image, its members, or the array.
inline constexpr std::array<Rule, 7> k_image_rules = {
    Rule{RuleKind::Excludes, "image", "image-url", "--image takes URLs too."},
    Rule{RuleKind::Excludes, "image", "image-file-id", "--image takes file ids too."},
    Rule{RuleKind::Excludes, "image", "image-image-url", "--image takes URLs too."},
    Rule{RuleKind::Excludes, "image", "image-type", "--image makes the whole object."},
    Rule{RuleKind::Excludes, "image-file-id", "image-url", "An image has one source."},
    Rule{RuleKind::Excludes, "image-file-id", "image-image-url", "An image has one source."},
    Rule{RuleKind::Excludes, "image-url", "image-image-url", "They set the same field."},
};

/// Keeping the result as a file of the service.
inline constexpr std::array<Field, 3> k_storage_fields = {
    Field{.flag = "storage-options-filename",
          .path = "storage_options.filename",
          .help = "Store the result as a file on the service, and print its ID.",
          .example = "cat.png"},
    Field{.flag = "storage-options-expires-after",
          .path = "storage_options.expires_after",
          .kind = Kind::Duration,
          .help = "Delete the stored file after this time, such as 7d, or seconds.",
          .range = Range{1, 2592000, "seconds"},
          .unit_ms = 1000,
          .fallback = "never",
          .example = "86400"},
    Field{.flag = "storage-options-public-url",
          .path = "storage_options.public_url",
          .kind = Kind::Json,
          .help = "Give the stored file a public URL: true, or JSON options.",
          .fallback = "false",
          .example = "true"},
};

inline constexpr std::array<Rule, 2> k_storage_rules = {
    Rule{RuleKind::Requires, "storage-options-expires-after", "storage-options-filename",
         "A stored file needs a name."},
    Rule{RuleKind::Requires, "storage-options-public-url", "storage-options-filename",
         "A stored file needs a name."},
};

inline constexpr Field k_media_user_field{
    .flag = "user", .help = "End-user ID, for abuse monitoring.", .example = "u-17"};

/// Waiting that is on unless it is refused.
inline constexpr Field k_wait_unless_field{
    .flag = "wait",
    .kind = Kind::Boolean,
    .in = In::Local,
    .help = "Wait for the job to finish; --no-wait prints its ID.",
    .common = true,
    .fallback = "on"};

inline constexpr std::array<Field, 2> k_slow_wait_fields = {
    Field{.flag = "poll-interval",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Poll at this interval.",
          .fallback = "5s",
          .example = "10s"},
    Field{.flag = "wait-timeout",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Stop waiting after this time; the job continues.",
          .fallback = "10m",
          .example = "30m"},
};

/// Every five seconds, for ten minutes: what the operator's own clients do.
inline constexpr Poll k_media_poll{.operation = "wait",
                                   .id_path = "request_id",
                                   .first_seconds = 5,
                                   .most_seconds = 5,
                                   .limit_seconds = 600,
                                   .by_default = true,
                                   .judge = Judge::Status};

}  // namespace svc::catalogue
