// A question to the pretended model, the same for chat and Responses, and what the emulator says:
// the same words for the same question, and words that say what they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/account/models.h"
#include "emulator/control/answers.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"

namespace svc::emulator::text {

/// The service's limit when a request names none.
inline constexpr std::int64_t k_default_max_tokens = 128'000;

/// A file that came with a message.
struct Attachment {
  std::string name{};
  std::size_t bytes = 0;
  std::string text{};     ///< what it says
  bool readable = false;  ///< false: no text could be extracted
};

/// One message of the conversation.
struct Turn {
  std::string role;    ///< system, developer, user, assistant, tool
  std::string text{};  ///< its text parts, joined by line ends
  std::string name{};  ///< of a tool turn: the function that gave the result, when it is known
  std::size_t images = 0;
  std::size_t files = 0;
  std::vector<std::string> file_ids{};    ///< of stored files, until they are read
  std::vector<Attachment> attachments{};  ///< those files that could be found
};

/// A function that the client offers.
struct Function {
  std::string name;
  const Json* parameters = nullptr;  ///< its schema, in the request
};

enum class Choose : std::uint8_t { None, Auto, Required, Named };
enum class Form : std::uint8_t { Text, JsonObject, JsonSchema };

/// A page that a search pretends to have found.
struct Source {
  std::string url;
  std::string title;
};

struct Ask {
  const Model* model = nullptr;  ///< never null
  std::vector<Turn> turns{};
  std::vector<Function> functions{};
  Choose choose = Choose::Auto;
  std::string chosen{};  ///< the function of Choose::Named
  bool parallel = true;
  Form form = Form::Text;
  const Json* schema = nullptr;  ///< of Form::JsonSchema, in the request
  std::vector<std::string> stop{};
  std::int64_t max_tokens = k_default_max_tokens;
  bool max_counts_reasoning = false;  ///< as Responses count
  std::string effort{"low"};          ///< none, low, medium, high
  std::vector<Source> sources{};      ///< what the searches found
  bool inline_citations = true;
  std::int64_t seed = 0;
  std::int64_t extra_prompt_tokens = 0;  ///< tool definitions and tool results
  std::optional<GivenAnswer> given{};    ///< what a rule says instead of the emulator
};

/// A call of one of the client's functions.
struct FunctionCall {
  std::string name;
  std::string arguments;  ///< a JSON document
};

enum class Finish : std::uint8_t { Stop, Length, ToolCalls };

/// Where a source is cited: offsets in code points into `Said::text`.
struct Citation {
  std::size_t source = 0;  ///< index into Ask::sources
  std::size_t begin = 0;
  std::size_t end = 0;  ///< equal to begin when the text does not show it
};

/// One answer.
struct Said {
  std::string reasoning{};
  std::string text{};
  std::string refusal{};  ///< instead of text
  std::string failure{};  ///< the answer failed with this message
  std::vector<FunctionCall> calls{};
  std::vector<Citation> citations{};
  Finish finish = Finish::Stop;
  std::int64_t text_tokens = 0;  ///< visible ones, with those of the calls
  std::int64_t reasoning_tokens = 0;
};

/// The answer to `ask`, number `choice` of `choices` (from 0). The last user message steers it:
/// `Say exactly: X` is answered with X, `Write N words` with N words, `Refuse: X` with a refusal
/// and `Fail with: X` with a failure; naming an offered function calls it. Usage when a schema
/// cannot be satisfied, with the sentence for the client.
[[nodiscard]] Result<Said> say(const Ask& ask, std::size_t choice, std::size_t choices);

/// Tokens of everything that the model was given, and of the images among them.
struct PromptTokens {
  std::int64_t text = 0;
  std::int64_t images = 0;
};
[[nodiscard]] PromptTokens count_prompt(const Ask& ask);

/// The text of the last user turn; empty when there is none.
[[nodiscard]] const std::string& last_user_text(const Ask& ask);

/// Does the conversation end with a tool's result?
[[nodiscard]] bool answers_tools(const Ask& ask);

/// A text that says that an emulator speaks, and repeats what it was told: the last message or the
/// results of tools, the message before it, the system prompt, attachments, the number of messages.
[[nodiscard]] std::string tell(const Ask& ask, std::size_t choice, std::size_t choices);

/// The same as an object.
[[nodiscard]] Json tell_as_object(const Ask& ask, std::size_t choice, std::size_t choices);

/// What the model would think before it speaks: nothing unless it reasons, more with more effort.
[[nodiscard]] std::string think(const Ask& ask);

/// Asks the rules. Words and tool calls go to `ask.given`, which say() then
/// says; an HTTP response or the events of a stream are returned, and are the
/// whole answer. `operation` is the name that rules have for it, `body` the
/// request.
[[nodiscard]] std::optional<Answer> take_given(const Call& call, sv operation, const Json& body,
                                               Ask& ask);

/// Adds the rule's headers to an answer that says its words.
void add_given_headers(const Ask& ask, Answer& answer);

/// Whether the call was made with that key: its id, its name or its secret. The
/// requests of a batch are made with the key that created the batch.
[[nodiscard]] bool uses_key(const Call& call, sv key);

/// The sentence of a rule's HTTP response, where there is no HTTP to send it.
[[nodiscard]] std::string given_sentence(const GivenAnswer& given);

}  // namespace svc::emulator::text
