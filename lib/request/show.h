// Prints a request for --dry-run and --curl. Keys appear as $SVC_API_KEY.
#pragma once

#include <string>

#include "request/inputs.h"

namespace svc::request {

/// Method, URL, headers and body as text. A JSON body is indented; data: URLs and base64 longer
/// than 200 characters are shortened and their length is printed; files are shown by name and size.
[[nodiscard]] std::string show_request(const Request& request);

/// The request as one JSON object: {"method","url","headers","body"}; the body is not shortened.
[[nodiscard]] std::string show_request_json(const Request& request);

/// A curl command line that sends the same request when pasted into a POSIX shell with the key's
/// variable set.
[[nodiscard]] std::string show_curl(const Request& request);

}  // namespace svc::request
