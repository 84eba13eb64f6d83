// Runs every parser of external data with an allocator that fails at each allocation in turn. The
// result must be complete, or an error or std::bad_alloc.
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/visible.h"
#include "client/api_error.h"
#include "client/fast_delta.h"
#include "http/sse.h"
#include "json/document.h"
#include "json/repair.h"
#include "json/slices.h"
#include "json/text.h"
#include "print/markdown.h"
#include "unit/allocation/failing_allocator.h"
#include "webhook/receiver.h"
#include "webhook/signature.h"
#include "websocket/framing.h"
#include "websocket/handshake.h"

using namespace svc;
using test::fail_at_every_allocation;

namespace {

const std::string k_document =
    R"({"id":"a-long-enough-identifier-for-the-heap","object":"chat.completion","created":1,)"
    R"("choices":[{"index":0,"message":{"role":"assistant","content":"h\u00e9llo \"you\" there"},)"
    R"("finish_reason":"stop"}],"usage":{"total_tokens":123456789012345678901234567890}})";

std::string fed(http::SseParser& parser, std::string_view bytes) {
  std::string seen;
  const auto result = parser.feed(bytes, [&](const http::SseEvent& event) {
    seen.append(event.event).append("=").append(event.data).append(1, '\n');
    return Result<void>();
  });
  return result ? seen : seen + result.error().message;
}

}  // namespace

TEST_CASE("event stream") {
  const std::string stream =
      "\xef\xbb\xbf: a comment\r\nevent: a.rather.long.name.of.an.event\r\ndata: the first line of "
      "it\r\ndata: and the second one\r\nid: 12345678901234567890\r\n\r\ndata: cut in the middle, "
      "so that it must be kept\n\n";
  fail_at_every_allocation("in one piece", [&]() -> Result<std::string> {
    http::SseParser parser;
    return fed(parser, stream);
  });
  fail_at_every_allocation("in pieces, fed on after the failure", [&]() -> Result<std::string> {
    http::SseParser parser;
    std::string seen;
    seen.reserve(1000);
    const auto keep = [&](const http::SseEvent& event) {
      seen.append(event.event).append("=").append(event.data).append(1, '\n');
      return Result<void>();
    };
    std::array<char, 7> piece{};
    try {
      for (std::size_t at = 0; at < stream.size(); at += piece.size()) {
        const std::size_t size = stream.copy(piece.data(), piece.size(), at);
        SVC_CHECK(parser.feed({piece.data(), size}, keep));
        piece.fill('?');  // no view of it may remain
      }
    } catch (const std::bad_alloc&) {
      // Nothing more may be returned, as the current event is incomplete.
      const std::size_t before = seen.size();
      if (parser.feed("\n\ndata: later\n\n", keep) || seen.size() != before)
        return std::string("a broken stream goes on");
      throw;
    }
    return seen;
  });
}

TEST_CASE("JSON as text, in slices and as a document") {
  fail_at_every_allocation("laid out", [&]() -> Result<std::string> {
    std::string out;
    const auto fault = reformat_json(k_document, {.escape_controls = true},
                                     [&](std::string_view piece) { out += piece; });
    if (fault) return usage_error(describe(*fault));
    return out;
  });
  fail_at_every_allocation("slices", [&]() -> Result<std::string> {
    std::string out;
    for (const JsonMember& member : json_members(k_document)) out += member.name;
    const auto choices = json_member(k_document, "choices");
    for (const std::string_view element : json_elements(choices.value_or(""))) out += element;
    constexpr std::array<std::string_view, 2> k_paths{"usage.total_tokens", "nothing|id"};
    for (const auto& picked : json_pick(k_document, k_paths)) out += picked.value_or("-");
    return out;
  });
  fail_at_every_allocation("a document", [&]() -> Result<std::string> {
    const auto document = parse_reply(k_document);
    if (document.is_discarded()) return std::string("discarded");
    return text_member(document, "id") + document.dump();
  });
  fail_at_every_allocation("a text with a lone surrogate", [&]() -> Result<std::string> {
    const auto document = parse_reply(R"({"a":"lone \ud800 surrogate, which a parser refuses"})");
    if (document.is_discarded()) return std::string("discarded");
    return text_member(document, "a");
  });
  fail_at_every_allocation("chunks of a chat stream", [&]() -> Result<std::string> {
    FastDeltaReader reader;
    std::string out;
    for (int i = 0; i < 3; ++i) {
      FastDelta chunk;
      if (!reader.read(
              R"({"id":"x","choices":[{"index":0,"delta":{"content":"some more text of it"}}]})",
              chunk))
        return std::string("not plain");
      out += chunk.content;
    }
    return out;
  });
}

TEST_CASE("WebSocket: the handshake and the frames") {
  fail_at_every_allocation("a refusal", [&]() -> Result<std::string> {
    SVC_TRY(made, websocket::Handshake::make({.url = "ws://127.0.0.1:9/v1/realtime?model=m",
                                              .headers = {{"X-One", "1"}},
                                              .bearer = "a-key-of-some-length-0123456789",
                                              .subprotocols = {"one", "two"}},
                                             "svc/test"));
    SVC_TRY(whole, made.feed("HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\n"
                             "Content-Length: 44\r\n\r\n{\"error\":\"Incorrect API key provided"
                             "\",\"a\":1}"));
    return std::to_string(made.head().status) + (whole ? made.refusal() : "more");
  });
  fail_at_every_allocation("an acceptance", [&]() -> Result<std::string> {
    SVC_TRY(made, websocket::Handshake::make({.url = "ws://127.0.0.1:9/v1/realtime"}, "svc/test"));
    const std::string& text = made.text();
    const std::size_t begin = text.find("Sec-WebSocket-Key: ") + 19;
    const std::string key = text.substr(begin, text.find('\r', begin) - begin);
    SVC_TRY(whole,
            made.feed("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
                      "Upgrade\r\nSec-WebSocket-Accept: " +
                      websocket::accept_key(key) + "\r\n\r\n\x81\x02hi"));
    return std::string(whole && made.accepted() ? "accepted " : "not ") + made.take_rest();
  });
  const std::string text(300, 'x');
  const std::string frames = std::string("\x89\x04ping", 6) +
                             "\x01\x03"
                             "abc" +
                             "\x80\x7e" + std::string("\x01\x2c", 2) + text +
                             std::string("\x82\x03\x01\x02\x03", 5) +
                             std::string("\x88\x12\x03\xe8", 4) + "good-bye to you.";
  fail_at_every_allocation("frames, with what follows a failure", [&]() -> Result<std::string> {
    websocket::Framing framing(1000);
    std::deque<websocket::Message> messages;
    std::string told;
    try {
      for (std::size_t at = 0; at < frames.size(); at += 50)
        framing.receive(frames.substr(at, 50), messages);
    } catch (const std::bad_alloc&) {
      framing.receive("\x81\x01x", messages);  // must accept further calls
      (void)framing.output();
      throw;
    }
    for (const auto& message : messages) told += message.data + '|';
    framing.send({.binary = false, .data = text});
    const std::size_t written = framing.output().size();
    framing.wrote(written);
    if (!framing.ended()) return std::string("no end");
    return told + framing.ended()->reason + std::to_string(written);
  });
}

TEST_CASE("an error from the service") {
  http::HttpHead head;
  head.status = 429;
  head.headers = {{"content-type", "application/json"},
                  {"x-request-id", "req-0123456789-0123456789"},
                  {"www-authenticate", "Bearer realm=\"somewhere far away\""}};
  const std::array<std::string, 1> secrets{"svc-0123456789-secret"};
  for (const std::string_view body :
       {R"({"error":{"message":"slow down, svc-0123456789-secret \u001b[2J","code":"rate_limit"}})",
        R"({"code":"some-code-that-is-long","error":"too many requests for this key today"})",
        "<html><body>an answer of somebody else, who speaks no JSON at all</body></html>"}) {
    fail_at_every_allocation(body, [&]() -> Result<std::string> {
      const Error error = api_error(head, body, secrets);
      const std::string shown = error.message + error.hint + error.code + error.request_id;
      if (shown.find(secrets[0]) != std::string::npos) return std::string("a secret is shown");
      const auto inside = error_in_body(parse_reply(body), secrets);
      return shown + (inside ? inside->message : "none");
    });
  }
}

TEST_CASE("terminal-safe text, and Markdown") {
  const std::string text =
      "# A heading\n\nSome *text* with `code`, \x1b[31mred\x1b[0m \xe2\x80\xae and more of it\n\n| "
      "a "
      "| b |\n|---|---|\n| one | two |\n\n```cpp\nint main() { return 0; }\n```\n\n- an item of a "
      "list\n  - and another, [linked](https://example.org/a/long/way)\n> quoted\n";
  fail_at_every_allocation("text", [&]() -> Result<std::string> {
    VisibleStream stream;
    std::string out = visible(text, Lines::Escape);
    for (std::size_t at = 0; at < text.size(); at += 5)
      out += stream.feed(std::string_view(text).substr(at, 5));
    return out + stream.finish();
  });
  fail_at_every_allocation("Markdown", [&]() -> Result<std::string> {
    print::Terminal terminal{.is_tty = true, .columns = 30, .color = true, .utf8 = true};
    print::MarkdownStream stream(terminal);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += 9)
      out += stream.feed(std::string_view(text).substr(at, 9));
    return out + stream.finish();
  });
}

TEST_CASE("a webhook delivery") {
  const std::array<std::string, 1> secrets{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"};
  const webhook::Delivery valid{.id = "msg_p5jXN8AQM9LWM0D4loKWxJek",
                                .timestamp = "1614265330",
                                .signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                                .body = R"({"test": 2432232314})"};
  const auto judged = [&](const webhook::Delivery& delivery) -> Result<std::string> {
    SVC_TRY(verifier, webhook::Verifier::make(secrets));
    return webhook::describe(verifier.verify(delivery, 1'614'265'330), delivery, 1'614'265'330);
  };
  fail_at_every_allocation("valid", [&] { return judged(valid); });
  webhook::Delivery empty = valid;
  empty.signature = "v1,";  // equal to no digest
  fail_at_every_allocation("an empty signature", [&] { return judged(empty); });
  fail_at_every_allocation("as a request", [&]() -> Result<std::string> {
    webhook::RequestReader reader({});
    const std::string head =
        "POST /hook?x=1 HTTP/1.1\r\nHost: a\r\nwebhook-id: msg_0123456789_0123\r\n";
    const std::string rest =
        "webhook-signature: v1,abc\r\nContent-Length: 20\r\n\r\n01234567890123456789";
    (void)reader.feed(head);
    if (reader.feed(rest) != webhook::RequestReader::Progress::Complete)
      return Error{Fault::Unexpected, std::to_string(reader.status())};
    const webhook::HttpRequest request = reader.take();
    return request.path + request.id + request.signature + request.body;
  });
}

TEST_CASE("a digest is correct or missing") {
  fail_at_every_allocation("SHA-256", [&]() -> Result<std::string> {
    Sha256 hash;
    hash.add("ab");
    hash.add("c");
    return hash.hexadecimal();
  });
}
