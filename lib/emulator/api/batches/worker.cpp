#include "emulator/api/batches/worker.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/api/batches/due.h"
#include "emulator/api/batches/read.h"
#include "emulator/api/files/store.h"
#include "emulator/api/videos/finish.h"

namespace svc::emulator::batches {
namespace {

// So many requests are performed before their outcomes are noted. More would make a kill cost more
// work, fewer would make a transaction for each.
constexpr std::int64_t k_at_once = 64;
constexpr std::size_t k_lines_at_once = 2'000;
// Requests come due a little later than they are added, so that looking this often is enough.
constexpr std::chrono::milliseconds k_idle{50};

}  // namespace

Shift::Shift(State& state, const std::vector<Route>& routes, Origin origin)
    : m_state(state), m_performer(state, routes, std::move(origin)) {}

Result<bool> Shift::step() {
  SVC_TRY(loaded, load_file());
  SVC_TRY(performed, perform_due());
  SVC_TRY(uploaded, videos::work_off_upload(m_state));
  return loaded || performed || uploaded;
}

Result<bool> Shift::perform_due() {
  SVC_TRY(requests, due_requests(m_state, k_at_once));
  if (requests.empty()) return false;
  std::vector<Outcome> outcomes;
  outcomes.reserve(requests.size());
  for (const DueRequest& request : requests) outcomes.push_back(m_performer.perform(request));
  SVC_CHECK(note_outcomes(m_state, requests, outcomes));
  return true;
}

// A file that cannot be loaded ends its batch: cancelled by the operator, with the reason.
Result<bool> Shift::load_file() {
  SVC_TRY(batch, next_loading(m_state));
  if (!batch) return false;
  const auto give_up = [&](const std::string& why) -> Result<bool> {
    SVC_TRY(cancelled, cancel_batch(m_state, batch->team_id, batch->id,
                                    fmt::format("The input file could not be loaded: {}.", why)));
    (void)cancelled;
    return true;
  };
  SVC_TRY(content, read_file(m_state, batch->team_id, *batch->input_file_id));
  if (!content) return give_up("it is gone");
  auto requests = read_lines(content->data);
  if (!requests) return give_up(requests.error().message);
  spread(*requests, m_state.now_ms(), k_usual_delay_ms);
  for (std::size_t at = 0; at < requests->size(); at += k_lines_at_once) {
    const std::size_t count = std::min(k_lines_at_once, requests->size() - at);
    SVC_TRY(goes_on, load_requests(m_state, *batch, requests->data() + at, count));
    if (!goes_on) return true;
  }
  SVC_CHECK(finish_loading(m_state, *batch));
  return true;
}

Worker::Worker(State& state, const std::vector<Route>& routes, Origin origin, std::string lock_file)
    : m_shift(state, routes, std::move(origin)),
      m_lock_file(std::move(lock_file)),
      m_thread([this] { run(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopped = true;
  }
  m_wake.notify_all();
  m_thread.join();
}

bool Worker::hold_lock() {
  if (m_lock_file.empty() || m_lock) return true;
  auto lock = FileLock::take(m_lock_file, std::chrono::milliseconds(0));
  if (!lock) return false;
  m_lock.emplace(std::move(*lock));
  return true;
}

void Worker::run() {
  std::unique_lock lock(m_mutex);
  while (!m_stopped) {
    lock.unlock();
    bool busy = false;
    if (hold_lock()) {
      // A state that cannot be read or written now may be so later; requests tell about it, too.
      const auto done = m_shift.step();
      busy = done && *done;
    }
    lock.lock();
    if (!busy) m_wake.wait_for(lock, k_idle, [this] { return m_stopped; });
  }
}

}  // namespace svc::emulator::batches
