// Shared by the tests of the emulator's areas: requests to real paths, without sockets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/handler/handler.h"
#include "emulator/server/dispatch.h"
#include "emulator/state/state.h"

namespace svc::test {

/// Routes with a state in memory (or in `path`), and a fixed clock.
class Area {
 public:
  explicit Area(std::vector<emulator::Route> routes, const std::string& path = ":memory:");

  /// `target` is a path with its query. The body's content type is in `headers`.
  emulator::Response call(std::string_view method, const std::string& target,
                          const std::string& body = {}, std::vector<Header> headers = {});

  /// call() with a response of 200 with JSON.
  nlohmann::json json(std::string_view method, const std::string& target,
                      const std::string& body = {}, std::vector<Header> headers = {});

  [[nodiscard]] emulator::State& state() { return *m_state; }

  emulator::KeyRecord key{};
  std::int64_t now_ms = 1'800'000'000'000;

 private:
  std::unique_ptr<emulator::State> m_state;
  emulator::Router m_router;
};

/// A form part; without a filename it is a plain field.
struct FormField {
  std::string name;
  std::string data;
  std::string filename{};
  std::string content_type{};
};

/// The body of a form with the boundary "XX", and the matching header.
[[nodiscard]] std::string form_body(const std::vector<FormField>& fields);
[[nodiscard]] std::vector<Header> form_headers();

}  // namespace svc::test
