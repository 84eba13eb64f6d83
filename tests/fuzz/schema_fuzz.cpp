// JSON Schema on the first line, a value after it: a schema must be read or refused, and a check
// must end, with the same result each time.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "json/schema.h"
#include "json/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t line = bytes.find('\n');
  const std::string_view text = bytes.substr(0, line);
  if (svc::check_json(text)) return 0;
  const nlohmann::json document = svc::parse_reply(text);
  const auto schema = svc::JsonSchema::read(document);
  if (!schema) {
    if (svc::first_invalid_utf8(schema.error().message)) std::abort();
    return 0;
  }
  const std::string_view rest = line == std::string_view::npos ? text : bytes.substr(line + 1);
  const nlohmann::json value = svc::check_json(rest) ? document : svc::parse_reply(rest);
  const auto error = schema->check(value);
  if (error.has_value() != schema->check(value).has_value()) std::abort();
  if (error && svc::first_invalid_utf8(error->where + error->why)) std::abort();
  return 0;
}
