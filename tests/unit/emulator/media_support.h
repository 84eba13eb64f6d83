// Shared by the tests of images and videos: the whole emulator without sockets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/picture/picture.h"
#include "emulator/server/dispatch.h"
#include "emulator/state/state.h"
#include "support/mentions.h"

namespace svc::test {

using Json = nlohmann::json;

/// The emulator's operations with its own state and a fixed clock.
class MediaApi {
 public:
  /// `path`: the state file.
  explicit MediaApi(const std::string& path = ":memory:");

  emulator::Response get(const std::string& target, std::vector<Header> headers = {});
  emulator::Response post(const std::string& target, const std::string& body);
  /// GET without a key or Host.
  emulator::Response fetch(const std::string& url, std::vector<Header> headers = {},
                           const std::string& method = "GET");

  emulator::State& state() { return *m_state; }

  std::string secret{emulator::k_demo_key};
  std::int64_t now_ms = 1'800'000'000'000;

 private:
  emulator::Response run(const std::string& method, const std::string& target,
                         std::vector<Header> headers, const std::string& body);
  std::unique_ptr<emulator::State> m_state;
  std::unique_ptr<emulator::Dispatcher> m_dispatcher;
};

/// The value of that header, "" if there is none.
std::string header_value(const emulator::Response& response, std::string_view name);

/// The body as JSON; requires the given status.
Json json_of(const emulator::Response& response, int status = 200);

/// "data:image/jpeg;base64,…" of an image.
std::string data_url(const emulator::media::Image& image);

}  // namespace svc::test
