// Preloaded into a program under test to make allocations fail. SVC_FAIL_AT=K makes the K-th call
// of operator new (from 0, since the start of main()) throw std::bad_alloc, and with SVC_FAIL_ALL=1
// every later one too. SVC_FAIL_COUNT=FILE writes the number of calls to FILE at exit.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <dlfcn.h>

namespace {

long long number_of(const char* name) noexcept {
  const char* text = std::getenv(name);
  return text == nullptr ? -1 : std::atoll(text);
}

std::atomic<long long> g_calls{0};

using Main = int (*)(int, char**, char**);
Main g_main = nullptr;
std::atomic<bool> g_begun{false};

/// Before main() nothing can catch exceptions.
int begin(int count, char** values, char** environment) {
  g_begun = true;
  return g_main(count, values, environment);
}

bool is_due() noexcept {
  if (!g_begun) return false;
  static const long long at = number_of("SVC_FAIL_AT");
  static const bool all = number_of("SVC_FAIL_ALL") > 0;
  const long long call = g_calls++;
  return at >= 0 && (all ? call >= at : call == at);
}

void* get(std::size_t size) {
  void* made = is_due() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

/// Runs at exit.
struct Counted {
  ~Counted() {
    const char* path = std::getenv("SVC_FAIL_COUNT");
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return;
    std::fprintf(file, "%lld\n", g_calls.load());
    std::fclose(file);
  }
};
const Counted g_counted;

}  // namespace

extern "C" int __libc_start_main(Main main, int count, char** values, void (*init)(),
                                 void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto next = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  g_main = main;
  return next(begin, count, values, init, fini, rtld_fini, stack_end);
}

void* operator new(std::size_t size) {
  return get(size);
}
void* operator new[](std::size_t size) {
  return get(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
