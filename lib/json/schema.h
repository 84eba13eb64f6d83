// JSON Schema, draft 2020-12, for what a model answers: checked on this machine, and the place that
// does not fit is reported. Debian's validators end at draft 7: they ignore `prefixItems`, keywords
// beside a `$ref` and more, and would accept answers that do not fit.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace svc {

/// Where and why a value does not fit.
struct SchemaFault {
  std::string where{};  ///< JSON pointer (RFC 6901) into the value; "" is all of it
  std::string why{};    ///< "12 is less than 20 (minimum)"; foreign text is made harmless
};

struct SchemaParts;

/// All keywords that decide something, with references to anything in the document (`$id`,
/// `$anchor`, `$dynamicAnchor`, JSON pointers) and to the draft's own metaschema; other documents
/// are not fetched. `format`, `$vocabulary` and the `content` keywords decide nothing, as the draft
/// allows. Of draft 7, the array form of `items`, `definitions` and `dependencies` are read too.
class JsonSchema {
 public:
  /// Usage, with the place in the schema, when it is not valid.
  [[nodiscard]] static Result<JsonSchema> read(const nlohmann::json& schema);
  JsonSchema(JsonSchema&&) noexcept;
  JsonSchema& operator=(JsonSchema&&) = delete;
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;
  ~JsonSchema();

  /// Why `value` does not fit; nothing when it does. Memory and time are bounded whatever both are:
  /// a check that takes too long ends as a fault that says so.
  [[nodiscard]] std::optional<SchemaFault> check(const nlohmann::json& value) const;

 private:
  explicit JsonSchema(std::unique_ptr<SchemaParts> parts);
  std::unique_ptr<SchemaParts> m_parts;
};

}  // namespace svc
