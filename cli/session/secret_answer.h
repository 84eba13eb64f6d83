// Answers that give out a secret.
#pragma once

#include <string>

#include "base/result.h"
#include "client/api_client.h"
#include "session/session.h"

namespace svc::cli {

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

}  // namespace svc::cli
