// Request bodies for each operation of the emulator: it must respond without an internal error, and
// streams must end.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "emulator/handler/handler.h"
#include "emulator/server/dispatch.h"
#include "emulator/state/state.h"

namespace {

using namespace svc::emulator;

constexpr const char* k_id = "11111111-1111-4111-8111-111111111111";

/// All operations with a body, with IDs in their paths.
std::vector<std::pair<std::string, std::string>> targets_of(const std::vector<Route>& routes) {
  std::vector<std::pair<std::string, std::string>> targets;
  for (const Route& route : routes) {
    if (route.method == "GET" || route.method == "DELETE") continue;
    std::string path = route.path;
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{')) {
      path.replace(at, path.find('}') + 1 - at, k_id);
    }
    targets.emplace_back(route.method, path);
  }
  return targets;
}

/// The whole emulator without sockets; its clock advances an hour per request to avoid rate limits.
struct Whole {
  std::int64_t now_ms = 1'800'000'000'000;
  std::unique_ptr<State> state = std::move(*State::open(":memory:", [this] { return now_ms; }));
  std::vector<std::pair<std::string, std::string>> targets = targets_of(all_routes());
  Dispatcher dispatcher{*state, all_routes()};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Whole whole;
  if (size == 0) return 0;
  whole.now_ms += 3'600'000;
  const auto& [method, target] = whole.targets[data[0] % whole.targets.size()];
  HttpRequest call;
  call.method = method;
  call.target = target;
  call.body.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool form = call.body.starts_with("--b\r\n");
  call.headers = {{"Host", "127.0.0.1:9"},
                  {"Authorization", std::string("Bearer ").append(k_demo_key)},
                  {"Content-Type", form ? "multipart/form-data; boundary=b" : "application/json"}};
  const auto ticket = whole.dispatcher.admit(call);
  Response answer = whole.dispatcher.response(std::move(call), ticket);
  // Prompts can request status 501 and above, and missing libraries cause them.
  if (answer.status < 100 || answer.status > 599 || answer.status == 500) {
    std::fprintf(stderr, "%s %s: %d %s\n", method.c_str(), target.c_str(), answer.status,
                 answer.body.c_str());
    std::abort();
  }
  for (int i = 0; answer.next && answer.next(); ++i) {
    if (i > 100'000) std::abort();
  }
  return 0;
}
