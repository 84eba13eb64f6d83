// The model listings, and the calling key.

#include <nlohmann/json.hpp>

#include "emulator/model/answer.h"

namespace svc::emulator {
namespace {

using media::MediaModel;
using media::Product;
using text::Json;

template <typename AnyModel>
Json aliases_of(const AnyModel& model) {
  return model.alias.empty() ? Json::array() : Json::array({model.alias});
}

template <typename AnyModel>
Json brief(const AnyModel& model) {
  Json json = {{"id", model.name},
               {"created", model.created},
               {"object", "model"},
               {"owned_by", "emulator"},
               {"aliases", aliases_of(model)}};
  if constexpr (std::is_same_v<AnyModel, Model>) {
    json["context_length"] = model.context_length;
    json["capabilities"] = {{"reasoning_effort", model.reasoning_effort
                                                     ? Json{"none", "low", "medium", "high"}
                                                     : Json::array()}};
  }
  return json;
}

// `prices` are in cents per 100 million tokens, which is ticks per token.
template <typename AnyModel>
Json detailed(const AnyModel& model, Json inputs, const char* output, const Json& prices) {
  Json json = {{"id", model.name},
               {"fingerprint", k_system_fingerprint},
               {"created", model.created},
               {"object", "model"},
               {"owned_by", "emulator"},
               {"version", model.version},
               {"input_modalities", std::move(inputs)},
               {"output_modalities", Json::array({output})}};
  json.update(prices);
  json["aliases"] = aliases_of(model);
  return json;
}

Json detailed(const Model& model) {
  const std::int64_t factor =
      model.context_length > long_context_of(model) ? k_long_context_factor : 1;
  return detailed(
      model, model.images ? Json{"text", "image"} : Json::array({"text"}), "text",
      {{"prompt_text_token_price", model.prompt_price},
       {"prompt_image_token_price", model.images ? model.prompt_price : 0},
       {"prompt_text_token_price_long_context", model.prompt_price * factor},
       {"cached_prompt_text_token_price", model.cached_price},
       {"completion_text_token_price", model.completion_price},
       {"completion_token_price_long_context", model.completion_price * factor},
       {"search_price", k_source_price},
       {"features",
        {{"function_calling", true}, {"structured_outputs", true}, {"reasoning", model.reasoning}}},
       {"max_prompt_length", model.context_length},
       {"long_context_threshold", long_context_of(model)}});
}

Json detailed(const MediaModel& model) {
  if (model.product == Product::Image) {
    Json sizes = Json::array();
    for (const sv size : {"1k", "2k"}) {
      sizes.push_back({{"resolution", size == "1k" ? "IMAGE_RESOLUTION_1K" : "IMAGE_RESOLUTION_2K"},
                       {"price_per_image", media::image_price(model, size, "")}});
    }
    return detailed(model, {"text", "image"}, "image",
                    {{"image_price", model.price},
                     {"resolution_pricing", std::move(sizes)},
                     {"price_per_input_image", 0}});
  }
  Json sizes = Json::array();
  for (const int side : {480, 720, 1080}) {
    if (side > 720 && !model.full_hd) continue;
    sizes.push_back({{"resolution", fmt::format("VIDEO_RESOLUTION_{}P", side)},
                     {"price_per_second", media::video_price(model, side, 1)}});
  }
  return detailed(model, {"text", "image", "video"}, "video",
                  {{"video_price_per_second", model.price},
                   {"resolution_pricing", std::move(sizes)},
                   {"price_per_input_image", 0},
                   {"price_per_input_video_second", 0}});
}

// Models of all kinds.
Response list_all(const Request& request) {
  Json list = Json::array();
  const auto append = [&](const auto& all) {
    for (const auto& model : all) {
      if (may_use_model(request.key, model.name)) list.push_back(brief(model));
    }
  };
  append(models());
  append(media::media_models());
  return json_response({{"data", std::move(list)}, {"object", "list"}});
}

Response no_model(const std::string& name) {
  return not_found_error(fmt::format("Model '{}' not found.", name));
}

Response get_any(const Request& request) {
  const std::string& name = request.params.at("model_id");
  const auto shown = [&](const auto* model) {
    return model != nullptr && may_use_model(request.key, model->name);
  };
  if (const Model* model = find_model(name); shown(model)) return json_response(brief(*model));
  for (const auto product : {Product::Image, Product::Video}) {
    const auto* model = media::find_media_model(product, name);
    if (shown(model)) return json_response(brief(*model));
  }
  return no_model(name);
}

// The list of models of one kind at `path`, and single ones, which `find` returns by name.
template <typename Models, typename Find>
void add_listing(std::vector<Route>& routes, const std::string& path, Models all, Find find) {
  routes.push_back({"GET", path, [all, find](const Request& request) {
                      Json list = Json::array();
                      for (const auto& model : all) {
                        if (find(std::string(model.name)) == nullptr) continue;
                        if (may_use_model(request.key, model.name)) list.push_back(detailed(model));
                      }
                      return json_response({{"models", std::move(list)}});
                    }});
  routes.push_back({"GET", path + "/{model_id}", [find](const Request& request) {
                      const std::string& name = request.params.at("model_id");
                      const auto* model = find(name);
                      const bool shown =
                          model != nullptr && may_use_model(request.key, model->name);
                      return shown ? json_response(detailed(*model)) : no_model(name);
                    }});
}

Response get_api_key(const Request& request) {
  const KeyRecord& key = request.key;
  return json_response({{"acls", key.acls},
                        {"api_key_blocked", key.blocked},
                        {"api_key_disabled", key.disabled},
                        {"api_key_id", key.id},
                        {"create_time", format_rfc3339(key.create_time)},
                        {"modified_by", key.modified_by},
                        {"modify_time", format_rfc3339(key.modify_time)},
                        {"name", key.name},
                        {"redacted_api_key", key.redacted},
                        {"team_blocked", key.team_blocked},
                        {"team_id", key.team_id},
                        {"user_id", key.user_id}});
}

// Built as text: a tree of JSON values would take a hundred times the size of a long text.
Response token_list(sv content) {
  Response response;
  std::string& body = response.body;
  body = R"({"token_ids":[)";
  for (const Token& token : tokenize(content)) {
    if (body.back() == '}') body += ',';
    body += fmt::format(R"({{"token_id":{},"string_token":{},"token_bytes":[)", token.id,
                        json_quote(token.text));
    for (const char byte : token.text) {
      if (body.back() != '[') body += ',';
      body += std::to_string(static_cast<unsigned char>(byte));
    }
    body += "]}";
  }
  body += "]}";
  return response;
}

Response post_tokenize(const Request& request) {
  SVC_TRY(body, text::read_body(request, "tokenize"));
  SVC_TRY(model, text::pick_model(request, body));
  const std::string content = text::get_string(body, "text");
  const auto count = static_cast<std::int64_t>(count_tokens(content));
  if (count > model->context_length) {
    return invalid_argument_error(
        fmt::format("This model's maximum prompt length is {} but the request contains "
                    "{} tokens.",
                    model->context_length, count));
  }
  return token_list(content);
}

}  // namespace

std::vector<Route> model_routes() {
  std::vector<Route> routes = {{"GET", "/v1/models", list_all},
                               {"GET", "/v1/models/{model_id}", get_any}};
  const auto find = [](Product product) {
    return [product](const std::string& name) { return media::find_media_model(product, name); };
  };
  const auto find_text = [](const std::string& name) { return find_model(name); };
  add_listing(routes, "/v1/language-models", models(), find_text);
  add_listing(routes, "/v1/image-generation-models", media::media_models(), find(Product::Image));
  add_listing(routes, "/v1/video-generation-models", media::media_models(), find(Product::Video));
  return routes;
}

std::vector<Route> api_key_routes() {
  // Any key: this is how a caller learns that its key is disabled or blocked.
  return {
      {.method = "GET", .path = "/v1/api-key", .handler = get_api_key, .key = KeyRequirement::Any}};
}

std::vector<Route> tokenize_routes() {
  return {{"POST", "/v1/tokenize-text", post_tokenize, "tokenize"}};
}

}  // namespace svc::emulator
