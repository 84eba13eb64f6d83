#include "operation/details.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "print/sections.h"

namespace svc::cli {
namespace {

// Off a terminal no line is cut.
constexpr int k_endless = 100'000;

}  // namespace

bool wants_details(const Session& session) {
  return session.format() == Format::Text && session.globals().verbose;
}

void print_details(Session& session, std::span<const Section> details,
                   const nlohmann::json& document) {
  if (details.empty() || !wants_details(session)) return;
  print::Terminal terminal = session.err().terminal();
  const bool log = !terminal.is_tty;
  if (log) terminal.columns = k_endless;
  // Laid out for people wherever standard error goes; the notice makes it harmless, colour too.
  terminal.is_tty = true;
  terminal.color = false;
  std::string text;
  print::Out out(print::string_sink(text), terminal);
  if (print::print_sections(out, document, details, true, log) && out.flush()) {
    session.notices().aside(text);
  }
}

}  // namespace svc::cli
