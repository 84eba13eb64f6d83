#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

/// Whoever runs the tests may have settings and keys in the environment, like SVC_MODEL.
static void forget_settings() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::string(*entry).find('='));
    const bool of_tests = name.starts_with("SVC_RECORD_") || name == "SVC_REDRAW";
    if (name.starts_with("SVC_") && !of_tests) names.push_back(name);
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

int main(int count, char** arguments) {
  forget_settings();
  return doctest::Context(count, arguments).run();
}
