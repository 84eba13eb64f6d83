// svc-emulator: a local emulator of the service.
#include <cstdio>
#include <exception>

#include "base/version.h"
#include "emulator/server/serve.h"

namespace {

int report(const svc::Error& error) {
  std::fprintf(stderr, "svc-emulator: %s\n", svc::emulator::sentences_of(error).c_str());
  return static_cast<int>(error.fault);
}

int run(const std::vector<std::string_view>& arguments) {
  const auto options = svc::emulator::parse_options(arguments);
  if (!options) return report(options.error());
  if (options->help || options->version) {
    const std::string text = options->help ? svc::emulator::options_help()
                                           : std::string("svc-emulator ") + svc::k_full_version +
                                                 "\n" + svc::emulator::speech_parts() + "\n";
    return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 10 : 0;
  }
  const auto served = svc::emulator::serve(*options, SVC_VERSION);
  return served ? 0 : report(served.error());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "svc-emulator: unexpected: %s\n", bug.what());
    return 1;
  }
}
