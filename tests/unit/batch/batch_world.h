// An in-memory service that counts requests, loses responses and kills the run where a test wants
// it; and a run with it.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/cancel_token.h"
#include "batch/runner.h"
#include "json/slices.h"
#include "unit/client/temp_directory.h"

namespace svc::test {

/// What happens to the call with that number, counting all calls.
enum class Mishap { None, KilledBefore, KilledAfter, LostBefore, LostAfter, ServerError };

class CountingService final : public batch::Service {
 public:
  struct Batch {
    std::string id;
    std::string name;
    std::vector<std::string> ids{};
    std::map<std::string, std::string> bodies{};
    bool canceled = false;
  };

  /// The item's `batch_result` for an ID. By default, all succeed at 100 ticks.
  std::function<std::string(const std::string&)> answer{};
  /// Rejects an add call with such a body.
  std::string refuses{};
  int refuses_with = 400;  ///< HTTP status
  /// Called when a creation arrives, before it is processed.
  std::function<void(const std::string& name)> before_create{};
  std::vector<Batch> batches{};
  std::map<int, Mishap> mishaps{};
  /// Called with the number of each call before it is processed.
  std::function<void(int)> before_call{};
  std::map<std::string, std::string> files{};
  int calls = 0;
  int add_calls = 0;
  std::size_t most_under_way = 0;
  /// Called before one of this many additions in flight is answered.
  std::function<void(std::size_t)> answering{};
  /// Whether the service delayed it.
  std::function<bool(std::size_t)> throttled{};
  std::size_t page = 3;
  bool repeats_token = false;  ///< the second page names itself as the next one
  bool running = false;        ///< nothing processed yet
  int running_looks = 0;       ///< unchanged for this many polls
  std::string expire_time{};
  std::optional<std::int64_t> served_at{};
  std::string cancel_message{};
  std::vector<std::string> silent{};  ///< IDs without a result
  /// How many have succeeded and failed at the first looks at a batch.
  std::deque<std::pair<std::int64_t, std::int64_t>> partly{};

  Result<std::string> create(const std::string& name, const std::string& file) override {
    return run<std::string>([&]() -> Result<std::string> {
      if (before_create) before_create(name);
      Batch batch{fmt::format("batch_{}", batches.size() + 1), name};
      if (!file.empty()) SVC_CHECK(put(batch, files.at(file)));
      batches.push_back(batch);
      return batches.back().id;
    });
  }

  Result<void> add_many(const batch::NextAddition& next, const CancelToken* drain) override {
    struct UnderWay {
      batch::Addition addition;
      Result<void> result;
    };
    std::deque<UnderWay> in_flight;
    while (true) {
      while (drain == nullptr || !drain->requested()) {
        auto given = next();
        if (!given) break;
        Result<void> result = add(given->batch, given->body);
        in_flight.push_back({*std::move(given), std::move(result)});
        most_under_way = std::max(most_under_way, in_flight.size());
      }
      if (in_flight.empty()) return {};
      if (answering) answering(in_flight.size());
      UnderWay first = std::move(in_flight.front());
      in_flight.pop_front();
      first.addition.done(std::move(first.result), throttled && throttled(in_flight.size() + 1));
    }
  }

  Result<void> add(const std::string& id, const std::string& body) {
    ++add_calls;
    auto done = run<bool>([&]() -> Result<bool> {
      if (!refuses.empty() && body.find(refuses) != std::string::npos) {
        return refused("the model does not support batches");
      }
      std::string lines;
      for (const auto item : json_elements(*json_member(body, "batch_requests"))) {
        lines += std::string(item) + "\n";
      }
      SVC_CHECK(put(find(id), lines));
      return true;
    });
    return done ? Result<void>() : done.error();
  }

  Result<batch::BatchState> get(const std::string& id) override {
    return run<batch::BatchState>([&]() -> Result<batch::BatchState> {
      Batch& batch = find(id);
      batch::BatchState state;
      state.id = id;
      state.requests = static_cast<std::int64_t>(batch.ids.size());
      state.was_canceled = batch.canceled && has_cancel_time;
      state.expire_time = expire_time;
      state.served_at = served_at;
      state.cancel_message = cancel_message;
      if (!partly.empty()) {
        std::tie(state.succeeded, state.failed) = partly.front();
        state.pending = state.requests - state.done();
        partly.pop_front();
      } else if ((running || running_looks-- > 0) && !batch.canceled) {
        state.pending = state.requests;
        state.cost_ticks = cost_while_running;
      } else if (batch.canceled) {
        state.canceled = state.requests;
        state.cost_ticks = cost_while_running;
      } else {
        state.succeeded = state.requests;
        state.cost_ticks = 100 * state.requests;
      }
      return state;
    });
  }
  std::int64_t cost_while_running = 0;
  bool has_cancel_time = true;  ///< of a canceled batch; otherwise only its counts show it

  Result<void> cancel(const std::string& id) override {
    find(id).canceled = true;
    return {};
  }

  Result<batch::Page> list(const std::string& token) override {
    return pages(
        token, batches.size(),
        [&](std::size_t i) {
          return fmt::format(R"({{"batch_id":"{}","name":"{}"}})", batches[i].id, batches[i].name);
        },
        "batches");
  }
  Result<batch::Page> requests(const std::string& id, const std::string& token) override {
    const Batch& batch = find(id);
    return pages(
        token, batch.ids.size(),
        [&](std::size_t i) { return fmt::format(R"({{"batch_request_id":"{}"}})", batch.ids[i]); },
        "batch_request_metadata");
  }
  Result<batch::Page> results(const std::string& id, const std::string& token) override {
    const Batch& batch = find(id);
    std::vector<std::string> there;
    if (!running && !batch.canceled) there = batch.ids;
    std::erase_if(there, [this](const std::string& one) {
      return std::ranges::find(silent, one) != silent.end();
    });
    return pages(
        token, there.size(),
        [&](std::size_t i) {
          const std::string& key = there[i];
          return fmt::format(R"({{"batch_request_id":"{}","batch_result":{}}})", key,
                             answer ? answer(key) : good());
        },
        "results");
  }
  Result<std::string> upload(const std::string& path, std::uint64_t size) override {
    return run<std::string>([&]() -> Result<std::string> {
      const std::string id = fmt::format("file_{}", files.size() + 1);
      files[id] = slurp(path);
      if (files[id].size() != size) return Error{Fault::Unexpected, "another size"};
      return id;
    });
  }

  static std::string good() {
    return R"({"response":{"chat_get_completion":{"choices":[{"message":{"role":"assistant","content":"ok"}}],"usage":{"cost_in_usd_ticks":100}}}})";
  }

  /// How often each ID is in all batches together.
  [[nodiscard]] std::map<std::string, int> counts() const {
    std::map<std::string, int> found;
    for (const Batch& batch : batches) {
      for (const std::string& id : batch.ids) ++found[id];
    }
    return found;
  }

 private:
  [[nodiscard]] Error refused(const std::string& why) const {
    Error error{Fault::Service, why};
    error.http_status = refuses_with;
    return error;
  }

  Batch& find(const std::string& id) {
    for (Batch& batch : batches) {
      if (batch.id == id) return batch;
    }
    throw std::runtime_error("no batch " + id);
  }

  Result<void> put(Batch& batch, const std::string& lines) {
    std::vector<std::pair<std::string, std::string>> added;
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      const std::string line = lines.substr(at, end - at);
      at = end + 1;
      if (line.empty()) continue;
      auto id = json_member(line, "batch_request_id");
      if (!id) id = json_member(line, "custom_id");
      added.emplace_back(std::string(id->substr(1, id->size() - 2)), line);
    }
    for (const auto& [id, line] : added) {
      if (batch.bodies.contains(id)) return refused("batch_request_id is not unique");
    }
    for (const auto& [id, line] : added) {
      batch.ids.push_back(id);
      batch.bodies[id] = line;
    }
    return {};
  }

  template <typename T>
  Result<T> run(const std::function<Result<T>()>& work) {
    const auto found = mishaps.find(++calls);
    if (before_call) before_call(calls);
    const Mishap mishap = found == mishaps.end() ? Mishap::None : found->second;
    if (mishap == Mishap::KilledBefore) return Error{Fault::Interrupted, "killed"};
    if (mishap == Mishap::LostBefore) return Error{Fault::UnknownOutcome, "the answer was lost"};
    Result<T> result = work();
    if (mishap == Mishap::KilledAfter) return Error{Fault::Interrupted, "killed"};
    if (mishap == Mishap::LostAfter) return Error{Fault::UnknownOutcome, "the answer was lost"};
    if (mishap == Mishap::ServerError) {
      Error error{Fault::Service, "the service failed"};
      error.http_status = 503;
      return error;
    }
    return result;
  }

  Result<batch::Page> pages(const std::string& token, std::size_t count,
                            const std::function<std::string(std::size_t)>& item,
                            const std::string& name) {
    return run<batch::Page>([&]() -> Result<batch::Page> {
      const std::size_t from = token.empty() ? 0 : std::stoul(token);
      batch::Page made;
      made.body = fmt::format("{{\"padding\":\"{}\",\"{}\":[", std::string(40, '-'), name);
      const std::size_t to = std::min(count, from + page);
      for (std::size_t i = from; i < to; ++i) made.body += (i > from ? "," : "") + item(i);
      made.body += "]}";
      made.items = json_elements(*json_member(made.body, name));
      if (to < count) made.next = repeats_token && !token.empty() ? token : std::to_string(to);
      return made;
    });
  }
};

/// Runs with one input in its own directory; time passes instantly.
class BatchWorld {
 public:
  TempDirectory directory{};
  CountingService service{};
  batch::RunOptions options{};
  std::vector<std::string> notes{};
  std::vector<std::string> progress{};  ///< "PHASE DONE/TOTAL", each once
  std::vector<std::string> lines{};
  batch::RunCallbacks watch{};  ///< what a test gives of it
  batch::Allowance* allowance = nullptr;
  std::chrono::milliseconds elapsed{0};
  std::int64_t clock_off = 0;  ///< seconds by which the local clock is fast
  bool finished = false;       ///< the last run had nothing to do
  std::int64_t finished_at = 0;
  batch::CheckReport report{};

  explicit BatchWorld(const std::string& input, const std::string& name = "in.jsonl") {
    options.input = directory.write(name, input).string();
    options.reading.max_item = batch::k_max_call_bytes - 64;
    options.reading.format = batch::format_of_file(name);
    options.journal = (directory.path() / "run.journal").string();
    options.destination = "here";
    options.sending.name = "test";
    options.sending.scratch = (directory.path() / "scratch").string();
  }

  using milliseconds = std::chrono::milliseconds;

  Result<void> run() {
    const NeverCanceled cancel;
    const batch::Clock clock{
        .now = [this] { return elapsed; },
        .sleep = [this](milliseconds time) -> Result<void> {
          elapsed += time;
          if (options.drain != nullptr && options.drain->requested()) {
            return canceled(Fault::Interrupted);
          }
          return {};
        },
        .unix_now =
            [this] { return std::int64_t{1'800'000'000} + clock_off + elapsed.count() / 1000; }};
    lines.clear();
    watch.progress = [this](const batch::RunProgress& now) {
      static constexpr const char* k_phases[] = {"checked", "sent", "done"};
      const std::string shown = fmt::format(
          "{} {}/{}", k_phases[static_cast<std::size_t>(now.phase)], now.done, now.total);
      if (progress.empty() || progress.back() != shown) progress.push_back(shown);
    };
    watch.note = [this](const std::string& note) { notes.push_back(note); };
    batch::Runner runner(options,
                         {.batches = [this]() -> Result<batch::Service*> { return &service; },
                          .allowance = allowance},
                         clock, cancel, watch);
    const Result<void> prepared = runner.prepare();
    report = runner.report();
    if (!prepared) return prepared;
    finished = runner.is_finished();
    finished_at = runner.finished_at().value_or(0);
    const Result<void> ended = runner.run();
    if (!ended && ended.error().fault != Fault::Limited) return ended;
    SVC_CHECK(runner.deliver([this](const batch::Finished&, std::string_view line) -> Result<void> {
      lines.emplace_back(line);
      return {};
    }));
    SVC_CHECK(runner.journal().set_fact("handed over", "yes"));
    auto found = runner.totals();
    if (found) totals = *found;
    return ended;
  }
  batch::Totals totals{};

  /// `count` requests with the IDs r1, r2, …
  static std::string requests(int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) {
      text += fmt::format(
          R"({{"custom_id":"r{}","method":"POST","url":"/v1/responses","body":{{"input":"say {}"}}}})"
          "\n",
          i, i);
    }
    return text;
  }

  /// Each of `count` requests is in the service exactly once.
  [[nodiscard]] bool each_once(int count) const {
    const auto counts = service.counts();
    if (counts.size() != static_cast<std::size_t>(count)) return false;
    for (const auto& [id, times] : counts) {
      if (times != 1) return false;
    }
    return true;
  }
};

}  // namespace svc::test
