// Uploads in chunks: what is sent, and what each description of the service means.
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <stdlib.h>

#include "base/text.h"
#include "call_world.h"
#include "client/resumable_upload.h"
#include "support/environment_variable.h"
#include "temp_directory.h"

using namespace svc;
using namespace svc::test;

namespace {

const std::string k_upload_start = "POST :initialize";
const std::string k_upload_chunk = "POST :uploadChunks";
const std::string k_upload_look = "GET /f1";

using UploadSteps = std::vector<std::string>;

/// A file to upload, a service that answers in order, and what happened.
struct UploadWorld {
  explicit UploadWorld(std::deque<FakeReply> replies, const std::string& content = "abc",
                       bool resumable = true)
      : world(std::move(replies)) {
    world.policy.retries = 0;
    file = {.path = directory.write("a.csv", content).string(),
            .name = "a.csv",
            .content_type = "text/csv",
            .base_url = "https://host",
            .service = "host",
            .resumable = resumable};
  }
  Result<std::string> run() {
    ApiClient client = world.client();
    return upload_in_chunks(
        client, file,
        [this](std::uint64_t sent, std::uint64_t total) { progress.emplace_back(sent, total); },
        [this](const std::string& line) { notes.push_back(line); });
  }
  Error error() {
    auto done = run();
    REQUIRE_FALSE(done);
    return done.error();
  }

  [[nodiscard]] UploadSteps steps() const {
    UploadSteps all;
    const std::string base = "https://host/v1/files";
    for (const http::HttpRequest& request : world.transport.requests) {
      CHECK(request.url.starts_with(base));
      all.push_back(request.method + " " + request.url.substr(base.size()));
    }
    return all;
  }
  [[nodiscard]] std::string body(std::size_t at) const {
    return std::get<std::string>(world.transport.requests.at(at).body);
  }
  /// The saved state of the only interrupted upload.
  [[nodiscard]] std::string journal() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path())) {
      if (entry.path().extension() == ".json") return slurp(entry.path());
    }
    return {};
  }
  /// The saved states of interrupted uploads; as if they had been saved ten seconds ago.
  [[nodiscard]] std::size_t saved() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path())) {
      if (entry.path().extension() != ".json") continue;
      std::filesystem::last_write_time(
          entry.path(), std::filesystem::last_write_time(entry.path()) - std::chrono::seconds(10));
      ++count;
    }
    return count;
  }

  TempDirectory directory{};
  EnvironmentVariable place{"XDG_STATE_HOME", directory.path() / "state"};
  World world;
  ChunkedFile file{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> progress{};
  UploadSteps notes{};
};

FakeReply upload_started() {
  return json_reply(200, R"({"file_id":"f1"})");
}

FakeReply chunk_taken() {
  return json_reply(200, "null");
}

FakeReply described(const std::string& members) {
  return json_reply(200, "{" + members + "}");
}

}  // namespace

TEST_CASE("a small file is one chunk between the start and a look") {
  UploadWorld upload({upload_started(), chunk_taken(), described(R"("id":"f1","bytes":3)")});
  const auto done = upload.run();
  REQUIRE_MESSAGE(done, done.error().message);
  CHECK(*done == R"({"id":"f1","bytes":3})");
  CHECK(upload.steps() == UploadSteps{k_upload_start, k_upload_chunk, k_upload_look});
  CHECK(upload.body(0) == R"({"name":"a.csv","content_type":"text/csv"})");
  CHECK(upload.body(1) == R"({"file_id":"f1","chunk":"YWJj"})");
  CHECK(upload.progress == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 3}, {3, 3}});
  CHECK(upload.notes.empty());
  CHECK(upload.saved() == 0);
}

TEST_CASE("each description of a whole file ends the upload") {
  for (const char* members :
       {R"("bytes":3)", R"("size_bytes":"3")", R"("metadata":{"size_bytes":3,"status":"COMPLETE"})",
        R"("bytes":3,"upload_status":"Uploaded","status":"failed")",
        R"("size_bytes":3,"bytes":4,"status":"processed")", ""}) {
    CAPTURE(members);
    UploadWorld upload({upload_started(), chunk_taken(), described(members)});
    CHECK(upload.run());
    CHECK(upload.steps().size() == 3);
  }
  // One that is not over yet is looked at again.
  UploadWorld slow({upload_started(), chunk_taken(), described(R"("bytes":3,"status":"uploading")"),
                    described(R"("bytes":2,"status":"uploading")"), described(R"("bytes":3)")});
  CHECK(slow.run());
  CHECK(slow.steps() ==
        UploadSteps{k_upload_start, k_upload_chunk, k_upload_look, k_upload_look, k_upload_look});
}

TEST_CASE("a file that failed or is not whole is an error, and is not resumed") {
  UploadWorld failed(
      {upload_started(), chunk_taken(), described(R"("bytes":3,"status":"failed")")});
  const Error error = failed.error();
  CHECK(error.fault == Fault::RemoteJob);
  CHECK(error.message == "the service reports that the upload of f1 failed");
  CHECK(error.hint == "Inspect it with `svc files get`, delete it and upload again.");
  CHECK(failed.saved() == 0);
  for (const char* bytes : {"2", "4"}) {
    UploadWorld wrong({upload_started(), chunk_taken(),
                       described(std::string(R"("status":"complete","bytes":)") + bytes)});
    const Error incomplete = wrong.error();
    CHECK(incomplete.fault == Fault::Network);
    CHECK(incomplete.message == std::string("the service has ") + bytes + " of 3 bytes of f1");
    CHECK(incomplete.hint.starts_with("Delete it with `svc files delete f1` and upload again."));
    CHECK(wrong.saved() == 0);
  }
  UploadWorld nameless({json_reply(200, R"({"file_id":7})")});
  const Error unnamed = nameless.error();
  CHECK(unnamed.message == "the service started the upload without a file ID");
  CHECK(unnamed.hint == "Inspect the response: svc files initialize NAME --content-type TYPE");
  CHECK(nameless.steps() == UploadSteps{k_upload_start});
}

TEST_CASE("after a failure, a look shows whether the chunk arrived") {
  const std::string ok = R"("bytes":3)";
  for (const FakeReply& lost : {refusal(503), refusal(500), failure(Fault::Timeout, false)}) {
    UploadWorld arrived({upload_started(), lost, described(ok), described(ok)});
    CHECK(arrived.run());
    CHECK(arrived.steps() ==
          UploadSteps{k_upload_start, k_upload_chunk, k_upload_look, k_upload_look});
  }
  UploadWorld sound({upload_started(), refusal(499)});
  CHECK(sound.error().http_status == 499);
  CHECK(sound.steps() == UploadSteps{k_upload_start, k_upload_chunk});
  // Before the chunk is sent again, another look: the first copy may have been on its way.
  UploadWorld lost({upload_started(), refusal(503), described(R"("bytes":0)"),
                    described(R"("bytes":0)"), chunk_taken(), described(ok)});
  CHECK(lost.run());
  CHECK(lost.steps() == UploadSteps{k_upload_start, k_upload_chunk, k_upload_look, k_upload_look,
                                    k_upload_chunk, k_upload_look});
  for (const FakeReply& unclear :
       {described(R"("bytes":2)"), described(R"("bytes":0,"status":"complete")"), described(""),
        described(R"("bytes":3,"status":"failed")"), refusal(404), refusal(403)}) {
    UploadWorld upload({upload_started(), refusal(503), unclear});
    const Error error = upload.error();
    CHECK(error.http_status == 503);
    CHECK(mentions(error.hint, "The first 0 B are in f1; rerun the command to resume from there."));
    CHECK(upload.saved() == 1);
  }
  // What a look has shown is saved, so that a later run need not find it out.
  UploadWorld looked({upload_started(), refusal(503), described(ok), refusal(400)});
  CHECK(looked.error().http_status == 400);
  CHECK(looked.journal().find(R"("sending":false,"sent":3,)") != std::string::npos);
  // So is what was taken, also the last of it.
  UploadWorld taken({upload_started(), chunk_taken(), refusal(400)});
  CHECK(taken.error().http_status == 400);
  CHECK(taken.journal().find(R"("sending":false,"sent":3,)") != std::string::npos);
  UploadWorld refused({upload_started(), refusal(400)}, "abc", false);
  CHECK(mentions(refused.error().hint,
                 "The first 0 B are in f1; without a state directory the upload starts again."));
  CHECK(refused.steps() == UploadSteps{k_upload_start, k_upload_chunk});
  CHECK(refused.saved() == 0);
}

TEST_CASE("a chunk is sent four times, and a file that got one twice is uploaded four times") {
  const FakeReply none = described(R"("bytes":0)");
  UploadWorld failing({upload_started(), refusal(503), none, none, refusal(503), none, refusal(503),
                       none, refusal(503), none});
  CHECK(failing.error().http_status == 503);
  CHECK(failing.steps().size() == 9);

  std::deque<FakeReply> replies;
  for (int round = 0; round < 4; ++round) {
    for (const FakeReply& reply : {upload_started(), refusal(503), none, none, chunk_taken(),
                                   described(R"("bytes":6)"), chunk_taken()}) {
      replies.push_back(reply);
    }
  }
  UploadWorld twice(std::move(replies));
  CHECK(twice.error().message == "the service keeps storing a chunk of the file twice");
  const UploadSteps steps = twice.steps();
  REQUIRE(steps.size() == 27);
  CHECK(steps[6] == "DELETE /f1");
  CHECK(steps[7] == k_upload_start);
  CHECK(twice.notes == UploadSteps(3, "a chunk of f1 arrived twice; restarting the upload"));
}

TEST_CASE("a file that changes is not sent further") {
  UploadWorld upload({});
  FakeReply start = upload_started();
  start.before = [&] { (void)upload.directory.write("a.csv", "abcd"); };
  upload.world.transport.add(std::move(start));
  const Error error = upload.error();
  CHECK(error.fault == Fault::Local);
  CHECK(error.message ==
        "'" + upload.file.path + "' changed while it was being sent: it had 3 bytes and now has 4");
  CHECK(error.hint == "Retry when nothing is writing to it.");
  CHECK(upload.steps() == UploadSteps{k_upload_start});
  CHECK(mentions(upload.journal(), R"("file_id":"f1")"));  // it is begun from its start on
  // One of the same size, too, if its time has changed or it has been removed.
  for (const bool removed : {false, true}) {
    CAPTURE(removed);
    UploadWorld same({});
    FakeReply begun = upload_started();
    begun.before = [&] {
      const std::filesystem::path path = same.file.path;
      if (removed) {
        std::filesystem::remove(path);
      } else {
        std::filesystem::last_write_time(
            path, std::filesystem::last_write_time(path) - std::chrono::seconds(10));
      }
    };
    same.world.transport.add(std::move(begun));
    CHECK(same.error().message == "'" + same.file.path +
                                      "' changed while it was being sent: it had 3 bytes and now "
                                      "has 3");
    CHECK(same.steps() == UploadSteps{k_upload_start});
  }
}

TEST_CASE("a file that cannot be read, or is empty") {
  UploadWorld missing({});
  std::filesystem::remove(missing.file.path);
  CHECK(missing.error().message ==
        "cannot read '" + missing.file.path + "': No such file or directory");
  CHECK(missing.steps().empty());
  UploadWorld empty({upload_started(), described(R"("bytes":0)")}, "");
  REQUIRE(empty.run());
  CHECK(empty.steps() == UploadSteps{k_upload_start, k_upload_look});
  CHECK(empty.progress == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 0}});
}

TEST_CASE("a chunk after the first may have arrived, too, whatever its status says") {
  const std::string text(10'000'001, 'x');
  // Two were taken; of the third it is not known, until a look shows that it is not there.
  UploadWorld upload({upload_started(), chunk_taken(), chunk_taken(), refusal(503),
                      described(R"("bytes":10000000,"status":"complete")"), chunk_taken(),
                      described(R"("bytes":10000001)")},
                     text);
  const auto done = upload.run();
  REQUIRE_MESSAGE(done, done.error().message);
  CHECK(upload.steps() == UploadSteps{k_upload_start, k_upload_chunk, k_upload_chunk,
                                      k_upload_chunk, k_upload_look, k_upload_chunk,
                                      k_upload_look});
  CHECK(upload.body(3) == R"({"file_id":"f1","chunk":"eA=="})");
  CHECK(upload.body(5) == upload.body(3));
}

TEST_CASE("a later run sends only what is not there yet") {
  UploadWorld upload({upload_started(), chunk_taken(), refusal(400)}, std::string(5'000'003, 'x'));
  CHECK(mentions(upload.error().hint, "The first 5 MB are in f1; rerun the command"));
  CHECK(upload.saved() == 1);
  upload.progress.clear();
  upload.world.transport.requests.clear();
  for (const FakeReply& reply :
       {described(R"("bytes":5000000)"), chunk_taken(), described(R"("bytes":5000003)")})
    upload.world.transport.add(reply);
  REQUIRE(upload.run());
  CHECK(upload.notes == UploadSteps{"resuming f1 after the first 5 MB"});
  CHECK(upload.steps() == UploadSteps{k_upload_look, k_upload_chunk, k_upload_look});
  CHECK(upload.body(1) == R"({"file_id":"f1","chunk":"eHh4"})");
  CHECK(upload.progress == std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                               {5'000'000, 5'000'003}, {5'000'003, 5'000'003}});
  CHECK(upload.saved() == 0);
}

TEST_CASE("without a size, what was confirmed is there, and a chunk that was not may be") {
  for (const bool sending : {false, true}) {
    CAPTURE(sending);
    UploadWorld upload({upload_started(), refusal(400)});
    (void)upload.error();
    const std::string state = upload.journal();
    CHECK(mentions(state, R"("sending":true)"));
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(upload.directory.path())) {
      if (entry.path().extension() != ".json") continue;
      std::ofstream(entry.path()) << replace_all(state, "true", sending ? "true" : "false");
    }
    CHECK(upload.saved() == 1);
    upload.world.transport.requests.clear();
    upload.world.transport.add(described(R"("id":"f1")"));
    if (sending) upload.world.transport.add(json_reply(200, "{}"));
    if (sending) upload.world.transport.add(upload_started());
    upload.world.transport.add(chunk_taken());
    upload.world.transport.add(described(R"("bytes":3)"));
    REQUIRE(upload.run());
    const UploadSteps again = {k_upload_look, "DELETE /f1", k_upload_start, k_upload_chunk,
                               k_upload_look};
    CHECK(upload.steps() ==
          (sending ? again : UploadSteps{k_upload_look, k_upload_chunk, k_upload_look}));
    CHECK(upload.notes == UploadSteps{sending
                                          ? "unknown how much of f1 arrived; restarting the upload"
                                          : "resuming f1 after the first 0 B"});
  }
}

TEST_CASE("a chunk that was in flight a moment ago may still arrive, so a later run waits") {
  for (const bool waits : {true, false}) {
    CAPTURE(waits);
    UploadWorld upload({upload_started(), refusal(400)});
    (void)upload.error();
    upload.world.transport.requests.clear();
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(upload.directory.path())) {
      if (entry.path().extension() != ".json") continue;
      const auto age = waits ? std::chrono::seconds(-3600) : std::chrono::seconds(3600);
      std::filesystem::last_write_time(entry.path(),
                                       std::filesystem::file_time_type::clock::now() - age);
    }
    upload.world.cancel.cancel();
    CHECK(upload.error().fault == Fault::Interrupted);
    CHECK(upload.steps().size() == (waits ? 0 : 1));
  }
}

TEST_CASE("what an upload will send is shown before, also of one that has begun") {
  UploadWorld upload({upload_started(), chunk_taken(), refusal(400)}, std::string(5'000'003, 'x'));
  std::vector<request::Step> steps;
  const auto plan = [&] {
    steps.clear();
    REQUIRE(plan_upload(upload.file, "FILE", [&](request::Step step) {
      steps.push_back(std::move(step));
      return Result<void>();
    }));
    UploadSteps purposes;
    for (const request::Step& step : steps) purposes.push_back(step.purpose);
    return purposes;
  };
  CHECK(plan() == UploadSteps{"Start the upload of a.csv.", "Upload chunk 1 of 2.",
                              "Upload chunk 2 of 2.", ""});
  CHECK(steps[0].request.url.ends_with(":initialize"));
  REQUIRE(steps[0].result);
  CHECK(steps[0].result->variable == "FILE");
  CHECK(steps[0].result->path == ".file_id // .id");
  CHECK(steps[0].request.variables.empty());
  for (std::size_t i = 1; i < steps.size(); ++i) {
    CHECK(steps[i].condition.empty());
    CHECK_FALSE(steps[i].result);
    REQUIRE(steps[i].request.variables.size() == 1);
  }
  const std::string id = steps[1].request.variables[0].mark;
  CHECK(std::get<std::string>(steps[2].request.body) ==
        R"({"file_id":")" + id + R"(","chunk":"eHh4"})");
  CHECK(steps[3].request.url.ends_with("/" + id));
  CHECK(steps[3].repeats == "until the file is complete");

  (void)upload.error();
  CHECK(plan() == UploadSteps{"See how much of a.csv has arrived; if that is unclear, it is "
                              "deleted and the upload starts again.",
                              "Upload chunk 2 of 2.", ""});
  CHECK(steps[0].request.url.ends_with("/f1"));
  CHECK(steps[0].request.method == "GET");
  CHECK(steps[1].condition == "unless it has arrived");
  CHECK(std::get<std::string>(steps[1].request.body) == R"({"file_id":"f1","chunk":"eHh4"})");
  for (const request::Step& step : steps) CHECK(step.request.variables.empty());
  // A whole number of chunks has no empty one after it.
  UploadWorld even({}, std::string(5'000'000, 'x'));
  steps.clear();
  upload.file = even.file;
  CHECK(plan().size() == 3);
  const UploadWorld more({}, std::string(5'000'001, 'x'));
  upload.file = more.file;
  CHECK(plan().size() == 4);
}

TEST_CASE("a later run starts again if it is not clear what is there") {
  UploadWorld upload({upload_started(), refusal(400)});
  (void)upload.error();
  CHECK(upload.saved() == 1);
  upload.world.transport.requests.clear();
  for (const FakeReply& reply : {described(R"("bytes":1)"), chunk_taken(), upload_started(),
                                 chunk_taken(), described(R"("bytes":3)")}) {
    upload.world.transport.add(reply);
  }
  REQUIRE(upload.run());
  CHECK(upload.notes == UploadSteps{"unknown how much of f1 arrived; restarting the upload"});
  CHECK(upload.steps() ==
        UploadSteps{k_upload_look, "DELETE /f1", k_upload_start, k_upload_chunk, k_upload_look});
}
