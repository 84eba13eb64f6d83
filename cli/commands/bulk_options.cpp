// What the flags of any bulk run say.
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "commands/bulk_run.h"

namespace svc::cli {
namespace {

/// Copies standard input to `path`.
Result<void> copy_stdin(Session& session, const std::string& path) {
  SVC_TRY(file, AtomicFile::create(path, Replace::Yes, 0600));
  const auto on_silence = [&] { session.notices().note("waiting for the end of standard input"); };
  SVC_CHECK(read_to_end(STDIN_FILENO, session.stop(), on_silence,
                        [&](sv bytes) { return file.write(bytes); }));
  return file.commit();
}

/// Standard input under the name that its content has.
Result<std::string> settle_stdin(Session& session, const std::string& arriving,
                                 const std::filesystem::path& folder) {
  SVC_CHECK(copy_stdin(session, arriving));
  SVC_TRY(input, batch::Input::open(arriving, {}));
  SVC_TRY(digest, input.digest());
  const std::string kept = (folder / fmt::format("stdin-{}", digest.substr(0, 16))).string();
  std::error_code failed;
  std::filesystem::rename(arriving, kept, failed);
  if (failed)
    return system_error(fmt::format("{} cannot be kept", shown_path(kept)), failed.value());
  return kept;
}

/// Standard input as a file that is still there when the same input comes again.
Result<std::string> keep_stdin(Session& session) {
  if (::isatty(STDIN_FILENO) == 1) {
    return usage_error("standard input is a terminal", "Give a FILE, or pipe the requests in.");
  }
  if (session.globals().dry_run || session.globals().curl) {  // nothing will come again
    SVC_TRY(source, session.spool_stdin());
    return source.path;
  }
  const auto folder = state_folder() / "batches";
  if (state_folder().empty()) {
    return usage_error("there is no place to keep standard input: HOME is not set", "Give a FILE.");
  }
  SVC_CHECK(make_private_folder(folder));
  const std::string arriving = (folder / fmt::format("arriving-{}", random_uuid())).string();
  Result<std::string> kept = settle_stdin(session, arriving, folder);
  std::error_code ignored;
  if (!kept) std::filesystem::remove(arriving, ignored);
  return kept;
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
  if (input == "-") {
    SVC_TRY(kept, keep_stdin(session));
    options.input = std::move(kept);
    options.from_stdin = true;
  }
  options.shard = shard;
  options.budget.limit = ticks_of(session.settings().max_cost);
  options.journal = invocation.value("journal").value_or(batch::default_journal(
      options.input + std::string(kind), options.shard, state_folder().string()));
  options.skip_invalid = invocation.is_true("skip-invalid");
  options.retry_failed = invocation.is_true("retry-failed");
  options.with_input = invocation.is_true("with-input");
  options.order =
      invocation.value("order") == "arrival" ? batch::Order::Arrival : batch::Order::Input;
  return options;
}

}  // namespace svc::cli
