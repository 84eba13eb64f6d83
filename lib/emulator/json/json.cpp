#include "emulator/json/json.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "json/slices.h"

namespace svc::emulator::text {

Json parse_json(sv text) {
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return nullptr;
  return value;
}

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* member(const Json& object, sv name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(name));
  if (found == object.end() || found->is_null()) return nullptr;
  return &*found;
}

std::string get_string(const Json& object, sv name, sv fallback) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string(fallback);
}

bool get_bool(const Json& object, sv name, bool fallback) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_boolean() ? value->get<bool>() : fallback;
}

std::optional<std::int64_t> get_integer(const Json& object, sv name) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  constexpr auto k_max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > k_max) return std::nullopt;
  return value->get<std::int64_t>();
}

std::optional<double> get_number(const Json& object, sv name) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json value_or(const Json& object, sv name, const Json& fallback) {
  const Json* value = member(object, name);
  return value == nullptr ? fallback : *value;
}

Json copy_of(const Json& object, sv name) {
  return value_or(object, name, nullptr);
}

namespace {

// The name of a shape, and whether a value's JSON type alone allows it.
struct ShapeRow {
  Shape shape;
  sv expected;
  bool (*matches)(const Json& value);
};
const std::array<ShapeRow, 11> k_shapes = {{
    {Shape::Any, "any value", [](const Json&) { return true; }},
    {Shape::Text, "a string", [](const Json& value) { return value.is_string(); }},
    {Shape::Word, "a string", [](const Json& value) { return value.is_string(); }},
    {Shape::Boolean, "a boolean", [](const Json& value) { return value.is_boolean(); }},
    {Shape::Integer, "i64", [](const Json& value) { return value.is_number_integer(); }},
    {Shape::Count, "u32", [](const Json& value) { return value.is_number_integer(); }},
    {Shape::Number, "a number", [](const Json& value) { return value.is_number(); }},
    {Shape::Object, "a map", [](const Json& value) { return value.is_object(); }},
    {Shape::List, "a sequence", [](const Json& value) { return value.is_array(); }},
    {Shape::Either, "a map", [](const Json& value) { return value.is_object(); }},
    {Shape::Tagged, "a map", [](const Json& value) { return value.is_object(); }},
}};

const ShapeRow& row_of(const Type& type) {
  return *std::ranges::find(k_shapes, type.shape, &ShapeRow::shape);
}

std::string shown_value(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return fmt::format("boolean `{}`", value.get<bool>());
    case Json::value_t::string:
      return fmt::format("string {}", json_quote(excerpt(value.get_ref<const std::string&>())));
    case Json::value_t::number_float:
      return fmt::format("floating point `{}`", dump(value));
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return fmt::format("integer `{}`", dump(value));
    case Json::value_t::array:
      return "sequence";
    default:
      return "map";
  }
}

std::string list_words(const std::vector<sv>& words) {
  std::string text;
  for (const sv word : words) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", word);
  return words.size() == 1 ? text : "one of " + text;
}

std::string unknown_word(sv word, const std::vector<sv>& known) {
  return fmt::format("unknown variant `{}`, expected {}", excerpt(word), list_words(known));
}

using Kind = SchemaMismatch::Kind;

class Checker {
 public:
  explicit Checker(sv document) : m_document(document) {}

  bool matches(const Json& value, const Type& type) {
    if (type.shape == Shape::Either) return matches_either(value, type);
    if (!row_of(type).matches(value)) {
      return fail(
          fmt::format("invalid type: {}, expected {}", shown_value(value), row_of(type).expected));
    }
    check_range(value, type);
    switch (type.shape) {
      case Shape::Word:
        return matches_word(value.get_ref<const std::string&>(), type.words);
      case Shape::Integer:
        return in_range(value, std::numeric_limits<std::int64_t>::min(),
                        std::numeric_limits<std::int64_t>::max(), type);
      case Shape::Count:
        return in_range(value, 0, std::numeric_limits<std::uint32_t>::max(), type);
      case Shape::Object:
        return matches_fields(value, type.members);
      case Shape::List:
        return matches_list(value, *type.options.front());
      case Shape::Tagged:
        return matches_tagged(value, type);
      default:
        return true;
    }
  }

  /// Of the whole value, after matches().
  [[nodiscard]] const std::optional<SchemaMismatch>& mismatch() const {
    return m_mismatch ? m_mismatch : m_out_of_range;
  }

 private:
  // Ranges count once all types match, so that a wrong type is reported first.
  void check_range(const Json& value, const Type& type) {
    if (m_out_of_range || (!type.low && !type.high)) return;
    double measure = static_cast<double>(value.size());
    if (value.is_number()) measure = value.get<double>();
    if (value.is_string()) {
      measure = static_cast<double>(count_code_points(trim(value.get_ref<const std::string&>())));
    }
    if (measure >= type.low.value_or(measure) && measure <= type.high.value_or(measure)) return;
    const std::string path = describe_path(m_path);
    std::string reason;
    if (value.is_number()) {
      reason = type.high ? fmt::format("Invalid value for {}: {} is not between {} and {}.", path,
                                       measure, type.low.value_or(0), *type.high)
                         : fmt::format("{} must be at least {}.", path, *type.low);
    } else if (measure < type.low.value_or(0)) {
      reason = fmt::format("{} cannot be empty.", path);
    } else {
      reason =
          fmt::format("Too many {}: {} given, at most {} are allowed.", path, measure, *type.high);
    }
    m_out_of_range = SchemaMismatch{.path = path, .reason = std::move(reason), .kind = Kind::Range};
  }

  bool fail(std::string reason, Kind kind = Kind::Type) {
    const Position position = locate(m_document, m_path);
    m_mismatch = SchemaMismatch{describe_path(m_path), std::move(reason), position.line,
                                position.column, kind};
    return false;
  }

  // A missing field has no position of its own: use the end of its object.
  bool fail_missing(sv name) {
    m_path.emplace_back(std::string(name));
    return fail(fmt::format("missing field `{}`", name), Kind::Missing);
  }

  bool matches_word(const std::string& word, const std::vector<sv>& words) {
    return has_element(words, sv(word)) || fail(unknown_word(word, words), Kind::Word);
  }

  bool in_range(const Json& value, std::int64_t minimum, std::int64_t maximum, const Type& type) {
    constexpr auto k_max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > k_max;
    if (!too_large) {
      const auto number = value.get<std::int64_t>();
      if (number >= minimum && number <= maximum) return true;
    }
    return fail(
        fmt::format("invalid value: {}, expected {}", shown_value(value), row_of(type).expected));
  }

  bool matches_fields(const Json& value, const std::vector<Member>& members) {
    for (const Member& one : members) {
      const auto found = value.find(std::string(one.name));
      const bool absent = found == value.end() || (found->is_null() && !one.required);
      if (absent && one.required) return fail_missing(one.name);
      if (absent) continue;
      m_path.emplace_back(std::string(one.name));
      if (!matches(*found, *one.type)) return false;
      m_path.pop_back();
    }
    return true;
  }

  bool matches_list(const Json& value, const Type& element) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      m_path.emplace_back(i);
      if (!matches(value[i], element)) return false;
      m_path.pop_back();
    }
    return true;
  }

  bool matches_either(const Json& value, const Type& type) {
    std::string all;
    for (const Type* option : type.options) {
      if (row_of(*option).matches(value)) return matches(value, *option);
      all += fmt::format("{}{}", all.empty() ? "" : " or ", row_of(*option).expected);
    }
    return fail(fmt::format("invalid type: {}, expected {}", shown_value(value), all));
  }

  bool matches_tagged(const Json& value, const Type& type) {
    const auto found = value.find(std::string(type.tag));
    std::string word(type.fallback);
    if (found != value.end() && !(found->is_null() && !word.empty())) {
      m_path.emplace_back(std::string(type.tag));
      if (!matches(*found, Type{.shape = Shape::Text})) return false;
      word = found->get<std::string>();
    } else if (word.empty()) {
      return fail_missing(type.tag);
    } else {
      m_path.emplace_back(std::string(type.tag));
    }
    for (const Member& variant : type.members) {
      if (variant.name != word) continue;
      m_path.pop_back();
      return matches(value, *variant.type);
    }
    std::vector<sv> known;
    for (const Member& variant : type.members) known.push_back(variant.name);
    return fail(unknown_word(word, known), Kind::Word);
  }

  sv m_document;
  std::vector<Step> m_path{};
  std::optional<SchemaMismatch> m_mismatch{};
  std::optional<SchemaMismatch> m_out_of_range{};
};

std::string decode_name(sv name) {
  if (name.find('\\') == sv::npos) return std::string(name);
  const Json decoded = parse_json(fmt::format("\"{}\"", name));
  return decoded.is_string() ? decoded.get<std::string>() : std::string(name);
}

// Returns the value at the step, of the last field with that name; empty if there is none.
sv follow(sv value, const Step& step) {
  if (const auto* name = std::get_if<std::string>(&step)) {
    sv found;
    for (const JsonMember& member : json_members(value)) {
      if (decode_name(member.name) == *name) found = member.value;
    }
    return found;
  }
  const auto elements = json_elements(value);
  const auto index = std::get<std::size_t>(step);
  return index < elements.size() ? elements[index] : sv{};
}

}  // namespace

class Types::Reader {
 public:
  explicit Reader(Types& types) : m_types(types), m_rest(types.m_text) {}

  void definitions() {
    for (;;) {
      while (take('#')) m_rest.remove_prefix(std::min(m_rest.find('\n'), m_rest.size()));
      if (m_rest.empty()) return;
      const sv name = word();
      expect('=');
      m_types.m_names[name] = type();
    }
  }

 private:
  [[nodiscard]] bool take(char c) {
    m_rest = trim(m_rest);
    if (!m_rest.starts_with(c)) return false;
    m_rest.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c)) throw std::logic_error(fmt::format("a type has no {} before {}", c, m_rest));
  }

  sv word() {
    m_rest = trim(m_rest);
    const sv found = m_rest.substr(0, m_rest.find_first_of(" \n,:=!|@{}[]<>()"));
    m_rest.remove_prefix(found.size());
    return found;
  }

  const Type* add(Type type) { return &m_types.m_all.emplace_back(std::move(type)); }

  const Type* type() {
    Type either{.shape = Shape::Either, .options = {ranged()}};
    while (take('|')) either.options.push_back(ranged());
    return either.options.size() == 1 ? either.options.front() : add(std::move(either));
  }

  const Type* ranged() {
    const Type* plain = one();
    if (!take('(')) return plain;
    const sv range = m_rest.substr(0, m_rest.find(')'));
    const std::size_t dots = range.find("..");
    if (dots == sv::npos) expect('.');
    Type made = *plain;
    made.low = parse_number(range.substr(0, dots));
    made.high = parse_number(range.substr(dots + 2));
    m_rest.remove_prefix(range.size());
    expect(')');
    return add(std::move(made));
  }

  const Type* one() {
    Type made;
    if (take('{')) {
      made = {.shape = Shape::Object, .members = members("text")};
    } else if (take('[')) {
      made = {.shape = Shape::List, .options = {type()}};
      expect(']');
    } else if (take('<')) {
      made.shape = Shape::Word;
      while (!take('>')) {
        if (m_rest.empty()) expect('>');
        made.words.push_back(m_rest.substr(0, m_rest.find_first_of(" \n>")));
        m_rest.remove_prefix(made.words.back().size());
      }
    } else if (take('@')) {
      made = {.shape = Shape::Tagged, .tag = word()};
      if (take('=')) made.fallback = word();
      expect('{');
      made.members = members("map");
    } else {
      return &m_types[word()];
    }
    return add(std::move(made));
  }

  std::vector<Member> members(sv usual) {
    std::vector<Member> members;
    while (!take('}')) {
      Member& member = members.emplace_back(Member{word()});
      member.required = take('!');
      member.type = take(':') ? type() : &m_types[usual];
      if (!take(',') && !m_rest.starts_with('}')) expect('}');
    }
    return members;
  }

  Types& m_types;
  sv m_rest;
};

Types::Types(std::string definitions)
    : m_text("texts = [text] int64 = text | integer " + std::move(definitions)) {
  constexpr std::array<std::pair<sv, Shape>, 7> k_plain = {{{"any", Shape::Any},
                                                            {"text", Shape::Text},
                                                            {"boolean", Shape::Boolean},
                                                            {"integer", Shape::Integer},
                                                            {"count", Shape::Count},
                                                            {"number", Shape::Number},
                                                            {"map", Shape::Object}}};
  for (const auto& [name, shape] : k_plain) {
    m_names[name] = &m_all.emplace_back(Type{.shape = shape});
  }
  Reader(*this).definitions();
}

const Type& Types::operator[](sv name) const {
  const auto found = m_names.find(name);
  if (found == m_names.end()) throw std::logic_error(fmt::format("there is no type {}", name));
  return *found->second;
}

sv embedded_file(sv name) {
  return std::ranges::find(embedded_files(), name, &EmbeddedFile::name)->content;
}

const Type& request_type(sv name) {
  static const Types k_types{std::string(embedded_file("requests.txt"))};
  return k_types[name];
}

std::optional<SchemaMismatch> check_type(const Json& value, const Type& type, sv document) {
  Checker checker(document);
  (void)checker.matches(value, type);
  return checker.mismatch();
}

Checked<Json> read_body(const Request& request, sv type) {
  constexpr sv k_byte_order_mark = "\xEF\xBB\xBF";
  sv document = request.body;
  if (document.starts_with(k_byte_order_mark)) document.remove_prefix(k_byte_order_mark.size());
  // Check first: this reports line and column, and refuses nesting that is too deep to copy.
  const auto syntax = check_json(document);
  Json value = syntax ? Json(nullptr) : parse_json(document);
  if (syntax || (value.is_null() && trim(document) != "null")) {
    return invalid_argument_error(
        fmt::format("Failed to parse the request body as JSON: {}",
                    syntax ? describe(*syntax) : "a number or an escape is out of range"));
  }
  if (const auto mismatch = check_type(value, request_type(type), document)) {
    if (mismatch->kind == SchemaMismatch::Kind::Range)
      return invalid_argument_error(mismatch->reason);
    return schema_mismatch_error(mismatch->path, mismatch->reason, mismatch->line,
                                 mismatch->column);
  }
  return value;
}

Position locate(sv document, std::span<const Step> path) {
  const sv trimmed = trim(document);
  sv value = trimmed.empty() ? document : trimmed;
  for (const Step& step : path) {
    const sv next = follow(value, step);
    if (next.empty()) break;
    value = next;
  }
  const sv before =
      document.substr(0, static_cast<std::size_t>(value.data() - document.data()) + value.size());
  Position position;
  position.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_begin = before.rfind('\n');
  position.column = line_begin == sv::npos ? before.size() : before.size() - line_begin - 1;
  if (position.column == 0) position.column = 1;
  return position;
}

std::string describe_path(std::span<const Step> path) {
  std::string text;
  for (const Step& step : path) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      text += text.empty() ? *name : "." + *name;
    } else {
      text += fmt::format("[{}]", std::get<std::size_t>(step));
    }
  }
  return text.empty() ? "." : text;
}

Response request_error(const Request& request, std::span<const Step> path, sv reason) {
  const Position position = locate(request.body, path);
  return schema_mismatch_error(describe_path(path), reason, position.line, position.column);
}

}  // namespace svc::emulator::text

auto svc::emulator::json_response(const text::Json& body) -> Response {
  return Response{.body = text::dump(body)};
}
