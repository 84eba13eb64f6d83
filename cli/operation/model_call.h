// Calls a model: shows its answer as it arrives and returns the outcome.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "client/answer.h"
#include "client/api_client.h"
#include "operation/answer_sink.h"
#include "session/session.h"

namespace svc::cli {

/// The result of a model call, plus whatever arrived before an error.
struct ModelReply {
  Answer answer{};
  std::string document{};        ///< the whole answer as JSON, if needed
  bool streamed = false;         ///< the text was already passed to the view
  bool written = false;          ///< the events or bytes are already on standard output
  bool submitted = false;        ///< not an answer: `document` identifies a job
  std::optional<Error> error{};  ///< why the call did not succeed
};

/// Sends the request. Output goes to `view` (text format) or is written directly (jsonl, raw).
/// `keep`: the caller needs the text and document of a stream afterwards.
[[nodiscard]] ModelReply call_model(Session& session, ApiClient& client,
                                    const request::Request& request, AnswerSink& view, bool keep);

/// Converts a whole answer that was received in another way.
[[nodiscard]] ModelReply whole_answer(Session& session, const Operation& operation,
                                      std::string body);

/// Shows the part before the text of an answer that was not streamed: the model's reasoning, and
/// the service's tool calls.
void show_before_text(AnswerSink& view, const ModelReply& got);

/// Shows or writes the rest of the last answer and saves its images; errors follow the output.
[[nodiscard]] Result<void> finish_call(Session& session, const Operation& operation,
                                       const ModelReply& got, AnswerSink& view);

}  // namespace svc::cli
