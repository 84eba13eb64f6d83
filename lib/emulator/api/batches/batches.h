// Batches: their requests in the state, and the worker that answers them.
#pragma once

#include <condition_variable>
#include <list>
#include <thread>

#include "base/files.h"
#include "emulator/state/state.h"

namespace svc::emulator::batches {

struct Batch {
  std::int64_t seq = 0;
  std::string id{};  ///< "batch_<uuid>"
  std::string team_id{};
  std::string name{};
  std::string key_id{};          ///< of the key that created it
  std::int64_t create_time = 0;  ///< Unix seconds, like all times here
  std::int64_t expire_time = 0;
  std::optional<std::int64_t> cancel_time{};
  std::optional<std::string> cancel_message{};  ///< the operator's reason
  std::optional<std::string> input_file_id{};
  bool loading = false;  ///< its file is not loaded yet
  std::int64_t num_requests = 0, num_pending = 0, num_success = 0, num_error = 0, num_canceled = 0;
  std::int64_t cost_ticks = 0;
};

struct NewRequest {
  std::string id{};
  sv kind{};  ///< Kind::member
  std::string model{};
  std::string body{};       ///< JSON text
  std::int64_t due_ms = 0;  ///< when its processing starts, Unix milliseconds
};

/// A request as shown in lists.
struct RequestRow {
  std::int64_t position = 0;  ///< for the token of the next page
  std::string id{};
  std::string kind{};
  std::string model{};
  std::string state{};
  std::int64_t create_time = 0;
  std::optional<std::int64_t> finish_time{};
  std::string result{};  ///< `batch_result` as JSON text; only in each_result()
};

[[nodiscard]] Result<Batch> create_batch(State& state, sv team_id, sv key_id, sv name,
                                         const std::optional<std::string>& input_file_id);

[[nodiscard]] Result<std::optional<Batch>> find_batch(State& state, sv team_id, sv id);

/// Returns the team's batches older than number `before` (0: all), newest first.
[[nodiscard]] Result<std::vector<Batch>> list_batches(State& state, sv team_id, std::int64_t before,
                                                      std::int64_t limit);

/// Adds all or none. Returns why none were added, or ""; nothing if the batch does not exist.
[[nodiscard]] Result<std::optional<std::string>> add_requests(
    State& state, sv team_id, sv id, const std::vector<NewRequest>& requests);

/// Returns up to `limit` requests after `after` (0: from the start), in the order they were added.
[[nodiscard]] Result<std::vector<RequestRow>> list_requests(State& state, const Batch& batch,
                                                            std::int64_t after, std::int64_t limit);

/// Returns up to `limit` finished requests with their results, in the order they finished.
[[nodiscard]] Result<std::vector<RequestRow>> list_results(State& state, const Batch& batch,
                                                           std::int64_t after, std::int64_t limit);

/// Cancels pending requests, unless the batch was already canceled. Nothing if it does not exist.
[[nodiscard]] Result<std::optional<Batch>> cancel_batch(
    State& state, sv team_id, sv id, const std::optional<std::string>& message = std::nullopt);

/// A request that is due.
struct DueRequest {
  std::int64_t seq = 0;
  std::int64_t batch = 0;
  std::string team_id{};
  std::string kind{};
  std::string body{};
  std::string job{};     ///< the request_id returned by its operation, if it is polled
  std::string key_id{};  ///< of the key that created the batch
};

/// Returns the longest overdue requests without claiming them: there must be only one Worker.
[[nodiscard]] Result<std::vector<DueRequest>> due_requests(State& state, std::int64_t limit);

struct Outcome {
  enum class Kind : std::uint8_t { Succeeded, Failed, Pending };
  Kind kind = Kind::Succeeded;
  std::string result{};  ///< `batch_result`, JSON text
  std::int64_t cost_ticks = 0;
  std::string job{};              ///< of Waits: the job to poll
  std::int64_t due_ms = 0;        ///< of Waits: when to poll
  std::vector<Charge> charges{};  ///< the team's charges
};

/// Records the outcomes of `requests` and their charges; those canceled meanwhile stay so.
[[nodiscard]] Result<void> record_outcomes(State& state, const std::vector<DueRequest>& requests,
                                           const std::vector<Outcome>& outcomes);

/// Returns the oldest batch whose file must be loaded.
[[nodiscard]] Result<std::optional<Batch>> next_loading(State& state);

/// Adds part of a file's requests, hidden until finish_loading(). Requests that exist from an
/// earlier attempt are not changed. Returns false if the batch was canceled.
[[nodiscard]] Result<bool> load_requests(State& state, const Batch& batch,
                                         std::span<const NewRequest> requests);

/// Makes the loaded requests pending, all at once.
[[nodiscard]] Result<void> finish_loading(State& state, const Batch& batch);

// Batch requests as written by clients, and the kinds of requests.

/// Parses the items of an add call, or returns why they are refused: 422, 400 or 403.
[[nodiscard]] std::optional<Response> read_items(const Request& request,
                                                 std::vector<NewRequest>& requests);

/// Parses the lines of a JSONL file. Returns Usage, with the number of the line that is wrong.
[[nodiscard]] Result<std::vector<NewRequest>> read_lines(sv text);

struct Kind {
  sv member;          ///< field in `batch_request`; stored as the kind
  sv path;            ///< the operation that processes it, and the `url` in a file
  sv endpoint;        ///< its name in the list of requests
  sv result;          ///< the field of `response` that contains the result
  bool text = false;  ///< its model must support batches
  bool job = false;   ///< returns a request_id to be polled
  bool in_files_only = false;
};

[[nodiscard]] std::span<const Kind> kinds();

/// The former must exist; of the latter null is returned if there is none.
[[nodiscard]] const Kind* find_kind(sv member);
[[nodiscard]] const Kind* find_kind_by_path(sv path);

/// The service takes up to 24 hours; users of an emulator would not wait that long.
inline constexpr std::int64_t k_default_delay_ms = 200;

/// Spreads the requests' due times, so that a batch can be observed half done.
inline void stagger(std::vector<NewRequest>& requests, std::int64_t now_ms, std::int64_t delay_ms) {
  constexpr std::int64_t k_steps = 16;
  constexpr std::int64_t k_step_ms = 25;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i) % k_steps;
    requests[i].due_ms = now_ms + delay_ms + (delay_ms == 0 ? 0 : step * k_step_ms);
  }
}

// Processes batches over time, with one worker for a state, even if several emulators share it.

/// The origin of calls made for batch requests, which have no connection.
struct Origin {
  std::string host{"127.0.0.1"};  ///< the emulator's host, for URLs in results
  bool tls = false;
  std::string scope{};  ///< the test that the state belongs to; empty: none
};

/// Does the work that is due. If the program exits in between, nothing is lost or counted twice:
/// unrecorded work is repeated. Only one thread may use it at a time.
class BatchProcessor {
 public:
  /// `state` must outlive it. Requests whose operation is not among `routes` fail.
  BatchProcessor(State& state, const std::vector<Route>& routes, Origin origin);

  /// Performs one step of bounded length; returns true if there was anything to do.
  [[nodiscard]] Result<bool> step();

  /// Calls the request's operation, or asks for the result of its job. Never throws.
  [[nodiscard]] Outcome execute(const DueRequest& request) const;

 private:
  [[nodiscard]] Response call(const std::string& method, const std::string& path,
                              const DueRequest& request) const;
  [[nodiscard]] Outcome poll(const DueRequest& request) const;
  [[nodiscard]] Result<bool> load_file();
  [[nodiscard]] Result<bool> execute_due();

  State& m_state;
  Origin m_origin;
  std::map<std::string, Handler> m_handlers{};  ///< by method and path
};

/// A thread that processes batches while it holds the lock file: of several emulators on one state,
/// only one works. `routes` must outlive it.
class Worker {
 public:
  /// `lock_file` is empty if no other process uses this state. `state` must outlive the worker.
  Worker(State& state, const std::vector<Route>& routes, Origin origin, std::string lock_file);
  ~Worker();

  /// Works on a test's state as well, while the test uses it.
  void add(const std::shared_ptr<State>& state, Origin origin) {
    const std::lock_guard lock(m_mutex);
    m_extras.push_back({state, BatchProcessor(*state, m_routes, std::move(origin))});
  }

 private:
  struct Extra {
    std::weak_ptr<State> state;
    BatchProcessor processor;
    bool busy = false;
  };

  void run();
  [[nodiscard]] bool acquire_lock();
  [[nodiscard]] bool step_extras();

  const std::vector<Route>& m_routes;
  BatchProcessor m_processor;
  std::string m_lock_file;
  std::optional<FileLock> m_lock{};  ///< used by the thread only
  std::mutex m_mutex{};              ///< protects m_stopped and adding to m_extras
  std::list<Extra> m_extras{};
  std::condition_variable m_wake{};
  bool m_stopped = false;
  std::thread m_thread;  ///< last: it uses all of the above
};

}  // namespace svc::emulator::batches
