// Canceling, and the output of -v.
#include <atomic>
#include <thread>

#include <sys/eventfd.h>
#include <unistd.h>

#include "unit/http/transport_fixture.h"

namespace svc::http {
namespace {

class TestToken final : public CancelToken {
 public:
  explicit TestToken(bool wakes) : m_fd(wakes ? eventfd(0, EFD_CLOEXEC) : -1) {}
  TestToken(const TestToken&) = delete;
  TestToken& operator=(const TestToken&) = delete;
  ~TestToken() override {
    if (m_fd >= 0) close(m_fd);
  }
  void cancel(Fault fault) {
    m_fault = static_cast<int>(fault);
    const std::uint64_t one = 1;
    if (m_fd >= 0) CHECK(write(m_fd, &one, sizeof one) == sizeof one);
  }
  std::optional<Fault> requested() const noexcept override {
    const int fault = m_fault;
    return fault == 0 ? std::nullopt : std::optional(static_cast<Fault>(fault));
  }
  int wake_fd() const noexcept override { return m_fd; }

 private:
  int m_fd;
  std::atomic<int> m_fault = 0;
};

/// An idle wait must end within this time.
constexpr auto k_promptly = 150ms;

}  // namespace

TEST_CASE("canceling ends a call at any point, at once") {
  struct Case {
    const char* script;
    bool black_hole;
    bool sent;
    bool answered;
  };
  for (const Case& each :
       {Case{"hang", false, true, false}, Case{"events\nevent a\nhang", false, true, true},
        Case{"hang", true, false, false}}) {
    for (const bool wakes : {true, false}) {
      CAPTURE(each.script);
      const auto server = serve(each.script, {.black_hole = each.black_hole});
      TestToken cancel(wakes);
      std::chrono::steady_clock::time_point asked;
      const std::jthread asker([&] {  // "asker": joined at the end of this round
        std::this_thread::sleep_for(100ms);
        asked = std::chrono::steady_clock::now();
        cancel.cancel(Fault::Interrupted);
      });
      Collect collect;
      const Outcome outcome =
          make_curl_transport({})->perform(request_to(*server), collect, cancel);
      CHECK(std::chrono::steady_clock::now() - asked < k_promptly);
      REQUIRE(outcome.error);
      CHECK(outcome.error->fault == Fault::Interrupted);
      CHECK(outcome.sent == each.sent);
      CHECK(outcome.answered == each.answered);
      if (!each.black_hole) CHECK(server->wait_until_closed(1s));
    }
  }
}

TEST_CASE("a call that is already canceled sends nothing") {
  const auto server = serve("reply 200\nloop");
  TestToken cancel(true);
  cancel.cancel(Fault::Terminated);
  Collect collect;
  const Outcome outcome = make_curl_transport({})->perform(request_to(*server), collect, cancel);
  REQUIRE(outcome.error);
  CHECK(outcome.error->fault == Fault::Terminated);
  CHECK_FALSE(outcome.sent);
  CHECK(server->requests().empty());
}

TEST_CASE("canceling ends all calls in flight, and waiting ones") {
  const auto server = serve("hang\nconnection\nhang\nconnection\nhang");
  TestToken cancel(true);
  const auto transport = make_curl_transport({});
  std::vector<std::unique_ptr<Collect>> receivers;
  int ended = 0;
  for (int i = 0; i < 3; ++i) {
    receivers.push_back(std::make_unique<Collect>());
    transport->start(request_to(*server), *receivers.back(), [&](const Outcome& outcome) {
      REQUIRE(outcome.error);
      CHECK(outcome.error->fault == Fault::Interrupted);
      ++ended;
    });
  }
  const std::jthread asker([&] {  // "asker": joined at the end of the test
    std::this_thread::sleep_for(100ms);
    cancel.cancel(Fault::Interrupted);
  });
  transport->run(cancel);
  CHECK(ended == 3);
}

TEST_CASE(
    "row 88: the trace shows the call without secrets, and without lines forged by the server") {
  const auto server = serve(
      "header X-Evil: a\\x1b[2Jb\\xe2\\x80\\xae\nheader Set-Cookie: session=svc-cookie\nheader "
      "x-request-id: "
      "r-1\nreply 200 text/plain ok");
  HttpRequest request = request_to(*server, "POST", "/v1/x");
  request.bearer = "svc-the-key";
  request.headers = {{"Cookie", "a=svc-cookie"}, {"X-Other", "see svc-the-key"}};
  request.body = std::string("{\"secret body\":1}");
  std::vector<std::string> lines;
  const Answered got =
      ask(request, {.trace = [&](std::string_view line) { lines.emplace_back(line); }});
  CHECK_FALSE(got.outcome.error);
  std::string all;
  for (const std::string& line : lines) {
    CHECK((line.starts_with("* ") || line.starts_with("> ") || line.starts_with("< ")));
    CHECK(line.find('\n') == std::string::npos);
    CHECK(line.find('\r') == std::string::npos);
    CHECK(line.find('\x1b') == std::string::npos);
    all += line + "\n";
  }
  CAPTURE(all);
  const auto has = [&](std::string_view part) { return all.find(part) != std::string::npos; };
  CHECK(has("> POST /v1/x HTTP/1.1\n"));
  CHECK(has("> Authorization: ***\n"));
  CHECK(has("> Cookie: ***\n"));
  CHECK(has("> X-Other: see ***\n"));
  CHECK(has("< HTTP/1.1 200 OK\n"));
  CHECK(has("< x-request-id: r-1\n"));
  CHECK(has("< Set-Cookie: ***\n"));
  CHECK(has("< X-Evil: a^[[2Jb\\u{202e}\n"));
  CHECK_FALSE(has("svc-the-key"));
  CHECK_FALSE(has("svc-cookie"));
  CHECK_FALSE(has("secret body"));
}

TEST_CASE("the trace of an HTTP/2 call shows no key either") {
  const auto server = serve(
      "read h2\nsend "
      "\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04\\x01\\x00\\x00\\x00\\x00"
      "\\x00\\x00\\x01\\x01\\x05\\x00\\x00\\x00\\x01\\x88\nhang",
      {.tls = test::Tls::Good, .h2 = true});
  HttpRequest request = request_to(*server);
  request.bearer = "svc-the-key";
  request.headers = {{"Cookie", "a=svc-cookie"}};
  std::string all;
  const Answered got = ask(request, {.ca_file = server->ca_file(),
                                     .trace = [&](std::string_view line) { all += line; }});
  CHECK_FALSE(got.outcome.error);
  CHECK(all.find("authorization") != std::string::npos);
  CHECK(all.find("svc-the-key") == std::string::npos);
  CHECK(all.find("svc-cookie") == std::string::npos);
}

}  // namespace svc::http
