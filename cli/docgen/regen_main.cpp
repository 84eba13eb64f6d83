// svc-regen: writes the files generated from the catalogue, or (--check) lists those that are out
// of date. Part of the build, never installed.
#include <cstdio>
#include <string>
#include <vector>

#include "docgen/golden.h"

int main(int argc, char** argv) {
  using namespace svc::docgen;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool check = !arguments.empty() && arguments.front() == "--check";
  if (arguments.size() != (check ? 2 : 1)) {
    std::fputs("usage: svc-regen [--check] SOURCE_DIR\n", stderr);
    return 2;
  }
  const auto work = check ? stale_files : regenerate;
  const auto paths = work(arguments.back(), svc::groups(), SVC_VERSION, golden_requests);
  if (!paths) {
    std::fprintf(stderr, "svc-regen: %s\n", paths.error().message.c_str());
    return static_cast<int>(paths.error().fault);
  }
  for (const std::string& path : *paths) {
    std::printf("%s %s\n", check ? "out of date:" : "wrote", path.c_str());
  }
  return check && !paths->empty() ? 1 : 0;
}
