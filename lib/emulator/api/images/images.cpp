#include <nlohmann/json.hpp>

#include "emulator/api/media/media.h"
#include "emulator/model/answer.h"

namespace svc::emulator::images {
namespace {

using text::Json;

struct ImageParams {
  const media::MediaModel* model = nullptr;
  std::string prompt{};
  text::Directive directive{};
  std::size_t count = 1;
  media::Size size{};
  bool as_base64 = false;
  bool deferred = false;
  std::int64_t price = 0;  ///< ticks per image
  std::vector<media::Image> inputs{};
};

constexpr int k_grain = 16;
constexpr double k_extreme = 3.0;  // more extreme proportions are useless

std::optional<Response> check_plain(const Request& request, const Json& body, ImageParams& params) {
  params.prompt = text::get_string(body, "prompt");
  if (trim(params.prompt).empty()) return invalid_argument_error("The prompt cannot be empty.");
  SVC_TRY(model, media::pick_media_model(request, body, media::Product::Image));
  params.model = model;
  params.count = static_cast<std::size_t>(text::get_integer(body, "n").value_or(1));
  const std::string format = text::get_string(body, "response_format", "url");
  if (format != "url" && format != "b64_json") {
    return invalid_argument_error(fmt::format(
        "Invalid value for response_format: {} is not one of url, b64_json.", shown(format)));
  }
  params.as_base64 = format == "b64_json";
  params.deferred = text::get_bool(body, "deferred", false);
  params.directive = text::parse_directive(params.prompt);
  return std::nullopt;
}

std::optional<Response> read_inputs(const Request& request, const Json& body, ImageParams& params) {
  const Json* one = text::member(body, "image");
  const Json* several = text::member(body, "images");
  if (one != nullptr && several != nullptr) {
    return invalid_argument_error("image and images exclude each other: give one of them.");
  }
  if (one == nullptr && (several == nullptr || several->empty())) {
    return invalid_argument_error("An edit needs image or images.");
  }
  const std::size_t count = one != nullptr ? 1 : several->size();
  const auto source_at = [&](std::size_t i) -> const Json& {
    return one != nullptr ? *one : (*several)[i];
  };
  // Validate all sources before fetching any.
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<text::Step> path = {std::string(one != nullptr ? "image" : "images")};
    if (one == nullptr) path.emplace_back(i);
    if (auto refusal = media::check_source(request, source_at(i), path)) return refusal;
  }
  const media::MediaContext context = media::MediaContext::of(request);
  params.inputs.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (auto source_error = media::load_image(context, source_at(i), params.inputs[i])) {
      return source_error->refusal();
    }
  }
  return std::nullopt;
}

media::Size choose_size(const Json& body, const ImageParams& params) {
  const std::string ratio = text::get_string(body, "aspect_ratio");
  const std::string resolution = text::get_string(body, "resolution");
  if (!ratio.empty() && ratio != "auto") return image_size(media::ratio_of(ratio, 1), resolution);
  // An edit without a ratio uses that of its source.
  if (!params.inputs.empty()) {
    return image_size(media::ratio_of(params.inputs.front().size()), resolution);
  }
  return image_size(ratio.empty() ? 1 : media::ratio_of(choose_ratio(params.prompt), 1),
                    resolution);
}

// Parses the body of `request` into `body` and `params`; otherwise returns the refusal.
std::optional<Response> read_params(const Request& request, bool edit, Json& body,
                                    ImageParams& params) {
  SVC_TRY(given, text::read_body(request, "image"));
  body = std::move(given);
  if (auto refusal = check_plain(request, body, params)) return refusal;
  if (edit) {
    if (auto refusal = read_inputs(request, body, params)) return refusal;
  }
  params.size = choose_size(body, params);
  params.price = media::image_price(*params.model, text::get_string(body, "resolution"),
                                    text::get_string(body, "quality"));
  return std::nullopt;
}

constexpr std::int64_t k_deferred_ms = 1000;  // until a deferred image is ready
// Images and chat answers are fetched by different operations.
const std::string k_job_prefix = "image:";

constexpr sv k_type = "image/jpeg";  // the service's default

Result<Json> make_item(const media::MediaContext& context, const Json& body,
                       const ImageParams& params, std::size_t index) {
  if (params.directive.kind == text::DirectiveKind::Refuse)
    return Json{{"respect_moderation", false}};
  SVC_TRY(bytes,
          media::encode_jpeg(media::draw_image(params.prompt, index, params.inputs, params.size),
                             "drawn by svc-emulator, not by a model: " + params.prompt));
  Json item = Json::object();
  if (params.as_base64) {
    item["b64_json"] = base64_encode(bytes);
  } else {
    SVC_TRY(name, media::store_media(*context.state, k_type, bytes));
    item["url"] = media::media_url(context.address, name);
  }
  item["mime_type"] = k_type;
  item["revised_prompt"] = "";
  item["respect_moderation"] = true;
  media::store_output(context, body, k_type, bytes, index, item);
  return item;
}

Result<Json> make_result(const Request& request, const Json& body, const ImageParams& params) {
  const media::MediaContext context = media::MediaContext::of(request);
  Json data = Json::array();
  for (std::size_t i = 0; i < params.count; ++i) {
    SVC_TRY(item, make_item(context, body, params, i));
    data.push_back(std::move(item));
  }
  const bool blocked = params.directive.kind == text::DirectiveKind::Refuse;
  const std::int64_t cost = blocked ? 0 : params.price * static_cast<std::int64_t>(params.count);
  return Json{{"data", std::move(data)}, {"usage", {{"cost_in_usd_ticks", cost}}}};
}

std::string failure_of(const ImageParams& params) {
  return params.directive.text.empty() ? "The image could not be generated."
                                       : params.directive.text;
}

Response defer(const Request& request, const ImageParams& params, const Json* result) {
  const std::string id =
      text::is_uuid(request.request_id) ? request.request_id : request.state->new_uuid();
  Json document = {{"request_id", id}, {"status", result != nullptr ? "done" : "failed"}};
  if (result != nullptr) {
    document.update(*result);
  } else {
    document["error"] = {{"code", "service_unavailable"}, {"message", failure_of(params)}};
  }
  SVC_CHECK(
      checked(request.state->add_deferred({.id = k_job_prefix + id,
                                           .team_id = request.key.team_id,
                                           .ready_at_ms = request.state->now_ms() + k_deferred_ms,
                                           .body = text::dump(document)})));
  return json_response(Json{{"request_id", id}});
}

Response create(const Request& request, bool edit) {
  Json body;
  ImageParams params;
  if (auto refusal = read_params(request, edit, body, params)) return *std::move(refusal);
  if (params.directive.kind == text::DirectiveKind::Fail) {
    if (params.deferred) return defer(request, params, nullptr);
    return unavailable_error(failure_of(params));
  }
  SVC_TRY(result, checked(make_result(request, body, params)));
  Response response = params.deferred ? defer(request, params, &result) : json_response(result);
  if (response.status == 200 && params.directive.kind != text::DirectiveKind::Refuse) {
    response.charges = {{fmt::format("{} images", params.model->name), "image",
                         static_cast<std::int64_t>(params.count), params.price}};
  }
  return response;
}

Response fetch_job(const Request& request) {
  const std::string& id = request.params.at("request_id");
  // Unlike a deferred chat answer, it can be read repeatedly.
  SVC_TRY(fetch, checked(request.state->fetch_deferred(request.key.team_id,
                                                       k_job_prefix + to_lower(id), true)));
  Response response;
  switch (fetch.status) {
    case DeferredFetch::Status::Unknown:
      return not_found_error(
          fmt::format("Image request with request_id={} not found", excerpt(id)));
    case DeferredFetch::Status::Pending:
      response = json_response(Json{{"request_id", to_lower(id)}, {"status", "pending"}});
      response.status = 202;
      return response;
    case DeferredFetch::Status::Ready:
      response.body = fetch.body;
  }
  return response;
}

}  // namespace

media::Size image_size(double ratio, sv resolution) {
  const double side = resolution == "2k" ? 2048 : resolution == "1.5k" ? 1536 : 1024;
  const double bounded = std::clamp(ratio, 1 / k_extreme, k_extreme);
  const auto rounded = [](double pixels) {
    return static_cast<int>(std::lround(pixels / k_grain)) * k_grain;
  };
  return {rounded(side * std::sqrt(bounded)), rounded(side / std::sqrt(bounded))};
}

sv choose_ratio(sv prompt) {
  constexpr std::array<sv, 5> k_common_ratios = {"1:1", "3:2", "2:3", "16:9", "9:16"};
  return k_common_ratios[media::stable_hash(prompt) % k_common_ratios.size()];
}

}  // namespace svc::emulator::images

auto svc::emulator::image_routes() -> std::vector<Route> {
  constexpr const char* acl = "image";
  std::vector<Route> routes = {
      {"POST", "/v1/images/generations",
       [](const Request& request) { return images::create(request, false); }, acl},
      {"POST", "/v1/images/edits",
       [](const Request& request) { return images::create(request, true); }, acl},
      {"GET", "/v1/images/{request_id}", images::fetch_job, acl}};
  // Drawing is slow; it must not block the threads that serve connections.
  for (Route& route : routes) route.run = RunOn::Worker;
  return routes;
}
