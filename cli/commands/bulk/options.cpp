// Reads the flags of bulk runs.
#include <limits>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "catalogue/bulk_fields.h"
#include "commands/bulk/bulk_run.h"

namespace svc::cli {
namespace {

using BulkFlags = Flags<catalogue::k_bulk_fields>;

/// Derived from the contents of standard input, so that the same input resumes the same run.
Result<std::string> stem_of_stdin(Session& session, const batch::RunOptions& options, sv kind) {
  SVC_TRY(input, batch::Input::open(options.input, {}));
  SVC_TRY(digest, input.digest());
  const auto directory = state_directory() / "batches";
  // A dry run leaves no journal behind.
  const bool shown = session.globals().shows_only();
  if (!shown) SVC_CHECK(make_private_directory(directory));
  const std::string name = fmt::format("stdin-{}{}", digest.substr(0, 16), kind);
  return (directory / batch::journal_name(name, options.shard)).string();
}

Result<std::string> journal_stem(Session& session, const batch::RunOptions& options, sv kind) {
  if (options.from_stdin) return stem_of_stdin(session, options, kind);
  return batch::default_journal_stem(options.input + std::string(kind), options.shard,
                                     state_directory().string());
}

}  // namespace

batch::InputFormat read_input_form(const Session& session, const std::string& input,
                                   batch::InputFormat lines) {
  const std::string word = BulkFlags(session.inputs()).text<"input-form">();
  if (word == "txt") return batch::InputFormat::Prompts;
  if (word == "csv") return batch::InputFormat::Csv;
  if (word == "tsv") return batch::InputFormat::Tsv;
  const batch::InputFormat format =
      word == "jsonl" ? batch::InputFormat::Jsonl : batch::format_of_file(input);
  return format == batch::InputFormat::Jsonl ? lines : format;
}

Result<batch::RunOptions> read_bulk_options(Session& session, const std::string& input,
                                            const batch::Shard& shard, sv kind) {
  const BulkFlags flags(session.inputs());
  batch::RunOptions options;
  options.input = input;
  options.shard = shard;
  options.from_stdin = input == "-";
  const auto journal = flags.get<"journal">();
  if (options.from_stdin) {
    if (!journal && state_directory().empty()) {
      return usage_error("no directory for the journal: HOME is not set",
                         "Set one with --journal, or pass a FILE.");
    }
    SVC_TRY(source, session.buffer_stdin(std::numeric_limits<std::uint64_t>::max()));
    options.input = source.path;
  }
  options.budget.limit = ticks_of(session.settings().max_cost);
  options.journal = journal.value_or("");
  if (!journal) {
    SVC_TRY(stem, journal_stem(session, options, kind));
    options.journal_stem = std::move(stem);
  }
  options.skip_invalid = flags.is_true<"skip-invalid">();
  options.retry_failed = flags.is_true<"retry-failed">();
  options.restart = flags.is_true<"restart">();
  options.with_input = flags.is_true<"with-input">();
  options.order = flags.get<"order">() == "arrival" ? batch::Order::Arrival : batch::Order::Input;
  return options;
}

}  // namespace svc::cli
