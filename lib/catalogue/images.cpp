// The group images.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/images_answers.h"
#include "catalogue/images_fields.h"

namespace svc::catalogue {
namespace images {

constexpr std::array k_edit_own_rules = {
    excludes("image", "images", "--image may be repeated."),
    excludes("images", "image-url", "One image or several, not both."),
    excludes("images", "image-file-id", "One image or several, not both."),
    excludes("images", "image-image-url", "One image or several, not both."),
};
constexpr auto k_edit_rules = concat(k_edit_own_rules, k_image_rules, k_storage_rules);

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
         answers(answer::images::k_generated)),
    post("images edit", "/v1/images/edits",
         "Edit one image or combine several, and save the result.", own_model,
         fields<k_edit_fields>, default_model("svc-imagine-image"), max_answer_mb(256),
         view(View::Images), poll(k_media_poll), rules(k_edit_rules),
         answers(answer::images::k_generated)),
    get("images get", "/v1/images/{request_id}", "Fetch deferred images if they are ready.",
        observed, fields<k_job>, max_answer_mb(256), view(View::Images),
        answers(answer::images::k_job)),
    get("images wait", "/v1/images/{request_id}", "Wait for deferred images and save them.",
        observed, fields<k_wait_verb_fields>, max_answer_mb(256), view(View::Images),
        poll(k_media_poll), answers(answer::images::k_job)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"image", "images"});

}  // namespace images

constinit const std::span<const Operation> k_images_operations = images::k_operations;

}  // namespace svc::catalogue
