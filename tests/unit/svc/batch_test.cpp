// The files of a batch.
#include "batch/journal.h"
#include "fixture.h"
#include "support/mentions.h"
#include "unit/base/temporary_directory.h"

using namespace svc;
using namespace svc::test;

namespace {

api::Result<api::BatchReport> run(const std::string& journal, const std::string& prompt) {
  const auto client = *api::Client::open(
      {.base_url = "http://127.0.0.1:9", .api_key = "svc-a-key-of-tests", .retries = 0});
  return client.run_batch({.journal = journal, .items = {{.id = "1", .prompt = prompt}}}, {});
}

}  // namespace

TEST_CASE("the items of a batch are private, and follow its journal") {
  const TemporaryDirectory directory;
  const std::string journal = directory.file("run");
  CHECK(run(journal, "Hello").error().fault == api::Fault::Network);
  CHECK(mode_of(journal + ".items") == 0600);
  CHECK(mentions(get(journal + ".items"), "Hello"));
  // Nothing was sent, so that it may change.
  CHECK(run(journal, "Goodbye").error().fault == api::Fault::Network);
  CHECK(mentions(get(journal + ".items"), "Goodbye"));
}

TEST_CASE("a file that is not of the batch is left alone") {
  const TemporaryDirectory directory;
  const std::string journal = directory.file("run");
  put(journal + ".items", "theirs");
  const auto refused = run(journal, "Hello");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == api::Fault::Local);
  CHECK(mentions(refused.error().message, "run.items"));
  CHECK(get(journal + ".items") == "theirs");
  CHECK(directory.names().size() == 1);
}

TEST_CASE("the items of a run that is under way are left alone") {
  const TemporaryDirectory directory;
  const std::string journal = directory.file("run");
  const auto other = batch::Journal::open(journal);
  REQUIRE(other);
  put(journal + ".items", "theirs");
  const auto refused = run(journal, "Hello");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == api::Fault::Local);
  CHECK(get(journal + ".items") == "theirs");
}

TEST_CASE("items that are refused leave no files") {
  const TemporaryDirectory directory;
  CHECK_FALSE(run(directory.file("run"), ""));
  CHECK_FALSE(run("", "Hello"));
  CHECK(directory.names().empty());
}
