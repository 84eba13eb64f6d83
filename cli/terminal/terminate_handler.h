// What the program says when it ends by an exception that nobody foresaw.
#pragma once

namespace svc::cli {

/// One sentence on standard error about the exception that is being handled. Takes no memory when
/// it is about a lack of it.
void report_unexpected_end() noexcept;

/// The same, and exit code 1 instead of an abort, for exceptions that cannot reach main(): those of
/// other threads, and out of destructors (that of a JSON document takes memory).
void install_terminate_handler() noexcept;

}  // namespace svc::cli
