#include "unit/emulator/batches_support.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/handler/handler.h"

namespace svc::test {

std::vector<emulator::Route> batch_test_routes() {
  std::vector<emulator::Route> all = emulator::batch_routes();
  for (auto&& group : {emulator::file_routes(), emulator::text_routes()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

Batches::Batches(const std::string& path)
    : Area(batch_test_routes(), path), m_processor(state(), batch_test_routes(), {}) {}

std::string Batches::create() {
  now_ms += 1'000;
  return json("POST", "/v1/batches", R"({"name":"night"})")["batch_id"];
}

emulator::Response Batches::add(const std::string& id, const nlohmann::json& items,
                                std::vector<Header> headers) {
  return call("POST", "/v1/batches/" + id + "/requests",
              nlohmann::json{{"batch_requests", items}}.dump(), std::move(headers));
}

nlohmann::json Batches::counters(const std::string& id) {
  return json("GET", "/v1/batches/" + id)["state"];
}

void Batches::work() {
  for (;;) {
    const auto busy = m_processor.step();
    REQUIRE(busy.has_value());
    if (!*busy) return;
  }
}

void Batches::work_all() {
  now_ms += 10'000;
  work();
}

nlohmann::json item(const std::string& id, const std::string& prompt, const std::string& model) {
  return {{"batch_request_id", id},
          {"batch_request",
           {{"chat_get_completion",
             {{"model", model},
              {"messages", nlohmann::json::array({{{"role", "user"}, {"content", prompt}}})}}}}}};
}

nlohmann::json counts(int requests, int pending, int success, int error, int canceled) {
  return {{"num_requests", requests},
          {"num_pending", pending},
          {"num_success", success},
          {"num_error", error},
          {"num_cancelled", canceled}};
}

}  // namespace svc::test
