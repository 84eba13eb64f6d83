#include "batch/planned_service.h"

#include <doctest/doctest.h>

namespace svc::batch {
namespace {

TEST_CASE("a plan adds to a batch that exists, and waits for it and for new ones") {
  std::vector<std::string> shown;
  PlannedService service(ServiceRequests("https://h", {}), [&](request::Step step) -> Result<void> {
    const auto& variables = step.request.variables;
    shown.push_back(step.request.method + ' ' + step.request.url);
    for (const request::Variable& one : variables) {
      const std::size_t at = shown.back().find(one.mark);
      if (at != std::string::npos) shown.back().replace(at, one.mark.size(), one.name);
    }
    return {};
  });
  const auto add_to = [&](const std::string& batch) {
    int left = 1;
    return service.add_many(
        [&]() -> std::optional<Addition> {
          if (left-- == 0) return std::nullopt;
          return Addition{.batch = batch, .body = "{}", .done = [](Result<void>, bool) {}};
        },
        nullptr);
  };
  CHECK(add_to("batch_7"));
  const auto created = service.create("name", {});
  REQUIRE(created);
  CHECK(add_to(*created));
  CHECK(service.finish({"batch_7"}));
  // Of what exists nothing is known, and nothing is asked.
  CHECK(service.get("batch_7").value().id == "batch_7");
  CHECK(service.get("batch_7").value().requests == 0);
  CHECK(service.cancel("batch_7"));
  CHECK(service.list({}).value().items.empty());
  CHECK(service.requests("batch_7", {}).value().items.empty());
  CHECK(service.results("batch_7", {}).value().items.empty());
  CHECK(shown == std::vector<std::string>{
                     "POST https://h/v1/batches/batch_7/requests",
                     "POST https://h/v1/batches",
                     "POST https://h/v1/batches/$BATCH_1/requests",
                     "GET https://h/v1/batches/batch_7",
                     "GET https://h/v1/batches/batch_7/results?limit=1000",
                     "GET https://h/v1/batches/$BATCH_1",
                     "GET https://h/v1/batches/$BATCH_1/results?limit=1000",
                 });
}

}  // namespace
}  // namespace svc::batch
