// svc-regen: writes the files generated from the catalogue, or (--check) lists those that are out
// of date. Part of the build, never installed.
#include <cstdio>
#include <string>
#include <vector>

#include "docgen/golden.h"
#include "docgen/regen.h"

namespace {

int fail(const svc::Error& error) {
  std::fprintf(stderr, "svc-regen: %s\n", error.message.c_str());
  return static_cast<int>(error.fault);
}

int check(const std::string& source) {
  const auto stale =
      svc::docgen::stale_files(source, svc::groups(), SVC_VERSION, svc::docgen::golden_requests);
  if (!stale) return fail(stale.error());
  for (const std::string& path : *stale) std::printf("out of date: %s\n", path.c_str());
  return stale->empty() ? 0 : 1;
}

int write(const std::string& source) {
  const auto written =
      svc::docgen::regenerate(source, svc::groups(), SVC_VERSION, svc::docgen::golden_requests);
  if (!written) return fail(written.error());
  for (const std::string& path : *written) std::printf("wrote %s\n", path.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] != "--check") return write(arguments[0]);
  if (arguments.size() == 2 && arguments[0] == "--check") return check(arguments[1]);
  std::fputs("usage: svc-regen [--check] SOURCE_DIR\n", stderr);
  return 2;
}
