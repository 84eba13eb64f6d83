// Shared by the tests of batches: the operations, and single steps of the worker.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/api/batches/batches.h"
#include "unit/emulator/area_support.h"

namespace svc::test {

/// Batches, files and the text operations.
[[nodiscard]] std::vector<emulator::Route> batch_test_routes();

class Batches : public Area {
 public:
  explicit Batches(const std::string& path = ":memory:");

  std::string create();
  emulator::Response add(const std::string& id, const nlohmann::json& items,
                         std::vector<Header> headers = {});
  /// The batch's `state` field.
  nlohmann::json counters(const std::string& id);
  /// Processes everything due; added requests are due ten seconds later.
  void work();
  void work_all();

 private:
  emulator::batches::BatchProcessor m_processor;
};

/// A chat with one message, as an item of an add call.
[[nodiscard]] nlohmann::json item(const std::string& id, const std::string& prompt,
                                  const std::string& model = "svc-4.3");

/// A batch's `state` field.
[[nodiscard]] nlohmann::json counts(int requests, int pending, int success, int error,
                                    int canceled);

}  // namespace svc::test
