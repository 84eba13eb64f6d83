#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/account.h"
#include "emulator/models.h"

namespace svc::emulator {
namespace {

using Json = nlohmann::ordered_json;

Answer json_answer(const Json& body) {
  Answer answer;
  answer.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  return answer;
}

Json aliases_of(const Model& model) {
  Json aliases = Json::array();
  for (const auto alias : model.aliases) aliases.push_back(alias);
  return aliases;
}

Json efforts_of(const Model& model) {
  return model.reasoning_effort ? Json{"none", "low", "medium", "high"} : Json::array();
}

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

using Describe = Json (*)(const Model&);

Handler list_handler(Describe describe, const char* member, bool with_object) {
  return [=](const Call& call) {
    Json list = Json::array();
    for (const Model& model : models()) {
      if (may_use_model(call.key, model.name)) list.push_back(describe(model));
    }
    Json body = {{member, std::move(list)}};
    if (with_object) body["object"] = "list";
    return json_answer(body);
  };
}

Handler get_handler(Describe describe) {
  return [=](const Call& call) {
    const std::string& name = call.params.at("model_id");
    const Model* model = find_model(name);
    if (model == nullptr || !may_use_model(call.key, model->name)) {
      return refuse(404, "Some requested entity was not found",
                    fmt::format("Model '{}' not found.", name));
    }
    return json_answer(describe(*model));
  };
}

}  // namespace

std::vector<Route> model_routes() {
  return {{"GET", "/v1/models", list_handler(brief, "data", true)},
          {"GET", "/v1/models/{model_id}", get_handler(brief)},
          {"GET", "/v1/language-models", list_handler(detailed, "models", false)},
          {"GET", "/v1/language-models/{model_id}", get_handler(detailed)}};
}

}  // namespace svc::emulator
