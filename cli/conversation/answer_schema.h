// --schema: the JSON Schema of an answer, sent with the request and checked afterwards.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "catalogue/model.h"
#include "json/schema.h"

namespace svc::cli {

class AnswerSchema {
 public:
  /// Reads a file, after an optional @, or JSON that starts with `{`. Usage if it is not a valid
  /// JSON Schema.
  [[nodiscard]] static Result<AnswerSchema> read(const std::string& given);

  /// The answer's format as JSON: `response_format` of POST /v1/chat/completions, or `text.format`
  /// of POST /v1/responses.
  [[nodiscard]] std::string format(View view) const;

  /// RemoteJob, with the path, if the text of an answer does not match the schema.
  [[nodiscard]] std::optional<Error> check(const std::string& text) const;

 private:
  AnswerSchema(std::string path, std::string name, std::string text, JsonSchema schema)
      : m_path(std::move(path)),
        m_name(std::move(name)),
        m_text(std::move(text)),
        m_schema(std::move(schema)) {}

  std::string m_path;  ///< for errors
  std::string m_name;
  std::string m_text;  ///< as in the file
  JsonSchema m_schema;
};

/// The text of an answer as a JSON document: itself if it is valid JSON, else a JSON string.
[[nodiscard]] std::string answer_document(const std::string& text);

}  // namespace svc::cli
