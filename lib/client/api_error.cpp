#include "client/api_error.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "client/credentials.h"
#include "http/retry.h"
#include "json/document.h"
#include "json/text.h"

namespace svc {
namespace {

using nlohmann::json;
using Secrets = std::span<const std::string>;

constexpr std::size_t k_max_message_bytes = 2000;
constexpr std::size_t k_max_code_bytes = 200;
/// A larger body is not an error document: it is quoted, not parsed.
constexpr std::size_t k_max_error_document = 1U << 20U;

/// The service's own words, unchanged and not yet safe to print.
struct ServiceError {
  std::string text{};
  std::string code{};
  std::string param{};
};

/// A field as text: strings unchanged, other values as JSON; "" if it is absent or null.
std::string error_text(const json& object, const char* name) {
  const json& value = member(object, name);
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : compact_json(value);
}

/// Reads the fields that may contain the message, the most specific first.
ServiceError read_error_fields(const json& document) {
  if (document.is_string()) return ServiceError{.text = document.get<std::string>()};
  if (const json& error = member(document, "error"); error.is_object()) {
    ServiceError service_error{error_text(error, "message"), error_text(error, "code"),
                               error_text(error, "param")};
    if (service_error.code.empty()) service_error.code = error_text(error, "type");
    return service_error;
  }
  ServiceError service_error{.code = error_text(document, "code"),
                             .param = error_text(document, "param")};
  for (const char* name : {"error", "message", "detail"}) {
    if (service_error.text.empty()) service_error.text = error_text(document, name);
  }
  return service_error;
}

std::optional<json> parse_document(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.size() > k_max_error_document || check_json(text)) return std::nullopt;
  json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  return document;
}

void unwrap(ServiceError& service_error) {
  if (!trim(service_error.text).starts_with('{')) return;
  const auto inner = parse_document(service_error.text);
  if (!inner) return;
  ServiceError deeper = read_error_fields(*inner);
  if (deeper.text.empty()) return;
  service_error.text = std::move(deeper.text);
  if (service_error.code.empty()) service_error.code = std::move(deeper.code);
  if (service_error.param.empty()) service_error.param = std::move(deeper.param);
}

void move_markers(ServiceError& service_error) {
  for (std::size_t begin = 0; (begin = service_error.text.find("[WKE=")) != std::string::npos;) {
    const std::size_t end = service_error.text.find(']', begin);
    if (end == std::string::npos) return;
    if (!service_error.code.empty()) service_error.code += ' ';
    service_error.code += service_error.text.substr(begin, end + 1 - begin);
    service_error.text.erase(begin, end + 1 - begin);
  }
}

bool is_markup(std::string_view text) {
  return trim(text).starts_with('<') && text.find('>') != std::string_view::npos;
}

/// The message of a document: its field `error`, `message` or `detail`, or the document itself if
/// it is a string. A message that is an error document is unwrapped once; `[WKE=…]` markers are
/// appended to the code.
ServiceError read_service_error(const json& document) {
  ServiceError service_error = read_error_fields(document);
  unwrap(service_error);
  move_markers(service_error);
  return service_error;
}

/// The message of a response, whose body may be plain text, HTML or empty.
ServiceError read_service_error(const http::HttpHead& head, std::string_view body,
                                Secrets secrets) {
  ServiceError service_error;
  if (const auto document = parse_document(replace_invalid_utf8(body))) {
    service_error = read_service_error(*document);
    // An unknown kind of document is quoted rather than dropped.
    if (service_error.text.empty() && !document->empty())
      service_error.text = body_excerpt(body, secrets);
  } else if (is_markup(body)) {
    service_error.text = "an HTML page instead of JSON: " + body_excerpt(body, secrets);
  } else {
    service_error.text = body;
    move_markers(service_error);
  }
  if (trim(service_error.text).empty())
    service_error.text = head.header("www-authenticate").value_or("");
  return service_error;
}

/// The meaning of a status for the user: the class, the words before the service's own, and what to
/// do next.
struct Meaning {
  Fault fault;
  std::string_view words;
  std::string_view hint;
  Cause cause = Cause::None;
};

constexpr Meaning k_rejected_key{
    Fault::Auth, "the service refused the key",
    "`svc auth status` shows which key was used; `svc auth login` stores another one."};
constexpr Meaning k_no_credits{
    Fault::Limited, "credits or a spending limit are used up",
    "Trying again does not help: add credits or raise the spending limit.", Cause::CreditsUsedUp};

constexpr std::array<std::pair<int, Meaning>, 8> k_status_meanings = {{
    {403,
     {Fault::Auth, "the service does not permit this",
      "The key is valid but lacks this permission; `svc keys self` shows its permissions and "
      "whether it or its team is blocked."}},
    {404,
     {Fault::NotFound, "not found on the service",
      "Check the ID or model name, and the URL with `svc doctor`."}},
    {429, {Fault::Limited, "too many requests", "Try again later.", Cause::Passing}},
    {405, {Fault::Service, "the service does not allow this method here", ""}},
    {408, {Fault::Service, "the service timed out reading the request", ""}},
    {409, {Fault::Service, "the request conflicts with existing data", ""}},
    {413, {Fault::Service, "the request is too large for the service", ""}},
    {422, {Fault::Service, "the service could not process the request", ""}},
}};

bool mentions_credits(std::string_view text) {
  return contains_ignore_case(text, "credits") || contains_ignore_case(text, "spending limit") ||
         contains_ignore_case(text, "insufficient_quota");
}

Meaning meaning_of_server_error(int status) {
  if (status == 501 || status == 505) return {Fault::Service, "not supported by the service", ""};
  std::string_view words = "the service failed";
  if (status == 503) words = "the service is unavailable";
  if (status == 529) words = "the service is overloaded";
  if (status == 502 || status == 504) words = "a gateway of the service failed";
  return {Fault::Service, words, "Try again later.", Cause::Passing};
}

Meaning meaning_of(int status, const ServiceError& service_error) {
  const bool bad_key = contains_ignore_case(service_error.text, "incorrect api key");
  if (status == 401 || (status == 400 && bad_key)) return k_rejected_key;
  const bool credits = mentions_credits(service_error.text) || mentions_credits(service_error.code);
  if (status == 402 || (status == 429 && credits)) return k_no_credits;
  if (status >= 500) return meaning_of_server_error(status);
  for (const auto& [refused, meaning] : k_status_meanings) {
    if (status == refused) return meaning;
  }
  return {Fault::Service, "the service refused the request",
          contains_ignore_case(service_error.text, "model not found")
              ? "`svc models` lists the team's models."
              : ""};
}

std::string limit_hint(const http::HttpHead& head) {
  const auto pause = http::parse_retry_after(head.headers, unix_now());
  return pause ? fmt::format("Try again after {}.", format_duration(*pause)) : "Try again later.";
}

/// Combines prefix, the service's message, and the parameter unless the message mentions it.
std::string sentence(std::string_view words, int status, const ServiceError& service_error,
                     Secrets secrets) {
  std::string out(words);
  if (status != 0) out += fmt::format(" (HTTP {})", status);
  const std::string message = redacted(service_error.text, secrets, k_max_message_bytes);
  if (!message.empty()) out += ": " + message;
  const std::string param = redacted(service_error.param, secrets, k_max_code_bytes);
  if (!param.empty() && message.find(param) == std::string::npos) {
    out += fmt::format(" (parameter {})", param);
  }
  return out;
}

Error redirect_error(const http::HttpHead& head, Secrets secrets) {
  const std::string target =
      redacted(std::string(head.header("location").value_or("")), secrets, 300);
  return Error{
      Fault::Network,
      fmt::format("the service responded with a redirect (HTTP {}){}, which is not followed",
                  head.status, target.empty() ? target : " to " + target),
      "Check the service's URL with `svc doctor`."};
}

/// The HTTP status equivalent to a code in a body (gRPC numbers and names), or 0.
int status_of_code(std::string_view code) {
  if (const auto number = parse_integer(code)) {
    constexpr std::array<int, 17> grpc = {0,   499, 500, 400, 504, 404, 409, 403, 429,
                                          400, 409, 400, 501, 500, 503, 500, 401};
    if (*number >= 0 && *number < static_cast<std::int64_t>(grpc.size())) {
      return grpc[static_cast<std::size_t>(*number)];
    }
    return *number >= 400 && *number <= 599 ? static_cast<int>(*number) : 0;
  }
  struct Word {
    std::string_view part;
    int status;
  };
  constexpr std::array<Word, 12> words = {{{"exhausted", 429},
                                           {"rate_limit", 429},
                                           {"quota", 429},
                                           {"not_found", 404},
                                           {"permission", 403},
                                           {"invalid_api_key", 401},
                                           {"authentication", 401},
                                           {"unauthenticated", 401},
                                           {"unavailable", 503},
                                           {"overloaded", 529},
                                           {"internal", 500},
                                           {"server_error", 500}}};
  std::string normal = replace_all(replace_all(to_lower(code), "-", "_"), " ", "_");
  for (const Word& word : words) {
    if (normal.find(word.part) != std::string::npos) return word.status;
  }
  return 0;
}

/// The ID of the file that the service's text names, or "": no member of its errors has it.
std::string file_named_in(const std::string& text) {
  const std::size_t begin = text.find("file_");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_first_of(" ,;:.'\"", begin) - begin);
}

/// The error that the meaning gives to what the service says.
Error error_of(const Meaning& meaning, int status, const ServiceError& service_error,
               Secrets secrets) {
  Error error{.fault = meaning.fault,
              .message = sentence(meaning.words, status, service_error, secrets),
              .hint = std::string(meaning.hint),
              .code = redacted(service_error.code, secrets, k_max_code_bytes),
              .cause = meaning.cause,
              .states_status = status != 0};
  error.states_code =
      contains_word(meaning.words, error.code) || contains_word(service_error.text, error.code);
  if (error.fault != Fault::NotFound) return error;
  error.subject = file_named_in(service_error.text);
  if (!error.subject.empty()) error.cause = Cause::MissingFile;
  return error;
}

Error job_error(const ServiceError& service_error, std::string_view what, int http_status,
                Secrets secrets) {
  Error error{Fault::RemoteJob,
              sentence(fmt::format("the {} failed", what), 0, service_error, secrets), "",
              http_status, redacted(service_error.code, secrets, k_max_code_bytes)};
  error.states_code = contains_word(service_error.text, error.code);
  return error;
}

bool has_failed(const json& body) {
  const std::string status = error_text(body, "status");
  return status == "failed" || status == "expired";
}

}  // namespace

Error api_error(const http::HttpHead& head, std::string_view body,
                std::span<const std::string> secrets) {
  Error error;
  const std::string request_id = request_id_of(head, secrets);
  if (head.status >= 300 && head.status < 400) {
    error = redirect_error(head, secrets);
  } else {
    const ServiceError service_error = read_service_error(head, body, secrets);
    const Meaning meaning = meaning_of(head.status, service_error);
    error = error_of(meaning, head.status, service_error, secrets);
    error.states_request_id = contains_word(service_error.text, request_id);
    if (head.status == 429 && meaning.cause == Cause::Passing) error.hint = limit_hint(head);
  }
  error.http_status = head.status;
  error.request_id = request_id;
  return error;
}

std::optional<Error> error_in_body(const nlohmann::json& body, std::span<const std::string> secrets,
                                   int http_status) {
  if (!body.is_object()) return std::nullopt;
  const std::string type = error_text(body, "type");
  if (type == "response.failed") {
    const json& response = member(body, "response");
    return job_error(read_service_error(response.is_null() ? body : response), "response",
                     http_status, secrets);
  }
  const json& error = member(body, "error");
  const bool has_error = error.is_string() ? !error.get_ref<const std::string&>().empty()
                                           : error.is_object() && !error.empty();
  if (!has_error && type != "error") return std::nullopt;

  const ServiceError service_error = read_service_error(body);
  if (has_failed(body)) {
    const bool response = error_text(body, "object") == "response";
    return job_error(service_error, response ? "response" : "job", http_status, secrets);
  }
  const int status = status_of_code(service_error.code);
  const Meaning meaning = status != 0
                              ? meaning_of(status, service_error)
                              : Meaning{Fault::Service, "the service reported an error", ""};
  Error found = error_of(meaning, 0, service_error, secrets);
  found.http_status = http_status;
  return found;
}

std::string without_secrets_in_error(std::string_view message,
                                     std::span<const std::string> secrets) {
  const auto has = [&](std::string_view word) {
    return message.find(word) != std::string_view::npos;
  };
  std::string text(message);
  if (!has("error") && !has("failed")) return text;
  return error_in_body(parse_reply(message), secrets) ? scrub(std::move(text), secrets) : text;
}

Error unexpected_answer(std::string_view expected, std::string_view got) {
  return Error{.fault = Fault::Network,
               .message = fmt::format("expected {} in the response, got {}", expected, got),
               .hint =
                   "Something between here and the service may have changed it; check the URL "
                   "with `svc doctor`.",
               .may_have_run = true};
}

void hint_for_management(Error& error, std::string_view body) {
  if (error.http_status == 401) {
    error.hint =
        "This host requires a management key, not an API key: `svc auth status` shows which one "
        "was used, `svc auth login --management` stores another.";
  } else if (error.http_status == 403) {
    error.hint =
        "The management key is valid but lacks this permission; the web console grants it, under "
        "Management Keys.";
  } else if (error.http_status == 404 && is_markup(body)) {
    error.hint =
        "This may be the wrong host: check management_url, which must have no path, with `svc "
        "doctor`.";
  }
}

std::string redacted(std::string text, Secrets secrets, std::size_t max_bytes) {
  // Masks secrets before truncating, which could leave half of one.
  text = scrub(std::move(text), secrets);
  std::string line;
  for (const char c : text) {
    // Slightly more than max_bytes, so that excerpt() detects the truncation.
    if (line.size() > max_bytes + 8) break;
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return shown(trim(line), max_bytes);
}

std::string request_id_of(const http::HttpHead& head, std::span<const std::string> secrets) {
  std::string_view id = head.header("x-request-id").value_or("");
  if (id.empty()) id = head.header("x-trace-id").value_or("");
  return redacted(std::string(id), secrets, k_max_code_bytes);
}

std::string body_excerpt(std::string_view body, std::span<const std::string> secrets) {
  constexpr std::size_t excerpt_bytes = 200;
  return redacted(std::string(body), secrets, excerpt_bytes);
}

}  // namespace svc
