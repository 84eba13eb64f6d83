#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/account/models.h"
#include "emulator/handler/routes.h"
#include "emulator/json/json.h"
#include "emulator/json/locate.h"
#include "emulator/model/tokenizer.h"
#include "json/text.h"

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

// Written by hand: as a tree of JSON values a long text would take a hundred times its size.
Answer token_list(std::string_view content) {
  Answer answer;
  std::string& body = answer.body;
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
  const std::string content = text::text_of(body, "text");
  const auto count = static_cast<std::int64_t>(count_tokens(content));
  if (count > model->context_length) {
    return refuse(400, "Client specified an invalid argument",
                  fmt::format("This model's maximum prompt length is {} but the request contains "
                              "{} tokens.",
                              model->context_length, count));
  }
  return token_list(content);
}

}  // namespace

std::vector<Route> tokenize_routes() {
  return {{"POST", "/v1/tokenize-text", post_tokenize, "tokenize"}};
}

}  // namespace svc::emulator
