#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account.h"
#include "emulator/models.h"
#include "emulator/text/json.h"
#include "emulator/text/locate.h"
#include "emulator/tokenizer.h"

namespace svc::emulator {
namespace {

using text::Json;

enum class Need : std::uint8_t { Required, Optional };

Answer refuse_at(const Call& call, const std::vector<text::Step>& path, const std::string& reason) {
  const text::Position position = text::locate(call.body, path);
  return refuse_schema(text::describe_path(path), reason, position.line, position.column);
}

// The refusal of a member that is no string, or nothing.
std::optional<Answer> check_string(const Call& call, const Json& body, const char* name,
                                   Need need) {
  const auto found = body.find(name);
  if (found == body.end()) {
    if (need == Need::Optional) return std::nullopt;
    return refuse_at(call, {}, fmt::format("missing field `{}`", name));
  }
  if (found->is_string() || (need == Need::Optional && found->is_null())) return std::nullopt;
  return refuse_at(call, {std::string(name)},
                   fmt::format("invalid type: {}, expected a string", found->type_name()));
}

Answer token_list(std::string_view content) {
  Json list = Json::array();
  for (const Token& token : tokenize(content)) {
    Json bytes = Json::array();
    for (const char byte : token.text) bytes.push_back(static_cast<unsigned char>(byte));
    list.push_back(
        {{"token_id", token.id}, {"string_token", token.text}, {"token_bytes", std::move(bytes)}});
  }
  Answer answer;
  answer.body = text::dump(Json{{"token_ids", std::move(list)}});
  return answer;
}

Answer post_tokenize(const Call& call) {
  const Json body = text::parse_json(call.body);
  if (!body.is_object()) {
    return refuse_at(call, {},
                     fmt::format("invalid type: {}, expected an object", body.type_name()));
  }
  if (auto refusal = check_string(call, body, "text", Need::Required)) return *refusal;
  if (auto refusal = check_string(call, body, "model", Need::Required)) return *refusal;
  if (auto refusal = check_string(call, body, "user", Need::Optional)) return *refusal;
  const std::string name = text::text_of(body, "model");
  const Model* model = find_model(name);
  if (model == nullptr) {
    return refuse(400, "Client specified an invalid argument",
                  fmt::format("Model not found: {}", name));
  }
  if (!may_use_model(call.key, model->name)) return refuse_model(model->name);
  return token_list(text::text_of(body, "text"));
}

}  // namespace

std::vector<Route> tokenize_routes() {
  return {{"POST", "/v1/tokenize-text", post_tokenize, "tokenize"}};
}

}  // namespace svc::emulator
