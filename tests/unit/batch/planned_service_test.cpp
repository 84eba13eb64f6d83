#include "batch/planned_service.h"

#include <doctest/doctest.h>

#include "unit/client/temp_directory.h"

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

TEST_CASE("a plan names what it creates, and the batches of files by their files") {
  std::vector<request::Step> steps;
  PlannedService service(ServiceRequests("https://h", {}), [&](request::Step step) -> Result<void> {
    steps.push_back(std::move(step));
    return {};
  });
  const test::TempDirectory directory;
  for (const char* text : {"one\n", "two\n"}) {
    const auto file = service.upload(directory.write("in.jsonl", text).string(), 4);
    REQUIRE(file);
    REQUIRE(service.create("name", *file));
  }
  REQUIRE(service.finish({}));
  REQUIRE(steps.size() == 8);
  for (const std::size_t at : {0U, 2U}) {
    const std::string number = std::to_string(at / 2 + 1);
    CAPTURE(number);
    CHECK(steps[at].request.url == "https://h/v1/files");
    REQUIRE(steps[at].result);
    CHECK(steps[at].result->variable == "FILE_" + number);
    CHECK(steps[at].result->path == ".id // .file_id");
    CHECK(steps[at].repeats.empty());
    const auto& parts = std::get<std::vector<svc::Part>>(steps[at].request.body);
    REQUIRE(parts.size() == 1);
    CHECK(std::get<std::string>(parts[0].content) == (at == 0 ? "one\n" : "two\n"));
    const request::Step& created = steps[at + 1];
    CHECK(created.request.url == "https://h/v1/batches");
    REQUIRE(created.result);
    CHECK(created.result->variable == "BATCH_" + number);
    CHECK(created.result->path == ".batch_id // .id");
    REQUIRE(created.request.variables.size() == 1);
    CHECK(created.request.variables[0].name == "$FILE_" + number);
    const request::Step& looked = steps[4 + at];
    CHECK(looked.repeats == "until the batch is done");
    CHECK_FALSE(looked.result);
    REQUIRE(looked.request.variables.size() == 1);
    CHECK(looked.request.variables[0].name == "$BATCH_" + number);
    CHECK(steps[5 + at].repeats == "with the pagination_token of each answer until the list ends");
  }
  // More than the file may have is not read.
  CHECK_FALSE(service.upload(directory.write("in.jsonl", "three\n").string(), 4));
}

}  // namespace
}  // namespace svc::batch
