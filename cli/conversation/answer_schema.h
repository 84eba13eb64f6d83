// --schema: what an answer has to look like, sent along and checked.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "catalogue/model.h"
#include "json/schema.h"

namespace svc::cli {

class AnswerSchema {
 public:
  /// Reads the file. Usage when it is not a valid JSON Schema.
  [[nodiscard]] static Result<AnswerSchema> read(const std::string& path);

  /// The answer's format, JSON text: `response_format` of POST /v1/chat/completions, or
  /// `text.format` of POST /v1/responses.
  [[nodiscard]] std::string format(View view) const;

  /// Why the text of an answer does not fit: RemoteJob, with the place.
  [[nodiscard]] std::optional<Error> check(const std::string& text) const;

 private:
  AnswerSchema(std::string path, std::string name, std::string text, JsonSchema schema)
      : m_path(std::move(path)),
        m_name(std::move(name)),
        m_text(std::move(text)),
        m_schema(std::move(schema)) {}

  std::string m_path;
  std::string m_name;
  std::string m_text;  ///< as it stands in the file
  JsonSchema m_schema;
};

/// The text of an answer as a JSON document of its own: itself, or a JSON string when it is none.
[[nodiscard]] std::string answer_document(const std::string& text);

}  // namespace svc::cli
