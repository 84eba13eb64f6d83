// Downloads: ranges after an interruption, names, partial files.
#include <algorithm>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/text.h"
#include "call_world.h"
#include "client/download.h"
#include "client/download_part.h"
#include "temp_directory.h"

using namespace svc;
using namespace svc::test;

namespace {

FakeReply file_reply(int status, std::vector<std::string> pieces, std::vector<Header> headers) {
  FakeReply reply;
  reply.status = status;
  reply.headers = std::move(headers);
  reply.headers.push_back({"Content-Type", "application/octet-stream"});
  reply.pieces = std::move(pieces);
  return reply;
}

FakeReply cut(FakeReply reply, Fault fault = Fault::Network) {
  reply.error = Error{fault, "the answer was cut short", "look"};
  return reply;
}

const Header k_tag{"ETag", "\"v1\""};
const Header k_ten{"Content-Length", "10"};

struct Place {
  TempDirectory directory{};
  [[nodiscard]] std::string at(const std::string& name) const {
    return (directory.path() / name).string();
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream file(directory.path() / name, std::ios::binary);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
      all.push_back(entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }
};

http::HttpRequest wire(const World& world) {
  auto request = media_request("https://media.test/a/cat.png?sig=abc", "", world.policy);
  REQUIRE(request);
  return *request;
}

Result<Downloaded> fetch(World& world, const DownloadTarget& target,
                         const DownloadOptions& options = {}) {
  ApiClient client = world.client();
  return download(client, wire(world), target, options);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a download is complete, and its request contains no key") {
  World world({file_reply(200, {"01234", "56789"}, {k_ten})});
  const Place place;
  std::vector<std::uint64_t> seen;
  const auto done = fetch(world, {.path = place.at("a")}, {.on_progress = [&](auto now, auto all) {
                            seen.push_back(now);
                            CHECK(all == 10);
                          }});
  REQUIRE(done);
  CHECK(place.text("a") == "0123456789");
  CHECK(place.names() == Names{"a"});
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK(mode_of(place.at("a")) == (0666U & ~mask));
  CHECK(done->bytes == 10);
  CHECK(done->path == place.at("a"));
  CHECK(done->type == "application/octet-stream");
  CHECK(seen == std::vector<std::uint64_t>{5, 10});
  const auto& request = world.transport.requests.at(0);
  CHECK(request.bearer.empty());
  CHECK(request.redirects == http::Redirects::FollowWithoutCredentials);
  CHECK(header(request, "accept-encoding") == "identity");
  CHECK(header(request, "range").empty());
}

TEST_CASE("a download asks for what it needs itself, whatever its request says") {
  World world({file_reply(200, {"0123456789"}, {k_ten})});
  const Place place;
  http::HttpRequest request = wire(world);
  request.max_body_bytes = 5;  // the download has limits of its own
  for (const char* name : {"Range", "if-range", "Accept-encoding", "X-Own"}) {
    request.headers.push_back({name, "bytes=1-2"});
  }
  ApiClient client = world.client();
  REQUIRE(download(client, request, DownloadTarget{.path = place.at("a")}, {}));
  const auto& headers = world.transport.requests.at(0).headers;
  REQUIRE(headers.size() == 3);
  CHECK(headers[0].name == "Accept");
  CHECK(headers[0].value == "*/*");
  CHECK(headers[1].name == "X-Own");
  CHECK(headers[2].name == "Accept-Encoding");
  CHECK(headers[2].value == "identity");
  CHECK(world.transport.requests.at(0).max_body_bytes == 0);
}

TEST_CASE("a length that a range tells is checked before its bytes are output") {
  World world({cut(file_reply(200, {"01234"}, {k_tag})),
               file_reply(206, {"56", "789"}, {{"Content-Range", "bytes 5-9/10"}, k_tag})});
  std::string got;
  ApiClient client = world.client();
  const auto done = download(client, wire(world),
                             [&](sv bytes) {
                               got += bytes;
                               return Result<void>();
                             },
                             {.max_bytes = 9});
  CHECK(done.error().message == "the file is larger than the limit of 9 B");
  CHECK(got == "01234");
}

TEST_CASE("an interrupted download is resumed") {
  World world({cut(file_reply(200, {"01234"}, {k_ten, k_tag})),
               file_reply(206, {"56789"}, {{"Content-Range", "bytes 5-9/10"}, k_tag})});
  const Place place;
  REQUIRE(fetch(world, {.path = place.at("a")}));
  CHECK(place.text("a") == "0123456789");
  CHECK(header(world.transport.requests.at(1), "range") == "bytes=5-");
  CHECK(header(world.transport.requests.at(1), "if-range") == "\"v1\"");
}

TEST_CASE("a file that changed meanwhile is fetched from the start") {
  for (const char* start : {"01234", "0"}) {
    World world({cut(file_reply(200, {start}, {k_ten, k_tag})),
                 file_reply(200, {"abcdefghij"}, {k_ten, {"ETag", "\"v2\""}})});
    const Place place;
    REQUIRE(fetch(world, {.path = place.at("a")}));
    CHECK(place.text("a") == "abcdefghij");
    World again({cut(file_reply(200, {start}, {k_ten, k_tag})),
                 file_reply(200, {"0123456789"}, {k_ten, k_tag})});
    REQUIRE(fetch(again, {.path = place.at("b")}));
    CHECK(place.text("b") == "0123456789");
  }
}

TEST_CASE("without a strong validator nothing is combined") {
  for (const Header& weak : {Header{"ETag", "W/\"v1\""}, Header{"X-Nothing", "1"}}) {
    World world({cut(file_reply(200, {"01234"}, {k_ten, weak})),
                 file_reply(200, {"abcdefghij"}, {k_ten, weak})});
    const Place place;
    REQUIRE(fetch(world, {.path = place.at("a")}));
    CHECK(place.text("a") == "abcdefghij");
    CHECK(header(world.transport.requests.at(1), "range").empty());
  }
}

TEST_CASE("after a rejected range the whole file is requested") {
  World world({cut(file_reply(200, {"01234"}, {k_tag})), refusal(416),
               file_reply(200, {"abcdefghij"}, {k_ten})});
  const Place place;
  REQUIRE(fetch(world, {.path = place.at("a")}));
  CHECK(place.text("a") == "abcdefghij");
  CHECK(header(world.transport.requests.at(2), "range").empty());
}

TEST_CASE("a rejected range that was not asked for is an error") {
  World world({refusal(416), file_reply(200, {"0123456789"}, {k_ten})});
  const Place place;
  CHECK(fetch(world, {.path = place.at("a")}).error().http_status == 416);
  CHECK(world.sent() == 1);
}

TEST_CASE("what came before a rejected range cannot be taken back from a pipe") {
  World world({cut(file_reply(200, {"01234"}, {k_ten, k_tag})), refusal(416),
               file_reply(200, {"0123456789"}, {k_ten, k_tag})});
  std::string got;
  ApiClient client = world.client();
  const auto sink = [&](sv bytes) {
    got += bytes;
    return Result<void>();
  };
  CHECK_FALSE(download(client, wire(world), sink, {}));
  CHECK(got == "01234");
  CHECK(world.sent() == 2);
  // Nor if the file has changed.
  World changed({cut(file_reply(200, {"abcde"}, {k_ten, k_tag})),
                 file_reply(200, {"0123456789"}, {k_ten, {"ETag", "\"v2\""}})});
  got.clear();
  ApiClient other = changed.client();
  CHECK(download(other, wire(changed), sink, {}).error().message ==
        "the file changed during the download, after part of it was output");
  CHECK(got == "abcde");
}

TEST_CASE("failures count again only after another MiB") {
  const std::size_t mib = std::size_t{1} << 20U;
  for (const std::size_t size : {mib, mib - 1}) {
    CAPTURE(size);
    const Place place;
    World world({});
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string range =
          fmt::format("bytes {}-{}/{}", i * size, (i + 1) * size - 1, 4 * size);
      const std::string half(size / 2, 'x');
      FakeReply part = file_reply(i == 0 ? 200 : 206, {half, std::string(size - half.size(), 'y')},
                                  {k_tag, {"Content-Range", range}});
      world.transport.add(i == 3 ? part : cut(part));
    }
    world.policy.retries = 1;
    const auto done = fetch(world, {.path = place.at("a")});
    CHECK(done.has_value() == (size == mib));
    CHECK(world.sent() == (size == mib ? 4 : 2));
    CHECK((!done || done->bytes == 4 * size));
  }
  // Without a validator the next response begins anew, so it is none of the progress.
  const Place place;
  World world({cut(file_reply(200, {std::string(mib, 'x')}, {})),
               cut(file_reply(200, {std::string(mib, 'x')}, {})), file_reply(200, {"x"}, {})});
  world.policy.retries = 1;
  CHECK_FALSE(fetch(world, {.path = place.at("a")}));
  CHECK(world.sent() == 2);
}

TEST_CASE("a part without a byte ends the download") {
  World world({cut(file_reply(200, {"01234"}, {k_ten, k_tag})),
               file_reply(206, {}, {{"Content-Range", "bytes 5-9/10"}, k_tag}),
               file_reply(206, {"56789"}, {{"Content-Range", "bytes 5-9/10"}, k_tag})});
  const Place place;
  CHECK(fetch(world, {.path = place.at("a")}).error().message == "received 5 of 10 bytes");
  CHECK(world.sent() == 2);
}

TEST_CASE("lengths that are none are as if there were none") {
  for (const char* length : {"-1", "x", ""}) {
    CAPTURE(length);
    World world({file_reply(200, {"0123456789"}, {{"Content-Length", length}})});
    const Place place;
    CHECK(fetch(world, {.path = place.at("a")},
                {.on_progress = [](auto /*now*/, auto all) { CHECK(all == 0); }}));
    CHECK(place.text("a") == "0123456789");
  }
  // A file without a byte has one.
  World none({file_reply(200, {}, {{"Content-Length", " 0 "}})});
  const Place place;
  CHECK(fetch(none, {.path = place.at("a")})->bytes == 0);
  World cut_short({file_reply(200, {}, {k_ten})});
  CHECK(fetch(cut_short, {.path = place.at("b")}).error().message == "received 0 of 10 bytes");
}

TEST_CASE("the bytes that are known are not output again, even one by one") {
  World world({cut(file_reply(200, {"01234"}, {k_ten, k_tag})),
               cut(file_reply(200, {"0", "12", "3"}, {k_ten, k_tag})),
               file_reply(200, {"01", "2345", "6789"}, {k_ten, k_tag})});
  std::string got;
  std::vector<std::uint64_t> seen;
  ApiClient client = world.client();
  const auto done = download(client, wire(world),
                             [&](sv bytes) {
                               got += bytes;
                               return Result<void>();
                             },
                             {.on_progress = [&](auto now, auto) { seen.push_back(now); }});
  REQUIRE(done);
  CHECK(got == "0123456789");
  CHECK(seen == std::vector<std::uint64_t>{5, 6, 10});
}

TEST_CASE("a server without ranges that sends the same content again") {
  World world({cut(file_reply(200, {"01234"}, {k_ten, k_tag})),
               file_reply(200, {"012", "3456789"}, {k_ten, k_tag})});
  std::string got;
  ApiClient client = world.client();
  const auto done = download(client, wire(world),
                             [&](sv bytes) {
                               got += bytes;
                               return Result<void>();
                             },
                             {});
  REQUIRE(done);
  CHECK(got == "0123456789");
}

TEST_CASE("a partial file that cannot be resumed is not kept") {
  const Place place;
  const ResumeInfo info{.source = "a", .validator = "\"v1\""};
  for (const bool first : {true, false}) {
    auto file = AtomicFile::create(place.at("cat.png"), Replace::Yes);
    REQUIRE(file);
    REQUIRE(file->write("01234"));
    CHECK(save_partial_download(*file, info) ==
          (first ? place.at("cat.png.partial") : std::string()));
    CHECK(place.names() == std::vector<std::string>{"cat.png.partial", "cat.png.partial.json"});
  }
}

TEST_CASE("output to a pipe cannot be undone") {
  World world({cut(file_reply(200, {"01234"}, {k_ten})), file_reply(200, {"0123456789"}, {k_ten})});
  std::string got;
  ApiClient client = world.client();
  const auto done = download(client, wire(world),
                             [&](sv bytes) {
                               got += bytes;
                               return Result<void>();
                             },
                             {});
  REQUIRE(!done.has_value());
  CHECK(done.error().fault == Fault::Network);
  CHECK(got == "01234");
  CHECK(world.transport.requests.size() == 1);
}

TEST_CASE("a part that does not match fails") {
  for (const char* range : {"bytes 4-9/10", "bytes 5-9/11", "nonsense", ""}) {
    World world({cut(file_reply(200, {"01234"}, {k_ten, k_tag})),
                 file_reply(206, {"56789"}, {{"Content-Range", range}, k_tag})});
    const Place place;
    const auto done = fetch(world, {.path = place.at("a")});
    REQUIRE(!done.has_value());
    CHECK(done.error().fault == Fault::Network);
    CHECK(done.error().message == "the server did not send the file from byte 5");
    CHECK(done.error().hint == "The first 5 B are in " + quote_path(place.at("a.partial")) +
                                   "; rerun the command to resume from there, or delete that file "
                                   "to start over.");
    CHECK(!std::filesystem::exists(place.at("a")));
  }
  for (const Header& tag : {Header{"ETag", "\"v2\""}, Header{"ETag", "\"v1\""}, Header{"X", "1"}}) {
    World world({cut(file_reply(200, {"01234"}, {k_ten, k_tag})),
                 file_reply(206, {"56789"}, {{"Content-Range", "bytes 5-9/*"}, tag})});
    const Place place;
    CHECK(fetch(world, {.path = place.at("a")}).has_value() == (tag.value != "\"v2\""));
  }
  const Place place;
  for (const char* range : {"bytes 5-9/10", "bytes 0-4/10"}) {
    World unasked({file_reply(206, {"56789"}, {{"Content-Range", range}})});
    const auto done = fetch(unasked, {.path = place.at("a")});
    REQUIRE(!done.has_value());
    CHECK(done.error().message == "the server did not send the file from byte 0");
    CHECK(done.error().hint == "Try again.");
  }
}

TEST_CASE("an interrupted download leaves a part only if a later run can resume") {
  const Place place;
  {
    World world({cut(file_reply(200, {"01234"}, {k_ten}), Fault::Terminated)});
    CHECK(!fetch(world, {.path = place.at("a")}).has_value());
    CHECK(place.names().empty());
  }
  {
    World world({cut(file_reply(200, {"01234"}, {k_ten, k_tag}), Fault::Terminated)});
    const auto done = fetch(world, {.path = place.at("a")});
    REQUIRE(!done.has_value());
    CHECK(done.error().fault == Fault::Terminated);
    CHECK(done.error().hint == "The first 5 B are in " + quote_path(place.at("a.partial")) +
                                   "; rerun the command to resume from there.");
    CHECK(place.names() == Names{"a.partial", "a.partial.json"});
    CHECK(!mentions(place.text("a.partial.json"), "sig=abc"));
  }
  World world({file_reply(206, {"56789"}, {{"Content-Range", "bytes 5-9/10"}, k_tag})});
  const auto done = fetch(world, {.path = place.at("a")});
  REQUIRE(done);
  CHECK(done->resumed);
  CHECK(place.text("a") == "0123456789");
  CHECK(place.names() == Names{"a"});
  CHECK(header(world.transport.requests.at(0), "range") == "bytes=5-");
}

TEST_CASE("a server that sends less than the range is asked for the rest") {
  // Only the ranges tell the length.
  World world({cut(file_reply(200, {"01234"}, {k_tag})),
               file_reply(206, {"567"}, {{"Content-Range", "bytes 5-7/10"}, k_tag}),
               file_reply(206, {"89"}, {{"Content-Range", "bytes 8-9/10"}, k_tag})});
  const Place place;
  const auto done = fetch(world, {.path = place.at("a")});
  REQUIRE(done);
  CHECK(done->bytes == 10);
  CHECK_FALSE(done->resumed);
  CHECK(place.text("a") == "0123456789");
  CHECK(header(world.transport.requests.at(2), "range") == "bytes=8-");
}

TEST_CASE("a date identifies a file, too") {
  const Header date{"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"};
  World world({cut(file_reply(200, {"01234"}, {k_ten, date})),
               file_reply(206, {"56789"}, {{"Content-Range", "bytes 5-9/10"}, date})});
  const Place place;
  REQUIRE(fetch(world, {.path = place.at("a")}));
  CHECK(place.text("a") == "0123456789");
  CHECK(header(world.transport.requests.at(1), "if-range") == date.value);
}

TEST_CASE("what a later run may get is kept; what it will not get is not") {
  const std::pair<int, bool> rows[] = {{500, true},  {503, true},  {429, true}, {404, false},
                                       {403, false}, {499, false}, {0, true}};
  for (const auto& [status, kept] : rows) {
    CAPTURE(status);
    const Place place;
    World world({cut(file_reply(200, {"01234"}, {k_ten, k_tag})),
                 status == 0 ? cut(file_reply(0, {}, {}), Fault::Timeout) : refusal(status)});
    world.policy.retries = 1;
    const auto done = fetch(world, {.path = place.at("a")});
    REQUIRE_FALSE(done);
    CHECK(place.names() == (kept ? Names{"a.partial", "a.partial.json"} : Names{}));
    CHECK((done.error().hint == "The first 5 B are in '" + place.at("a.partial") +
                                    "'; rerun the command to resume from there.") == kept);
  }
  // Nothing has arrived.
  const Place place;
  World world({refusal(503)});
  world.policy.retries = 0;
  CHECK_FALSE(fetch(world, {.path = place.at("a")}));
  CHECK(place.names().empty());
}

TEST_CASE("a part is that of its URL, its validator and its length") {
  const Header date{"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"};
  const std::string range = "bytes 5-9/10";
  const Place place;
  const auto cut_off = [&](const std::vector<Header>& headers) {
    World world({cut(file_reply(200, {"01234"}, headers), Fault::Interrupted)});
    CHECK_FALSE(fetch(world, {.path = place.at("a")}));
    return place.text("a.partial.json");
  };
  CHECK(cut_off({date}) == "{\n  \"last_modified\": \"" + date.value +
                               "\",\n  \"source\": \"https://media.test/a/cat.png\"\n}\n");
  World dated({file_reply(206, {"56789"}, {{"Content-Range", range}, date})});
  REQUIRE(fetch(dated, {.path = place.at("a")}));
  CHECK(header(dated.transport.requests.at(0), "if-range") == date.value);
  std::filesystem::remove(place.at("a"));

  // Its length is known from the earlier run.
  CHECK(mentions(cut_off({k_tag, k_ten}), "\"etag\": \"\\\"v1\\\"\",\n"));
  CHECK(mentions(place.text("a.partial.json"), "\"total\": 10\n"));
  World longer({file_reply(206, {"56789x"}, {{"Content-Range", "bytes 5-10/11"}, k_tag})});
  const auto done = fetch(longer, {.path = place.at("a")});
  CHECK(done.error().message == "the server did not send the file from byte 5");
  CHECK(mentions(done.error().hint, "The first 5 B are in"));

  // What is not svc's own is left alone.
  const std::string info = place.text("a.partial.json");
  for (const std::string& other :
       {std::string("[]"), std::string("{"),
        info.substr(0, info.rfind('}')) + ",\"x\":\"" + std::string(16'384, 'x') + "\"}",
        std::string(R"({"source":"https://media.test/a/cat.png"})")}) {
    CAPTURE(other);
    place.directory.write("a.partial.json", other);
    World world({file_reply(200, {"0123456789"}, {k_ten})});
    REQUIRE(fetch(world, {.path = place.at("a"), .replace = Replace::Yes}));
    CHECK(header(world.transport.requests.at(0), "range").empty());
    CHECK(place.text("a.partial.json") == other);
  }
  std::filesystem::remove(place.at("a.partial.json"));
  place.directory.write("mine.json", info);
  std::filesystem::create_symlink(place.at("mine.json"), place.at("a.partial.json"));
  World linked({file_reply(200, {"0123456789"}, {k_ten})});
  REQUIRE(fetch(linked, {.path = place.at("a"), .replace = Replace::Yes}));
  CHECK(header(linked.transport.requests.at(0), "range").empty());
}

TEST_CASE("a directory for downloads that is none, or is not there") {
  const Place place;
  place.directory.write("file", "x");
  const auto wrong = check_download_directory(place.at("none"));
  CHECK(wrong.error().message == "directory '" + place.at("none") + "' does not exist");
  const auto file = check_download_directory(place.at("file"));
  CHECK(file.error().message == "'" + place.at("file") + "' is not a directory");
  CHECK(file.error().hint == "Choose another one with --output.");
  CHECK(check_download_directory(place.at("")));
}

TEST_CASE("an encoded body has no length that is known") {
  World world(
      {file_reply(200, {"0123456789"}, {{"Content-Length", "4"}, {"Content-Encoding", "x"}})});
  const Place place;
  CHECK(fetch(world, {.path = place.at("a")},
              {.on_progress = [](auto now, auto all) { CHECK((now == 10 && all == 0)); }}));
  CHECK(place.text("a") == "0123456789");
  FakeReply page = json_reply(200, "<html>");
  page.headers = {{"Content-Type", " Text/HTML ;x=y"}};
  World pages({page});
  CHECK(fetch(pages, {.path = place.at("b")}).error().message ==
        "expected a file, got an HTML page");
  page.headers = {{"Content-Type", "text/plain; about=text/html"}};
  World plain({page});
  CHECK(fetch(plain, {.path = place.at("c")}));
}

TEST_CASE("the part of another download is unchanged") {
  const Place place;
  place.directory.write("a.partial", "01234");
  place.directory.write("a.partial.json", R"({"source":"https://other.test/x","etag":"\"v1\""})");
  World world({file_reply(200, {"0123456789"}, {k_ten})});
  REQUIRE(fetch(world, {.path = place.at("a")}));
  CHECK(place.names() == Names{"a", "a.partial", "a.partial.json"});
  CHECK(header(world.transport.requests.at(0), "range").empty());
}

TEST_CASE("sizes: announced, counted, limited") {
  const Place place;
  const auto error_of = [&](FakeReply reply, const DownloadOptions& options) {
    World world({reply, reply, reply});
    world.policy.retries = 0;
    const auto done = fetch(world, {.path = place.at("a")}, options);
    REQUIRE(!done.has_value());
    CHECK(done.error().fault == Fault::Network);
    CHECK(place.names().empty());
    return done.error().message + " / " + done.error().hint;
  };
  const std::string other = "the file has 10 bytes, but 11 were expected / Try again.";
  CHECK(error_of(file_reply(200, {"0123456789"}, {k_ten}), {.expected_bytes = 11}) == other);
  CHECK(error_of(file_reply(200, {"0123456789"}, {}), {.expected_bytes = 11}) == other);
  const std::string large =
      "the file is larger than the limit of 9 B / Download its URL with another tool.";
  CHECK(error_of(file_reply(200, {"0123456789"}, {k_ten}), {.max_bytes = 9}) == large);
  CHECK(error_of(file_reply(200, {"01234", "56789"}, {}), {.max_bytes = 9}) == large);
  {
    World world({file_reply(200, {"0123456789"}, {k_ten})});
    CHECK(fetch(world, {.path = place.at("b")}, {.expected_bytes = 10, .max_bytes = 10}));
    std::filesystem::remove(place.at("b"));
  }
  FakeReply page = json_reply(200, "<html>");
  page.headers = {{"Content-Type", "text/html; charset=utf-8"}};
  CHECK(error_of(page, {}) ==
        "expected a file, got an HTML page / Something between here and the service may have "
        "responded; check the URL.");
  CHECK(error_of(json_reply(204, ""), {}) == "expected a file, got HTTP status 204 / Try again.");
}

TEST_CASE("names from a server stay in the directory") {
  const Place place;
  World world(
      {file_reply(200, {"x"}, {{"Content-Disposition", R"(attachment; filename="../../.bashrc")"}}),
       file_reply(200, {"x"}, {})});
  const auto done = fetch(world, {.path = place.at(""), .directory = true, .fallback = "file"});
  REQUIRE(done);
  CHECK(place.names() == Names{"_.bashrc"});
  REQUIRE(fetch(world, {.path = place.at(""), .directory = true, .name = "-rf"}));
  CHECK(place.names() == Names{"_-rf", "_.bashrc"});
}

TEST_CASE("a link or pipe with a name from the server is never followed") {
  const Place place;
  place.directory.write("target", "mine");
  std::filesystem::create_symlink(place.at("target"), place.at("cat"));
  REQUIRE(::mkfifo(place.at("pipe").c_str(), 0600) == 0);
  for (const char* name : {"cat", "pipe"}) {
    World world({file_reply(200, {"x"}, {})});
    const auto done = fetch(
        world, {.path = place.at(""), .directory = true, .name = name, .replace = Replace::Yes});
    REQUIRE(!done.has_value());
    CHECK(done.error().fault == Fault::Local);
    CHECK(world.transport.requests.empty());
  }
  CHECK(place.text("target") == "mine");
}

TEST_CASE("an unwritable directory is detected before anything is sent") {
  const Place place;
  place.directory.write("file", "x");
  for (const DownloadTarget& target :
       {DownloadTarget{.path = place.at("none/a")}, DownloadTarget{.path = place.at("file/a")},
        DownloadTarget{.path = place.at("file")},
        DownloadTarget{.path = place.at("none"), .directory = true},
        DownloadTarget{.path = place.at("file"), .directory = true}}) {
    World world({file_reply(200, {"x"}, {})});
    const auto done = fetch(world, target);
    REQUIRE(!done.has_value());
    CHECK(done.error().fault == Fault::Local);
    CHECK(world.transport.requests.empty());
  }
}

TEST_CASE("media URLs") {
  CallPolicy policy;
  policy.timeouts.total = std::chrono::milliseconds(7);
  CHECK(media_request("https://media.test/a", "https://api.test", policy));
  CHECK(media_request("https://media.test/a", "", policy)->timeouts.total ==
        std::chrono::milliseconds(7));
  CHECK(media_request("http://127.0.0.1:9/a", "http://localhost:9", policy));
  CHECK(media_request("http://127.0.0.1:9/a", "", policy));
  CHECK(!media_request("http://127.0.0.1:9/a", "https://api.test", policy).has_value());
  CHECK(!media_request("https://localhost/a", "https://api.test", policy).has_value());
  CHECK(!media_request("http://media.test/a", "https://api.test", policy).has_value());
  CHECK(!media_request("file:///etc/passwd", "https://api.test", policy).has_value());
  const auto plain = media_request("http://media.test/a?sig=b", "", policy);
  CHECK(plain.error().fault == Fault::Usage);
  CHECK(plain.error().message == "http://media.test/a is not an https URL to download from");
  CHECK(plain.error().hint.empty());
  CHECK(media_request("ftp://x/a", "https://api.test", policy).error().fault == Fault::Network);
  CHECK(media_request("ftp://x/a", "", policy).error().fault == Fault::Usage);
}

TEST_CASE("names come from Content-Disposition and URLs") {
  const auto name = [](std::string value) {
    return disposition_name({.headers = {{"Content-Disposition", std::move(value)}}});
  };
  CHECK(name("attachment; filename=a.txt") == "a.txt");
  CHECK(name(R"(attachment; filename="a \"b\";c.txt"; x=1)") == R"(a "b";c.txt)");
  CHECK(name("attachment; filename=old; filename*=UTF-8''n%C3%A4w.txt") == "n\xC3\xA4w.txt");
  CHECK(name("attachment; filename*=iso-8859-1''x; filename=old") == "old");
  CHECK(name("inline").empty());
  CHECK(name("attachment;x;filename=a").ends_with("a"));
  CHECK(name("attachment; filename = \" a \" ;filename=b") == " a ");
  CHECK(name("attachment; filename=a ; x=\"; filename=c\"") == "a");
  CHECK(name("attachment; filename*=UTF-8'en'a%20b; filename*=utf-8''c; filename=d") == "a b");
  CHECK(name("attachment; filename*=UTF-8'x; filename=d") == "d");
  CHECK(name("attachment; filename*=x; FileName=d") == "d");
  CHECK(name(R"(attachment; filename="a\\"; x=1)") == "a\\");
  CHECK(name(R"(attachment; filename="a\)") == "a\\");
  CHECK(name("attachment; filename=").empty());
  CHECK(name("attachment; filename=\"unclosed").size() == 8);
  CHECK(disposition_name({}).empty());
  CHECK(name_in_url("https://m.test/a/b%20c.png?x=/y") == "b c.png");
  CHECK(name_in_url("https://m.test/a/%2e%2e%2fx") == "../x");
  CHECK(name_in_url("https://m.test").empty());
  CHECK(name_in_url("https://m.test/").empty());
  CHECK(name_in_url("https://m.test#/x").empty());
  CHECK(name_in_url("a/b") == "b");
  CHECK(name_in_url("://b/c") == "c");
}

TEST_CASE("a strong ETag or a date tells whether a file is the same") {
  const auto validator = [](const char* etag, const char* date) {
    return validator_of({.headers = {{"ETag", etag}, {"Last-Modified", date}}});
  };
  CHECK(validator("\"a\"", "").etag == "\"a\"");
  CHECK(validator(" \"\" ", "").etag == "\"\"");
  for (const char* weak : {"W/\"a\"", "\"", "\"a", "a\"", "a", ""}) {
    CAPTURE(weak);
    CHECK(validator(weak, "").empty());
  }
  CHECK(validator("W/\"a\"", " Sun, 06 Nov 1994 08:49:37 GMT ").last_modified ==
        "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(source_of("https://h/p?a=1#b") == "https://h/p");
  CHECK(source_of("https://h/p#b?a") == "https://h/p");
}

TEST_CASE("Content-Range") {
  CHECK(parse_content_range("bytes 5-9/10")->first == 5);
  CHECK(parse_content_range("bytes 5-9/10")->last == 9);
  CHECK(parse_content_range("bytes 0-0/1")->total == 1U);
  CHECK(parse_content_range(" BYTES 5-9/10")->total == 10);
  CHECK(!parse_content_range("bytes 5-9/*")->total.has_value());
  for (const char* wrong :
       {"", "bytes", "bytes */10", "bytes 9-5/10", "bytes 5-10/10", "items 5-9/10", "bytes 5-9",
        "bytes -1-9/10", "bytes 5-9/x", "bytes 5-9/9", "bytes 5/9-10", "bytesx5-9/10",
        "bytes x-9/10", "bytes 5-x/10"}) {
    CHECK_MESSAGE(!parse_content_range(wrong).has_value(), wrong);
  }
}
