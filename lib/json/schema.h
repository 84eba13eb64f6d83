// JSON Schema, draft 2020-12, for what a model answers: checked here, with the place that does not
// fit. The validators that Debian has know draft 7: they pass over `prefixItems`, what stands
// beside a `$ref`, and more, and so would find an answer right that is not.
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

/// Understood are all keywords that decide something but `$dynamicRef`, and references within the
/// document: to it, to a pointer into it, to an `$anchor`. `format` and the `content` keywords
/// decide nothing, as the draft says. Of draft 7, the array form of `items`, `definitions` and
/// `dependencies` are read too.
class JsonSchema {
 public:
  /// Usage, naming the place in the schema, when it is none.
  [[nodiscard]] static Result<JsonSchema> read(const nlohmann::json& schema);
  JsonSchema(JsonSchema&&) noexcept;
  JsonSchema& operator=(JsonSchema&&) = delete;
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;
  ~JsonSchema();

  /// Why `value` does not fit; nothing when it does.
  [[nodiscard]] std::optional<SchemaFault> check(const nlohmann::json& value) const;

 private:
  explicit JsonSchema(std::unique_ptr<SchemaParts> parts);
  std::unique_ptr<SchemaParts> m_parts;
};

}  // namespace svc
