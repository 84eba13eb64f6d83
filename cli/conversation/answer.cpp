#include "conversation/answer.h"

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/chat_fields.h"
#include "catalogue/responses_fields.h"
#include "conversation/interactive.h"
#include "conversation/saved_conversation.h"
#include "conversation/transcript.h"
#include "conversation/turn.h"
#include "operation/answer_printer.h"
#include "operation/answer_sink.h"
#include "operation/plan.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

/// The number of `chat --code N` or `responses --code-block N`, if given. Fault::Usage if it is not
/// a positive number.
Result<std::optional<std::size_t>> requested_block(const Session& session) {
  const bool chat = session.invocation().operation->view == View::Chat;
  const auto given =
      chat ? Flags<catalogue::chat::k_create_fields>(session.inputs()).get<"code">()
           : Flags<catalogue::responses::k_create_fields>(session.inputs()).get<"code-block">();
  if (!given || *given == "false") return std::optional<std::size_t>();
  if (*given == "true") return std::optional<std::size_t>(1);
  const auto number = parse_integer(*given);
  if (number && *number > 0) return std::optional(static_cast<std::size_t>(*number));
  return usage_error(fmt::format("--{} must be a number from 1, not '{}'",
                                 chat ? "code" : "code-block", shown(*given)));
}

/// With --code, only one code block of the answer goes to standard output. Prints nothing until the
/// answer is complete. An answer without that block is an error; the answer itself then goes to
/// standard error.
class CodePrinter final : public AnswerSink {
 public:
  /// `number` counts from 1.
  CodePrinter(Session& session, std::size_t number) : m_session(session), m_number(number) {}

  void begin(std::int64_t /*choices*/) override { m_text.clear(); }

  void show(const Delta& delta) override {
    if (delta.kind == DeltaKind::Text && delta.choice == 0) m_text += delta.text;
  }

  [[nodiscard]] Result<void> flush() override { return {}; }
  [[nodiscard]] Result<void> pause(const Answer& /*answer*/) override { return {}; }

  [[nodiscard]] Result<void> finish(const Answer& answer) override {
    if (m_text.empty() && !answer.choices.empty()) m_text = answer.choices.front().text;
    const std::vector<std::string> blocks = code_blocks(m_text);
    if (m_number <= blocks.size()) {
      SVC_CHECK(m_session.write_foreign(blocks[m_number - 1]));
      return m_session.out().flush();
    }
    interrupted();
    const std::size_t count = blocks.size();
    return Error{Fault::RemoteJob,
                 count == 0
                     ? std::string("no code block in the answer")
                     : fmt::format("no code block {} in the answer; it has {}", m_number, count),
                 "Without --code, the whole answer is printed."};
  }

  void interrupted() override { m_session.notices().aside(m_text); }

 private:
  Session& m_session;
  std::size_t m_number;
  std::string m_text{};  ///< of a streamed answer
};

}  // namespace

Result<void> run_answer(Session& session) {
  if (is_interactive_chat(session)) return run_conversation(session);
  const Operation& operation = *session.invocation().operation;
  SVC_TRY(block, requested_block(session));
  SVC_TRY(saved, SavedConversation::open(session, ConversationKind::OneShot));
  const TurnPlan turn{.inputs = saved.inputs(), .thread = saved.thread(), .keep = saved.is_saved()};
  Dialogue dialogue(session, operation);
  SVC_CHECK(dialogue.open());
  if (saved.is_saved()) dialogue.keep_files();
  if (session.globals().shows_only()) {
    SVC_TRY(plan, dialogue.plan(turn));
    SVC_CHECK(approve(session, plan));
    return {};
  }
  std::unique_ptr<AnswerSink> view = std::make_unique<AnswerPrinter>(session);
  if (block) view = std::make_unique<CodePrinter>(session, *block);
  TurnResult result = run_saved_turn(session, dialogue, saved, turn, *view);
  if (saved.is_saved()) saved.append(saved_turn(result));
  if (result.error) return *std::move(result.error);
  const auto job = submitted_job(operation, result.submission);
  if (!job) return {};
  SVC_TRY(client, session.client(operation.host));
  return finish_submission(session, *client, operation, *job, result.submission);
}

}  // namespace svc::cli
