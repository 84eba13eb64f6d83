// The user's input, and the form of the request built from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "catalogue/model.h"

namespace svc::request {

/// The source of a secret: never the arguments, which other users of this machine can read.
struct SecretSource {
  enum class From : std::uint8_t { File, Input, Variable };
  From from = From::File;
  std::string name{};  ///< path of the file or name of the variable
};

/// Parses `@FILE`, `-` and `env:NAME`. Usage, without repeating the text, for anything else.
[[nodiscard]] Result<SecretSource> parse_secret_source(const Field& field, std::string_view text);

/// The placeholder of a secret in a request that is only shown: "$NAME".
[[nodiscard]] std::string secret_variable(const Field& field, const SecretSource& source);

/// The error for a secret in the arguments; `flag` includes its dashes.
[[nodiscard]] Error secret_in_argv(std::string_view flag);

/// The value of a flag or positional argument as typed. Booleans are "true" or "false".
struct Given {
  const Field* field = nullptr;
  std::string text{};
  std::string file_name{};  ///< of a file sent in place of another: the name of that one
  bool literal = false;     ///< the text is meant as it is: @, \@ and - mean nothing else

  /// Whether the value stands for standard input.
  [[nodiscard]] bool is_stdin() const { return text == "-" && !literal; }
};

/// All input that determines a request, in the order given.
struct Inputs {
  std::vector<Given> given{};
  std::optional<std::string> body{};   ///< --body: JSON, @file or -
  std::vector<std::string> sets{};     ///< --set: PATH=JSON
  std::vector<std::string> headers{};  ///< --header: "Name: value"
};

/// The last value given for a flag, or nothing; all of them. For code that is given the flag's
/// name: see Flags.
[[nodiscard]] std::optional<Given> last_given(const Inputs& inputs, sv flag);
[[nodiscard]] std::vector<Given> all_given(const Inputs& inputs, sv flag);
[[nodiscard]] std::optional<std::string> text_given(const Inputs& inputs, sv flag);
[[nodiscard]] std::vector<std::string> texts_given(const Inputs& inputs, sv flag);

/// The earlier turns of a continued conversation.
struct PriorTurns {
  /// JSON texts: messages of chat (without --system), or input and output items of responses.
  std::vector<std::string> messages{};
  /// For responses: the last response stored by the service; `messages` came after it.
  std::string response_id{};
  /// The last messages are tool results; the text of the inputs is already in the messages.
  bool answers_tools = false;

  [[nodiscard]] bool is_continued() const noexcept {
    return !messages.empty() || !response_id.empty();
  }
};

/// Placeholder of an unknown team in a request that is only shown.
inline constexpr sv k_team_variable = "$SVC_TEAM_ID";

/// A value that is not known when a request is shown: a secret, or the ID in an earlier answer.
struct Variable {
  std::string mark{};  ///< stands for it in the URL, a header or the body; no input contains it
  std::string name{};  ///< how it is shown, for a shell to expand: "$FILE_1"
};

/// A request without its key, which is added when it is sent and so can never be printed.
struct Request {
  const Operation* operation = nullptr;
  std::string method{};
  std::string url{};
  std::vector<Header> headers{};
  Payload body{};
  /// The new messages or input items as JSON: without earlier turns and the system prompt.
  std::vector<Payload> said{};
  std::string tools{};                  ///< the JSON array `tools` of the body; "" if there is none
  bool stored = true;                   ///< `store` of the body does not refuse it
  bool deferred = false;                ///< `deferred` of the body asks for a job
  std::string model{};                  ///< in the body
  bool stream = false;                  ///< the response is a stream of events
  std::int64_t choices = 1;             ///< number of requested answers (`n`)
  std::vector<std::string> warnings{};  ///< for the user, one sentence each
  bool keyless = false;                 ///< authenticated by other means than the key
  /// What it ends, as a sentence, because of the operation or its input: asked about before it is
  /// sent.
  sv ends{};
  std::vector<Variable> variables{};
};

/// The headers with which a request is sent, but for the key and those that every program adds on
/// its own, such as User-Agent.
[[nodiscard]] std::vector<Header> sent_headers(const Request& request);

/// Parses "Name: value" of --header. Usage for an invalid header, and for Authorization, which
/// would expose a key in the arguments.
[[nodiscard]] Result<Header> read_header(const std::string& text);

/// Whether all of standard input is needed, for a `-` or by the operation. Usage if more than one
/// argument needs it.
[[nodiscard]] Result<bool> wants_stdin(const Operation& operation, const Inputs& inputs);

/// The part of a paged list requested by --limit, --all, --page-size and --pagination-token.
struct PageRange {
  std::uint64_t most = 0;       ///< total number of items; UINT64_MAX: all
  std::uint64_t page_size = 0;  ///< items per page; the last page may request fewer
  std::string token{};          ///< of the first page; "" for the start of the list

  /// The number of items to request for the next page, with `left` items remaining.
  [[nodiscard]] std::uint64_t next_size(std::uint64_t left) const {
    return page_size < left ? page_size : left;
  }
};

/// The flags' values must have been checked.
[[nodiscard]] PageRange read_pages(const Operation& operation, const Inputs& inputs);

/// Changes the URL of a list's page to that of another page.
void set_page(std::string& url, const Paging& paging, std::uint64_t size, std::string_view token);

}  // namespace svc::request
