#include "terminal/terminate_handler.h"

#include <cstdio>
#include <exception>
#include <new>

#include <unistd.h>

#include "base/text.h"
#include "terminal/signals.h"

namespace svc::cli {
namespace {

[[noreturn]] void end_at_once() noexcept {
  restore_terminal();
  if (std::current_exception()) {
    report_unexpected_end();
  } else {
    std::fputs("svc: error: this is a bug: it ended itself\n", stderr);
  }
  ::_exit(1);
}

}  // namespace

void report_unexpected_end() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    std::fputs("svc: error: out of memory\n", stderr);
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "svc: error: this is a bug: %s\n",
                 visible(bug.what(), Lines::Escape).c_str());
  } catch (...) {
    std::fputs("svc: error: this is a bug: an unknown exception\n", stderr);
  }
}

void install_terminate_handler() noexcept {
  std::set_terminate(end_at_once);
}

}  // namespace svc::cli
