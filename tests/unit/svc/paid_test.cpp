// What costs money: limits, jobs whose IDs must not be lost, keys that expire, uploads.
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "fixture.h"
#include "support/environment_variable.h"
#include "support/mentions.h"
#include "unit/base/temporary_directory.h"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

/// A user's configuration with one profile, "work", of that server.
class Home {
 public:
  explicit Home(const std::string& url, const std::string& settings) {
    std::filesystem::create_directory(m_directory.path() / "svc");
    put(m_directory.file("svc/config.toml"),
        "[profile.work]\nbase_url = \"" + url + "\"\nretries = 0\n" + settings + "\n");
  }
  [[nodiscard]] std::string file(std::string_view name) const { return m_directory.file(name); }

 private:
  TemporaryDirectory m_directory{};
  EnvironmentVariable m_place{"XDG_CONFIG_HOME", m_directory.path()};
};

constexpr const char* k_submitted = "reply 200 application/json {\"request_id\":\"job-1\"}\nnext\n";
const api::CallOptions k_quick{.poll_interval = 1ms};

/// The error of a job that was submitted before.
void check_job(const api::Error& error, api::Fault fault, const std::string& hint) {
  CHECK(error.fault == fault);
  CHECK(error.subject == "job-1");
  CHECK(error.may_have_run);
  CHECK(mentions(error.hint, hint));
}

}  // namespace

TEST_CASE("a limit of costs that the library does not enforce is refused") {
  for (const char* name : {"max_cost", "max_cost_per_day"}) {
    CAPTURE(name);
    const Home home("http://127.0.0.1:9", std::string(name) + " = \"5.00\"");
    const auto client = api::Client::open({.profile = "work"});
    REQUIRE_FALSE(client);
    CHECK(client.error().fault == api::Fault::Usage);
    CHECK(client.error().message ==
          std::string(name) +
              " (profile work) limits costs to 5.00 US dollars, which libsvc does not enforce");
    CHECK(client.error().hint ==
          "Use a profile without limits of costs, or set Options::ignore_cost_limits to go on "
          "without them.");
    CHECK(api::Client::open({.profile = "work", .ignore_cost_limits = true}));
  }
  const Home home("http://127.0.0.1:9", "");
  CHECK(api::Client::open({.profile = "work"}));
}

TEST_CASE("the ID of a job is in the error of whatever ends the waiting for it") {
  const std::string failing = std::string(k_submitted) + "reply 503 text/plain busy\n";
  const std::string video = R"(call("videos wait", {{"request-id", "job-1"}}))";
  {
    ClientWorld world(failing);
    const auto reply =
        world.client.call("videos generate", {{"prompt", "Waves"}, {"wait", "true"}}, k_quick);
    REQUIRE_FALSE(reply);
    check_job(reply.error(), api::Fault::Service, video);
  }
  {
    ClientWorld world(failing);
    const auto made = world.client.video({.prompt = "Waves"}, k_quick);
    REQUIRE_FALSE(made);
    check_job(made.error(), api::Fault::Service, video);
  }
  {
    ClientWorld world(failing);
    const auto made = world.client.images({.prompt = "Waves"}, k_quick);
    REQUIRE_FALSE(made);
    check_job(made.error(), api::Fault::Service,
              R"(call("images wait", {{"request-id", "job-1"}}))");
  }
  {
    ClientWorld world(failing);
    const auto answer =
        world.client.chat({.prompt = "Hello", .flags = {{"deferred", "true"}}}, k_quick);
    REQUIRE_FALSE(answer);
    check_job(answer.error(), api::Fault::Service,
              R"(call("chat deferred", {{"request-id", "job-1"}, {"wait", "true"}}))");
    CHECK(answer.error().hint ==
          "Try again later; --retries N allows more tries. The job job-1 goes on; wait for it with "
          "call(\"chat deferred\", "
          "{{\"request-id\", \"job-1\"}, {\"wait\", \"true\"}}).");
  }
}

TEST_CASE("a job that failed or takes too long is named, too") {
  {
    ClientWorld world(std::string(k_submitted) +
                      R"(reply 200 application/json {"status":"failed","error":{"message":"no"}})");
    const auto made = world.client.video({.prompt = "Waves"}, k_quick);
    REQUIRE_FALSE(made);
    check_job(made.error(), api::Fault::RemoteJob, "");
    CHECK_FALSE(mentions(made.error().hint, "goes on"));
  }
  ClientWorld world(std::string(k_submitted) +
                    "reply 200 application/json {\"status\":\"pending\"}\nloop\n");
  const auto made =
      world.client.video({.prompt = "Waves"}, {.wait_timeout = 10ms, .poll_interval = 1ms});
  REQUIRE_FALSE(made);
  check_job(made.error(), api::Fault::Timeout, "The job job-1 goes on");
  // This waiting costs nothing.
  const auto again = world.client.wait_video("job-1", {.wait_timeout = 1ms, .poll_interval = 1ms});
  REQUIRE_FALSE(again);
  CHECK_FALSE(again.error().may_have_run);
  CHECK(again.error().subject == "job-1");
}

TEST_CASE("cancelling does not lose a job") {
  ClientWorld world(std::string(k_submitted) + "read\nstall\n");
  const api::Cancellation cancellation;
  std::thread other([&] {
    (void)world.server->wait_for_requests(2, 60s);
    cancellation.cancel();
  });
  const auto made =
      world.client.video({.prompt = "Waves"}, {.cancellation = cancellation, .poll_interval = 1ms});
  other.join();
  REQUIRE_FALSE(made);
  check_job(made.error(), api::Fault::Interrupted, "The job job-1 goes on");
}

TEST_CASE("a deferred answer is waited for") {
  ClientWorld world(std::string(k_submitted) + "reply 202\nnext\nreply 200 application/json " +
                    answer_json("Oslo"));
  const auto answer =
      world.client.chat({.prompt = "Hello", .flags = {{"deferred", "true"}}}, k_quick);
  REQUIRE(answer);
  CHECK(answer->text == "Oslo");
}

TEST_CASE("a key that was rejected is asked for again by the next call") {
  ClientWorld world(
      "reply 401 application/json {\"error\":\"expired\"}\nnext\nreply 200 application/json " +
      answer_json("Oslo") + "\nloop\n");
  const Home home(world.server->url(), "");
  put(home.file("svc/config.toml"),
      "[profile.work]\nbase_url = \"" + world.server->url() + "\"\nkey_command = \"echo x >>" +
          home.file("count") + "; echo svc-key-number-$(wc -l <" + home.file("count") + ")\"\n");
  const auto client = api::Client::open({.profile = "work"});
  REQUIRE(client);
  CHECK(client->chat({.prompt = "Hello"}).error().fault == api::Fault::Auth);
  CHECK(client->chat({.prompt = "Hello"}));
  CHECK(client->chat({.prompt = "Hello"}));
  const auto requests = world.server->requests();
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].header("authorization") == "Bearer svc-key-number-1");
  CHECK(requests[1].header("authorization") == "Bearer svc-key-number-2");
  CHECK(requests[2].header("authorization") == "Bearer svc-key-number-2");
}

TEST_CASE("a call that waits for another one's key command can be cancelled") {
  ClientWorld world("reply 200 application/json " + answer_json("Oslo"));
  const Home home(world.server->url(), "");
  const std::string go = home.file("go");
  const std::string runs = home.file("runs");
  put(home.file("svc/config.toml"),
      "[profile.work]\nbase_url = \"" + world.server->url() + "\"\nkey_command = \"touch " + runs +
          "; while ! test -e " + go + "; do sleep 0.01; done; echo svc-key-of-a-command\"\n");
  const auto client = api::Client::open({.profile = "work"});
  REQUIRE(client);
  bool answered = false;
  std::thread first([&] { answered = client->chat({.prompt = "Hello"}).has_value(); });
  while (!std::filesystem::exists(runs)) std::this_thread::sleep_for(1ms);
  const api::Cancellation cancellation;
  cancellation.cancel();
  CHECK(client->chat({.prompt = "Hello"}, {.cancellation = cancellation}).error().fault ==
        api::Fault::Interrupted);
  put(go, "");
  first.join();
  CHECK(answered);
}

TEST_CASE("what on_upload throws ends the call at once") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("large");
  put(path, std::string(24U << 20U, 'a'));
  ClientWorld world("read\nreply 200 application/json {\"id\":\"f\"}\n");
  api::CallOptions options;
  options.on_upload = [](std::uint64_t, std::uint64_t) { throw std::runtime_error("mine"); };
  CHECK_THROWS_WITH_AS((void)world.client.upload(path, {}, options), "mine", std::runtime_error);
  CHECK(world.server->wait_until_closed(60s));
  CHECK(world.server->connections().front().received < (24U << 20U));
}
