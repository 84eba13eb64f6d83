// One call of a model: its answer shown as it arrives, and how it ended.
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
  std::string document{};        ///< the whole answer as JSON, where it is needed
  bool streamed = false;         ///< its text went to the view already
  bool written = false;          ///< the events or bytes are on standard output already
  bool submitted = false;        ///< no answer: `document` names a job
  std::optional<Error> error{};  ///< how it ended, other than well
};

/// Sends the request. What arrives goes to `view` (text output) or is written (jsonl, raw). `keep`:
/// text and document of a stream are wanted afterwards.
[[nodiscard]] ModelReply call_model(Session& session, ApiClient& client,
                                    const request::Request& request, AnswerSink& view, bool keep);

/// A whole answer that came in another way.
[[nodiscard]] ModelReply whole_answer(Session& session, const Operation& operation,
                                      std::string body);

/// Shows what precedes the text of an answer that was not streamed: what the model thought, and the
/// tools that the service ran.
void show_before_text(AnswerSink& view, const ModelReply& got);

/// Shows or writes what was not yet of the last answer, saves the images that were made for it;
/// what is wrong with it comes after it.
[[nodiscard]] Result<void> conclude(Session& session, const Operation& operation,
                                    const ModelReply& got, AnswerSink& view);

}  // namespace svc::cli
