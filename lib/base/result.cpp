#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace svc {

const char* fault_name(Fault fault) noexcept {
  switch (fault) {
    case Fault::Unexpected:
      return "unexpected";
    case Fault::Usage:
      return "usage";
    case Fault::Auth:
      return "auth";
    case Fault::NotFound:
      return "not_found";
    case Fault::Limited:
      return "limited";
    case Fault::Service:
      return "service";
    case Fault::Network:
      return "network";
    case Fault::Timeout:
      return "timeout";
    case Fault::RemoteJob:
      return "remote_job";
    case Fault::Local:
      return "local";
    case Fault::UnknownOutcome:
      return "unknown_outcome";
    case Fault::HungUp:
      return "hung_up";
    case Fault::Interrupted:
      return "interrupted";
    case Fault::Quit:
      return "quit";
    case Fault::ReaderGone:
      return "reader_gone";
    case Fault::Terminated:
      return "terminated";
  }
  return "unexpected";
}

Error system_error(const std::string& what, int error_number) {
  const Fault fault = error_number == EINTR ? Fault::Interrupted : Fault::Local;
  return Error{fault, what + ": " + std::generic_category().message(error_number)};
}

}  // namespace svc
