#include "request/show.h"

#include <algorithm>
#include <filesystem>

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

/// Whether a request with that method says how long its body is even if it has none.
bool sends_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

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

std::string file_name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string part_text(const Part& part) {
  if (const auto* file = std::get_if<FileSource>(&part.content)) {
    const bool renamed = part.file_name != file_name_of(file->path);
    return fmt::format("@{} ({}{}, {})", file->path,
                       renamed ? fmt::format("as {}, ", part.file_name) : std::string(),
                       part.content_type, format_bytes(file->size));
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

/// Names the variables in text for people and programs.
std::string named(std::string text, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    text = replace_all(std::move(text), variable.mark, variable.name);
  }
  return text;
}

/// Text as one shell word, in which the shell expands the variables.
std::string shell_word(std::string_view text, const std::vector<Variable>& variables) {
  std::string word;
  while (true) {
    std::size_t at = text.size();
    const Variable* next = nullptr;
    for (const Variable& variable : variables) {
      if (const std::size_t found = text.find(variable.mark); found < at) {
        at = found;
        next = &variable;
      }
    }
    if (at != 0 || (word.empty() && next == nullptr)) word += shell_quote(text.substr(0, at));
    if (next == nullptr) return word;
    word += fmt::format("\"{}\"", next->name);
    text.remove_prefix(at + next->mark.size());
  }
}

/// The text of a body in memory or made of sections.
std::optional<std::string> text_of(const Payload& body) {
  if (const auto* text = std::get_if<std::string>(&body)) return *text;
  if (!std::holds_alternative<std::vector<BodySection>>(body)) return std::nullopt;
  Result<std::string> whole = complete_body(body);
  return whole ? *std::move(whole) : std::string();
}

/// The body as JSON text; one that is JSON is not changed.
std::string body_json(const Payload& body) {
  if (auto text = text_of(body)) return check_json(*text) ? json_quote(*text) : *std::move(text);
  if (const auto* parts = std::get_if<std::vector<Part>>(&body)) {
    OrderedJson form = OrderedJson::array();
    for (const Part& part : *parts) {
      OrderedJson shown = {{"name", part.name}, {"value", part_text(part)}};
      if (!part.file_name.empty()) shown["filename"] = part.file_name;
      form.push_back(std::move(shown));
    }
    return compact_json(form);
  }
  if (std::holds_alternative<FileSource>(body)) return json_quote(body_text(body));
  return "null";
}

/// How curl gets a body: its arguments, and what is piped to its standard input.
struct CurlBody {
  std::string arguments{};
  std::string input{};  ///< a shell word
};

/// Arguments longer than the kernel's limit are passed through standard input.
constexpr std::size_t k_max_argument = 100'000;

/// A form value for curl -F: quotes keep `;`, `,` and `@` literal.
std::string form_argument(const Part& part, const std::vector<Variable>& variables,
                          std::string& input) {
  const auto quote = [](std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  };
  const auto file_argument = [&](std::string_view path) {
    const std::string type =
        part.content_type.empty() ? std::string() : ";type=" + part.content_type;
    return fmt::format("-F {}", shell_quote(fmt::format("{}=@{};filename={}{}", part.name,
                                                        path == "-" ? "-" : quote(path),
                                                        quote(part.file_name), type)));
  };
  if (const auto* file = std::get_if<FileSource>(&part.content)) return file_argument(file->path);
  const auto& text = std::get<std::string>(part.content);
  if (!part.file_name.empty()) {
    input = shell_quote(text);
    return file_argument("-");
  }
  return fmt::format("--form-string {}",
                     shell_word(fmt::format("{}={}", part.name, text), variables));
}

/// The same JSON, with characters that could control a terminal escaped.
std::string terminal_safe(const std::string& body) {
  std::string out;
  const JsonStyle style{.layout = JsonLayout::Compact, .escape_controls = true};
  if (reformat_json(body, style, [&](std::string_view text) { out += text; })) return body;
  return out;
}

CurlBody curl_body(const Request& request, ShownTo to) {
  CurlBody out;
  const Payload& body = request.body;
  if (const auto text = text_of(body)) {
    const std::string json = to == ShownTo::Terminal ? terminal_safe(*text) : *text;
    std::string word = shell_word(json, request.variables);
    if (json.size() <= k_max_argument) {
      out.arguments = fmt::format(" \\\n  --data-raw {}", word);
    } else {
      out.arguments = " \\\n  --data-binary @-";
      out.input = std::move(word);
    }
  } else if (const auto* file = std::get_if<FileSource>(&body)) {
    out.arguments = fmt::format(" \\\n  --data-binary {}", shell_quote("@" + file->path));
  } else if (const auto* parts = std::get_if<std::vector<Part>>(&body)) {
    for (const Part& part : *parts) {
      out.arguments += " \\\n  " + form_argument(part, request.variables, out.input);
    }
  } else if (sends_body(request.method)) {
    out.arguments = " \\\n  --data-raw ''";
    if (!find_header(request.headers, "Content-Type")) out.arguments += " -H Content-Type:";
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
  return rest.empty() && !out.empty() ? out : out + shell_word(rest, request.variables);
}

/// A header as one shell word. For curl, "Name:" removes a header and "Name;" is an empty one.
std::string header_argument(const Header& header, const std::vector<Variable>& variables) {
  if (header.value.empty()) return shell_quote(header.name + ";");
  return shell_word(fmt::format("{}: {}", header.name, header.value), variables);
}

std::string curl_method(const Request& request) {
  const bool has_body =
      !std::holds_alternative<std::monostate>(request.body) || sends_body(request.method);
  if (request.method == (has_body ? "POST" : "GET")) return {};
  if (request.method == "HEAD") return " -I";
  return fmt::format(" -X {}", request.method);
}

/// curl removes "." and ".." from a path unless it is told not to.
bool has_dot_segment(std::string_view url) {
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  return path.find("/./") != sv::npos || path.find("/../") != sv::npos || path.ends_with("/.") ||
         path.ends_with("/..");
}

/// The headers, with the Authorization of the key's variable first.
std::vector<Header> shown_headers(const Request& request) {
  std::vector<Header> headers = sent_headers(request);
  if (std::string key = authorization(request); !key.empty()) {
    headers.insert(headers.begin(), {"Authorization", std::move(key)});
  }
  return headers;
}

/// The members of a request as JSON, without braces. A header that is sent several times has a
/// list.
std::string json_members(const Request& request) {
  OrderedJson headers = OrderedJson::object();
  for (const Header& header : shown_headers(request)) {
    OrderedJson& value = headers[header.name];
    if (value.is_string()) value = OrderedJson::array({std::move(value)});
    if (value.is_array()) {
      value.push_back(header.value);
    } else {
      value = header.value;
    }
  }
  return named(
      fmt::format(R"("method":{},"url":{},"headers":{},"body":{})", json_quote(request.method),
                  json_quote(request.url), compact_json(headers), body_json(request.body)),
      request.variables);
}

/// The command, which passes its answer on to `then`.
std::string curl_command(const Request& request, ShownTo to, std::string_view then) {
  const CurlBody body = curl_body(request, to);
  std::string out = body.input.empty() ? "" : fmt::format("printf %s {} |\n", body.input);
  out += then.empty() ? "curl" : "curl -sS";
  if (request.stream) out += " -N";
  const bool form = std::holds_alternative<std::vector<Part>>(request.body);
  // Disables curl's globbing of brackets and braces.
  if (request.url.find_first_of("[]{}") != std::string::npos) out += " -g";
  if (has_dot_segment(request.url)) out += " --path-as-is";
  out += curl_method(request);
  out += fmt::format(" {}", curl_url(request));
  // Double quotes, so that the shell inserts the key; the key itself is never printed.
  if (const std::string key = authorization(request); !key.empty()) {
    out += fmt::format(" \\\n  -H \"Authorization: {}\"", key);
  }
  for (const Header& header : sent_headers(request)) {
    if (form && equals_ignore_case(header.name, "content-type")) continue;
    out += fmt::format(" \\\n  -H {}", header_argument(header, request.variables));
  }
  return out + body.arguments + std::string(then);
}

/// What a step of a plan says beside its request, as comments.
std::string step_comment(const Step& step, std::size_t number) {
  std::string text = fmt::format(
      "# {}. {}", number,
      step.purpose.empty() ? step.request.operation->summary : std::string_view(step.purpose));
  if (!text.ends_with('.')) text += '.';
  if (!step.condition.empty()) text += fmt::format(" Sent {}.", step.condition);
  if (!step.repeats.empty()) text += fmt::format(" Repeated {}.", step.repeats);
  if (step.result) {
    text += fmt::format(" {} of its answer is ${}.", step.result->path, step.result->variable);
  }
  return visible(text, Lines::Escape) + "\n";
}

}  // namespace

std::string show_request(const Request& request) {
  std::string out = fmt::format("{} {}\n", request.method, request.url);
  for (const Header& header : shown_headers(request)) {
    out += fmt::format("{}: {}\n", header.name, header.value);
  }
  if (const std::string body = body_text(request.body); !body.empty()) {
    out += fmt::format("\n{}\n", body);
  }
  return named(std::move(out), request.variables);
}

std::string show_request_json(const Request& request) {
  return fmt::format("{{{}}}", json_members(request));
}

std::string show_curl(const Request& request, ShownTo to) {
  return curl_command(request, to, {}) + "\n";
}

std::string show_step(const Step& step, std::size_t number) {
  return step_comment(step, number) + show_request(step.request);
}

std::string show_step_json(const Step& step, std::size_t number) {
  std::string out = fmt::format(R"({{"step":{},{})", number, json_members(step.request));
  const auto add = [&out](std::string_view name, std::string_view value) {
    if (!value.empty()) out += fmt::format(R"(,"{}":{})", name, json_quote(value));
  };
  add("purpose",
      step.purpose.empty() ? step.request.operation->summary : std::string_view(step.purpose));
  add("condition", step.condition);
  add("repeats", step.repeats);
  if (step.result) {
    out += fmt::format(R"(,"sets":{{{}:{}}})", json_quote("$" + step.result->variable),
                       json_quote(step.result->path));
  }
  const bool safe = step.request.operation->repeat == Repeat::Always;
  return out + fmt::format(R"(,"idempotent":{}}})", safe);
}

std::string show_step_curl(const Step& step, std::size_t number, ShownTo to) {
  const std::string comment = step_comment(step, number);
  if (!step.result) return comment + show_curl(step.request, to);
  // Without its ID, the next step would be a request for another thing: the script ends.
  const std::string& variable = step.result->variable;
  const std::string then =
      fmt::format(" |\n  jq -r {}", shell_quote(step.result->path + " // empty"));
  return fmt::format("{}{}=$({})\n: \"${{{}:?not in the answer of step {}}}\"\n", comment, variable,
                     curl_command(step.request, to, then), variable, number);
}

}  // namespace svc::request
