#include "request/show.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/files.h"
#include "base/text.h"
#include "json/document.h"
#include "json/text.h"
#include "request/media.h"

namespace svc::request {

namespace {

constexpr std::size_t k_max_shown_length = 200;

bool is_bulky(std::string_view text) {
  if (text.size() <= k_max_shown_length) return false;
  if (text.starts_with("data:")) return true;
  return text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == sv::npos;
}

void shorten(OrderedJson& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (is_bulky(text)) value = fmt::format("{}… ({} characters)", text.substr(0, 60), text.size());
    return;
  }
  if (value.is_structured()) {
    for (OrderedJson& element : value) shorten(element);
  }
}

/// The Authorization header, with the environment variable of the host's key; "" for a host without
/// a key.
std::string authorization(const Request& request) {
  const Host host = request.operation->host;
  if (request.keyless || host == Host::Docs || host == Host::Local) return {};
  return fmt::format("Bearer ${}",
                     host == Host::Management ? "SVC_MANAGEMENT_API_KEY" : "SVC_API_KEY");
}

std::string part_text(const Part& part) {
  if (const auto* file = std::get_if<FileSource>(&part.content)) {
    return fmt::format("@{} ({}, {})", file->path, part.content_type, format_bytes(file->size));
  }
  return std::get<std::string>(part.content);
}

/// The start of a file's base64, and its full length.
std::string base64_excerpt(const FileSource& file) {
  constexpr std::size_t k_shown_bytes = 45;
  const Result<std::string> start = read_prefix(file.path, k_shown_bytes);
  std::string encoded = start ? base64_encode(*start) : std::string();
  if (file.size <= k_shown_bytes) return encoded;
  return fmt::format("{}… ({} characters)", encoded, base64_length(file.size));
}

/// The sections of a body for display, with only the start of each file.
std::string sections_text(const std::vector<BodySection>& sections) {
  std::string text;
  for (const BodySection& section : sections) {
    if (const auto* part = std::get_if<std::string>(&section)) text += *part;
    if (const auto* file = std::get_if<Base64Source>(&section)) text += base64_excerpt(file->file);
  }
  return text;
}

std::string json_text(const std::string& text) {
  OrderedJson value = OrderedJson::parse(text, nullptr, false);
  if (value.is_discarded()) return text;
  shorten(value);
  return value.dump(2);
}

std::string body_text(const Payload& body) {
  if (const auto* sections = std::get_if<std::vector<BodySection>>(&body)) {
    return json_text(sections_text(*sections));
  }
  if (const auto* text = std::get_if<std::string>(&body)) return json_text(*text);
  if (const auto* parts = std::get_if<std::vector<Part>>(&body)) {
    std::string out;
    for (const Part& part : *parts) {
      if (!out.empty()) out += '\n';
      out += fmt::format("{}: {}", part.name, part_text(part));
    }
    return out;
  }
  if (const auto* file = std::get_if<FileSource>(&body)) {
    return fmt::format("@{} ({})", file->path, format_bytes(file->size));
  }
  return {};
}

/// The text of a body in memory or made of sections.
std::optional<std::string> text_of(const Payload& body) {
  if (const auto* text = std::get_if<std::string>(&body)) return *text;
  if (!std::holds_alternative<std::vector<BodySection>>(body)) return std::nullopt;
  Result<std::string> whole = complete_body(body);
  return whole ? *std::move(whole) : std::string();
}

OrderedJson body_json(const Payload& body) {
  if (const auto text = text_of(body)) {
    OrderedJson value = OrderedJson::parse(*text, nullptr, false);
    return value.is_discarded() ? OrderedJson(*text) : value;
  }
  if (const auto* parts = std::get_if<std::vector<Part>>(&body)) {
    OrderedJson form = OrderedJson::array();
    for (const Part& part : *parts)
      form.push_back({{"name", part.name}, {"value", part_text(part)}});
    return form;
  }
  if (std::holds_alternative<FileSource>(body)) return body_text(body);
  return nullptr;
}

/// A form value for curl -F: quotes keep `;`, `,` and `@` literal.
std::string form_argument(const Part& part) {
  const auto quote = [](std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  };
  if (const auto* file = std::get_if<FileSource>(&part.content)) {
    return fmt::format(
        "-F {}", shell_quote(fmt::format("{}=@{};filename={};type={}", part.name, quote(file->path),
                                         quote(part.file_name), part.content_type)));
  }
  return fmt::format(
      "--form-string {}",
      shell_quote(fmt::format("{}={}", part.name, std::get<std::string>(part.content))));
}

/// Arguments longer than the kernel's limit are passed through standard input.
constexpr std::size_t k_max_argument = 100'000;

/// The same JSON, with characters that could control a terminal escaped.
std::string terminal_safe(const std::string& body) {
  std::string out;
  const JsonStyle style{.layout = JsonLayout::Compact, .escape_controls = true};
  if (reformat_json(body, style, [&](std::string_view text) { out += text; })) return body;
  return out;
}

std::string here_document(const std::string& text) {
  std::string mark = "SVC_BODY";
  while (text.find(mark) != std::string::npos) mark += '_';
  return fmt::format(" \\\n  --data-binary @- <<'{0}'\n{1}\n{0}", mark, text);
}

/// A body as one shell word, in which the shell expands variables.
std::string body_argument(const std::string& json, const std::vector<std::string>& variables) {
  std::string word = shell_quote(json);
  for (const std::string& variable : variables) {
    word = replace_all(std::move(word), fmt::format("\"{}\"", variable),
                       fmt::format("\"'\"{}\"'\"", variable));
  }
  return word;
}

std::string curl_body(const Request& request) {
  const Payload& body = request.body;
  if (const auto text = text_of(body)) {
    const std::string json = terminal_safe(*text);
    if (json.size() > k_max_argument) return here_document(json);
    return fmt::format(" \\\n  --data-raw {}", body_argument(json, request.variables));
  }
  if (const auto* file = std::get_if<FileSource>(&body)) {
    return fmt::format(" \\\n  --data-binary {}", shell_quote("@" + file->path));
  }
  std::string out;
  if (const auto* parts = std::get_if<std::vector<Part>>(&body)) {
    for (const Part& part : *parts) out += " \\\n  " + form_argument(part);
  }
  return out;
}

/// An unconfigured URL or team appears as a variable for the shell to expand; the rest is quoted.
std::string curl_url(const Request& request) {
  std::string out;
  std::string_view rest = request.url;
  if (rest.starts_with('$')) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    out = fmt::format("\"{}\"", rest.substr(0, slash));
    rest.remove_prefix(slash);
  }
  const std::size_t team = request.operation->path.find("{team") == sv::npos
                               ? std::string_view::npos
                               : rest.find(k_team_variable);
  if (team != std::string_view::npos) {
    out += fmt::format("{}\"{}\"", shell_quote(rest.substr(0, team)), k_team_variable);
    rest.remove_prefix(team + k_team_variable.size());
  }
  if (!rest.empty() || out.empty()) out += shell_quote(rest);
  return out;
}

/// A header as one shell word, with a variable at its end. For curl, "Name:" removes a header and
/// "Name;" is an empty one.
std::string header_argument(const Header& header, const std::vector<std::string>& variables) {
  if (header.value.empty()) return shell_quote(header.name + ";");
  const std::string line = fmt::format("{}: {}", header.name, header.value);
  for (const std::string& variable : variables) {
    if (!line.ends_with(variable)) continue;
    return fmt::format("{}\"{}\"", shell_quote(line.substr(0, line.size() - variable.size())),
                       variable);
  }
  return shell_quote(line);
}

std::string curl_method(const Request& request) {
  const bool has_body = !std::holds_alternative<std::monostate>(request.body);
  if (request.method == (has_body ? "POST" : "GET")) return {};
  if (request.method == "HEAD") return " -I";
  return fmt::format(" -X {}", request.method);
}

}  // namespace

std::string show_request(const Request& request) {
  std::string out = fmt::format("{} {}\n", request.method, request.url);
  if (const std::string key = authorization(request); !key.empty()) {
    out += fmt::format("Authorization: {}\n", key);
  }
  for (const Header& header : request.headers) {
    out += fmt::format("{}: {}\n", header.name, header.value);
  }
  if (const std::string body = body_text(request.body); !body.empty()) {
    out += fmt::format("\n{}\n", body);
  }
  return out;
}

std::string show_request_json(const Request& request) {
  OrderedJson headers = OrderedJson::object();
  if (const std::string key = authorization(request); !key.empty()) headers["Authorization"] = key;
  for (const Header& header : request.headers) headers[header.name] = header.value;
  return OrderedJson{{"method", request.method},
                     {"url", request.url},
                     {"headers", std::move(headers)},
                     {"body", body_json(request.body)}}
      .dump();
}

std::string show_curl(const Request& request) {
  std::string out = "curl";
  if (request.stream) out += " -N";
  const bool form = std::holds_alternative<std::vector<Part>>(request.body);
  // Disables curl's globbing of brackets and braces.
  if (request.url.find_first_of("[]{}") != std::string::npos) out += " -g";
  out += curl_method(request);
  out += fmt::format(" {}", curl_url(request));
  // Double quotes, so that the shell inserts the key; the key itself is never printed.
  if (const std::string key = authorization(request); !key.empty()) {
    out += fmt::format(" \\\n  -H \"Authorization: {}\"", key);
  }
  for (const Header& header : request.headers) {
    if (form && equals_ignore_case(header.name, "content-type")) continue;
    out += fmt::format(" \\\n  -H {}", header_argument(header, request.variables));
  }
  out += curl_body(request);
  out += '\n';
  return out;
}

}  // namespace svc::request
