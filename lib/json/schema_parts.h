// Inside of schema.h: the schema's own rules, references and patterns. Not a public interface.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "json/pattern.h"
#include "json/schema.h"

namespace svc {

struct SchemaParts {
  std::shared_ptr<const nlohmann::json> document{};
  std::map<std::string, Pattern, std::less<>> patterns{};
  std::map<std::string, const nlohmann::json*, std::less<>> anchors{};

  /// What "#", "#/pointer" or "#anchor" names, or null.
  [[nodiscard]] const nlohmann::json* resolve(const std::string& reference) const;

  /// Whether the pattern, which examine() has seen, is in `text`.
  [[nodiscard]] bool matches(const std::string& pattern, const std::string& text) const {
    const auto found = patterns.find(pattern);
    return found != patterns.end() && found->second.is_in(text);
  }

  /// Looks at every schema in it, and keeps patterns and anchors. Usage.
  [[nodiscard]] Result<void> examine();

 private:
  [[nodiscard]] Result<void> examine(const nlohmann::json& schema, const std::string& where,
                                     int depth);
  [[nodiscard]] Result<void> examine_keyword(const std::string& name, const nlohmann::json& value,
                                             const std::string& where, int depth);
  [[nodiscard]] Result<void> examine_pattern(const std::string& text, const std::string& where);
};

/// A member's name or an index behind a JSON pointer.
[[nodiscard]] std::string pointer_to(const std::string& base, const std::string& name);

}  // namespace svc
