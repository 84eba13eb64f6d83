#include "conversation/answer_schema.h"

#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "json/document.h"
#include "json/text.h"

namespace svc::cli {
namespace {

constexpr std::uint64_t k_max_schema = 4U << 20U;

/// The schema's title, else the file's name, with unsupported characters replaced.
std::string schema_name(const nlohmann::json& schema, const std::string& path) {
  std::string name = text_member(schema, "title");
  if (name.empty()) name = std::filesystem::path(path).stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  }
  return name.empty() ? "answer" : name.substr(0, 64);
}

}  // namespace

Result<AnswerSchema> AnswerSchema::read(const std::string& given) {
  const bool is_inline = trim(given).starts_with('{');
  const std::string path = is_inline ? "answer" : given.substr(given.starts_with('@') ? 1 : 0);
  const std::string shown_path = is_inline ? "the schema" : quote_path(path);
  auto read = is_inline ? Result<std::string>(given) : read_file(path, k_max_schema);
  if (!read) {
    Error error = std::move(read).error();
    error.message = fmt::format("--schema: {}", error.message);
    return error;
  }
  std::string text = *std::move(read);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (const auto fault = check_json(text)) {
    return usage_error(fmt::format("--schema: {} is not JSON: {}", shown_path, describe(*fault)));
  }
  const nlohmann::json document = parse_reply(text);
  if (!document.is_object()) {
    return usage_error(
        fmt::format("--schema: {} is not a JSON object, as a schema must be", shown_path));
  }
  auto schema = JsonSchema::read(document);
  if (!schema) {
    Error error = schema.error();
    error.message = fmt::format("--schema: {}: {}", shown_path, error.message);
    return error;
  }
  return AnswerSchema(shown_path, schema_name(document, path), std::move(text), *std::move(schema));
}

std::string AnswerSchema::format(View view) const {
  const OrderedJson name = m_name;
  // The schema is sent as it is in the file: the order of its fields is that of the answer's.
  const std::string inside =
      fmt::format(R"("name":{},"strict":true,"schema":{})", compact_json(name), m_text);
  if (view == View::Response) return fmt::format(R"({{"type":"json_schema",{}}})", inside);
  return fmt::format(R"({{"type":"json_schema","json_schema":{{{}}}}})", inside);
}

std::optional<Error> AnswerSchema::check(const std::string& text) const {
  if (const auto fault = check_json(text)) {
    return Error{Fault::RemoteJob, fmt::format("the answer is not JSON, as {} requires: {}", m_path,
                                               describe(*fault))};
  }
  const auto fault = m_schema.check(parse_reply(text));
  if (!fault) return std::nullopt;
  return Error{
      Fault::RemoteJob,
      fmt::format("the answer does not match {}: {}: {}", m_path,
                  fault->where.empty() ? "as a whole" : visible(fault->where, Lines::Escape),
                  fault->why)};
}

std::string answer_document(const std::string& text) {
  if (!check_json(text)) return text;
  return compact_json(nlohmann::json(text));
}

}  // namespace svc::cli
