// The group images.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/media_fields.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array<sv, 16> k_ratios = {"1:1", "3:4",    "4:3",    "9:16", "16:9", "2:3",
                                         "3:2", "9:19.5", "19.5:9", "9:20", "20:9", "1:2",
                                         "2:1", "21:9",   "5:2",    "auto"};
constexpr std::array<sv, 3> k_resolutions = {"1k", "1.5k", "2k"};
constexpr std::array<sv, 2> k_formats = {"url", "b64_json"};
constexpr std::array<sv, 3> k_qualities = {"low", "medium", "auto"};
constexpr std::array<sv, 4> k_models = {"svc-imagine-image", "svc-imagine-image-quality",
                                        "svc-imagine-image-2.0", "svc-imagine-image-pro"};

constexpr std::array k_prompt = {
    Field{.flag = "prompt",
          .help = "What to generate or change; <IMAGE_0> is the first of several images.",
          .required = true,
          .positional = true,
          .common = true,
          .file_text = true,
          .example = "A lighthouse in a storm"},
};

/// The members of both requests.
constexpr std::array k_members = {
    Field{.flag = "model",
          .help = "Model to use.",
          .letter = 'm',
          .common = true,
          .suggests = k_models,
          .fallback = "svc-imagine-image",
          .example = "svc-imagine-image"},
    Field{.flag = "n",
          .kind = Kind::Integer,
          .help = "Generate N images; each is billed.",
          .letter = 'n',
          .common = true,
          .range = Range{1, 10, "images"},
          .fallback = "1",
          .example = "2"},
    Field{.flag = "aspect-ratio",
          .help = "Aspect ratio.",
          .common = true,
          .choices = k_ratios,
          .fallback = "the service's default, or that of the only input",
          .example = "16:9"},
    Field{.flag = "resolution",
          .help = "Image resolution.",
          .common = true,
          .choices = k_resolutions,
          .example = "2k"},
    Field{.flag = "quality",
          .help = "Image quality; observed, not documented.",
          .suggests = k_qualities,
          .example = "medium"},
    Field{.flag = "response-format",
          .help = "How the service returns the image; svc saves it either way.",
          .choices = k_formats,
          .fallback = "url",
          .example = "b64_json"},
    Field{.flag = "deferred",
          .kind = Kind::Boolean,
          .help = "Submit a job and poll for the images; observed, not documented."},
    k_media_user_field,
    Field{.flag = "preview",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Preview the images if the terminal can.",
          .fallback = "on"},
    k_wait_unless_field,
};

constexpr std::array k_inputs = {
    Field{.flag = "image",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "Image to edit: a path, URL, data: URL, file ID, or - for standard input.",
          .required = true,
          .repeated = true,
          .common = true,
          .media = MediaSlot{.one = "image", .many = "images", .types = k_image_inputs},
          .example = "https://example.com/cat.png"},
    Field{.flag = "images",
          .kind = Kind::Json,
          .help = "Image object as JSON, or an array.",
          .repeated = true,
          .example = R"({"url":"https://example.com/cat.png"})"},
};

constexpr auto k_generate_fields =
    concat(k_prompt, k_members, k_storage_fields, k_slow_wait_fields);
constexpr auto k_edit_fields =
    concat(k_prompt, k_inputs, k_members, k_image_members, k_storage_fields, k_slow_wait_fields);

constexpr std::array k_edit_own_rules = {
    Rule{RuleKind::Excludes, "image", "images", "--image may be repeated."},
    Rule{RuleKind::Excludes, "images", "image-url", "One image or several, not both."},
    Rule{RuleKind::Excludes, "images", "image-file-id", "One image or several, not both."},
    Rule{RuleKind::Excludes, "images", "image-image-url", "One image or several, not both."},
};
constexpr auto k_edit_rules = concat(k_edit_own_rules, k_image_rules, k_storage_rules);

constexpr std::array k_generate_examples = {
    Example{"svc images 'A lighthouse in a storm'",
            "Saves the image, prints its name, and previews it if the terminal can."},
    Example{"svc images 'A red fox, woodcut' -o fox.jpg --aspect-ratio 3:2 --resolution 2k",
            "Saves it as fox.jpg."},
    Example{"svc images 'Four seasons of one tree' --n 4 -o 'tree-%d.jpg'",
            "Saves tree-1.jpg, tree-2.jpg and so on; with -o DIRECTORY/ svc chooses the names."},
    Example{"svc images 'A map of an island' --json --jq '.data[].url'",
            "Prints the URLs and saves nothing."},
};
constexpr std::array k_edit_examples = {
    Example{"svc images edit 'Make it night' --image https://example.com/house.jpg -o night.jpg",
            "Edits one image; a path or a file ID also works."},
    Example{"svc images edit 'Put the cat of <IMAGE_0> into <IMAGE_1>' --image file_0001 --image "
            "file_0002",
            "Combines two."},
};

constexpr std::array k_job = {
    k_deferred_id_field,
    Field{.flag = "preview",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Preview the images if the terminal can.",
          .fallback = "on"},
};
constexpr auto k_wait_verb_fields = concat(k_job, k_slow_wait_fields);

constexpr std::array k_get_examples = {
    Example{"svc images get 00000000-0000-0000-0000-000000000000",
            "Saves the images if they are ready, and reports it if not."},
};
constexpr std::array k_wait_examples = {
    Example{"svc images wait 00000000-0000-0000-0000-000000000000 -o images/",
            "Waits for the images and saves them."},
};

/// Of each image.
constexpr std::array k_image_columns = {
    Column{"Revised prompt", "revised_prompt"},
    Column{"Type", "mime_type"},
    Column{"URL", "url"},
};
constexpr std::array k_image_details = {Section{"", k_image_columns}};

constexpr std::array k_operations = {
    Operation{.group = "images",
              .name = "generate",
              .method = "POST",
              .path = "/v1/images/generations",
              .summary = "Generate images from a prompt and save them.",
              .fields = resolved<k_generate_fields>,
              .is_default = true,
              .default_model = "svc-imagine-image",
              .text_model = false,
              .view = View::Images,
              .max_answer_mb = 256,
              .poll = k_media_poll,
              .rules = k_storage_rules,
              .details = k_image_details,
              .examples = k_generate_examples},
    Operation{.group = "images",
              .name = "edit",
              .method = "POST",
              .path = "/v1/images/edits",
              .summary = "Edit one image or combine several, and save the result.",
              .fields = resolved<k_edit_fields>,
              .default_model = "svc-imagine-image",
              .text_model = false,
              .view = View::Images,
              .max_answer_mb = 256,
              .poll = k_media_poll,
              .rules = k_edit_rules,
              .details = k_image_details,
              .examples = k_edit_examples},
    Operation{.group = "images",
              .name = "get",
              .method = "GET",
              .path = "/v1/images/{request_id}",
              .summary = "Fetch deferred images if they are ready.",
              .fields = resolved<k_job>,
              .repeat = Repeat::Always,
              .source = Source::Observed,
              .view = View::Images,
              .max_answer_mb = 256,
              .details = k_image_details,
              .examples = k_get_examples},
    Operation{.group = "images",
              .name = "wait",
              .method = "GET",
              .path = "/v1/images/{request_id}",
              .summary = "Wait for deferred images and save them.",
              .fields = resolved<k_wait_verb_fields>,
              .repeat = Repeat::Always,
              .source = Source::Observed,
              .view = View::Images,
              .max_answer_mb = 256,
              .poll = k_media_poll,
              .details = k_image_details,
              .examples = k_wait_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> images_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
