#include "base/result.h"

#include <array>
#include <cerrno>
#include <system_error>

namespace svc {

const char* fault_name(Fault fault) noexcept {
  struct Row {
    Fault fault;
    const char* name;
  };
  constexpr std::array k_rows = {
      Row{Fault::Unexpected, "unexpected"},
      Row{Fault::Usage, "usage"},
      Row{Fault::Auth, "auth"},
      Row{Fault::NotFound, "not_found"},
      Row{Fault::Limited, "limited"},
      Row{Fault::Service, "service"},
      Row{Fault::Network, "network"},
      Row{Fault::Timeout, "timeout"},
      Row{Fault::RemoteJob, "remote_job"},
      Row{Fault::Local, "local"},
      Row{Fault::UnknownOutcome, "unknown_outcome"},
      Row{Fault::HungUp, "hung_up"},
      Row{Fault::Interrupted, "interrupted"},
      Row{Fault::Quit, "quit"},
      Row{Fault::ReaderGone, "reader_gone"},
      Row{Fault::Terminated, "terminated"},
  };
  for (const Row& row : k_rows) {
    if (row.fault == fault) return row.name;
  }
  return "unexpected";
}

Cause cause_of(int error_number) noexcept {
  if (error_number == ENOSPC || error_number == EDQUOT) return Cause::DiskFull;
  const bool descriptors = error_number == EMFILE || error_number == ENFILE;
  return descriptors ? Cause::NoDescriptors : Cause::None;
}

void add_hint(Error& error, std::string_view sentence) {
  if (!error.hint.empty()) error.hint += ' ';
  error.hint += sentence;
}

Error system_error(const std::string& what, int error_number) {
  Error error{.fault = error_number == EINTR ? Fault::Interrupted : Fault::Local,
              .message = what + ": " + std::generic_category().message(error_number),
              .cause = cause_of(error_number)};
  if (error.cause == Cause::DiskFull)
    error.hint = "Free some space there, or choose another directory.";
  if (error.cause == Cause::NoDescriptors) {
    error.hint = "Too many files are open: raise the limit (ulimit -n).";
  }
  return error;
}

}  // namespace svc
