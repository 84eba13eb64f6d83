#include "json/pattern.h"

#include <array>
#include <new>
#include <string>

#include <oniguruma.h>

#include "base/platform.h"
#include "base/shared_library.h"
#include "base/text.h"

namespace svc {
namespace {

const OnigUChar* onig_bytes(const char* text) {
  return reinterpret_cast<const OnigUChar*>(text);
}

/// The maximum number of backtracking steps of a search, about 20 ms.
constexpr unsigned long k_most_retries = 1'000'000;
constexpr unsigned k_max_stack_entries = 1'000'000;

// Loaded with dlopen(), not linked: Debian's exports its own regcomp() and regexec(), which would
// replace the C library's in the whole program.
// clang-format off
#define SVC_ONIG_FUNCTIONS(F) \
  F(initialize, onig_initialize) \
  F(make, onig_new) \
  F(free, onig_free) \
  F(search, onig_search_with_param) \
  F(new_limits, onig_new_match_param) \
  F(initialize_limits, onig_initialize_match_param) \
  F(limit_retries, onig_set_retry_limit_in_search_of_match_param) \
  F(limit_stack, onig_set_match_stack_limit_size_of_match_param) \
  F(error_text, onig_error_code_to_str) \
  F(new_region, onig_region_new) \
  F(free_region, onig_region_free) \
  F(utf8, OnigEncodingUTF8) \
  F(perl, OnigSyntaxPerl_NG)
// clang-format on
SVC_BUNDLED_LIBRARY(OnigFunctions, SVC_ONIG_FUNCTIONS);

struct Onig : OnigFunctions {
  OnigMatchParam* limits = nullptr;  ///< of a search; lives as long as the library
};

Result<Onig> load_onig() {
  const std::string name = library_name("onig", 5);
  const auto library = BundledLibrary::load(name);
  if (!library) {
    return Error{
        Fault::Local,
        "cannot load " + name + ", which schema patterns require: " + library.error().message,
        install_hint("libonig5")};
  }
  SVC_TRY(functions, OnigFunctions::find_in(*library));
  Onig onig{functions};
  OnigEncoding utf8 = onig.utf8;
  onig.initialize(&utf8, 1);
  onig.limits = onig.new_limits();
  if (onig.limits == nullptr) throw std::bad_alloc();
  onig.initialize_limits(onig.limits);
  onig.limit_retries(onig.limits, k_most_retries);
  onig.limit_stack(onig.limits, k_max_stack_entries);
  return onig;
}

const Result<Onig>& onig_library() {
  static const Result<Onig> library = load_onig();
  return library;
}

}  // namespace

void Pattern::Deleter::operator()(void* expression) const noexcept {
  onig_library()->free(static_cast<OnigRegex>(expression));
}

Result<Pattern> Pattern::compile(std::string_view text) {
  if (!onig_library()) return onig_library().error();
  const Onig& onig = *onig_library();
  OnigRegex made = nullptr;
  OnigErrorInfo info{};
  // ^ and $ match the start and end of the text, \d and \w are ASCII (ECMA 262).
  const int failed =
      onig.make(&made, onig_bytes(text.data()), onig_bytes(text.data() + text.size()),
                ONIG_OPTION_SINGLELINE | ONIG_OPTION_DIGIT_IS_ASCII | ONIG_OPTION_WORD_IS_ASCII,
                onig.utf8, onig.perl, &info);
  if (failed == ONIG_NORMAL) return Pattern(made);
  std::array<OnigUChar, ONIG_MAX_ERROR_MESSAGE_LEN> message{};
  const int length = onig.error_text(message.data(), failed, &info);
  return usage_error(visible(
      std::string(reinterpret_cast<const char*>(message.data()), static_cast<std::size_t>(length)),
      Lines::Escape));
}

Pattern::Match Pattern::find_in(std::string_view text, std::vector<std::string>* groups) const {
  const Onig& onig = *onig_library();
  const OnigUChar* begin = onig_bytes(text.data());
  const OnigUChar* end = begin + text.size();
  const auto release = [&](OnigRegion* region) { onig.free_region(region, 1); };
  const std::unique_ptr<OnigRegion, decltype(release)> region(
      groups == nullptr ? nullptr : onig.new_region(), release);
  const int found = onig.search(static_cast<OnigRegex>(m_expression.get()), begin, end, begin, end,
                                region.get(), ONIG_OPTION_NONE, onig.limits);
  if (found < 0) return found == ONIG_MISMATCH ? Match::No : Match::TooSlow;
  for (int i = 0; region && i < region->num_regs; ++i) {
    const bool took_part = region->beg[i] >= 0;
    const auto from = static_cast<std::size_t>(took_part ? region->beg[i] : 0);
    const auto to = static_cast<std::size_t>(took_part ? region->end[i] : 0);
    groups->emplace_back(text.substr(from, to - from));
  }
  return Match::Yes;
}

}  // namespace svc
