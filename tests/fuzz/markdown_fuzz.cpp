// Markdown from a model: the output must not depend on how the input is split, and must contain no
// escape sequences except our own.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "print/markdown.h"

namespace {

std::string render(std::string_view text, std::size_t piece, bool color) {
  svc::print::Terminal terminal;
  terminal.is_tty = terminal.utf8 = true;
  terminal.color = color;
  terminal.columns = 40;
  svc::print::MarkdownStream stream(terminal);
  std::string shown;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    shown += stream.feed(text.substr(at, piece));
  }
  shown += stream.finish();
  return shown;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = render(text, size + 1, false);
  if (whole.find('\x1b') != std::string::npos) std::abort();
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}}) {
    if (render(text, piece, false) != whole) std::abort();
  }
  if (render(text, 1, true) != render(text, size + 1, true)) std::abort();
  return 0;
}
