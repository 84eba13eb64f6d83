// The parts of `svc phone listen`.
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "commands/phone/listen_parts.h"
#include "commands/phone/listen_programs.h"
#include "unit/base/temporary_directory.h"

namespace svc::cli {
namespace {

using EventKind = ListenEvent::Kind;
using Texts = std::vector<std::string>;

std::string stored_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// What the output of a tunnel program becomes; the last is how its end is told.
Texts told_by_tunnel(const std::string& output, const std::string& then) {
  const test::TemporaryDirectory directory;
  std::ofstream(directory.file("said")) << output;
  ListenQueue queue;
  const Tunnel tunnel("cat " + directory.file("said") + "; " + then, 8080, "/calls", queue);
  Texts told;
  while (true) {
    const auto event = queue.take();
    if (event) told.push_back(event->text);
    if (event && event->kind == EventKind::Failed) return told;
    if (!event) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

std::size_t files_in(const test::TemporaryDirectory& directory) {
  return directory.names().size();
}

}  // namespace

TEST_CASE("a program's output becomes lines") {
  Texts lines;
  LineCutter cut([&lines](std::string line) { lines.push_back(std::move(line)); });
  cut("one\n\ntw");
  CHECK(lines == Texts{"one", ""});
  cut("o\nthree");
  CHECK(lines == Texts{"one", "", "two"});
  cut.finish();
  CHECK(lines == Texts{"one", "", "two", "three"});
  cut.finish();
  CHECK(lines.size() == 4);
}

TEST_CASE("a line without an end is cut after 4 MB") {
  std::vector<std::size_t> lengths;
  LineCutter cut([&lengths](const std::string& line) { lengths.push_back(line.size()); });
  constexpr std::size_t most = 4U << 20U;
  cut(std::string(most, 'x'));
  CHECK(lengths.empty());
  cut("y");
  CHECK(lengths == std::vector{most + 1});
  cut("z\n");
  CHECK(lengths == std::vector{most + 1, std::size_t{1}});
}

TEST_CASE("a thousand events wait at most, and deliveries that were promised room") {
  ListenQueue queue;
  CHECK_FALSE(queue.take());
  for (int i = 0; i < 1'000; ++i) {
    REQUIRE(queue.has_room());
    REQUIRE(queue.put({EventKind::Note, std::to_string(i)}));
  }
  CHECK_FALSE(queue.has_room());
  CHECK_FALSE(queue.put({EventKind::Note, "one too many"}));
  CHECK(queue.put({EventKind::Delivery, "promised"}));
  CHECK(queue.take().value().text == "0");
  CHECK_FALSE(queue.has_room());
  CHECK(queue.take().value().text == "1");
  CHECK(queue.has_room());
  CHECK(queue.put({EventKind::Line, "last"}));
  for (int i = 2; i < 1'000; ++i) CHECK(queue.take().value().text == std::to_string(i));
  CHECK(queue.take().value().kind == EventKind::Delivery);
  CHECK(queue.take().value().text == "last");
  CHECK_FALSE(queue.take());
  // Nobody takes anything from a closed queue, so nothing waits for room in it.
  while (queue.put({EventKind::Note, "x"})) {
  }
  queue.close();
  queue.put_when_room({EventKind::Note, "dropped"});
  CHECK(queue.take().value().text == "x");
}

TEST_CASE("a thousand reasons of rejections are kept, the rest is counted") {
  ListenQueue queue;
  CHECK(queue.take_refusals(20) == std::pair(Texts(), std::size_t{0}));
  for (int i = 0; i < 1'003; ++i) queue.refuse(std::to_string(i));
  CHECK(queue.take_refusals(2) == std::pair(Texts{"0", "1"}, std::size_t{0}));
  CHECK(queue.take_refusals(0) == std::pair(Texts(), std::size_t{0}));
  const auto [rest, more] = queue.take_refusals(5'000);
  CHECK(rest.size() == 998);
  CHECK(rest.back() == "999");
  CHECK(more == 3);
  CHECK(queue.take_refusals(20) == std::pair(Texts(), std::size_t{0}));
}

TEST_CASE("a number of a flag is positive, or the usual one") {
  CHECK(listen_number(std::nullopt, 10) == 10);
  CHECK(listen_number(0, 10) == 10);
  CHECK(listen_number(-1, 10) == 10);
  CHECK(listen_number(1, 10) == 1);
}

TEST_CASE("a delivery is stored with its headers, its time and its answer") {
  const test::TemporaryDirectory directory;
  auto store = DeliveryStore::open(directory.path().string());
  REQUIRE(store);
  const webhook::Delivery delivery{.id = "evt_1-a/../b",
                                   .timestamp = "17",
                                   .signature = "v1,a\r\nb",
                                   .body = "{\n\"a\": 1}\n\n"};
  REQUIRE(store->save(delivery, 86'400, {}));
  REQUIRE(store->save(delivery, 86'400, {401, "wrong\nsignature"}));
  const std::string first = stored_text(directory.file("86400-evt_1-a____b.delivery"));
  CHECK(first ==
        "webhook-id: evt_1-a/../b\nwebhook-timestamp: 17\nwebhook-signature: v1,a  b\n"
        "received: 1970-01-02T00:00:00Z\nanswered: 204\n\n{\n\"a\": 1}\n\n");
  const std::string second = stored_text(directory.file("86400-evt_1-a____b-2.delivery"));
  CHECK(second.find("\nanswered: 401 wrong signature\n\n") != std::string::npos);
  const auto read = read_stored_delivery(first);
  REQUIRE(read);
  CHECK(read->delivery.id == delivery.id);
  CHECK(read->delivery.timestamp == "17");
  CHECK(read->delivery.signature == "v1,a  b");
  CHECK(read->delivery.body == delivery.body);
  CHECK(read->received == 86'400);
  CHECK(files_in(directory) == 2);
}

TEST_CASE("the file of a delivery is named by 60 characters of its ID, if it has one") {
  const test::TemporaryDirectory directory;
  auto store = DeliveryStore::open(directory.path().string());
  REQUIRE(store);
  for (const std::string& id : {std::string(60, 'x'), std::string(61, 'y'), std::string()}) {
    REQUIRE(store->save({.id = id}, 1, {}));
  }
  std::vector<std::string> names = directory.names();
  std::ranges::sort(names);
  CHECK(names == Texts{"1-no-id.delivery", "1-" + std::string(60, 'x') + ".delivery",
                       "1-" + std::string(60, 'y') + ".delivery"});
}

TEST_CASE("a thousand rejected deliveries are stored at most, and all others") {
  const test::TemporaryDirectory directory;
  auto store = DeliveryStore::open(directory.path().string());
  REQUIRE(store);
  for (int i = 0; i < 999; ++i) REQUIRE(store->save({.id = std::to_string(i)}, 1, {400, "x"}));
  REQUIRE(store->save({.id = "accepted"}, 1, {}));
  REQUIRE(store->save({.id = "last"}, 1, {400, "x"}));
  CHECK(files_in(directory) == 1'001);
  REQUIRE(store->save({.id = "left-out"}, 1, {400, "x"}));
  CHECK(files_in(directory) == 1'001);
  REQUIRE(store->save({.id = "accepted-too"}, 1, {}));
  CHECK(files_in(directory) == 1'002);
}

TEST_CASE("a stored delivery is recognised by the time of its arrival") {
  const auto bare = read_stored_delivery("received: 1970-01-01T00:00:01Z");
  REQUIRE(bare);
  CHECK(bare->received == 1);
  CHECK(bare->delivery.body.empty());
  CHECK(bare->delivery.id.empty());
  CHECK(read_stored_delivery("received: 1970-01-01T00:00:01Z\n\n")->delivery.body.empty());
  CHECK(read_stored_delivery("received: 1970-01-01T00:00:01Z\n\n\n")->delivery.body == "\n");
  for (const char* other : {"", "{\"a\":1}", "received: yesterday\n\nx", "received\n\nx",
                            "\nreceived: 1970-01-01T00:00:01Z\n"}) {
    CAPTURE(other);
    const auto wrong = read_stored_delivery(other);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().fault == Fault::Usage);
    CHECK(wrong.error().message == "not a delivery saved by `svc phone listen --store`");
    CHECK(wrong.error().hint == "Pass a raw body with --headers FILE instead.");
  }
}

TEST_CASE("a tunnel program gets the port, and how it ended is told with its last words") {
  CHECK(told_by_tunnel("", "echo {port}/{port}; echo ' '; exit 3") ==
        Texts{"the tunnel program exited (exit code 3: 8080/8080)"});
  CHECK(told_by_tunnel("", "true") == Texts{"the tunnel program exited (exit code 0)"});
  CHECK(told_by_tunnel(std::string(400, 'x'), "true") ==
        Texts{"the tunnel program exited (exit code 0: " + std::string(400, 'x') + ")"});
  CHECK(told_by_tunnel(std::string(401, 'x'), "true") ==
        Texts{"the tunnel program exited (exit code 0: " + std::string(400, 'x') + "…)"});
}

TEST_CASE("the public URLs in a tunnel program's lines are told, each once") {
  const std::string lines =
      "at https://a.example and http://b.example:80, https://a.example\n"
      "http://localhost:1 http://127.0.0.1:2 https://0.0.0.0:3 http://[::1]:4 https:// http:/ x\n"
      "(https://c.example). [https://d.example]; {https://e.example}: |https://f.example| g\n"
      "<https://h.example> 'https://i.example' \"https://j.example\" `https://k.example`\n"
      "https://l.example\\n https://m.example\tn https://o.example\xc2\xa0p https://q.example\x7f\n"
      "https://r.example/ https://s.example/terms https://t.example/?u";
  Texts told = told_by_tunnel(lines, "true");
  told.pop_back();
  Texts wanted;
  for (const char host : std::string_view("abcdefhijklmoqr")) {
    wanted.push_back(fmt::format("deliveries arrive through http{}://{}.example{}/calls",
                                 host == 'b' ? "" : "s", host, host == 'b' ? ":80" : ""));
  }
  wanted.emplace_back("the tunnel program printed https://s.example/terms");
  CHECK(told.size() == wanted.size() + 1);
  told.resize(wanted.size());
  CHECK(told == wanted);
}

TEST_CASE("of a tunnel program's URLs, twenty are told, none longer than 300 characters") {
  const std::string longest = "https://a.example/" + std::string(282, 'x');
  std::string lines = longest + "y " + longest + "\n";
  for (int i = 0; i < 20; ++i) lines += fmt::format("https://{}.example\n", i);
  const Texts told = told_by_tunnel(lines, "true");
  REQUIRE(told.size() == 21);
  CHECK(told.front() == "the tunnel program printed " + longest);
  CHECK(told[19] == "deliveries arrive through https://18.example/calls");
}

}  // namespace svc::cli
