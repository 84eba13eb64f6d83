// Shared by the tests of the management API: the whole emulator without sockets, with a manually
// advanced clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/server/dispatch.h"
#include "emulator/state/state.h"

namespace svc::test {

/// 2027-01-15T08:00:00Z.
inline constexpr std::int64_t k_fixture_start_ms = 1'800'000'000'000;

class ManagementApi {
 public:
  explicit ManagementApi(std::vector<emulator::Route> more = {});

  /// Uses the demo management key on management paths and the demo key on all others, unless `key`
  /// is given. A body without `headers` is JSON.
  emulator::Response ask(std::string_view method, std::string target, std::string body = {},
                         std::string_view key = {}, std::vector<Header> headers = {});
  emulator::Response get(std::string target) { return ask("GET", std::move(target)); }
  emulator::Response post(std::string target, std::string body) {
    return ask("POST", std::move(target), std::move(body));
  }

  void advance(std::int64_t ms) { m_now_ms += ms; }
  [[nodiscard]] std::int64_t now_ms() const { return m_now_ms; }
  [[nodiscard]] emulator::State& state() { return *m_state; }

 private:
  std::int64_t m_now_ms = k_fixture_start_ms;
  std::unique_ptr<emulator::State> m_state;
  std::unique_ptr<emulator::Dispatcher> m_dispatcher{};
};

[[nodiscard]] std::string header_of(const emulator::Response& response, std::string_view name);
[[nodiscard]] bool body_contains(const emulator::Response& response, std::string_view part);

inline const std::string k_team_path = "/auth/teams/" + std::string(emulator::k_demo_team_id);
inline const std::string k_billing_path =
    "/v1/billing/teams/" + std::string(emulator::k_demo_team_id);

}  // namespace svc::test
