// TLS, proxies, redirects, HTTP/2: who gets the key and who does not.
#include <algorithm>
#include <filesystem>
#include <thread>

#include <stdlib.h>

#include "http/curl_library.h"
#include "support/environment_variable.h"
#include "unit/http/transport_fixture.h"

namespace svc::http {
namespace {

HttpRequest with_key(const FaultServer& server, std::string method = "GET") {
  HttpRequest request = request_to(server, std::move(method));
  request.bearer = "svc-the-key";
  return request;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string h2_frames(std::initializer_list<const char*> frames) {
  std::string script =
      "read h2\nsend \\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00"
      "\\x00\\x00\\x00\\x04\\x01\\x00\\x00\\x00\\x00";
  for (const char* frame : frames) script += frame;
  return script;
}

constexpr const char* k_h2_head = "\\x00\\x00\\x01\\x01\\x04\\x00\\x00\\x00\\x01\\x88";
constexpr const char* k_h2_data = "\\x00\\x00\\x05\\x00\\x00\\x00\\x00\\x00\\x01hello";
constexpr const char* k_h2_last_data = "\\x00\\x00\\x05\\x00\\x01\\x00\\x00\\x00\\x01hello";

}  // namespace

TEST_CASE("TLS with a trusted certificate works") {
  const auto server = serve("reply 200 text/plain ok\nloop", {.tls = test::Tls::Good});
  const Answered got = ask(with_key(*server), {.ca_file = server->ca_file()});
  CHECK_FALSE(got.outcome.error);
  CHECK(got.body == "ok");
  CHECK(server->requests().at(0).header("authorization") == "Bearer svc-the-key");
  const test::EnvironmentVariable first("CURL_CA_BUNDLE", "");
  const test::EnvironmentVariable trusted("SSL_CERT_FILE", server->ca_file());
  CHECK(ask(with_key(*server)).body == "ok");
}

TEST_CASE("row 37: untrusted certificates, and old TLS; the key is not sent") {
  struct Case {
    test::Tls tls;
    bool trusted;
    const char* words;
  };
  for (const Case& each :
       {Case{test::Tls::Good, false, "self-signed"},
        Case{test::Tls::WrongHost, true, "not trusted"}, Case{test::Tls::Expired, true, "expired"},
        Case{test::Tls::Tls11, true, "TLS handshake"}}) {
    CAPTURE(each.words);
    const auto server = serve("reply 200 text/plain ok", {.tls = each.tls});
    const Answered got =
        ask(with_key(*server, "POST"), {.ca_file = each.trusted ? server->ca_file() : ""});
    CHECK(got.fault() == Fault::Network);
    CHECK_FALSE(got.outcome.sent);
    CHECK(got.says(each.words));
    CHECK(got.says("127.0.0.1:"));
    REQUIRE(server->wait_until_closed(2s));
    CHECK(server->connections().at(0).received == 0);
  }
}

TEST_CASE("row 37: the hint names what says which certificates are trusted") {
  const auto server = serve("reply 200 text/plain ok\nloop", {.tls = test::Tls::Good});
  const auto other = serve("reply 200", {.tls = test::Tls::Good});
  const std::string directory = std::filesystem::path(server->ca_file()).parent_path();
  const auto hint = [&](const std::string& bundle, const std::string& file,
                        const std::string& where) {
    const test::EnvironmentVariable one("CURL_CA_BUNDLE", bundle);
    const test::EnvironmentVariable two("SSL_CERT_FILE", file);
    const test::EnvironmentVariable three("SSL_CERT_DIR", where);
    const Answered got = ask(with_key(*server));
    CHECK(got.fault() == Fault::Network);
    CHECK(got.says("the certificate of 127.0.0.1:" + std::to_string(server->port())));
    CHECK(got.outcome.permanent);
    return got.outcome.error->hint;
  };
  const std::string start = "The key was not sent. Check the URL and this machine's clock; ";
  const std::string end = " can add trusted certificates.";
  const std::string foreign = other->ca_file();
  const std::string usual = hint("", "", "");
  if (!usual.starts_with("The key was not sent. Install ")) {  // a system without certificates
    CHECK(usual == start + "SSL_CERT_FILE" + end);
  }
  CHECK(hint("", foreign, "") == start + "the file that SSL_CERT_FILE names" + end);
  CHECK(hint(foreign, "", "") == start + "the file that CURL_CA_BUNDLE names" + end);
  CHECK(hint(foreign, server->ca_file(), "/no/such") ==
        start + "the file that CURL_CA_BUNDLE names" + end);
  CHECK(hint("", "", directory) == start + "the directory that SSL_CERT_DIR names" + end);
  CHECK(hint("", foreign, directory) == start + "the file that SSL_CERT_FILE names" + end);
}

TEST_CASE("row 37: a rejected certificate is not retried") {
  const auto server = serve("reply 200", {.tls = test::Tls::Expired});
  CHECK(ask(with_key(*server), {.ca_file = server->ca_file()}).outcome.permanent);
}

TEST_CASE("a port that does not use TLS") {
  const auto server = serve("send HTTP/1.1 400 Bad Request\\r\\n\\r\\n\nclose");
  HttpRequest request = with_key(*server);
  request.url = "https://127.0.0.1:" + std::to_string(server->port());
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Network);
  CHECK_FALSE(got.outcome.sent);
}

TEST_CASE("row 38: TLS ended without close_notify") {
  const auto whole = serve("reply 200 text/plain ok\ncut", {.tls = test::Tls::Good});
  const Answered fine = ask(with_key(*whole), {.ca_file = whole->ca_file()});
  CHECK_FALSE(fine.outcome.error);
  CHECK(fine.body == "ok");
  for (const char* script :
       {"read\nsend HTTP/1.1 200 OK\\r\\nContent-Length: 9\\r\\n\\r\\nhalf\ncut",
        "events\nevent a\ncut", "events close\nevent a\ncut"}) {
    CAPTURE(script);
    const auto cut = serve(script, {.tls = test::Tls::Good});
    const Answered got = ask(with_key(*cut), {.ca_file = cut->ca_file()});
    CHECK(got.fault() == Fault::Network);
    CHECK(got.outcome.answered);
  }
}

TEST_CASE("row 39: the proxy refuses, or drops the connection; its password is not shown") {
  struct Case {
    const char* script;
    const char* words;
  };
  for (const Case& each :
       {Case{"header Proxy-Authenticate: Basic realm=\"x\"\nreply 407 text/plain no\nloop", "407"},
        Case{"reply 403 text/plain no\nloop", "403"}, Case{"read\nclose", "proxy"},
        Case{"read\nreset", "proxy"}, Case{"send SSH-2.0\\r\\n\nhang", "proxy"}}) {
    CAPTURE(each.script);
    const auto proxy = serve(each.script);
    const std::string address = "127.0.0.1:" + std::to_string(proxy->port());
    const test::EnvironmentVariable set("https_proxy", "http://user:pass-word@" + address);
    HttpRequest request;
    request.url = "https://api.example.com/v1/x";
    request.bearer = "svc-the-key";
    request.timeouts = {.connect = 800ms, .total = 5s, .idle = 5s};
    std::string trace;
    const Answered got = ask(request, {.trace = [&](std::string_view line) {
                               trace += line;
                               trace += '\n';
                             }});
    CAPTURE(got.outcome.error->message);
    CHECK((got.fault() == Fault::Network || got.fault() == Fault::Timeout));
    CHECK_FALSE(got.outcome.sent);
    CHECK(got.says("api.example.com"));
    if (got.fault() == Fault::Network) CHECK(got.says(each.words));
    if (got.fault() == Fault::Network) CHECK(got.says(address));
    CHECK(got.outcome.permanent == contains(each.script, "reply 407"));
    for (const std::string& text : {got.outcome.error->message, got.outcome.error->hint, trace}) {
      CHECK_FALSE(contains(text, "pass-word"));
      CHECK_FALSE(contains(text, "dXNlcjpwYXNzLXdvcmQ"));
      CHECK_FALSE(contains(text, "svc-the-key"));
    }
    for (const auto& seen : proxy->requests()) {
      CHECK(seen.method == "CONNECT");
      CHECK(seen.target == "api.example.com:443");
      CHECK_FALSE(seen.header("authorization"));
    }
  }
}

TEST_CASE("row 39: no proxy there, or an unknown proxy") {
  HttpRequest request;
  request.url = "https://api.example.com/v1/x";
  request.timeouts.connect = 2s;
  {
    std::uint16_t port = 0;
    { port = serve("reply 200")->port(); }
    const test::EnvironmentVariable set("https_proxy",
                                        "http://user:pass-word@127.0.0.1:" + std::to_string(port));
    const Answered got = ask(request);
    CHECK(got.fault() == Fault::Network);
    CHECK(got.says("proxy http://***@127.0.0.1:"));
    CHECK_FALSE(got.outcome.sent);
  }
  const test::EnvironmentVariable set("https_proxy",
                                      "http://user:pass-word@no-such-proxy.invalid:3128");
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Network);
  CHECK(got.says("proxy http://***@no-such-proxy.invalid:3128"));
}

TEST_CASE("a proxy over TLS is trusted as a server is") {
  const auto proxy = serve("reply 403 text/plain no\nloop", {.tls = test::Tls::Good});
  const test::EnvironmentVariable set("https_proxy",
                                      "https://127.0.0.1:" + std::to_string(proxy->port()));
  HttpRequest request;
  request.url = "https://api.example.com/v1/x";
  const Answered got = ask(request, {.ca_file = proxy->ca_file()});
  CHECK(got.says("refused to connect to api.example.com:443 (403)"));
  CHECK(proxy->requests().size() == 1);
  CHECK_FALSE(ask(request).says("(403)"));
  CHECK(proxy->requests().size() == 1);
}

TEST_CASE("loopback never uses a proxy") {
  const auto proxy = serve("reply 500\nloop");
  const auto server = serve("reply 200 text/plain ok\nloop");
  const std::string address = "http://127.0.0.1:" + std::to_string(proxy->port());
  const test::EnvironmentVariable http("http_proxy", address);
  const test::EnvironmentVariable https("https_proxy", address);
  const test::EnvironmentVariable all("all_proxy", address);
  CHECK(ask(request_to(*server)).body == "ok");
  CHECK(proxy->connections().empty());
}

TEST_CASE(".netrc is not read") {
  const auto server = serve("reply 200 text/plain ok");
  char directory[] = "/tmp/http-netrc-XXXXXX";
  REQUIRE(mkdtemp(directory) != nullptr);
  const std::string path = std::string(directory) + "/.netrc";
  FILE* file = fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  fputs("machine 127.0.0.1 login user password pass-word\n", file);
  fclose(file);
  const test::EnvironmentVariable home("HOME", directory);
  const test::EnvironmentVariable netrc("NETRC", path);
  CHECK_FALSE(ask(request_to(*server)).outcome.error);
  CHECK_FALSE(server->requests().at(0).header("authorization"));
  unlink(path.c_str());
  rmdir(directory);
}

TEST_CASE("rows 25 and 26: an API call is not redirected") {
  for (const int status : {301, 302, 303, 307, 308}) {
    for (const char* location :
         {"https://other.example.com/x", "/v1/elsewhere", "//other.example.com/x",
          "http://other.example.com", "ftp://x", "\\x1b]52;c;x\\x07"}) {
      CAPTURE(status);
      CAPTURE(location);
      const auto server = serve("header Location: " + std::string(location) + "\nreply " +
                                std::to_string(status) + " text/plain moved");
      const Answered got = ask(with_key(*server, "POST"));
      CHECK(got.fault() == Fault::Network);
      CHECK(got.says(std::to_string(status)));
      CHECK(got.outcome.answered);
      CHECK(got.outcome.permanent);
      CHECK(got.body.empty());
      CHECK_FALSE(got.says("\x1b"));
      CHECK(server->requests().size() == 1);
      if (contains(location, "other")) CHECK(got.says("other.example.com"));
    }
  }
  const auto server = serve("reply 302 text/plain no location");
  CHECK_FALSE(ask(with_key(*server)).outcome.error);
}

TEST_CASE("row 25: a download is redirected without the key, and only where that is safe") {
  const auto second = serve("reply 200 video/mp4 film\nloop");
  const auto first = serve("header Location: http://127.0.0.1:" + std::to_string(second->port()) +
                           "/media?sig=1\nreply 307 text/plain moved");
  HttpRequest request = with_key(*first);
  request.redirects = Redirects::FollowWithoutCredentials;
  request.headers = {{"Cookie", "c=1"}, {"Authorization", "Bearer other"}, {"X-Kept", "1"}};
  request.bearer.clear();
  Collect collect;
  const Outcome outcome = make_curl_transport({})->perform(request, collect, NeverCanceled{});
  CHECK_FALSE(outcome.error);
  CHECK(collect.heads == 1);
  CHECK(collect.body == "film");
  CHECK(first->requests().at(0).header("authorization") == "Bearer other");
  const auto seen = second->requests().at(0);
  CHECK(seen.target == "/media?sig=1");
  CHECK_FALSE(seen.header("authorization"));
  CHECK_FALSE(seen.header("cookie"));
  CHECK(seen.header("x-kept") == "1");
}

TEST_CASE("row 25: the key is sent only to the first host") {
  const auto second = serve("reply 200 text/plain ok");
  const auto first = serve("header Location: http://127.0.0.1:" + std::to_string(second->port()) +
                           "/x\nreply 302 text/plain moved");
  HttpRequest request = with_key(*first);
  request.redirects = Redirects::FollowWithoutCredentials;
  CHECK(ask(request).body == "ok");
  CHECK(first->requests().at(0).header("authorization") == "Bearer svc-the-key");
  CHECK_FALSE(second->requests().at(0).header("authorization"));
}

TEST_CASE("row 27: redirect loops, other schemes, plain http") {
  HttpRequest request;
  const auto loop = serve("header Location: /again\nreply 302\nloop");
  request = with_key(*loop);
  request.redirects = Redirects::FollowWithoutCredentials;
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Network);
  REQUIRE(got.outcome.error);
  const std::string self = "127.0.0.1:" + std::to_string(loop->port());
  CHECK(got.outcome.error->message == self + " returned 302 with a redirect to " + self +
                                          "; the limit of 5 redirects was exceeded");
  CHECK(got.outcome.error->hint == "Check the URL.");
  CHECK(loop->requests().size() == 6);
  for (const char* location :
       {"file:///etc/passwd", "ftp://127.0.0.1/x", "http://media.example.com/x",
        "http://10.0.0.1/x", "gopher://x", "http://user:pw@127.0.0.1/", "https://h:0/"}) {
    CAPTURE(location);
    const auto server = serve("header Location: " + std::string(location) + "\nreply 302");
    request = with_key(*server);
    request.redirects = Redirects::FollowWithoutCredentials;
    const Answered refused = ask(request);
    CHECK(refused.fault() == Fault::Network);
    CHECK_FALSE(refused.says("user:pw"));
    CHECK(server->requests().size() == 1);
  }
  const auto post = serve("header Location: /x\nreply 307");
  request = with_key(*post, "POST");
  request.redirects = Redirects::FollowWithoutCredentials;
  CHECK(ask(request).says("only downloads"));
}

TEST_CASE("why a redirect is not followed, word for word") {
  const auto refused = [](const char* location, HttpRequest request = {}) {
    const auto server = serve("header Location: " + std::string(location) + "\nreply 302");
    request.url = server->url("/v1/x");
    const Answered got = ask(request);
    REQUIRE(got.outcome.error);
    CHECK(got.outcome.permanent);
    const std::string start =
        "127.0.0.1:" + std::to_string(server->port()) + " returned 302 with a redirect to ";
    CHECK(got.outcome.error->message.starts_with(start));
    return got.outcome.error->message.substr(start.size()) + " / " + got.outcome.error->hint;
  };
  CHECK(refused("https://h/x") ==
        "h:443; redirects are not followed, to protect the API key / Check the base URL.");
  HttpRequest request;
  request.redirects = Redirects::FollowWithoutCredentials;
  const std::string url = " / Check the URL.";
  for (const char* location : {"wss://127.0.0.1/x", "ws://127.0.0.1/x"}) {
    CHECK(refused(location, request)
              .ends_with("; the redirect target is not a valid download URL" + url));
  }
  CHECK(refused("ftp://h/x", request) ==
        "ftp://h/x; the redirect target is not a valid download URL" + url);
  CHECK(refused("http://h/x", request) == "h:80; downloads follow redirects only to https" + url);
  request.method = "POST";
  CHECK(refused("https://h/x", request) == "h:443; only downloads follow redirects" + url);
}

TEST_CASE("a server elsewhere may not redirect a download to this machine") {
  const auto server =
      serve("header Location: https://127.0.0.1/x\nreply 302", {.tls = test::Tls::Good});
  // Only libcurl takes such an address for one of this machine.
  const std::string host = "127.1:" + std::to_string(server->port());
  HttpRequest request;
  request.url = "https://" + host + "/x";
  request.redirects = Redirects::FollowWithoutCredentials;
  const Answered got = ask(request, {.ca_file = server->ca_file()});
  REQUIRE(got.outcome.error);
  CHECK(got.outcome.error->message ==
        host +
            " returned 302 with a redirect to 127.0.0.1:443; only a local server may redirect "
            "a download to this machine");
  CHECK(got.outcome.error->hint == "Check the URL.");
  CHECK(got.outcome.permanent);
}

TEST_CASE("a SOCKS proxy that accepts none of the ways to log in") {
  const auto proxy = serve("send \\x05\\xff\nhang");
  const std::string address = "socks5h://127.0.0.1:" + std::to_string(proxy->port());
  const test::EnvironmentVariable set("https_proxy", address);
  HttpRequest request;
  request.url = "https://h.example/x";
  const Answered got = ask(request);
  REQUIRE(got.outcome.error);
  CHECK(got.fault() == Fault::Network);
  CHECK(got.outcome.error->message.starts_with("the proxy " + address +
                                               " did not connect to h.example:443 ("));
  CHECK(got.outcome.error->hint == "Check https_proxy and no_proxy.");
  CHECK_FALSE(got.outcome.permanent);
  CHECK_FALSE(got.outcome.sent);
}

TEST_CASE("a redirect to where nobody listens has no response") {
  std::uint16_t port = 0;
  { port = serve("reply 200")->port(); }
  const auto server = serve("header Location: http://127.0.0.1:" + std::to_string(port) +
                            "/x\nreply 302 text/plain moved");
  HttpRequest request = request_to(*server);
  request.redirects = Redirects::FollowWithoutCredentials;
  const Answered got = ask(request);
  CHECK(got.says("cannot connect to 127.0.0.1:" + std::to_string(port)));
  CHECK_FALSE(got.outcome.answered);
  CHECK(got.outcome.head.status == 0);
  CHECK(got.outcome.sent);  // the first request was
}

TEST_CASE("responses without a body are complete, however TLS ends") {
  for (const auto& [method, status] :
       {std::pair("GET", "204"), std::pair("GET", "304"), std::pair("HEAD", "200")}) {
    CAPTURE(method);
    CAPTURE(status);
    const auto server = serve(
        "read\nsend HTTP/1.1 " + std::string(status) + " X\\r\\nConnection: close\\r\\n\\r\\n\ncut",
        {.tls = test::Tls::Good});
    const Answered got = ask(with_key(*server, method), {.ca_file = server->ca_file()});
    CHECK_FALSE(got.outcome.error);
    CHECK(got.outcome.head.status == std::stoi(status));
  }
  const auto server =
      serve("read\nsend HTTP/1.1 200 X\\r\\n\\r\\nhalf\ncut", {.tls = test::Tls::Good});
  const Answered got = ask(with_key(*server), {.ca_file = server->ca_file()});
  REQUIRE(got.outcome.error);
  CHECK(got.outcome.error->message ==
        "the response from 127.0.0.1:" + std::to_string(server->port()) +
            " ended early (TLS connection closed without close_notify)");
  const auto closed =
      serve("read\nsend HTTP/1.1 200 X\\r\\n\\r\\nwhole\nclose", {.tls = test::Tls::Good});
  CHECK(ask(with_key(*closed), {.ca_file = closed->ca_file()}).body == "whole");
}

TEST_CASE("the total limit covers all redirects") {
  const auto server = serve("read\nsleep 150ms\nheader Location: /again\nreply 302\nloop");
  HttpRequest request = request_to(*server);
  request.redirects = Redirects::FollowWithoutCredentials;
  request.timeouts.total = 400ms;
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Timeout);
  CHECK(got.took < 700ms);
}

TEST_CASE("HTTP/2 is used where it is offered") {
  const auto server = serve(h2_frames({k_h2_head, k_h2_last_data}) + "\nhang",
                            {.tls = test::Tls::Good, .h2 = true});
  const Answered got = ask(with_key(*server), {.ca_file = server->ca_file()});
  CHECK_FALSE(got.outcome.error);
  CHECK(got.body == "hello");
  CHECK(got.head.version == "2");
  CHECK(got.head.status == 200);
  CHECK(got.outcome.sent);
}

// The session tickets of TLS 1.3 come after the handshake. libcurl 8.1 to 8.21 takes them for data
// that nobody asked for, since the connection is idle, and opens another.
std::size_t most_connections() {
  const unsigned version = libcurl().version_info(CURLVERSION_NOW)->version_num;
  return version >= 0x080100 && version < 0x081600 ? 2 : 1;
}

TEST_CASE("a TLS connection is opened ahead, and a request takes over at any time") {
  for (const auto wait : {0ms, 1ms, 3ms, 10ms, 300ms}) {
    CAPTURE(wait.count());
    const auto server = serve("reply 200 text/plain one", {.tls = test::Tls::Good});
    const auto transport = make_curl_transport({.ca_file = server->ca_file()});
    transport->connect_ahead(with_key(*server));
    std::this_thread::sleep_for(wait);
    const Answered got = ask(*transport, with_key(*server));
    CAPTURE((got.outcome.error ? got.outcome.error->message : ""));
    CHECK(got.body == "one");
    CHECK(server->connections().size() >= 1);
    CHECK(server->connections().size() <= most_connections());
    CHECK(server->requests().size() == 1);
  }
}

TEST_CASE("an HTTP/2 connection is opened ahead") {
  // The server's settings come with the connection, as real servers send them.
  const auto server = serve("send \\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00\n" +
                                h2_frames({k_h2_head, k_h2_last_data}) + "\nhang",
                            {.tls = test::Tls::Good, .h2 = true});
  const auto transport = make_curl_transport({.ca_file = server->ca_file()});
  transport->connect_ahead(with_key(*server));
  std::this_thread::sleep_for(300ms);
  CHECK(server->requests().empty());
  const Answered got = ask(*transport, with_key(*server));
  CAPTURE((got.outcome.error ? got.outcome.error->message : ""));
  CHECK(got.body == "hello");
  CHECK(got.head.version == "2");
  CHECK(server->connections().size() == 1);
}

TEST_CASE("row 40: HTTP/2 streams and connections that end halfway") {
  const std::initializer_list<const char*> endings[] = {
      {k_h2_head, k_h2_data, "\nsleep 50ms\nsend ",
       "\\x00\\x00\\x04\\x03\\x00\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x02\nhang"},
      {k_h2_head, k_h2_data, "\nsleep 50ms\nsend ",
       "\\x00\\x00\\x08\\x07\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x00\nclos"
       "e"},
      {k_h2_head, k_h2_data, "\nsleep 50ms\nclose"},
      {k_h2_head, k_h2_data, "\nsleep 50ms\nreset"}};
  for (const auto& ending : endings) {
    const auto server = serve(h2_frames(ending), {.tls = test::Tls::Good, .h2 = true});
    const Answered got = ask(with_key(*server, "POST"), {.ca_file = server->ca_file()});
    REQUIRE(got.outcome.error);
    CAPTURE(got.outcome.error->message);
    CHECK(got.fault() == Fault::Network);
    CHECK(got.outcome.sent);
    CHECK(got.outcome.answered);
    CHECK(server->requests().size() == 1);
  }
}

TEST_CASE("row 40: requests that an HTTP/2 server says it did not process are resent") {
  const char* refused =
      "\\x00\\x00\\x04\\x03\\x00\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x07\nhang\nconnection\n";
  const auto server =
      serve(h2_frames({refused}) + h2_frames({k_h2_head, k_h2_last_data}) + "\nhang",
            {.tls = test::Tls::Good, .h2 = true});
  const Answered got = ask(with_key(*server, "POST"), {.ca_file = server->ca_file()});
  CAPTURE(got.outcome.error ? got.outcome.error->message : "");
  CHECK_FALSE(got.outcome.error);
  CHECK(got.body == "hello");
  CHECK(server->requests().size() == 2);
}

}  // namespace svc::http
