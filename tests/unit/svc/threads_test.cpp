// Eight threads use one client.
#include <atomic>
#include <thread>
#include <vector>

#include "fixture.h"

using namespace svc::test;

TEST_CASE("eight threads use one client at once") {
  ClientWorld world("reply 200 application/json " + answer_json("Oslo") + "\nloop\n");
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const api::Client own = world.client;
      for (int call = 0; call < 10; ++call) {
        if ((i + call) % 3 == 0) {
          good += own.call("chat", {{"prompt", "Hello"}}) ? 1 : 0;
        } else if ((i + call) % 3 == 1) {
          good += own.call("chat", {{"promt", "Hello"}}) ? 0 : 1;
        } else {
          const auto answer = own.chat({.prompt = "Hello"});
          good += answer && answer->text == "Oslo" ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 80);
}

TEST_CASE("one cancellation ends the calls of eight threads") {
  ClientWorld world("read\nstall\nloop\n");
  const api::Cancellation cancellation;
  std::atomic<int> interrupted = 0;
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto answer = world.client.chat({.prompt = "Hello"}, {.cancellation = cancellation});
      interrupted += !answer && answer.error().fault == api::Fault::Interrupted ? 1 : 0;
    });
  }
  CHECK(world.server->wait_for_requests(8, std::chrono::seconds(60)));
  cancellation.cancel();
  for (std::thread& thread : threads) thread.join();
  CHECK(interrupted == 8);
}
