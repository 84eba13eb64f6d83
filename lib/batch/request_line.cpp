#include "batch/request_line.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "json/scanner.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::batch {
namespace {

// `POST /v1/batches/{batch_id}/requests` does not support video edits.
constexpr std::array k_endpoints = {
    Endpoint{"/v1/chat/completions", "chat", "create", "chat_get_completion", "messages", false,
             true},
    Endpoint{"/v1/responses", "responses", "create", "responses", "input", false, true},
    Endpoint{"/v1/images/generations", "images", "generate", "image_generation", {}, true},
    Endpoint{"/v1/images/edits", "images", "edit", "image_edit", "prompt", true},
    Endpoint{"/v1/videos/generations", "videos", "generate", "video_generation", {}, true},
    Endpoint{"/v1/videos/edits", "videos", "edit", ""},
    Endpoint{"/v1/videos/extensions", "videos", "extend", "video_extension", {}, true},
};

constexpr std::string_view k_request_formats =
    R"(a request is {"batch_request_id":…,"batch_request":{…}} or {"custom_id":…,"method":"POST","url":…,"body":{…}})";

using Slice = std::optional<std::string_view>;

using json_scan::Token;
using LineScanner = json_scan::Scanner<json_scan::Input::Unknown>;

/// The fields of a body that are checked.
struct BodyFields {
  Slice model{};
  Slice messages{};
  Slice input{};
  Slice prompt{};

  Slice* slot_of(std::string_view name) {
    if (name == "messages") return &messages;
    if (name == "model") return &model;
    if (name == "input") return &input;
    return name == "prompt" ? &prompt : nullptr;
  }
};

/// Checks and parses a line in a single pass, because all lines of a large file go through it.
class RequestLineReader {
 public:
  RequestLineReader(std::string_view text, std::uint64_t line, RequestFormat format)
      : m_text(text), m_line(line), m_format(format), m_scanner(text) {}

  ParsedRequestLine read() {
    if (readable()) {
      if (m_batch_id && m_custom_id) {
        fault_at(*m_custom_id, "'batch_request_id' and 'custom_id' cannot be combined");
      }
      m_id_value = m_batch_id ? m_batch_id : m_custom_id;
      if (m_id_value) read_id();
      if (m_request) {
        read_request();
      } else if (m_url || m_body || m_method) {
        read_file_form();
      } else if (m_read.errors.empty()) {
        fault(0, fmt::format("not a request: {}", k_request_formats));
      }
    }
    return std::move(m_read);
  }

 private:
  void fault(std::uint64_t column, std::string message) {
    m_read.errors.push_back({m_line, column, std::move(message)});
  }
  [[nodiscard]] std::uint64_t column_of(std::string_view slice) const {
    return static_cast<std::uint64_t>(slice.data() - m_text.data()) + 1;
  }
  void fault_at(std::string_view slice, std::string message) {
    fault(column_of(slice), std::move(message));
  }

  bool readable() {
    const Token first = m_scanner.next();
    const bool object = first == Token::BeginObject;
    if (first == Token::Fault || !(object ? read_members() : read_value(first).has_value()) ||
        m_scanner.next() != Token::End) {
      m_read.errors.clear();
      report_text_error();
      return false;
    }
    if (!object) fault(1, fmt::format("not a JSON object: {}", k_request_formats));
    return object;
  }

  /// Reports why the text is not JSON. A NUL byte, never part of JSON, is the most helpful reason.
  void report_text_error() {
    if (const std::size_t nul = m_text.find('\0'); nul != std::string_view::npos) {
      fault(nul + 1, "a NUL byte, which is not valid in text");
      return;
    }
    const JsonParseError broken = m_scanner.fault();
    fault(broken.column, broken.reason);
  }

  /// The complete value that starts with `token`; nothing after an error.
  Slice read_value(Token token) {
    const std::size_t begin = m_scanner.begin();
    for (std::size_t depth = 0;; token = m_scanner.next()) {
      if (token == Token::Fault) return std::nullopt;
      if (token == Token::BeginObject || token == Token::BeginArray) ++depth;
      if (token == Token::EndObject || token == Token::EndArray) --depth;
      if (depth == 0) return m_text.substr(begin, m_scanner.end() - begin);
    }
  }

  /// Like read_value(), but if the value is an object, also fills in `members`.
  Slice read_body_value(Token token, BodyFields& members) {
    if (token != Token::BeginObject) return read_value(token);
    const std::size_t begin = m_scanner.begin();
    while ((token = m_scanner.next()) == Token::Name) {
      Slice* slot = members.slot_of(m_scanner.inside());
      const Slice value = read_value(m_scanner.next());
      if (!value) return value;
      if (slot != nullptr && !*slot) *slot = value;
    }
    if (token == Token::Fault) return std::nullopt;
    return m_text.substr(begin, m_scanner.end() - begin);
  }

  /// Reads the object of `batch_request`.
  Slice read_request_value(Token token) {
    m_variants = 0;
    if (token != Token::BeginObject) return read_value(token);
    const std::size_t begin = m_scanner.begin();
    while ((token = m_scanner.next()) == Token::Name) {
      ++m_variants;
      m_variant = m_scanner.inside();
      const Slice value = read_body_value(m_scanner.next(), m_members);
      if (!value) return value;
      m_body_of_variant = *value;
    }
    if (token == Token::Fault) return std::nullopt;
    return m_text.substr(begin, m_scanner.end() - begin);
  }

  bool read_members() {
    Token token = Token::Name;
    while ((token = m_scanner.next()) == Token::Name) {
      const std::string_view name = m_scanner.inside();
      Slice* slot = slot_of(name);
      const Token begin = m_scanner.next();
      const Slice value = slot == &m_body      ? read_body_value(begin, m_members)
                          : slot == &m_request ? read_request_value(begin)
                                               : read_value(begin);
      if (!value) return false;
      note(name, slot, *value);
    }
    return token == Token::EndObject;
  }

  void note(std::string_view name, Slice* slot, std::string_view value) {
    if (slot == nullptr) {
      static constexpr std::array<std::string_view, 6> k_names = {
          "batch_request_id", "batch_request", "custom_id", "method", "url", "body"};
      const std::string_view near = nearest(name, k_names);
      fault_at(name, fmt::format("unknown field '{}'{}", shown(name),
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    } else if (*slot) {
      fault_at(name, fmt::format("'{}' is given twice", name));
    } else {
      *slot = value;
    }
  }

  Slice* slot_of(std::string_view name) {
    if (name == "batch_request_id") return &m_batch_id;
    if (name == "custom_id") return &m_custom_id;
    if (name == "batch_request") return &m_request;
    if (name == "method") return &m_method;
    if (name == "url") return &m_url;
    if (name == "body") return &m_body;
    return nullptr;
  }

  void read_id() {
    if (*m_id_value == "null") return;
    if (!m_id_value->starts_with('"')) {
      fault_at(*m_id_value, "the ID must be a string in double quotes");
      return;
    }
    json_scan::append_decoded(m_read.entry.id, trim_quotes(*m_id_value));
    if (trim(m_read.entry.id).empty()) fault_at(*m_id_value, "the ID is empty");
  }

  void read_request() {
    if (m_url || m_body || m_method) {
      fault(0, "'batch_request' cannot be combined with 'url', 'method' or 'body'");
      return;
    }
    if (!m_request->starts_with('{') || m_variants != 1) {
      fault_at(*m_request,
               fmt::format("'batch_request' must contain exactly one of {}", variants()));
      return;
    }
    for (const Endpoint& endpoint : k_endpoints) {
      if (endpoint.member.empty() || m_variant != endpoint.member) continue;
      take(endpoint, m_body_of_variant);
      return;
    }
    fault_at(m_variant,
             fmt::format("unknown request '{}'; allowed: {}", shown(m_variant), variants()));
  }

  static std::string variants() {
    std::vector<std::string_view> names;
    for (const Endpoint& endpoint : k_endpoints) {
      if (!endpoint.member.empty()) names.push_back(endpoint.member);
    }
    return join(names, ", ");
  }

  void read_file_form() {
    if (m_method && *m_method != "\"POST\"") fault_at(*m_method, "the method must be \"POST\"");
    if (!m_url) fault(0, "'url' is missing");
    if (!m_body) fault(0, "'body' is missing");
    if (!m_url || !m_body) return;
    const std::string_view url = trim_quotes(*m_url);
    for (const Endpoint& endpoint : k_endpoints) {
      if (url != endpoint.url) continue;
      take(endpoint, *m_body);
      return;
    }
    std::vector<std::string_view> urls;
    for (const Endpoint& endpoint : k_endpoints) urls.push_back(endpoint.url);
    fault_at(*m_url, fmt::format("unknown URL '{}'; allowed: {}", shown(url), join(urls, ", ")));
  }

  static std::string_view trim_quotes(std::string_view text) {
    if (text.size() < 2 || !text.starts_with('"')) return text;
    return text.substr(1, text.size() - 2);
  }

  void take(const Endpoint& endpoint, std::string_view body) {
    if (endpoint.member.empty() && m_format == RequestFormat::Added) {
      fault(0, fmt::format("{} requires --via-file", endpoint.url));
    }
    m_read.entry.endpoint = &endpoint;
    m_read.entry.body = body;
    if (!body.starts_with('{')) {
      fault_at(body, "the body of the request must be a JSON object");
      return;
    }
    if (!endpoint.needs.empty()) {
      const Slice needed = *m_members.slot_of(endpoint.needs);
      if (!needed || *needed == "null" || *needed == "[]") {
        fault_at(body, fmt::format("'{}' is missing or empty in the body", endpoint.needs));
      } else if (endpoint.needs == "messages" && !needed->starts_with('[')) {
        fault_at(*needed, "'messages' must be an array");
      }
    }
    if (endpoint.media) check_media(body);
    const Slice model = m_members.model;
    if (model && *model != "null" && !model->starts_with('"')) {
      fault_at(*model, "'model' must be a string");
    }
  }

  void check_media(std::string_view body) {
    for (const char* name : {"image", "images", "video", "reference_images"}) {
      const Slice media = json_member(body, name);
      if (!media || !(media->starts_with('{') || media->starts_with('['))) continue;
      for (const std::string_view one :
           media->starts_with('[') ? json_elements(*media) : std::vector{*media}) {
        if (!one.starts_with('{') || json_member(one, "file_id").value_or("null") == "null")
          continue;
        fault_at(one, fmt::format("'{}' has a file_id, but a batch accepts only a url", name));
      }
    }
  }

  std::string_view m_text;
  std::uint64_t m_line;
  RequestFormat m_format;
  LineScanner m_scanner;
  ParsedRequestLine m_read{};
  BodyFields m_members{};
  std::size_t m_variants = 0;
  std::string_view m_variant{};
  std::string_view m_body_of_variant{};
  Slice m_batch_id{};
  Slice m_custom_id{};
  Slice m_id_value{};
  Slice m_request{};
  Slice m_method{};
  Slice m_url{};
  Slice m_body{};
};

}  // namespace

const Endpoint& chat_endpoint() {
  return k_endpoints.front();
}

std::string describe(const LineError& fault) {
  if (fault.column == 0) return fmt::format("line {}: {}", fault.line, fault.message);
  return fmt::format("line {}, column {}: {}", fault.line, fault.column, fault.message);
}

ParsedRequestLine read_request_line(std::string_view text, std::uint64_t line,
                                    RequestFormat format) {
  return RequestLineReader(text, line, format).read();
}

void append_request_line(std::string& line, const Endpoint& endpoint, std::string_view id,
                         std::string_view body, std::string_view default_model,
                         RequestFormat format) {
  const bool names_model = default_model.empty() || json_member(body, "model");
  make_room(line, id.size() + body.size() + default_model.size() + 100);
  const bool added = format == RequestFormat::Added;
  line += '{';
  if (!id.empty()) {
    line.append(added ? R"("batch_request_id":)" : R"("custom_id":)");
    line.append(json_quote(id)).append(",");
  }
  line.append(added ? R"("batch_request":{")" : R"("method":"POST","url":")");
  line.append(added ? endpoint.member : endpoint.url).append(added ? R"(":)" : R"(","body":)");
  if (names_model) {
    line += body;
  } else {
    const bool empty = trim(body.substr(1)).starts_with('}');
    line.append(R"({"model":)").append(json_quote(default_model)).append(empty ? "" : ",");
    line += body.substr(1);
  }
  line += added ? "}}" : "}";
}

std::optional<SentRequest> sent_request(std::string_view line) {
  const auto variants = json_member(line, "batch_request");
  const std::string url = variants ? std::string() : json_string(json_member(line, "url"));
  for (const Endpoint& endpoint : k_endpoints) {
    std::optional<std::string_view> body;
    if (variants && !endpoint.member.empty()) body = json_member(*variants, endpoint.member);
    if (!variants && url == endpoint.url) body = json_member(line, "body");
    if (body) return SentRequest{find_operation(endpoint.group, endpoint.verb), *body};
  }
  return std::nullopt;
}

std::string generated_id(std::uint64_t line) {
  return fmt::format("line-{}", line);
}

}  // namespace svc::batch
