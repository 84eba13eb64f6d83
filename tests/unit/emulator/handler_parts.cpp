// What operations share: parts of files, queries, headers, streams; accounts, prices and errors.
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/money.h"
#include "emulator/account/auth.h"
#include "emulator/account/ledger.h"
#include "emulator/handler/socket.h"

namespace svc::emulator::handler_test {

namespace {

// "status|Content-Range|body" of ten bytes.
std::string part(std::string range, std::vector<Header> more = {}, std::string method = "GET") {
  Request request;
  request.method = std::move(method);
  request.headers = std::move(more);
  if (!range.empty()) request.headers.push_back({"range", std::move(range)});
  const Response response = serve_bytes(request, "0123456789", "text/x", "\"tag\"", 1'800'000'000);
  const Header* place = find_header(response.headers, "Content-Range");
  return fmt::format("{}|{}|{}", response.status, place == nullptr ? "" : place->value,
                     response.body);
}

using Charges = std::vector<std::string>;

Charges lines_of(const std::vector<Charge>& charges) {
  Charges lines;
  for (const Charge& one : charges) {
    lines.push_back(
        fmt::format("{} {} {} {}", one.description, one.units, one.unit, one.unit_ticks));
  }
  return lines;
}

// "status body" of a refusal; the value as text, "-" for none.
template <typename Value>
std::string told(Checked<Value> outcome) {
  if (!outcome) {
    const Response refusal = std::move(outcome).error();
    return fmt::format("{} {}", refusal.status, refusal.body);
  }
  return *outcome ? std::to_string(**outcome) : "-";
}

}  // namespace

// RFC 9110, section 14.
TEST_CASE("a part of a file, or the whole where the range is none") {
  const std::string whole = "200||0123456789";
  CHECK(part("") == whole);
  CHECK(part("bytes=0-0") == "206|bytes 0-0/10|0");
  CHECK(part("bytes=2-4") == "206|bytes 2-4/10|234");
  CHECK(part("bytes=2-") == "206|bytes 2-9/10|23456789");
  CHECK(part("bytes=9-9") == "206|bytes 9-9/10|9");
  CHECK(part("bytes=9-99") == "206|bytes 9-9/10|9");
  CHECK(part("bytes=-3") == "206|bytes 7-9/10|789");
  CHECK(part("bytes=-10") == "206|bytes 0-9/10|0123456789");
  CHECK(part("bytes=-11") == "206|bytes 0-9/10|0123456789");
  CHECK(part("bytes= 1 - 2 ") == "206|bytes 1-2/10|12");
  for (const char* beyond : {"bytes=10-", "bytes=10-12", "bytes=-0"}) {
    CHECK(part(beyond) == "416|bytes */10|The range lies beyond the end.\n");
  }
  for (const char* none : {"bytes", "bytes=", "bytes=-", "bytes=4-2", "bytes=x-2", "bytes=2-x",
                           "bytes=1-2,4-5", "items=1-2", "1-2", "bytes=--2"}) {
    CHECK(part(none) == whole);
  }
  CHECK(part("bytes=1-2", {}, "HEAD") == whole);
  CHECK(part("bytes=1-2", {{"If-Range", "\"tag\""}}) == "206|bytes 1-2/10|12");
  CHECK(part("bytes=1-2", {{"If-Range", "Fri, 15 Jan 2027 08:00:00 GMT"}}) ==
        "206|bytes 1-2/10|12");
  CHECK(part("bytes=1-2", {{"If-Range", "\"other\""}}) == whole);

  Request request;
  request.method = "GET";
  const Response response = serve_bytes(request, "x", "text/x", "\"tag\"", 1'800'000'000);
  CHECK(response.content_type == "text/x");
  REQUIRE(response.headers.size() == 3);
  CHECK(response.headers[0].value == "bytes");
  CHECK(response.headers[1].value == "\"tag\"");
  CHECK(response.headers[2].value == "Fri, 15 Jan 2027 08:00:00 GMT");
}

TEST_CASE("queries are decoded, in order; the first of a name counts") {
  const auto all = [](std::string_view target) {
    std::string out;
    for (const Header& one : parse_query(target)) out += one.name + "=" + one.value + ";";
    return out;
  };
  CHECK(all("/x") == "");
  CHECK(all("/x?") == "");
  CHECK(all("/x?a=1&b=%2B+%26&c&&=d&e==f?g") == "a=1;b=+ &;c=;=d;e==f?g;");
  Request request;
  request.query = parse_query("?a=1&a=2");
  CHECK(request.query_value("a") == "1");
  CHECK_FALSE(request.query_value("A").has_value());
  request.headers = {{"A", "1"}, {"a", "2"}};
  CHECK(request.header("a") == "1");
  CHECK_FALSE(request.header("b").has_value());
}

TEST_CASE("a header replaces those with its name, and the content type") {
  Response response;
  response.headers = {{"a", "1"}, {"B", "2"}, {"A", "3"}};
  set_header(response, {"b", "4"});
  set_header(response, {"A", "5"});
  set_header(response, {"content-TYPE", "x/y"});
  CHECK(response.content_type == "x/y");
  REQUIRE(response.headers.size() == 2);
  CHECK(response.headers[0].value == "4");
  CHECK(response.headers[1].value == "5");
}

TEST_CASE("the address of the emulator is the Host that was called, if it is one") {
  const auto address = [](std::optional<std::string> host, bool tls = false,
                          std::string scope = "") {
    Request request;
    if (host) request.headers = {{"Host", *host}};
    request.tls = tls;
    request.scope = std::move(scope);
    return base_url(request);
  };
  CHECK(address("localhost:80") == "http://localhost:80");
  CHECK(address("[::1]:80", true) == "https://[::1]:80");
  CHECK(address("A-z.09") == "http://A-z.09");
  CHECK(address("h", false, "a b") == "http://h/_test/a%20b");
  for (const char* none : {"", "a/b", "a b", "a@b", "a\"b", "a_b", "a`", "a{"}) {
    CHECK(address(none) == "http://127.0.0.1");
  }
  CHECK(address(std::nullopt) == "http://127.0.0.1");
  CHECK(public_file_url("http://h", "tok", "a b.txt") == "http://h/public/files/tok/a%20b.txt");
  CHECK(public_file_url("http://h", "", "a") == "");
}

TEST_CASE("permissions by kind and name") {
  KeyRecord key;
  key.acls = {"api-key:endpoint:chat", "api-key:model:*", "endpoint:files"};
  CHECK(has_acl(key, "endpoint", "chat"));
  CHECK_FALSE(has_acl(key, "endpoint", "cha"));
  CHECK_FALSE(has_acl(key, "endpoint", "files"));
  CHECK(has_acl(key, "model", "anything"));
  CHECK_FALSE(has_acl(key, "models", "anything"));
}

TEST_CASE("a test's name after a demo key, and only there") {
  const auto scope = [](std::string authorization, std::vector<Header> more = {}) {
    HttpRequest request{"GET", "/", std::move(more)};
    request.headers.push_back({"authorization", std::move(authorization)});
    take_scope(request);
    return request.scope + "|" + std::string(request.header("Authorization"));
  };
  CHECK(scope("Bearer svc-demo-key.a") == "a|Bearer svc-demo-key");
  CHECK(scope("Bearer svc-demo-key.a", {{"X-Test-Id", "b"}}) == "b|Bearer svc-demo-key");
  CHECK(scope("Bearer svc-demo-management-key.a") == "a|Bearer svc-demo-management-key");
  for (const char* other :
       {"Bearer svc-demo-keys.a", "Basic svc-demo-key.a", "Bearer svc-demo-kez.a",
        "Bearer svc-demo-key-a", "svc-demo-key.abcdef"}) {
    CHECK(scope(other) == "|" + std::string(other));
  }
}

TEST_CASE("the pieces of a text are words with the blanks before them, of at most 24 characters") {
  const auto pieces = [](std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text::chunk_end(text, at);
      REQUIRE(end > at);
      out += std::string(text.substr(at, end - at)) + "|";
      at = end;
    }
    return out;
  };
  CHECK(pieces("one two") == "one| two|");
  CHECK(pieces(" \t\r\none\ntwo ") == " \t\r\none|\ntwo| |");
  CHECK(pieces(std::string(24, 'a')) == std::string(24, 'a') + "|");
  CHECK(pieces(std::string(25, 'a')) == std::string(24, 'a') + "|a|");
  CHECK(pieces(" " + std::string(24, 'a')) == " " + std::string(23, 'a') + "|a|");
  CHECK(pieces(std::string(24, ' ') + "a") == std::string(24, ' ') + "|a|");
  std::string umlauts;
  for (int i = 0; i < 25; ++i) umlauts += "ü";
  CHECK(pieces(umlauts) == umlauts.substr(2) + "|ü|");
  CHECK(text::chunk_end("abc", 3) == 3);
}

TEST_CASE("a stream's events: names, cuts of a rule with their pauses, and the end") {
  using namespace std::chrono_literals;
  const auto run = [](std::string text, std::vector<text::Cut> cuts, std::string name = "") {
    text::Run made = text::single("", std::move(name));
    made.event = [](sv piece, bool last) { return std::string(piece) + (last ? "!" : ""); };
    made.text = std::move(text);
    made.whole = false;
    made.cuts = std::move(cuts);
    return made;
  };
  text::Feed feed;
  feed.lanes = {{run("one two three", {{3, 0ms}, {13, 70ms}}, "n"), text::single("s", "t")}};
  feed.done_mark = false;
  feed.delay = 5ms;
  const Response response = text::stream(std::move(feed));
  CHECK(response.content_type == "text/event-stream");
  const auto next = [&] {
    const auto chunk = response.next();
    return chunk ? fmt::format("{}|{}|{}", chunk->bytes, chunk->delay.count(), chunk->tokens) : "";
  };
  CHECK(next() == "event: n\ndata: one\n\n|5|1");
  CHECK(next() == "event: n\ndata:  two three!\n\n|70|0");
  CHECK(next() == "event: t\ndata: s\n\n|0|0");
  CHECK(next() == "");
}

TEST_CASE("the handshake of a WebSocket names protocol, version and key") {
  const auto upgrade = [](std::vector<Header> headers) {
    HttpRequest request{"GET", "/", std::move(headers)};
    return asks_for_socket(request);
  };
  CHECK(upgrade({{"upgrade", "WebSocket"}, {"connection", "keep-alive, Upgrade"}}));
  CHECK(upgrade({{"Upgrade", "h2c"}, {"Upgrade", "websocket"}, {"Connection", "upgrade"}}));
  CHECK_FALSE(upgrade({{"Upgrade", "websocket"}}));
  CHECK_FALSE(upgrade({{"Connection", "upgrade"}}));
  CHECK_FALSE(upgrade({{"Upgrade", "websockets"}, {"Connection", "upgrade"}}));

  const auto secret = [](std::vector<Header> headers) {
    HttpRequest request{"GET", "/", std::move(headers)};
    return offered_secret(request).value_or("none");
  };
  const std::string one = std::string(k_secret_prefix) + "1";
  CHECK(secret({}) == "none");
  CHECK(secret({{"Authorization", "Bearer  " + one + " "}}) == one);
  CHECK(secret({{"Authorization", one}}) == "none");
  CHECK(secret({{"Authorization", "Bearer svc-key"}}) == "none");
  CHECK(secret({{"Sec-WebSocket-Protocol", "other, svc-client-secret.a"}}) == "a");
  CHECK(secret({{"Sec-WebSocket-Protocol", "other"}}) == "none");
  CHECK(secret({{"Authorization", "Bearer svc-key"},
                {"Sec-WebSocket-Protocol", "svc-client-secret.a"}}) == "none");
}

TEST_CASE("which handshakes a WebSocket accepts, and what it tells about the others") {
  const Route route = socket_route({.path = "/x",
                                    .factory = [](const Request& request)
                                        -> std::variant<std::shared_ptr<SocketSession>, Response> {
                                      if (request.path == "/full")
                                        return resource_exhausted_error("full");
                                      return std::shared_ptr<SocketSession>();
                                    }});
  CHECK(route.method == "GET");
  CHECK(route.path == "/x");
  const auto answer = [&](std::vector<Header> headers, std::string path = "/x") {
    Request request;
    request.path = std::move(path);
    request.headers = std::move(headers);
    return route.handler(request);
  };
  const auto with = [](std::string key, std::string version = "13", std::string protocol = "") {
    std::vector<Header> headers = {{"Upgrade", "websocket"},
                                   {"Connection", "Upgrade"},
                                   {"Sec-WebSocket-Version", std::move(version)},
                                   {"Sec-WebSocket-Key", std::move(key)}};
    if (!protocol.empty()) headers.push_back({"Sec-WebSocket-Protocol", std::move(protocol)});
    return headers;
  };
  const std::string key = "azAZ09+/azAZ09+/azAZ09==";
  const Response open = answer(with(" " + key + " ", " 13 ", "a, svc-client-secret.b, c"));
  CHECK(open.status == 101);
  REQUIRE(open.socket != nullptr);
  CHECK(open.socket->key == key);
  CHECK(open.socket->protocol == "svc-client-secret.b");
  CHECK(answer(with(key, "13", "a, b")).socket->protocol == "");
  CHECK(answer(with(key), "/full").status == 429);
  for (const std::string wrong :
       {"", "azAZ09+/azAZ09+/azAZ0==", "azAZ09+/azAZ09+/azAZ099==", "azAZ09+/azAZ09+/azAZ099=",
        "azAZ09+/azAZ09+/azAZ0999", "azAZ09+/azAZ09+/azAZ0-==", "-zAZ09+/azAZ09+/azAZ09=="}) {
    CAPTURE(wrong);
    CHECK(answer(with(wrong)).body ==
          R"({"code":"Client specified an invalid argument",)"
          R"("error":"Sec-WebSocket-Key holds no 16 bytes in base64."})");
  }
  const auto upgrade = [](const Response& response, const char* why) {
    CHECK(response.status == 426);
    CHECK(response.body == fmt::format(R"({{"code":"Upgrade required","error":"{}"}})", why));
    std::string headers;
    for (const Header& one : response.headers) headers += one.name + ": " + one.value + "; ";
    CHECK(headers == "Upgrade: websocket; Connection: Upgrade; Sec-WebSocket-Version: 13; ");
  };
  upgrade(answer({}),
          "This operation is a WebSocket: connect to it with wss:// (ws:// on this machine).");
  upgrade(answer(with(key, "")), "The version of the WebSocket protocol is 13.");
  upgrade(answer(with(key, "8")), "The version of the WebSocket protocol is 13.");
}

TEST_CASE("the lines of a bill: cached tokens, long prompts, and none without units") {
  const Model& model = *find_model("svc-4.5");
  const auto bill = [](const Model& of, const TokenUse& use) {
    return lines_of(charges_of(of, use));
  };
  CHECK(bill(model, {.prompt = 10, .cached = 4, .completion = 2, .reasoning = 3, .sources = 6}) ==
        Charges{"svc-4.5 prompt tokens 6 token 20000", "svc-4.5 cached prompt tokens 4 token 5000",
                "svc-4.5 completion tokens 5 token 100000",
                "svc-4.5 search sources 6 source 250000000"});
  CHECK(bill(model, {.prompt = 10, .cached = -1}) ==
        Charges{"svc-4.5 prompt tokens 10 token 20000"});
  CHECK(bill(model, {.prompt = 10, .cached = 11}) ==
        Charges{"svc-4.5 cached prompt tokens 10 token 5000"});
  CHECK(bill(model, {.prompt = 200'000, .completion = 1}) ==
        Charges{"svc-4.5 prompt tokens 200000 token 20000",
                "svc-4.5 completion tokens 1 token 100000"});
  CHECK(bill(model, {.prompt = 200'001, .cached = 1, .completion = 1, .sources = 1}) ==
        Charges{"svc-4.5 prompt tokens 200000 token 40000",
                "svc-4.5 cached prompt tokens 1 token 10000",
                "svc-4.5 completion tokens 1 token 200000",
                "svc-4.5 search sources 1 source 250000000"});
  CHECK(bill(*find_model("svc-3"), {.prompt = 131'072})[0].ends_with(" 30000"));
  CHECK(bill(*find_model("svc-3"), {.prompt = 131'073})[0].ends_with(" 60000"));
  CHECK(lines_of({charge_for(k_spoken_character, 7), charge_for(k_session_input_second, 2, "m")}) ==
        Charges{"speech synthesis 7 character 150000", "m input audio 2 second 5000000"});
}

TEST_CASE("images and videos cost more with their pixels") {
  using namespace media;
  const MediaModel& image = *find_media_model(Product::Image, "svc-imagine-image-latest");
  CHECK(image.name == "svc-imagine-image");
  const auto images = [&](const char* resolution, const char* quality) {
    return image_price(image, resolution, quality) * 100 / image.price;
  };
  CHECK(images("", "") == 100);
  CHECK(images("1k", "high") == 100);
  CHECK(images("1.5k", "medium") == 150);
  CHECK(images("2k", "") == 200);
  CHECK(images("2k", "low") == 100);
  const MediaModel& video = *find_media_model(Product::Video, "svc-imagine-video");
  const auto videos = [&](int side, int seconds) {
    return video_price(video, side, seconds) * 100 / video.price;
  };
  CHECK(videos(480, 1) == 100);
  CHECK(videos(481, 1) == 140);
  CHECK(videos(720, 2) == 280);
  CHECK(videos(721, 1) == 200);
  CHECK(find_media_model(Product::Video, "svc-imagine-image") == nullptr);
  CHECK(find_media_model(Product::Image, "") == nullptr);
  CHECK(find_media_model(Product::Image, "svc-imagine") == nullptr);
}

TEST_CASE("cents are rounded, also below zero; a balance stops at zero and at its limit") {
  using namespace billing;
  const std::int64_t half = k_ticks_per_cent / 2;
  CHECK(cents_of(half - 1) == 0);
  CHECK(cents_of(half) == 1);
  CHECK(cents_of(3 * half - 1) == 1);
  CHECK(cents_of(-half + 1) == 0);
  CHECK(cents_of(-half) == -1);
  const auto stopped = [](std::int64_t credit, std::int64_t postpaid) {
    return Balance{.credit_ticks = credit, .postpaid_ticks = postpaid, .soft_limit_cents = 2}
        .stopped();
  };
  CHECK(stopped(0, 2 * k_ticks_per_cent));
  CHECK(stopped(-1, 2 * k_ticks_per_cent));
  CHECK_FALSE(stopped(0, 2 * k_ticks_per_cent - 1));
  CHECK_FALSE(stopped(1, 2 * k_ticks_per_cent));
  const CreditChange bought{.origin = "PURCHASE", .created_ms = 1'000};
  CHECK(stage_of(bought, 1'499) == TopUp::Invoicing);
  CHECK(stage_of(bought, 1'500) == TopUp::Charging);
  CHECK(stage_of(bought, 2'499) == TopUp::Charging);
  CHECK(stage_of(bought, 2'500) == TopUp::Succeeded);
  CHECK(stage_of({.origin = "MANUAL", .created_ms = 1'000, .declined = true}, 1'000) ==
        TopUp::Succeeded);
}

TEST_CASE("usage is summed by line, or by line and hour; a credit is set to the cent") {
  using namespace billing;
  std::int64_t now_ms = 1'800'000'000'000;  // an hour begins
  const auto state = *State::open(":memory:", [&] { return now_ms; });
  const std::string team(k_demo_team_id);
  const auto charge = [&](const char* what, std::int64_t units) {
    const std::vector<Charge> charges = {{what, "thing", units, 100}};
    REQUIRE(charge_team(*state, team, charges).has_value());
  };
  charge("b", 1);
  charge("a", 2);
  charge("b", 3);
  now_ms += 3'600'000 - 1;
  charge("b", 4);
  now_ms += 1;
  charge("b", 5);
  const auto usage = [&](const UsageSpan& span) {
    const auto lines =
        state->with([&](Database& database) { return usage_of(database, team, span); });
    REQUIRE(lines.has_value());
    std::string out;
    for (const UsageLine& one : *lines) {
      out += fmt::format("{} {} {} {};", one.charge.description, one.charge.units,
                         one.prepaid_ticks, one.hour_s - 1'800'000'000);
    }
    return out;
  };
  constexpr std::int64_t k_begin = 1'800'000'000;
  CHECK(usage({k_begin, k_begin + 7'200, true}) == "a 2 200 0;b 8 800 0;b 5 500 3600;");
  CHECK(usage({k_begin, k_begin + 3'600, true}) == "a 2 200 0;b 8 800 0;");
  CHECK(usage({k_begin + 1, k_begin + 3'601, true}) == "b 5 500 3600;");
  const std::string summed = usage({k_begin, k_begin + 7'200, false});
  CHECK(summed.starts_with("a 2 200 0;b 13 1300 "));
  now_ms += std::int64_t{31} * 86'400'000;
  charge("a", 7);
  const auto months = state->with([&](Database& database) { return spending_of(database, team); });
  REQUIRE(months->size() == 2);
  CHECK((*months)[0].cycle == BillingCycle{2027, 1});
  CHECK((*months)[0].ticks == 1'500);
  CHECK((*months)[1].cycle == BillingCycle{2027, 2});
  CHECK((*months)[1].ticks == 700);

  const auto credit = [&] {
    return state->with([&](Database& database) { return balance_of(database, team, now_ms); })
        ->credit_ticks;
  };
  const auto changes = [&] {
    return state->with([&](Database& database) { return credit_changes(database, team); })->size();
  };
  REQUIRE(set_credit(*state, 5).has_value());
  const std::size_t before = changes();
  CHECK(credit() <= 5 * k_ticks_per_cent);
  CHECK(credit() > 4 * k_ticks_per_cent);
  REQUIRE(set_credit(*state, 5).has_value());
  CHECK(changes() == before);
  REQUIRE(set_credit(*state, 0).has_value());
  CHECK(credit() <= 0);
  CHECK(credit() > -k_ticks_per_cent);
  CHECK(changes() == before + 1);
}

TEST_CASE("the credit pays the first lines of a bill, and a part of the next") {
  using namespace billing;
  const auto state = *State::open(":memory:", [] { return std::int64_t{1'800'000'000'000}; });
  const std::string team(k_demo_team_id);
  REQUIRE(state->set_limits({{"credit_cents", 1}}).has_value());
  constexpr std::int64_t k_tenth = k_ticks_per_cent / 10;
  const std::vector<Charge> charges = {
      {"a", "thing", 6, k_tenth}, {"b", "thing", 6, k_tenth}, {"c", "thing", 3, k_tenth}};
  REQUIRE(charge_team(*state, team, charges).has_value());
  const auto lines = state->with([&](Database& database) {
    return usage_of(database, team, {.begin_s = 0, .end_s = 2'000'000'000});
  });
  REQUIRE(lines->size() == 3);
  CHECK((*lines)[0].prepaid_ticks == 6 * k_tenth);
  CHECK((*lines)[1].prepaid_ticks == 4 * k_tenth);
  CHECK((*lines)[2].prepaid_ticks == 0);
  CHECK((*lines)[1].charge.unit == "thing");
  CHECK((*lines)[1].charge.unit_ticks == k_tenth);
  const auto balance = *state->with(
      [&](Database& database) { return balance_of(database, team, 1'800'000'000'000); });
  CHECK(balance.credit_ticks == 0);
  CHECK(balance.postpaid_ticks == 5 * k_tenth);
  CHECK(balance.soft_limit_cents == 0);
  CHECK(balance.stopped());
  const auto refusal = check_balance(*state, team);
  REQUIRE(refusal.has_value());
  CHECK(refusal->status == 429);
  CHECK(find_header(refusal->headers, "Retry-After") == nullptr);
  CHECK_FALSE(check_balance(*state, "another team").has_value());
}

TEST_CASE("payment methods, the default one first") {
  const auto ids = [](std::string_view first) {
    std::string out;
    for (const auto& one : billing::payment_methods(first, 1'800'000'000)) {
      out += one["paymentMethodId"].get<std::string>() + " " +
             one["paymentType"].get<std::string>() + ";";
      CHECK(one["addedTs"] == "2027-01-15T08:00:00Z");
      CHECK(one["billingInfo"]["name"] == "Emulator Demo Team");
    }
    return out;
  };
  CHECK(ids("pm-emulator-visa") ==
        "pm-emulator-visa CARD;pm-emulator-declined CARD;pm-emulator-bank US_BANK_ACCOUNT;"
        "pm-emulator-link LINK;");
  CHECK(ids("pm-emulator-bank") ==
        "pm-emulator-bank US_BANK_ACCOUNT;pm-emulator-visa CARD;pm-emulator-declined CARD;"
        "pm-emulator-link LINK;");
  const auto methods = billing::payment_methods("pm-emulator-visa", 0);
  CHECK(methods[0]["cardDetails"]["last4"] == "4242");
  CHECK(methods[1]["cardDetails"]["brand"] == "mastercard");
  CHECK(methods[2]["usBankAccountDetails"]["last4"] == "6789");
  CHECK(methods[3]["linkDetails"]["email"] == "billing@emulator.example");
  CHECK(billing::is_payment_method("pm-emulator-link"));
  CHECK_FALSE(billing::is_payment_method("pm-emulator"));
}

TEST_CASE("errors of the management service") {
  using namespace management;
  const auto status = [](Code code) { return management::error_response(code, "m").status; };
  CHECK(status(Code::InvalidArgument) == 400);
  CHECK(status(Code::NotFound) == 404);
  CHECK(status(Code::AlreadyExists) == 409);
  CHECK(status(Code::PermissionDenied) == 403);
  CHECK(status(Code::ResourceExhausted) == 429);
  CHECK(status(Code::FailedPrecondition) == 400);
  CHECK(status(Code::Unimplemented) == 405);
  CHECK(status(Code::Internal) == 500);
  CHECK(status(Code::Unauthenticated) == 401);
  const auto converted = [](int given, std::string type = "application/json") {
    return to_management_error(
               {.status = given, .content_type = std::move(type), .body = R"({"error":"why"})"})
        .body;
  };
  for (const auto& [http, code] : {std::pair(400, 3),
                                   {404, 5},
                                   {409, 6},
                                   {403, 7},
                                   {429, 8},
                                   {405, 12},
                                   {500, 13},
                                   {401, 16},
                                   {499, 3},
                                   {501, 13},
                                   {422, 3},
                                   {503, 13}}) {
    CHECK(converted(http) == fmt::format(R"({{"code":{},"message":"why","details":[]}})", code));
  }
  CHECK(converted(399) == R"({"error":"why"})");
  CHECK(converted(400, "text/plain") == R"({"error":"why"})");
  CHECK(to_management_error({.status = 400, .body = R"({"message":"m"})"}).body ==
        R"({"message":"m"})");

  const auto query = [](std::optional<std::string> value) {
    Request request;
    if (value) request.query = {{"n", *value}};
    return told(query_number(request, "n", 2, 5));
  };
  CHECK(query(std::nullopt) == "-");
  CHECK(query("") == "-");
  CHECK(query("2") == "2");
  CHECK(query("5") == "5");
  for (const char* wrong : {"1", "6", "x", "2.0"}) {
    CHECK(query(wrong) ==
          fmt::format(R"(400 {{"code":3,"message":"n: {} is not a whole number from 2 to 5. )"
                      R"([WKE=form-invalid:range:n]\n","details":[]}})",
                      wrong));
  }
  CHECK(told(time_of("t", "1970-01-01T00:00:09Z")) == "9");
  CHECK(told(time_of("t", "")) == "-");
  CHECK(
      told(time_of("t", "soon")).starts_with(R"(400 {"code":3,"message":"t: soon is not a time)"));
  const Json numbers = Json::parse(R"({"a": 1, "b": "2", "c": "x", "d": 1.5, "e": null})");
  CHECK(get_int64(numbers, "a") == 1);
  CHECK(get_int64(numbers, "b") == 2);
  for (const char* none : {"c", "d", "e", "f"}) CHECK_FALSE(get_int64(numbers, none).has_value());
  CHECK(mask_key("1234567") == "***");
  CHECK(mask_key("12345678") == "12***78");
}

TEST_CASE("ten keys at once, then one every 1.5 seconds, for each team") {
  const auto state = *State::open(":memory:");
  const auto wait = [&](std::int64_t now_ms, const char* team = "t") {
    return *state->with(
        [&](Database& database) { return keys::admit_creation(database, team, now_ms); });
  };
  for (int i = 0; i < 10; ++i) CHECK(wait(1'000'000) == 0);
  CHECK(wait(1'000'000) == 1'500);
  CHECK(wait(1'000'000, "u") == 0);
  CHECK(wait(1'001'499) == 1);
  CHECK(wait(1'001'500) == 0);
  CHECK(wait(1'001'500) == 1'500);
  for (int i = 0; i < 10; ++i) CHECK(wait(2'000'000) == 0);
  CHECK(wait(2'000'000) == 1'500);
}

TEST_CASE("keys are listed page by page, by user, permission and end") {
  const auto state = *State::open(":memory:");
  const auto add = [&](std::string id, std::string user, std::vector<std::string> acls,
                       std::optional<std::int64_t> expires = {}) {
    KeyRecord key;
    key.id = id;
    key.team_id = "t";
    key.user_id = std::move(user);
    key.acls = std::move(acls);
    key.expire_time = expires;
    REQUIRE(state->add_key(key, "secret " + id).has_value());
  };
  add("1", "u", {"a", "b"});
  add("2", "v", {"ab"}, 100);
  add("3", "u", {"b"}, 101);
  add("4", "v", {});
  const auto list = [&](keys::KeyQuery query) {
    query.team_id = "t";
    const auto page =
        *state->with([&](Database& database) { return keys::list_keys(database, query); });
    std::string out;
    for (const KeyRecord& key : page.keys) out += key.id;
    return out + (page.more ? "+" : "");
  };
  CHECK(list({}) == "1234");
  CHECK(list({.user_id = "u"}) == "13");
  CHECK(list({.acls = {"b"}}) == "13");
  CHECK(list({.acls = {"b", "a"}}) == "1");
  CHECK(list({.acls = {"ab"}}) == "2");
  CHECK(list({.unexpired_at = 100}) == "134");
  CHECK(list({.unexpired_at = 99}) == "1234");
  CHECK(list({.limit = 3}) == "123+");
  CHECK(list({.limit = 4}) == "1234");
  CHECK(list({.limit = 0}) == "+");
  CHECK(list({.limit = -1}) == "1234");
  const auto first = *state->with(
      [&](Database& database) { return keys::list_keys(database, {.team_id = "t", .limit = 2}); });
  CHECK(list({.after = first.position}) == "34");
  CHECK(list({.acls = {"b"}, .after = first.position, .limit = 1}) == "3");
}

TEST_CASE("a page token holds its values, for its list only") {
  const std::string token = make_page_token("keys", {"a", "", "\xff?>~"});
  CHECK(token.find_first_of("+/=&?") == std::string::npos);
  const auto read = read_page_token("keys", token, 3);
  REQUIRE(read.has_value());
  CHECK((*read)[0] == "a");
  CHECK((*read)[1].empty());
  CHECK_FALSE(read_page_token("keys", token, 2).has_value());
  CHECK_FALSE(read_page_token("key", token, 3).has_value());
  CHECK_FALSE(read_page_token("keys", token + "x", 3).has_value());
  CHECK(read_page_number("n", make_page_token("n", {"-12"})) == -12);
  CHECK_FALSE(read_page_number("n", make_page_token("n", {"x"})).has_value());
  CHECK_FALSE(read_page_number("n", make_page_token("n", {"1", "2"})).has_value());
  CHECK_FALSE(read_page_number("n", "").has_value());
  for (const char* wrong : {"[1]", "{}", "\"a\"", "x"}) {
    CHECK_FALSE(read_page_token("n", text::seal("n", wrong), 1).has_value());
  }
  CHECK(read_page_token("n", text::seal("n", R"(["a"])"), 1).has_value());
}

TEST_CASE("a rotated secret is valid until its end, for the kind of its key") {
  std::int64_t now_ms = 5'000;
  const auto state = *State::open(":memory:", [&] { return now_ms; });
  KeyRecord key;
  key.id = "k";
  key.team_id = "t";
  key.redacted = "new";
  REQUIRE(state->add_key(key, "one").has_value());
  const auto replace = [&](const char* secret, std::int64_t until) {
    REQUIRE(state
                ->with([&](Database& database) {
                  return keys::replace_secret(database, key, secret, until, now_ms);
                })
                .has_value());
  };
  const auto works = [&](const char* secret) { return state->find_key(secret)->has_value(); };
  replace("two", 6'000);
  CHECK(works("one"));
  CHECK(works("two"));
  now_ms = 5'999;
  CHECK(works("one"));
  CHECK_FALSE(state->find_key("one", keys::Kind::Management)->has_value());
  now_ms = 6'000;
  CHECK_FALSE(works("one"));
  CHECK(works("two"));
  replace("three", 9'000);
  CHECK(works("two"));
  CHECK((*state->find_key("three"))->redacted == "new");
  CHECK(*state->with([](Database& database) { return keys::changed_ms(database, "k"); }) == 6'000);
  REQUIRE(
      state->with([](Database& database) { return keys::delete_key(database, "k"); }).has_value());
  CHECK_FALSE(works("two"));
  CHECK_FALSE(works("three"));
  CHECK_FALSE(state->with([](Database& database) { return keys::find_by_id(database, "t", "k"); })
                  ->has_value());
}

TEST_CASE("IDs of a seed are UUIDs of version 4, and use every bit that those leave") {
  const auto state = *State::open(":memory:");
  REQUIRE(state->seed_ids(3).has_value());
  constexpr std::string_view k_shape = "xxxxxxxx-xxxx-4xxx-vxxx-xxxxxxxxxxxx";
  std::vector<std::set<char>> seen(k_shape.size());
  std::set<std::string> all;
  for (int i = 0; i < 400; ++i) {
    const std::string id = state->new_uuid();
    REQUIRE(id.size() == k_shape.size());
    for (std::size_t k = 0; k < id.size(); ++k) seen[k].insert(id[k]);
    all.insert(id);
  }
  CHECK(all.size() == 400);
  const std::string digits = "0123456789abcdef";
  for (std::size_t k = 0; k < k_shape.size(); ++k) {
    const std::string values(seen[k].begin(), seen[k].end());
    const std::string expected = k_shape[k] == 'x'   ? digits
                                 : k_shape[k] == 'v' ? "89ab"
                                                     : std::string(1, k_shape[k]);
    CHECK(values == expected);
  }
}

TEST_CASE("a deferred result may be kept, and limits hold until a reset") {
  std::int64_t now_ms = 1'000'000;
  const auto state = *State::open(":memory:", [&] { return now_ms; });
  REQUIRE(state->add_deferred({"d", "t", now_ms + 1, "body"}).has_value());
  CHECK(state->fetch_deferred("t", "d", true)->status == DeferredFetch::Status::Pending);
  now_ms += 1;
  CHECK(state->fetch_deferred("u", "d", true)->status == DeferredFetch::Status::Unknown);
  for (int i = 0; i < 2; ++i) CHECK(state->fetch_deferred("t", "d", true)->body == "body");
  now_ms += 86'400'000 - 1'001;
  CHECK(state->fetch_deferred("t", "d", true)->status == DeferredFetch::Status::Ready);
  now_ms += 1'000;
  CHECK(state->fetch_deferred("t", "d", true)->status == DeferredFetch::Status::Unknown);

  const auto limit = [&](const char* name) {
    return *state->with([&](Database& database) { return limit_of(database, name); });
  };
  CHECK(limit("realtime_sessions") == 10);
  CHECK(limit("credit_cents") == 1'000'000);
  REQUIRE(state->set_limits({{"realtime_sessions", 0}, {"credit_cents", 3}}).has_value());
  CHECK(limit("realtime_sessions") == 0);
  CHECK(limit("credit_cents") == 3);
  CHECK_FALSE(state->set_limits({{"realtime_sessions", 5}, {"credit_cents", -1}}).has_value());
  CHECK(limit("realtime_sessions") == 0);
  state->advance(std::chrono::hours(1));
  CHECK(state->now_ms() == now_ms + 3'600'000);
  REQUIRE(state->reset().has_value());
  CHECK(limit("realtime_sessions") == 10);
  CHECK(state->now_ms() == now_ms);
  REQUIRE(state->reset(77).has_value());
  CHECK(state->now_ms() == 77'000);
  now_ms += 5;
  CHECK(state->now_ms() == 77'005);
}

}  // namespace svc::emulator::handler_test
