// What the tests of batches share: the operations, and the worker's steps by hand.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/api/batches/worker.h"
#include "unit/emulator/area_support.h"

namespace svc::test {

/// Batches, files and the text operations.
[[nodiscard]] std::vector<emulator::Route> batch_test_routes();

class Batches : public Area {
 public:
  explicit Batches(const std::string& path = ":memory:");

  std::string create();
  emulator::Answer add(const std::string& id, const nlohmann::json& items,
                       std::vector<Header> headers = {});
  /// The member `state` of the batch.
  nlohmann::json counters(const std::string& id);
  /// Does what is due; all that was added is due ten seconds later.
  void work();
  void work_all();

 private:
  emulator::batches::Shift m_shift;
};

/// A chat with one message, as an item of an add call.
[[nodiscard]] nlohmann::json item(const std::string& id, const std::string& prompt,
                                  const std::string& model = "svc-4.3");

/// The member `state` of a batch.
[[nodiscard]] nlohmann::json counts(int requests, int pending, int success, int error,
                                    int cancelled);

}  // namespace svc::test
