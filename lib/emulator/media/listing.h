// The listings of image and video models (api 4 §13).
#pragma once

#include <vector>

#include "emulator/handler.h"
#include "emulator/media/models.h"
#include "emulator/text/json.h"

namespace svc::emulator {

/// GET /v1/image-generation-models and /v1/video-generation-models, each also with /{model_id}.
[[nodiscard]] std::vector<Route> media_model_routes();

namespace media {

/// What GET /v1/models tells of such a model.
[[nodiscard]] text::Json brief(const MediaModel& model);

}  // namespace media
}  // namespace svc::emulator
