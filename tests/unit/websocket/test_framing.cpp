// The rules of RFC 6455 after the handshake, byte by byte.
#include <algorithm>

#include <doctest/doctest.h>

#include "support/fault_frames.h"
#include "websocket/framing.h"

using namespace svc::websocket;
using svc::test::frame_bytes;
using svc::test::read_client_frame;

namespace {

constexpr std::size_t k_cap = 1U << 20U;

std::string frame(std::string_view words) {
  const auto made = frame_bytes(words);
  REQUIRE_MESSAGE(made.has_value(), words);
  return *made;
}

/// The result of bytes that arrive in pieces of `step`.
struct FramingWorld {
  explicit FramingWorld(std::size_t cap = k_cap) : framing(cap) {}

  void arrives(std::string_view bytes, std::size_t step = std::string_view::npos) {
    for (std::size_t at = 0; at < bytes.size(); at += std::min(step, bytes.size())) {
      framing.receive(bytes.substr(at, step), messages);
    }
  }

  /// "text A|binary B", and how it ended.
  std::string told() {
    std::string out;
    for (const Message& message : messages) {
      out += (out.empty() ? "" : "|") + std::string(message.binary ? "binary " : "text ") +
             message.data;
    }
    if (const auto& end = framing.ended()) {
      out += (out.empty() ? "" : "|") + std::string(end->closed_locally ? "broken " : "closed ") +
             std::to_string(end->code) + (end->closed_locally ? "" : " " + end->reason);
    }
    return out;
  }

  /// This side's output, parsed as by a server: "text A|pong x".
  std::string written() {
    std::string bytes;
    for (auto piece = framing.output(); !piece.empty(); piece = framing.output()) {
      bytes += piece;
      framing.wrote(piece.size());
    }
    std::string out;
    while (const auto one = read_client_frame(bytes)) {
      out += (out.empty() ? "" : "|") + one->record;
      bytes.erase(0, one->size);
    }
    CHECK(bytes.empty());
    return out;
  }

  Framing framing;
  std::deque<Message> messages{};
};

std::string told(std::string_view bytes) {
  FramingWorld whole;
  whole.arrives(bytes);
  FramingWorld single;
  single.arrives(bytes, 1);
  CHECK(whole.told() == single.told());
  return whole.told();
}

}  // namespace

TEST_CASE("messages of every size") {
  CHECK(told(frame("text hello")) == "text hello");
  CHECK(told(frame("text") + frame("binary")) == "text |binary ");
  for (const std::size_t size : {1UL, 125UL, 126UL, 127UL, 128UL, 65'535UL, 65'536UL, 100'000UL}) {
    CAPTURE(size);
    const std::string payload(size, '*');
    CHECK(told(frame("text " + payload)) == "text " + payload);
    CHECK(told(frame("binary " + payload)) == "binary " + payload);
  }
}

TEST_CASE("fragments, and control frames between them") {
  CHECK(told(frame("more text a") + frame("more continuation b") + frame("continuation c")) ==
        "text abc");
  CHECK(told(frame("more text") + frame("more continuation") + frame("continuation")) == "text ");
  FramingWorld world;
  world.arrives(frame("more binary a") + frame("ping 1") + frame("continuation b"));
  CHECK(world.told() == "binary ab");
  CHECK(world.written() == "pong 1");
  std::string many = frame("more text");
  for (int i = 0; i < 65'536 / 16; ++i) many += frame("more continuation " + std::string(64, 'x'));
  FramingWorld long_one;
  long_one.arrives(many + frame("continuation end"));
  REQUIRE(long_one.messages.size() == 1);
  CHECK(long_one.messages[0].data.size() == 64 * 4096 + 3);
}

TEST_CASE("protocol violations end with 1002") {
  for (const char* words : {"rsv1 text a",
                            "rsv2 text",
                            "rsv3 ping",
                            "3",
                            "4 x",
                            "5",
                            "6",
                            "7",
                            "11",
                            "12",
                            "13",
                            "14",
                            "15",
                            "masked text hello",
                            "masked ping",
                            "continuation a",
                            "more continuation a",
                            "more ping",
                            "more close 1000",
                            "long text hello",
                            "long ping a"}) {
    CAPTURE(words);
    FramingWorld world;
    world.arrives(frame(words) + frame("text late"));
    CHECK(world.told() == "broken 1002");
    CHECK(world.written().starts_with("close 1002 "));
  }
  // A message within another one.
  CHECK(told(frame("more text a") + frame("text b")) == "broken 1002");
  CHECK(told(frame("more text a") + frame("binary b")) == "broken 1002");
  // Control frames of 126 bytes; 125 are allowed.
  CHECK(told(frame("ping " + std::string(126, 'x'))) == "broken 1002");
  CHECK(told(frame("pong " + std::string(126, 'x'))) == "broken 1002");
  CHECK(told(frame("close 1000 " + std::string(124, 'x'))) == "broken 1002");
  CHECK(told(frame("ping " + std::string(125, 'x'))).empty());
}

TEST_CASE("what a peer violated is told in words, to it too") {
  const auto why = [](std::string_view bytes) {
    FramingWorld world;
    world.arrives(bytes);
    REQUIRE(world.framing.ended().has_value());
    const Close end = *world.framing.ended();
    CHECK(end.closed_locally);
    CHECK(world.written() == "close " + std::to_string(end.code) + " " + end.reason);
    return std::to_string(end.code) + " " + end.reason;
  };
  using namespace std::string_literals;
  CHECK(why(frame("rsv2 text")) == "1002 reserved bits are set");
  CHECK(why(frame("3")) == "1002 unknown frame type");
  CHECK(why(frame("11")) == "1002 unknown frame type");
  CHECK(why(frame("masked text a")) == "1002 a frame from the server is masked");
  CHECK(why(frame("long text a")) == "1002 a length is not encoded in its shortest form");
  CHECK(why("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff") == "1002 a length is out of range");
  CHECK(why(frame("more ping")) == "1002 a control frame is fragmented");
  CHECK(why(frame("ping " + std::string(126, 'x'))) == "1002 a control frame is too long");
  CHECK(why(frame("continuation a")) == "1002 unexpected continuation");
  CHECK(why(frame("more text a") + frame("text b")) == "1002 a message starts within another");
  CHECK(why(frame("declares 2000000 text")) == "1009 a message is longer than 1 MB");
  CHECK(why("\x88\x01\x03"s) == "1002 a close frame has an incomplete code");
  CHECK(why(frame("close 1005")) == "1002 a close frame has an invalid code");
  CHECK(why(frame("close 1000 \xff")) == "1007 the reason of a close frame is not valid UTF-8");
  CHECK(why(frame("text \xff")) == "1007 a text message is not valid UTF-8");
}

TEST_CASE("a length uses its shortest encoding") {
  const auto with_length = [](std::string length, std::size_t size) {
    return "\x82" + length + std::string(size, 'x');
  };
  using namespace std::string_literals;
  CHECK(told(with_length("\x7e\x00\x7d"s, 125)) == "broken 1002");
  CHECK(told(with_length("\x7e\x00\x05"s, 5)) == "broken 1002");
  CHECK(told(with_length("\x7e\x00\x7e"s, 126)) == "binary " + std::string(126, 'x'));
  CHECK(told(with_length("\x7f\x00\x00\x00\x00\x00\x00\xff\xff"s, 65'535)) == "broken 1002");
  CHECK(told(with_length("\x7f\x00\x00\x00\x00\x00\x01\x00\x00"s, 65'536)) ==
        "binary " + std::string(65'536, 'x'));
}

TEST_CASE("a violation is detected in the head, before any payload") {
  for (const char* words : {"declares 5 masked text", "declares 5 rsv1 text", "declares 7 3"}) {
    CAPTURE(words);
    CHECK(told(frame(words)) == "broken 1002");
  }
  // The top bit of a length.
  CHECK(told(std::string("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff")) == "broken 1002");
}

TEST_CASE("pings are answered, of several only the last") {
  FramingWorld world;
  world.arrives(frame("ping a"));
  CHECK(world.written() == "pong a");
  std::string flood;
  for (int i = 0; i < 10'000; ++i) flood += frame("ping " + std::to_string(i));
  world.arrives(flood);
  CHECK(world.written() == "pong 9999");
  world.arrives(frame("ping"));
  CHECK(world.written() == "pong");
  world.arrives(frame("pong unasked"));
  CHECK(world.written().empty());
  CHECK(world.told().empty());
}

TEST_CASE("text must be UTF-8, and invalid text fails fast") {
  const std::string good = "κόσμε \xF0\x9F\x98\x80 \xEF\xBF\xBF";
  CHECK(told(frame("text " + good)) == "text " + good);
  // Split within a character, between frames.
  CHECK(told(frame("more text \xF0\x9F") + frame("continuation \x98\x80")) ==
        "text \xF0\x9F\x98\x80");
  for (const char* bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\x80",
                          "\xe2\x82", "\xf8\x88\x80\x80\x80"}) {
    CAPTURE(bad);
    CHECK(told(frame("text " + std::string(bad))) == "broken 1007");
    CHECK(told(frame("binary " + std::string(bad))) == "binary " + std::string(bad));
  }
  // As soon as it is detected, although the message is far from its end.
  FramingWorld fast;
  fast.arrives(frame("declares 1000 text ab\xff"));
  CHECK(fast.told() == "broken 1007");
  FramingWorld cut;
  cut.arrives(frame("more text a\xf4"));
  CHECK(cut.told().empty());
  cut.arrives(frame("more continuation \x90"));
  CHECK(cut.told() == "broken 1007");
}

TEST_CASE("close frames from the peer") {
  CHECK(told(frame("close 1000 bye")) == "closed 1000 bye");
  CHECK(told(frame("close")) == "closed 1005 ");
  for (const int code : {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014,
                         3000, 3999, 4000, 4999}) {
    FramingWorld world;
    world.arrives(frame("close " + std::to_string(code)));
    CHECK(world.told() == "closed " + std::to_string(code) + " ");
    CHECK(world.written() == "close " + std::to_string(code) + " ");
  }
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535}) {
    CAPTURE(code);
    CHECK(told(frame("close " + std::to_string(code))) == "broken 1002");
  }
  CHECK(told(std::string("\x88\x01\x03", 3)) == "broken 1002");
  CHECK(told(frame("close 1000 \xff")) == "broken 1007");
  CHECK(told(frame("close 4000 Zürich 東京 😀")) == "closed 4000 Zürich 東京 😀");
  // The echo of an empty close has the code for a normal end, and later frames are ignored.
  FramingWorld world;
  world.arrives(frame("close") + frame("text late") + frame("ping"));
  CHECK(world.told() == "closed 1005 ");
  CHECK(world.written() == "close 1000 ");
  CHECK(world.framing.close_written());
}

TEST_CASE("limits apply to declared lengths, without allocating memory for them") {
  FramingWorld world(1000);
  world.arrives(frame("text " + std::string(1000, 'x')));
  CHECK(world.messages.size() == 1);
  CHECK_FALSE(world.framing.ended().has_value());
  world.arrives(frame("declares 1001 text"));
  CHECK(world.framing.ended()->code == k_too_big);
  CHECK(world.written().starts_with("close 1009 "));
  FramingWorld huge(1000);
  huge.arrives(frame("declares 9223372036854775807 binary x"));
  CHECK(huge.told() == "broken 1009");
  FramingWorld parts(1000);
  parts.arrives(frame("more text " + std::string(600, 'x')));
  parts.arrives(frame("continuation " + std::string(401, 'x')));
  CHECK(parts.told() == "broken 1009");
}

TEST_CASE("frames sent by this side") {
  FramingWorld world;
  world.framing.send({.data = "hello"});
  CHECK_FALSE(world.framing.can_send());
  CHECK(world.written() == "text hello");
  CHECK(world.framing.can_send());
  world.framing.send({.binary = true, .data = {}});
  CHECK(world.written() == "binary");
  world.framing.ping();
  CHECK(world.written() == "ping");
  for (const std::size_t size : {125UL, 126UL, 65'535UL, 65'536UL}) {
    world.framing.send({.data = std::string(size, 'x')});
    CHECK(world.written() == "text " + std::string(size, 'x'));
  }
}

TEST_CASE("a long message is sent in frames, with pongs between them") {
  FramingWorld world;
  const std::string sent(2'500'000, 'x');
  world.framing.send({.binary = true, .data = sent});
  std::string bytes(world.framing.output());
  world.framing.wrote(bytes.size());
  CHECK(bytes.size() < sent.size() / 10);  // not all of it is framed at once
  world.arrives(frame("ping now"));
  CHECK_FALSE(world.framing.can_send());
  for (auto piece = world.framing.output(); !piece.empty(); piece = world.framing.output()) {
    bytes += piece;
    world.framing.wrote(piece.size());
  }
  CHECK(world.framing.can_send());
  std::string got;
  std::size_t at = 0;
  std::size_t pong_at = 0;
  bool last = false;
  while (const auto one = read_client_frame(std::string_view(bytes).substr(at, 2'000'000))) {
    at += one->size;
    if (one->record == "pong now") {
      pong_at = at;
      continue;
    }
    CHECK_FALSE(last);
    CHECK(one->opcode == (got.empty() ? 2 : 0));
    last = one->final;
    got += one->payload;
  }
  CHECK(at == bytes.size());
  CHECK(last);
  CHECK((got == sent));
  CHECK(pong_at > 0);
  CHECK(pong_at < 200'000);
}

TEST_CASE("a close is sent before the rest of a long message") {
  for (const std::size_t size : {1'000'000UL, 2'500'000UL}) {
    FramingWorld world;
    world.framing.send({.data = std::string(size, 'x')});
    std::string bytes(world.framing.output());
    world.framing.wrote(bytes.size());
    world.arrives(frame("close 1001"));
    for (auto piece = world.framing.output(); !piece.empty(); piece = world.framing.output()) {
      bytes += piece;
      world.framing.wrote(piece.size());
    }
    CHECK(world.framing.close_written());
    // The started frame is complete.
    std::string end;
    while (const auto one = read_client_frame(bytes)) {
      end = one->record;
      bytes.erase(0, one->size);
    }
    CHECK(end == "close 1001 ");
    CHECK(bytes.empty());
  }
}

TEST_CASE("closing from this side") {
  FramingWorld world;
  world.framing.send({.data = "last"});
  CHECK(world.written() == "text last");
  world.framing.close(1000, "done");
  CHECK(world.written() == "close 1000 done");
  CHECK(world.framing.close_written());
  CHECK_FALSE(world.framing.can_send());
  // Messages in flight from the peer still arrive; its close ends the connection.
  world.arrives(frame("text late"));
  CHECK(world.messages.size() == 1);
  world.arrives(frame("close 1000"));
  CHECK(world.framing.ended()->code == 1000);
  CHECK(world.written().empty());

  FramingWorld wordy;
  wordy.framing.close(4000, std::string(100, 'x') + "äöüäöüäöüäöüäöüäöü");
  const std::string said = wordy.written();
  CHECK(said.size() <= 6 + 5 + 125);
  CHECK(said.ends_with("…"));
}

TEST_CASE("masks differ from frame to frame") {
  FramingWorld world;
  world.framing.send({.data = "same"});
  const std::string one(world.framing.output());
  world.framing.wrote(one.size());
  world.framing.send({.data = "same"});
  const std::string two(world.framing.output());
  CHECK(one.size() == two.size());
  CHECK(one != two);
}
