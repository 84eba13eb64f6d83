// Pieces that chat_answer.cpp, response_answer.cpp and message_answer.cpp share. Not part of the
// public interface.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "client/answer.h"

namespace svc::answer_parts {

/// The member as a whole number; decimal strings count, as the service writes 64-bit numbers; 0
/// otherwise.
[[nodiscard]] std::int64_t number_of(const nlohmann::json& object, const char* name);

/// Usage of chat (prompt_tokens, …) or responses (input_tokens, …); nothing when it is absent.
[[nodiscard]] std::optional<Usage> usage_of(const nlohmann::json& document);

/// Checks and parses one event; Network with its number otherwise.
[[nodiscard]] Result<nlohmann::json> parse_event(std::string_view data, std::size_t number);

/// "The stream ended early …".
[[nodiscard]] Error ended_early(std::size_t events);

[[nodiscard]] std::unique_ptr<AnswerStream> make_chat_stream(Keep keep,
                                                             std::vector<std::string> secrets);
[[nodiscard]] std::unique_ptr<AnswerStream> make_response_stream(Keep keep,
                                                                 std::vector<std::string> secrets);
[[nodiscard]] std::unique_ptr<AnswerStream> make_message_stream(Keep keep,
                                                                std::vector<std::string> secrets);

}  // namespace svc::answer_parts
