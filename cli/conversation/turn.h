// One turn of a conversation (chat, responses): sends the user's message, prints the answer, and
// runs tools until the model needs no more.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/answer.h"
#include "conversation/answer_schema.h"
#include "conversation/attachments.h"
#include "conversation/turn_tools.h"
#include "operation/answer_sink.h"
#include "operation/model_call.h"
#include "request/inputs.h"
#include "request/plan.h"
#include "session/session.h"

namespace svc::cli {

/// Whether the operation is `chat` or `responses`.
[[nodiscard]] bool is_conversation(const Operation& operation);

/// The input of a turn. `inputs` are the command line's, which apply to the whole conversation
/// (`--system`, `--model`, …; the prompt only to the first turn), with this turn's prompt and
/// attachments.
struct TurnPlan {
  request::Inputs inputs{};
  request::PriorTurns thread{};         ///< earlier messages; empty in the first turn
  const CancelToken* cancel = nullptr;  ///< cancels the turn, not the program; null: the session's
  bool keep = false;                    ///< return the messages and the thread
};

/// The result of a turn. With an error, whatever was received before it.
struct TurnResult {
  /// With TurnPlan::keep: the messages in order, as JSON texts in the API's format: the user's
  /// message, the model's answers, tool results; for responses, the input and output items. Empty
  /// if nothing was received. The messages of a failed turn can be sent again: every tool call has
  /// a result.
  std::vector<std::string> messages{};
  std::string text{};            ///< of the last answer, with TurnPlan::keep
  std::string model{};           ///< as reported by the service
  std::string response_id{};     ///< of the last answer, if the service stores it
  std::optional<Usage> usage{};  ///< sum of all answers of the turn
  std::int64_t context = 0;      ///< tokens of the last request and its answer; 0: unknown
  std::string submission{};      ///< --deferred: the submitted job's response, instead of an answer
  std::optional<Error> error{};
};

/// A conversation: the state shared by all of its turns.
class Dialogue {
 public:
  /// Both arguments must outlive it.
  Dialogue(Session& session, const Operation& operation);
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;
  ~Dialogue();

  /// Opens the tools and the schema of the command line. Fault::Usage if one is invalid.
  [[nodiscard]] Result<void> open();

  /// The tools that the model may call.
  [[nodiscard]] TurnTools& tools() noexcept { return m_tools; }

  /// The conversation is saved: its uploaded files stay on the service for 30 days.
  void keep_files() noexcept { m_attachments.outlive(); }

  /// What a turn sends, up to its first answer; nothing is uploaded.
  [[nodiscard]] Result<request::Plan> plan(const TurnPlan& turn);

  /// Runs one turn. In text format the answer is printed through `view`, else as the session's
  /// format requires.
  [[nodiscard]] TurnResult run(const TurnPlan& plan, AnswerSink& view);

  /// The client for all requests, created on first use so that the key is fetched only once.
  /// `cancel` cancels its requests from now on.
  [[nodiscard]] Result<ApiClient*> client(const CancelToken* cancel);

  /// Opens the connection for the next turn in the background; a failure is left to the turn.
  void connect_ahead();

 private:
  class Turn;
  [[nodiscard]] Result<request::Request> prepare(const request::Inputs& inputs,
                                                 const request::PriorTurns& thread,
                                                 const CancelToken& cancel);

  Session& m_session;
  const Operation& m_operation;
  LinkedToken m_cancel{};  ///< of m_client; follows the token of the last client() call
  std::unique_ptr<ApiClient> m_client{};
  TurnTools m_tools;
  Attachments m_attachments;
  std::optional<AnswerSchema> m_schema{};
  std::optional<std::optional<std::string>> m_stdin{};  ///< once it has been read
};

// Converts a turn to messages in the API's format.

/// The answer as messages; for responses, its output items. An interrupted answer becomes its text,
/// if any.
[[nodiscard]] std::vector<std::string> answer_messages(View view, const ModelReply& got);

/// A tool result, its text first; `images` are data: URLs.
[[nodiscard]] std::string tool_message(View view, const std::string& call,
                                       const std::string& output,
                                       const std::vector<std::string>& images = {});

}  // namespace svc::cli
