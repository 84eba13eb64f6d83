// The types of a Responses and of a compaction request.
#include "emulator/json/check_tables.h"

namespace svc::emulator::text {
namespace {

constexpr Type k_responses_bare_object{.shape = Shape::Object};

// --- content parts ---
constexpr std::array<sv, 3> k_responses_detail_words = {"auto", "low", "high"};
constexpr Type k_responses_detail{.shape = Shape::Word, .words = k_responses_detail_words};
constexpr std::array k_responses_text_part_members = {Member{"text", &k_text, true}};
constexpr std::array k_responses_image_part_members = {Member{"image_url", &k_text, true},
                                                       Member{"file_id", &k_text},
                                                       Member{"detail", &k_responses_detail}};
constexpr std::array k_responses_file_part_members = {
    Member{"file_id", &k_text}, Member{"file_url", &k_text}, Member{"file_data", &k_text},
    Member{"filename", &k_text}, Member{"mime_type", &k_text}};
constexpr std::array k_refusal_part_members = {Member{"refusal", &k_text, true}};
constexpr Type k_responses_text_part{.shape = Shape::Object,
                                     .members = k_responses_text_part_members};
constexpr Type k_responses_image_part{.shape = Shape::Object,
                                      .members = k_responses_image_part_members};
constexpr Type k_responses_file_part{.shape = Shape::Object,
                                     .members = k_responses_file_part_members};
constexpr Type k_refusal_part{.shape = Shape::Object, .members = k_refusal_part_members};
constexpr std::array k_responses_part_variants = {
    Variant{"input_text", &k_responses_text_part}, Variant{"output_text", &k_responses_text_part},
    Variant{"input_image", &k_responses_image_part}, Variant{"input_file", &k_responses_file_part},
    Variant{"refusal", &k_refusal_part}};
constexpr Type k_responses_part{
    .shape = Shape::Tagged, .tag = "type", .variants = k_responses_part_variants};
constexpr Type k_responses_parts{.shape = Shape::List, .element = &k_responses_part};
constexpr std::array<const Type*, 2> k_responses_content_options = {&k_text, &k_responses_parts};
constexpr Type k_responses_content{.shape = Shape::Either, .options = k_responses_content_options};

// --- input items ---
constexpr std::array<sv, 4> k_role_words = {"user", "assistant", "system", "developer"};
constexpr Type k_role{.shape = Shape::Word, .words = k_role_words};
constexpr std::array k_message_members = {Member{"role", &k_role, true},
                                          Member{"content", &k_responses_content, true},
                                          Member{"name", &k_text}, Member{"id", &k_text}};
constexpr std::array k_result_members = {Member{"call_id", &k_text, true},
                                         Member{"output", &k_responses_content, true}};
constexpr std::array k_shell_outcome_members = {Member{"type", &k_text, true},
                                                Member{"exit_code", &k_integer}};
constexpr Type k_shell_outcome{.shape = Shape::Object, .members = k_shell_outcome_members};
constexpr std::array k_shell_output_members = {Member{"stdout", &k_text}, Member{"stderr", &k_text},
                                               Member{"outcome", &k_shell_outcome}};
constexpr Type k_shell_output{.shape = Shape::Object, .members = k_shell_output_members};
constexpr Type k_shell_outputs{.shape = Shape::List, .element = &k_shell_output};
constexpr std::array k_shell_result_members = {Member{"call_id", &k_text, true},
                                               Member{"output", &k_shell_outputs, true},
                                               Member{"max_output_length", &k_integer}};
constexpr std::array k_compaction_members = {Member{"encrypted_content", &k_text, true},
                                             Member{"id", &k_text}};
constexpr std::array k_function_call_members = {Member{"call_id", &k_text, true},
                                                Member{"name", &k_text, true},
                                                Member{"arguments", &k_text, true}};
constexpr std::array k_reasoning_members = {Member{"summary", &k_anything_list},
                                            Member{"content", &k_anything_list},
                                            Member{"encrypted_content", &k_text}};
constexpr Type k_responses_message{.shape = Shape::Object, .members = k_message_members};
constexpr Type k_result{.shape = Shape::Object, .members = k_result_members};
constexpr Type k_shell_result{.shape = Shape::Object, .members = k_shell_result_members};
constexpr Type k_compaction{.shape = Shape::Object, .members = k_compaction_members};
constexpr Type k_function_call{.shape = Shape::Object, .members = k_function_call_members};
constexpr Type k_reasoning{.shape = Shape::Object, .members = k_reasoning_members};
constexpr std::array k_item_variants = {Variant{"message", &k_responses_message},
                                        Variant{"function_call_output", &k_result},
                                        Variant{"shell_call_output", &k_shell_result},
                                        Variant{"compaction", &k_compaction},
                                        Variant{"function_call", &k_function_call},
                                        Variant{"reasoning", &k_reasoning},
                                        Variant{"shell_call", &k_responses_bare_object},
                                        Variant{"web_search_call", &k_responses_bare_object},
                                        Variant{"x_search_call", &k_responses_bare_object},
                                        Variant{"custom_tool_call", &k_responses_bare_object},
                                        Variant{"file_search_call", &k_responses_bare_object},
                                        Variant{"code_interpreter_call", &k_responses_bare_object},
                                        Variant{"code_execution_call", &k_responses_bare_object},
                                        Variant{"mcp_call", &k_responses_bare_object},
                                        Variant{"image_generation_call", &k_responses_bare_object},
                                        Variant{"view_image_call", &k_responses_bare_object},
                                        Variant{"view_x_video_call", &k_responses_bare_object},
                                        Variant{"tool_search_call", &k_responses_bare_object},
                                        Variant{"tool_search_output", &k_responses_bare_object}};
constexpr Type k_item{
    .shape = Shape::Tagged, .tag = "type", .variants = k_item_variants, .fallback = "message"};
constexpr Type k_items{.shape = Shape::List, .element = &k_item};
constexpr std::array<const Type*, 2> k_input_options = {&k_text, &k_items};
constexpr Type k_input{.shape = Shape::Either, .options = k_input_options};

// --- tools. What is refused for its meaning is in responses_rules.cpp. ---
constexpr std::array k_responses_function_members = {
    Member{"name", &k_text, true}, Member{"parameters", &k_map, true},
    Member{"description", &k_text}, Member{"strict", &k_boolean}};
constexpr std::array k_web_filter_members = {Member{"allowed_domains", &k_texts},
                                             Member{"excluded_domains", &k_texts}};
constexpr Type k_web_filters{.shape = Shape::Object, .members = k_web_filter_members};
constexpr std::array k_web_members = {
    Member{"allowed_domains", &k_texts}, Member{"excluded_domains", &k_texts},
    Member{"filters", &k_web_filters}, Member{"enable_image_search", &k_boolean},
    Member{"enable_image_understanding", &k_boolean}};
constexpr std::array k_x_members = {Member{"allowed_x_handles", &k_texts},
                                    Member{"excluded_x_handles", &k_texts},
                                    Member{"from_date", &k_text},
                                    Member{"to_date", &k_text},
                                    Member{"enable_image_understanding", &k_boolean},
                                    Member{"enable_video_understanding", &k_boolean}};
constexpr std::array k_file_search_members = {Member{"vector_store_ids", &k_texts, true},
                                              Member{"max_num_results", &k_count}};
constexpr std::array k_mcp_members = {
    Member{"server_url", &k_text, true},   Member{"server_label", &k_text, true},
    Member{"server_description", &k_text}, Member{"allowed_tools", &k_any},
    Member{"authorization", &k_text},      Member{"headers", &k_map}};
constexpr std::array<sv, 3> k_image_action_words = {"auto", "generate", "edit"};
constexpr Type k_image_action{.shape = Shape::Word, .words = k_image_action_words};
constexpr std::array k_image_members = {Member{"action", &k_image_action}};
constexpr std::array k_shell_members = {Member{"environment", &k_map}};
constexpr Type k_function{.shape = Shape::Object, .members = k_responses_function_members};
constexpr Type k_web{.shape = Shape::Object, .members = k_web_members};
constexpr Type k_x{.shape = Shape::Object, .members = k_x_members};
constexpr Type k_file_search{.shape = Shape::Object, .members = k_file_search_members};
constexpr Type k_mcp{.shape = Shape::Object, .members = k_mcp_members};
constexpr Type k_image{.shape = Shape::Object, .members = k_image_members};
constexpr Type k_shell{.shape = Shape::Object, .members = k_shell_members};
constexpr std::array k_responses_tool_variants = {
    Variant{"function", &k_function},
    Variant{"web_search", &k_web},
    Variant{"web_search_preview", &k_web},
    Variant{"x_search", &k_x},
    Variant{"code_interpreter", &k_responses_bare_object},
    Variant{"file_search", &k_file_search},
    Variant{"mcp", &k_mcp},
    Variant{"image_generation", &k_image},
    Variant{"shell", &k_shell},
    Variant{"tool_search", &k_responses_bare_object}};
constexpr Type k_responses_tool{
    .shape = Shape::Tagged, .tag = "type", .variants = k_responses_tool_variants};
constexpr Type k_responses_tools{.shape = Shape::List, .element = &k_responses_tool};

constexpr std::array<sv, 3> k_responses_choice_words = {"none", "auto", "required"};
constexpr Type k_responses_choice_word{.shape = Shape::Word, .words = k_responses_choice_words};
constexpr std::array k_named_members = {Member{"name", &k_text, true}};
constexpr Type k_named{.shape = Shape::Object, .members = k_named_members};
constexpr std::array k_named_variants = {Variant{"function", &k_named}};
constexpr Type k_responses_choice_object{
    .shape = Shape::Tagged, .tag = "type", .variants = k_named_variants};
constexpr std::array<const Type*, 2> k_responses_choice_options = {&k_responses_choice_word,
                                                                   &k_responses_choice_object};
constexpr Type k_responses_tool_choice{.shape = Shape::Either,
                                       .options = k_responses_choice_options};

// --- text.format: flat, unlike chat ---
constexpr std::array k_responses_schema_format_members = {
    Member{"schema", &k_map, true}, Member{"name", &k_text}, Member{"description", &k_text},
    Member{"strict", &k_boolean}};
constexpr Type k_responses_schema_format{.shape = Shape::Object,
                                         .members = k_responses_schema_format_members};
constexpr std::array k_responses_format_variants = {
    Variant{"text", &k_responses_bare_object}, Variant{"json_object", &k_responses_bare_object},
    Variant{"json_schema", &k_responses_schema_format}};
constexpr Type k_responses_format{
    .shape = Shape::Tagged, .tag = "type", .variants = k_responses_format_variants};
constexpr std::array k_text_members = {Member{"format", &k_responses_format}};
constexpr Type k_text_options{.shape = Shape::Object, .members = k_text_members};

constexpr std::array<sv, 3> k_summary_words = {"auto", "concise", "detailed"};
constexpr Type k_summary{.shape = Shape::Word, .words = k_summary_words};
constexpr std::array k_reasoning_option_members = {Member{"effort", &k_text},
                                                   Member{"summary", &k_summary},
                                                   Member{"generate_summary", &k_summary}};
constexpr Type k_reasoning_options{.shape = Shape::Object, .members = k_reasoning_option_members};

constexpr std::array<sv, 7> k_include_words = {
    "reasoning.encrypted_content",   "web_search_call.action.sources",
    "code_interpreter_call.outputs", "file_search_call.results",
    "no_inline_citations",           "message.output_text.logprobs",
    "code_execution_files_output"};
constexpr Type k_include_word{.shape = Shape::Word, .words = k_include_words};
constexpr Type k_include{.shape = Shape::List, .element = &k_include_word};

constexpr std::array k_request_members = {
    Member{"input", &k_input, true},
    Member{"model", &k_text},
    Member{"instructions", &k_text},
    Member{"previous_response_id", &k_text},
    Member{"store", &k_boolean},
    Member{"background", &k_boolean},
    Member{"context_management", &k_anything_list},
    Member{"include", &k_include},
    Member{"logprobs", &k_boolean},
    Member{"top_logprobs", &k_count},
    Member{"max_output_tokens", &k_count},
    Member{"max_turns", &k_count},
    Member{"metadata", &k_map},
    Member{"min_p", &k_number},
    Member{"top_k", &k_count},
    Member{"parallel_tool_calls", &k_boolean},
    Member{"prompt_cache_key", &k_text},
    Member{"reasoning", &k_reasoning_options},
    Member{"reasoning_effort", &k_text},
    Member{"search_parameters", &k_search},
    Member{"service_tier", &k_service_tier},
    Member{"stream", &k_boolean},
    Member{"temperature", &k_number},
    Member{"top_p", &k_number},
    Member{"text", &k_text_options},
    Member{"tool_choice", &k_responses_tool_choice},
    Member{"tools", &k_responses_tools},
    Member{"truncation", &k_text},
    Member{"user", &k_text},
};
constexpr Type k_request{.shape = Shape::Object, .members = k_request_members};

constexpr std::array k_compact_members = {Member{"input", &k_input, true},
                                          Member{"model", &k_text, true}};
constexpr Type k_compact{.shape = Shape::Object, .members = k_compact_members};

}  // namespace

const Type& responses_request_type() {
  return k_request;
}

const Type& compact_request_type() {
  return k_compact;
}

}  // namespace svc::emulator::text
