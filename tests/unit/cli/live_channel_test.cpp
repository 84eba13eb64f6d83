// A live session without a connection: what is said of its end, and when it is over.
#include "live/live_channel.h"

#include <doctest/doctest.h>

#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using websocket::Close;

/// A session that is not connected, and its warnings.
struct ChannelStage {
  explicit ChannelStage(int retries, bool key = false)
      : channel(stage.session(),
                {.request = {.url = "ws://127.0.0.1:1/"},
                 .what = "the session",
                 .ready = "that it is ready",
                 .meanwhile = "your speech is buffered",
                 .key = key,
                 .retries = retries},
                [this](const std::string& text) { warnings.push_back(text); }) {}

  SessionStage stage{{"realtime", "talk"}};
  std::vector<std::string> warnings{};
  LiveChannel channel;
};

Error gone(const std::string& message) {
  return {Fault::Network, message, "Try again."};
}

}  // namespace

TEST_CASE(
    "live channel: which ends are in order, and which may be followed by another connection") {
  for (int code = 999; code <= 1016; ++code) {
    CAPTURE(code);
    const Close close{.code = static_cast<std::uint16_t>(code)};
    CHECK(closed_in_order(close) == (code == 1000 || code == 1001 || code == 1005));
    CHECK(may_come_back(close) == (code == 1006 || (code >= 1011 && code <= 1013)));
    const Close own{.code = static_cast<std::uint16_t>(code), .closed_locally = true};
    CHECK(may_come_back(own) == (code == 1006));
  }
}

TEST_CASE("live channel: a lost connection is told once, with what happens meanwhile") {
  ChannelStage once(0);
  const auto ended = once.channel.disconnect(gone("it is gone."));
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message == "it is gone.");
  CHECK(ended.error().hint == "Try again.");
  CHECK(once.warnings.empty());
  ChannelStage again(1);
  REQUIRE(again.channel.disconnect(gone("it is gone.")));
  CHECK(again.warnings ==
        std::vector<std::string>{"it is gone; reconnecting, your speech is buffered"});
  CHECK_FALSE(again.channel.retries());
  ChannelStage keys(1, true);
  REQUIRE(keys.channel.disconnect(gone("gone")));
  CHECK(keys.warnings ==
        std::vector<std::string>{
            "gone; reconnecting, your speech is buffered; press r to reconnect now"});
}

TEST_CASE("live channel: attempts to reconnect are counted, until one works or they are used up") {
  using Change = LiveChannel::Change;
  const auto attempt = [](LiveChannel& channel) {
    CHECK(channel.on_time().value() == Change::None);
    CHECK(channel.retries());
    const auto until = LiveChannel::Clock::now() + 20s;
    REQUIRE(channel.wait(until, {}).value().what == websocket::ReceivedKind::Ready);
    return channel.on_time();
  };
  ChannelStage one(1);
  one.channel.renew();
  CHECK_FALSE(one.channel.retries());
  const auto failed = attempt(one.channel);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message.ends_with("; 1 attempt to reconnect failed"));
  CHECK(one.channel.works());
  CHECK_FALSE(one.channel.works());
  ChannelStage two(2);
  two.channel.renew();
  CHECK(attempt(two.channel).value() == Change::None);
  // The next one has to wait.
  CHECK(two.channel.on_time().value() == Change::None);
  CHECK(two.channel.wait(LiveChannel::Clock::now(), {}).value().what ==
        websocket::ReceivedKind::Nothing);
  two.channel.renew();
  CHECK_FALSE(two.channel.retries());
  CHECK(two.warnings.empty());
  CHECK_FALSE(two.channel.send({.data = "x"}));
}

TEST_CASE("live channel: an error of the service explains the end that follows, or is a warning") {
  ChannelStage stage(1);
  LiveChannel& channel = stage.channel;
  const auto end_with = [&](std::uint16_t code) { return channel.take_end({.code = code}); };
  channel.record_error("busy now", "overload", true);
  channel.report_blame();  // it may still end the connection
  auto end = end_with(1000);
  CHECK(end.said);
  CHECK(end.type == "overload");
  CHECK(end.error.fault == Fault::Service);
  CHECK(end.error.message == "the service ended the session: busy now");
  end = end_with(1006);
  CHECK_FALSE(end.said);
  CHECK(end.type.empty());
  CHECK(end.error.fault == Fault::Network);
  CHECK(end.error.message == "the connection was lost");
  channel.record_error("busy now", "overload", true);
  CHECK(end_with(1013).error.fault == Fault::Limited);
  const std::string most(400, 'x');
  channel.record_error(most, "", true);
  CHECK(end_with(1000).error.message == "the service ended the session: " + most);
  channel.record_error(most + "x", "", true);
  CHECK(end_with(1000).error.message == "the service ended the session: " + most + "…");
  channel.report_blame(true);
  CHECK(stage.warnings.empty());
  channel.record_error("what was that?", "odd", false);
  CHECK_FALSE(end_with(1000).said);
  channel.report_blame();
  CHECK(stage.warnings.empty());
  channel.report_blame(true);
  channel.report_blame(true);
  CHECK(stage.warnings == std::vector<std::string>{"the service reported: what was that?"});
}

TEST_CASE("live channel: the first time to stop counts") {
  ChannelStage stage(1);
  CHECK_FALSE(stage.channel.ending());
  CHECK_FALSE(stage.channel.overdue());
  CHECK_FALSE(stage.channel.interrupted());
  stage.channel.stop_within(1h);
  CHECK(stage.channel.ending());
  CHECK_FALSE(stage.channel.overdue());
  ChannelStage late(1);
  late.channel.stop_within(0s);
  CHECK(late.channel.overdue());
  late.channel.stop_within(1h);
  CHECK(late.channel.overdue());
}

}  // namespace svc::cli
