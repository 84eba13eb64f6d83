// A transport without a network that returns the responses queued by a test.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel_token.h"
#include "http/transport.h"

namespace svc::test {

/// One response, or one failure to respond.
struct FakeReply {
  int status = 200;  ///< 0: no response head
  std::vector<Header> headers{{"Content-Type", "application/json"}};
  std::vector<std::string> pieces{};  ///< of the body, in order of arrival
  std::optional<Error> error{};       ///< after the pieces
  bool sent = true;
  bool permanent = false;
  std::function<void()> before{};  ///< called when the request arrives
};

class FakeTransport final : public http::Transport {
 public:
  /// The responses, in order. Any request beyond them fails with Unexpected.
  explicit FakeTransport(std::deque<FakeReply> replies) : m_replies(std::move(replies)) {}

  void add(FakeReply reply) { m_replies.push_back(std::move(reply)); }

  http::Outcome perform(const http::HttpRequest& request, http::Receiver& receiver,
                        const CancelToken& cancel) override {
    requests.push_back(request);
    http::Outcome outcome;
    if (const auto fault = cancel.requested()) {
      outcome.error = Error{*fault, "stopped"};
      return outcome;
    }
    if (m_replies.empty()) {
      outcome.error = Error{Fault::Unexpected, "the test expects no more requests"};
      return outcome;
    }
    const FakeReply reply = std::move(m_replies.front());
    m_replies.pop_front();
    if (reply.before) reply.before();
    outcome.sent = reply.sent;
    outcome.permanent = reply.permanent;
    outcome.error = deliver(reply, receiver, outcome);
    return outcome;
  }

  void start(http::HttpRequest request, http::Receiver& receiver, Done done) override {
    m_queue.push_back({std::move(request), &receiver, std::move(done)});
  }

  void run(const CancelToken& cancel,
           std::optional<std::chrono::steady_clock::time_point> /*until*/) override {
    while (!m_queue.empty()) {
      Queued next = std::move(m_queue.front());
      m_queue.pop_front();
      next.done(perform(next.request, *next.receiver, cancel));
    }
  }

  /// Calls in flight.
  [[nodiscard]] std::size_t waiting() const { return m_queue.size(); }

  /// All requests so far.
  std::vector<http::HttpRequest> requests{};

 private:
  struct Queued {
    http::HttpRequest request;
    http::Receiver* receiver;
    Done done;
  };

  /// Like the real transport, ends the call for good if the receiver returns an error.
  static std::optional<Error> deliver(const FakeReply& reply, http::Receiver& receiver,
                                      http::Outcome& outcome) {
    if (reply.status == 0) return reply.error;
    outcome.answered = true;
    outcome.head = {.status = reply.status, .version = "1.1", .headers = reply.headers};
    if (auto taken = receiver.on_head(outcome.head); !taken) {
      outcome.permanent = true;
      return std::move(taken).error();
    }
    for (const std::string& piece : reply.pieces) {
      auto taken = receiver.on_body(piece);
      if (taken) taken = receiver.on_pause();
      if (!taken) {
        outcome.permanent = true;
        return std::move(taken).error();
      }
    }
    return reply.error;
  }

  std::deque<FakeReply> m_replies;
  std::deque<Queued> m_queue{};
};

}  // namespace svc::test
