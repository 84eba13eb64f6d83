// One attempt of a request. Internal to lib/client.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "client/api_client.h"
#include "http/sse.h"
#include "json/text.h"

namespace svc {

namespace call_attempt {

/// Between two tries to reserve the cost of a request.
inline constexpr std::chrono::milliseconds k_spend_wait{20};

/// A request with an idempotency key is always safe to retry.
inline Repeat repeat_of(const request::Request& request) {
  return find_header(request.headers, "idempotency-key") ? Repeat::Always
                                                         : request.operation->repeat;
}

inline bool is_success(int status) {
  return status >= 200 && status < 300;
}

inline std::string media_type(const http::HttpHead& head) {
  const std::string_view value = head.header("content-type").value_or("");
  return to_lower(trim(value.substr(0, value.find(';'))));
}

}  // namespace call_attempt

/// Receives one response, in one of four ways; reset between attempts.
class ApiClient::Attempt final : public http::Receiver {
 public:
  enum class Mode : std::uint8_t { Collect, Events, Bytes, Transfer };

  explicit Attempt(Mode mode) : m_mode(mode) {}

  svc::Transfer* transfer = nullptr;  ///< with Mode::Transfer
  const std::function<void(std::uint64_t, std::uint64_t)>* upload_callback = nullptr;
  /// Called when the request is sent on a ready connection; may be empty.
  std::function<void()> send_callback{};

  /// Receives the head of a successful response, before its body; may be empty.
  std::function<Result<void>(const http::HttpHead&)> on_begin{};
  EventSink sink{};
  http::SseParser::OnRun on_run{};
  std::function<void(std::uint64_t)> on_received{};
  std::function<Result<void>()> on_batch{};
  http::HttpHead head{};
  std::string body{};
  std::uint64_t max_body = http::k_max_collected_body;
  bool management = false;  ///< the key is the management key
  bool costs = false;
  bool streamed = false;
  bool output_started = false;

  /// Applies the operation's properties.
  void configure(const Operation& operation) {
    management = operation.host == Host::Management;
    costs = may_cost(operation);
    m_document = operation.reply == Reply::Json;
    if (m_mode == Mode::Collect) max_body = std::uint64_t{operation.max_answer_mb} << 20U;
  }

  /// Reserves the cost of the next attempt; false if it has to wait.
  [[nodiscard]] Result<bool> reserve(const CallPolicy& policy, const Operation& operation,
                                     Payload& request) {
    if (!costs || policy.spending == nullptr) return true;
    SVC_TRY(granted, policy.spending->reserve(operation, request));
    m_reserved = granted;
    return granted.has_value();
  }

  /// What is reserved for the attempt.
  [[nodiscard]] Reserved reserved() const { return m_reserved.value_or(Reserved{}); }

  /// Settles the cost of the attempt, unless it was settled. Nothing says what an answer cost that
  /// is no JSON.
  void settle(const CallPolicy& policy, SpendEnd end) {
    if (!m_reserved) return;
    const bool collected = end == SpendEnd::Answered && m_mode == Mode::Collect;
    if (collected && m_document && check_json(body)) end = SpendEnd::Unknown;
    policy.spending->settle(std::exchange(m_reserved, std::nullopt)->number, end,
                            collected ? std::string_view(body) : std::string_view());
  }

  void reset() {
    head = {};
    body.clear();
    streamed = false;
    m_parser = http::SseParser();
  }

  [[nodiscard]] std::size_t events() const { return static_cast<std::size_t>(m_parser.events()); }

  Result<void> on_head(const http::HttpHead& received) override {
    head = received;
    streamed = m_mode == Mode::Events && call_attempt::is_success(head.status) &&
               call_attempt::media_type(head) == "text/event-stream";
    if (m_mode == Mode::Transfer && call_attempt::is_success(head.status))
      return transfer->on_head(head);
    // Reserving the announced length avoids copies of a growing string. A wrong length costs
    // nothing, as unused pages take no memory.
    const auto length = parse_integer(head.header("content-length").value_or(""));
    if (m_mode == Mode::Collect && length && *length > 0) {
      const auto most = static_cast<std::int64_t>(std::min<std::uint64_t>(max_body, 256U << 20U));
      body.reserve(static_cast<std::size_t>(std::min(*length, most)));
    }
    return on_begin && call_attempt::is_success(head.status) ? on_begin(head) : Result<void>();
  }

  void on_send() override {
    if (send_callback) send_callback();
  }

  void on_upload(std::uint64_t sent, std::uint64_t total) override {
    if (upload_callback != nullptr && *upload_callback) (*upload_callback)(sent, total);
  }

  Result<void> on_body(std::string_view bytes) override {
    if (streamed) return m_parser.feed(bytes, m_on_event, on_run);
    if (m_mode == Mode::Transfer && call_attempt::is_success(head.status))
      return transfer->on_body(bytes);
    if (m_mode == Mode::Bytes && call_attempt::is_success(head.status)) {
      output_started = true;
      return sink(bytes);
    }
    if (body.size() + bytes.size() > max_body) {
      return Error{.fault = Fault::Network,
                   .message = "the response is larger than " + format_bytes(max_body),
                   .cause = Cause::TooLarge};
    }
    body += bytes;
    if (on_received) on_received(body.size());
    return {};
  }

  Result<void> on_pause() override {
    return (streamed || output_started) && on_batch ? on_batch() : Result<void>();
  }

 private:
  Mode m_mode;
  std::optional<Reserved> m_reserved{};
  bool m_document = false;  ///< the answer is to be JSON
  http::SseParser m_parser{};
  http::SseParser::OnEvent m_on_event = [this](const http::SseEvent& event) {
    if (http::is_keep_alive(event)) return Result<void>();
    output_started = true;
    return sink(event.data);
  };
};

}  // namespace svc
