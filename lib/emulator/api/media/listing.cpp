#include "emulator/api/media/listing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/models.h"
#include "emulator/json/json_answer.h"
#include "emulator/model/rules.h"

namespace svc::emulator {
namespace media {
namespace {

using text::Json;

Json aliases_of(const MediaModel& model) {
  Json aliases = Json::array();
  for (const sv alias : model.aliases) aliases.push_back(alias);
  return aliases;
}

Json detailed(const MediaModel& model) {
  const bool video = model.product == Product::Video;
  return {{"id", model.name},
          {"fingerprint", k_system_fingerprint},
          {"created", model.created},
          {"object", "model"},
          {"owned_by", "emulator"},
          {"version", model.version},
          {"input_modalities", video ? Json{"text", "image", "video"} : Json{"text", "image"}},
          {"output_modalities", Json::array({video ? "video" : "image"})},
          {video ? "video_price_per_second" : "image_price", model.price},
          {"aliases", aliases_of(model)}};
}

Handler list_handler(Product product) {
  return [product](const Call& call) {
    Json list = Json::array();
    for (const MediaModel& model : media_models()) {
      if (model.product == product && may_use_model(call.key, model.name)) {
        list.push_back(detailed(model));
      }
    }
    return json_answer(Json{{"models", std::move(list)}});
  };
}

Handler get_handler(Product product) {
  return [product](const Call& call) {
    const std::string& name = call.params.at("model_id");
    const MediaModel* model = find_media_model(product, name);
    if (model == nullptr || !may_use_model(call.key, model->name)) {
      return text::refuse_missing(fmt::format("Model '{}' not found.", name));
    }
    return json_answer(detailed(*model));
  };
}

}  // namespace

Json brief(const MediaModel& model) {
  return {{"id", model.name},
          {"created", model.created},
          {"object", "model"},
          {"owned_by", "emulator"},
          {"aliases", aliases_of(model)}};
}

}  // namespace media

std::vector<Route> media_model_routes() {
  using media::Product;
  return {{"GET", "/v1/image-generation-models", media::list_handler(Product::Image)},
          {"GET", "/v1/image-generation-models/{model_id}", media::get_handler(Product::Image)},
          {"GET", "/v1/video-generation-models", media::list_handler(Product::Video)},
          {"GET", "/v1/video-generation-models/{model_id}", media::get_handler(Product::Video)}};
}

}  // namespace svc::emulator
