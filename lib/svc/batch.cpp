#include "svc/batch.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "batch/runner.h"
#include "catalogue/batches_answers.h"
#include "client/api_client.h"
#include "json/document.h"
#include "request/convert.h"
#include "svc/impl/call.h"
#include "svc/impl/rows.h"

namespace svc::v0 {
namespace {

using std::chrono::milliseconds;

/// The items as lines of JSON, which the journal refers to.
svc::Result<std::string> lines_of(const BatchRequest& from) {
  std::string lines;
  std::set<std::string> ids;
  for (const BatchItem& item : from.items) {
    const std::string named = fmt::format("the item {}", shown(item.id));
    if (item.id.empty()) return svc::usage_error("an item of the batch has no ID");
    if (!ids.insert(item.id).second) return svc::usage_error(named + " is in the batch twice");
    if (item.prompt.empty() == item.body.empty()) {
      return svc::usage_error(named + " needs either a prompt or a body");
    }
    OrderedJson body;
    if (!item.body.empty()) {
      SVC_TRY(parsed, request::parse_user_json(named, item.body));
      body = std::move(parsed);
    } else {
      OrderedJson messages = OrderedJson::array();
      if (!from.system.empty()) {
        messages.push_back({{"role", "system"}, {"content", from.system}});
      }
      messages.push_back({{"role", "user"}, {"content", item.prompt}});
      body["messages"] = std::move(messages);
    }
    lines += compact_json(OrderedJson{{"custom_id", item.id},
                                      {"method", "POST"},
                                      {"url", "/v1/chat/completions"},
                                      {"body", std::move(body)}});
    lines += '\n';
  }
  return lines;
}

BatchResult result_of(const batch::Finished& finished, sv line) {
  const nlohmann::json document = parse_reply(line);
  const Row<catalogue::answer::batches::k_run> row(document);
  BatchResult result{.id = finished.location.id,
                     .state = static_cast<BatchResult::State>(finished.outcome),
                     .answer = row.text<"answer">(),
                     .error = row.text<"error">(),
                     .json = std::string(line)};
  if (result.error.empty()) result.error = finished.reason;
  return result;
}

static_assert(
    static_cast<int>(BatchResult::State::Unknown) == static_cast<int>(batch::Outcome::Unknown) &&
    static_cast<int>(BatchResult::State::Failed) == static_cast<int>(batch::Outcome::Failed) &&
    static_cast<int>(BatchResult::State::Canceled) == static_cast<int>(batch::Outcome::Canceled));

/// One run, over the same journal as an earlier one.
class BatchRun {
 public:
  BatchRun(Call& call, const BatchRequest& from, const OnBatchResult& on_result)
      : m_call(call), m_from(from), m_on_result(on_result) {}

  svc::Result<BatchReport> run() {
    if (m_from.journal.empty()) {
      return svc::usage_error(
          "the batch has no journal",
          "Name a file in BatchRequest::journal: it lets a later run continue.");
    }
    SVC_TRY(lines, lines_of(m_from));
    const batch::Clock clock{
        .now =
            [] {
              return std::chrono::duration_cast<milliseconds>(
                  std::chrono::steady_clock::now().time_since_epoch());
            },
        .sleep = [this](milliseconds time) { return interruptible_sleep(time, m_call.cancel()); },
        .unix_now = svc::unix_now};
    batch::RunCallbacks callbacks{.make_input = [&](bool resumes) { return save(lines, resumes); },
                                  .progress = [](const batch::RunProgress&) {},
                                  .note = [](const std::string&) {}};
    callbacks.result = [this](const batch::Finished& finished, sv line) {
      return pass_on(finished, line);
    };
    SVC_TRY(options, run_options());
    batch::Runner runner(std::move(options), {.batches = [this] { return connect(); }}, clock,
                         m_call.cancel(), std::move(callbacks));
    if (auto ready = runner.prepare(); !ready) {
      std::error_code ignored;
      if (m_new_input) std::filesystem::remove(input(), ignored);
      return std::move(ready).error();
    }
    const auto ended = runner.run();
    if (!ended && !m_stopped) return ended.error();
    if (ended) SVC_CHECK(runner.set_handed_over());
    SVC_TRY(totals, runner.totals());
    return BatchReport{.items = totals.items,
                       .succeeded = totals.succeeded,
                       .failed = totals.failed,
                       .canceled = totals.canceled,
                       .unknown = totals.unknown,
                       .cost_in_usd_ticks = totals.cost_ticks,
                       .stopped = m_stopped};
  }

 private:
  [[nodiscard]] std::string input() const { return m_from.journal + ".items"; }

  /// The journal is locked: no other run uses the file. It contains what users have said.
  svc::Result<void> save(const std::string& lines, bool resumes) {
    // An input that has not changed keeps its time.
    const auto before = read_file(input(), UINT64_MAX);
    if (before && *before == lines) return {};
    std::error_code none;
    if (!resumes && std::filesystem::exists(input(), none)) {
      return svc::Error{svc::Fault::Local,
                        fmt::format("{} exists, but is not of this batch, which has no journal yet",
                                    quote_path(input())),
                        "Move it elsewhere, or name another journal."};
    }
    m_new_input = !resumes;
    return write_file(input(), lines, resumes ? svc::Replace::Yes : svc::Replace::No, 0600);
  }

  svc::Result<batch::RunOptions> run_options() const {
    batch::RunOptions options;
    options.input = input();
    options.journal = m_from.journal;
    SVC_TRY(base, m_call.base_url(Host::Inference));
    options.destination = base;
    options.reading.max_item = batch::k_max_call_bytes - 64;
    options.reading.model = m_from.model.empty() ? m_call.settings().model.value : m_from.model;
    if (options.reading.model.empty()) {
      options.reading.model = operation_of("batches", "run").default_model;
    }
    options.sending.name = m_from.name.empty() ? std::string("libsvc") : m_from.name;
    options.retry_failed = m_from.retry_failed;
    options.poll_interval = m_call.options().poll_interval;
    options.wait_timeout = m_call.options().wait_timeout;
    return options;
  }

  svc::Result<batch::Service*> connect() {
    SVC_TRY(api, m_call.client(Host::Inference));
    SVC_TRY(base, m_call.base_url(Host::Inference));
    m_service = batch::make_service(*api, base, {});
    return m_service.get();
  }

  svc::Result<void> pass_on(const batch::Finished& finished, sv line) {
    if (!m_on_result) return {};
    const BatchResult result = result_of(finished, line);
    if (m_call.ask([&] { return m_on_result(result); })) return {};
    m_stopped = true;
    return canceled(svc::Fault::Interrupted);
  }

  Call& m_call;
  const BatchRequest& m_from;
  const OnBatchResult& m_on_result;
  std::unique_ptr<batch::Service> m_service{};
  bool m_new_input = false;  ///< its journal is new, too
  bool m_stopped = false;
};

}  // namespace

Result<BatchReport> Client::run_batch(const BatchRequest& request, const OnBatchResult& on_result,
                                      const CallOptions& options) const {
  return run_call<BatchReport>(
      m_state, options, [&](Call& call) { return BatchRun(call, request, on_result).run(); });
}

}  // namespace svc::v0
