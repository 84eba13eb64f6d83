// What the tests of the emulator's areas share: requests by their real paths, without sockets.
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

/// Routes over a state in memory (or in `path`), with a clock that stands still.
class Area {
 public:
  explicit Area(std::vector<emulator::Route> routes, const std::string& path = ":memory:");

  /// `target` is a path with its query. The body has the content type of `headers`.
  emulator::Answer call(std::string_view method, const std::string& target,
                        const std::string& body = {}, std::vector<Header> headers = {});

  /// call() whose answer is 200 with JSON.
  nlohmann::json json(std::string_view method, const std::string& target,
                      const std::string& body = {}, std::vector<Header> headers = {});

  [[nodiscard]] emulator::State& state() { return *m_state; }

  emulator::KeyRecord key{};
  std::int64_t now_ms = 1'800'000'000'000;

 private:
  std::unique_ptr<emulator::State> m_state;
  emulator::Router m_router;
};

/// A part of a form; no filename makes it a plain field.
struct FormField {
  std::string name;
  std::string data;
  std::string filename{};
  std::string content_type{};
};

/// The body of a form whose boundary is "XX", and the header that goes with it.
[[nodiscard]] std::string form_body(const std::vector<FormField>& fields);
[[nodiscard]] std::vector<Header> form_headers();

}  // namespace svc::test
