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

Response error_response(Code code, sv message, sv marker) {
  Response response;
  for (const auto& [row_code, status] : k_statuses) {
    if (row_code == code) response.status = status;
  }
  response.body = error_body(
      code, marker.empty() ? std::string(message) : fmt::format("{} [WKE={}]\n", message, marker));
  return response;
}

Response invalid_field_error(sv field, sv reason, sv rule) {
  return error_response(Code::InvalidArgument, fmt::format("{}: {}", field, reason),
                        fmt::format("form-invalid:{}:{}", rule, field));
}

Response empty_field_error(sv field) {
  return invalid_field_error(field, "Field is empty but must not be empty.", "not-empty");
}

Response not_found_error(sv what, sv id, sv where) {
  return error_response(Code::NotFound,
                        fmt::format("{} {} not found{}.", what, excerpt(id, 60), where),
                        "not-found:" + replace_all(to_lower(what), " ", "-"));
}

Response team_access_error(sv team_id) {
  return error_response(
      Code::PermissionDenied,
      fmt::format("The management key has no access to team {}.", excerpt(team_id, 60)),
      "unauthorized:wrong-team");
}

Response unauthenticated_error(sv message) {
  Response response =
      error_response(Code::Unauthenticated, message, "unauthenticated:bad-credentials");
  response.headers.push_back({"www-authenticate", std::string(message)});
  return response;
}

Response to_management_error(Response error) {
  if (error.status < 400 || error.content_type != "application/json") return error;
  const Json body = text::parse_json(error.body);
  if (text::member(body, "error") == nullptr) return error;
  error.body = error_body(code_of_status(error.status), text::get_string(body, "error"));
  return error;
}

Checked<Json> read_body(const Request& request, const text::Type& type) {
  Json body = text::parse_json(request.body);
  if (!body.is_object()) {
    return error_response(Code::InvalidArgument,
                          "proto: syntax error: the body is not a JSON object.");
  }
  const auto error = text::check_type(body, type, request.body);
  if (!error) return body;
  return error_response(Code::InvalidArgument,
                        fmt::format("proto: (line {}:{}): invalid value for field {}: {}",
                                    error->line, error->column, error->path, error->reason));
}

std::optional<std::int64_t> get_int64(const Json& object, sv name) {
  const Json* value = text::member(object, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return parse_integer(value->get_ref<const std::string&>());
  return text::get_integer(object, name);
}

Checked<std::optional<std::int64_t>> query_number(const Request& request, sv name,
                                                  std::int64_t minimum, std::int64_t maximum) {
  const auto text = request.query_value(name);
  if (!text || text->empty()) return std::optional<std::int64_t>{};
  const auto number = parse_integer(*text);
  if (number && *number >= minimum && *number <= maximum) return number;
  return invalid_field_error(
      name,
      fmt::format("{} is not a whole number from {} to {}.", excerpt(*text, 40), minimum, maximum),
      "range");
}

Checked<std::optional<std::int64_t>> time_of(sv field, sv text) {
  const auto time = parse_rfc3339(text);
  if (time || text.empty()) return time;
  return invalid_field_error(
      field, fmt::format("{} is not a time such as 2027-01-01T00:00:00Z.", excerpt(text, 40)),
      "timestamp");
}

}  // namespace svc::emulator::management
