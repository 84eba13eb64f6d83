// Errors as values. Part of <svc/svc.h>.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "svc/export.h"

namespace svc::v0 {

/// Classes of errors. The numbers are the exit codes of the program svc.
enum class Fault : std::uint8_t {
  Unexpected = 1,       ///< a bug, or no memory
  Usage = 2,            ///< bad input; nothing was sent
  Auth = 3,             ///< no key, or rejected by the service
  NotFound = 4,         ///< not found on the service
  Limited = 5,          ///< rate limit, or credits used up
  Service = 6,          ///< the service failed (5xx) or refused the request (other 4xx)
  Network = 7,          ///< network, TLS, or an incomplete response
  Timeout = 8,          ///< timed out
  RemoteJob = 9,        ///< the remote job failed; of ChatAnswer::lacking: cut off or refused
  Local = 10,           ///< a local file
  UnknownOutcome = 11,  ///< sent, but no complete response: it may have run
  Interrupted = 130,    ///< canceled
};

/// What a program may want to do something about, beside the class.
enum class Cause : std::uint8_t {
  None,
  Passing,        ///< it may pass by itself: try again later
  TooLarge,       ///< the response is larger than the library accepts
  CreditsUsedUp,  ///< trying again does not help
  MissingFile,    ///< the service does not have the file that `subject` names
  DiskFull,
  NoDescriptors,
};

/// `message` is one sentence that states the problem and what is allowed; `hint` is what to do
/// next. No member ever contains a key.
struct Error {
  Fault fault = Fault::Unexpected;
  Cause cause = Cause::None;
  std::string message{};
  std::string hint{};
  int http_status = 0;        ///< 0 without a response from the service
  std::string code{};         ///< the service's error code, verbatim
  std::string request_id{};   ///< the service's request ID, verbatim
  bool may_have_run = false;  ///< the request was sent: it may have been executed and billed
  std::string subject{};      ///< the ID that it is about: of a file, or of a remote job
};

/// A value or an Error. Reading the one that it is not throws std::bad_variant_access. What is read
/// from a temporary is moved out, so that it lives as long as it is used.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}
  /// From what converts to T, such as a literal to a text.
  template <typename From>
  requires(std::is_class_v<T>&& std::is_convertible_v<From, T> &&
           !std::is_same_v<std::remove_cvref_t<From>, T> &&
           !std::is_same_v<std::remove_cvref_t<From>, Error> &&
           !std::is_same_v<std::remove_cvref_t<From>, Result>) Result(From&& value)
      : m_state(std::in_place_index<0>, std::forward<From>(value)) {}

  [[nodiscard]] bool has_value() const noexcept { return m_state.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  [[nodiscard]] T& value() & { return std::get<0>(m_state); }
  [[nodiscard]] const T& value() const& { return std::get<0>(m_state); }
  [[nodiscard]] T value() && { return std::get<0>(std::move(m_state)); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T operator*() && { return std::move(*this).value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }

  [[nodiscard]] Error& error() & { return std::get<1>(m_state); }
  [[nodiscard]] const Error& error() const& { return std::get<1>(m_state); }
  [[nodiscard]] Error error() && { return std::get<1>(std::move(m_state)); }

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

  [[nodiscard]] Error& error() & { return m_error.value(); }
  [[nodiscard]] const Error& error() const& { return m_error.value(); }
  [[nodiscard]] Error error() && { return std::move(m_error).value(); }

 private:
  std::optional<Error> m_error{};
};

/// The fault's name in machine-readable errors: "usage", "auth", "not_found", …
[[nodiscard]] SVC_API const char* fault_name(Fault fault) noexcept;

}  // namespace svc::v0
