// A question to the pretended model, the same for chat and Responses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/account/models.h"
#include "emulator/control/answers.h"
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

}  // namespace svc::emulator::text
