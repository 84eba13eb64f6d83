#include "terminal/foreground.h"

#include <csignal>
#include <utility>

namespace svc::cli {
namespace {

/// Ctrl-C goes to the whole process group, and means the other program.
class DeafToInterrupts {
 public:
  DeafToInterrupts() noexcept {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigemptyset(&ignored.sa_mask);
    ::sigaction(SIGINT, &ignored, &m_before);
  }
  DeafToInterrupts(const DeafToInterrupts&) = delete;
  DeafToInterrupts& operator=(const DeafToInterrupts&) = delete;
  ~DeafToInterrupts() { ::sigaction(SIGINT, &m_before, nullptr); }

 private:
  struct sigaction m_before {};
};

}  // namespace

Result<ProgramEnd> run_in_foreground(const std::string& script, const std::string& argument,
                                     std::optional<std::string> input, const CancelToken& cancel) {
  const DeafToInterrupts keys_are_the_others;
  return run_program({.arguments = {"/bin/sh", "-c", script, "sh", argument},
                      .input = std::move(input),
                      .own_group = false},
                     cancel);
}

}  // namespace svc::cli
