// Prints requests and plans for --dry-run and --curl. Keys appear as $SVC_API_KEY.
#pragma once

#include <cstdint>
#include <string>

#include "request/inputs.h"
#include "request/plan.h"

namespace svc::request {

/// Who gets a curl command line: on a terminal, control characters in it are escaped.
enum class ShownTo : std::uint8_t { Pipe, Terminal };

/// Method, URL, headers and body as text. A JSON body is indented; data: URLs and base64 longer
/// than 200 characters are shortened and their length is printed; files are shown by name and size.
[[nodiscard]] std::string show_request(const Request& request);

/// The request as one JSON object: {"method","url","headers","body"}; a JSON body is the text that
/// is sent.
[[nodiscard]] std::string show_request_json(const Request& request);

/// A curl command line that sends the same request when pasted into a POSIX shell with the key's
/// variable set.
[[nodiscard]] std::string show_curl(const Request& request, ShownTo to = ShownTo::Pipe);

// The same of a step of a plan with several, numbered from 1: a comment says what it is for, and
// the JSON object has "step", "purpose", "idempotent", and "condition", "repeats" and "sets" if
// there is something to say. The command lines are a script, which needs jq for the values that
// later requests contain.

[[nodiscard]] std::string show_step(const Step& step, std::size_t number);
[[nodiscard]] std::string show_step_json(const Step& step, std::size_t number);
[[nodiscard]] std::string show_step_curl(const Step& step, std::size_t number,
                                         ShownTo to = ShownTo::Pipe);

}  // namespace svc::request
