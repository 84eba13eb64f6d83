// Internals of schema.h: rules, references and patterns of a schema. Not a public interface.
#pragma once

#include <functional>
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

/// A schema with its own `$id`, or the document, and its anchors.
struct SchemaResource {
  std::string uri{};  ///< as absolute as the identifiers allow, without a fragment
  const nlohmann::json* root = nullptr;
  std::map<std::string, const nlohmann::json*, std::less<>> anchors{};
  std::set<std::string, std::less<>> dynamic_anchors{};  ///< the subset of anchors that
                                                         ///< `$dynamicRef` looks up
};

/// The target of a reference.
struct SchemaTarget {
  const nlohmann::json* schema = nullptr;
  std::string dynamic_anchor{};  ///< if set, the outermost resource with this anchor is the target
};

struct SchemaParts {
  std::vector<std::shared_ptr<const nlohmann::json>> documents{};  ///< the schema comes first
  std::map<std::string, Pattern, std::less<>> patterns{};
  std::map<std::string, SchemaResource, std::less<>> resources{};
  /// The resource of each schema.
  std::unordered_map<const nlohmann::json*, const SchemaResource*> resource_by_schema{};
  /// Keyed by the address of the value of `$ref` or `$dynamicRef`.
  std::unordered_map<const nlohmann::json*, SchemaTarget> targets{};
  bool has_dynamic_references = false;
  /// Up to draft 7, a schema with `$ref` is nothing else: what stands beside it is ignored.
  bool lone_references = false;
  bool has_unevaluated = false;  ///< otherwise evaluated parts are not tracked
};

// Rules that apply to a value itself, not to its content.

using Mismatch = std::optional<SchemaError>;

[[nodiscard]] Mismatch mismatch(const std::string& where, std::string why);

/// The keyword's value, or null.
[[nodiscard]] const nlohmann::json* keyword_of(const nlohmann::json& schema, std::string_view name);

/// The start of a value, escaped for display on one line.
[[nodiscard]] std::string shown_value(const nlohmann::json& value);

/// type, enum, const.
[[nodiscard]] Mismatch type_rules(const nlohmann::json& schema, const nlohmann::json& value,
                                  const std::string& where);

/// minimum, …, multipleOf.
[[nodiscard]] Mismatch number_rules(const nlohmann::json& schema, const nlohmann::json& value,
                                    const std::string& where);

/// Checks a size, counted in units of `one` ("field") or `many` ("fields"), against the keywords
/// `least` and `most`.
[[nodiscard]] Mismatch size_rules(const nlohmann::json& schema, std::size_t size,
                                  std::string_view one, std::string_view many, const char* least,
                                  const char* most, const std::string& where);

}  // namespace svc
