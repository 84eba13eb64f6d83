#include "emulator/account/management.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "json/text.h"

namespace svc::emulator::management {
namespace {

struct Row {
  Code code;
  int status;
};
// As mapped by gRPC gateways; 3, 8 and 16 were observed.
constexpr std::array k_statuses = {
    Row{Code::InvalidArgument, 400},   Row{Code::NotFound, 404},
    Row{Code::AlreadyExists, 409},     Row{Code::PermissionDenied, 403},
    Row{Code::ResourceExhausted, 429}, Row{Code::FailedPrecondition, 400},
    Row{Code::Unimplemented, 405},     Row{Code::Internal, 500},
    Row{Code::Unauthenticated, 401}};

Code code_of_status(int status) {
  for (const auto& [code, http] : k_statuses) {
    if (http == status) return code;
  }
  return status < 500 ? Code::InvalidArgument : Code::Internal;
}

std::string error_body(Code code, sv message) {
  return fmt::format(R"({{"code":{},"message":{},"details":[]}})", static_cast<int>(code),
                     json_quote(message));
}

}  // namespace

Answer refuse(Code code, sv message, sv marker) {
  Answer answer;
  for (const auto& [row_code, status] : k_statuses) {
    if (row_code == code) answer.status = status;
  }
  answer.body = error_body(
      code, marker.empty() ? std::string(message) : fmt::format("{} [WKE={}]\n", message, marker));
  return answer;
}

Answer refuse_field(sv field, sv reason, sv rule) {
  return refuse(Code::InvalidArgument, fmt::format("{}: {}", field, reason),
                fmt::format("form-invalid:{}:{}", rule, field));
}

Answer refuse_empty(sv field) {
  return refuse_field(field, "Field is empty but must not be empty.", "not-empty");
}

Answer refuse_missing(sv what, sv id, sv where) {
  return refuse(Code::NotFound, fmt::format("{} {} not found{}.", what, excerpt(id, 60), where),
                "not-found:" + replace_all(to_lower(what), " ", "-"));
}

Answer refuse_team(sv team_id) {
  return refuse(Code::PermissionDenied,
                fmt::format("The management key has no access to team {}.", excerpt(team_id, 60)),
                "unauthorized:wrong-team");
}

Answer refuse_key(sv sentence) {
  Answer answer = refuse(Code::Unauthenticated, sentence, "unauthenticated:bad-credentials");
  answer.headers.push_back({"www-authenticate", std::string(sentence)});
  return answer;
}

Answer restyle(Answer refusal) {
  if (refusal.status < 400 || refusal.content_type != "application/json") return refusal;
  const Json body = text::parse_json(refusal.body);
  if (text::member(body, "error") == nullptr) return refusal;
  refusal.body = error_body(code_of_status(refusal.status), text::text_of(body, "error"));
  return refusal;
}

Checked<Json> read_body(const Call& call, const text::Type& type) {
  Json body = text::parse_json(call.body);
  if (!body.is_object()) {
    return refuse(Code::InvalidArgument, "proto: syntax error: the body is not a JSON object.");
  }
  const auto fault = text::check_type(body, type, call.body);
  if (!fault) return body;
  return refuse(Code::InvalidArgument,
                fmt::format("proto: (line {}:{}): invalid value for field {}: {}", fault->line,
                            fault->column, fault->path, fault->reason));
}

std::optional<std::int64_t> int64_of(const Json& object, sv name) {
  const Json* value = text::member(object, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return parse_integer(value->get_ref<const std::string&>());
  return text::integer_of(object, name);
}

Checked<std::optional<std::int64_t>> query_number(const Call& call, sv name, std::int64_t least,
                                                  std::int64_t most) {
  const auto text = call.query_value(name);
  if (!text || text->empty()) return std::optional<std::int64_t>{};
  const auto number = parse_integer(*text);
  if (number && *number >= least && *number <= most) return number;
  return refuse_field(
      name, fmt::format("{} is not a whole number from {} to {}.", excerpt(*text, 40), least, most),
      "range");
}

Checked<std::optional<std::int64_t>> time_of(sv field, sv text) {
  const auto time = parse_rfc3339(text);
  if (time || text.empty()) return time;
  return refuse_field(
      field, fmt::format("{} is not a time such as 2027-01-01T00:00:00Z.", excerpt(text, 40)),
      "timestamp");
}

}  // namespace svc::emulator::management
