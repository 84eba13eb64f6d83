#include "mcp/header_arguments.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "http/check.h"
#include "json/document.h"

namespace svc::mcp {
namespace {

using nlohmann::json;

constexpr const char* k_annotation = "x-mcp-header";

/// Whether the type is only string, integer, boolean or null.
bool has_plain_type(const json& schema) {
  constexpr std::array<std::string_view, 4> k_plain = {"string", "integer", "boolean", "null"};
  const auto is_plain = [&](const json& type) {
    return type.is_string() && std::find(k_plain.begin(), k_plain.end(),
                                         type.get_ref<const std::string&>()) != k_plain.end();
  };
  const json& type = member(schema, "type");
  return type.is_array() ? std::all_of(type.begin(), type.end(), is_plain) : is_plain(type);
}

/// Whether the annotation appears anywhere in a part of a schema that defines no arguments.
bool is_annotated(const json& schema) {
  if (!schema.is_structured()) return false;
  if (schema.is_object() && schema.contains(k_annotation)) return true;
  return std::any_of(schema.begin(), schema.end(), is_annotated);
}

class Reader {
 public:
  Result<void> read(const json& schema) {
    if (!schema.is_object()) return {};
    for (const auto& [keyword, part] : schema.items()) {
      const bool is_value =
          keyword == "default" || keyword == "const" || keyword == "enum" || keyword == "examples";
      if (keyword == k_annotation) {
        SVC_CHECK(add(schema, part));
      } else if (keyword != "properties" && !is_value && is_annotated(part)) {
        return wrong(fmt::format("{} is not allowed below \"{}\"", k_annotation, shown(keyword)));
      }
    }
    const json& properties = member(schema, "properties");
    if (!properties.is_object()) return {};
    for (const auto& [name, part] : properties.items()) {
      m_path.push_back(name);
      SVC_CHECK(read(part));
      m_path.pop_back();
    }
    return {};
  }

  std::vector<HeaderArgument> found{};

 private:
  static Error wrong(const std::string& why) { return Error{Fault::Network, why}; }

  Result<void> add(const json& schema, const json& annotation) {
    const std::string name = annotation.is_string() ? annotation.get<std::string>() : std::string();
    if (m_path.empty() || !http::is_token(name) || !has_plain_type(schema)) {
      return wrong(
          fmt::format("{} is not allowed here: {}", k_annotation, shown(compact_json(annotation))));
    }
    const std::string header = "Mcp-Param-" + name;
    const bool twice = std::any_of(found.begin(), found.end(), [&](const HeaderArgument& one) {
      return equals_ignore_case(one.header, header);
    });
    if (twice) return wrong(fmt::format("duplicate {}: {}", k_annotation, name));
    found.push_back({header, m_path});
    return {};
  }

  std::vector<std::string> m_path{};
};

}  // namespace

Result<std::vector<HeaderArgument>> header_arguments(const json& schema) {
  Reader reader;
  SVC_CHECK(reader.read(schema));
  return std::move(reader.found);
}

std::vector<Header> headers_of(const std::vector<HeaderArgument>& wanted,
                               std::string_view arguments) {
  std::vector<Header> headers;
  const json given = wanted.empty() ? json() : parse_reply(arguments);
  for (const HeaderArgument& argument : wanted) {
    const json* value = &given;
    for (const std::string& name : argument.path) value = &member(*value, name.c_str());
    if (value->is_string()) {
      headers.push_back({argument.header, header_value(value->get<std::string>())});
    } else if (value->is_number_integer() || value->is_boolean()) {
      headers.push_back({argument.header, value->dump()});
    }
  }
  return headers;
}

std::string header_value(std::string_view text) {
  const bool fits = !text.empty() && trim(text) == text &&
                    !(text.starts_with("=?base64?") && text.ends_with("?=")) &&
                    std::all_of(text.begin(), text.end(), [](unsigned char c) {
                      return (c >= 0x20 && c < 0x7f) || c == '\t';
                    });
  return fits ? std::string(text) : fmt::format("=?base64?{}?=", base64_encode(text));
}

}  // namespace svc::mcp
