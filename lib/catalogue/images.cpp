// The group images.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/media_fields.h"

namespace svc::catalogue {
namespace images {

constexpr std::array<sv, 16> k_ratios = {"1:1", "3:4",    "4:3",    "9:16", "16:9", "2:3",
                                         "3:2", "9:19.5", "19.5:9", "9:20", "20:9", "1:2",
                                         "2:1", "21:9",   "5:2",    "auto"};
constexpr std::array<sv, 3> k_resolutions = {"1k", "1.5k", "2k"};
constexpr std::array<sv, 2> k_formats = {"url", "b64_json"};
constexpr std::array<sv, 3> k_qualities = {"low", "medium", "auto"};
constexpr std::array<sv, 4> k_models = {"svc-imagine-image", "svc-imagine-image-quality",
                                        "svc-imagine-image-2.0", "svc-imagine-image-pro"};

constexpr std::array k_prompt = {
    text("prompt", "What to generate or change; <IMAGE_0> refers to the first input image.",
         required, positional, common, file_text, example("A lighthouse in a storm")),
};

/// Fields of both requests.
constexpr std::array k_members = {
    text("model", "Model to use.", common, letter('m'), suggests(k_models),
         fallback("svc-imagine-image"), example("svc-imagine-image")),
    integer("n", "Generate N images; each is billed.", common, letter('n'), range(1, 10, "images"),
            fallback("1"), example("2")),
    text("aspect-ratio", "Aspect ratio.", common, choices(k_ratios),
         fallback("the service's default, or that of the only input"), example("16:9")),
    text("resolution", "Image resolution.", common, choices(k_resolutions), example("2k")),
    text("quality", "Image quality; observed, not documented.", suggests(k_qualities),
         example("medium")),
    text("response-format", "How the service returns the image; svc saves it either way.",
         choices(k_formats), fallback("url"), example("b64_json")),
    boolean("deferred", "Submit a job and poll for the images; observed, not documented."),
    k_user_field,
    boolean("preview", "Preview the images if the terminal can.", local, fallback("on")),
    k_wait_unless_field,
};

constexpr std::array k_inputs = {
    media("image", "Image to edit: a path, URL, data: URL, file ID, or - for standard input.",
          required, repeated, common,
          slot(MediaSlot{.one = "image", .many = "images", .types = k_image_inputs}),
          example("https://example.com/cat.png")),
    json("images", "Image object as JSON, or an array.", repeated,
         example(R"({"url":"https://example.com/cat.png"})")),
};

constexpr auto k_generate_fields =
    concat(k_prompt, k_members, k_storage_fields, k_slow_wait_fields);
constexpr auto k_edit_fields =
    concat(k_prompt, k_inputs, k_members, k_image_members, k_storage_fields, k_slow_wait_fields);

constexpr std::array k_edit_own_rules = {
    excludes("image", "images", "--image may be repeated."),
    excludes("images", "image-url", "One image or several, not both."),
    excludes("images", "image-file-id", "One image or several, not both."),
    excludes("images", "image-image-url", "One image or several, not both."),
};
constexpr auto k_edit_rules = concat(k_edit_own_rules, k_image_rules, k_storage_rules);

constexpr std::array k_job = {
    k_deferred_id_field,
    boolean("preview", "Preview the images if the terminal can.", local, fallback("on")),
};
constexpr auto k_wait_verb_fields = concat(k_job, k_slow_wait_fields);

/// Details of each image.
constexpr std::array k_image_columns = {
    Column{"Revised prompt", "revised_prompt"},
    Column{"Type", "mime_type"},
    Column{"URL", "url"},
};

constexpr std::array k_examples = {
    Example{"svc images 'A lighthouse in a storm'",
            "Saves the image, prints its name, and previews it if the terminal can."},
    Example{"svc images 'A red fox, woodcut' -o fox.jpg --aspect-ratio 3:2 --resolution 2k",
            "Saves it as fox.jpg."},
    Example{"svc images 'Four seasons of one tree' --n 4 -o 'tree-%d.jpg'",
            "Saves tree-1.jpg, tree-2.jpg and so on; with -o DIR/ svc chooses the names."},
    Example{"svc images 'A map of an island' --json --jq '.data[].url'",
            "Prints the URLs and saves nothing."},
    Example{"svc images edit 'Make it night' --image https://example.com/house.jpg -o night.jpg",
            "Edits one image; a path or a file ID also works."},
    Example{"svc images edit 'Put the cat of <IMAGE_0> into <IMAGE_1>' --image file_0001 --image "
            "file_0002",
            "Combines two images."},
    Example{"svc images get 00000000-0000-0000-0000-000000000000",
            "Saves the images if they are ready, and says so if not."},
    Example{"svc images wait 00000000-0000-0000-0000-000000000000 -o images/",
            "Waits for the images and saves them."},
};

constexpr std::array k_rows = {
    post("images generate", "/v1/images/generations",
         "Generate images from a prompt and save them.", default_verb, own_model,
         fields<k_generate_fields>, default_model("svc-imagine-image"), max_answer_mb(256),
         view(View::Images), poll(k_media_poll), rules(k_storage_rules),
         details(card<k_image_columns>)),
    post("images edit", "/v1/images/edits",
         "Edit one image or combine several, and save the result.", own_model,
         fields<k_edit_fields>, default_model("svc-imagine-image"), max_answer_mb(256),
         view(View::Images), poll(k_media_poll), rules(k_edit_rules),
         details(card<k_image_columns>)),
    get("images get", "/v1/images/{request_id}", "Fetch deferred images if they are ready.",
        observed, fields<k_job>, max_answer_mb(256), view(View::Images),
        details(card<k_image_columns>)),
    get("images wait", "/v1/images/{request_id}", "Wait for deferred images and save them.",
        observed, fields<k_wait_verb_fields>, max_answer_mb(256), view(View::Images),
        poll(k_media_poll), details(card<k_image_columns>)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace images

constinit const std::span<const Operation> k_images_operations = images::k_operations;

}  // namespace svc::catalogue
