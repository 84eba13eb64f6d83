#include "print/json.h"

#include <functional>

#include "json/text.h"

namespace svc::print {
namespace {

JsonStyle style_for(const Terminal& terminal, JsonLayout layout) {
  return JsonStyle{layout, terminal.color, terminal.is_tty};
}

Error not_json(sv whose, const JsonParseError& fault) {
  return Error{Fault::Network, std::string(whose) + " is not JSON: " + describe(fault)};
}

/// Passes the text, laid out, to `write` piece by piece.
Result<void> write_laid_out(sv text, const JsonStyle& style, sv whose,
                            const std::function<Result<void>(sv piece)>& write) {
  Result<void> written;
  const auto fault = reformat_json(text, style, [&](sv piece) {
    if (written) written = write(piece);
  });
  return fault ? not_json(whose, *fault) : written;
}

/// Writes `text` with "  " after each newline. In laid-out JSON, a newline never occurs inside a
/// string.
Result<void> write_indented(Out& out, sv text) {
  for (std::size_t end = text.find('\n'); end != sv::npos; end = text.find('\n')) {
    SVC_CHECK(out.write(text.substr(0, end + 1)));
    SVC_CHECK(out.write("  "));
    text.remove_prefix(end + 1);
  }
  return out.write(text);
}

}  // namespace

// Parses the whole text without output first: half a document on standard output would be worse
// than none. Uses the layout's own parser, so that both accept the same input.
Result<void> check_printable(sv text, sv whose) {
  return write_laid_out(text, {JsonLayout::Compact}, whose, [](sv) { return Result<void>(); });
}

Result<void> print_json(Out& out, sv text, sv whose) {
  SVC_CHECK(check_printable(text, whose));
  SVC_CHECK(write_laid_out(text, style_for(out.terminal(), JsonLayout::Pretty), whose,
                           [&](sv piece) { return out.write(piece); }));
  return out.write("\n");
}

Result<void> JsonLines::print(sv text, sv whose) {
  m_line.clear();
  const JsonStyle style = style_for(m_out.terminal(), JsonLayout::Compact);
  const auto fault = reformat_json(text, style, [this](sv piece) { m_line += piece; });
  if (fault) return not_json(whose, *fault);
  m_line += '\n';
  return m_out.write(m_line);
}

Result<void> JsonArray::add(sv item, sv whose) {
  SVC_CHECK(check_printable(item, whose));
  SVC_CHECK(m_out.write(m_empty ? "[\n  " : ",\n  "));
  m_empty = false;
  return write_laid_out(item, style_for(m_out.terminal(), JsonLayout::Pretty), whose,
                        [this](sv piece) { return write_indented(m_out, piece); });
}

}  // namespace svc::print
