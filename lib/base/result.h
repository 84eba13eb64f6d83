// Errors as values: what every fallible function of the library returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace svc {

/// What went wrong, by class. The numbers are the program's exit codes.
enum class Fault : std::uint8_t {
  Unexpected = 1,       ///< a bug, or something nobody foresaw
  Usage = 2,            ///< bad input; nothing was sent
  Auth = 3,             ///< no key, or the service refused it
  NotFound = 4,         ///< the service knows no such thing
  Limited = 5,          ///< rate limit, or credits used up
  Service = 6,          ///< the service failed (5xx) or refused the request (other 4xx)
  Network = 7,          ///< network, TLS, or a broken or cut-short answer
  Timeout = 8,          ///< a deadline passed
  RemoteJob = 9,        ///< the remote job failed
  Local = 10,           ///< a local file, terminal or sound device
  UnknownOutcome = 11,  ///< sent, but the answer was lost
  HungUp = 129,         ///< SIGHUP: the terminal went away
  Interrupted = 130,    ///< SIGINT
  Quit = 131,           ///< SIGQUIT
  ReaderGone = 141,     ///< the reader of standard output went away
  Terminated = 143,     ///< SIGTERM
};

/// Whether somebody asked for the end, by a signal or a key.
[[nodiscard]] constexpr bool is_cancellation(Fault fault) noexcept {
  return fault == Fault::HungUp || fault == Fault::Interrupted || fault == Fault::Quit ||
         fault == Fault::Terminated;
}

/// The fault's word in machine-readable errors: `usage`, `auth`, `not_found`, …
[[nodiscard]] const char* fault_name(Fault fault) noexcept;

/// An error for the person who reads it. `message` is one sentence that says what was wrong and
/// what was allowed; `hint` says what to do next. No member ever holds a secret.
struct Error {
  Fault fault = Fault::Unexpected;
  std::string message;
  std::string hint{};
  int http_status = 0;       ///< 0 when no answer of the service is behind it
  std::string code{};        ///< the service's own code, verbatim
  std::string request_id{};  ///< the service's id of the request, verbatim
  /// The request went out, and no whole answer came back: it may have run, and been billed.
  bool may_have_run = false;
};

/// A value or an Error.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return m_state.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  [[nodiscard]] T& value() & { return std::get<0>(m_state); }
  [[nodiscard]] const T& value() const& { return std::get<0>(m_state); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(m_state)); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T&& operator*() && { return std::move(*this).value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }

  [[nodiscard]] Error& error() & { return std::get<1>(m_state); }
  [[nodiscard]] const Error& error() const& { return std::get<1>(m_state); }
  [[nodiscard]] Error&& error() && { return std::get<1>(std::move(m_state)); }

 private:
  std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : m_error(std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return !m_error.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }

  [[nodiscard]] Error& error() & { return *m_error; }
  [[nodiscard]] const Error& error() const& { return *m_error; }
  [[nodiscard]] Error&& error() && { return *std::move(m_error); }

 private:
  std::optional<Error> m_error{};
};

/// An Error of class Usage.
[[nodiscard]] inline Error usage_error(std::string message, std::string hint = {}) {
  return Error{Fault::Usage, std::move(message), std::move(hint)};
}

/// Appends ": " and what the system says about `error_number` to `what`; class Local, and
/// Interrupted for EINTR.
[[nodiscard]] Error system_error(const std::string& what, int error_number);

}  // namespace svc

// SVC_TRY(name, expression): evaluates to a reference `name` to the value, or returns the error.
#define SVC_TRY(name, ...)                                     \
  auto name##_result = (__VA_ARGS__);                          \
  if (!name##_result) return std::move(name##_result).error(); \
  auto& name = *name##_result

// SVC_CHECK(expression): returns the error of a Result<void>.
#define SVC_CHECK(...)                                                                            \
  do {                                                                                            \
    if (auto check_result = (__VA_ARGS__); !check_result) return std::move(check_result).error(); \
  } while (false)
