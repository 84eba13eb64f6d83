// Secrets that a command needs beside its key.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "base/result.h"
#include "client/api_client.h"
#include "request/inputs.h"
#include "session/session.h"

namespace svc::cli {

/// Fetches a secret and masks it from then on in everything that is told. A file or variable gives
/// all it holds without the line's end, standard input its first line, a terminal what is typed
/// without echo. Usage when it is empty, several lines, or not there; Local for a file that cannot
/// be read.
[[nodiscard]] Result<std::string> read_secret_value(Session& session, const Field& field,
                                                    const request::SecretSource& source);

/// The secrets that a repeated flag of this invocation names.
[[nodiscard]] Result<std::vector<std::string>> secret_flags(Session& session, sv flag);

/// The secret that a flag of this invocation names, or nothing when it was not given.
[[nodiscard]] Result<std::optional<std::string>> secret_flag(Session& session, sv flag);

// Answers that give out a secret.

/// Sends the request and gives the body of its answer as it came: nothing looks into it, so that no
/// complaint about its form can quote the secret.
[[nodiscard]] Result<std::string> fetch_secret_answer(Session& session, ApiClient& client,
                                                      const request::Request& request);

/// Whether the service may have done what it was asked for, whatever became of the answer.
[[nodiscard]] bool may_have_happened(const Error& error) noexcept;

/// Writes a secret alone, or the document as the format says, and closes the output: a failure is
/// told while there is still somebody to tell. A reader that went away is one.
[[nodiscard]] Result<void> give_out(Session& session, const std::string& secret,
                                    const std::string& document);

/// A copy in a folder of the state folder. Unless it is released, the end says where it is.
class SecretCopy {
 public:
  /// `name` is made safe for `folder`; a copy of that name is replaced. Where nothing can be
  /// written, nothing is kept: see is_saved().
  SecretCopy(Session& session, std::string_view folder, const std::string& name,
             std::string_view bytes);
  SecretCopy(const SecretCopy&) = delete;
  SecretCopy& operator=(const SecretCopy&) = delete;
  ~SecretCopy();

  /// It reached the user: the copy is removed.
  void release();

  [[nodiscard]] bool is_saved() const noexcept { return !m_path.empty(); }

 private:
  Session& m_session;
  std::string m_path{};
  std::error_code m_ignored{};
};

}  // namespace svc::cli
