#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>

#include <doctest/doctest.h>

#include "unit/allocation/failing_allocator.h"

int main(int count, char** values) {
  doctest::Context context(count, values);
  if (!svc::test::hook_libraries()) {
    std::fputs("the libraries take no allocator any more\n", stderr);
    return 1;
  }
  return context.run();
}
