// Secrets that a command needs besides its API key, and secrets that the service returns only once.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "base/result.h"
#include "client/api_client.h"
#include "request/inputs.h"
#include "session/session.h"

namespace svc::cli {

/// Reads a secret and masks it in all later output of errors and -v. A file or variable is read
/// completely, without trailing line ends; standard input up to the first line end; a terminal
/// without echo. Fails with Fault::Usage if the secret is missing, empty or has several lines,
/// Fault::Local if a file cannot be read.
[[nodiscard]] Result<std::string> read_secret_value(Session& session, const Field& field,
                                                    const request::SecretSource& source);

/// Reads the secrets of a flag, as Flags::get() returns them.
[[nodiscard]] Result<std::vector<std::string>> read_secret_flags(
    Session& session, const std::vector<request::Given>& given);

/// Reads the secret of a flag; nothing if it was not given.
[[nodiscard]] Result<std::optional<std::string>> read_secret_flag(
    Session& session, const std::optional<request::Given>& given);

// Responses that contain a secret.

/// Sends the request and returns the unparsed body, so that no parse error can quote the secret.
[[nodiscard]] Result<std::string> fetch_secret_answer(Session& session, ApiClient& client,
                                                      const request::Request& request);

/// Whether the service may have executed the request despite the error.
[[nodiscard]] bool may_have_run(const Error& error) noexcept;

/// Writes the secret alone, or the document in the output format, and closes the output, so that an
/// error can still be reported. A closed pipe is an error too.
[[nodiscard]] Result<void> deliver_secret(Session& session, const std::string& secret,
                                          const std::string& document);

/// What to tell the user of `secret` ("the secret") once it was delivered: that it is shown only
/// once, or that it is in the file of -o.
[[nodiscard]] std::string describe_delivery(const Session& session, std::string_view secret);

/// A copy in a subdirectory of the state directory. Unless it is released, the destructor prints
/// its path.
class SecretCopy {
 public:
  /// `name` is sanitised for use in `directory` and replaces an existing copy. Nothing is saved if
  /// writing fails: see is_saved().
  SecretCopy(Session& session, std::string_view directory, const std::string& name,
             std::string_view bytes);
  SecretCopy(const SecretCopy&) = delete;
  SecretCopy& operator=(const SecretCopy&) = delete;
  ~SecretCopy();

  /// Removes the copy; call once the secret has reached the user.
  void release();

  [[nodiscard]] bool is_saved() const noexcept { return !m_path.empty(); }

 private:
  Session& m_session;
  std::string m_path{};
  std::error_code m_ignored{};
};

}  // namespace svc::cli
