// videos: api 1 §2.6; polling and newer members: api 4 §7.2.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/media_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array<sv, 7> k_ratios = {"1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"};
constexpr std::array<sv, 3> k_resolutions = {"480p", "720p", "1080p"};
constexpr std::array<sv, 2> k_models = {"svc-imagine-video", "svc-imagine-video-1.5"};

constexpr Field k_prompt_field{
    .flag = "prompt",
    .path = "prompt",
    .help = "What happens; <IMAGE_0> and <AUDIO_0> name the first reference.",
    .positional = true,
    .common = true,
    .file_text = true,
    .example = "Waves break on a lighthouse"};

constexpr Field k_video_prompt_field{.flag = "prompt",
                                     .path = "prompt",
                                     .help = "What to change, or what happens next.",
                                     .required = true,
                                     .positional = true,
                                     .common = true,
                                     .file_text = true,
                                     .example = "A ship comes into sight"};

constexpr Field k_model_of_videos{.flag = "model",
                                  .path = "model",
                                  .help = "The model to use.",
                                  .letter = 'm',
                                  .common = true,
                                  .suggests = k_models,
                                  .fallback = "svc-imagine-video",
                                  .example = "svc-imagine-video"};

constexpr Field k_upload_url{.flag = "output-upload-url",
                             .path = "output.upload_url",
                             .help = "A signed URL to which the service puts the finished video.",
                             .example = "https://bucket.example/video.mp4?signature=1"};

constexpr std::array k_generate_own = {
    k_prompt_field,
    k_model_of_videos,
    Field{.flag = "image",
          .path = "",
          .kind = Kind::Media,
          .in = In::Compose,
          .help =
              "The image to begin with: a path, a URL, a data: URL, a file id or - for standard "
              "input.",
          .common = true,
          .media = MediaSlot{.one = "image", .types = k_image_inputs},
          .example = "https://example.com/cat.png"},
    Field{.flag = "duration",
          .path = "duration",
          .kind = Kind::Integer,
          .help = "How long the video is.",
          .common = true,
          .range = Range{1, 15, "seconds"},
          .fallback = "8",
          .example = "6"},
    Field{.flag = "seconds",
          .path = "seconds",
          .kind = Kind::Integer,
          .help = "Another name of --duration.",
          .range = Range{1, 15, "seconds"},
          .example = "6"},
    Field{.flag = "aspect-ratio",
          .path = "aspect_ratio",
          .help = "Width to height.",
          .common = true,
          .choices = k_ratios,
          .example = "16:9"},
    Field{.flag = "resolution",
          .path = "resolution",
          .help = "How many lines the video has.",
          .common = true,
          .choices = k_resolutions,
          .example = "720p"},
    Field{.flag = "reference-image",
          .path = "",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "An image of someone or something that is to appear, given as --image is.",
          .repeated = true,
          .common = true,
          .max_count = 7,
          .media = MediaSlot{.many = "reference_images", .types = k_image_inputs},
          .example = "file_0001"},
    Field{.flag = "reference-images",
          .path = "reference_images",
          .kind = Kind::Json,
          .help = "A reference image object as JSON, or an array of them.",
          .repeated = true,
          .max_count = 7,
          .example = R"({"url":"https://example.com/cat.png"})"},
    Field{.flag = "reference-audios",
          .path = "reference_audios",
          .kind = Kind::TextOrJson,
          .help = "A built-in voice that is to be heard, such as eve; some models only.",
          .repeated = true,
          .max_count = 3,
          .wraps = "voice_id",
          .example = "eve",
          .completes = "voices"},
    Field{.flag = "last-frame",
          .path = "",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "The image to end with, given as --image is; observed, not documented.",
          .media = MediaSlot{.one = "last_frame", .types = k_image_inputs},
          .example = "file_0002"},
    Field{.flag = "keyframe",
          .path = "",
          .kind = Kind::Media,
          .in = In::Compose,
          .help =
              "An image at a moment, as SECONDS=IMAGE, the image as --image takes it; observed, "
              "not documented.",
          .repeated = true,
          .max_count = 4,
          .wraps = "image",
          .media = MediaSlot{.many = "keyframes", .types = k_image_inputs},
          .example = "2=file_0003"},
    Field{.flag = "keyframes",
          .path = "keyframes",
          .kind = Kind::Json,
          .help = "An image at a moment, as a JSON object with image and timestamp_s, or an array "
                  "of them; observed, not documented.",
          .repeated = true,
          .max_count = 4,
          .example = R"({"image":{"file_id":"file_0003"},"timestamp_s":2})"},
    k_upload_url,
    k_media_user_field,
    k_wait_unless_field,
};

constexpr std::array k_source = {
    k_video_prompt_field,
    Field{.flag = "video",
          .path = "",
          .kind = Kind::Media,
          .in = In::Compose,
          .help =
              "The video to begin with: a path of an MP4 file, a URL, a data: URL, a file id or "
              "- for standard input.",
          .required = true,
          .common = true,
          .media = MediaSlot{.one = "video", .types = k_video_inputs},
          .example = "https://example.com/waves.mp4"},
    Field{.flag = "video-url",
          .path = "video.url",
          .help = "The URL or data: URL of the video, as it is.",
          .example = "https://example.com/waves.mp4"},
    Field{.flag = "video-file-id",
          .path = "video.file_id",
          .help = "The id of an uploaded video.",
          .example = "file_0001",
          .completes = "files"},
    k_model_of_videos,
    k_upload_url,
    k_wait_unless_field,
};
constexpr std::array k_user = {k_media_user_field};
constexpr std::array k_extend_own = {
    Field{.flag = "duration",
          .path = "duration",
          .kind = Kind::Integer,
          .help = "How long the new part is.",
          .common = true,
          .range = Range{2, 10, "seconds"},
          .fallback = "6",
          .example = "4"},
};

constexpr auto k_generate_fields =
    concat(k_generate_own, k_image_members, k_storage_fields, k_slow_wait_fields);
constexpr auto k_edit_fields = concat(k_source, k_user, k_storage_fields, k_slow_wait_fields);
constexpr auto k_extend_fields =
    concat(k_source, k_extend_own, k_storage_fields, k_slow_wait_fields);

constexpr std::array k_generate_own_rules = {
    Rule{RuleKind::Either, "prompt", "image", "A video begins with a description or an image."},
    Rule{RuleKind::Excludes, "duration", "seconds", "They are the same member."},
    Rule{RuleKind::Excludes, "keyframe", "keyframes", "They are the same member."},
    Rule{RuleKind::Excludes, "reference-image", "reference-images",
         "--reference-image may be repeated."},
    Rule{RuleKind::Requires, "reference-image", "prompt", "References need a description."},
    Rule{RuleKind::Requires, "reference-audios", "prompt", "References need a description."},
};
constexpr auto k_generate_rules = concat(k_generate_own_rules, k_image_rules, k_storage_rules);
constexpr std::array k_source_own_rules = {
    Rule{RuleKind::Excludes, "video", "video-url", "--video takes URLs too."},
    Rule{RuleKind::Excludes, "video", "video-file-id", "--video takes file ids too."},
    Rule{RuleKind::Excludes, "video-file-id", "video-url", "A video has one source."},
};
constexpr auto k_source_rules = concat(k_source_own_rules, k_storage_rules);

constexpr std::array k_job = {
    Field{.flag = "request-id",
          .path = "request_id",
          .in = In::Path,
          .help = "The id that a submission printed.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "00000000-0000-0000-0000-000000000000"},
};
constexpr auto k_wait_verb_fields = concat(k_job, k_slow_wait_fields);

constexpr std::array k_generate_examples = {
    Example{"svc videos 'Waves break on a lighthouse' -o waves.mp4",
            "Waits for the video and downloads it."},
    Example{"svc videos --image https://example.com/cat.png 'It yawns' --duration 4",
            "Begins with an image; a terminal gets the URL, a pipe the video."},
    Example{"svc videos 'A paper boat in the rain' --no-wait", "Prints the id of the job."},
};
constexpr std::array k_edit_examples = {
    Example{"svc videos edit 'Make it snow' --video https://example.com/waves.mp4 -o snow.mp4",
            "Changes a video."},
};
constexpr std::array k_extend_examples = {
    Example{"svc videos extend 'A ship comes into sight' --video file_0001 --duration 4",
            "Goes on where a video ends."},
};
constexpr std::array k_get_examples = {
    Example{"svc videos get 00000000-0000-0000-0000-000000000000",
            "Prints how far the job is; with -o the finished video is downloaded."},
};
constexpr std::array k_wait_examples = {
    Example{"svc videos wait 00000000-0000-0000-0000-000000000000 -o waves.mp4",
            "Waits for a video that was submitted before and downloads it."},
};

constexpr std::array k_operations = {
    Operation{.group = "videos",
              .name = "generate",
              .method = "POST",
              .path = "/v1/videos/generations",
              .summary = "Make a video from a description, an image or references.",
              .fields = k_generate_fields,
              .is_default = true,
              .document = "api 1 §2.6",
              .default_model = "svc-imagine-video",
              .text_model = false,
              .view = View::Video,
              .poll = k_media_poll,
              .rules = k_generate_rules,
              .examples = k_generate_examples},
    Operation{.group = "videos",
              .name = "edit",
              .method = "POST",
              .path = "/v1/videos/edits",
              .summary = "Change a video.",
              .fields = k_edit_fields,
              .document = "api 1 §2.6",
              .default_model = "svc-imagine-video",
              .text_model = false,
              .view = View::Video,
              .poll = k_media_poll,
              .rules = k_source_rules,
              .examples = k_edit_examples},
    Operation{.group = "videos",
              .name = "extend",
              .method = "POST",
              .path = "/v1/videos/extensions",
              .summary = "Go on where a video ends.",
              .fields = k_extend_fields,
              .document = "api 1 §2.6",
              .default_model = "svc-imagine-video",
              .text_model = false,
              .view = View::Video,
              .poll = k_media_poll,
              .rules = k_source_rules,
              .examples = k_extend_examples},
    Operation{.group = "videos",
              .name = "get",
              .method = "GET",
              .path = "/v1/videos/{request_id}",
              .summary = "Look once how far a video is.",
              .fields = k_job,
              .repeat = Repeat::Always,
              .document = "api 1 §2.6",
              .view = View::Video,
              .examples = k_get_examples},
    Operation{.group = "videos",
              .name = "wait",
              .method = "GET",
              .path = "/v1/videos/{request_id}",
              .summary = "Wait for a video, and download it.",
              .fields = k_wait_verb_fields,
              .repeat = Repeat::Always,
              .document = "api 1 §2.6",
              .view = View::Video,
              .poll = k_media_poll,
              .examples = k_wait_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> videos_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
