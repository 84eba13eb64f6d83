// Does a request's body fit its type? The types are data (check_tables.h); a body that does not fit
// gets the service's 422.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "emulator/handler/handler.h"
#include "emulator/json/json.h"

namespace svc::emulator::text {

enum class Shape : std::uint8_t {
  Any,
  Text,
  Word,  ///< one of `words`
  Boolean,
  Integer,  ///< 64 bits, signed
  Count,    ///< 32 bits, unsigned
  Number,
  Map,     ///< an object of any members
  Object,  ///< an object with `members`; further ones are ignored
  List,    ///< of `element`
  Either,  ///< one of `options`, chosen by the JSON kind of the value
  Tagged,  ///< an object whose text member `tag` chooses among `variants`
};

struct Type;

struct Member {
  sv name;
  const Type* type;
  bool required = false;  ///< else it may be absent or null
};

struct Variant {
  sv word;
  const Type* type;
};

struct Type {
  Shape shape = Shape::Any;
  std::span<const Member> members{};
  const Type* element = nullptr;
  std::span<const sv> words{};
  std::span<const Type* const> options{};
  sv tag{};
  std::span<const Variant> variants{};
  sv fallback{};  ///< the word when the tag is absent; empty: the tag is required
};

struct SchemaFault {
  std::string path;
  std::string reason;
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The first thing in `value` that does not fit `type`, with its place in `document`, the text that
/// `value` was read from.
[[nodiscard]] std::optional<SchemaFault> check_type(const Json& value, const Type& type,
                                                    sv document);

/// The body of `call` as JSON when it fits; else the answer that refuses it in `refusal`.
[[nodiscard]] Json read_body(const Call& call, const Type& type, std::optional<Answer>& refusal);

}  // namespace svc::emulator::text
