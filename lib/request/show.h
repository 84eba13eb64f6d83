// A request for people: --dry-run and --curl. Keys appear as $SVC_API_KEY.
#pragma once

#include <string>

#include "request/inputs.h"

namespace svc::request {

/// Method, URL, headers and body as text. A JSON body is laid out; data: URLs and base64 longer
/// than 200 characters are shortened with their length; files are shown by name and size.
[[nodiscard]] std::string show_request(const Request& request);

/// The same as one JSON object: {"method","url","headers","body"}; the body is not shortened.
[[nodiscard]] std::string show_request_json(const Request& request);

/// A curl command line that sends the same request when it is pasted into a POSIX shell with the
/// key's variable set.
[[nodiscard]] std::string show_curl(const Request& request);

}  // namespace svc::request
