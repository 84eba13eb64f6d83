#include "client/error_body.h"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/api_error.h"
#include "client/credentials.h"
#include "json/document.h"
#include "json/text.h"

namespace svc {
namespace error_body {
namespace {

using nlohmann::json;

/// Larger bodies are no error documents: they are quoted, never parsed.
constexpr std::size_t k_max_error_document = 1U << 20U;

/// The members that may hold the message, the most specific one first.
Said directly_said_by(const json& document) {
  if (document.is_string()) return Said{.message = document.get<std::string>()};
  const json* error = error_member(document, "error");
  if (error != nullptr && error->is_object()) {
    Said said{error_text(*error, "message"), error_text(*error, "code"),
              error_text(*error, "param")};
    if (said.code.empty()) said.code = error_text(*error, "type");
    return said;
  }
  Said said{.code = error_text(document, "code"), .param = error_text(document, "param")};
  for (const char* name : {"error", "message", "detail"}) {
    if (said.message.empty()) said.message = error_text(document, name);
  }
  return said;
}

std::optional<json> parse_document(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.size() > k_max_error_document || check_json(text)) return std::nullopt;
  json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  return document;
}

void unwrap(Said& said) {
  if (!trim(said.message).starts_with('{')) return;
  const auto inner = parse_document(said.message);
  if (!inner) return;
  Said deeper = directly_said_by(*inner);
  if (deeper.message.empty()) return;
  said.message = std::move(deeper.message);
  if (said.code.empty()) said.code = std::move(deeper.code);
  if (said.param.empty()) said.param = std::move(deeper.param);
}

void move_markers(Said& said) {
  for (std::size_t begin = 0; (begin = said.message.find("[WKE=", begin)) != std::string::npos;) {
    const std::size_t end = said.message.find(']', begin);
    if (end == std::string::npos) return;
    if (!said.code.empty()) said.code += ' ';
    said.code += said.message.substr(begin, end + 1 - begin);
    said.message.erase(begin, end + 1 - begin);
  }
}

bool is_markup(std::string_view text) {
  return trim(text).starts_with('<') && text.find('>') != std::string_view::npos;
}

}  // namespace

Said said_by(const json& document) {
  Said said = directly_said_by(document);
  unwrap(said);
  move_markers(said);
  return said;
}

Said said_by(const http::HttpHead& head, std::string_view body, Secrets secrets) {
  Said said;
  if (const auto document = parse_document(replace_invalid_utf8(body))) {
    said = said_by(*document);
    // A document of another shape is shown as it is, rather than nothing.
    if (said.message.empty() && !document->empty()) said.message = body_excerpt(body, secrets);
  } else if (is_markup(body)) {
    said.message = "a web page instead of JSON: " + body_excerpt(body, secrets);
  } else {
    said.message = body;
    move_markers(said);
  }
  if (trim(said.message).empty()) said.message = header_of(head, "www-authenticate");
  return said;
}

const json* error_member(const json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string error_text(const json& object, const char* name) {
  const json* value = error_member(object, name);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  return compact_json(*value);
}

std::string_view header_of(const http::HttpHead& head, std::string_view name) {
  for (const Header& header : head.headers) {
    if (equals_ignore_case(header.name, name)) return header.value;
  }
  return {};
}

std::string redacted(std::string text, Secrets secrets, std::size_t max_bytes) {
  // Secrets go first: a cut could leave half of one.
  text = scrub(std::move(text), secrets);
  std::string line;
  for (const char c : text) {
    // A little more than is kept, so that excerpt() sees that something was cut.
    if (line.size() > max_bytes + 8) break;
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return shown(trim(line), max_bytes);
}

}  // namespace error_body

std::string request_id_of(const http::HttpHead& head, std::span<const std::string> secrets) {
  std::string_view id = error_body::header_of(head, "x-request-id");
  if (id.empty()) id = error_body::header_of(head, "x-trace-id");
  return error_body::redacted(std::string(id), secrets, error_body::k_max_code_bytes);
}

std::string body_excerpt(std::string_view body, std::span<const std::string> secrets) {
  constexpr std::size_t excerpt_bytes = 200;
  return error_body::redacted(std::string(body), secrets, excerpt_bytes);
}

}  // namespace svc
