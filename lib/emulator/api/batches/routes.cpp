#include "emulator/api/batches/routes.h"

#include <memory>

#include "emulator/api/batches/handlers.h"

namespace svc::emulator {
namespace {

constexpr std::uint64_t k_max_add = 25'000'000;

/// One creation per second, 100 add calls in 30 seconds.
struct Meters {
  batches::Meter creations{1, 1'000};
  batches::Meter additions{100, 30'000};
};

}  // namespace

std::vector<Route> batch_routes() {
  constexpr const char* k_acl = "batches";
  const auto meters = std::make_shared<Meters>();
  Route add{"POST", "/v1/batches/{batch_id}/requests",
            [meters](const Call& call) { return batches::add(call, meters->additions); }, k_acl};
  add.max_body = k_max_add;
  return {
      std::move(add),
      {"POST", "/v1/batches",
       [meters](const Call& call) { return batches::create(call, meters->creations); }, k_acl},
      {"GET", "/v1/batches", batches::list, k_acl},
      {"GET", "/v1/batches/{batch_id}", batches::get, k_acl},
      {"GET", "/v1/batches/{batch_id}/requests", batches::requests, k_acl},
      {"GET", "/v1/batches/{batch_id}/results", batches::results, k_acl},
      {"POST", "/v1/batches/{batch_id}:cancel", batches::cancel, k_acl, Input::Free},
  };
}

}  // namespace svc::emulator
