#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/images/jobs.h"
#include "emulator/api/images/request.h"
#include "emulator/api/images/routes.h"
#include "emulator/api/media/output.h"
#include "emulator/api/media/source.h"
#include "emulator/api/media/store.h"
#include "emulator/handler/ids.h"
#include "emulator/json/json_answer.h"
#include "emulator/model/rules.h"
#include "emulator/picture/codec.h"
#include "emulator/state/seal.h"

namespace svc::emulator {
namespace images {
namespace {

constexpr sv k_type = "image/jpeg";  // the default of the service

Result<Json> make_item(const media::Place& place, const Json& body, const ImageOrder& order,
                       std::size_t index) {
  if (order.steering.kind == text::Steer::Refuse) return Json{{"respect_moderation", false}};
  SVC_TRY(bytes,
          media::encode_jpeg(media::draw_picture(order.prompt, index, order.inputs, order.size),
                             "drawn by svc-emulator, not by a model: " + order.prompt));
  Json item = Json::object();
  if (order.as_base64) {
    item["b64_json"] = text::encode_base64(bytes);
  } else {
    SVC_TRY(name, media::keep_media(*place.state, k_type, bytes));
    item["url"] = media::media_url(place.address, name);
  }
  item["mime_type"] = k_type;
  item["revised_prompt"] = "";
  item["respect_moderation"] = true;
  media::store_output(place, body, k_type, bytes, index, item);
  return item;
}

Result<Json> make_result(const Call& call, const Json& body, const ImageOrder& order) {
  const media::Place place = media::Place::of(call);
  Json data = Json::array();
  for (std::size_t i = 0; i < order.count; ++i) {
    SVC_TRY(item, make_item(place, body, order, i));
    data.push_back(std::move(item));
  }
  const bool blocked = order.steering.kind == text::Steer::Refuse;
  const std::int64_t cost = blocked ? 0 : order.price * static_cast<std::int64_t>(order.count);
  return Json{{"data", std::move(data)}, {"usage", {{"cost_in_usd_ticks", cost}}}};
}

std::string failure_of(const ImageOrder& order) {
  return order.steering.text.empty() ? "The image could not be generated." : order.steering.text;
}

Answer defer(const Call& call, const ImageOrder& order, const Json* result,
             const ImageOptions& options) {
  const std::string id = text::is_uuid(call.request_id) ? call.request_id : new_uuid();
  Json document = {{"request_id", id}, {"status", result != nullptr ? "done" : "failed"}};
  if (result != nullptr) {
    document.update(*result);
  } else {
    document["error"] = {{"code", "service_unavailable"}, {"message", failure_of(order)}};
  }
  const auto ready = call.state->now_ms() + options.deferred_delay.count();
  const auto added = add_image_job(*call.state, call.key.team_id, id, ready, text::dump(document));
  if (!added) return refuse_internal(added.error());
  return json_answer(Json{{"request_id", id}});
}

Answer create(const Call& call, bool edit, const ImageOptions& options) {
  Json body;
  ImageOrder order;
  if (auto refusal = read_order(call, edit, body, order)) return *std::move(refusal);
  if (order.steering.kind == text::Steer::Fail) {
    if (order.deferred) return defer(call, order, nullptr, options);
    return refuse(503, "The service is currently unavailable", failure_of(order));
  }
  const auto result = make_result(call, body, order);
  if (!result) return refuse_internal(result.error());
  Answer answer = order.deferred ? defer(call, order, &*result, options) : json_answer(*result);
  if (answer.status == 200 && order.steering.kind != text::Steer::Refuse) {
    answer.charges = {{fmt::format("{} images", order.model->name), "image",
                       static_cast<std::int64_t>(order.count), order.price}};
  }
  return answer;
}

Answer fetch_job(const Call& call) {
  const std::string& id = call.params.at("request_id");
  const auto fetch = find_image_job(*call.state, call.key.team_id, to_lower(id));
  if (!fetch) return refuse_internal(fetch.error());
  Answer answer;
  switch (fetch->status) {
    case DeferredFetch::Status::Unknown:
      return text::refuse_missing(
          fmt::format("Image request with request_id={} not found", excerpt(id, 60)));
    case DeferredFetch::Status::Pending:
      answer = json_answer(Json{{"request_id", to_lower(id)}, {"status", "pending"}});
      answer.status = 202;
      return answer;
    case DeferredFetch::Status::Ready:
      answer.body = fetch->body;
  }
  return answer;
}

}  // namespace
}  // namespace images

std::vector<Route> image_routes(ImageOptions options) {
  constexpr const char* acl = "image";
  std::vector<Route> routes = {
      {"POST", "/v1/images/generations",
       [options](const Call& call) { return images::create(call, false, options); }, acl},
      {"POST", "/v1/images/edits",
       [options](const Call& call) { return images::create(call, true, options); }, acl},
      {"GET", "/v1/images/{request_id}", images::fetch_job, acl}};
  // Drawing takes its time; the threads that serve connections go on meanwhile.
  for (Route& route : routes) route.run = RunOn::Worker;
  return routes;
}

}  // namespace svc::emulator
