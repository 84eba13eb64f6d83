// Errors as values: the return type of every function in the library that can fail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace svc {

/// Classes of errors. The numbers are the program's exit codes.
enum class Fault : std::uint8_t {
  Unexpected = 1,       ///< a bug or an unforeseen condition
  Usage = 2,            ///< bad input; nothing was sent
  Auth = 3,             ///< no key, or rejected by the service
  NotFound = 4,         ///< not found on the service
  Limited = 5,          ///< rate limit, or credits used up
  Service = 6,          ///< the service failed (5xx) or refused the request (other 4xx)
  Network = 7,          ///< network, TLS, or an incomplete response
  Timeout = 8,          ///< timed out
  RemoteJob = 9,        ///< the remote job failed
  Local = 10,           ///< a local file, terminal or audio device
  UnknownOutcome = 11,  ///< sent, but no complete response
  HungUp = 129,         ///< SIGHUP: the terminal disconnected
  Interrupted = 130,    ///< SIGINT
  Quit = 131,           ///< SIGQUIT
  ReaderGone = 141,     ///< the reader of standard output disconnected
  Terminated = 143,     ///< SIGTERM
};

/// Whether the user canceled, by a signal or a keypress.
[[nodiscard]] constexpr bool is_cancellation(Fault fault) noexcept {
  return fault == Fault::HungUp || fault == Fault::Interrupted || fault == Fault::Quit ||
         fault == Fault::Terminated;
}

/// What svc does something about, beside the class: nothing compares an error's words.
enum class Cause : std::uint8_t {
  None,
  Passing,        ///< it may pass by itself: the hint says to try again
  TooLarge,       ///< the response is larger than svc accepts
  CreditsUsedUp,  ///< credits or a spending limit: trying again does not help
  MissingFile,    ///< the service does not have the file that `subject` names
  DiskFull,
  NoDescriptors,
  SoundServerFrozen,
};

/// The cause that a system error number stands for.
[[nodiscard]] Cause cause_of(int error_number) noexcept;

/// The fault's name in machine-readable errors: `usage`, `auth`, `not_found`, …
[[nodiscard]] const char* fault_name(Fault fault) noexcept;

/// An error for the user. `message` is one sentence that states the problem and what is allowed;
/// `hint` is what to do next. No field ever contains a secret.
struct Error {
  Fault fault = Fault::Unexpected;
  std::string message;
  std::string hint{};
  int http_status = 0;       ///< 0 without a response from the service
  std::string code{};        ///< the service's error code, verbatim
  std::string request_id{};  ///< the service's request ID, verbatim
  /// The request was sent but no complete response arrived: it may have been executed and billed.
  bool may_have_run = false;
  Cause cause = Cause::None;
  std::string subject{};  ///< the ID that the cause is about
  // Whether the message states these already, so that they are not appended to it.
  bool states_status = false;
  bool states_code = false;
  bool states_request_id = false;
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

/// Appends a sentence to the hint.
void add_hint(Error& error, std::string_view sentence);

/// Returns an error of `what`, ": " and the system's message for `error_number`, with its cause
/// and a hint for that; class Local, or Interrupted for EINTR.
[[nodiscard]] Error system_error(const std::string& what, int error_number);

}  // namespace svc

// SVC_TRY(name, expression): binds the reference `name` to the value, or returns the error.
#define SVC_TRY(name, ...)                                     \
  auto name##_result = (__VA_ARGS__);                          \
  if (!name##_result) return std::move(name##_result).error(); \
  auto& name = *name##_result

// SVC_CHECK(expression): returns the error of a Result<void>.
#define SVC_CHECK(...)                                                                            \
  do {                                                                                            \
    if (auto check_result = (__VA_ARGS__); !check_result) return std::move(check_result).error(); \
  } while (false)
