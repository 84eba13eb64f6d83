// Checks whether a request's body matches its type. Types are written as text; a body that does not
// match gets the service's 422.
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
  Object,  ///< an object with `members`; others are ignored
  List,    ///< of `options[0]`
  Either,  ///< one of `options`, chosen by the JSON type of the value
  Tagged,  ///< an object whose string field `tag` selects its type from `members`
};

struct Type;

struct Member {
  sv name;
  const Type* type = nullptr;
  bool required = false;  ///< if false, it may be absent or null
};

struct Type {
  Shape shape = Shape::Any;
  std::vector<Member> members{};
  std::vector<const Type*> options{};
  std::vector<sv> words{};
  sv tag{};
  sv fallback{};  ///< used if the tag is absent; empty: the tag is required
};

/// Types by name, from definitions `name = type`, where a type is
///   a name            defined before, of `known`, or one of: any text boolean integer count number
///                     map texts int64 (an integer, or a string that contains one)
///   {a!: T, b, c: U}  an object; `!` marks required fields; a field without a type is text
///   [T]               an array
///   <one two>         one of these words
///   T | U             either
///   @tag{w: T, v}     selected by the field `tag`; a word without a type is any object.
///                     @tag=w{...}: w when there is no tag
/// An error in a definition is a bug: std::logic_error.
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

struct SchemaMismatch {
  std::string path;
  std::string reason;
  std::size_t line = 1;
  std::size_t column = 1;
};

/// Returns the first part of `value` that does not match `type`, with its position in `document`,
/// the text that `value` was parsed from.
[[nodiscard]] std::optional<SchemaMismatch> check_type(const Json& value, const Type& type,
                                                       sv document);

/// Returns the body of `request` as JSON if it matches.
[[nodiscard]] Checked<Json> read_body(const Request& request, const Type& type);

// --- the position of a value in the text of a JSON document ---

/// A field's name or an element's index.
using Step = std::variant<std::string, std::size_t>;

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// Returns the position of the last byte of the value at `path`, counted from 1, where the
/// service's parser is when it rejects a value. If the path does not exist, it is the last byte of
/// the innermost existing value. `document` must be JSON.
[[nodiscard]] Position locate(std::string_view document, std::span<const Step> path);

/// "messages[0].role"; "." for the document itself.
[[nodiscard]] std::string describe_path(std::span<const Step> path);

/// 422 for the value at `path` of the call's body.
[[nodiscard]] Response request_error(const Request& request, std::span<const Step> path, sv reason);

}  // namespace svc::emulator::text
