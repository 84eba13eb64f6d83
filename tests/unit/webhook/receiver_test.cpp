// The receiver with slow, hostile and many senders (fault row 92).
#include "webhook/receiver.h"

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"

using namespace svc;
using namespace svc::webhook;

namespace {

/// A receiver that runs while this exists, and gives this reply to accepted deliveries.
class Served {
 public:
  explicit Served(ReceiverOptions options = {}, HttpReply reply = {})
      : m_receiver(opened(std::move(options))) {
    m_thread = std::thread([this, reply] {
      (void)m_receiver.serve(m_cancel, [this, &reply](HttpRequest& request) {
        m_got.push_back(std::move(request));
        return reply;
      });
    });
  }
  ~Served() { end(); }

  void cancel() { m_cancel.cancel(); }
  void end() {
    cancel();
    if (m_thread.joinable()) m_thread.join();
  }

  /// Returns the deliveries; stops the receiver.
  const std::vector<HttpRequest>& got() {
    end();
    return m_got;
  }
  [[nodiscard]] const WebhookServer& receiver() const { return m_receiver; }

  [[nodiscard]] FileDescriptor connect() const {
    FileDescriptor fd = try_connect();
    REQUIRE(fd.is_open());
    return fd;
  }

  /// Not open if the connection is refused.
  [[nodiscard]] FileDescriptor try_connect() const {
    FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(m_receiver.port());
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    const bool made =
        ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    return made ? std::move(fd) : FileDescriptor();
  }

  /// The status of the response to these bytes; 0 if the connection ends without one.
  [[nodiscard]] int ask(const std::string& bytes) const {
    const FileDescriptor fd = connect();
    send_all(fd, bytes);
    return status(fd);
  }

  static bool send_all(const FileDescriptor& fd, const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count =
          ::send(fd.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  static std::string read_all(const FileDescriptor& fd) {
    std::string all;
    std::array<char, 4096> buffer{};
    pollfd wait{fd.get(), POLLIN, 0};
    while (::poll(&wait, 1, 10'000) > 0) {
      const ssize_t count = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
      if (count <= 0) break;
      all.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return all;
  }

  static int status(const FileDescriptor& fd) {
    const std::string answer = read_all(fd);
    return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
  }

 private:
  static WebhookServer opened(ReceiverOptions options) {
    auto made = WebhookServer::open(std::move(options));
    REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
    return *std::move(made);
  }

  WebhookServer m_receiver;
  CancelSource m_cancel{};
  std::vector<HttpRequest> m_got{};  // owned by the thread until it is joined
  std::thread m_thread{};            // receiver; end() stops it
};

/// Whether this becomes true before half a minute has passed.
template <typename Condition>
bool in_time(const Condition& condition) {
  for (int tries = 0; tries < 1'500; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

std::string post(const std::string& body, const std::string& headers = {},
                 const std::string& path = "/") {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

TEST_CASE("a delivery arrives unchanged") {
  Served served;
  const std::string headers =
      "Authorization: Bearer t\r\nWebhook-Id: evt_1\r\nwebhook-timestamp: "
      "1750000000\r\nWEBHOOK-SIGNATURE: v1,a v1,b\r\n"
      "webhook-signature: v1,c\r\n";
  CHECK(served.ask(post("{\"a\": 1}\n", headers, "/?from=x")) == 204);
  // In chunks, as some senders do.
  CHECK(served.ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "3\r\n{\"a\r\n5\r\n\": 2}\r\n0\r\n\r\n") == 204);
  const auto& got = served.got();
  REQUIRE(got.size() == 2);
  CHECK(got[0].method == "POST");
  CHECK(got[0].path == "/");
  CHECK(got[0].id == "evt_1");
  CHECK(got[0].timestamp == "1750000000");
  CHECK(got[0].signature == "v1,a v1,b v1,c");
  CHECK(got[0].authorization == "Bearer t");
  CHECK(got[0].body == "{\"a\": 1}\n");
  CHECK(got[1].body == "{\"a\": 2}");
}

TEST_CASE("byte by byte gives the same result") {
  Served served;
  const FileDescriptor fd = served.connect();
  for (const char c : post("{}", "webhook-id: evt_2\r\n")) {
    REQUIRE(Served::send_all(fd, std::string(1, c)));
  }
  CHECK(Served::status(fd) == 204);
  REQUIRE(served.got().size() == 1);
  CHECK(served.got()[0].id == "evt_2");
}

TEST_CASE("a sender that expects 100 Continue gets it") {
  Served served;
  const FileDescriptor fd = served.connect();
  Served::send_all(fd,
                   "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                   "Content-Length: 2\r\n\r\n");
  std::array<char, 64> buffer{};
  const ssize_t count = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
  REQUIRE(count > 0);
  CHECK(std::string(buffer.data(), static_cast<std::size_t>(count)) ==
        "HTTP/1.1 100 Continue\r\n\r\n");
  Served::send_all(fd, "{}");
  CHECK(Served::status(fd) == 204);
}

TEST_CASE("unwanted requests get the right status") {
  Served served({.path = "/calls"});
  CHECK(served.ask(post("{}")) == 404);
  CHECK(served.ask(post("{}", {}, "/calls/x")) == 404);
  CHECK(served.ask("GET /calls HTTP/1.1\r\nHost: x\r\n\r\n") == 405);
  CHECK(served.ask("garbage\r\n\r\n") == 400);
  CHECK(served.ask(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15)) == 400);
  CHECK(served.ask("POST /calls HTTP/1.1\r\nBad Header: x\r\n\r\n") == 400);
  CHECK(served.ask("POST /calls HTTP/1.1\r\nContent-Length: -5\r\n\r\n") == 400);
  CHECK(served.ask("POST /calls HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}") ==
        400);
  CHECK(served.ask("POST /calls HTTP/3.7\r\nHost: x\r\n\r\n") == 505);
  CHECK(served.ask("POST /calls HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n") == 431);
  CHECK(served.ask("POST /calls HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n") == 400);
  CHECK(served.got().empty());
}

TEST_CASE("the head of an answer") {
  ReceiverOptions options{.path = "/calls"};
  Served served(std::move(options));
  const auto head = [&](const std::string& bytes) {
    const FileDescriptor fd = served.connect();
    Served::send_all(fd, bytes);
    const std::string all = Served::read_all(fd);
    return all.substr(0, all.find("Content-"));
  };
  const std::string close = "\r\nConnection: close\r\n";
  const std::string line = "POST /calls HTTP/1.1\r\n";
  CHECK(head(post("{}", {}, "/calls")) == "HTTP/1.1 204 No Content" + close + "\r\n");
  CHECK(head("garbage\r\n\r\n") == "HTTP/1.1 400 Bad Request" + close);
  CHECK(head(post("{}")) == "HTTP/1.1 404 Not Found" + close);
  CHECK(head("GET /calls HTTP/1.1\r\n\r\n") ==
        "HTTP/1.1 405 Method Not Allowed" + close + "Allow: POST\r\n");
  CHECK(head(line + "Content-Length: 9999999\r\n\r\n") == "HTTP/1.1 413 Content Too Large" + close);
  CHECK(head(line + "X: " + std::string(20'000, 'x') + "\r\n\r\n") ==
        "HTTP/1.1 431 Request Header Fields Too Large" + close);
  CHECK(head("POST /calls HTTP/3.7\r\n\r\n") == "HTTP/1.1 505 HTTP Version Not Supported" + close);
}

TEST_CASE("the whole of an answer, with or without a reason") {
  const auto answer = [](HttpReply reply) {
    const Served served({}, std::move(reply));
    const FileDescriptor fd = served.connect();
    Served::send_all(fd, post("{}"));
    return Served::read_all(fd);
  };
  const std::string close = "\r\nConnection: close\r\n";
  const std::string none = "Content-Length: 0\r\n\r\n";
  const auto text = [](const std::string& size) {
    return "Content-Type: text/plain; charset=utf-8\r\nContent-Length: " + size + "\r\n\r\n";
  };
  CHECK(answer({200}) == "HTTP/1.1 200 OK" + close + none);
  CHECK(answer({202, "later"}) == "HTTP/1.1 202 OK" + close + text("6") + "later\n");
  CHECK(answer({299}) == "HTTP/1.1 299 OK" + close + none);
  CHECK(answer({300}) == "HTTP/1.1 300 Bad Request" + close + none);
  CHECK(answer({401, "no"}) == "HTTP/1.1 401 Unauthorized" + close + text("3") + "no\n");
  CHECK(answer({408}) == "HTTP/1.1 408 Request Timeout" + close + none);
  CHECK(answer({422}) == "HTTP/1.1 422 Bad Request" + close + none);
  CHECK(answer({503}) == "HTTP/1.1 503 Service Unavailable" + close + "Retry-After: 5\r\n" + none);
}

TEST_CASE("of more connections than are allowed, the oldest is closed") {
  const Served served({.max_connections = 2});
  const FileDescriptor first = served.connect();
  Served::send_all(first, "POST / HTTP/1.1\r\n");
  const FileDescriptor second = served.connect();
  // Once a third one is accepted, nothing more is read from the first.
  CHECK(served.ask(post("{}")) == 204);
  CHECK(Served::status(first) == 0);
  Served::send_all(second, post("{}"));
  CHECK(Served::status(second) == 204);
}

TEST_CASE("a receiver ends at once, whoever is connected") {
  Served served;
  const FileDescriptor silent = served.connect();
  const FileDescriptor half = served.connect();
  Served::send_all(half, "POST / HTTP/1.1\r\n");
  CHECK(served.ask(post("{}")) == 204);
  const auto begin = std::chrono::steady_clock::now();
  served.end();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(800));
}

TEST_CASE("a receiver that ends accepts nobody, and leaves a sender a second for its answer") {
  Served served;
  const FileDescriptor sender = served.connect();
  const auto begin = std::chrono::steady_clock::now();
  Served::send_all(sender, post("{}"));
  CHECK(Served::status(sender) == 204);  // and has not closed its side
  served.cancel();
  CHECK(in_time([&] { return !served.try_connect().is_open(); }));
  served.end();
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(950));
}

TEST_CASE("a sender that stays after its answer, or does not read it, is not waited for") {
  const HttpReply large{200, std::string(16'000'000, 'x')};
  for (const HttpReply& reply : {HttpReply{}, large}) {
    CAPTURE(reply.status);
    const Served served({.read_time = std::chrono::hours(1), .write_time = std::chrono::seconds(1)},
                        reply);
    const FileDescriptor sender = served.connect();
    Served::send_all(sender, post("{}"));
    CHECK(in_time([&] { return !Served::send_all(sender, "x"); }));
  }
}

TEST_CASE("an answer of any length arrives whole") {
  const std::string reason(16'000'000, 'x');
  const Served served({.write_time = std::chrono::hours(1)}, {200, reason});
  const FileDescriptor fd = served.connect();
  Served::send_all(fd, post("{}"));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(Served::read_all(fd).ends_with("\r\n\r\n" + reason + "\n"));
}

TEST_CASE("every rejection is reported, and answered with its reason") {
  std::vector<std::string> told;  // owned by the thread until it is joined
  ReceiverOptions options{.path = "/calls", .read_time = std::chrono::milliseconds(200)};
  options.refused = [&](const HttpReply& answer) {
    told.push_back(std::to_string(answer.status) + " " + answer.reason);
  };
  Served served(std::move(options));
  const auto reply = [&](const std::string& bytes) {
    const FileDescriptor fd = served.connect();
    Served::send_all(fd, bytes);
    const std::string all = Served::read_all(fd);
    return all.substr(all.find("\r\n\r\n") + 4);
  };
  CHECK(reply(post("{}", {}, "/e%1b\xe2\x80\xae")) == "its path is /e%1b\\u{202e}, not /calls\n");
  CHECK(reply("GET /calls HTTP/1.1\r\nHost: x\r\n\r\n") == "its method is GET, not POST\n");
  CHECK(
      reply("POST /calls HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n").find("its body is larger") ==
      0);
  CHECK(reply("POST /calls HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n") ==
        "its body is larger than 1 MB\n");
  CHECK(reply("POST /calls HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n") ==
        "its headers are larger than 16.4 kB\n");
  CHECK(reply("POST /calls HTTP/3.7\r\n\r\n") == "its HTTP version is not 1.0 or 1.1\n");
  CHECK(reply("garbage\r\n\r\n") == "it is not a complete HTTP request\n");
  CHECK(reply("POST /calls HTTP/1.1\r\nHost:") == "it was not complete after 200 ms\n");
  (void)served.connect();
  served.end();
  REQUIRE(told.size() == 8);
  CHECK(told[0].starts_with("404 its path"));
  CHECK(told[1].starts_with("405 its method"));
  CHECK(told[2].starts_with("413 its body"));
  CHECK(told[3].starts_with("413 its body"));
  CHECK(told[4].starts_with("431 its headers"));
  CHECK(told[5].starts_with("505 its HTTP version"));
  CHECK(told[6].starts_with("400 it is not"));
  CHECK(told[7].starts_with("408 it was not complete"));
}

TEST_CASE("a body that is too long is rejected by its declared length, or at the limit") {
  Served served;
  CHECK(served.ask("POST / HTTP/1.1\r\nContent-Length: 1073741824\r\n\r\n") == 413);
  CHECK(served.ask("POST / HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n") == 400);
  CHECK(served.ask(post(std::string(1'000'000, 'x'))) == 204);
  CHECK(served.ask(post(std::string(1'000'001, 'x'))) == 413);
  const std::string chunk = "8000\r\n" + std::string(0x8000, 'x') + "\r\n";
  const FileDescriptor fd = served.connect();
  Served::send_all(fd, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 40; ++i) Served::send_all(fd, chunk);
  CHECK(Served::status(fd) == 413);
  CHECK(served.got().size() == 1);
}

TEST_CASE("a slow sender times out, and blocks nobody") {
  Served served({.read_time = std::chrono::milliseconds(300)});
  const FileDescriptor slow = served.connect();
  Served::send_all(slow, "POST / HTTP/1.1\r\nHost:");
  const FileDescriptor silent = served.connect();
  CHECK(served.ask(post("{}")) == 204);
  CHECK(Served::status(slow) == 408);
  CHECK(Served::status(silent) == 408);
}

TEST_CASE("a sender that disconnects halfway leaves nothing behind") {
  Served served;
  {
    const FileDescriptor gone = served.connect();
    Served::send_all(gone, "POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n{");
  }
  const FileDescriptor half = served.connect();
  Served::send_all(half, "POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n{");
  ::shutdown(half.get(), SHUT_WR);
  CHECK(Served::status(half) == 400);
  CHECK(served.ask(post("{}")) == 204);
  CHECK(served.got().size() == 1);
}

TEST_CASE("a thousand silent connections leave room for others") {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  if (limit.rlim_max < 4'096) return;
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, 4'096);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  Served served({.max_connections = 800});
  std::vector<FileDescriptor> idle;
  for (int i = 0; i < 1'000; ++i) {
    idle.push_back(served.connect());
    if (i % 4 == 0) Served::send_all(idle.back(), "POST / HTTP/1.1\r\n");
  }
  CHECK(served.ask(post("{}")) == 204);
  CHECK(served.got().size() == 1);
}

TEST_CASE("without a free descriptor the oldest connection gives way to a new one") {
  Served served;
  const FileDescriptor idle = served.connect();
  CHECK(served.ask(post("{}")) == 204);
  const FileDescriptor late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  std::this_thread::sleep_for(
      std::chrono::milliseconds(100));  // the first request's connection is closed by then
  std::vector<FileDescriptor> rest;
  do {
    rest.emplace_back(::dup(late.get()));
  } while (rest.back().get() < 100);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(rest.back().get()) + 1;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(served.receiver().port());
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int connected =
      ::connect(late.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place);
  if (connected == 0) Served::send_all(late, post("{}"));
  const int status = connected == 0 ? Served::status(late) : 0;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(status == 204);
}

TEST_CASE("the total memory of all requests is bounded") {
  Served served({.max_memory = 3'500'000});
  std::vector<FileDescriptor> greedy;
  const std::string most = post(std::string(900'000, 'x')).substr(0, 800'000);
  for (int i = 0; i < 8; ++i) {
    greedy.push_back(served.connect());
    Served::send_all(greedy.back(), most);
  }
  int refused = 0;
  std::vector<bool> seen(greedy.size());
  for (int tries = 0; refused < 4 && tries < 100; ++tries) {
    for (std::size_t i = 0; i < greedy.size(); ++i) {
      pollfd look{greedy[i].get(), POLLIN, 0};
      if (seen[i] || ::poll(&look, 1, 10) <= 0) continue;
      seen[i] = true;
      const std::string told = Served::read_all(greedy[i]);
      CHECK((told.empty() || told.ends_with("\r\n\r\ntoo many large deliveries arrive at once\n")));
      refused += told.starts_with("HTTP/1.1 503 ") ? 1 : 0;
    }
  }
  CHECK(refused >= 4);
  CHECK(served.ask(post("{}")) == 204);
}

TEST_CASE("listens only on the loopback interface, and reports a port in use") {
  Served served;
  CHECK(served.receiver().url() ==
        "http://127.0.0.1:" + std::to_string(served.receiver().port()) + "/");
  const auto taken = WebhookServer::open({.port = served.receiver().port()});
  REQUIRE_FALSE(taken.has_value());
  CHECK(taken.error().fault == Fault::Local);
  CHECK(taken.error().hint.find("--port") != std::string::npos);
  CHECK(taken.error().message.starts_with("cannot listen on 127.0.0.1 port " +
                                          std::to_string(served.receiver().port())));
  CHECK(taken.error().hint == "Choose another --port, or 0 for any free port.");
  const auto foreign = WebhookServer::open({.address = "192.0.2.1"});
  REQUIRE_FALSE(foreign.has_value());
  CHECK(foreign.error().hint.find("--port") == std::string::npos);
  const auto name = WebhookServer::open({.address = "x"});
  REQUIRE_FALSE(name.has_value());
  CHECK(name.error().message == "'x' is not an address of this machine");
  CHECK(name.error().hint == "Give an IPv4 or IPv6 address, such as 127.0.0.1, 0.0.0.0 or ::1.");
  if (const auto six = WebhookServer::open({.address = "::1", .path = "/x"})) {
    CHECK(six->url() == "http://[::1]:" + std::to_string(six->port()) + "/x");
    CHECK(six->port() > 0);
  } else {
    CHECK(six.error().fault == Fault::Local);  // a machine without IPv6
  }
  for (const char* bad : {"", "localhost", "999.0.0.1", "example.com"}) {
    CAPTURE(bad);
    const auto none = WebhookServer::open({.address = bad});
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().fault == Fault::Usage);
  }
}
