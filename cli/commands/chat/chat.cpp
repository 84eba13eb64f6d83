// `svc chat`: one answer, or one per line of a file (--each).
#include <cerrno>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/text.h"
#include "catalogue/chat_fields.h"
#include "commands/bulk/bulk_run.h"
#include "commands/command.h"
#include "conversation/answer.h"
#include "conversation/answer_schema.h"
#include "conversation/attachments.h"
#include "operation/runner.h"
#include "request/body.h"
#include "request/convert.h"
#include "session/cost_tracker.h"
#include "session/model_lists.h"

namespace svc::cli {
namespace {

using ChatFlags = Flags<catalogue::chat::k_create_fields>;

constexpr sv k_prompt = ChatFlags::k_name<"prompt">;

/// The request with the body split at the prompt. It is built once, with a unique placeholder as
/// the prompt.
struct Frame {
  request::Request request{};
  batch::BodyFrame body{};
};

/// The inputs with `prompt` instead of the given one.
request::Inputs with_prompt(const Session& session, const std::string& prompt) {
  const Operation& operation = *session.invocation().operation;
  request::Inputs inputs = session.invocation().inputs;
  std::erase_if(inputs.given,
                [](const request::Given& given) { return given.field->flag == k_prompt; });
  inputs.given.push_back({find_field(operation, k_prompt), prompt});
  return inputs;
}

/// Files must be given by ID, so that a resumed run refers to the same ones.
Result<void> refuse_uploads(Session& session) {
  const Operation& operation = *session.invocation().operation;
  Attachments files(session, operation, {});
  std::optional<std::optional<std::string>> no_stdin(std::in_place);
  SVC_TRY(found, files.find(session.invocation().inputs, no_stdin));
  if (!found) return {};
  return usage_error("--each accepts only file IDs for --file of this type",
                     "Upload it with `svc files upload FILE` and pass the printed ID.");
}

Result<Frame> make_frame(Session& session, const std::optional<AnswerSchema>& schema) {
  const Operation& operation = *session.invocation().operation;
  const std::string word = "svc-prompt-" + random_uuid();
  SVC_TRY(request, prepare(session, operation, with_prompt(session, word),
                           [&](request::BuildContext& context) {
                             if (schema) context.format = schema->format(operation.view);
                             context.stream_by_default = false;
                             context.read_stdin = {};
                           }));
  const std::string* body = std::get_if<std::string>(&request.body);
  const std::string quoted = '"' + word + '"';
  const std::size_t at = body != nullptr ? body->find(quoted) : std::string::npos;
  if (at == std::string::npos) {
    return Error{Fault::Unexpected, "the request body does not contain the prompt"};
  }
  Frame frame{.body = {body->substr(0, at), body->substr(at + quoted.size())}};
  frame.request = std::move(request);
  return frame;
}

Result<std::string> template_text(const Session& session) {
  const auto prompt = ChatFlags(session.inputs()).get<"prompt">();
  if (!prompt) return std::string();
  if (prompt->is_stdin()) {
    return usage_error("--each needs a prompt template; it cannot be read from '-'",
                       "Pass the text, or @FILE.");
  }
  return request::resolve_text("the prompt", *prompt);
}

/// Plain lines and tables could be any file: each becomes a paid request only if the user says how.
Result<void> require_prompt(const ChatFlags& flags, batch::InputFormat format, sv input) {
  if (flags.has<"prompt">() || format == batch::InputFormat::Records) return {};
  const bool lines = format == batch::InputFormat::Prompts;
  if (!lines && flags.has<"column">()) return {};
  const std::string name = input == "-" ? "standard input" : quote_path(input);
  return usage_error(
      fmt::format("no prompt for the {} of {}", lines ? "lines" : "rows", name),
      lines
          ? "Pass one, such as 'Summarize: {}'; '{}' alone sends each line as it is."
          : "Pass one, such as 'Two sentences on {NAME}' with the name of a column; --column NAME "
            "sends a column's cells as they are.");
}

Result<batch::RunOptions> each_options(Session& session, batch::BodyFrame frame) {
  const ChatFlags flags(session.inputs());
  const std::string input = flags.text<"each">();
  SVC_TRY(text, template_text(session));
  SVC_TRY(options, read_bulk_options(session, input, {}, ".chat"));
  options.jobs = static_cast<std::size_t>(flags.get<"jobs">().value_or(4));
  options.reading.format = read_input_form(session, input, batch::InputFormat::Records);
  const bool named = flags.has<"input-form">() || batch::names_format(input);
  if (!named && !batch::is_json_lines(options.input)) {
    options.reading.format = batch::InputFormat::Prompts;
  }
  SVC_CHECK(require_prompt(flags, options.reading.format, input));
  options.reading.max_item = batch::k_max_call_bytes;
  options.reading.text = std::move(text);
  options.reading.column = flags.text<"column">();
  options.reading.id_column = flags.text<"id-column">();
  options.reading.frame = std::move(frame);
  return options;
}

/// Each request may need its own connection, in addition to the files that svc has open.
Result<void> allow_connections(std::size_t jobs) {
  constexpr rlim_t k_own_files = 32;
  const rlim_t needed = jobs + k_own_files;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return {};
  if (limit.rlim_max < needed) {
    const rlim_t most = limit.rlim_max > k_own_files ? limit.rlim_max - k_own_files : 1;
    return usage_error(
        fmt::format("--jobs {} needs {} open files, but the limit per process is {}", jobs, needed,
                    limit.rlim_max),
        fmt::format("Pass --jobs {} or less, or raise the limit (`ulimit -n`).", most));
  }
  limit.rlim_cur = needed;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return system_error("cannot raise the limit of open files", errno);
}

/// The limits of the model, if the management service can be asked.
Pace published_pace(Session& session, const Frame& frame) {
  const ModelFacts* facts = session.models().find(ModelList::Team, frame.request.model);
  if (facts == nullptr) return {};
  const Pace pace{facts->requests_per_second, facts->requests_per_minute, facts->tokens_per_minute};
  if (pace.is_limited()) {
    session.notices().detail(fmt::format(
        "{} allows {} requests a second, {} requests and {} tokens a minute (0: unknown)",
        frame.request.model, pace.requests_per_second, pace.requests_per_minute,
        pace.tokens_per_minute));
  }
  return pace;
}

Result<void> run_chat_each(Session& session) {
  std::optional<AnswerSchema> schema;
  if (const auto path = ChatFlags(session.inputs()).get<"schema">()) {
    SVC_TRY(read, AnswerSchema::read(*path));
    schema.emplace(std::move(read));
  }
  SVC_CHECK(refuse_uploads(session));
  SVC_TRY(frame, make_frame(session, schema));
  for (const std::string& warning : frame.request.warnings) session.notices().warning(warning);
  SVC_TRY(options, each_options(session, frame.body));
  const BulkRequests requests{.frame = frame.request};
  SVC_CHECK(allow_connections(*options.jobs));
  std::unique_ptr<ApiClient> client;
  const auto connect = [&]() -> Result<batch::DirectContext> {
    SVC_TRY(made, session.client(Host::Inference, k_bulk_patience));
    client = std::move(made);
    SVC_CHECK(complete_address(session, frame.request));
    batch::DirectContext way{client.get(), frame.request, published_pace(session, frame)};
    SharedSpending& spending = session.cost_tracker().spending();
    spending.set_parallel(*options.jobs);
    way.resumes = [&spending](std::int64_t spent, std::int64_t dearest, std::int64_t lost) {
      spending.resume(spent, dearest, lost);
    };
    way.paid = [&session](std::span<const std::optional<std::string>> answers) {
      record_documents(session, *session.invocation().operation, answers);
    };
    if (schema) way.check = [&](const std::string& text) { return schema->check(text); };
    return way;
  };
  return run_bulk(session, std::move(options), {.direct = connect}, requests);
}

}  // namespace

template <>
Result<void> run<Handler::ChatCreate>(Session& session) {
  if (ChatFlags(session.inputs()).get<"each">()) return run_chat_each(session);
  SVC_CHECK(session.write_to_output_file());
  return run_answer(session);
}

}  // namespace svc::cli
