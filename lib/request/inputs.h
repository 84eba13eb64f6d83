// What the user gave, and the request that is made of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "catalogue/model.h"

namespace svc::request {

/// Where a secret comes from: never from the arguments, which everybody on the machine can read.
struct SecretSource {
  enum class From : std::uint8_t { File, Input, Variable };
  From from = From::File;
  std::string name{};  ///< the file's path, the variable's name
};

/// Reads `@FILE`, `-` and `env:NAME`. Usage, which does not repeat it, for anything else.
[[nodiscard]] Result<SecretSource> parse_secret_source(const Field& field, std::string_view text);

/// What stands for it where a request is only shown: "$NAME".
[[nodiscard]] std::string secret_variable(const Field& field, const SecretSource& source);

/// The error for a secret that stands in the arguments; `flag` with its dashes.
[[nodiscard]] Error secret_in_argv(std::string_view flag);

/// A flag or positional value as typed. Booleans are "true" or "false".
struct Given {
  const Field* field = nullptr;
  std::string text{};
  std::string file_name{};  ///< of a file that stands in for another: what that one is called
};

/// Everything that decides a request, in the order given.
struct Inputs {
  std::vector<Given> given{};
  std::optional<std::string> body{};   ///< --body: JSON, @file or -
  std::vector<std::string> sets{};     ///< --set: PATH=JSON
  std::vector<std::string> headers{};  ///< --header: "Name: value"
};

/// What came before, of a conversation that continues.
struct PriorTurns {
  /// JSON texts: messages of chat (without --system), or input and output items of responses.
  std::vector<std::string> messages{};
  /// Of responses: the service keeps what was said up to there; `messages` came after it.
  std::string response_id{};
  /// The last of the messages are results of tools: the inputs' own words are in there already.
  bool answers_tools = false;

  [[nodiscard]] bool begun() const noexcept { return !messages.empty() || !response_id.empty(); }
};

/// Stands for a team that is not known yet, where a request is only shown.
inline constexpr sv k_team_variable = "$SVC_TEAM_ID";

/// What the request depends on beside the inputs.
struct BuildContext {
  std::string base_url{};  ///< of the operation's host, without trailing slash and /v1
  std::string team_id{};   ///< for {team_id}, {teamId} and Operation::team
  std::string model{};     ///< the profile's; empty: the operation's default
  bool stream_by_default = false;
  std::optional<std::int64_t> now{};  ///< what times count from; nothing: the clock
  /// All of standard input, or nothing when it is a terminal or is to be ignored. Called at most
  /// once per build.
  std::function<Result<std::optional<std::string>>()> read_stdin{};
  /// Puts standard input into a file, for a form's file given as `-`. Empty: the request is only
  /// shown.
  std::function<Result<FileSource>()> buffer_stdin{};
  /// Fetches a secret. Empty: the request is only shown, with a variable in the secret's place.
  std::function<Result<std::string>(const Field&, const SecretSource&)> read_secret{};
  /// What the inputs go on with. Once it has begun, the messages that --body, --messages, --message
  /// and --input-items give count no more: they are in it.
  PriorTurns thread{};
  std::vector<std::string> tools{};  ///< JSON texts of tools beside those of the inputs
  std::string format{};              ///< JSON text of the answer's form; wins over the inputs'
  /// Files need not exist: for requests that stand in examples.
  bool without_files = false;
};

/// A request without its key: that is added when it is sent, and so can never be printed.
struct Request {
  const Operation* operation = nullptr;
  std::string method{};
  std::string url{};
  std::vector<Header> headers{};
  Payload body{};
  std::string model{};                  ///< that the body names
  bool stream = false;                  ///< the answer comes as events
  std::int64_t choices = 1;             ///< how many answers were asked for (`n`)
  std::vector<std::string> warnings{};  ///< for the user, one sentence each
  bool keyless = false;                 ///< another proof than the key goes along
  bool destructive = false;             ///< like the operation, or because of what is asked of it
  /// "$NAME" in the body or at a header's end, in a secret's place: a shell is to fill them in.
  std::vector<std::string> variables{};
};

/// Makes the request: values are converted and checked, merged (--body, then --set, then flags),
/// composed to messages, and checked against the operation's rules. Usage on any fault; nothing is
/// sent here.
[[nodiscard]] Result<Request> build_request(const Operation& operation, const Inputs& inputs,
                                            const BuildContext& context);

/// "Name: value" of --header. Usage for one that cannot be sent; Authorization would put a key into
/// argv.
[[nodiscard]] Result<Header> read_header(const std::string& text);

/// Whether all of standard input is asked for, by `-` or by the operation. Usage when more than one
/// thing asks for it.
[[nodiscard]] Result<bool> wants_stdin(const Operation& operation, const Inputs& inputs);

// Which part of a paged list is asked for.

/// What --limit, --all, --page-size and --pagination-token say about an operation with pages.
struct Pages {
  std::uint64_t most = 0;       ///< items in all; UINT64_MAX: all there are
  std::uint64_t page_size = 0;  ///< items of a page, the last one may ask for fewer
  std::string token{};          ///< of the first page; "" for the list's beginning

  /// How many items the next page is asked for, with `left` items to come.
  [[nodiscard]] std::uint64_t next_size(std::uint64_t left) const {
    return page_size < left ? page_size : left;
  }
};

/// The flags' values must have been checked.
[[nodiscard]] Pages read_pages(const Operation& operation, const Inputs& inputs);

/// Makes the address of a list's page the address of another one.
void set_page(std::string& url, const Paging& paging, std::uint64_t size, std::string_view token);

}  // namespace svc::request
