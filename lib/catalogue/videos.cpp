// The group videos.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/media_fields.h"
#include "catalogue/videos_answers.h"

namespace svc::catalogue {
namespace videos {

constexpr std::array<sv, 7> k_ratios = {"1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"};
constexpr std::array<sv, 3> k_resolutions = {"480p", "720p", "1080p"};
constexpr std::array<sv, 2> k_models = {"svc-imagine-video", "svc-imagine-video-1.5"};

constexpr Field k_prompt_field =
    text("prompt", "What to generate; <IMAGE_0> and <AUDIO_0> are the first references.",
         positional, common, file_text, example("Waves break on a lighthouse"));

constexpr Field k_video_prompt_field =
    text("prompt", "What to change, or what happens next.", required, positional, common, file_text,
         example("A ship comes into sight"));

constexpr Field k_model_of_videos =
    text("model", "Model to use.", common, letter('m'), suggests(k_models),
         fallback("svc-imagine-video"), example("svc-imagine-video"));

constexpr Field k_upload_url =
    text("output.upload_url", "Signed URL the service uploads the finished video to.",
         example("https://bucket.example/video.mp4?signature=1"));

constexpr std::array k_generate_own = {
    k_prompt_field,
    k_model_of_videos,
    media("image", "First frame.",
          typed(": a path, URL, data: URL, file ID, or - for standard input"), common,
          slot(MediaSlot{.one = "image", .types = k_image_inputs}),
          example("https://example.com/cat.png")),
    integer("duration", "Length of the video.", common, range(1, 15, "seconds"), fallback("8"),
            example("6")),
    integer("seconds", "Alias of --duration.", range(1, 15, "seconds"), example("6")),
    text("aspect-ratio", "Aspect ratio.", common, choices(k_ratios), example("16:9")),
    text("resolution", "Video resolution.", common, choices(k_resolutions), example("720p")),
    media("reference-image", "Image of a person or object to show; same forms as --image.",
          repeated, common, max_count(7),
          slot(MediaSlot{.many = "reference_images", .types = k_image_inputs}),
          example("file_0001")),
    json("reference-images", "Reference image object as JSON, or an array.", repeated, max_count(7),
         example(R"({"url":"https://example.com/cat.png"})")),
    text_or_json("reference-audios", "Built-in voice to use, such as eve; some models only.",
                 repeated, max_count(3), wraps("voice_id"), example("eve"), completes("voices")),
    media("last-frame", "Last frame; same forms as --image †.",
          slot(MediaSlot{.one = "last_frame", .types = k_image_inputs}), example("file_0002")),
    media("keyframe", "Image at a time, as SECONDS=IMAGE †.", repeated, max_count(4),
          wraps("image"), slot(MediaSlot{.many = "keyframes", .types = k_image_inputs}),
          example("2=file_0003")),
    json("keyframes", "Image at a time, as JSON with image and timestamp_s, or an array †.",
         repeated, max_count(4), example(R"({"image":{"file_id":"file_0003"},"timestamp_s":2})")),
    k_upload_url,
    k_user_field,
    k_wait_unless_field,
};

constexpr std::array k_source = {
    k_video_prompt_field,
    media("video", "Source video (MP4).",
          typed(": a path, URL, data: URL, file ID, or - for standard input"), required, common,
          slot(MediaSlot{.one = "video", .types = k_video_inputs}),
          example("https://example.com/waves.mp4")),
    text("video.url", "URL or data: URL of the video, passed as is.",
         example("https://example.com/waves.mp4")),
    text("video.file_id", "File ID of an uploaded video.", example("file_0001"),
         completes("files")),
    k_model_of_videos,
    k_upload_url,
    k_wait_unless_field,
};
constexpr std::array k_user = {k_user_field};
constexpr std::array k_extend_own = {
    integer("duration", "Length of the extension.", common, range(2, 10, "seconds"), fallback("6"),
            example("4")),
};

constexpr auto k_generate_fields =
    concat(k_generate_own, k_image_members, k_storage_fields, k_slow_wait_fields);
constexpr auto k_edit_fields = concat(k_source, k_user, k_storage_fields, k_slow_wait_fields);
constexpr auto k_extend_fields =
    concat(k_source, k_extend_own, k_storage_fields, k_slow_wait_fields);

constexpr std::array k_generate_own_rules = {
    excludes("duration", "seconds", "Both set the same field."),
    excludes("keyframe", "keyframes", "Both set the same field."),
    excludes("reference-image", "reference-images", "--reference-image may be repeated."),
    needs("reference-image", "prompt", "References need a prompt."),
    needs("reference-audios", "prompt", "References need a prompt."),
    either("prompt", "image", "Describe the video, or start from a picture."),
};
constexpr auto k_generate_rules = concat(k_generate_own_rules, k_image_rules, k_storage_rules);
constexpr std::array k_source_own_rules = {
    excludes("video", "video-url", "--video takes URLs too."),
    excludes("video", "video-file-id", "--video takes file IDs too."),
    excludes("video-file-id", "video-url", "Specify one source."),
};
constexpr auto k_source_rules = concat(k_source_own_rules, k_storage_rules);

constexpr std::array k_job = {with(k_deferred_id_field, says("Job ID printed on submission."))};
constexpr std::array k_jobs = {
    with(k_deferred_id_field, repeated,
         says("Job ID printed on submission; repeat to wait for several."))};
constexpr auto k_wait_verb_fields = concat(k_jobs, k_slow_wait_fields);

constexpr std::array k_examples = {
    Example{"svc videos 'Waves break on a lighthouse' -o waves.mp4",
            "Waits for the video and downloads it."},
    Example{"svc videos --image https://example.com/cat.png 'It yawns' --duration 4",
            "Starts from an image; prints the URL on a terminal, the video to a pipe."},
    Example{"svc videos 'A paper boat in the rain' --no-wait", "Prints the job ID."},
    Example{"svc videos edit 'Make it snow' --video https://example.com/waves.mp4 -o snow.mp4",
            "Changes a video."},
    Example{"svc videos extend 'A ship comes into sight' --video file_0001 --duration 4",
            "Extends a video."},
    Example{"svc videos get 00000000-0000-0000-0000-000000000000",
            "Prints the job's progress; with -o, downloads the finished video."},
    Example{"svc videos wait 00000000-0000-0000-0000-000000000000 -o waves.mp4",
            "Waits for a submitted video and downloads it."},
};

constexpr std::array k_rows = {
    post("videos generate", "/v1/videos/generations",
         "Generate a video from a prompt, image or references.", default_verb, own_model,
         fields<k_generate_fields>, default_model("svc-imagine-video"), view(View::Video),
         poll(k_media_poll), rules(k_generate_rules), answers(answer::videos::k_submitted)),
    post("videos edit", "/v1/videos/edits", "Change a video.", own_model, fields<k_edit_fields>,
         default_model("svc-imagine-video"), view(View::Video), poll(k_media_poll),
         rules(k_source_rules), answers(answer::videos::k_submitted)),
    post("videos extend", "/v1/videos/extensions", "Extend a video.", own_model,
         fields<k_extend_fields>, default_model("svc-imagine-video"), view(View::Video),
         poll(k_media_poll), rules(k_source_rules), answers(answer::videos::k_submitted)),
    get("videos get", "/v1/videos/{request_id}", "Check a video's progress once.", fields<k_job>,
        view(View::Video), answers(answer::videos::k_job)),
    get("videos wait", "/v1/videos/{request_id}", "Wait for a video and download it.",
        fields<k_wait_verb_fields>, view(View::Video), poll(k_media_poll),
        answers(answer::videos::k_job)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"video", "videos"});

}  // namespace videos

constinit const std::span<const Operation> k_videos_operations = videos::k_operations;

}  // namespace svc::catalogue
