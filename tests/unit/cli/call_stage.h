// A command whose requests are answered by a test.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/text.h"
#include "history/cost_ledger.h"
#include "operation/runner.h"
#include "support/fake_transport.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {

/// What the ledger has: "2 of m: 7 in (1 cached), 3 out (1 reasoning), 5 ticks, 1 unpriced".
inline std::string recorded(history::UsageBy by = history::UsageBy::Model) {
  const auto rows = history::CostLedger(ledger_path()).usage({.by = by});
  REQUIRE(rows);
  std::string text;
  for (const history::UsageRow& row : *rows) {
    text +=
        fmt::format("{} of {}: {} in ({} cached), {} out ({} reasoning), {} ticks, {} unpriced\n",
                    row.answers, row.name, row.input_tokens, row.cached_tokens, row.output_tokens,
                    row.reasoning_tokens, row.ticks, row.unpriced);
  }
  return text;
}

/// The command's session, on a terminal that shows the progress of every request.
class CallStage {
 public:
  explicit CallStage(const std::vector<std::string>& words, std::deque<test::FakeReply> replies,
                     const print::Terminal& terminal = {.is_tty = true, .plain = true})
      : m_stage(words,
                "[profile.default]\nbase_url = \"https://host\"\n"
                "management_url = \"https://manages/v1\"\nteam_id = \"t\"\n"
                "docs_url = \"https://host/v1/docs\"\n",
                terminal),
        m_transport(watched(std::move(replies))) {}

  [[nodiscard]] Session& session() { return m_stage.session(); }
  [[nodiscard]] const Operation& operation() { return *session().invocation().operation; }
  /// The request of the command.
  [[nodiscard]] request::Request request() {
    auto prepared = prepare_own(session());
    REQUIRE(prepared);
    return *std::move(prepared);
  }
  [[nodiscard]] ApiClient& client() { return m_client; }
  std::string out() { return m_stage.out(); }
  /// With "|" for the erasing of a progress line.
  std::string err() { return replace_all(m_stage.err(), "\r\x1b[K", "|"); }
  /// "GET /v1/files" and the others that were sent since the last call.
  std::vector<std::string> sent() {
    std::vector<std::string> lines;
    for (const http::HttpRequest& one : std::exchange(m_transport.requests, {})) {
      lines.push_back(one.method + " " + one.url.substr(one.url.find("/v1")));
    }
    return lines;
  }

 private:
  std::deque<test::FakeReply> watched(std::deque<test::FakeReply> replies) {
    for (test::FakeReply& reply : replies) {
      reply.before = [this, before = reply.before] {
        session().progress().tick();
        if (before) before();
      };
    }
    return replies;
  }

  SessionStage m_stage;
  test::FakeTransport m_transport;
  http::RetryQuota m_quota{};
  NeverCanceled m_nobody{};
  ApiClient m_client{m_transport, m_quota, m_nobody, {.retries = 0}, [](const std::string&) {}};
};

}  // namespace svc::cli
