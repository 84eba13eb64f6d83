// The group legacy.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/legacy_answers.h"
#include "catalogue/shared_fields.h"

namespace svc::catalogue {
namespace legacy {

constexpr Field k_old_model_field =
    text("model", "Model to use; not a reasoning model.", common, letter('m'),
         fallback("the profile's, or svc-3"), example("svc-3"), completes("language-models"));
constexpr Field k_top_k_field = integer("top-k", "Sample from the N likeliest tokens only.",
                                        unsupported, at_least(1, "tokens"), example("40"));
constexpr Field k_max_tokens_field = integer("max-tokens", "Limit the answer to N tokens.", common,
                                             at_least(1, "tokens"), example("200"));
constexpr Field k_user_id_field =
    text("metadata.user_id", "End-user ID, for abuse monitoring.", example("u-17"));
constexpr std::array k_completions_fields = {
    text("prompt", "Text to complete.",
         typed("; each argument is a separate prompt; piped standard input is appended"), composed,
         positional, repeated, common, file_text, example("Once upon a time")),
    k_old_model_field,
    k_max_tokens_field,
    k_temperature_field,
    k_top_p_field,
    integer("n", "Generate N answers per prompt; all are billed.", letter('n'),
            at_least(1, "choices"), fallback("1"), example("2")),
    k_seed_field,
    k_stop_field,
    boolean("echo", "Include the prompt in the answer."),
    integer("logprobs", "Return the N likeliest tokens per position; svc-4.20 and newer ignore it.",
            at_least(0, "tokens"), example("2")),
    k_user_field,
    k_stream_field,
    k_include_usage_field,
    integer("best-of", "Generate N answers and return the best.", unsupported,
            at_least(1, "choices"), example("2")),
    number("frequency-penalty", "Penalise frequent tokens.", unsupported, range(-2, 2),
           example("0.5")),
    k_logit_bias_field,
    number("presence-penalty", "Penalise tokens already used.", unsupported, range(-2, 2),
           example("0.5")),
    text("suffix", "Text that follows the answer.", file_text, unsupported, example("The end.")),
};

constexpr std::array k_messages_fields = {
    k_chat_prompt_field,
    k_model_field,
    text_or_json("system", "System prompt: text, or a JSON array of text parts.", common,
                 letter('s'), example("Answer briefly.")),
    text("message", "Add a message, in order, as ROLE:TEXT; ROLE is user or assistant.", composed,
         repeated, common, file_text, example("user:Hello")),
    media("image", "Attach an image.", typed(": a path, URL, data: URL, or - for standard input"),
          repeated, common, example("https://example.com/cat.png")),
    k_max_tokens_field,
    k_temperature_field,
    k_top_p_field,
    k_messages_field,
    text("stop-sequences", "Stop the answer before this text; not for reasoning models.", repeated,
         max_count(4), example("END")),
    json("tools",
         "Function the model may call, as a JSON object with name and input_schema, or an array.",
         repeated, max_count(128),
         example(R"({"name":"get_time","input_schema":{"type":"object","properties":{}}})")),
    text_or_json("tool-choice", "Tool choice: auto, any, or a JSON object naming a tool.",
                 example(R"({"type":"tool","name":"get_time"})")),
    k_user_id_field,
    k_stream_field,
    k_top_k_field,
};

constexpr std::array k_complete_fields = {
    text("prompt", "Text to complete.", typed("; piped or redirected standard input is appended"),
         composed, positional, common, file_text, example("Hello")),
    k_old_model_field,
    integer("max-tokens-to-sample", "Limit the answer to N tokens.", common, at_least(1, "tokens"),
            example("200")),
    k_temperature_field,
    k_top_p_field,
    text("stop-sequences", "Stop the answer before this text.", repeated, example("END")),
    k_user_id_field,
    boolean("stream", "Stream the answer.", unsupported),
    k_top_k_field,
};

constexpr std::array k_examples = {
    Example{"svc legacy completions 'Once upon a time' --max-tokens 50", "Prints the completion."},
    Example{"svc legacy completions 'One, two,' 'Red, green,' --json", "Completes two prompts."},
    Example{"svc legacy messages 'Name three rivers in Norway' --max-tokens 200",
            "Streams the answer."},
    Example{"svc legacy messages 'What is this?' --image https://example.com/cat.png --system "
            "'Answer in one word.' --max-tokens 20",
            "Attaches an image and a system prompt."},
    Example{"svc legacy complete 'Once upon a time' --max-tokens-to-sample 50",
            "Prints the completion."},
};

constexpr std::array k_rows = {
    post("legacy completions", "/v1/completions", "Complete a text.", repeatable_when_refused,
         streams, fields<k_completions_fields>, default_model("svc-3"), replaced_by("svc chat"),
         composer(Composer::Prompt), view(View::Chat), answers(answer::legacy::k_completion),
         events(answer::legacy::k_completion_events)),
    post("legacy messages", "/v1/messages", "Ask a model in another API's message format.",
         repeatable_when_refused, streams, fields<k_messages_fields>, default_model("svc-4.5"),
         replaced_by("svc responses"), composer(Composer::Messages), view(View::Message),
         answers(answer::legacy::k_message), events(answer::legacy::k_message_events)),
    post("legacy complete", "/v1/complete", "Complete a text, in another API's format.",
         repeatable_when_refused, fields<k_complete_fields>, default_model("svc-3"),
         replaced_by("svc responses"), composer(Composer::Prompt), view(View::Message),
         answers(answer::legacy::k_complete)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace legacy

constinit const std::span<const Operation> k_legacy_operations = legacy::k_operations;

}  // namespace svc::catalogue
