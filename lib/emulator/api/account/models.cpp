#include "emulator/account/models.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/account/routes.h"
#include "emulator/api/media/listing.h"
#include "emulator/json/json_answer.h"

namespace svc::emulator {
namespace {

using Json = nlohmann::ordered_json;

Json aliases_of(const Model& model) {
  Json aliases = Json::array();
  for (const auto alias : model.aliases) aliases.push_back(alias);
  return aliases;
}

Json efforts_of(const Model& model) {
  return model.reasoning_effort ? Json{"none", "low", "medium", "high"} : Json::array();
}

using media::brief;

Json brief(const Model& model) {
  return {{"id", model.name},
          {"created", model.created},
          {"object", "model"},
          {"owned_by", "emulator"},
          {"aliases", aliases_of(model)},
          {"context_length", model.context_length},
          {"capabilities", {{"reasoning_effort", efforts_of(model)}}}};
}

// Prices of these listings are in cents per 100 million tokens, which is ticks per token.
Json detailed(const Model& model) {
  Json inputs = {"text"};
  if (model.images) inputs.push_back("image");
  return {{"id", model.name},
          {"fingerprint", k_system_fingerprint},
          {"created", model.created},
          {"object", "model"},
          {"owned_by", "emulator"},
          {"version", model.version},
          {"input_modalities", inputs},
          {"output_modalities", Json::array({"text"})},
          {"prompt_text_token_price", model.prompt_price},
          {"cached_prompt_text_token_price", model.cached_price},
          {"completion_text_token_price", model.completion_price},
          {"search_price", model.source_price},
          {"aliases", aliases_of(model)}};
}

template <typename Models, typename Describe>
void append_allowed(const Call& call, const Models& all, Describe describe, Json& list) {
  for (const auto& model : all) {
    if (may_use_model(call.key, model.name)) list.push_back(describe(model));
  }
}

// Models of all kinds.
Answer list_all(const Call& call) {
  const auto describe = [](const auto& model) { return brief(model); };
  Json list = Json::array();
  append_allowed(call, models(), describe, list);
  append_allowed(call, media::media_models(), describe, list);
  return json_answer({{"data", std::move(list)}, {"object", "list"}});
}

Answer list_language(const Call& call) {
  Json list = Json::array();
  append_allowed(call, models(), detailed, list);
  return json_answer({{"models", std::move(list)}});
}

Answer no_model(const std::string& name) {
  return refuse(404, "Some requested entity was not found",
                fmt::format("Model '{}' not found.", name));
}

Answer get_any(const Call& call) {
  const std::string& name = call.params.at("model_id");
  const auto shown = [&](const auto* model) {
    return model != nullptr && may_use_model(call.key, model->name);
  };
  if (const Model* model = find_model(name); shown(model)) return json_answer(brief(*model));
  for (const auto product : {media::Product::Image, media::Product::Video}) {
    const auto* model = media::find_media_model(product, name);
    if (shown(model)) return json_answer(brief(*model));
  }
  return no_model(name);
}

Answer get_language(const Call& call) {
  const std::string& name = call.params.at("model_id");
  const Model* model = find_model(name);
  if (model == nullptr || !may_use_model(call.key, model->name)) return no_model(name);
  return json_answer(detailed(*model));
}

}  // namespace

std::vector<Route> model_routes() {
  return {{"GET", "/v1/models", list_all},
          {"GET", "/v1/models/{model_id}", get_any},
          {"GET", "/v1/language-models", list_language},
          {"GET", "/v1/language-models/{model_id}", get_language}};
}

}  // namespace svc::emulator
