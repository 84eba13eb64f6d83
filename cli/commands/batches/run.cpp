// `svc batches run`: sends a file of requests in batches.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/batches_fields.h"
#include "commands/bulk/bulk_run.h"
#include "commands/command.h"
#include "json/document.h"
#include "operation/runner.h"
#include "request/body.h"
#include "request/convert.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

using BatchRunFlags = Flags<catalogue::batches::k_run_fields>;

Result<std::string> resolve_given(sv flag, const std::optional<request::Given>& text) {
  if (!text) return std::string();
  return request::resolve_text(flag, *text);
}

Result<std::string> read_base_body(Session& session) {
  const request::Inputs& inputs = session.invocation().inputs;
  if (!inputs.body && inputs.sets.empty()) return std::string();
  SVC_TRY(body, request::base_body(inputs, std::nullopt));
  SVC_CHECK(request::apply_sets(body, inputs));
  // Flags override the body.
  if (BatchRunFlags(session.inputs()).get<"model">()) body.erase("model");
  return body.empty() ? std::string() : compact_json(body);
}

/// Rejects flags that apply only to prompts.
Result<void> check_prompt_flags(const BatchRunFlags& flags, batch::InputFormat format,
                                const std::string& base_body) {
  const bool table = format == batch::InputFormat::Csv || format == batch::InputFormat::Tsv;
  const auto refuse = [](sv flag, sv inputs) {
    return usage_error(fmt::format("{} is for {}", flag, inputs),
                       "JSON Lines contain whole requests; --input-form sets the input's format.");
  };
  if (!table && format != batch::InputFormat::Prompts) {
    constexpr sv k_prompts = "prompts (.txt, .csv, .tsv)";
    if (flags.has<"system">()) return refuse("--system", k_prompts);
    if (flags.has<"template">()) return refuse("--template", k_prompts);
  }
  if (!table) {
    constexpr sv k_tables = "tables (.csv, .tsv)";
    if (flags.has<"column">()) return refuse("--column", k_tables);
    if (flags.has<"id-column">()) return refuse("--id-column", k_tables);
  }
  if (format == batch::InputFormat::Jsonl && !base_body.empty()) {
    return usage_error("--body and --set apply only to prompts; JSON Lines contain whole requests");
  }
  return {};
}

Result<batch::InputOptions> read_input_options(Session& session, const std::string& path) {
  const BatchRunFlags flags(session.inputs());
  batch::InputOptions options;
  const batch::InputFormat format = read_input_form(session, path, batch::InputFormat::Jsonl);
  options.format = format;
  const bool by_file = flags.is_true<"via-file">();
  options.sent_as = by_file ? batch::RequestFormat::File : batch::RequestFormat::Added;
  // Leaves room for the JSON around the requests of a call, or a line's newline.
  options.max_item = (by_file ? batch::k_max_file_bytes : batch::k_max_call_bytes) - 64;
  options.model = flags.text<"model">();
  if (options.model.empty()) options.model = session.settings().model.value;
  if (options.model.empty() && format != batch::InputFormat::Jsonl) {
    options.model = session.invocation().operation->default_model;
  }
  SVC_TRY(system, resolve_given("--system", flags.get<"system">()));
  SVC_TRY(text, resolve_given("--template", flags.get<"template">()));
  SVC_TRY(base_body, read_base_body(session));
  SVC_CHECK(check_prompt_flags(flags, format, base_body));
  options.system = std::move(system);
  options.text = std::move(text);
  options.base_body = std::move(base_body);
  options.column = flags.text<"column">();
  options.id_column = flags.text<"id-column">();
  return options;
}

Result<batch::Shard> read_shard(const std::optional<std::string>& text) {
  if (!text) return batch::Shard();
  if (const auto shard = batch::parse_shard(*text)) return *shard;
  return usage_error(
      fmt::format("--shard must be K/N with K from 1 to N, such as 3/8, not '{}'", shown(*text)));
}

Result<batch::RunOptions> read_run_options(Session& session) {
  const BatchRunFlags flags(session.inputs());
  const std::string input = flags.text<"file">();
  SVC_TRY(shard, read_shard(flags.get<"shard">()));
  SVC_TRY(reading, read_input_options(session, input));
  SVC_TRY(options, read_bulk_options(session, input, shard));
  options.sending.batch_items = flags.get<"batch-size">().value_or(options.sending.batch_items);
  options.sending.call_items = flags.get<"call-size">().value_or(options.sending.call_items);
  options.poll_interval = flags.get<"poll-interval">();
  options.wait_timeout = flags.get<"wait-timeout">();
  options.reading = std::move(reading);
  options.sending.format = options.reading.sent_as;
  options.sending.name = flags.get<"name">().value_or(
      input == "-" ? "standard input" : std::filesystem::path(input).filename().string());
  options.sending.skip_rejected = options.skip_invalid;
  return options;
}

/// The limits of a session, for batches.
class SessionAllowance final : public batch::Allowance {
 public:
  explicit SessionAllowance(CostTracker& tracker) : m_tracker(tracker) {}

  Result<std::optional<Reserved>> reserve(const Operation& operation, Payload& body) override {
    return m_tracker.reserve(operation, body);
  }
  void settle(std::uint64_t reserved, SpendEnd end, std::string_view answer) override {
    m_tracker.settle(reserved, end, answer);
  }
  void share(std::int64_t requests) override {
    m_tracker.spending().set_parallel(static_cast<std::size_t>(requests));
  }
  void resume(std::int64_t ticks, std::int64_t dearest) override {
    m_tracker.spending().resume(ticks, dearest);
  }
  void bill(std::int64_t ticks) override { m_tracker.bill(ticks); }
  std::string account() override { return m_tracker.day_account(); }
  void give_back(const std::string& account, std::int64_t ticks) override {
    m_tracker.give_back(account, ticks);
  }

 private:
  CostTracker& m_tracker;
};

}  // namespace

template <>
Result<void> run<Handler::BatchesRun>(Session& session) {
  SVC_TRY(options, read_run_options(session));
  SessionAllowance allowance(session.cost_tracker());
  const bool limited = session.cost_tracker().is_limited();
  if (limited) session.cost_tracker().set_slow();
  const bool whole = options.reading.format == batch::InputFormat::Jsonl;
  std::unique_ptr<ApiClient> client;
  std::unique_ptr<batch::Service> service;
  BulkRequests requests;
  if (session.globals().shows_only()) {
    SVC_TRY(base, base_to_show(session, Host::Inference));
    SVC_TRY(request, prepare_other(session, *find_operation("batches", "list"), {}));
    requests.batches.emplace(std::move(base), std::move(request.headers));
  }
  const auto connect = [&]() -> Result<batch::Service*> {
    SVC_TRY(made, session.client(Host::Inference, k_bulk_patience, nullptr, !limited));
    client = std::move(made);
    if (limited && whole) {
      for (const ModelList list : {ModelList::Image, ModelList::Video}) session.models().load(list);
    }
    SVC_TRY(base, session.base_url(Host::Inference));
    SVC_TRY(request, prepare_other(session, *find_operation("batches", "list"), {}));
    service = batch::make_service(*client, base, std::move(request.headers));
    return service.get();
  };
  return run_bulk(session, std::move(options),
                  {.batches = connect, .allowance = limited ? &allowance : nullptr},
                  std::move(requests));
}

}  // namespace svc::cli
