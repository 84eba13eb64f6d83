#include "batch/request_line.h"

#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::batch {
namespace {

// A request of `POST /v1/batches/{batch_id}/requests` has no variant for video edits.
constexpr std::array k_endpoints = {
    Endpoint{"/v1/chat/completions", "chat_get_completion", "messages"},
    Endpoint{"/v1/responses", "responses", "input"},
    Endpoint{"/v1/images/generations", "image_generation"},
    Endpoint{"/v1/images/edits", "image_edit", "prompt"},
    Endpoint{"/v1/videos/generations", "video_generation"},
    Endpoint{"/v1/videos/edits", ""},
    Endpoint{"/v1/videos/extensions", "video_extension"},
};

constexpr std::string_view k_forms =
    R"(a request is {"batch_request_id":…,"batch_request":{…}} or {"custom_id":…,"method":"POST","url":…,"body":{…}})";

using Slice = std::optional<std::string_view>;

std::string shown(std::string_view text) {
  return "'" + visible(excerpt(text, 60), Lines::Escape) + "'";
}

class EntryReader {
 public:
  EntryReader(std::string_view text, std::uint64_t line, Form form)
      : m_text(text), m_line(line), m_form(form) {}

  RequestLineRead read() {
    if (readable()) {
      collect();
      if (m_id_value) read_id();
      if (m_request) {
        read_request();
      } else if (m_url || m_body || m_method) {
        read_file_form();
      } else if (m_read.faults.empty()) {
        fault(0, fmt::format("not a request: {}", k_forms));
      }
    }
    return std::move(m_read);
  }

 private:
  void fault(std::uint64_t column, std::string message) {
    m_read.faults.push_back({m_line, column, std::move(message)});
  }
  [[nodiscard]] std::uint64_t column_of(std::string_view slice) const {
    return static_cast<std::uint64_t>(slice.data() - m_text.data()) + 1;
  }
  void fault_at(std::string_view slice, std::string message) {
    fault(column_of(slice), std::move(message));
  }

  bool readable() {
    if (const std::size_t nul = m_text.find('\0'); nul != std::string_view::npos) {
      fault(nul + 1, "a NUL byte, which is not valid in text");
      return false;
    }
    if (const auto broken = check_json(m_text)) {
      fault(broken->column, broken->reason);
      return false;
    }
    if (!trim(m_text).starts_with('{')) {
      fault(1, fmt::format("not a JSON object: {}", k_forms));
      return false;
    }
    return true;
  }

  void collect() {
    for (const auto& [name, value] : json_members(m_text)) {
      Slice* slot = slot_of(name);
      if (slot == nullptr) {
        static constexpr std::array<std::string_view, 6> k_names = {
            "batch_request_id", "batch_request", "custom_id", "method", "url", "body"};
        const std::string_view near = nearest(name, k_names);
        fault_at(name, fmt::format("unknown member {}{}", shown(name),
                                   near.empty() ? "" : fmt::format("; is '{}' meant?", near)));
      } else if (*slot) {
        fault_at(name, fmt::format("'{}' is given twice", name));
      } else {
        *slot = value;
      }
    }
    if (m_batch_id && m_custom_id) {
      fault_at(*m_custom_id, "'batch_request_id' and 'custom_id' are two names of the same id");
    }
    m_id_value = m_batch_id ? m_batch_id : m_custom_id;
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
      fault_at(*m_id_value, "the id is not a string: put it in double quotes");
      return;
    }
    m_read.entry.id = parse_reply(*m_id_value).get<std::string>();
    if (trim(m_read.entry.id).empty()) fault_at(*m_id_value, "the id is empty");
  }

  void read_request() {
    if (m_url || m_body || m_method) {
      fault(0, "both forms in one line: 'batch_request' beside 'url', 'method' or 'body'");
      return;
    }
    const auto members = json_members(*m_request);
    if (!m_request->starts_with('{') || members.size() != 1) {
      fault_at(*m_request, fmt::format("'batch_request' holds exactly one of {}", variants()));
      return;
    }
    for (const Endpoint& endpoint : k_endpoints) {
      if (endpoint.member.empty() || members.front().name != endpoint.member) continue;
      take(endpoint, members.front().value);
      return;
    }
    fault_at(members.front().name, fmt::format("unknown request {}; allowed: {}",
                                               shown(members.front().name), variants()));
  }

  static std::string variants() {
    std::vector<std::string_view> names;
    for (const Endpoint& endpoint : k_endpoints) {
      if (!endpoint.member.empty()) names.push_back(endpoint.member);
    }
    return join(names, ", ");
  }

  void read_file_form() {
    if (m_method && *m_method != "\"POST\"") fault_at(*m_method, "the method can only be \"POST\"");
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
    fault_at(*m_url, fmt::format("unknown url {}; allowed: {}", shown(url), join(urls, ", ")));
  }

  static std::string_view trim_quotes(std::string_view text) {
    if (text.size() < 2 || !text.starts_with('"')) return text;
    return text.substr(1, text.size() - 2);
  }

  void take(const Endpoint& endpoint, std::string_view body) {
    if (endpoint.member.empty() && m_form == Form::Added) {
      fault(0, fmt::format("{} is only available by file: use --via-file", endpoint.url));
    }
    m_read.entry.endpoint = &endpoint;
    m_read.entry.body = body;
    if (!body.starts_with('{')) {
      fault_at(body, "the body of the request is not a JSON object");
      return;
    }
    if (!endpoint.needs.empty()) {
      const Slice needed = json_member(body, endpoint.needs);
      if (!needed || *needed == "null" || *needed == "[]") {
        fault_at(body, fmt::format("'{}' is missing or empty in the body", endpoint.needs));
      } else if (endpoint.needs == "messages" && !needed->starts_with('[')) {
        fault_at(*needed, "'messages' is not an array");
      }
    }
    const Slice model = json_member(body, "model");
    if (model && *model != "null" && !model->starts_with('"')) {
      fault_at(*model, "'model' is not a string");
    }
  }

  std::string_view m_text;
  std::uint64_t m_line;
  Form m_form;
  RequestLineRead m_read{};
  Slice m_batch_id{};
  Slice m_custom_id{};
  Slice m_id_value{};
  Slice m_request{};
  Slice m_method{};
  Slice m_url{};
  Slice m_body{};
};

/// The body with a model in front when it names none.
std::string with_model(std::string_view body, std::string_view model) {
  if (model.empty()) return std::string(body);
  const Slice given = json_member(body, "model");
  if (given) return std::string(body);
  const bool empty = trim(body.substr(1)).starts_with('}');
  return fmt::format(R"({{"model":{}{}{})", json_quote(model), empty ? "" : ",", body.substr(1));
}

}  // namespace

std::span<const Endpoint> endpoints() {
  return k_endpoints;
}

const Endpoint& chat_endpoint() {
  return k_endpoints.front();
}

std::string describe(const LineFault& fault) {
  if (fault.column == 0) return fmt::format("line {}: {}", fault.line, fault.message);
  return fmt::format("line {}, column {}: {}", fault.line, fault.column, fault.message);
}

RequestLineRead read_request_line(std::string_view text, std::uint64_t line, Form form) {
  return EntryReader(text, line, form).read();
}

std::string write_request_line(const Endpoint& endpoint, std::string_view id, std::string_view body,
                               std::string_view default_model, Form form) {
  const std::string filled = with_model(body, default_model);
  if (id.empty()) {
    return fmt::format(R"({{"batch_request":{{"{}":{}}}}})", endpoint.member, filled);
  }
  if (form == Form::Added) {
    return fmt::format(R"({{"batch_request_id":{},"batch_request":{{"{}":{}}}}})", json_quote(id),
                       endpoint.member, filled);
  }
  return fmt::format(R"({{"custom_id":{},"method":"POST","url":"{}","body":{}}})", json_quote(id),
                     endpoint.url, filled);
}

std::string made_id(std::uint64_t line) {
  return fmt::format("line-{}", line);
}

}  // namespace svc::batch
