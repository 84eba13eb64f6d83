// Prompt templates: of a batch, filled with the rest of the input, and of a profile.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "batch/prompt_form.h"
#include "client/config_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t line = bytes.find('\n');
  const std::string_view text = bytes.substr(0, line);
  const std::vector<std::string> columns = {"prompt", "a", "b c"};
  const std::string cell(line == std::string_view::npos ? bytes : bytes.substr(line + 1));
  const std::vector<std::string> cells(columns.size(), cell);
  if (const auto form = svc::batch::Template::parse(text, columns, 0)) {
    if (form->fill(cells).size() > text.size() * (cell.size() + 1)) std::abort();
  } else if (form.error().message.empty()) {
    std::abort();
  }
  std::vector<std::string> open = {"prompt"};
  if (const auto form = svc::batch::Template::parse_open(text, open)) {
    (void)form->fill(std::vector<std::string>(open.size(), cell));
  }
  (void)svc::batch::find_column("--prompt-column", text, columns);
  const auto body = svc::parse_template(bytes);
  if (!body && svc::first_invalid_utf8(body.error().message)) std::abort();
  return 0;
}
