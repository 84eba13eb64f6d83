// The fields of the group images.
#pragma once

#include <array>

#include "catalogue/media_fields.h"

namespace svc::catalogue::images {

inline constexpr std::array<sv, 16> k_ratios = {"1:1", "3:4",    "4:3",    "9:16", "16:9", "2:3",
                                                "3:2", "9:19.5", "19.5:9", "9:20", "20:9", "1:2",
                                                "2:1", "21:9",   "5:2",    "auto"};
inline constexpr std::array<sv, 3> k_resolutions = {"1k", "1.5k", "2k"};
inline constexpr std::array<sv, 2> k_formats = {"url", "b64_json"};
inline constexpr std::array<sv, 3> k_qualities = {"low", "medium", "auto"};
inline constexpr std::array<sv, 4> k_models = {"svc-imagine-image", "svc-imagine-image-quality",
                                               "svc-imagine-image-2.0", "svc-imagine-image-pro"};

inline constexpr std::array k_prompt = {
    text("prompt", "What to generate or change; <IMAGE_0> refers to the first input image.",
         required, positional, common, file_text, example("A lighthouse in a storm")),
};

/// Fields of both requests.
inline constexpr std::array k_members = {
    text("model", "Model to use.", common, letter('m'), suggests(k_models),
         fallback("svc-imagine-image"), example("svc-imagine-image")),
    integer("n", "Generate N images; each is billed.", common, letter('n'), range(1, 10, "images"),
            fallback("1"), example("2")),
    text("aspect-ratio", "Aspect ratio.", common, choices(k_ratios),
         fallback("the service's default, or that of the only input"), example("16:9")),
    text("resolution", "Image resolution.", common, choices(k_resolutions), example("2k")),
    text("quality", "Image quality †.", suggests(k_qualities), example("medium")),
    text("response-format", "How the service returns the image; svc saves it either way.",
         choices(k_formats), fallback("url"), example("b64_json")),
    boolean("deferred", "Submit a job and poll for the images †."),
    k_user_field,
    boolean("preview", "Preview the images if the terminal can.", local, fallback("on")),
    k_wait_unless_field,
};

inline constexpr std::array k_inputs = {
    media("image", "Image to edit.",
          typed(": a path, URL, data: URL, file ID, or - for standard input"), required, repeated,
          common, slot(MediaSlot{.one = "image", .many = "images", .types = k_image_inputs}),
          example("https://example.com/cat.png")),
    json("images", "Image object as JSON, or an array.", repeated,
         example(R"({"url":"https://example.com/cat.png"})")),
};

inline constexpr auto k_generate_fields =
    concat(k_prompt, k_members, k_storage_fields, k_slow_wait_fields);
inline constexpr auto k_edit_fields =
    concat(k_prompt, k_inputs, k_members, k_image_members, k_storage_fields, k_slow_wait_fields);

inline constexpr std::array k_job = {
    k_deferred_id_field,
    boolean("preview", "Preview the images if the terminal can.", local, fallback("on")),
};
inline constexpr auto k_wait_verb_fields = concat(k_job, k_slow_wait_fields);

}  // namespace svc::catalogue::images
