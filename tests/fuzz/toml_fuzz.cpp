// TOML: text that is accepted can be written and read again with the same values, and edits keep
// the values of other tables.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "client/toml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto root = svc::parse_toml("fuzz", text);
  if (!root) {
    if (root.error().message.empty() || svc::first_invalid_utf8(root.error().message)) std::abort();
    return 0;
  }
  const auto again = svc::parse_toml("fuzz", svc::toml_text(*root));
  if (!again || !(*again == *root)) std::abort();
  const svc::TablePath table = {"profile", "p"};
  (void)svc::toml_table_body(text, table);
  for (const std::string& edited :
       {svc::edit_toml_value(text, table, "model", "\"m\""),
        svc::edit_toml_value(text, {}, "default_profile", std::nullopt),
        svc::add_toml_table(text, table), svc::replace_toml_table(text, table, "a = 1\n")}) {
    (void)svc::parse_toml("fuzz", edited);
  }
  return 0;
}
