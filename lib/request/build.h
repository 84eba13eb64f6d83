// Builds requests from the user's input.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "request/inputs.h"

namespace svc::request {

/// Everything besides the inputs that a request depends on.
struct BuildContext {
  std::string base_url{};  ///< of the operation's host, without a trailing slash or /v1
  std::string team_id{};   ///< for {team_id}, {teamId} and Operation::team
  std::string model{};     ///< the profile's; empty: the operation's default
  bool stream_by_default = false;
  std::optional<std::int64_t> now{};  ///< base of relative times; empty: the current time
  /// Reads all of standard input; empty if it is a terminal or ignored. Called at most once per
  /// build.
  std::function<Result<std::optional<std::string>>()> read_stdin{};
  /// Buffers standard input in a file, for a form's file given as `-`. Empty for the library: there
  /// it is a file's name.
  std::function<Result<FileSource>()> buffer_stdin{};
  /// Reads a secret. Empty if the request is only shown, with a variable in place of the secret.
  std::function<Result<std::string>(const Field&, const SecretSource&)> read_secret{};
  /// The earlier turns to continue. If there are any, messages from --body, --messages, --message
  /// and --input-items are ignored: they are already included.
  PriorTurns thread{};
  std::vector<std::string> tools{};  ///< JSON texts of tools in addition to those of the inputs
  std::string format{};              ///< JSON text of the answer's format; overrides the inputs'
  /// Files need not exist: for requests in examples.
  bool without_files = false;
};

/// Builds a request: values are converted and checked, merged (--body, then --set, then flags),
/// composed into messages, and checked against the operation's rules. Usage for any error; nothing
/// is sent.
[[nodiscard]] Result<Request> build_request(const Operation& operation, const Inputs& inputs,
                                            const BuildContext& context);

}  // namespace svc::request
