// A client of a scripted server.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "support/fault_server.h"
#include "svc/client.h"
#include "svc/webhook.h"

namespace svc::test {

namespace api = svc::v0;

struct ClientWorld {
  std::unique_ptr<FaultServer> server;
  api::Client client;

  explicit ClientWorld(std::string_view steps)
      : server(*FaultServer::start(script(steps))), client(open(*server)) {}

  static api::Client open(const FaultServer& server) {
    auto opened = api::Client::open(
        {.base_url = server.url(), .api_key = "svc-a-key-of-tests", .retries = 0});
    REQUIRE(opened);
    return *std::move(opened);
  }
};

/// Why these options are refused, as wrong use.
inline std::string open_error(const api::Options& options) {
  const auto client = api::Client::open(options);
  REQUIRE_FALSE(client);
  CHECK(client.error().fault == api::Fault::Usage);
  return client.error().message;
}

/// Steps of the script: an answer, then the next request is waited for.
inline std::string one_reply(const std::string& json) {
  return "reply 200 application/json " + json + "\nnext\n";
}

inline std::string answer_json(const std::string& text) {
  return R"({"id":"a","object":"chat.completion","model":"m","created":1,"choices":[{"index":0,)"
         R"("message":{"role":"assistant","content":")" +
         text +
         R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,)"
         R"("cost_in_usd_ticks":70},"new_member":[1]})";
}

}  // namespace svc::test
