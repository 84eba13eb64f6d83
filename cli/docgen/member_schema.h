// Answers and events as JSON Schema.
#pragma once

#include <span>

#include "catalogue/model.h"
#include "json/document.h"

namespace svc::docgen {

/// Documented: what the service says that it sends, for OpenAPI and AsyncAPI. Lenient: what svc
/// passes on, for readers that enforce a schema: every member may be missing or null, a number or a
/// boolean may be in a string, and unknown members, values and variants pass.
enum class Strictness : std::uint8_t { Documented, Lenient };

/// Makes schemas of objects.
class MemberSchemas {
 public:
  /// Shapes are added to `components` and referred to as "#/components/schemas/NAME"; without it,
  /// each is repeated where it occurs.
  explicit MemberSchemas(Strictness strictness, OrderedJson* components = nullptr)
      : m_lenient(strictness == Strictness::Lenient), m_components(components) {}

  [[nodiscard]] OrderedJson object(std::span<const Member> members);

 private:
  void add(OrderedJson& schema, const Member& member);
  [[nodiscard]] OrderedJson leaf(const Member& member);
  [[nodiscard]] OrderedJson scalar(const Member& member) const;
  [[nodiscard]] OrderedJson shape(const Shape& shape);
  [[nodiscard]] OrderedJson shape_inside(const Shape& shape);
  [[nodiscard]] OrderedJson variant(const Shape& shape, const Variant& variant);
  void set_type(OrderedJson& schema, sv type) const;

  bool m_lenient;
  OrderedJson* m_components;
};

/// Adds the name to the members that the object's schema requires, once.
void require_member(OrderedJson& schema, sv name);

/// Returns the schema of one item of the operation's list, or of its document if it is not a list.
[[nodiscard]] OrderedJson item_schema(const Operation& operation, Strictness strictness);

}  // namespace svc::docgen
