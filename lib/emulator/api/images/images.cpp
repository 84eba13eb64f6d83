#include "emulator/api/images/images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/result.h"
#include "base/text.h"
#include "emulator/account/models.h"
#include "emulator/api/media/source.h"
#include "emulator/api/media/store.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/routes.h"
#include "emulator/json/check.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"
#include "emulator/model/steer.h"
#include "emulator/picture/picture.h"
#include "database/rows.h"
#include "emulator/state/state.h"

namespace svc::emulator::images {
namespace {

using text::Json;

struct ImageOrder {
  const media::MediaModel* model = nullptr;
  std::string prompt{};
  text::Steering steering{};
  std::size_t count = 1;
  media::Size size{};
  bool as_base64 = false;
  bool deferred = false;
  std::int64_t price = 0;  ///< ticks per image
  std::vector<media::Picture> inputs{};
};

constexpr std::int64_t k_most_images = 10;
constexpr std::size_t k_most_inputs = 5;
constexpr int k_grain = 16;
constexpr double k_extreme = 3.0;  // more extreme proportions are useless

int side_of(std::string_view resolution) {
  if (resolution == "2k") return 2048;
  return resolution == "1.5k" ? 1536 : 1024;
}

// `prompt` is required, but its absence is a 400.
const text::Types& types() {
  static const text::Types k_types(
      std::string(media::k_shared_types) +
      fmt::format("request = {{prompt, model, n: integer, aspect_ratio: <{} auto>,"
                  " resolution: <1k 1.5k 2k>, quality: <low medium auto>, response_format,"
                  " storage_options: storage, deferred: boolean, user, image: source,"
                  " images: [source]}}",
                  join(k_ratios, " ")));
  return k_types;
}

std::optional<Answer> check_plain(const Call& call, const Json& body, ImageOrder& order) {
  order.prompt = text::text_of(body, "prompt");
  if (trim(order.prompt).empty()) return refuse_argument("The prompt cannot be empty.");
  SVC_TRY(model, media::pick_media_model(call, body, media::Product::Image));
  order.model = model;
  const std::int64_t count = text::integer_of(body, "n").value_or(1);
  if (count < 1 || count > k_most_images) {
    return refuse_argument(
        fmt::format("Invalid value for n: {} is not between 1 and {}.", count, k_most_images));
  }
  order.count = static_cast<std::size_t>(count);
  const std::string format = text::text_of(body, "response_format", "url");
  if (format != "url" && format != "b64_json") {
    return refuse_argument(fmt::format(
        "Invalid value for response_format: {} is not one of url, b64_json.", shown(format, 40)));
  }
  order.as_base64 = format == "b64_json";
  order.deferred = text::flag_of(body, "deferred", false);
  order.steering = text::read_steering(order.prompt);
  return media::storage_fault(body);
}

std::optional<Answer> read_inputs(const Call& call, const Json& body, ImageOrder& order) {
  const Json* one = text::member(body, "image");
  const Json* several = text::member(body, "images");
  if (one != nullptr && several != nullptr) {
    return refuse_argument("image and images exclude each other: give one of them.");
  }
  if (one == nullptr && (several == nullptr || several->empty())) {
    return refuse_argument("An edit needs image or images.");
  }
  const std::size_t count = one != nullptr ? 1 : several->size();
  const auto source_at = [&](std::size_t i) -> const Json& {
    return one != nullptr ? *one : (*several)[i];
  };
  if (count > k_most_inputs) {
    return refuse_argument(
        fmt::format("Too many images: {} given, at most {} are allowed.", count, k_most_inputs));
  }
  // Validate all sources before fetching any.
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<text::Step> path = {std::string(one != nullptr ? "image" : "images")};
    if (one == nullptr) path.emplace_back(i);
    if (auto refusal = media::source_fault(call, source_at(i), path)) return refusal;
  }
  const media::Place place = media::Place::of(call);
  order.inputs.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (auto trouble = media::load_picture(place, source_at(i), order.inputs[i])) {
      return trouble->refusal();
    }
  }
  return std::nullopt;
}

media::Size choose_size(const Json& body, const ImageOrder& order) {
  const std::string ratio = text::text_of(body, "aspect_ratio");
  const std::string resolution = text::text_of(body, "resolution");
  if (!ratio.empty() && ratio != "auto") return image_size(media::ratio_of(ratio, 1), resolution);
  // An edit without a ratio uses that of its source.
  if (!order.inputs.empty()) {
    return image_size(media::ratio_of(order.inputs.front().size()), resolution);
  }
  return image_size(ratio.empty() ? 1 : media::ratio_of(choose_ratio(order.prompt), 1), resolution);
}

// Parses the body of `call` into `body` and `order`; otherwise returns the refusal. `edit`: with
// images to change.
std::optional<Answer> read_order(const Call& call, bool edit, Json& body, ImageOrder& order) {
  SVC_TRY(given, text::read_body(call, types()["request"]));
  body = std::move(given);
  if (auto refusal = check_plain(call, body, order)) return refusal;
  if (edit) {
    if (auto refusal = read_inputs(call, body, order)) return refusal;
  }
  order.size = choose_size(body, order);
  order.price = media::image_price(*order.model, text::text_of(body, "resolution"),
                                   text::text_of(body, "quality"));
  return std::nullopt;
}

constexpr std::int64_t k_day_s = 86'400;
constexpr std::int64_t k_deferred_ms = 1000;  // until a deferred image is ready

// Unlike a deferred chat answer, it can be read repeatedly, for a day.
Result<void> add_image_job(State& state, std::string_view team_id, std::string_view id,
                           std::int64_t ready_at_ms, std::string_view body) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<void> {
    SVC_CHECK(database.change("DELETE FROM image_jobs WHERE expires_at <= ?", now_s));
    return run_sql(database,
                   "INSERT INTO image_jobs (id, team_id, ready_at_ms, expires_at,"
                   " body) VALUES (?,?,?,?,?)",
                   id, team_id, ready_at_ms, now_s + k_day_s, body);
  });
}

Result<DeferredFetch> find_image_job(State& state, std::string_view team_id, std::string_view id) {
  const std::int64_t now = state.now_ms();
  return state.with([&](Database& database) -> Result<DeferredFetch> {
    SVC_TRY(row, database.query("SELECT ready_at_ms, body FROM image_jobs"
                                " WHERE id = ? AND team_id = ? AND expires_at > ?",
                                id, team_id, now / 1000));
    SVC_TRY(found, row.step());
    if (!found) return DeferredFetch{};
    if (row.integer(0) > now) return DeferredFetch{DeferredFetch::Status::Pending};
    return DeferredFetch{DeferredFetch::Status::Ready, row.text(1)};
  });
}

constexpr sv k_type = "image/jpeg";  // the service's default

Result<Json> make_item(const media::Place& place, const Json& body, const ImageOrder& order,
                       std::size_t index) {
  if (order.steering.kind == text::Steer::Refuse) return Json{{"respect_moderation", false}};
  SVC_TRY(bytes,
          media::encode_jpeg(media::draw_picture(order.prompt, index, order.inputs, order.size),
                             "drawn by svc-emulator, not by a model: " + order.prompt));
  Json item = Json::object();
  if (order.as_base64) {
    item["b64_json"] = base64_encode(bytes);
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

Answer defer(const Call& call, const ImageOrder& order, const Json* result) {
  const std::string id = text::is_uuid(call.request_id) ? call.request_id : new_uuid();
  Json document = {{"request_id", id}, {"status", result != nullptr ? "done" : "failed"}};
  if (result != nullptr) {
    document.update(*result);
  } else {
    document["error"] = {{"code", "service_unavailable"}, {"message", failure_of(order)}};
  }
  const auto ready = call.state->now_ms() + k_deferred_ms;
  SVC_CHECK(checked(add_image_job(*call.state, call.key.team_id, id, ready, text::dump(document))));
  return json_answer(Json{{"request_id", id}});
}

Answer create(const Call& call, bool edit) {
  Json body;
  ImageOrder order;
  if (auto refusal = read_order(call, edit, body, order)) return *std::move(refusal);
  if (order.steering.kind == text::Steer::Fail) {
    if (order.deferred) return defer(call, order, nullptr);
    return refuse_unavailable(failure_of(order));
  }
  SVC_TRY(result, checked(make_result(call, body, order)));
  Answer answer = order.deferred ? defer(call, order, &result) : json_answer(result);
  if (answer.status == 200 && order.steering.kind != text::Steer::Refuse) {
    answer.charges = {{fmt::format("{} images", order.model->name), "image",
                       static_cast<std::int64_t>(order.count), order.price}};
  }
  return answer;
}

Answer fetch_job(const Call& call) {
  const std::string& id = call.params.at("request_id");
  SVC_TRY(fetch, checked(find_image_job(*call.state, call.key.team_id, to_lower(id))));
  Answer answer;
  switch (fetch.status) {
    case DeferredFetch::Status::Unknown:
      return refuse_missing(
          fmt::format("Image request with request_id={} not found", excerpt(id, 60)));
    case DeferredFetch::Status::Pending:
      answer = json_answer(Json{{"request_id", to_lower(id)}, {"status", "pending"}});
      answer.status = 202;
      return answer;
    case DeferredFetch::Status::Ready:
      answer.body = fetch.body;
  }
  return answer;
}

}  // namespace

media::Size image_size(double ratio, std::string_view resolution) {
  const double side = side_of(resolution);
  const double bounded = std::clamp(ratio, 1 / k_extreme, k_extreme);
  const auto rounded = [](double pixels) {
    return static_cast<int>(std::lround(pixels / k_grain)) * k_grain;
  };
  return {rounded(side * std::sqrt(bounded)), rounded(side / std::sqrt(bounded))};
}

std::string_view choose_ratio(std::string_view prompt) {
  constexpr std::array<sv, 5> k_usual = {"1:1", "3:2", "2:3", "16:9", "9:16"};
  return k_usual[media::stable_hash(prompt) % k_usual.size()];
}

}  // namespace svc::emulator::images

namespace svc::emulator {

std::vector<Route> image_routes() {
  constexpr const char* acl = "image";
  std::vector<Route> routes = {{"POST", "/v1/images/generations",
                                [](const Call& call) { return images::create(call, false); }, acl},
                               {"POST", "/v1/images/edits",
                                [](const Call& call) { return images::create(call, true); }, acl},
                               {"GET", "/v1/images/{request_id}", images::fetch_job, acl}};
  // Drawing is slow; it must not block the threads that serve connections.
  for (Route& route : routes) route.run = RunOn::Worker;
  return routes;
}

}  // namespace svc::emulator
