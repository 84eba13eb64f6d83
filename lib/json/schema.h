// JSON Schema, draft 2020-12, for model answers: validates on this machine and reports the position
// of a mismatch. Debian's validators support only draft 7: they ignore `prefixItems`, keywords next
// to a `$ref` and more, and would accept invalid answers.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace svc {

/// Why a value does not match, and where.
struct SchemaError {
  std::string where{};  ///< JSON pointer (RFC 6901) into the value; "" for the whole value
  std::string why{};    ///< "12 is less than 20 (minimum)"; control characters are escaped
};

struct SchemaParts;

/// Supports all assertion keywords, with references within the document (`$id`, `$anchor`,
/// `$dynamicAnchor`, JSON pointers) and to the draft's metaschema; other documents are not fetched.
/// Ignores `format`, `$vocabulary` and the `content` keywords, as the draft allows. Of draft 7,
/// also supports the array form of `items`, `definitions` and `dependencies`. Keywords beside a
/// `$ref` are ignored if the document's `$schema` is draft 4, 6 or 7.
class JsonSchema {
 public:
  /// Usage, with the position in the schema, if it is invalid.
  [[nodiscard]] static Result<JsonSchema> read(const nlohmann::json& schema);
  JsonSchema(JsonSchema&&) noexcept;
  JsonSchema& operator=(JsonSchema&&) = delete;
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;
  ~JsonSchema();

  /// Why `value` does not match; nothing if it does. Memory and time are bounded for any schema and
  /// value: a check that takes too long returns an error.
  [[nodiscard]] std::optional<SchemaError> check(const nlohmann::json& value) const;

 private:
  explicit JsonSchema(std::unique_ptr<SchemaParts> parts);
  std::unique_ptr<SchemaParts> m_parts;
};

}  // namespace svc
