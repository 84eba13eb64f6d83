// Secrets that a command needs beside its key.
#pragma once

#include <string>

#include "base/result.h"
#include "request/secret_source.h"
#include "session/session.h"

namespace svc::cli {

/// Fetches a secret and masks it from then on in everything that is told. A file or variable gives
/// all it holds without the line's end, standard input its first line, a terminal what is typed
/// without echo. Usage when it is empty, several lines, or not there; Local for a file that cannot
/// be read.
[[nodiscard]] Result<std::string> read_secret_value(Session& session, const Field& field,
                                                    const request::SecretSource& source);

/// The secrets that a repeated flag of this invocation names.
[[nodiscard]] Result<std::vector<std::string>> secret_flags(Session& session, sv flag);

/// The secret that a flag of this invocation names, or nothing when it was not given.
[[nodiscard]] Result<std::optional<std::string>> secret_flag(Session& session, sv flag);

}  // namespace svc::cli
