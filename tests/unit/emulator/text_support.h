// Shared by the tests of text operations: handlers called without sockets.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/handler/handler.h"
#include "emulator/state/state.h"
#include "support/mentions.h"

namespace svc::test {

using Json = nlohmann::json;

/// The text operations with a state in memory and a fixed clock.
class TextApi {
 public:
  TextApi();

  bool held =
      true;  ///< to the catalogue's rows; a rule can set members that the service never sends

  /// Calls the route with that method and path template; the body is sent unchanged. `sent_method`
  /// is the call's method if it differs from the route's.
  emulator::Response call(const std::string& method, const std::string& path,
                          const std::string& body,
                          const std::map<std::string, std::string>& params = {},
                          const std::vector<Header>& query = {},
                          const std::string& sent_method = {});

  emulator::Response chat(const std::string& body) {
    return call("POST", "/v1/chat/completions", body);
  }
  emulator::Response responses(const std::string& body) {
    return call("POST", "/v1/responses", body);
  }
  /// A chat with one user message, and the additional `members` (`"n":2,…`).
  emulator::Response ask(std::string_view prompt, std::string_view members = {});
  /// The same, as a Responses call.
  emulator::Response respond(std::string_view prompt, std::string_view members = {});

  emulator::State& state() { return *m_state; }

  emulator::KeyRecord key{};
  std::vector<Header> headers{};
  std::int64_t now_ms = 1'800'000'000'000;

 private:
  std::unique_ptr<emulator::State> m_state;
  std::vector<emulator::Route> m_routes;
};

/// Fails for each member or event of a successful answer that differs from the catalogue's rows.
[[nodiscard]] emulator::Response held_to_rows(emulator::Response answer, std::string_view method,
                                              std::string_view path);

/// The body as JSON; the status must be 200.
Json ok(const emulator::Response& answer);

/// The `error` field of an error response with that status.
std::string expect_error(const emulator::Response& answer, int status);

/// The data of each event of a stream, in order, including `[DONE]`.
std::vector<std::string> events(const emulator::Response& answer);

/// The same as JSON, without the required final `[DONE]`.
std::vector<Json> json_events(const emulator::Response& answer);

/// The text of one choice of a chat response.
std::string content_of(const Json& completion, std::size_t choice = 0);

/// From a response of the Responses API: its ID, and the text of the message item, which is the
/// last.
std::string response_id(const Json& response);
std::string response_text(const Json& response);

/// An image of one pixel.
inline constexpr const char* k_tiny_png =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQ"
    "DJ/pLvAAAAAElFTkSuQmCC";

/// Two functions that a chat may call.
inline constexpr const char* k_chat_tools = R"("tools":[
    {"type":"function","function":{"name":"get_time","parameters":{"type":"object",
      "properties":{"city":{"type":"string"}},"required":["city"]}}},
    {"type":"function","function":{"name":"get_date","parameters":{"type":"object"}}}])";

}  // namespace svc::test
