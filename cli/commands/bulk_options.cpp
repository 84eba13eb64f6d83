// What the flags of any bulk run say.
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "commands/bulk_run.h"

namespace svc::cli {
namespace {

/// Standard input as a file of this run, and the path at which its journal would be beside it: the
/// same input, when it comes again, goes on with the same journal.
struct KeptInput {
  std::string path{};
  std::string name{};
};

Result<KeptInput> keep_stdin(Session& session) {
  SVC_TRY(source, session.spool_stdin(std::numeric_limits<std::uint64_t>::max()));
  if (session.globals().dry_run || session.globals().curl) return KeptInput{source.path, "stdin"};
  if (state_folder().empty()) {
    return usage_error("there is no place to remember the run: HOME is not set", "Give a FILE.");
  }
  const auto folder = state_folder() / "batches";
  SVC_CHECK(make_private_folder(folder));
  SVC_TRY(input, batch::Input::open(source.path, {}));
  SVC_TRY(digest, input.digest());
  return KeptInput{source.path, (folder / fmt::format("stdin-{}", digest.substr(0, 16))).string()};
}

}  // namespace

batch::InputForm read_input_form(const Session& session, const std::string& input,
                                 batch::InputForm lines) {
  const std::string word = session.invocation().value("input-form").value_or("");
  if (word == "txt") return batch::InputForm::Prompts;
  if (word == "csv") return batch::InputForm::Csv;
  if (word == "tsv") return batch::InputForm::Tsv;
  const batch::InputForm form =
      word == "jsonl" ? batch::InputForm::Jsonl : batch::form_of_name(input);
  return form == batch::InputForm::Jsonl ? lines : form;
}

Result<batch::RunOptions> read_bulk_options(Session& session, const std::string& input,
                                            const batch::Shard& shard, sv kind) {
  const Invocation& invocation = session.invocation();
  batch::RunOptions options;
  options.input = input;
  std::string beside = input;
  if (input == "-") {
    SVC_TRY(kept, keep_stdin(session));
    options.input = std::move(kept.path);
    beside = std::move(kept.name);
    options.from_stdin = true;
  }
  options.shard = shard;
  options.budget.limit = ticks_of(session.settings().max_cost);
  options.journal = invocation.value("journal").value_or(
      batch::default_journal(beside + std::string(kind), options.shard, state_folder().string()));
  options.skip_invalid = invocation.is_true("skip-invalid");
  options.retry_failed = invocation.is_true("retry-failed");
  options.with_input = invocation.is_true("with-input");
  options.order =
      invocation.value("order") == "arrival" ? batch::Order::Arrival : batch::Order::Input;
  return options;
}

}  // namespace svc::cli
