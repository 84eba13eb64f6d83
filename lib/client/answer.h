// What a model answered, from a whole document or from a stream of events, in one shape for chat,
// responses and the legacy operations.
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

/// A call that the model asks for. One that the service runs itself is only told to the user.
struct ToolCall {
  std::string id{};
  std::string name{};
  std::string arguments{};  ///< a JSON document
  bool runs_on_service = false;
  std::string output{};  ///< of one that the service ran: what it gave, as far as it is told
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

  /// Counts more in.
  void add(const Usage& more);
};

struct Answer {
  std::string id{};
  std::string model{};
  std::string status{};  ///< of a response: completed, incomplete, failed, …
  std::vector<Choice> choices{};
  std::vector<std::string> citations{};
  std::vector<std::string> output_files{};
  std::vector<std::string> images{};  ///< made on the way, in base64
  std::optional<Usage> usage{};
  std::string incomplete_reason{};
};

/// The answer that a whole document holds. Network when it is not one.
[[nodiscard]] Result<Answer> read_chat(const nlohmann::json& document);
[[nodiscard]] Result<Answer> read_response(const nlohmann::json& document);
[[nodiscard]] Result<Answer> read_message(const nlohmann::json& document);

/// The reader of these three that an operation's view asks for.
[[nodiscard]] Result<Answer> read_answer(View view, const nlohmann::json& document);

/// Why an answer that arrived whole is still no success: cut at the token limit, refused, blocked,
/// incomplete. RemoteJob; nothing when all is well. `limit_flag` is what raises the limit.
[[nodiscard]] std::optional<Error> shortcoming(
    const Answer& answer, std::string_view limit_flag = "max-completion-tokens");

/// Network, when the arguments of a call for its sender are no JSON document. Not of an answer with
/// a shortcoming, which says itself why they are cut.
[[nodiscard]] std::optional<Error> bad_arguments(const Answer& answer);

enum class Piece : std::uint8_t { Text, Reasoning, Refusal, Tool, ToolOutput };

/// Something to show now. `text` lives until the call returns. Piece::Tool is one line about a tool
/// that the service runs, Piece::ToolOutput what it gave.
struct Delta {
  Piece piece = Piece::Text;
  int choice = 0;
  std::string_view text;
};
using DeltaSink = std::function<void(const Delta&)>;

/// Puts an answer together from the data of its events.
class AnswerStream {
 public:
  AnswerStream() = default;
  AnswerStream(const AnswerStream&) = delete;
  AnswerStream& operator=(const AnswerStream&) = delete;
  virtual ~AnswerStream() = default;

  /// Whether the event that ends the stream has come: what follows it does not count.
  [[nodiscard]] virtual bool ended() const = 0;

  /// One event's data. Network for data that is not JSON (with the event's number), the service's
  /// own error for an error event. What was fed before stays.
  virtual Result<void> feed(std::string_view data, const DeltaSink& sink) = 0;

  /// Takes whole events from the beginning of a stream's bytes, as feed() would, as long as they
  /// only go on with the text; `sink` is given it at once. What it leaves is for feed().
  virtual http::SseRun feed_run(std::string_view /*bytes*/, const DeltaSink& /*sink*/) {
    return {};
  }

  /// Whether the last event was found to be one line of JSON without blanks: it can be passed on as
  /// it is. False says nothing.
  [[nodiscard]] virtual bool is_plain_line() const { return false; }

  /// Call at the end of the stream: Network "ended early" when it had no end of its own, or when
  /// the arguments of a tool call are cut.
  [[nodiscard]] virtual Result<void> finish() = 0;

  [[nodiscard]] virtual const Answer& answer() const = 0;

  /// The answer as one JSON document, as a call without a stream would have given it.
  [[nodiscard]] virtual std::string document() const = 0;

  /// What the user should know beside the answer: gaps in the numbering of events. Each once.
  [[nodiscard]] virtual std::vector<std::string> take_warnings() { return {}; }
};

/// What a stream's reader keeps after handing it out: nothing of the first choice's text, which takes
/// no memory then (document() and answer().choices[0].text are empty); what document() gives; or the
/// choices' texts beside it.
enum class Keep : std::uint8_t { Nothing, Document, Text };

/// The stream reader for an operation's view; `secrets` are kept out of errors.
[[nodiscard]] std::unique_ptr<AnswerStream> make_answer_stream(View view, Keep keep,
                                                               std::vector<std::string> secrets);

}  // namespace svc
