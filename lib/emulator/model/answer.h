// A prompt to the pretended model, common to chat and Responses, and the emulator's answer:
// deterministic text that identifies the emulator.
#pragma once

#include "emulator/account/ledger.h"

namespace svc::emulator {

struct Token {
  std::uint32_t id = 0;  ///< a hash of the bytes, below 131,072
  sv text;               ///< part of the tokenized text
};

/// Splits `text` into tokens whose concatenation is `text`, byte for byte. A space belongs to the
/// word that follows it, long words are split, and valid UTF-8 characters are never split.
[[nodiscard]] std::vector<Token> tokenize(sv text);

/// tokenize(text).size(), without the list.
[[nodiscard]] std::size_t count_tokens(sv text);

}  // namespace svc::emulator

namespace svc::emulator::text {

/// The service's default limit.
inline constexpr std::int64_t k_default_max_tokens = 128'000;

/// A file attached to a message.
struct Attachment {
  std::string name{};
  std::size_t bytes = 0;
  std::string text{};        ///< its text
  std::string unreadable{};  ///< why it has none
};

/// One message of the conversation.
struct Turn {
  std::string role;    ///< system, developer, user, assistant, tool
  std::string text{};  ///< its text parts, joined by newlines
  std::string name{};  ///< of a tool turn: the function that returned the result, if known
  std::size_t images = 0, files = 0;
  std::vector<std::string> file_ids{};    ///< of stored files, until they are read
  std::vector<Attachment> attachments{};  ///< the files that were found
};

/// A function that the client offers.
struct Function {
  std::string name;
  const Json* parameters = nullptr;  ///< its schema, in the request
};

enum class ToolChoice : std::uint8_t { None, Auto, Required, Named };
enum class ResponseFormat : std::uint8_t { Text, JsonObject, JsonSchema };

/// A page that a search pretends to have found.
struct Source {
  std::string url;
  std::string title;
};

struct ModelRequest {
  const Model* model = nullptr;  ///< never null
  std::vector<Turn> turns{};
  std::vector<Function> functions{};
  ToolChoice tool_choice = ToolChoice::Auto;
  std::string chosen{};  ///< the function of ToolChoice::Named
  bool parallel = true;
  ResponseFormat response_format = ResponseFormat::Text;
  const Json* schema = nullptr;  ///< of ResponseFormat::JsonSchema, in the request
  std::vector<std::string> stop{};
  std::int64_t max_tokens = k_default_max_tokens;
  bool max_counts_reasoning = false;  ///< as Responses counts
  std::string effort{"low"};          ///< none, low, medium, high
  std::vector<Source> sources{};      ///< results of the searches
  bool inline_citations = true;
  std::int64_t seed = 0;
  std::int64_t extra_prompt_tokens = 0;  ///< tool definitions and tool results
  std::optional<CannedAnswer> canned{};  ///< what a rule answers instead of the emulator
};

enum class FinishReason : std::uint8_t { Stop, Length, ToolCalls };

/// Where a source is cited: offsets in code points into `ModelOutput::text`.
struct Citation {
  std::size_t source = 0;  ///< index into ModelRequest::sources
  std::size_t begin = 0;
  std::size_t end = 0;  ///< equal to begin if the text does not show it
};

/// One answer.
struct ModelOutput {
  std::string reasoning{}, text{};
  std::string refusal{};    ///< instead of text
  std::string failure{};    ///< the answer failed with this message
  std::vector<Cut> cuts{};  ///< of `text`, as a rule splits it; empty: words
  std::vector<FunctionCall> calls{};
  std::vector<Citation> citations{};
  FinishReason finish = FinishReason::Stop;
  std::optional<std::string> stop{};  ///< the stop sequence that ended it
  std::int64_t text_tokens = 0;       ///< visible ones, including those of tool calls
  std::int64_t reasoning_tokens = 0;
};

/// Returns answer `choice` of `choices` (from 0), which the last user message controls: with a
/// directive, or with the name of an offered function. Usage if a schema cannot be satisfied.
[[nodiscard]] Result<ModelOutput> generate(const ModelRequest& model_request, std::size_t choice,
                                           std::size_t choices);

/// Tokens of the model's whole input, and of the images in it.
struct PromptTokens {
  std::int64_t text = 0, images = 0;
};
[[nodiscard]] PromptTokens count_prompt(const ModelRequest& model_request);

/// Returns the text of the last user turn; empty if there is none.
[[nodiscard]] const std::string& last_user_text(const ModelRequest& model_request);

/// Whether the conversation ends with a tool result.
[[nodiscard]] bool answers_tools(const ModelRequest& model_request);

/// Appends a paragraph.
void add_text(Turn& turn, const std::string& text);

/// Returns a message whose content is a text, or parts with texts and images.
[[nodiscard]] Turn plain_turn(std::string role, const Json& content);

// --- answers chosen by a test ---

/// Applies the answer rules: what they say is stored in `model_request.canned`; what is the whole
/// response is returned. `operation` is its name in rules, `body` the request.
[[nodiscard]] std::optional<Response> take_canned_answer(const Request& request, sv operation,
                                                         const Json& body,
                                                         ModelRequest& model_request);

/// Refuses a choice of tools or a prompt that the model cannot serve; then like the above.
[[nodiscard]] std::optional<Response> refuse_or_answer(const Request& request, sv operation,
                                                       const Json& body,
                                                       ModelRequest& model_request);

/// Returns the sources of a rule's citations.
[[nodiscard]] std::vector<Source> cited_by_rule(const CannedAnswer& canned);

/// Whether a rule says what the model says.
[[nodiscard]] bool is_canned(const ModelRequest& model_request);

/// Sets the members of a whole answer that the rule changes.
void patch_canned(const CannedAnswer& canned, Json& document);

/// Adds the rule's headers, members and pace to a response with its text.
void finish_canned(const std::optional<CannedAnswer>& canned, Response& response);

/// Returns a handler that applies the rules to an operation without a language model. `read_form`
/// returns the fields of a body that is not JSON, for rules that match them.
[[nodiscard]] Handler answered_by_rules(std::string operation, Handler handler,
                                        std::function<Json(const Request&)> read_form);

/// Returns what the request's body alone tells rules, without its secrets.
[[nodiscard]] AnswerTarget unread_target(const Request& request, sv operation);

/// Returns what a recorded rule answers, without the operation; 404 if there is none.
[[nodiscard]] Response replayed(const Request& request, sv operation);

/// Returns whether the call uses a key, given its ID, name or secret. The requests of a batch use
/// the key that created the batch. The result may outlive the request.
[[nodiscard]] std::function<bool(sv key)> key_test(const Request& request);

/// Returns the message of a rule's HTTP response, where it cannot be sent as HTTP.
[[nodiscard]] std::string canned_text(const CannedAnswer& canned);

// Instructions to the emulator in a user's message.

enum class DirectiveKind : std::uint8_t { None, Exactly, Words, Refuse, Fail };

struct Directive {
  DirectiveKind kind = DirectiveKind::None;
  std::string text{};      ///< the text to say, or the reason
  std::int64_t words = 0;  ///< of DirectiveKind::Words
  [[nodiscard]] std::string failure() const {
    return text.empty() ? "The prompt asked for a failure." : text;
  }
};

/// Recognizes `Say exactly: X`, `Write N words`, `Refuse: X` and `Fail with: X`, in any case.
[[nodiscard]] Directive parse_directive(sv message);

/// Returns the position of `word` in `text` as a whole word.
[[nodiscard]] std::optional<std::size_t> find_word(sv text, sv word);

/// Returns `count` words as sentences.
[[nodiscard]] std::string generate_words(std::int64_t count);

/// "1 word", "2 words".
[[nodiscard]] std::string counted(std::size_t count, sv what);

// Rules shared by chat and Responses: requests with valid types that are refused for their values.

/// Returns the model in the body, or why it is refused: unknown (400) or not permitted (403).
[[nodiscard]] Checked<const Model*> pick_model(const Request& request, const Json& body);

/// Checks logprobs and search_parameters.
[[nodiscard]] std::optional<std::string> check_common_fields(const Json& body);

/// An effort must be one of four words, and only some models accept one.
[[nodiscard]] std::optional<std::string> check_effort(const Model& model, sv name, sv effort);

/// Returns the error if an image's URL is neither a web URL nor a data URL of a whole image.
[[nodiscard]] std::optional<Response> check_image(sv address);

/// tool_choice requires tools to choose from.
[[nodiscard]] std::optional<std::string> check_tool_choice(const ModelRequest& model_request,
                                                           bool other_tools);

/// Refuses a prompt or images that the model does not accept.
[[nodiscard]] std::optional<std::string> check_prompt(const ModelRequest& model_request);

/// Returns `default` or `priority`, as shown in responses.
[[nodiscard]] std::string served_tier(const Json& body);

/// 8-4-4-4-12 hexadecimal digits.
[[nodiscard]] bool is_uuid(sv text);

/// Returns the milliseconds in that header of the request, at most `longest`.
[[nodiscard]] std::optional<std::chrono::milliseconds> requested_duration(
    const Request& request, sv header, std::chrono::milliseconds longest);

/// Returns the delay between chunks: the request's header x-emulator-delay-ms, or `fallback`.
[[nodiscard]] std::chrono::milliseconds chunk_delay(const Request& request,
                                                    std::chrono::milliseconds fallback);

// The emulator's searches: invented pages for a question.

struct Search {
  std::vector<Source> sources{};  ///< counted in num_sources_used
  bool citations = true;          ///< whether the answer cites them
};

/// Checks the values of `search_parameters`; returns an error message.
[[nodiscard]] std::optional<std::string> check_search(const Json& parameters);

/// Returns the results of a search; in mode `auto`, only for a question mark.
[[nodiscard]] Search run_search(const Json& parameters, sv question);

/// Returns at most `count` pages on one site (without a scheme).
[[nodiscard]] std::vector<Source> find_pages(sv site, sv question, std::size_t count);

/// Whether the text is an existing calendar day, such as "2026-04-16".
[[nodiscard]] bool is_date(sv text);

// Values that satisfy a JSON schema: the emulator's structured output and function arguments.

/// Returns a value that satisfies `schema`, as far as its types, limits, formats, examples and
/// references tell; nothing if there is none. `variation` selects another one.
[[nodiscard]] std::optional<Json> sample_schema(const Json& schema, std::size_t variation = 0);

// Prompt caching: prompts with the same beginning as the previous one, identified by
// `prompt_cache_key` and x-svc-conv-id.

/// Returns how many tokens of `model_request`, in whole turns, match the start of the last prompt
/// under the same key and model; 0 without a key. Stores this prompt for an hour.
[[nodiscard]] Result<std::int64_t> count_cached_tokens(const Request& request, const Json& body,
                                                       const ModelRequest& model_request);

}  // namespace svc::emulator::text
