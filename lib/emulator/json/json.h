// JSON for the operations, with fields in their original order; and the types of their bodies.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "emulator/handler/handler.h"
#include "json/text.h"

namespace svc::emulator {
namespace text {

using Json = nlohmann::ordered_json;

/// A file that is built in: the manual pages, and data of this module.
struct EmbeddedFile {
  sv name;  ///< "page.html"
  sv content;
};

/// Generated at build time by embed.cmake.
[[nodiscard]] std::span<const EmbeddedFile> embedded_files();

/// Returns the content of one of them.
[[nodiscard]] sv embedded_file(sv name);

/// Returns the document, or null if `text` is not JSON.
[[nodiscard]] Json parse_json(sv text);

/// Compact; never throws, invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string dump(const Json& value);

/// Returns the field of an object that is not null; null if there is none.
[[nodiscard]] const Json* member(const Json& object, sv name);

/// Returns the field if it has that type (integers: of 64 bits), otherwise the fallback.
[[nodiscard]] std::string get_string(const Json& object, sv name, sv fallback = {});
[[nodiscard]] bool get_bool(const Json& object, sv name, bool fallback);
[[nodiscard]] std::optional<std::int64_t> get_integer(const Json& object, sv name);
[[nodiscard]] std::optional<double> get_number(const Json& object, sv name);

/// The text, or null when it is empty.
[[nodiscard]] Json or_null(const std::string& text);

/// The value, or null when there is none.
template <typename Value, typename Null = Json>
[[nodiscard]] Null or_null(const std::optional<Value>& value) {
  return value ? Null(*value) : Null();
}

/// Returns an array of the results of `make` for each element.
template <typename Range, typename Make, typename List = Json>
[[nodiscard]] List json_list(const Range& range, const Make& make) {
  List list = List::array();
  for (const auto& element : range) list.push_back(make(element));
  return list;
}

/// Returns the field unchanged, or the fallback.
[[nodiscard]] Json value_or(const Json& object, sv name, const Json& fallback);

/// Returns the field unchanged, or JSON null.
[[nodiscard]] Json copy_of(const Json& object, sv name);

}  // namespace text

/// 200, with the document as the body.
[[nodiscard]] Response json_response(const text::Json& body);

namespace text {

// Checks whether a request's body matches its type, which is written as text; otherwise it is a
// 422.

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
  sv fallback{};                ///< used if the tag is absent; empty: the tag is required
  std::optional<double> low{};  ///< of a number, the elements of a list, the characters of a text
  std::optional<double> high{};
};

/// Types by name, from definitions `name = type`, where a type is
///   a name            defined before, or one of: any text boolean integer count number
///                     map texts int64 (an integer, or a string that contains one)
///   {a!: T, b, c: U}  an object; `!` marks required fields; a field without a type is text
///   [T]               an array
///   <one two>         one of these words
///   T | U             either
///   T(1..), T(0..2)   with a value in that range: of a number, of the elements of an array, or of
///                     the characters of a text without blanks around it
///   @tag{w: T, v}     selected by the field `tag`; a word without a type is any object.
///                     @tag=w{...}: w when there is no tag
/// Lines that begin with # are comments. An error in a definition is a bug: std::logic_error.
class Types {
 public:
  explicit Types(std::string definitions);
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

/// Returns the type with that name in requests.txt.
[[nodiscard]] const Type& request_type(sv name);

struct SchemaMismatch {
  enum class Kind : std::uint8_t {
    Type,
    Missing,
    Word,  ///< none of the type's words
    Range  ///< all types match; `reason` is a sentence about a value
  };
  std::string path;
  std::string reason;
  std::size_t line = 1, column = 1;
  Kind kind = Kind::Type;
};

/// Returns the first part of `value` that does not match `type`, with its position in `document`,
/// the text that `value` was parsed from; or else the first value that is out of its range.
[[nodiscard]] std::optional<SchemaMismatch> check_type(const Json& value, const Type& type,
                                                       sv document);

/// Returns the body of `request` if it matches the request_type(); otherwise 422 or 400.
[[nodiscard]] Checked<Json> read_body(const Request& request, sv type);

// --- the position of a value in the text of a JSON document ---

/// A field's name or an element's index.
using Step = std::variant<std::string, std::size_t>;

struct Position {
  std::size_t line = 1, column = 1;
};

/// Returns the position of the last byte of the value at `path` (or of what exists of it), where
/// the service's parser is when it rejects a value. `document` must be JSON.
[[nodiscard]] Position locate(sv document, std::span<const Step> path);

/// "messages[0].role"; "." for the document itself.
[[nodiscard]] std::string describe_path(std::span<const Step> path);

/// 422 for the value at `path` of the call's body.
[[nodiscard]] Response request_error(const Request& request, std::span<const Step> path, sv reason);

}  // namespace text
}  // namespace svc::emulator
