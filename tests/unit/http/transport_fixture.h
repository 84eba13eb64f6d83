// Shared by the transport's tests: a receiver that records everything, and request helpers.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "http/transport.h"
#include "support/fault_server.h"

namespace svc::http {

using test::FaultServer;
using namespace std::chrono_literals;

struct Collect final : Receiver {
  HttpHead head{};
  int heads = 0;
  std::string body{};
  std::uint64_t body_size = 0;
  std::uint64_t sent = 0;
  std::uint64_t to_send = 0;
  bool keep_body = true;
  std::optional<Error> refuse_head{};
  std::optional<Error> refuse_body{};
  std::optional<Error> refuse_pause{};
  std::vector<std::uint64_t> paused_at{};  ///< bytes of the body received so far
  std::chrono::steady_clock::time_point first_byte{};

  Result<void> on_head(const HttpHead& answer) override {
    ++heads;
    head = answer;
    if (refuse_head) return *refuse_head;
    return {};
  }
  Result<void> on_body(std::string_view bytes) override {
    if (body_size == 0) first_byte = std::chrono::steady_clock::now();
    body_size += bytes.size();
    if (keep_body) body += bytes;
    if (refuse_body) return *refuse_body;
    return {};
  }
  Result<void> on_pause() override {
    paused_at.push_back(body_size);
    if (refuse_pause) return *refuse_pause;
    return {};
  }
  void on_upload(std::uint64_t sent_now, std::uint64_t total) override {
    sent = sent_now;
    to_send = total;
  }
};

struct Answered {
  Outcome outcome;
  std::string body;
  HttpHead head;
  std::chrono::milliseconds took;

  [[nodiscard]] Fault fault() const {
    return outcome.error ? outcome.error->fault : Fault::Unexpected;
  }
  [[nodiscard]] bool says(std::string_view words) const {
    return outcome.error && outcome.error->message.find(words) != std::string::npos;
  }
};

/// A server with that script; fails the test if it cannot start.
inline std::unique_ptr<FaultServer> serve(std::string_view script,
                                          test::ServerOptions options = {}) {
  auto server = FaultServer::start(test::script(script), options);
  REQUIRE(server);
  return std::move(*server);
}

/// Short limits, so that a hanging test ends.
inline HttpRequest request_to(const FaultServer& server, std::string method = "GET",
                              std::string_view path = "/v1/x") {
  HttpRequest request;
  request.method = std::move(method);
  request.url = server.url(path);
  request.timeouts = {.connect = 5s, .total = 10s, .idle = 5s};
  return request;
}

inline Answered ask(Transport& transport, const HttpRequest& request) {
  Collect collect;
  const auto began = std::chrono::steady_clock::now();
  Outcome outcome = transport.perform(request, collect, NeverCanceled{});
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  return {std::move(outcome), std::move(collect.body), std::move(collect.head), took};
}

inline Answered ask(const HttpRequest& request, TransportOptions options = {}) {
  return ask(*make_curl_transport(std::move(options)), request);
}

}  // namespace svc::http
