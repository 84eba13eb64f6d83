// A service that sends nothing: it passes on the requests that a run in batches would send.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "batch/service.h"
#include "request/plan.h"

namespace svc::batch {

class PlannedService final : public Service {
 public:
  using Add = std::function<Result<void>(request::Step step)>;

  PlannedService(ServiceRequests requests, Add add)
      : m_requests(std::move(requests)), m_add(std::move(add)) {}

  [[nodiscard]] Result<std::string> create(const std::string& name,
                                           const std::string& input_file_id) override;
  [[nodiscard]] Result<void> add_many(const NextAddition& next, const CancelToken* drain) override;
  [[nodiscard]] Result<std::string> upload(const std::string& path, std::uint64_t size) override;

  /// Passes on the requests that wait for the batches and read their results: first those of an
  /// earlier run, whose IDs are `begun`.
  [[nodiscard]] Result<void> finish(const std::vector<std::string>& begun);

  // Nothing exists yet.

  [[nodiscard]] Result<BatchState> get(const std::string& id) override;
  [[nodiscard]] Result<void> cancel(const std::string& id) override;
  [[nodiscard]] Result<Page> list(const std::string& token) override;
  [[nodiscard]] Result<Page> requests(const std::string& id, const std::string& token) override;
  [[nodiscard]] Result<Page> results(const std::string& id, const std::string& token) override;

 private:
  /// An ID that an answer will have, or has had.
  struct Known {
    std::string placeholder{};
    std::string name{};  ///< of the variable; "": `placeholder` is the ID
  };

  [[nodiscard]] Result<void> add_with(request::Step step, const Known& known);

  ServiceRequests m_requests;
  Add m_add;
  std::vector<Known> m_batches{};
  std::vector<Known> m_files{};
};

}  // namespace svc::batch
