// One turn of a conversation with a model (chat, responses): what the user says is sent, the answer
// shown, programs that it asks for are run, until it has come to its end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
#include "session/session.h"

namespace svc::cli {

/// Whether the operation is one of those: `chat`, `responses`.
[[nodiscard]] bool is_conversation(const Operation& operation);

/// What is said in a turn. `inputs` are the flags of the command line, which hold for the whole
/// conversation (`--system`, `--model`, …; what they say themselves counts in the first turn only),
/// with the prompt and the attachments of this turn.
struct TurnPlan {
  request::Inputs inputs{};
  request::PriorTurns thread{};         ///< what was said before; empty in the first turn
  const CancelToken* cancel = nullptr;  ///< ends the turn, not the program; null: the session's
  bool keep = false;                    ///< messages and thread are wanted
};

/// What a turn gave. With an error, what had arrived before it.
struct TurnResult {
  /// With TurnPlan::keep: JSON texts as the wire has them, in order: what the user said, the
  /// model's answers, results of tools; of responses their input and output items. Empty when
  /// nothing arrived. Messages of a broken turn can be sent again all the same: every call of a
  /// tool has a result.
  std::vector<std::string> messages{};
  /// With TurnPlan::keep: what the next request of this turn continues with.
  request::PriorTurns thread{};
  std::string text{};            ///< of the last answer, with TurnPlan::keep
  std::string model{};           ///< as the service names it
  std::string response_id{};     ///< of the last answer, when the service keeps it
  std::optional<Usage> usage{};  ///< of all answers of the turn, summed
  std::string submission{};      ///< no answer: the service took a job (--deferred); its words
  std::optional<Error> error{};
};

/// A conversation: what holds for all of its turns.
class Dialogue {
 public:
  /// Both must outlive it.
  Dialogue(Session& session, const Operation& operation);
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;
  ~Dialogue();

  /// Reads what the command line names beside the inputs: programs, a schema. Usage.
  [[nodiscard]] Result<void> open();

  /// The programs that the model may run.
  [[nodiscard]] TurnTools& tools() noexcept { return m_tools; }

  /// The conversation is kept on this machine: its files stay on the service for some time.
  void keep_files() noexcept { m_attachments.outlive(); }

  /// The request of a turn, to be shown (--dry-run): nothing is uploaded for it.
  [[nodiscard]] Result<request::Request> show(const request::Inputs& inputs);

  /// One turn, shown through `view` in text output, else written as the session's format says.
  [[nodiscard]] TurnResult run(const TurnPlan& plan, AnswerSink& view);

  /// The one client of all its requests, made on first use, so that its key is fetched once.
  /// `cancel` cancels what it does from now on.
  [[nodiscard]] Result<ApiClient*> client(const CancelToken* cancel);

 private:
  class Turn;
  [[nodiscard]] Result<request::Request> prepare(const request::Inputs& inputs,
                                                 const request::PriorTurns& thread,
                                                 const CancelToken& cancel);

  Session& m_session;
  const Operation& m_operation;
  LinkedToken m_cancel{};  ///< of m_client, to what its caller gave last
  std::unique_ptr<ApiClient> m_client{};
  TurnTools m_tools;
  Attachments m_attachments;
  std::optional<AnswerSchema> m_schema{};
  std::optional<std::optional<std::string>> m_stdin{};  ///< once it is read
};

// What was said in a turn, as the wire's messages.

/// The messages, or input items, of a request that are not part of its thread: what the turn says
/// itself. Local when a file cannot be read any more.
[[nodiscard]] Result<std::vector<std::string>> said_messages(const request::Request& request,
                                                             const request::Inputs& inputs,
                                                             const request::PriorTurns& thread);

/// The answer as messages: of responses its output items. One that broke off is its text, if any.
[[nodiscard]] std::vector<std::string> answer_messages(View view, const ModelReply& got);

/// The result of a tool, its text first; `images` are data: URLs.
[[nodiscard]] std::string tool_message(View view, const std::string& call,
                                       const std::string& output,
                                       const std::vector<std::string>& images = {});

/// Whether the service keeps this response, so that the next request can name it.
[[nodiscard]] bool is_stored(const request::Request& request, const ModelReply& got);

}  // namespace svc::cli
