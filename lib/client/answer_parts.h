// Helpers shared by chat_answer.cpp, response_answer.cpp and message_answer.cpp. Internal to
// lib/client.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "client/answer.h"

namespace svc::answer_parts {

/// The field as an integer; also accepts decimal strings, which the service uses for 64-bit
/// numbers; 0 otherwise.
[[nodiscard]] std::int64_t number_of(const nlohmann::json& object, const char* name);

/// The usage of chat (prompt_tokens, …) or responses (input_tokens, …); empty if there is none.
[[nodiscard]] std::optional<Usage> usage_of(const nlohmann::json& document);

/// Checks and parses one event; Network with its number if it is not valid.
[[nodiscard]] Result<nlohmann::json> parse_event(std::string_view data, std::size_t number);

/// "The stream ended early …".
[[nodiscard]] Error ended_early(std::size_t events);

[[nodiscard]] std::unique_ptr<AnswerStream> make_chat_stream(Retain retain,
                                                             std::vector<std::string> secrets);
[[nodiscard]] std::unique_ptr<AnswerStream> make_response_stream(Retain retain,
                                                                 std::vector<std::string> secrets);
[[nodiscard]] std::unique_ptr<AnswerStream> make_message_stream(Retain retain,
                                                                std::vector<std::string> secrets);

}  // namespace svc::answer_parts
