#include "request/inputs.h"

#include <fmt/format.h>

#include "base/text.h"

namespace svc::request {

Result<Header> read_header(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) {
    return usage_error(fmt::format("--header takes 'Name: value', not '{}'", shown(text, 40)));
  }
  Header header{std::string(trim(std::string_view(text).substr(0, colon))),
                std::string(trim(std::string_view(text).substr(colon + 1)))};
  if (equals_ignore_case(header.name, "authorization")) {
    return usage_error("--header cannot carry the key: everybody on this machine could read it",
                       "Set SVC_API_KEY, or run `svc auth login`.");
  }
  if (visible(header.value, Lines::Escape) != header.value || first_invalid_utf8(header.value)) {
    return usage_error(fmt::format("--header {}: the value has control characters",
                                   visible(header.name, Lines::Escape)));
  }
  return header;
}

Result<bool> wants_stdin(const Operation& operation, const Inputs& inputs) {
  int wanted = inputs.body && *inputs.body == "-" ? 1 : 0;
  int spooled = 0;  // goes into a file, or is one line, instead of all of it in memory
  for (const Given& given : inputs.given) {
    const bool can =
        given.field->kind == Kind::Media || (given.field->positional && given.field->file_text);
    if (can && given.text == "-") ++wanted;
    const bool file = given.field->kind == Kind::File && given.field->in != In::Local;
    const bool apart = file || given.field->kind == Kind::Secret;
    if (apart && given.text == "-") ++spooled;
  }
  if (wanted + spooled > 1) {
    return usage_error("standard input (-) was given more than once");
  }
  // A secret's line is not part of a prompt.
  return wanted > 0 || (spooled == 0 && operation.composer != Composer::None &&
                        operation.composer != Composer::Collection);
}

}  // namespace svc::request
