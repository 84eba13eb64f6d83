#include "json/pattern.h"

#include <array>
#include <new>
#include <string>

#include <oniguruma.h>

#include "base/shared_library.h"
#include "base/text.h"

namespace svc {
namespace {

const OnigUChar* onig_bytes(const char* text) {
  return reinterpret_cast<const OnigUChar*>(text);
}

/// Backtracking steps that one search may take: some 20 ms.
constexpr unsigned long k_most_retries = 1'000'000;
constexpr unsigned k_most_stack_entries = 1'000'000;

/// Oniguruma, loaded when a schema first has a pattern.
struct OnigLibrary {
  decltype(&::onig_initialize) initialize;
  decltype(&::onig_new) make;
  decltype(&::onig_free) free;
  decltype(&::onig_search_with_param) search;
  decltype(&::onig_new_match_param) new_limits;
  decltype(&::onig_initialize_match_param) initialize_limits;
  decltype(&::onig_set_retry_limit_in_search_of_match_param) limit_retries;
  decltype(&::onig_set_match_stack_limit_size_of_match_param) limit_stack;
  decltype(&::onig_error_code_to_str) error_text;
  OnigEncodingType* utf8;
  OnigSyntaxType* perl;
  OnigMatchParam* limits;  ///< of a search; as long-lived as the library
};

Result<OnigLibrary> find_onig() {
  SVC_TRY(library, SharedLibrary::load_for("a schema's pattern", "libonig.so.5", "libonig5"));
  OnigLibrary onig{};
  SVC_CHECK(library.find(onig.initialize, "onig_initialize"));
  SVC_CHECK(library.find(onig.make, "onig_new"));
  SVC_CHECK(library.find(onig.free, "onig_free"));
  SVC_CHECK(library.find(onig.search, "onig_search_with_param"));
  SVC_CHECK(library.find(onig.new_limits, "onig_new_match_param"));
  SVC_CHECK(library.find(onig.initialize_limits, "onig_initialize_match_param"));
  SVC_CHECK(library.find(onig.limit_retries, "onig_set_retry_limit_in_search_of_match_param"));
  SVC_CHECK(library.find(onig.limit_stack, "onig_set_match_stack_limit_size_of_match_param"));
  SVC_CHECK(library.find(onig.error_text, "onig_error_code_to_str"));
  SVC_CHECK(library.find(onig.utf8, "OnigEncodingUTF8"));
  SVC_CHECK(library.find(onig.perl, "OnigSyntaxPerl_NG"));
  onig.limits = onig.new_limits();
  if (onig.limits == nullptr) throw std::bad_alloc();
  onig.initialize_limits(onig.limits);
  onig.limit_retries(onig.limits, k_most_retries);
  onig.limit_stack(onig.limits, k_most_stack_entries);
  return onig;
}

const Result<OnigLibrary>& onig_library() {
  static const Result<OnigLibrary> library = find_onig();
  return library;
}

}  // namespace

void Pattern::Free::operator()(void* expression) const noexcept {
  onig_library()->free(static_cast<OnigRegex>(expression));
}

Result<Pattern> Pattern::compile(std::string_view text) {
  if (!onig_library()) return onig_library().error();
  const OnigLibrary& onig = *onig_library();
  OnigEncoding utf8 = onig.utf8;
  onig.initialize(&utf8, 1);
  OnigRegex made = nullptr;
  OnigErrorInfo info{};
  // ^ and $ are the text's begin and end, \d and \w are ASCII (ECMA 262).
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

Pattern::Match Pattern::find_in(std::string_view text) const {
  const OnigUChar* begin = onig_bytes(text.data());
  const OnigUChar* end = begin + text.size();
  const int found =
      onig_library()->search(static_cast<OnigRegex>(m_expression.get()), begin, end, begin, end,
                             nullptr, ONIG_OPTION_NONE, onig_library()->limits);
  if (found >= 0) return Match::Yes;
  return found == ONIG_MISMATCH ? Match::No : Match::TooSlow;
}

}  // namespace svc
