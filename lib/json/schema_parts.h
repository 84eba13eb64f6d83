// Inside of schema.h: the schema's own rules, references and patterns. Not a public interface.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "json/pattern.h"
#include "json/schema.h"

namespace svc {

/// A schema with an `$id` of its own, or the document, and the anchors in it.
struct SchemaResource {
  std::string uri{};  ///< as absolute as the identifiers make it, without a fragment
  const nlohmann::json* root = nullptr;
  std::map<std::string, const nlohmann::json*, std::less<>> anchors{};
  std::set<std::string, std::less<>> dynamic_anchors{};  ///< those of them that `$dynamicRef` seeks
};

/// What a reference names.
struct SchemaTarget {
  const nlohmann::json* schema = nullptr;
  std::string dynamic_anchor{};  ///< set: the outermost resource with this anchor is meant
};

struct SchemaParts {
  std::vector<std::shared_ptr<const nlohmann::json>> documents{};  ///< the schema comes first
  std::map<std::string, Pattern, std::less<>> patterns{};
  std::map<std::string, SchemaResource, std::less<>> resources{};
  /// The resource that each schema belongs to.
  std::unordered_map<const nlohmann::json*, const SchemaResource*> homes{};
  /// By the address of the value of `$ref` or `$dynamicRef`.
  std::unordered_map<const nlohmann::json*, SchemaTarget> targets{};
  bool has_dynamic_references = false;
  bool has_unevaluated = false;  ///< else nobody asks what was evaluated
};

/// Looks at every schema in the document and fills the rest in. Usage.
[[nodiscard]] Result<void> examine_schema(SchemaParts& parts);

/// A member's name or an index behind a JSON pointer.
[[nodiscard]] std::string pointer_to(const std::string& base, const std::string& name);

// What a schema says of a value by itself, not of what is in it.

using Misfit = std::optional<SchemaFault>;

[[nodiscard]] Misfit misfit(const std::string& where, std::string why);

/// The keyword's value, or null.
[[nodiscard]] const nlohmann::json* keyword_of(const nlohmann::json& schema, std::string_view name);

/// The beginning of a value, harmless in a line of text.
[[nodiscard]] std::string shown_value(const nlohmann::json& value);

/// type, enum, const.
[[nodiscard]] Misfit type_rules(const nlohmann::json& schema, const nlohmann::json& value,
                                const std::string& where);

/// minimum, …, multipleOf.
[[nodiscard]] Misfit number_rules(const nlohmann::json& schema, const nlohmann::json& value,
                                  const std::string& where);

/// A size, counted in `one`s ("member"), against the keywords `least` and `most`.
[[nodiscard]] Misfit size_rules(const nlohmann::json& schema, std::size_t size,
                                std::string_view one, const char* least, const char* most,
                                const std::string& where);

}  // namespace svc
