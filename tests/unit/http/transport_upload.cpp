// Bodies from files and forms, and peers that reject them.
#include <filesystem>
#include <fstream>

#include <stdlib.h>
#include <unistd.h>

#include "unit/http/transport_fixture.h"

namespace svc::http {
namespace {

namespace fs = std::filesystem;

/// A directory that is removed with the test.
class Directory {
 public:
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "http-upload-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    m_path = pattern;
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { fs::remove_all(m_path); }

  FileSource file(const std::string& name, const std::string& content) const {
    std::ofstream(m_path / name, std::ios::binary) << content;
    return {(m_path / name).string(), content.size()};
  }
  /// A sparse file with the given length.
  FileSource sparse(const std::string& name, std::uint64_t size) const {
    FileSource made = file(name, "");
    fs::resize_file(made.path, size);
    made.size = size;
    return made;
  }

 private:
  fs::path m_path{};
};

/// Changes something after this much was sent.
struct Meddler final : Receiver {
  std::uint64_t when = 0;
  std::function<void()> meddle{};
  Result<void> on_head(const HttpHead&) override { return {}; }
  Result<void> on_body(std::string_view) override { return {}; }
  void on_upload(std::uint64_t sent, std::uint64_t) override {
    if (sent < when || !meddle) return;
    meddle();
    meddle = nullptr;
  }
};

constexpr std::uint64_t k_half_gigabyte = 500'000'000;

}  // namespace

TEST_CASE("a file is sent unchanged") {
  const Directory directory;
  std::string content;
  for (int i = 0; i < 2'000'000; ++i) content += static_cast<char>(i % 253);
  const auto server = serve(
      "read head\nsend HTTP/1.1 100 Continue\\r\\n\\r\\n\nread body\nreply 200 text/plain ok");
  HttpRequest request = request_to(*server, "PUT");
  request.headers = {{"Content-Type", "application/octet-stream"}};
  request.body = directory.file("a.bin", content);
  Collect collect;
  const Outcome outcome = make_curl_transport({})->perform(request, collect, NeverCanceled{});
  CHECK_FALSE(outcome.error);
  CHECK(collect.sent == content.size());
  CHECK(collect.to_send == content.size());
  const auto seen = server->requests().at(0);
  CHECK(seen.method == "PUT");
  CHECK(seen.body == content);
  CHECK(seen.header("content-length") == std::to_string(content.size()));
  CHECK(seen.header("content-type") == "application/octet-stream");
}

TEST_CASE("an empty file is an empty body") {
  const Directory directory;
  const auto server = serve("reply 200 text/plain ok");
  HttpRequest request = request_to(*server, "POST");
  request.body = directory.file("empty", "");
  CHECK_FALSE(ask(request).outcome.error);
  CHECK(server->requests().at(0).header("content-length") == "0");
}

TEST_CASE("a form has its parts in order, with the given names and types") {
  const Directory directory;
  const auto server = serve("reply 200 text/plain ok");
  HttpRequest request = request_to(*server, "POST");
  request.body = std::vector<Part>{
      {"purpose", std::string("batch")},
      {"odd \"name\"\r\n", std::string("x"), "a\"b\r\nc.txt", "text/plain"},
  };
  CHECK(ask(request).fault() == Fault::Usage);
  request.body = std::vector<Part>{
      {"purpose", std::string("batch")},
      {"nul", std::string("a\0b", 3)},
      {"file", directory.file("data.jsonl", "{\"a\":1}\n"), "da\"ta\r\n.jsonl",
       "application/jsonl"},
  };
  CHECK_FALSE(ask(request).outcome.error);
  const auto seen = server->requests().at(0);
  CHECK(seen.header("content-type")->starts_with("multipart/form-data; boundary="));
  const std::string boundary = "--" + seen.header("content-type")->substr(30);
  const std::string form = "Content-Disposition: form-data; name=";
  const std::string expected = boundary + "\r\n" + form + "\"purpose\"\r\n\r\nbatch\r\n" +
                               boundary + "\r\n" + form + "\"nul\"\r\n\r\n" +
                               std::string("a\0b", 3) + "\r\n" + boundary + "\r\n" + form +
                               "\"file\"; filename=\"da%22ta%0D%0A.jsonl\"\r\nContent-Type: "
                               "application/jsonl\r\n\r\n{\"a\":1}\n\r\n" +
                               boundary + "--\r\n";
  CHECK(seen.body == expected);
  CHECK(seen.header("content-length") == std::to_string(expected.size()));
}

TEST_CASE("row 33: a response before the end of the upload ends the upload") {
  const Directory directory;
  const char* scripts[] = {
      "read head\nreply 413 application/json {\"error\":\"too large\"}\nclose",
      "read head\nheader Connection: close\nreply 401 application/json {\"error\":\"too "
      "large\"}\nclose",
      "read head\nsend HTTP/1.1 100 Continue\\r\\n\\r\\n\nread 300000\nreply 413 application/json "
      "{\"error\":\"too large\"}\nclose",
      "read head\nsend HTTP/1.1 100 Continue\\r\\n\\r\\n\nread 300000\nheader Connection: "
      "close\nreply 401 "
      "application/json {\"error\":\"too large\"}\ncut"};
  const FileSource source = directory.sparse("large", k_half_gigabyte);
  const Payload bodies[] = {source, std::vector<Part>{{"file", source, "large", "a/b"}}};
  for (const char* script : scripts) {
    for (const Payload& body : bodies) {
      CAPTURE(script);
      const auto server = serve(script);
      HttpRequest request = request_to(*server, "POST");
      request.body = body;
      const Answered got = ask(request);
      CAPTURE(got.outcome.error ? got.outcome.error->message : "");
      CHECK_FALSE(got.outcome.error);
      CHECK((got.outcome.head.status == 413 || got.outcome.head.status == 401));
      CHECK(got.body == "{\"error\":\"too large\"}");
      CHECK(got.took < 1000ms);
      CHECK(server->connections().at(0).received < 50'000'000);
    }
  }
}

TEST_CASE("row 34: a server that never sends 100 Continue gets the body after a second") {
  const Directory directory;
  const auto server = serve("read head\nread body\nreply 200 text/plain ok");
  HttpRequest request = request_to(*server, "POST");
  request.body = directory.sparse("large", 3'000'000);
  const Answered got = ask(request);
  CHECK_FALSE(got.outcome.error);
  CHECK(server->requests().at(0).header("expect") == "100-continue");
  CHECK(server->requests().at(0).body_size == 3'000'000);
  CHECK(got.took >= 900ms);
  CHECK(got.took < 1600ms);
}

TEST_CASE("row 35: a peer that stops reading ends by the idle limit") {
  const Directory directory;
  const auto server =
      serve("read head\nsend HTTP/1.1 100 Continue\\r\\n\\r\\n\nread 300000\nstall");
  HttpRequest request = request_to(*server, "POST");
  request.body = directory.sparse("large", k_half_gigabyte);
  request.timeouts.idle = 400ms;
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Timeout);
  CHECK(got.says("no data"));
  CHECK(got.outcome.sent);
  CHECK(got.took >= 390ms);
  CHECK(got.took < 1500ms);
}

TEST_CASE("a slow but steady upload does not time out") {
  const Directory directory;
  const auto server = serve(
      "read head\nsend HTTP/1.1 100 Continue\\r\\n\\r\\n\nread 3000000\nsleep 250ms\nread "
      "3000000\nsleep "
      "250ms\nread 3000000\nsleep 250ms\nread body\nreply 200 text/plain ok",
      {.keep_body_bytes = 0});
  HttpRequest request = request_to(*server, "POST");
  request.body = directory.sparse("large", 20'000'000);
  request.timeouts.idle = 600ms;
  const Answered got = ask(request);
  CHECK_FALSE(got.outcome.error);
  CHECK(server->requests().at(0).body_size == 20'000'000);
}

namespace {

void check_changed(const Outcome& outcome, std::string_view words) {
  REQUIRE(outcome.error);
  CAPTURE(outcome.error->message);
  CHECK(outcome.error->fault == Fault::Local);
  CHECK(outcome.error->message.find(words) != std::string::npos);
  CHECK(outcome.error->message.find("changing") != std::string::npos);
  CHECK_FALSE(outcome.answered);
}

}  // namespace

TEST_CASE("row 36: a file that changed before it is sent") {
  const Directory directory;
  const auto server = serve("reply 200\nloop");
  const auto transport = make_curl_transport({});
  const FileSource source = directory.sparse("changing", 30'000'000);
  HttpRequest request = request_to(*server, "POST");
  request.body = source;
  Collect collect;
  fs::resize_file(source.path, 29'000'000);
  check_changed(transport->perform(request, collect, NeverCanceled{}),
                "had 30000000 bytes and now has 29000000");
  fs::remove(source.path);
  check_changed(transport->perform(request, collect, NeverCanceled{}), "no longer readable");
  fs::create_directory(source.path);
  check_changed(transport->perform(request, collect, NeverCanceled{}), "no longer a regular file");
  CHECK(server->connections().empty());
}

TEST_CASE("row 36: a file that changes while it is sent") {
  struct Case {
    std::function<void(const std::string&)> meddle;
    const char* words;
  };
  const Case cases[] = {{[](const std::string& path) { fs::resize_file(path, 20'000'000); },
                         "had 30000000 bytes and now has 20000000"},
                        {[](const std::string& path) { fs::resize_file(path, 30'000'001); },
                         "had 30000000 bytes and now has 30000001"},
                        {[](const std::string& path) { fs::remove(path); }, "deleted"}};
  for (const Case& each : cases) {
    for (const bool form : {false, true}) {
      CAPTURE(each.words);
      CAPTURE(form);
      const Directory directory;
      const auto server =
          serve("read head\nsend HTTP/1.1 100 Continue\\r\\n\\r\\n\nread body\nreply 200",
                {.keep_body_bytes = 0});
      const FileSource source = directory.sparse("changing", 30'000'000);
      HttpRequest request = request_to(*server, "POST");
      request.body = source;
      if (form) request.body = std::vector<Part>{{"file", source, "f", "a/b"}};
      Meddler meddler;
      meddler.when = 1'000'000;
      meddler.meddle = [&] { each.meddle(source.path); };
      const Outcome outcome = make_curl_transport({})->perform(request, meddler, NeverCanceled{});
      check_changed(outcome, each.words);
      CHECK(outcome.sent);
      CHECK(server->wait_until_closed(2s));
      CHECK(server->requests().at(0).body_size < 30'000'000);
    }
  }
}

}  // namespace svc::http
