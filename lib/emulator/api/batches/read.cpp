#include "emulator/api/batches/read.h"

#include <array>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/models.h"
#include "emulator/api/batches/kinds.h"
#include "emulator/handler/ids.h"
#include "emulator/json/check_tables.h"
#include "emulator/json/locate.h"
#include "emulator/model/rules.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::emulator::batches {
namespace {

using text::Json;
using text::Member;
using text::Shape;
using text::text_of;
using text::Type;

// What the images' and videos' own operations refuse is a failed request, not a refused batch.
std::vector<Member> body_members() {
  std::vector<Member> members;
  for (const Kind& kind : kinds()) {
    if (kind.in_files_only) continue;
    const Type* type = &text::k_map;
    if (kind.member == "chat_get_completion") type = &text::chat_request_type();
    if (kind.member == "responses") type = &text::responses_request_type();
    members.push_back({kind.member, type});
  }
  return members;
}

const Type& item_type() {
  static const std::vector<Member> k_bodies = body_members();
  static const Type k_body{.shape = Shape::Object, .members = k_bodies};
  static const std::array k_members = {Member{"batch_request_id", &text::k_text},
                                       Member{"batch_request", &k_body, true}};
  static const Type k_item{.shape = Shape::Object, .members = k_members};
  return k_item;
}

const Type& add_type() {
  static const Type k_items{.shape = Shape::List, .element = &item_type()};
  static const std::array k_members = {Member{"batch_requests", &k_items, true}};
  static const Type k_add{.shape = Shape::Object, .members = k_members};
  return k_add;
}

constexpr std::array k_line_members = {
    Member{"custom_id", &text::k_text, true}, Member{"method", &text::k_text},
    Member{"url", &text::k_text, true}, Member{"body", &text::k_map, true}};
constexpr Type k_line{.shape = Shape::Object, .members = k_line_members};

// A text model must support batches; the others are judged by their own operations.
std::optional<std::string> model_fault(const Kind& kind, const std::string& name) {
  if (!kind.text) return std::nullopt;
  const Model* model = find_model(name);
  if (model == nullptr) return "Model not found: " + name;
  if (model->batches) return std::nullopt;
  return fmt::format("Model {} does not support batches.", model->name);
}

// The only member of `batch_request`, or null.
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

// The whole document against its type, for the place of what is wrong in it.
Answer refuse_document(const Call& call) {
  std::optional<Answer> refusal;
  (void)text::read_body(call, add_type(), refusal);
  if (refusal) return *refusal;
  return text::refuse_argument("batch_requests cannot be read.");
}

Answer refuse_kind(const Call& call, std::size_t index) {
  const std::vector<text::Step> path = {std::string("batch_requests"), index,
                                        std::string("batch_request")};
  const text::Position place = text::locate(call.body, path);
  return refuse_schema(text::describe_path(path),
                       "expected exactly one member out of " + kind_names(), place.line,
                       place.column);
}

std::optional<Answer> read_item(const Call& call, sv slice, std::size_t index,
                                NewRequest& request) {
  const Json item = text::parse_json(slice);
  if (text::check_type(item, item_type(), slice)) return refuse_document(call);
  const Json& body = *text::member(item, "batch_request");
  const Kind* kind = kind_of(body);
  if (kind == nullptr) return refuse_kind(call, index);
  const Json& inner = *text::member(body, kind->member);
  request.kind = kind->member;
  request.model = text_of(inner, "model");
  request.body = text::dump(inner);
  request.id = text_of(item, "batch_request_id");
  if (text::member(item, "batch_request_id") == nullptr) request.id = new_uuid();
  if (request.id.empty()) return text::refuse_argument("A batch_request_id is empty.");
  if (const auto fault = model_fault(*kind, request.model)) return text::refuse_argument(*fault);
  if (!kind->text) return std::nullopt;
  const Model* model = find_model(request.model);
  if (may_use_model(call.key, model->name)) return std::nullopt;
  return refuse_model(model->name);
}

Result<NewRequest> read_line(sv line) {
  if (const auto fault = check_json(line)) return usage_error(fault->reason);
  const Json item = text::parse_json(line);
  if (const auto fault = text::check_type(item, k_line, line)) {
    return usage_error(fmt::format("{}: {}", fault->path, fault->reason));
  }
  const std::string url = text_of(item, "url");
  const Kind* kind = find_kind_by_path(url);
  if (kind == nullptr)
    return usage_error(fmt::format("{} is no url for batches", excerpt(url, 80)));
  if (!equals_ignore_case(text_of(item, "method", "POST"), "POST")) {
    return usage_error("method must be POST");
  }
  NewRequest request;
  const Json& body = *text::member(item, "body");
  request.id = text_of(item, "custom_id");
  if (request.id.empty()) return usage_error("custom_id is empty");
  request.kind = kind->member;
  request.model = text_of(body, "model");
  request.body = text::dump(body);
  if (const auto fault = model_fault(*kind, request.model)) return usage_error(*fault);
  return request;
}

}  // namespace

std::optional<Answer> read_items(const Call& call, std::vector<NewRequest>& requests) {
  // Piece by piece: a tree of the whole document would take ten times its size.
  const auto list = json_member(call.body, "batch_requests");
  if (!list || !list->starts_with('[')) return refuse_document(call);
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

}  // namespace svc::emulator::batches
