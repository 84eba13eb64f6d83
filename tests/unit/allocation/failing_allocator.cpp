#include "unit/allocation/failing_allocator.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string_view>

#include <curl/curl.h>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <openssl/crypto.h>
#include <unwind.h>

namespace svc::test {
namespace {

constexpr std::uint64_t k_never = std::numeric_limits<std::uint64_t>::max();

thread_local std::uint64_t t_left = k_never;
thread_local bool t_failed = false;
thread_local std::int64_t t_live = 0;

/// Library functions that throw std::bad_alloc from noexcept code, which ends the program and which
/// we cannot prevent: nlohmann/json's destructor unrolls deep documents into a vector, and
/// libstdc++ reads directories that way. Also one that leaks when it throws: the constructor of a
/// JSON document from a list.
bool cannot_bear_it(std::string_view function) noexcept {
  const auto has = [&](std::string_view part) {
    return function.find(part) != std::string_view::npos;
  };
  return has("json_value7destroy") || has("18directory_iterator") ||
         (has("10basic_jsonI") && has("St16initializer_list"));
}

_Unwind_Reason_Code look_for_one(_Unwind_Context* frame, void* found) {
  Dl_info info{};
  const auto at = static_cast<std::uintptr_t>(_Unwind_GetIP(frame));
  if (::dladdr(reinterpret_cast<void*>(at), &info) == 0 || info.dli_sname == nullptr ||
      !cannot_bear_it(info.dli_sname))
    return _URC_NO_REASON;
  *static_cast<bool*>(found) = true;
  return _URC_END_OF_STACK;
}

/// The next allocation fails instead.
bool is_where_it_cannot_be_borne() noexcept {
  bool found = false;
  _Unwind_Backtrace(look_for_one, &found);
  return found;
}

/// Whether the current allocation must fail.
bool is_due() noexcept {
  if (t_left == k_never) return false;
  if (t_left > 0) {
    --t_left;
    return false;
  }
  if (is_where_it_cannot_be_borne()) return false;
  t_left = k_never;
  t_failed = true;
  return true;
}

void* get(std::size_t size, std::size_t alignment) noexcept {
  if (is_due()) return nullptr;
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* made = alignment <= alignof(std::max_align_t)
                   ? std::malloc(size == 0 ? 1 : size)
                   : std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (made != nullptr) ++t_live;
  return made;
}

void give_back(void* memory) noexcept {
  if (memory != nullptr) --t_live;
  std::free(memory);
}

void* get_or_throw(std::size_t size, std::size_t alignment) {
  void* made = get(size, alignment);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

// For C libraries.
void* c_malloc(std::size_t size) {
  return is_due() ? nullptr : std::malloc(size);
}
void* c_calloc(std::size_t count, std::size_t size) {
  return is_due() ? nullptr : std::calloc(count, size);
}
void* c_realloc(void* memory, std::size_t size) {
  return is_due() ? nullptr : std::realloc(memory, size);
}
void c_free(void* memory) {
  std::free(memory);
}
char* c_strdup(const char* text) {
  return is_due() ? nullptr : ::strdup(text);
}
void* crypto_malloc(std::size_t size, const char* /*file*/, int /*line*/) {
  return c_malloc(size);
}
void* crypto_realloc(void* memory, std::size_t size, const char* /*file*/, int /*line*/) {
  return c_realloc(memory, size);
}
void crypto_free(void* memory, const char* /*file*/, int /*line*/) {
  std::free(memory);
}

}  // namespace

FailingAllocator::FailingAllocator(std::uint64_t at) noexcept {
  t_left = at;
  t_failed = false;
}

FailingAllocator::~FailingAllocator() {
  t_left = k_never;
}

bool FailingAllocator::has_failed() const noexcept {
  return t_failed;
}

std::int64_t live_allocations() noexcept {
  return t_live;
}

bool hook_libraries() {
  return CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) == 1 &&
         curl_global_init_mem(CURL_GLOBAL_ALL, c_malloc, c_free, c_realloc, c_strdup, c_calloc) ==
             CURLE_OK;
}

namespace {

/// How a run ended. No doctest here, as it allocates.
struct Run {
  std::optional<Result<std::string>> told{};  ///< empty: std::bad_alloc
  bool failed = false;                        ///< an allocation was made to fail
};

Run run_once(const Operation& operation, std::uint64_t at) {
  Run run;
  const FailingAllocator allocator(at);
  try {
    run.told = operation();
  } catch (const std::bad_alloc&) {
  }
  run.failed = allocator.has_failed();
  return run;
}

}  // namespace

std::uint64_t fail_at_every_allocation(std::string_view name, const Operation& operation,
                                       const std::function<void()>& after) {
  INFO("operation: ", std::string(name));
  const auto expected = operation();  // allocates whatever is created once and kept
  REQUIRE_MESSAGE(expected.has_value(), (expected ? "" : expected.error().message));
  constexpr std::uint64_t k_enough = 200'000;
  for (std::uint64_t at = 0; at < k_enough; ++at) {
    const std::int64_t before = live_allocations();
    std::int64_t kept = 0;
    bool undisturbed = false;
    {
      const Run run = run_once(operation, at);
      undisturbed = !run.failed;
      std::string wrong;
      if (run.told && *run.told && **run.told != *expected) wrong = "gives less: " + **run.told;
      if (run.told && !*run.told && run.told->error().message.empty()) wrong = "says nothing";
      if (run.told && !*run.told && undisturbed) wrong = "fails: " + run.told->error().message;
      if (!run.told && undisturbed) wrong = "throws though nothing failed";
      if (!wrong.empty()) FAIL_CHECK("with allocation ", at, " failing it ", wrong);
    }
    kept = live_allocations() - before;
    if (kept != 0) FAIL_CHECK("with allocation ", at, " failing ", kept, " are lost");
    if (after) after();
    if (undisturbed) return at;
  }
  FAIL_CHECK("no end after ", k_enough, " allocations");
  return k_enough;
}

}  // namespace svc::test

void* operator new(std::size_t size) {
  return svc::test::get_or_throw(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
  return svc::test::get_or_throw(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return svc::test::get_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return svc::test::get_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return svc::test::get(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return svc::test::get(size, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept {
  svc::test::give_back(memory);
}
void operator delete[](void* memory) noexcept {
  svc::test::give_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  svc::test::give_back(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  svc::test::give_back(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  svc::test::give_back(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
  svc::test::give_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  svc::test::give_back(memory);
}
void operator delete[](void* memory, std::size_t /*size*/,
                       std::align_val_t /*alignment*/) noexcept {
  svc::test::give_back(memory);
}
