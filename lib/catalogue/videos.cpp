// The group videos.
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
    .help = "What to generate; <IMAGE_0> and <AUDIO_0> are the first references.",
    .positional = true,
    .common = true,
    .file_text = true,
    .example = "Waves break on a lighthouse"};

constexpr Field k_video_prompt_field{.flag = "prompt",
                                     .help = "What to change, or what happens next.",
                                     .required = true,
                                     .positional = true,
                                     .common = true,
                                     .file_text = true,
                                     .example = "A ship comes into sight"};

constexpr Field k_model_of_videos{.flag = "model",
                                  .help = "Model to use.",
                                  .letter = 'm',
                                  .common = true,
                                  .suggests = k_models,
                                  .fallback = "svc-imagine-video",
                                  .example = "svc-imagine-video"};

constexpr Field k_upload_url{.flag = "output-upload-url",
                             .path = "output.upload_url",
                             .help = "Signed URL the service uploads the finished video to.",
                             .example = "https://bucket.example/video.mp4?signature=1"};

constexpr std::array k_generate_own = {
    k_prompt_field,
    k_model_of_videos,
    Field{.flag = "image",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "First frame: a path, URL, data: URL, file ID, or - for standard input.",
          .common = true,
          .media = MediaSlot{.one = "image", .types = k_image_inputs},
          .example = "https://example.com/cat.png"},
    Field{.flag = "duration",
          .kind = Kind::Integer,
          .help = "Length of the video.",
          .common = true,
          .range = Range{1, 15, "seconds"},
          .fallback = "8",
          .example = "6"},
    Field{.flag = "seconds",
          .kind = Kind::Integer,
          .help = "Alias of --duration.",
          .range = Range{1, 15, "seconds"},
          .example = "6"},
    Field{.flag = "aspect-ratio",
          .help = "Aspect ratio.",
          .common = true,
          .choices = k_ratios,
          .example = "16:9"},
    Field{.flag = "resolution",
          .help = "Video resolution.",
          .common = true,
          .choices = k_resolutions,
          .example = "720p"},
    Field{.flag = "reference-image",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "Image of a person or object to show; same forms as --image.",
          .repeated = true,
          .common = true,
          .max_count = 7,
          .media = MediaSlot{.many = "reference_images", .types = k_image_inputs},
          .example = "file_0001"},
    Field{.flag = "reference-images",
          .kind = Kind::Json,
          .help = "Reference image object as JSON, or an array.",
          .repeated = true,
          .max_count = 7,
          .example = R"({"url":"https://example.com/cat.png"})"},
    Field{.flag = "reference-audios",
          .kind = Kind::TextOrJson,
          .help = "Built-in voice to use, such as eve; some models only.",
          .repeated = true,
          .max_count = 3,
          .wraps = "voice_id",
          .example = "eve",
          .completes = "voices"},
    Field{.flag = "last-frame",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "Last frame; same forms as --image; observed, not documented.",
          .media = MediaSlot{.one = "last_frame", .types = k_image_inputs},
          .example = "file_0002"},
    Field{.flag = "keyframe",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "Image at a time, as SECONDS=IMAGE; observed, not documented.",
          .repeated = true,
          .max_count = 4,
          .wraps = "image",
          .media = MediaSlot{.many = "keyframes", .types = k_image_inputs},
          .example = "2=file_0003"},
    Field{.flag = "keyframes",
          .kind = Kind::Json,
          .help = "Image at a time, as JSON with image and timestamp_s, or an array; observed, not "
                  "documented.",
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
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "Source video: an MP4 path, URL, data: URL, file ID, or - for standard input.",
          .required = true,
          .common = true,
          .media = MediaSlot{.one = "video", .types = k_video_inputs},
          .example = "https://example.com/waves.mp4"},
    Field{.flag = "video-url",
          .path = "video.url",
          .help = "URL or data: URL of the video, passed as is.",
          .example = "https://example.com/waves.mp4"},
    Field{.flag = "video-file-id",
          .path = "video.file_id",
          .help = "File ID of an uploaded video.",
          .example = "file_0001",
          .completes = "files"},
    k_model_of_videos,
    k_upload_url,
    k_wait_unless_field,
};
constexpr std::array k_user = {k_media_user_field};
constexpr std::array k_extend_own = {
    Field{.flag = "duration",
          .kind = Kind::Integer,
          .help = "Length of the extension.",
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
    Rule{RuleKind::Either, "prompt", "image", "A video needs a prompt or an image."},
    Rule{RuleKind::Excludes, "duration", "seconds", "They set the same field."},
    Rule{RuleKind::Excludes, "keyframe", "keyframes", "They set the same field."},
    Rule{RuleKind::Excludes, "reference-image", "reference-images",
         "--reference-image may be repeated."},
    Rule{RuleKind::Requires, "reference-image", "prompt", "References need a prompt."},
    Rule{RuleKind::Requires, "reference-audios", "prompt", "References need a prompt."},
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
          .in = In::Path,
          .help = "Job ID printed on submission.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "00000000-0000-0000-0000-000000000000"},
};
constexpr std::array k_jobs = {
    Field{.flag = "request-id",
          .in = In::Path,
          .help = "Job ID printed on submission; several are waited for at once.",
          .required = true,
          .repeated = true,
          .positional = true,
          .common = true,
          .example = "00000000-0000-0000-0000-000000000000"},
};
constexpr auto k_wait_verb_fields = concat(k_jobs, k_slow_wait_fields);

constexpr std::array k_generate_examples = {
    Example{"svc videos 'Waves break on a lighthouse' -o waves.mp4",
            "Waits for the video and downloads it."},
    Example{"svc videos --image https://example.com/cat.png 'It yawns' --duration 4",
            "Starts from an image; prints the URL on a terminal, the video to a pipe."},
    Example{"svc videos 'A paper boat in the rain' --no-wait", "Prints the job ID."},
};
constexpr std::array k_edit_examples = {
    Example{"svc videos edit 'Make it snow' --video https://example.com/waves.mp4 -o snow.mp4",
            "Changes a video."},
};
constexpr std::array k_extend_examples = {
    Example{"svc videos extend 'A ship comes into sight' --video file_0001 --duration 4",
            "Extends a video."},
};
constexpr std::array k_get_examples = {
    Example{"svc videos get 00000000-0000-0000-0000-000000000000",
            "Prints the job's progress; with -o, downloads the finished video."},
};
constexpr std::array k_wait_examples = {
    Example{"svc videos wait 00000000-0000-0000-0000-000000000000 -o waves.mp4",
            "Waits for a submitted video and downloads it."},
};

constexpr std::array k_video_columns = {
    Column{"Status", "status"},
    Column{"Model", "model"},
    Column{"Duration", "video.duration", Cell::Seconds},
    Column{"URL", "video.url"},
};
constexpr std::array k_video_details = {Section{"", k_video_columns}};
constexpr std::array k_job_columns = {
    Column{"DURATION", "video.duration", Cell::Seconds},
    Column{"EXPIRES", "video.file_output.expires_at", Cell::UnixTime},
    Column{"PUBLIC UNTIL", "video.file_output.public_url_expires_at", Cell::UnixTime},
    Column{"COST", "usage.cost_in_usd_ticks", Cell::Ticks},
};

constexpr std::array k_operations = {
    Operation{.group = "videos",
              .name = "generate",
              .method = "POST",
              .path = "/v1/videos/generations",
              .summary = "Generate a video from a prompt, image or references.",
              .fields = resolved<k_generate_fields>,
              .is_default = true,
              .default_model = "svc-imagine-video",
              .text_model = false,
              .view = View::Video,
              .poll = k_media_poll,
              .rules = k_generate_rules,
              .details = k_video_details,
              .examples = k_generate_examples},
    Operation{.group = "videos",
              .name = "edit",
              .method = "POST",
              .path = "/v1/videos/edits",
              .summary = "Change a video.",
              .fields = resolved<k_edit_fields>,
              .default_model = "svc-imagine-video",
              .text_model = false,
              .view = View::Video,
              .poll = k_media_poll,
              .rules = k_source_rules,
              .details = k_video_details,
              .examples = k_edit_examples},
    Operation{.group = "videos",
              .name = "extend",
              .method = "POST",
              .path = "/v1/videos/extensions",
              .summary = "Extend a video.",
              .fields = resolved<k_extend_fields>,
              .default_model = "svc-imagine-video",
              .text_model = false,
              .view = View::Video,
              .poll = k_media_poll,
              .rules = k_source_rules,
              .details = k_video_details,
              .examples = k_extend_examples},
    Operation{.group = "videos",
              .name = "get",
              .method = "GET",
              .path = "/v1/videos/{request_id}",
              .summary = "Check a video's progress once.",
              .fields = resolved<k_job>,
              .repeat = Repeat::Always,
              .view = View::Video,
              .columns = k_job_columns,
              .details = k_video_details,
              .examples = k_get_examples},
    Operation{.group = "videos",
              .name = "wait",
              .method = "GET",
              .path = "/v1/videos/{request_id}",
              .summary = "Wait for a video and download it.",
              .fields = resolved<k_wait_verb_fields>,
              .repeat = Repeat::Always,
              .view = View::Video,
              .poll = k_media_poll,
              .details = k_video_details,
              .examples = k_wait_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> videos_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
