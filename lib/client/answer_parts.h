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

/// The member as text: a string, or the texts of an array of parts; "" if it is null or absent.
/// Network for anything else: "expected text for "content" in the response, got an object".
[[nodiscard]] Result<std::string> expect_text(const nlohmann::json& object, const char* name);

/// Network unless `element`, of the member `name`, is an object.
[[nodiscard]] Result<void> expect_object(const nlohmann::json& element, const char* name);

/// Network unless the member is an array, null or absent.
[[nodiscard]] Result<void> expect_array(const nlohmann::json& object, const char* name);

/// The member `index`, 0 if it is absent; Network if it cannot be one of `what`: "choice".
[[nodiscard]] Result<std::size_t> index_of(const nlohmann::json& object, const char* what);

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
