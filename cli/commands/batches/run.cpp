// `svc batches run`: sends a file of requests in batches.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "commands/bulk/bulk_run.h"
#include "commands/registry.h"
#include "json/document.h"
#include "operation/runner.h"
#include "request/body.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

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
  // Flags override the body.
  if (session.invocation().value("model")) body.erase("model");
  return body.empty() ? std::string() : compact_json(body);
}

/// Rejects flags that apply only to prompts.
Result<void> check_prompt_flags(const Invocation& invocation, batch::InputFormat format,
                                const std::string& base_body) {
  const bool table = format == batch::InputFormat::Csv || format == batch::InputFormat::Tsv;
  for (const sv flag : {"system", "template", "column", "id-column"}) {
    if (!invocation.value(flag)) continue;
    const bool fits = table || (format == batch::InputFormat::Prompts && !flag.ends_with("column"));
    if (fits) continue;
    return usage_error(fmt::format("--{} is for {}", flag,
                                   flag.ends_with("column") ? "tables (.csv, .tsv)"
                                                            : "prompts (.txt, .csv, .tsv)"),
                       "JSON Lines contain whole requests; --input-form sets the input's format.");
  }
  if (format == batch::InputFormat::Jsonl && !base_body.empty()) {
    return usage_error("--body and --set apply only to prompts; JSON Lines contain whole requests");
  }
  return {};
}

Result<batch::InputOptions> read_input_options(Session& session, const std::string& path) {
  const Invocation& invocation = session.invocation();
  batch::InputOptions options;
  const batch::InputFormat format = read_input_form(session, path, batch::InputFormat::Jsonl);
  options.format = format;
  const bool by_file = invocation.is_true("via-file");
  options.sent_as = by_file ? batch::RequestFormat::File : batch::RequestFormat::Added;
  // Leaves room for the JSON around the requests of a call, or a line's newline.
  options.max_item = (by_file ? batch::k_max_file_bytes : batch::k_max_call_bytes) - 64;
  options.model = invocation.value("model").value_or("");
  if (options.model.empty() && format != batch::InputFormat::Jsonl) {
    const std::string& profile = session.settings().model.value;
    options.model = profile.empty() ? "svc-4.3" : profile;
  }
  SVC_TRY(system, text_flag(invocation, "system"));
  SVC_TRY(text, text_flag(invocation, "template"));
  SVC_TRY(base_body, read_base_body(session));
  SVC_CHECK(check_prompt_flags(invocation, format, base_body));
  options.system = std::move(system);
  options.text = std::move(text);
  options.base_body = std::move(base_body);
  options.column = invocation.value("column").value_or("");
  options.id_column = invocation.value("id-column").value_or("");
  return options;
}

Result<batch::Shard> read_shard(const Invocation& invocation) {
  const auto text = invocation.value("shard");
  if (!text) return batch::Shard();
  if (const auto shard = batch::parse_shard(*text)) return *shard;
  return usage_error(fmt::format("--shard must be K/N with K from 1 to N, such as 3/8, not '{}'",
                                 shown(*text, 40)));
}

Result<void> read_limits(Session& session, batch::RunOptions& options) {
  const Invocation& invocation = session.invocation();
  if (const auto text = invocation.value("batch-size")) {
    options.sending.batch_items = parse_integer(*text).value_or(options.sending.batch_items);
  }
  if (const auto text = invocation.value("call-size")) {
    options.sending.call_items = parse_integer(*text).value_or(options.sending.call_items);
  }
  options.poll_interval = duration_flag(session, "poll-interval");
  options.wait_timeout = duration_flag(session, "wait-timeout");
  return {};
}

Result<batch::RunOptions> read_run_options(Session& session) {
  const Invocation& invocation = session.invocation();
  const std::string input = invocation.value("file").value_or("");
  SVC_TRY(shard, read_shard(invocation));
  SVC_TRY(reading, read_input_options(session, input));
  SVC_TRY(options, read_bulk_options(session, input, shard));
  SVC_CHECK(read_limits(session, options));
  options.reading = std::move(reading);
  options.sending.format = options.reading.sent_as;
  options.sending.name = invocation.value("name").value_or(
      input == "-" ? "standard input" : std::filesystem::path(input).filename().string());
  options.sending.skip_rejected = options.skip_invalid;
  options.sending.scratch = options.journal + ".upload.jsonl";
  return options;
}

}  // namespace

Result<void> run_batches_run(Session& session) {
  SVC_TRY(options, read_run_options(session));
  std::unique_ptr<ApiClient> client;
  std::unique_ptr<batch::Service> service;
  const auto connect = [&]() -> Result<batch::Service*> {
    SVC_TRY(made, session.client(Host::Inference, k_bulk_patience));
    client = std::move(made);
    SVC_TRY(base, session.base_url(Host::Inference));
    SVC_TRY(request, prepare_other(session, *find_operation("batches", "list"), {}));
    service = batch::make_service(*client, base, std::move(request.headers));
    return service.get();
  };
  return run_bulk(session, std::move(options), {.batches = connect});
}

}  // namespace svc::cli
