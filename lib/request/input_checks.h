// What is looked at before a request is made of the inputs.
#pragma once

#include <string>

#include "base/message.h"
#include "base/result.h"
#include "request/inputs.h"

namespace svc::request {

/// "Name: value" of --header. Usage for one that cannot be sent; Authorization would put a key into
/// argv.
[[nodiscard]] Result<Header> read_header(const std::string& text);

/// Whether all of standard input is asked for, by `-` or by the operation. Usage when more than one
/// thing asks for it.
[[nodiscard]] Result<bool> wants_stdin(const Operation& operation, const Inputs& inputs);

}  // namespace svc::request
