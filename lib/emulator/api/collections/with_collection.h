// Work on the collection, or the document, that a request's path names.
#pragma once

#include <string>
#include <utility>

#include "emulator/account/management.h"
#include "emulator/api/collections/handlers.h"
#include "emulator/api/collections/store.h"
#include "emulator/state/state.h"

namespace svc::emulator::collections {

/// Runs `work(database, collection)` in one transaction, for a caller of the collection's team.
template <typename Work>
Answer with_collection(const Call& call, Work&& work) {
  if (auto refusal = team_fault(call)) return *refusal;
  const std::string& id = call.params.at("collection_id");
  auto outcome = call.state->change([&](Database& database) -> Result<Answer> {
    SVC_TRY(collection, find_collection(database, call.key.team_id, id));
    if (!collection) return refuse_collection(id);
    return work(database, *collection);
  });
  return outcome ? std::move(*outcome) : management::refuse_internal(outcome.error());
}

}  // namespace svc::emulator::collections
