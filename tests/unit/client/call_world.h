// Calls without a network, and their responses.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "client/api_client.h"
#include "support/fake_transport.h"
#include "support/mentions.h"

namespace svc::test {

inline const std::string k_key = "svc-0123456789-secret-wxyz";

inline constexpr Operation k_read{.group = "t",
                                  .name = "read",
                                  .method = "GET",
                                  .path = "/r",
                                  .summary = "Read.",
                                  .repeat = svc::Repeat::Always};
inline constexpr Operation k_ask{.group = "t",
                                 .name = "ask",
                                 .method = "POST",
                                 .path = "/a",
                                 .summary = "Ask.",
                                 .repeat = svc::Repeat::WhenRefused};
inline constexpr Operation k_create{.group = "t",
                                    .name = "create",
                                    .method = "POST",
                                    .path = "/c",
                                    .summary = "Create.",
                                    .repeat = svc::Repeat::Never};
inline constexpr Operation k_load{.group = "t",
                                  .name = "load",
                                  .method = "GET",
                                  .path = "/l",
                                  .summary = "Load.",
                                  .reply = Reply::Bytes,
                                  .repeat = svc::Repeat::Always};

inline std::string header(const http::HttpRequest& request, std::string_view name) {
  return std::string(http::HttpHead{.headers = request.headers}.header(name).value_or(""));
}

inline FakeReply json_reply(int status, std::string body) {
  FakeReply reply;
  reply.status = status;
  reply.pieces = {std::move(body)};
  return reply;
}

/// A response that requests the shortest delay, so that tests do not wait.
inline FakeReply refusal(int status, std::string body = R"({"error":"no"})") {
  FakeReply reply = json_reply(status, std::move(body));
  reply.headers.push_back({"retry-after-ms", "1"});
  return reply;
}

inline FakeReply failure(Fault fault, bool sent = true) {
  FakeReply reply;
  reply.status = 0;
  reply.sent = sent;
  reply.error = Error{fault, "the line went dead", "look"};
  return reply;
}

inline FakeReply event_reply(std::vector<std::string> pieces) {
  FakeReply reply;
  reply.headers = {{"Content-Type", "text/event-stream; charset=utf-8"}};
  reply.pieces = std::move(pieces);
  return reply;
}

/// Canceled from the start, or on request.
class Switch final : public CancelToken {
 public:
  Switch() : m_fd(::eventfd(0, EFD_CLOEXEC)) {}
  ~Switch() override { ::close(m_fd); }
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    return m_asked ? std::optional(Fault::Interrupted) : std::nullopt;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return m_fd; }
  void cancel() {
    m_asked = true;
    ::eventfd_write(m_fd, 1);
  }

 private:
  int m_fd;
  bool m_asked = false;
};

struct World {
  explicit World(std::deque<FakeReply> replies, CallPolicy given = {})
      : transport(std::move(replies)), policy(std::move(given)) {
    policy.key = k_key;
    policy.secrets = {k_key};
  }

  ApiClient client() {
    return {transport, quota, cancel, policy,
            [this](const std::string& line) { told.push_back(line); }};
  }
  static request::Request request(const Operation& operation, bool stream = false) {
    request::Request out;
    out.operation = &operation;
    out.method = operation.method;
    out.url = "https://host" + std::string(operation.path);
    out.stream = stream;
    return out;
  }
  Result<CallReply> call(const Operation& operation) { return client().call(request(operation)); }
  Error error(const Operation& operation) {
    auto reply = call(operation);
    REQUIRE_FALSE(reply);
    CHECK_FALSE(mentions(reply.error().message + reply.error().hint, "secret"));
    return reply.error();
  }
  /// Records a stream's data as it arrives, with "|" at the end of each batch.
  Result<StreamReply> stream(const Operation& operation = k_ask) {
    return client().stream(
        request(operation, true),
        [this](std::string_view data) -> Result<void> {
          heard += data;
          return {};
        },
        [this]() -> Result<void> {
          heard += '|';
          return {};
        });
  }
  [[nodiscard]] std::size_t sent() const { return transport.requests.size(); }

  FakeTransport transport;
  CallPolicy policy;
  http::RetryQuota quota{};
  Switch cancel{};
  std::vector<std::string> told{};
  std::string heard{};
};

}  // namespace svc::test
