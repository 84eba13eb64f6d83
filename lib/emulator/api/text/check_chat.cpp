// The type of a chat request.
#include "emulator/json/check_tables.h"

namespace svc::emulator::text {
namespace {

// --- content ---
constexpr std::array<sv, 3> k_detail_words = {"auto", "low", "high"};
constexpr Type k_detail{.shape = Shape::Word, .words = k_detail_words};
constexpr std::array k_image_url_members = {Member{"url", &k_text, true},
                                            Member{"detail", &k_detail}};
constexpr Type k_image_url{.shape = Shape::Object, .members = k_image_url_members};
constexpr std::array k_file_members = {Member{"file_id", &k_text}, Member{"url", &k_text}};
constexpr Type k_file{.shape = Shape::Object, .members = k_file_members};

constexpr std::array k_text_part_members = {Member{"text", &k_text, true}};
constexpr std::array k_image_part_members = {Member{"image_url", &k_image_url, true}};
constexpr std::array k_file_part_members = {Member{"file", &k_file, true}};
constexpr std::array k_input_image_members = {Member{"image_url", &k_text, true},
                                              Member{"detail", &k_detail}};
constexpr Type k_text_part{.shape = Shape::Object, .members = k_text_part_members};
constexpr Type k_image_part{.shape = Shape::Object, .members = k_image_part_members};
constexpr Type k_file_part{.shape = Shape::Object, .members = k_file_part_members};
constexpr Type k_input_image_part{.shape = Shape::Object, .members = k_input_image_members};

constexpr std::array k_part_variants = {Variant{"text", &k_text_part},
                                        Variant{"image_url", &k_image_part},
                                        Variant{"file", &k_file_part}};
// A tool's result also takes the names of the Responses operation.
constexpr std::array k_tool_part_variants = {
    Variant{"text", &k_text_part}, Variant{"image_url", &k_image_part},
    Variant{"file", &k_file_part}, Variant{"input_text", &k_text_part},
    Variant{"input_image", &k_input_image_part}};
constexpr Type k_part{.shape = Shape::Tagged, .tag = "type", .variants = k_part_variants};
constexpr Type k_tool_part{.shape = Shape::Tagged, .tag = "type", .variants = k_tool_part_variants};
constexpr Type k_parts{.shape = Shape::List, .element = &k_part};
constexpr Type k_tool_parts{.shape = Shape::List, .element = &k_tool_part};
constexpr std::array<const Type*, 2> k_content_options = {&k_text, &k_parts};
constexpr std::array<const Type*, 2> k_tool_content_options = {&k_text, &k_tool_parts};
constexpr Type k_content{.shape = Shape::Either, .options = k_content_options};
constexpr Type k_tool_content{.shape = Shape::Either, .options = k_tool_content_options};

// --- messages ---
constexpr std::array k_called_members = {Member{"name", &k_text, true},
                                         Member{"arguments", &k_text, true}};
constexpr Type k_called{.shape = Shape::Object, .members = k_called_members};
constexpr std::array k_tool_call_members = {Member{"id", &k_text, true}, Member{"type", &k_text},
                                            Member{"index", &k_integer},
                                            Member{"function", &k_called, true}};
constexpr Type k_tool_call{.shape = Shape::Object, .members = k_tool_call_members};
constexpr Type k_tool_calls{.shape = Shape::List, .element = &k_tool_call};

constexpr std::array k_plain_members = {Member{"content", &k_content, true},
                                        Member{"name", &k_text}};
constexpr std::array k_assistant_members = {
    Member{"content", &k_content}, Member{"reasoning_content", &k_text}, Member{"refusal", &k_text},
    Member{"tool_calls", &k_tool_calls}, Member{"name", &k_text}};
constexpr std::array k_tool_members = {Member{"content", &k_tool_content, true},
                                       Member{"tool_call_id", &k_text, true}};
constexpr std::array k_function_members = {Member{"content", &k_content, true},
                                           Member{"name", &k_text, true}};
constexpr Type k_plain{.shape = Shape::Object, .members = k_plain_members};
constexpr Type k_assistant{.shape = Shape::Object, .members = k_assistant_members};
constexpr Type k_tool_message{.shape = Shape::Object, .members = k_tool_members};
constexpr Type k_function_message{.shape = Shape::Object, .members = k_function_members};
constexpr std::array k_role_variants = {
    Variant{"system", &k_plain},      Variant{"developer", &k_plain},
    Variant{"user", &k_plain},        Variant{"assistant", &k_assistant},
    Variant{"tool", &k_tool_message}, Variant{"function", &k_function_message}};
constexpr Type k_message{.shape = Shape::Tagged, .tag = "role", .variants = k_role_variants};
constexpr Type k_messages{.shape = Shape::List, .element = &k_message};

// --- tools ---
constexpr std::array k_function_definition_members = {
    Member{"name", &k_text, true}, Member{"parameters", &k_map, true},
    Member{"description", &k_text}, Member{"strict", &k_boolean}};
constexpr Type k_function_definition{.shape = Shape::Object,
                                     .members = k_function_definition_members};
constexpr std::array k_function_tool_members = {Member{"function", &k_function_definition, true}};
constexpr std::array k_live_search_members = {Member{"sources", &k_sources}};
constexpr Type k_function_tool{.shape = Shape::Object, .members = k_function_tool_members};
constexpr Type k_live_search{.shape = Shape::Object, .members = k_live_search_members};
constexpr std::array k_tool_variants = {Variant{"function", &k_function_tool},
                                        Variant{"live_search", &k_live_search}};
constexpr Type k_tool{.shape = Shape::Tagged, .tag = "type", .variants = k_tool_variants};
constexpr Type k_tools{.shape = Shape::List, .element = &k_tool};

constexpr std::array<sv, 3> k_choice_words = {"none", "auto", "required"};
constexpr Type k_choice_word{.shape = Shape::Word, .words = k_choice_words};
constexpr std::array k_chosen_function_members = {Member{"name", &k_text, true}};
constexpr Type k_chosen_function{.shape = Shape::Object, .members = k_chosen_function_members};
constexpr std::array k_named_choice_members = {Member{"function", &k_chosen_function, true}};
constexpr Type k_named_choice{.shape = Shape::Object, .members = k_named_choice_members};
constexpr std::array k_choice_variants = {Variant{"function", &k_named_choice}};
constexpr Type k_choice_object{
    .shape = Shape::Tagged, .tag = "type", .variants = k_choice_variants};
constexpr std::array<const Type*, 2> k_choice_options = {&k_choice_word, &k_choice_object};
constexpr Type k_tool_choice{.shape = Shape::Either, .options = k_choice_options};

// --- response_format ---
constexpr Type k_bare_object{.shape = Shape::Object};
constexpr std::array k_schema_members = {Member{"schema", &k_map, true}, Member{"name", &k_text},
                                         Member{"description", &k_text},
                                         Member{"strict", &k_boolean}};
constexpr Type k_schema{.shape = Shape::Object, .members = k_schema_members};
constexpr std::array k_schema_format_members = {Member{"json_schema", &k_schema, true}};
constexpr Type k_schema_format{.shape = Shape::Object, .members = k_schema_format_members};
constexpr std::array k_format_variants = {Variant{"text", &k_bare_object},
                                          Variant{"json_object", &k_bare_object},
                                          Variant{"json_schema", &k_schema_format}};
constexpr Type k_format{.shape = Shape::Tagged, .tag = "type", .variants = k_format_variants};

constexpr std::array k_stream_options_members = {Member{"include_usage", &k_boolean, true}};
constexpr Type k_stream_options{.shape = Shape::Object, .members = k_stream_options_members};

constexpr std::array k_chat_members = {
    Member{"messages", &k_messages, true},
    Member{"model", &k_text},
    Member{"deferred", &k_boolean},
    Member{"frequency_penalty", &k_number},
    Member{"include", &k_texts},
    Member{"logit_bias", &k_map},
    Member{"logprobs", &k_boolean},
    Member{"max_completion_tokens", &k_count},
    Member{"max_tokens", &k_count},
    Member{"n", &k_count},
    Member{"parallel_tool_calls", &k_boolean},
    Member{"presence_penalty", &k_number},
    Member{"prompt_cache_key", &k_text},
    Member{"reasoning_effort", &k_text},
    Member{"response_format", &k_format},
    Member{"search_parameters", &k_search},
    Member{"seed", &k_integer},
    Member{"service_tier", &k_service_tier},
    Member{"stop", &k_texts},
    Member{"stream", &k_boolean},
    Member{"stream_options", &k_stream_options},
    Member{"temperature", &k_number},
    Member{"tool_choice", &k_tool_choice},
    Member{"tools", &k_tools},
    Member{"top_logprobs", &k_count},
    Member{"top_p", &k_number},
    Member{"user", &k_text},
    Member{"web_search_options", &k_map},
};
constexpr Type k_chat_request{.shape = Shape::Object, .members = k_chat_members};

}  // namespace

const Type& chat_request_type() {
  return k_chat_request;
}

}  // namespace svc::emulator::text
