// Entry point: signals, standard descriptors and the exit code. Everything else is in app.cpp.
#include <string>
#include <vector>

#include <fcntl.h>

#include "app.h"
#include "terminal/signals.h"

namespace {

/// Opens /dev/null for each closed standard descriptor; otherwise the first file opened would get
/// its number and receive the output. The modes are swapped so that reads and writes still fail.
void open_missing_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1) {
      [[maybe_unused]] const int opened = ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
  }
}

}  // namespace

int main(int count, char** values) {
  svc::cli::install_terminate_handler();
  open_missing_descriptors();
  const svc::CancelToken& cancel = svc::cli::install_signals();
  try {
    const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
    return svc::cli::run_app(arguments, cancel);
  } catch (...) {
    svc::cli::report_unexpected_end();
    return 1;
  }
}
