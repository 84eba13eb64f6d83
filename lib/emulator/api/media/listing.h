// The listings of image and video models.
#pragma once

#include <vector>

#include "emulator/account/media_models.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"

namespace svc::emulator {

/// GET /v1/image-generation-models and /v1/video-generation-models, each also with /{model_id}.
[[nodiscard]] std::vector<Route> media_model_routes();

namespace media {

/// What GET /v1/models tells of such a model.
[[nodiscard]] text::Json brief(const MediaModel& model);

}  // namespace media
}  // namespace svc::emulator
