#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/money.h"
#include "base/text.h"
#include "commands/batches_run.h"
#include "request/body.h"
#include "request/convert.h"

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

/// Standard input as a file that is still there when the same input comes again.
Result<std::string> keep_stdin(Session& session) {
  if (::isatty(STDIN_FILENO) == 1) {
    return usage_error("standard input is a terminal", "Give a FILE, or pipe the requests in.");
  }
  const auto folder = state_folder() / "batches";
  if (state_folder().empty()) {
    return usage_error("there is no place to keep standard input: HOME is not set", "Give a FILE.");
  }
  SVC_CHECK(make_private_folder(folder));
  const std::string arriving = (folder / fmt::format("arriving-{}", random_uuid())).string();
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

Result<batch::InputForm> read_form(const Invocation& invocation, const std::string& path) {
  const std::string word = invocation.value("input-form").value_or("");
  if (word == "txt") return batch::InputForm::Prompts;
  if (word == "csv") return batch::InputForm::Csv;
  if (word == "tsv") return batch::InputForm::Tsv;
  if (word == "jsonl") return batch::InputForm::Jsonl;
  return batch::form_of_name(path);
}

Result<std::string> text_flag(const Invocation& invocation, sv flag) {
  const auto text = invocation.value(flag);
  if (!text) return std::string();
  return request::resolve_text(fmt::format("--{}", flag), *text);
}

Result<std::string> read_base_body(Session& session) {
  const request::Inputs& inputs = session.invocation().inputs;
  if (!inputs.body && inputs.sets.empty()) return std::string();
  SVC_TRY(body, request::base_body(inputs, std::nullopt));
  SVC_CHECK(request::apply_sets(body, inputs));
  return body.dump();
}

/// Flags that only prompts have.
Result<void> check_prompt_flags(const Invocation& invocation, batch::InputForm form,
                                const std::string& base_body) {
  const bool table = form == batch::InputForm::Csv || form == batch::InputForm::Tsv;
  for (const sv flag : {"system", "template", "column", "id-column"}) {
    if (!invocation.value(flag)) continue;
    const bool fits = table || (form == batch::InputForm::Prompts && !flag.ends_with("column"));
    if (fits) continue;
    return usage_error(fmt::format("--{} is for {}", flag,
                                   flag.ends_with("column") ? "tables (.csv, .tsv)"
                                                            : "prompts (.txt, .csv, .tsv)"),
                       "JSON Lines hold whole requests; --input-form says what the input is.");
  }
  if (form == batch::InputForm::Jsonl && !base_body.empty()) {
    return usage_error("--body and --set are for prompts; JSON Lines hold whole requests");
  }
  return {};
}

Result<batch::InputOptions> read_input_options(Session& session, const std::string& path) {
  const Invocation& invocation = session.invocation();
  batch::InputOptions options;
  SVC_TRY(form, read_form(invocation, path));
  options.form = form;
  const bool by_file = invocation.is_true("via-file");
  options.sent_as = by_file ? batch::Form::File : batch::Form::Added;
  // Around the requests of a call, and the newline behind a line of a file.
  options.max_item = (by_file ? batch::k_max_file_bytes : batch::k_max_call_bytes) - 64;
  options.model = invocation.value("model").value_or("");
  if (options.model.empty() && form != batch::InputForm::Jsonl) {
    const std::string& profile = session.settings().model.value;
    options.model = profile.empty() ? "svc-4.3" : profile;
  }
  SVC_TRY(system, text_flag(invocation, "system"));
  SVC_TRY(text, text_flag(invocation, "template"));
  SVC_TRY(base_body, read_base_body(session));
  SVC_CHECK(check_prompt_flags(invocation, form, base_body));
  options.system = std::move(system);
  options.text = std::move(text);
  options.base_body = std::move(base_body);
  options.column = invocation.value("column").value_or("");
  options.id_column = invocation.value("id-column").value_or("");
  return options;
}

std::optional<std::chrono::milliseconds> duration_flag(const Invocation& invocation, sv flag) {
  const auto text = invocation.value(flag);
  return text ? parse_duration(*text) : std::nullopt;
}

Result<void> read_limits(const Invocation& invocation, batch::RunOptions& options) {
  if (const auto text = invocation.value("shard")) {
    const auto shard = batch::parse_shard(*text);
    if (!shard) {
      return usage_error(fmt::format("--shard takes K/N with K from 1 to N, such as 3/8, not '{}'",
                                     visible(excerpt(*text, 40), Lines::Escape)));
    }
    options.shard = *shard;
  }
  if (const auto text = invocation.value("max-cost")) {
    options.max_cost_ticks = parse_ticks(*text);
    if (!options.max_cost_ticks || *options.max_cost_ticks == 0) {
      return usage_error(
          fmt::format("--max-cost takes US dollars above zero with at most ten "
                      "decimals, such as 5.00, not '{}'",
                      visible(excerpt(*text, 40), Lines::Escape)));
    }
  }
  if (const auto text = invocation.value("batch-size")) {
    options.sending.batch_items = parse_integer(*text).value_or(options.sending.batch_items);
  }
  if (const auto text = invocation.value("call-size")) {
    options.sending.call_items = parse_integer(*text).value_or(options.sending.call_items);
  }
  options.poll_interval = duration_flag(invocation, "poll-interval");
  options.wait_timeout = duration_flag(invocation, "wait-timeout");
  return {};
}

}  // namespace

Result<batch::RunOptions> read_run_options(Session& session) {
  const Invocation& invocation = session.invocation();
  batch::RunOptions options;
  SVC_CHECK(read_limits(invocation, options));
  options.input = invocation.value("file").value_or("");
  std::string name = std::filesystem::path(options.input).filename().string();
  const bool piped = options.input == "-";
  SVC_TRY(reading, read_input_options(session, options.input));
  options.reading = std::move(reading);
  if (piped) {
    SVC_TRY(kept, keep_stdin(session));
    options.input = std::move(kept);
    name = "standard input";
  }
  options.journal = invocation.value("journal").value_or(
      batch::default_journal(options.input, options.shard, state_folder().string()));
  options.skip_invalid = invocation.is_true("skip-invalid");
  options.retry_failed = invocation.is_true("retry-failed");
  options.with_input = invocation.is_true("with-input");
  options.order =
      invocation.value("order") == "arrival" ? batch::Order::Arrival : batch::Order::Input;
  options.sending.form = options.reading.sent_as;
  options.sending.name = invocation.value("name").value_or(name);
  options.sending.skip_refused = options.skip_invalid;
  options.sending.scratch = options.journal + ".upload.jsonl";
  return options;
}

}  // namespace svc::cli
