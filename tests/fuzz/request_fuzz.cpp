// What a user passes in: values of every flag, headers, amounts, and the first bytes of files. All
// must give a value or an error that can be shown.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/money.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "json/document.h"
#include "json/text.h"
#include "request/convert.h"
#include "request/inputs.h"
#include "request/media.h"

namespace {

using namespace svc;

std::vector<const Field*> all_fields() {
  std::vector<const Field*> fields;
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      for (const Field& field : operation.fields) fields.push_back(&field);
    }
  }
  return fields;
}

template <typename Value>
void check(const Result<Value>& value) {
  if (value) return;
  if (value.error().message.empty() || first_invalid_utf8(value.error().message)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<const Field*> fields = all_fields();
  if (size < 3) return 0;
  const Field& field = *fields[(data[0] + 256U * data[1]) % fields.size()];
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  // Literal: must not read files.
  const auto value = request::convert(field, text, {.now = 1'800'000'000, .literal = true});
  check(value);
  if (value && check_json(value->dump())) std::abort();
  if (!text.starts_with('@')) check(request::parse_user_json("--body", text));
  const auto header = request::read_header(text);
  check(header);
  if (header) {
    // The transport checks the name.
    for (const char c : header->value) {
      if (c == '\n' || c == '\r' || c == '\0') std::abort();
    }
  }
  (void)request::parse_secret_source(field, text);
  if (request::sniff_type(text).empty()) std::abort();
  (void)request::form_of(text);
  (void)parse_dollars(text);
  (void)parse_ticks(text);
  (void)parse_duration(text);
  return 0;
}
