#include "emulator/api/stt/stream.h"

#include <deque>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/spending.h"
#include "emulator/api/stt/members.h"
#include "emulator/api/stt/stream_query.h"
#include "emulator/api/stt/stream_work.h"
#include "emulator/json/json.h"
#include "emulator/state/state.h"

namespace svc::emulator::stt {
namespace {

using text::Json;

// A client that sends faster than it is listened to has to wait.
constexpr std::size_t k_most_waiting = 2U << 20U;
constexpr std::size_t k_few_waiting = 256U << 10U;

class StreamSession final : public SocketSession,
                            public std::enable_shared_from_this<StreamSession> {
 public:
  StreamSession(StreamQuery query, const Call& call)
      : m_query(std::move(query)),
        m_work(std::make_shared<StreamWork>(m_query)),
        m_state(*call.state),
        m_team(call.key.team_id),
        m_id(call.request_id) {}

  void on_open(std::shared_ptr<SocketPeer> peer) override;
  void on_binary(std::string message) override;
  void on_text(std::string message) override;
  void on_closed(std::uint16_t code, std::string_view reason) override;

 private:
  using Input = StreamInput;
  void send(const Json& event) { m_peer->send_text(text::dump(event)); }
  void complain(sv sentence) { send({{"type", "error"}, {"message", sentence}}); }
  void fail(sv sentence);
  void watch();
  void queue(Input input);
  void work();
  void worked(const std::vector<std::string>& events, const std::string& trouble, bool done);
  void finalize(const Json& event);
  void charge();

  StreamQuery m_query;
  std::shared_ptr<StreamWork> m_work;  ///< used by one job at a time
  State& m_state;
  std::string m_team;
  std::string m_id;
  std::shared_ptr<SocketPeer> m_peer{};
  std::deque<Input> m_inputs{};
  std::size_t m_waiting = 0;  ///< bytes in m_inputs
  std::uint64_t m_bytes = 0;  ///< of sound, in all
  SocketPeer::TimerId m_timer = 0;
  bool m_working = false;
  bool m_paused = false;
  bool m_done = false;  ///< the client has sent audio.done, or the session has failed
  bool m_charged = false;
};

void StreamSession::on_open(std::shared_ptr<SocketPeer> peer) {
  m_peer = std::move(peer);
  send({{"type", "transcript.created"}, {"id", m_id}});
  watch();
}

// The client must say something from time to time.
void StreamSession::watch() {
  m_peer->cancel_timer(m_timer);
  m_timer = m_peer->start_timer(m_query.timeout, [this] {
    if (m_done) return;
    if (m_working || !m_inputs.empty()) return watch();  // it waits for us
    fail(fmt::format("Stream timed out: no audio was received for {} s.",
                     static_cast<double>(m_query.timeout.count()) / 1000));
  });
}

// Errors that close.
void StreamSession::fail(sv sentence) {
  m_done = true;
  m_inputs.clear();
  complain(sentence);
  charge();
  m_peer->close(k_close_failure, "the transcription failed");
}

void StreamSession::on_binary(std::string message) {
  if (m_done) return;
  if (m_query.failure) return fail(*m_query.failure);
  watch();
  m_bytes += message.size();
  queue({Input::Kind::Sound, std::move(message), std::nullopt});
}

// What is not understood is answered with an error, and the connection stays.
void StreamSession::on_text(std::string message) {
  if (m_done) return;
  watch();
  const Json event = text::parse_json(message);
  if (!event.is_object()) return complain("Failed to parse the message: it is no JSON object.");
  const std::string type = text::text_of(event, "type");
  if (type == "audio.done") {
    m_done = true;
    return queue({Input::Kind::Done, {}, std::nullopt});
  }
  if (type == "finalize" || type == "Finalize") return finalize(event);
  complain(fmt::format("Failed to parse the message: unknown type '{}'.",
                       visible(excerpt(type, 60), Lines::Escape)));
}

void StreamSession::finalize(const Json& event) {
  Input input{Input::Kind::Finalize, {}, std::nullopt};
  if (text::member(event, "channel") != nullptr) {
    const auto channel = text::integer_of(event, "channel");
    if (!channel || *channel < 0 || *channel >= m_query.format.channels) {
      return complain(
          fmt::format("channel must be a number from 0 to {}.", m_query.format.channels - 1));
    }
    input.channel = static_cast<std::size_t>(*channel);
  }
  queue(std::move(input));
}

void StreamSession::queue(Input input) {
  m_waiting += input.bytes.size();
  m_inputs.push_back(std::move(input));
  if (m_waiting > k_most_waiting && !m_paused) {
    m_paused = true;
    m_peer->pause_reading();
  }
  if (!m_working) work();
}

// All that waits goes to one job; the next begins when its events are back.
void StreamSession::work() {
  if (m_inputs.empty()) return;
  m_working = true;
  auto inputs = std::make_shared<std::deque<Input>>(std::exchange(m_inputs, {}));
  m_waiting = 0;
  m_peer->run_apart([inputs, work = m_work, peer = m_peer, weak = weak_from_this()] {
    for (const Input& input : *inputs) {
      const bool last = &input == &inputs->back();
      std::vector<std::string> events;
      std::string trouble;
      try {
        if (auto taken = work->take(input)) {
          events = *std::move(taken);
        } else {
          trouble = taken.error().message;
        }
      } catch (const std::exception& bug) {
        trouble = bug.what();
      }
      if (events.empty() && trouble.empty() && !last) continue;
      // Each event goes out when it is known, not when the job ends.
      const bool done = input.kind == Input::Kind::Done;
      peer->post([weak, events = std::move(events), trouble, done, last] {
        const auto self = weak.lock();
        if (!self) return;
        self->worked(events, trouble, done);
        if (!last) return;
        self->m_working = false;
        self->work();
      });
      if (!trouble.empty() || weak.expired()) return;
    }
  });
}

void StreamSession::worked(const std::vector<std::string>& events, const std::string& trouble,
                           bool done) {
  if (!trouble.empty()) return fail("The transcription failed: " + trouble);
  for (const std::string& event : events) m_peer->send_text(event);
  if (m_paused && m_waiting < k_few_waiting) {
    m_paused = false;
    m_peer->resume_reading();
  }
  if (!done) return;
  charge();
  m_peer->close(k_close_normal, "");
}

// The seconds that came in, once.
void StreamSession::charge() {
  if (std::exchange(m_charged, true)) return;
  const std::size_t width = audio::bytes_per_sample(*m_query.format.raw);
  const double second = static_cast<double>(m_query.format.rate) * static_cast<double>(width) *
                        m_query.format.channels;
  (void)book_charges(m_state, m_team, charges_for_sound(static_cast<double>(m_bytes) / second));
}

void StreamSession::on_closed(std::uint16_t /*code*/, std::string_view /*reason*/) {
  m_inputs.clear();
  charge();
}

}  // namespace

std::variant<std::shared_ptr<SocketSession>, Answer> open_stream(const Call& call) {
  StreamQuery query;
  if (auto refusal = read_stream_query(call, query)) return *std::move(refusal);
  return std::make_shared<StreamSession>(std::move(query), call);
}

}  // namespace svc::emulator::stt
