#include "client/answer.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/text.h"
#include "client/answer_parts.h"
#include "client/api_error.h"
#include "client/usage.h"
#include "json/document.h"
#include "json/text.h"

namespace svc {

using nlohmann::json;

namespace answer_parts {

std::int64_t number_of(const json& object, const char* name) {
  const json& value = member(object, name);
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    constexpr auto k_most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(std::min(number, k_most));
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) return parse_integer(value.get_ref<const std::string&>()).value_or(0);
  return 0;
}

namespace {

std::string type_words(const json& value) {
  if (value.is_null()) return "null";
  return fmt::format("{} {}", value.is_object() || value.is_array() ? "an" : "a",
                     value.type_name());
}

}  // namespace

Result<std::string> expect_text(const json& object, const char* name) {
  const json& value = member(object, name);
  if (!value.is_null() && !value.is_string() && !value.is_array()) {
    return unexpected_answer(fmt::format("text for \"{}\"", name), type_words(value));
  }
  std::string text = text_member(object, name);
  if (value.is_array()) {
    for (const json& part : value) text += text_member(part, "text");
  }
  return text;
}

Result<void> expect_object(const json& element, const char* name) {
  if (element.is_object()) return {};
  return unexpected_answer(fmt::format("objects in \"{}\"", name), type_words(element));
}

Result<void> expect_array(const json& object, const char* name) {
  const json& value = member(object, name);
  if (value.is_null() || value.is_array()) return {};
  return unexpected_answer(fmt::format("an array for \"{}\"", name), type_words(value));
}

Result<std::size_t> index_of(const json& object, const char* what) {
  constexpr std::int64_t k_most = 1023;
  const json& value = member(object, "index");
  const std::int64_t index = number_of(object, "index");
  const bool number = value.is_null() || value.is_number_integer() || value.is_string();
  if (number && index >= 0 && index <= k_most) return static_cast<std::size_t>(index);
  return unexpected_answer(fmt::format("a {} index from 0 to {}", what, k_most),
                           shown(compact_json(value)));
}

std::optional<Usage> usage_of(const json& document) {
  const json& from = member(document, "usage");
  if (!from.is_object() || from.empty()) return std::nullopt;
  return read_usage(fmt::format(R"({{"usage":{}}})", compact_json(from)));
}

Result<json> parse_event(std::string_view data, std::size_t number) {
  if (const auto fault = check_json(data)) {
    return Error{Fault::Network,
                 fmt::format("event {} of the stream is not JSON: {}", number, describe(*fault)),
                 "The partial answer is preserved; try again."};
  }
  return parse_reply(data);
}

Error ended_early(std::size_t events) {
  return Error{Fault::Network,
               fmt::format("the stream ended early, after {}", counted(events, "event", "events")),
               "The answer shown is incomplete; try again."};
}

}  // namespace answer_parts

std::optional<Error> bad_arguments(const Answer& answer) {
  if (answer_error(answer)) return std::nullopt;
  for (const Choice& choice : answer.choices) {
    for (const ToolCall& call : choice.tool_calls) {
      if (call.runs_on_service || call.arguments.empty()) continue;
      if (check_json(call.arguments)) {
        return Error{Fault::Network,
                     fmt::format("the arguments of the tool call {} are truncated",
                                 visible(call.name, Lines::Escape)),
                     "The call was not run; try again."};
      }
    }
  }
  return std::nullopt;
}

Result<void> AnswerStream::feed(std::string_view data, const DeltaSink& sink) {
  if (!first_invalid_utf8(data)) return handle_event(data, sink);
  return handle_event(replace_invalid_utf8(data), sink);
}

Result<Answer> read_answer(View view, const json& document) {
  if (view == View::Response) return read_response(document);
  return view == View::Message ? read_message(document) : read_chat(document);
}

std::optional<Error> answer_error(const Answer& answer, std::string_view limit_flag) {
  if (!answer.incomplete_reason.empty() || answer.status == "incomplete") {
    const bool tokens = answer.incomplete_reason == "max_output_tokens";
    return Error{
        Fault::RemoteJob,
        fmt::format("the response is incomplete{}",
                    answer.incomplete_reason.empty()
                        ? std::string()
                        : fmt::format(": {}", visible(answer.incomplete_reason, Lines::Escape))),
        tokens ? "Raise --max-output-tokens to let it finish." : ""};
  }
  for (const Choice& choice : answer.choices) {
    if (!choice.refusal.empty()) {
      return Error{Fault::RemoteJob,
                   fmt::format("the model refused: {}", shown_message(choice.refusal))};
    }
    if (choice.finish_reason == "length" || choice.finish_reason == "max_tokens") {
      return Error{Fault::RemoteJob,
                   fmt::format("the answer was truncated at the token limit (finish reason: {})",
                               choice.finish_reason),
                   fmt::format("Raise --{} to let it finish.", limit_flag)};
    }
    if (choice.finish_reason == "refusal") {
      return Error{Fault::RemoteJob, "the model refused to continue (finish reason: refusal)"};
    }
    if (choice.finish_reason == "content_filter") {
      return Error{Fault::RemoteJob, "the answer was blocked by the service's content filter"};
    }
  }
  if (answer.status == "failed" || answer.status == "expired") {
    return Error{Fault::RemoteJob, fmt::format("the response {}", answer.status)};
  }
  if (answer.status == "cancelled") {
    return Error{Fault::RemoteJob, "the response was canceled"};
  }
  return std::nullopt;
}

std::unique_ptr<AnswerStream> make_answer_stream(View view, Retain retain,
                                                 std::vector<std::string> secrets) {
  if (view == View::Response) return answer_parts::make_response_stream(retain, std::move(secrets));
  if (view == View::Message) return answer_parts::make_message_stream(retain, std::move(secrets));
  return answer_parts::make_chat_stream(retain, std::move(secrets));
}

}  // namespace svc
