// A model's answer, read from a document or an event stream, in one form for chat, responses and
// the legacy operations.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "catalogue/model.h"
#include "http/sse.h"

namespace svc {

/// A tool call requested by the model. One that runs on the service is only reported to the user.
struct ToolCall {
  std::string id{};
  std::string name{};
  std::string arguments{};  ///< a JSON document
  bool runs_on_service = false;
  std::string output{};  ///< of a call that ran on the service: its result, if reported
};

struct Choice {
  std::string text{};
  std::string reasoning{};
  std::string refusal{};
  std::string finish_reason{};
  std::vector<ToolCall> tool_calls{};
};

struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t sources = 0;
  std::optional<std::int64_t> cost_ticks{};  ///< 1/100,000,000 US cent
  /// What the cached tokens would have cost more, if their prices are known.
  std::optional<std::int64_t> saved_ticks{};

  /// Adds the numbers of `more`.
  void add(const Usage& more);
};

struct Answer {
  std::string id{};
  std::string model{};
  std::string status{};  ///< of a response: completed, incomplete, failed, …
  std::vector<Choice> choices{};
  std::vector<std::string> citations{};
  std::vector<std::string> output_files{};
  std::vector<std::string> images{};  ///< generated images, in base64
  std::optional<Usage> usage{};
  std::string incomplete_reason{};
};

/// Reads the answer from a document. Network if the document does not contain one.
[[nodiscard]] Result<Answer> read_chat(const nlohmann::json& document);
[[nodiscard]] Result<Answer> read_response(const nlohmann::json& document);
[[nodiscard]] Result<Answer> read_message(const nlohmann::json& document);

/// Reads the answer in the format of the operation's view.
[[nodiscard]] Result<Answer> read_answer(View view, const nlohmann::json& document);

/// The reason why a complete answer is not a success: truncated at the token limit, refused,
/// blocked or incomplete. RemoteJob; empty for a success. `limit_flag` is the flag that raises the
/// limit.
[[nodiscard]] std::optional<Error> answer_error(
    const Answer& answer, std::string_view limit_flag = "max-completion-tokens");

/// Network if the arguments of a tool call for the client are not valid JSON. Not for an answer
/// with a shortcoming, which already explains truncated arguments.
[[nodiscard]] std::optional<Error> bad_arguments(const Answer& answer);

enum class DeltaKind : std::uint8_t { Text, Reasoning, Refusal, Tool, ToolOutput };

/// A part of an answer to print now. `text` is valid until the call returns. DeltaKind::Tool is a
/// line about a tool that runs on the service, DeltaKind::ToolOutput its result.
struct Delta {
  DeltaKind kind = DeltaKind::Text;
  int choice = 0;
  std::string_view text;
};
using DeltaSink = std::function<void(const Delta&)>;

/// Assembles an answer from the data of its events.
class AnswerStream {
 public:
  AnswerStream() = default;
  AnswerStream(const AnswerStream&) = delete;
  AnswerStream& operator=(const AnswerStream&) = delete;
  virtual ~AnswerStream() = default;

  /// Whether the final event has arrived; any later events are ignored.
  [[nodiscard]] virtual bool ended() const = 0;

  /// Reads the data of one event. Ill-formed UTF-8 becomes U+FFFD, in names and in values. Network
  /// for data that is not JSON (with the event's number); the service's own error for an error
  /// event. Earlier events remain part of the answer.
  [[nodiscard]] Result<void> feed(std::string_view data, const DeltaSink& sink);

  /// Consumes whole events from the start of `bytes`, as feed() would, while they only add text,
  /// which is passed to `sink` immediately. The remaining bytes are for feed().
  virtual http::SseRun feed_run(std::string_view /*bytes*/, const DeltaSink& /*sink*/) {
    return {};
  }

  /// Whether the last event is known to be one line of JSON without whitespace, which can be
  /// forwarded unchanged. False if unknown.
  [[nodiscard]] virtual bool is_compact_line() const { return false; }

  /// To be called at the end of the stream. Network ("ended early") if the final event is missing
  /// or the arguments of a tool call are truncated.
  [[nodiscard]] virtual Result<void> finish() = 0;

  [[nodiscard]] virtual const Answer& answer() const = 0;

  /// The answer as one JSON document, equal to the response without streaming.
  [[nodiscard]] virtual std::string document() const = 0;

  /// Returns new warnings for the user: gaps in the numbering of events. Each is returned once.
  [[nodiscard]] virtual std::vector<std::string> take_warnings() { return {}; }

 private:
  /// feed() for data in well-formed UTF-8.
  virtual Result<void> handle_event(std::string_view data, const DeltaSink& sink) = 0;
};

/// What an answer stream retains: Nothing of the first choice's text, to save memory (document()
/// and answer().choices[0].text are then empty); the Document; or also the Text of the choices.
enum class Retain : std::uint8_t { Nothing, Document, Text };

/// Creates the stream reader for an operation's view; `secrets` are removed from errors.
[[nodiscard]] std::unique_ptr<AnswerStream> make_answer_stream(View view, Retain retain,
                                                               std::vector<std::string> secrets);

}  // namespace svc
