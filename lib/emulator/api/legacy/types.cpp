// The types of the older text operations' requests.
#include <array>

#include "emulator/api/legacy/handlers.h"
#include "emulator/json/check_tables.h"

namespace svc::emulator::legacy {
namespace {

using namespace svc::emulator::text;

constexpr std::array<const Type*, 2> k_text_or_texts_options = {&k_text, &k_texts};
constexpr Type k_text_or_texts{.shape = Shape::Either, .options = k_text_or_texts_options};
constexpr std::array k_stream_options_members = {Member{"include_usage", &k_boolean, true}};
constexpr Type k_stream_options{.shape = Shape::Object, .members = k_stream_options_members};

constexpr std::array k_completions_members = {Member{"prompt", &k_text_or_texts, true},
                                              Member{"model", &k_text},
                                              Member{"best_of", &k_count},
                                              Member{"echo", &k_boolean},
                                              Member{"frequency_penalty", &k_number},
                                              Member{"logit_bias", &k_map},
                                              Member{"logprobs", &k_count},
                                              Member{"max_tokens", &k_count},
                                              Member{"n", &k_count},
                                              Member{"presence_penalty", &k_number},
                                              Member{"seed", &k_integer},
                                              Member{"stop", &k_text_or_texts},
                                              Member{"stream", &k_boolean},
                                              Member{"stream_options", &k_stream_options},
                                              Member{"suffix", &k_text},
                                              Member{"temperature", &k_number},
                                              Member{"top_p", &k_number},
                                              Member{"user", &k_text}};
constexpr Type k_completions{.shape = Shape::Object, .members = k_completions_members};

constexpr std::array k_metadata_members = {Member{"user_id", &k_text}};
constexpr Type k_metadata{.shape = Shape::Object, .members = k_metadata_members};

constexpr std::array k_complete_members = {Member{"prompt", &k_text, true},
                                           Member{"model", &k_text},
                                           Member{"max_tokens_to_sample", &k_count, true},
                                           Member{"metadata", &k_metadata},
                                           Member{"stop_sequences", &k_texts},
                                           Member{"stream", &k_boolean},
                                           Member{"temperature", &k_number},
                                           Member{"top_k", &k_count},
                                           Member{"top_p", &k_number}};
constexpr Type k_complete{.shape = Shape::Object, .members = k_complete_members};

// --- messages: parts ---
constexpr std::array k_text_members = {Member{"text", &k_text, true}};
constexpr Type k_text_part{.shape = Shape::Object, .members = k_text_members};
constexpr std::array k_base64_members = {Member{"media_type", &k_text, true},
                                         Member{"data", &k_text, true}};
constexpr Type k_base64{.shape = Shape::Object, .members = k_base64_members};
constexpr std::array k_url_members = {Member{"url", &k_text, true}};
constexpr Type k_url{.shape = Shape::Object, .members = k_url_members};
constexpr std::array k_source_kinds = {Variant{"base64", &k_base64}, Variant{"url", &k_url}};
constexpr Type k_image_source{.shape = Shape::Tagged, .tag = "type", .variants = k_source_kinds};
constexpr std::array k_image_members = {Member{"source", &k_image_source, true}};
constexpr Type k_image_part{.shape = Shape::Object, .members = k_image_members};
constexpr std::array k_tool_use_members = {
    Member{"id", &k_text, true}, Member{"name", &k_text, true}, Member{"input", &k_map, true}};
constexpr Type k_tool_use{.shape = Shape::Object, .members = k_tool_use_members};
constexpr std::array k_result_variants = {Variant{"text", &k_text_part},
                                          Variant{"image", &k_image_part}};
constexpr Type k_result_part{.shape = Shape::Tagged, .tag = "type", .variants = k_result_variants};
constexpr Type k_result_parts{.shape = Shape::List, .element = &k_result_part};
constexpr std::array<const Type*, 2> k_result_options = {&k_text, &k_result_parts};
constexpr Type k_result_content{.shape = Shape::Either, .options = k_result_options};
constexpr std::array k_tool_result_members = {Member{"tool_use_id", &k_text, true},
                                              Member{"content", &k_result_content},
                                              Member{"is_error", &k_boolean}};
constexpr Type k_tool_result{.shape = Shape::Object, .members = k_tool_result_members};
constexpr std::array k_thinking_members = {Member{"thinking", &k_text, true},
                                           Member{"signature", &k_text}};
constexpr Type k_thinking{.shape = Shape::Object, .members = k_thinking_members};
constexpr std::array k_redacted_members = {Member{"data", &k_text, true}};
constexpr Type k_redacted{.shape = Shape::Object, .members = k_redacted_members};
constexpr std::array k_part_variants = {
    Variant{"text", &k_text_part},    Variant{"image", &k_image_part},
    Variant{"tool_use", &k_tool_use}, Variant{"tool_result", &k_tool_result},
    Variant{"thinking", &k_thinking}, Variant{"redacted_thinking", &k_redacted}};
constexpr Type k_part{.shape = Shape::Tagged, .tag = "type", .variants = k_part_variants};
constexpr Type k_parts{.shape = Shape::List, .element = &k_part};
constexpr std::array<const Type*, 2> k_content_options = {&k_text, &k_parts};
constexpr Type k_content{.shape = Shape::Either, .options = k_content_options};

constexpr std::array<sv, 2> k_role_words = {"user", "assistant"};
constexpr Type k_role{.shape = Shape::Word, .words = k_role_words};
constexpr std::array k_message_members = {Member{"role", &k_role, true},
                                          Member{"content", &k_content, true}};
constexpr Type k_message{.shape = Shape::Object, .members = k_message_members};
constexpr Type k_messages_list{.shape = Shape::List, .element = &k_message};

constexpr std::array k_system_variants = {Variant{"text", &k_text_part}};
constexpr Type k_system_part{.shape = Shape::Tagged, .tag = "type", .variants = k_system_variants};
constexpr Type k_system_parts{.shape = Shape::List, .element = &k_system_part};
constexpr std::array<const Type*, 2> k_system_options = {&k_text, &k_system_parts};
constexpr Type k_system{.shape = Shape::Either, .options = k_system_options};

// --- messages: tools ---
constexpr std::array k_tool_members = {Member{"name", &k_text, true},
                                       Member{"description", &k_text},
                                       Member{"input_schema", &k_map, true}};
constexpr Type k_tool{.shape = Shape::Object, .members = k_tool_members};
constexpr Type k_tools{.shape = Shape::List, .element = &k_tool};
constexpr Type k_nothing_more{.shape = Shape::Object};
constexpr std::array k_named_members = {Member{"name", &k_text, true}};
constexpr Type k_named{.shape = Shape::Object, .members = k_named_members};
constexpr std::array k_choice_variants = {
    Variant{"auto", &k_nothing_more}, Variant{"any", &k_nothing_more},
    Variant{"none", &k_nothing_more}, Variant{"tool", &k_named}};
constexpr Type k_choice{.shape = Shape::Tagged, .tag = "type", .variants = k_choice_variants};

constexpr std::array k_messages_members = {Member{"messages", &k_messages_list, true},
                                           Member{"max_tokens", &k_count, true},
                                           Member{"model", &k_text},
                                           Member{"metadata", &k_metadata},
                                           Member{"stop_sequences", &k_texts},
                                           Member{"stream", &k_boolean},
                                           Member{"system", &k_system},
                                           Member{"temperature", &k_number},
                                           Member{"tool_choice", &k_choice},
                                           Member{"tools", &k_tools},
                                           Member{"top_k", &k_count},
                                           Member{"top_p", &k_number}};
constexpr Type k_messages{.shape = Shape::Object, .members = k_messages_members};

}  // namespace

const Type& completions_type() {
  return k_completions;
}
const Type& messages_type() {
  return k_messages;
}
const Type& complete_type() {
  return k_complete;
}

}  // namespace svc::emulator::legacy
