// Does a request's body fit its type? The types are written as text; a body that does not fit gets
// the service's 422.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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
  Object,  ///< an object with `members`; further ones are ignored
  List,    ///< of `options[0]`
  Either,  ///< one of `options`, chosen by the JSON kind of the value
  Tagged,  ///< an object whose text member `tag` names the one of `members` that is its type
};

struct Type;

struct Member {
  sv name;
  const Type* type = nullptr;
  bool required = false;  ///< else it may be absent or null
};

struct Type {
  Shape shape = Shape::Any;
  std::vector<Member> members{};
  std::vector<const Type*> options{};
  std::vector<sv> words{};
  sv tag{};
  sv fallback{};  ///< the word when the tag is absent; empty: the tag is required
};

/// Types by name, from definitions `name = type`, where a type is
///   a name            defined before, of `known`, or one of: any text boolean integer count number
///                     map texts int64 (an integer, or a text that holds one)
///   {a!: T, b, c: U}  an object; `!` marks required members, and a member without a type is a text
///   [T]               a list
///   <one two>         one of these words
///   T | U             either
///   @tag{w: T, v}     chosen by the member `tag`; a word without a type is any object.
///                     @tag=w{...}: w when there is no tag
/// A fault in a definition is a bug: std::logic_error.
class Types {
 public:
  explicit Types(std::string definitions,
                 std::initializer_list<std::pair<sv, const Type*>> known = {});
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
  ~Types() = default;

  [[nodiscard]] const Type& operator[](sv name) const;

 private:
  class Reader;
  std::string m_text;
  std::deque<Type> m_all{};
  std::map<sv, const Type*> m_names{};
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

/// The body of `call` as JSON when it fits.
[[nodiscard]] Checked<Json> read_body(const Call& call, const Type& type);

// --- where a value stands in the text of a JSON document ---

/// A member's name or an element's index.
using Step = std::variant<std::string, std::size_t>;

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The position of the last byte of the value that `path` leads to, counted from 1, which is where
/// the service's parser stands when it finds a value wrong. Where the path leads nowhere, the last
/// byte of the innermost value that it reaches. `document` must be JSON.
[[nodiscard]] Position locate(std::string_view document, std::span<const Step> path);

/// "messages[0].role"; "." for the document itself.
[[nodiscard]] std::string describe_path(std::span<const Step> path);

}  // namespace svc::emulator::text
