// One request of a batch, answered by the operation that answers it outside of batches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/api/batches/queue.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::batches {

/// What the requests' own calls look like: they come from nowhere.
struct Origin {
  std::string host{"127.0.0.1"};  ///< where the emulator is reached, for the URLs in results
  bool tls = false;
};

/// Safe for one thread at a time.
class Performer {
 public:
  /// `state` must outlive it. Requests whose operation is not among `routes` fail.
  Performer(State& state, const std::vector<Route>& routes, Origin origin);

  /// Never throws.
  [[nodiscard]] Outcome perform(const DueRequest& request) const;

 private:
  [[nodiscard]] Answer call(const std::string& method, const std::string& path,
                            const std::string& body, const DueRequest& request,
                            std::map<std::string, std::string> params) const;
  [[nodiscard]] Outcome poll(const DueRequest& request, const std::string& job) const;

  State& m_state;
  Origin m_origin;
  std::map<std::string, Handler> m_handlers{};  ///< by method and path
};

}  // namespace svc::emulator::batches
