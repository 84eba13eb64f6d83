#include "emulator/api/batches/read.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/models.h"
#include "emulator/api/text/handlers.h"
#include "emulator/handler/handler.h"
#include "emulator/json/check.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::emulator::batches {
namespace {

using text::get_string;
using text::Json;

// What the image and video operations refuse is a failed request, not a refused batch.
const text::Types& batch_types() {
  static const text::Types k_types(
      [] {
        std::string bodies;
        for (const Kind& kind : kinds()) {
          if (kind.in_files_only) continue;
          const bool typed = kind.member == "chat_get_completion" || kind.member == "responses";
          bodies += fmt::format("{}: {},", kind.member, typed ? kind.member : "map");
        }
        return fmt::format(
            "item = {{batch_request_id, batch_request!: {{{}}}}}"
            " add = {{batch_requests!: [item]}}"
            " line = {{custom_id!, method, url!, body!: map}}",
            bodies);
      }(),
      {{"chat_get_completion", &text::request_types()["chat"]},
       {"responses", &text::request_types()["responses"]}});
  return k_types;
}

// A text model must support batches; other models are checked by their operations.
std::optional<std::string> check_model(const Kind& kind, const std::string& name) {
  if (!kind.text) return std::nullopt;
  const Model* model = find_model(name);
  if (model == nullptr) return "Model not found: " + name;
  if (model->batches) return std::nullopt;
  return fmt::format("Model {} does not support batches.", model->name);
}

// Returns the only field of `batch_request`, or null.
const Kind* kind_of(const Json& body) {
  const Kind* kind = nullptr;
  for (const Kind& one : kinds()) {
    if (one.in_files_only || text::member(body, one.member) == nullptr) continue;
    if (kind != nullptr) return nullptr;
    kind = &one;
  }
  return kind;
}

std::string kind_names() {
  std::vector<sv> names;
  for (const Kind& kind : kinds()) {
    if (!kind.in_files_only) names.push_back(kind.member);
  }
  return join(names, ", ");
}

// Checks the whole document against its type, for the position of the error.
Response document_not_found_error(const Request& call) {
  SVC_CHECK(text::read_body(call, batch_types()["add"]));
  return invalid_argument_error("batch_requests cannot be read.");
}

Response unknown_kind_error(const Request& call, std::size_t index) {
  return text::request_error(
      call,
      std::array{text::Step("batch_requests"), text::Step(index), text::Step("batch_request")},
      "expected exactly one member out of " + kind_names());
}

std::optional<Response> read_item(const Request& call, sv slice, std::size_t index,
                                  NewRequest& request) {
  const Json item = text::parse_json(slice);
  if (text::check_type(item, batch_types()["item"], slice)) return document_not_found_error(call);
  const Json& body = *text::member(item, "batch_request");
  const Kind* kind = kind_of(body);
  if (kind == nullptr) return unknown_kind_error(call, index);
  const Json& inner = *text::member(body, kind->member);
  request.kind = kind->member;
  request.model = get_string(inner, "model");
  request.body = text::dump(inner);
  request.id = get_string(item, "batch_request_id");
  if (text::member(item, "batch_request_id") == nullptr) request.id = call.state->new_uuid();
  if (request.id.empty()) return invalid_argument_error("A batch_request_id is empty.");
  if (const auto fault = check_model(*kind, request.model)) return invalid_argument_error(*fault);
  if (!kind->text) return std::nullopt;
  const sv model = find_model(request.model)->name;
  return may_use_model(call.key, model) ? std::nullopt : std::optional(model_access_error(model));
}

Result<NewRequest> read_line(sv line) {
  if (const auto fault = check_json(line)) return usage_error(fault->reason);
  const Json item = text::parse_json(line);
  if (const auto fault = text::check_type(item, batch_types()["line"], line)) {
    return usage_error(fmt::format("{}: {}", fault->path, fault->reason));
  }
  const std::string url = get_string(item, "url");
  const Kind* kind = find_kind_by_path(url);
  if (kind == nullptr)
    return usage_error(fmt::format("{} is not a url for batches", excerpt(url, 80)));
  if (!equals_ignore_case(get_string(item, "method", "POST"), "POST")) {
    return usage_error("method must be POST");
  }
  NewRequest request;
  const Json& body = *text::member(item, "body");
  request.id = get_string(item, "custom_id");
  if (request.id.empty()) return usage_error("custom_id is empty");
  request.kind = kind->member;
  request.model = get_string(body, "model");
  request.body = text::dump(body);
  if (const auto fault = check_model(*kind, request.model)) return usage_error(*fault);
  return request;
}

// The endpoints are internal names of the service; one of them was observed.
constexpr std::array k_kinds = {
    Kind{.member = "chat_get_completion",
         .path = "/v1/chat/completions",
         .endpoint = "svc_api.Chat/GetCompletion",
         .result = "chat_get_completion",
         .text = true},
    Kind{.member = "responses",
         .path = "/v1/responses",
         .endpoint = "svc_api.Responses/CreateResponse",
         .result = "chat_get_completion",
         .text = true},
    Kind{.member = "image_generation",
         .path = "/v1/images/generations",
         .endpoint = "svc_api.Image/GenerateImage",
         .result = "image_generation"},
    Kind{.member = "image_edit",
         .path = "/v1/images/edits",
         .endpoint = "svc_api.Image/EditImage",
         .result = "image_generation"},
    Kind{.member = "video_generation",
         .path = "/v1/videos/generations",
         .endpoint = "svc_api.Video/GenerateVideo",
         .result = "video_generation",
         .job = true},
    Kind{.member = "video_extension",
         .path = "/v1/videos/extensions",
         .endpoint = "svc_api.Video/ExtendVideo",
         .result = "video_generation",
         .job = true},
    Kind{.member = "video_edit",
         .path = "/v1/videos/edits",
         .endpoint = "svc_api.Video/EditVideo",
         .result = "video_generation",
         .job = true,
         .in_files_only = true},
};

}  // namespace

std::optional<Response> read_items(const Request& call, std::vector<NewRequest>& requests) {
  // Item by item: a tree of the whole document would take ten times its size.
  const auto list = json_member(call.body, "batch_requests");
  if (!list || !list->starts_with('[')) return document_not_found_error(call);
  const std::vector<sv> items = json_elements(*list);
  requests.resize(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (auto refusal = read_item(call, items[i], i, requests[i])) return refusal;
  }
  return std::nullopt;
}

Result<std::vector<NewRequest>> read_lines(sv text) {
  std::vector<NewRequest> requests;
  std::unordered_set<std::string> ids;
  std::size_t number = 0;
  for (const sv line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    auto request = read_line(trim(line));
    if (!request) {
      return usage_error(fmt::format("line {}: {}", number, request.error().message));
    }
    if (!ids.insert(request->id).second) {
      return usage_error(
          fmt::format("line {}: the custom_id {} comes twice", number, excerpt(request->id, 80)));
    }
    requests.push_back(std::move(*request));
  }
  if (requests.empty()) return usage_error("it has no requests");
  return requests;
}

std::span<const Kind> kinds() {
  return k_kinds;
}

const Kind* find_kind(std::string_view member) {
  const auto found = std::ranges::find(k_kinds, member, &Kind::member);
  return found == k_kinds.end() ? nullptr : &*found;
}

const Kind* find_kind_by_path(std::string_view path) {
  const auto found = std::ranges::find(k_kinds, path, &Kind::path);
  return found == k_kinds.end() ? nullptr : &*found;
}

}  // namespace svc::emulator::batches
