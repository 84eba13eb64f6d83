// The group responses.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/responses_answers.h"
#include "catalogue/responses_fields.h"

namespace svc::catalogue {
namespace responses {

constexpr std::array k_own_rules = {
    excludes("instructions", "previous-response-id",
             "A continued conversation keeps the system prompt of the earlier response."),
    excludes("schema", "text-format", "Both set the answer format."),
    excludes("reasoning-effort", "flat-reasoning-effort",
             "Both set the reasoning effort, and the service ignores the second."),
    needs("top-logprobs", "logprobs", "They come with the log probabilities."),
    warns("include=message.output_text.logprobs", "include", "ignored by the service."),
};

constexpr auto k_create_rules = concat(k_own_rules, k_sampling_rules, k_conversation_rules,
                                       k_search_flag_rules, k_search_rules);

constexpr std::array k_examples = {
    Example{"svc responses 'Name three rivers in Norway'", "Streams the answer."},
    Example{
        "svc responses 'What happened in Oslo today?' --web-search --allowed-domain example.com",
        "Lets the service search the web."},
    Example{"svc responses 'How long is my notice?' --collection collection_0001",
            "Lets the service search your documents."},
    Example{"svc responses 'And in Bergen?' --previous-response-id "
            "00000000-0000-0000-0000-000000000000",
            "Continues a stored conversation."},
    Example{"svc responses 'Two colors' --text-format '{\"type\":\"json_object\"}' --no-store",
            "Requests JSON and stores nothing on the service."},
    Example{
        "svc responses 'Draw a lighthouse' --tools '{\"type\":\"image_generation\"}' -o images/",
        "Saves the images that the model generates."},
    Example{"svc responses get 00000000-0000-0000-0000-000000000000",
            "Prints the text of a stored response."},
    Example{"svc responses compact 'A long conversation' --json",
            "Prints an item that replaces the conversation in later input."},
    Example{"svc responses delete 00000000-0000-0000-0000-000000000000 --yes",
            "Deletes a stored response without asking."},
    Example{"svc responses inputs 00000000-0000-0000-0000-000000000000 --json",
            "Prints the input of the response."},
};

constexpr std::array k_rows = {
    post("responses create", "/v1/responses",
         "Ask a model with server-side tools, and print its answer.",
         runs(Handler::ResponsesCreate), own_output, default_verb, repeatable_when_refused, streams,
         fields<k_create_fields>, default_model("svc-4.5"), composer(Composer::Responses),
         view(View::Response), rules(k_create_rules), answers(answer::responses::k_members),
         events(answer::responses::k_events)),
    get("responses get", "/v1/responses/{response_id}", "Print a stored response.",
        runs(Handler::ResponsesGet), own_output, fields<k_id_fields>, view(View::Response),
        answers(answer::responses::k_members)),
    post("responses compact", "/v1/responses/compact",
         "Compact a conversation into one input item.", repeatable_when_refused,
         fields<k_compact_fields>, default_model("svc-4.5"), composer(Composer::Responses),
         answers(answer::responses::k_compacted)),
    operation("responses delete", "DELETE", "/v1/responses/{response_id}",
              "Delete a stored response.", observed, repeatable, answers_nothing,
              ends("A deleted response can be neither restored nor continued."),
              fields<k_id_fields>, answers(answer::k_deleted)),
    get("responses inputs", "/v1/responses/{response_id}/input_items",
        "List the input items of a stored response.", observed, fields<k_inputs_fields>,
        items("data"), noun("input item", "input items"),
        paging(Paging{.limit_param = "limit",
                      .token_param = "after",
                      .token_path = "last_id",
                      .more_path = "has_more",
                      .max_page = 100}),
        answers(answer::responses::k_inputs)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"response", "responses"});

}  // namespace responses

constinit const std::span<const Operation> k_responses_operations = responses::k_operations;

}  // namespace svc::catalogue
