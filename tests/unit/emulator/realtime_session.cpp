// The order and format of a session's events; items, responses, truncation, resumption.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "emulator/account/ledger.h"
#include "unit/emulator/realtime_support.h"

namespace svc::test {

using namespace svc::emulator;
using namespace svc::emulator::realtime;

using Types = std::vector<std::string>;

TEST_CASE("the documented order of a text turn") {
  Talk talk;
  CHECK(talk.types() == Types{"session.created", "conversation.created"});
  CHECK(talk.last("session.created")["session"]["object"] == "realtime.session");
  talk.update({{"voice", "ara"}, {"turn_detection", nullptr}});
  CHECK(talk.types() == Types{"session.updated"});
  CHECK(talk.last("session.updated")["session"]["turn_detection"].is_null());
  CHECK(talk.last("session.updated")["session"]["voice"] == "ara");
  talk.write("good morning");
  CHECK(talk.types() == Types{"conversation.item.added"});
  talk.respond();
  Types seen = talk.types();
  // Transcript and audio alternate, which is all that is checked here.
  std::erase_if(seen, [](const std::string& type) { return type.ends_with(".delta"); });
  CHECK(seen == Types{"response.created", "response.output_item.added",
                      "response.content_part.added", "response.output_audio.done",
                      "response.output_audio_transcript.done", "response.content_part.done",
                      "response.output_item.done", "response.done"});
  CHECK(talk.speech->voice == "ara");
  const Json done = talk.last("response.done")["response"];
  CHECK(done["status"] == "completed");
  CHECK(done["usage"]["total_tokens"] ==
        done["usage"]["input_tokens"].get<int>() + done["usage"]["output_tokens"].get<int>());
  const std::string text =
      "This is the emulator. You said: good morning. That was 2 words in turn 1.";
  CHECK(done["output"][0]["content"][0] == Json{{"type", "audio"}, {"transcript", text}});
  std::string transcript;
  for (const Json& delta : talk.all("response.output_audio_transcript.delta")) {
    transcript += delta["delta"].get<std::string>();
  }
  CHECK(transcript == text);
  std::size_t bytes = 0;
  for (const Json& delta : talk.all("response.output_audio.delta")) {
    bytes += base64_decode(delta["delta"].get<std::string>())->size();
  }
  CHECK(bytes == text.size() * 50 * 24 * 2);
  std::set<std::string> ids;
  for (const Json& event : talk.peer->sent) ids.insert(event["event_id"]);
  CHECK(ids.size() == talk.peer->sent.size());
}

TEST_CASE("text-only output has two names") {
  Talk talk;
  talk.write("Say exactly: one two");
  talk.respond({{"modalities", {"text"}}, {"metadata", {{"a", "b"}}}});
  const auto deltas = talk.all("response.text.delta");
  const auto others = talk.all("response.output_text.delta");
  REQUIRE(deltas.size() == 2);
  REQUIRE(others.size() == 2);
  CHECK(deltas[1]["delta"] == " two");
  CHECK(others[1]["delta"] == " two");
  CHECK(talk.last("response.output_text.done")["text"] == "one two");
  CHECK(talk.last("response.done")["response"]["metadata"] == Json{{"a", "b"}});
  CHECK(talk.all("response.output_audio.delta").empty());
}

TEST_CASE("a response is cancelled, and only one is active at a time") {
  Talk talk;
  talk.say({{"type", "response.cancel"}});
  CHECK(talk.complaint() == "response_cancel_not_active");
  talk.write("Write 60 words");
  talk.say({{"type", "response.create"}, {"event_id", "mine"}});
  talk.pass(30);
  talk.say({{"type", "response.create"}, {"event_id", "second"}});
  CHECK(talk.complaint() == "conversation_already_has_active_response");
  CHECK(talk.last("error")["error"]["event_id"] == "second");
  CHECK(talk.last("error")["error"]["type"] == "invalid_request_error");
  talk.say({{"type", "response.cancel"}, {"response_id", "resp_other"}});
  CHECK(talk.complaint() == "response_not_found");
  talk.say({{"type", "response.cancel"}});
  const Json done = talk.last("response.done")["response"];
  CHECK(done["status"] == "cancelled");
  CHECK(done["status_details"]["reason"] == "client_cancelled");
  CHECK(done["output"][0]["status"] == "incomplete");
  const std::size_t sent = talk.peer->sent.size();
  talk.pass(1'000);
  CHECK(talk.peer->sent.size() == sent);
  // Cancelled before anything was spoken.
  talk.peer->jobs_wait = true;
  talk.say({{"type", "response.create"}});
  talk.say({{"type", "response.cancel"}});
  CHECK(talk.last("response.done")["response"]["output"] == Json::array());
  talk.peer->jobs_wait = false;
  talk.pass(100);
  CHECK(talk.all("response.done").size() == 2);
}

TEST_CASE("truncation is limited to the audio sent") {
  Talk talk;
  talk.write("Say exactly: one two three four");
  talk.respond();
  const std::string id = talk.last("response.output_item.done")["item"]["id"];
  const auto truncate = [&](Json end, int content = 0) {
    talk.say({{"type", "conversation.item.truncate"},
              {"item_id", id},
              {"content_index", content},
              {"audio_end_ms", std::move(end)}});
  };
  constexpr int k_all_ms = 18 * 50;
  truncate(k_all_ms + 1);
  CHECK(talk.complaint() == "audio_end_beyond_audio");
  CHECK(talk.all("conversation.item.truncated").empty());
  truncate(-1);
  CHECK(talk.complaint() == "invalid_value");
  truncate(0, 1);
  CHECK(talk.last("error")["error"]["param"] == "content_index");
  truncate(500);
  const Json cut = talk.last("conversation.item.truncated");
  CHECK(cut["audio_end_ms"] == 500);
  CHECK(cut["transcript"] == "one two");
  truncate(501);
  CHECK(talk.all("conversation.item.truncated").size() == 1);
  talk.say({{"type", "conversation.item.truncate"}, {"item_id", "none"}, {"audio_end_ms", 0}});
  CHECK(talk.complaint() == "item_not_found");
}

TEST_CASE("a team without credit gets no answer, but keeps its session") {
  Talk talk;
  const auto spend = talk.state().change([&](Database& database) -> Result<void> {
    SVC_TRY(account, billing::account_of(database, k_demo_team_id, talk.now_ms));
    account.soft_limit_cents = 0;
    SVC_CHECK(billing::update_account(database, k_demo_team_id, account));
    billing::CreditChange all{
        .origin = "MANUAL", .cents = billing::k_first_credit_cents, .created_ms = talk.now_ms};
    return billing::add_credit_change(database, k_demo_team_id, all);
  });
  REQUIRE(spend.has_value());
  talk.write("Say exactly: one");
  talk.say({{"type", "response.create"}});
  const Json done = talk.last("response.done")["response"];
  CHECK(done["status"] == "failed");
  CHECK(done["status_details"].dump().find("used all available credits") != std::string::npos);
  CHECK(done["output"] == Json::array());
  CHECK(talk.peer->closed == 0);
}

TEST_CASE("audio after a truncation is not part of the item") {
  Talk talk;
  talk.write("Say exactly: one two three four");
  talk.say({{"type", "response.create"}});
  talk.pass(40);  // some of it has been sent
  const std::string id = talk.last("response.output_item.added")["item"]["id"];
  talk.say({{"type", "conversation.item.truncate"}, {"item_id", id}, {"audio_end_ms", 200}});
  CHECK(talk.last("conversation.item.truncated")["transcript"] == "one");
  talk.pass(2'000);
  const Json done = talk.last("response.done")["response"];
  CHECK(done["status"] == "completed");
  CHECK(done["output"][0]["content"][0]["transcript"] == "one");
  talk.say({{"type", "conversation.item.truncate"}, {"item_id", id}, {"audio_end_ms", 201}});
  CHECK(talk.complaint() == "audio_end_beyond_audio");
}

TEST_CASE("a transcript is truncated where its words were heard, if known") {
  Talk talk;
  talk.speech->ends_ms = {40, 40, 40, 600, 600, 600, 600};  // o n e, space, t w o
  talk.write("Say exactly: one two");
  talk.respond();
  const std::string id = talk.last("response.output_item.done")["item"]["id"];
  talk.say({{"type", "conversation.item.truncate"}, {"item_id", id}, {"audio_end_ms", 100}});
  // The audio is only 350 ms long: later times mean its end.
  CHECK(talk.last("conversation.item.truncated")["transcript"] == "one");
}

TEST_CASE("items have positions, can be deleted, and seed a history") {
  Talk talk;
  const auto create = [&](const char* id, const Json& previous) {
    Json message = {{"type", "conversation.item.create"},
                    {"item",
                     {{"id", id},
                      {"type", "message"},
                      {"role", "user"},
                      {"content", {{{"type", "input_text"}, {"text", id}}}}}}};
    if (!previous.is_null()) message["previous_item_id"] = previous;
    talk.say(message);
    return talk.last("conversation.item.added")["previous_item_id"];
  };
  CHECK(create("a", nullptr).is_null());
  CHECK(create("c", nullptr) == "a");
  CHECK(create("b", "a") == "a");
  CHECK(create("first", "root").is_null());
  create("x", "nowhere");
  CHECK(talk.complaint() == "item_not_found");
  create("a", nullptr);
  CHECK(talk.complaint() == "item_exists");
  talk.say({{"type", "conversation.item.delete"}, {"item_id", "first"}});
  CHECK(talk.last("conversation.item.deleted")["item_id"] == "first");
  talk.say({{"type", "conversation.item.delete"}, {"item_id", "first"}});
  CHECK(talk.complaint() == "item_not_found");
  talk.say({{"type", "conversation.item.create"},
            {"item",
             {{"type", "message"},
              {"role", "assistant"},
              {"content", {{{"type", "text"}, {"text", "I know."}}}}}}});
  CHECK(talk.last("conversation.item.added")["item"]["content"][0]["text"] == "I know.");
  talk.say({{"type", "conversation.item.create"},
            {"item",
             {{"type", "message"},
              {"role", "user"},
              {"content", {{{"type", "output_text"}, {"text", "x"}}}}}}});
  CHECK(talk.last("error")["error"]["param"] == "item.content[0].type");
}

TEST_CASE("a message alone is spoken word for word") {
  Talk talk;
  talk.say({{"type", "conversation.item.create"},
            {"item",
             {{"type", "force_message"},
              {"role", "assistant"},
              {"voice", "rex"},
              {"interruptible", false},
              {"content", {{{"type", "output_text"}, {"text", "Mind the gap."}}}}}}});
  talk.pass(20);
  CHECK(talk.speech->spoken == "Mind the gap.");
  CHECK(talk.speech->voice == "rex");
  CHECK(talk.all("response.done").empty());
  talk.play(tone(300));
  CHECK(talk.all("input_audio_buffer.speech_started").size() == 1);
  talk.pass(2'000);
  CHECK(talk.last("response.done")["response"]["status"] == "completed");
}

TEST_CASE("an invalid message leaves the session open") {
  Talk talk;
  talk.say({{"type", "session.destroy"}, {"event_id", "e"}});
  CHECK(talk.last("error")["error"]["type"] == "invalid_event");
  CHECK(talk.complaint() == "unknown_type");
  talk.say({{"event_id", "e"}});
  CHECK(talk.complaint() == "missing_type");
  talk.say("text");
  CHECK(talk.complaint() == "missing_type");
  talk.say({{"type", "conversation.item.create"}});
  CHECK(talk.complaint() == "missing_parameter");
  talk.write("Fail with: no luck");
  talk.respond();
  CHECK(talk.last("response.done")["response"]["status"] == "failed");
  CHECK(talk.last("response.done")["response"]["status_details"]["error"]["message"] == "no luck");
  talk.write("Say exactly: still here");
  talk.respond();
  CHECK(talk.last("response.done")["response"]["status"] == "completed");
  CHECK(talk.peer->closed == 0);
}

TEST_CASE("a conversation is resumed within half an hour") {
  std::int64_t now = 1'800'000'000'000;
  auto state = State::open(":memory:", [&] { return now; });
  REQUIRE(state.has_value());
  std::string id;
  {
    Talk talk({}, state->get());
    id = talk.last("conversation.created")["conversation"]["id"];
    talk.update({{"resumption", {{"enabled", true}}}});
    talk.write("remember me");
    talk.respond();
  }
  const auto again = [&](const std::string& which) {
    SessionParts parts;
    parts.conversation_id = which;
    return parts;
  };
  {
    Talk talk(again(id), state->get());
    CHECK(talk.last("conversation.created")["conversation"]["id"] == id);
    CHECK(talk.all("conversation.item.created").empty());
    talk.update({{"resumption", {{"enabled", true}}}});
    const auto items = talk.all("conversation.item.created");
    REQUIRE(items.size() == 2);
    CHECK(items[0]["item"]["content"][0]["text"] == "remember me");
    CHECK(items[1]["previous_item_id"] == items[0]["item"]["id"]);
    // The sent part of the answer's audio can be truncated on this connection too.
    talk.say({{"type", "conversation.item.truncate"},
              {"item_id", items[1]["item"]["id"]},
              {"content_index", 0},
              {"audio_end_ms", 500}});
    CHECK(talk.last("conversation.item.truncated")["audio_end_ms"] == 500);
    talk.write("and me");
    talk.respond();
    CHECK(talk.speech->spoken.find("in turn 2") != std::string::npos);
  }
  now += 31 * 60'000;
  Talk talk(again(id), state->get());
  CHECK(talk.complaint() == "conversation_not_found");
  CHECK(talk.last("conversation.created")["conversation"]["id"] != id);
}

TEST_CASE("a session ends at its limit, or if nobody speaks; until then it pings") {
  SessionParts parts;
  parts.timing.ping = std::chrono::milliseconds(100);
  parts.timing.limit = std::chrono::milliseconds(450);
  Talk talk(parts);
  talk.pass(440);
  CHECK(talk.all("ping").size() == 4);
  CHECK(talk.last("ping")["timestamp"].is_number_integer());
  talk.pass(20);
  CHECK(talk.last("error")["error"]["type"] == "max_duration");
  CHECK(talk.peer->closed == k_close_normal);
  parts.timing.limit = std::chrono::minutes(10);
  parts.timing.idle = std::chrono::milliseconds(300);
  Talk idle(parts);
  idle.pass(290);
  idle.write("I am here");
  idle.pass(190);
  CHECK(idle.peer->closed == 0);
  idle.pass(30);
  CHECK(idle.last("error")["error"]["type"] == "timeout");
  CHECK(idle.peer->closed == k_close_normal);
}

TEST_CASE("the cost of a session is recorded") {
  std::int64_t now = 1'800'000'000'000;
  auto state = State::open(":memory:", [&] { return now; });
  REQUIRE(state.has_value());
  {
    Talk talk({}, state->get());
    talk.write("Say exactly: twenty letters here.");
    talk.respond();
  }
  const auto lines = (*state)->with([&](Database& database) {
    return billing::usage_of(database, k_demo_team_id, {.begin_s = 0, .end_s = now / 1000 + 10});
  });
  REQUIRE(lines.has_value());
  std::set<std::string> units;
  for (const auto& line : *lines) units.insert(line.charge.unit);
  CHECK(units == std::set<std::string>{"second", "token"});
}

}  // namespace svc::test
