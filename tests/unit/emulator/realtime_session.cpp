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
  RealtimeClient client;
  CHECK(client.types() == Types{"session.created", "conversation.created"});
  CHECK(client.last("session.created")["session"]["object"] == "realtime.session");
  client.update({{"voice", "ara"}, {"turn_detection", nullptr}});
  CHECK(client.types() == Types{"session.updated"});
  CHECK(client.last("session.updated")["session"]["turn_detection"].is_null());
  CHECK(client.last("session.updated")["session"]["voice"] == "ara");
  client.write("good morning");
  CHECK(client.types() == Types{"conversation.item.added"});
  client.respond();
  Types seen = client.types();
  // Transcript and audio alternate, which is all that is checked here.
  std::erase_if(seen, [](const std::string& type) { return type.ends_with(".delta"); });
  CHECK(seen == Types{"response.created", "response.output_item.added",
                      "response.content_part.added", "response.output_audio.done",
                      "response.output_audio_transcript.done", "response.content_part.done",
                      "response.output_item.done", "response.done"});
  CHECK(client.speech->voice == "ara");
  const Json done = client.last("response.done")["response"];
  CHECK(done["status"] == "completed");
  CHECK(done["usage"]["total_tokens"] ==
        done["usage"]["input_tokens"].get<int>() + done["usage"]["output_tokens"].get<int>());
  const std::string text =
      "This is the emulator. You said: good morning. That was 2 words in turn 1.";
  CHECK(done["output"][0]["content"][0] == Json{{"type", "audio"}, {"transcript", text}});
  std::string transcript;
  for (const Json& delta : client.all("response.output_audio_transcript.delta")) {
    transcript += delta["delta"].get<std::string>();
  }
  CHECK(transcript == text);
  std::size_t bytes = 0;
  for (const Json& delta : client.all("response.output_audio.delta")) {
    bytes += base64_decode(delta["delta"].get<std::string>())->size();
  }
  CHECK(bytes == text.size() * 50 * 24 * 2);
  std::set<std::string> ids;
  for (const Json& event : client.peer->sent) ids.insert(event["event_id"]);
  CHECK(ids.size() == client.peer->sent.size());
}

TEST_CASE("text-only output has two names") {
  RealtimeClient client;
  client.write("Say exactly: one two");
  client.respond({{"modalities", {"text"}}, {"metadata", {{"a", "b"}}}});
  const auto deltas = client.all("response.text.delta");
  const auto others = client.all("response.output_text.delta");
  REQUIRE(deltas.size() == 2);
  REQUIRE(others.size() == 2);
  CHECK(deltas[1]["delta"] == " two");
  CHECK(others[1]["delta"] == " two");
  CHECK(client.last("response.output_text.done")["text"] == "one two");
  CHECK(client.last("response.done")["response"]["metadata"] == Json{{"a", "b"}});
  CHECK(client.all("response.output_audio.delta").empty());
}

TEST_CASE("a response is canceled, and only one is active at a time") {
  RealtimeClient client;
  client.send({{"type", "response.cancel"}});
  CHECK(client.error_code() == "response_cancel_not_active");
  client.write("Write 60 words");
  client.send({{"type", "response.create"}, {"event_id", "mine"}});
  client.advance(30);
  client.send({{"type", "response.create"}, {"event_id", "second"}});
  CHECK(client.error_code() == "conversation_already_has_active_response");
  CHECK(client.last("error")["error"]["event_id"] == "second");
  CHECK(client.last("error")["error"]["type"] == "invalid_request_error");
  client.send({{"type", "response.cancel"}, {"response_id", "resp_other"}});
  CHECK(client.error_code() == "response_not_found");
  client.send({{"type", "response.cancel"}});
  const Json done = client.last("response.done")["response"];
  CHECK(done["status"] == "cancelled");
  CHECK(done["status_details"] == Json{{"type", "cancelled"}, {"reason", "client_cancelled"}});
  CHECK(done["output"][0]["status"] == "incomplete");
  const std::size_t sent = client.peer->sent.size();
  client.advance(1'000);
  CHECK(client.peer->sent.size() == sent);
  // Canceled before anything was spoken.
  client.peer->jobs_wait = true;
  client.send({{"type", "response.create"}});
  client.send({{"type", "response.cancel"}});
  CHECK(client.last("response.done")["response"]["output"] == Json::array());
  client.peer->jobs_wait = false;
  client.advance(100);
  CHECK(client.all("response.done").size() == 2);
}

TEST_CASE("truncation is limited to the audio sent") {
  RealtimeClient client;
  client.write("Say exactly: one two three four");
  client.respond();
  const std::string id = client.last("response.output_item.done")["item"]["id"];
  const auto truncate = [&](Json end, int content = 0) {
    client.send({{"type", "conversation.item.truncate"},
                 {"item_id", id},
                 {"content_index", content},
                 {"audio_end_ms", std::move(end)}});
  };
  constexpr int k_all_ms = 18 * 50;
  truncate(k_all_ms + 1);
  CHECK(client.error_code() == "audio_end_beyond_audio");
  CHECK(client.all("conversation.item.truncated").empty());
  truncate(-1);
  CHECK(client.error_code() == "invalid_value");
  truncate(0, 1);
  CHECK(client.last("error")["error"]["param"] == "content_index");
  truncate(k_all_ms);
  CHECK(client.last("conversation.item.truncated")["transcript"] == "one two three four");
  truncate(500);
  const Json cut = client.last("conversation.item.truncated");
  CHECK(cut["event_id"].get<std::string>().starts_with("event_"));
  CHECK(cut["content_index"] == 0);
  CHECK(cut["audio_end_ms"] == 500);
  CHECK(cut["transcript"] == "one two");
  truncate(501);
  CHECK(client.all("conversation.item.truncated").size() == 2);
  truncate(0);
  CHECK(client.last("conversation.item.truncated")["transcript"] == "");
  client.send({{"type", "conversation.item.truncate"}, {"item_id", "none"}, {"audio_end_ms", 0}});
  CHECK(client.error_code() == "item_not_found");
}

TEST_CASE("a team without credit gets no answer, but keeps its session") {
  RealtimeClient client;
  const auto spend = client.state().change([&](Database& database) -> Result<void> {
    SVC_TRY(account, billing::account_of(database, k_demo_team_id, client.now_ms));
    account.soft_limit_cents = 0;
    SVC_CHECK(billing::update_account(database, account));
    billing::CreditChange all{.origin = "MANUAL", .cents = 1'000'000, .created_ms = client.now_ms};
    return billing::add_credit_change(database, k_demo_team_id, all);
  });
  REQUIRE(spend.has_value());
  client.write("Say exactly: one");
  client.send({{"type", "response.create"}});
  const Json done = client.last("response.done")["response"];
  CHECK(done["status"] == "failed");
  CHECK(done["status_details"].dump().find("used all available credits") != std::string::npos);
  CHECK(done["output"] == Json::array());
  CHECK(client.peer->close_code == 0);
}

TEST_CASE("audio after a truncation is not part of the item") {
  RealtimeClient client;
  client.write("Say exactly: one two three four");
  client.send({{"type", "response.create"}});
  client.advance(40);  // some of it has been sent
  const std::string id = client.last("response.output_item.added")["item"]["id"];
  client.send({{"type", "conversation.item.truncate"}, {"item_id", id}, {"audio_end_ms", 200}});
  CHECK(client.last("conversation.item.truncated")["transcript"] == "one");
  client.advance(2'000);
  const Json done = client.last("response.done")["response"];
  CHECK(done["status"] == "completed");
  CHECK(done["output"][0]["content"][0]["transcript"] == "one");
  client.send({{"type", "conversation.item.truncate"}, {"item_id", id}, {"audio_end_ms", 201}});
  CHECK(client.error_code() == "audio_end_beyond_audio");
}

TEST_CASE("a transcript is truncated where its words were heard, if known") {
  RealtimeClient client;
  client.speech->ends_ms = {40, 40, 40, 600, 600, 600, 600};  // o n e, space, t w o
  client.write("Say exactly: one two");
  client.respond();
  const std::string id = client.last("response.output_item.done")["item"]["id"];
  client.send({{"type", "conversation.item.truncate"}, {"item_id", id}, {"audio_end_ms", 100}});
  // The audio is only 350 ms long: later times mean its end.
  CHECK(client.last("conversation.item.truncated")["transcript"] == "one");
}

TEST_CASE("items have positions, can be deleted, and seed a history") {
  RealtimeClient client;
  const auto create = [&](const char* id, const Json& previous) {
    Json message = {{"type", "conversation.item.create"},
                    {"item",
                     {{"id", id},
                      {"type", "message"},
                      {"role", "user"},
                      {"content", {{{"type", "input_text"}, {"text", id}}}}}}};
    if (!previous.is_null()) message["previous_item_id"] = previous;
    client.send(message);
    return client.last("conversation.item.added")["previous_item_id"];
  };
  CHECK(create("a", nullptr).is_null());
  CHECK(create("c", nullptr) == "a");
  CHECK(create("b", "a") == "a");
  CHECK(create("first", "root").is_null());
  create("x", "nowhere");
  CHECK(client.error_code() == "item_not_found");
  create("a", nullptr);
  CHECK(client.error_code() == "item_exists");
  client.send({{"type", "conversation.item.delete"}, {"item_id", "first"}});
  CHECK(client.last("conversation.item.deleted")["item_id"] == "first");
  client.send({{"type", "conversation.item.delete"}, {"item_id", "first"}});
  CHECK(client.error_code() == "item_not_found");
  client.send({{"type", "conversation.item.create"},
               {"item",
                {{"type", "message"},
                 {"role", "assistant"},
                 {"content", {{{"type", "text"}, {"text", "I know."}}}}}}});
  CHECK(client.last("conversation.item.added")["item"]["content"][0]["text"] == "I know.");
  client.send({{"type", "conversation.item.create"},
               {"item",
                {{"type", "message"},
                 {"role", "user"},
                 {"content", {{{"type", "output_text"}, {"text", "x"}}}}}}});
  CHECK(client.last("error")["error"]["param"] == "item.content[0].type");
}

TEST_CASE("the events of an answer, word for word") {
  RealtimeClient client;
  client.speech->ends_ms = {100, 100, 100, 350, 350, 350, 350};
  client.write("Say exactly: one two");
  (void)client.take();
  client.respond({{"metadata", {{"a", "b"}}}});
  std::vector<Json> events = client.take();
  std::string order;  // of transcript and audio: a word comes with the audio in which it starts
  for (Json& event : events) {
    event.erase("event_id");
    if (event["type"] == "response.output_audio_transcript.delta") order += 'T';
    if (event["type"] == "response.output_audio.delta") {
      order += 'A';
      event["delta"] = base64_decode(event["delta"].get<std::string>())->size();
    }
  }
  CHECK(order == "TATAAA");
  REQUIRE(events.size() == 3 + 6 + 5);
  const std::string id = events[0]["response"]["id"];
  const std::string item = events[1]["item"]["id"];
  CHECK(id.starts_with("resp_"));
  CHECK(item.starts_with("item_"));
  CHECK(events[0] == Json{{"type", "response.created"},
                          {"response",
                           {{"id", id},
                            {"object", "realtime.response"},
                            {"status", "in_progress"},
                            {"status_details", nullptr},
                            {"output", Json::array()},
                            {"usage", nullptr},
                            {"metadata", {{"a", "b"}}}}}});
  Json made = {{"id", item},          {"object", "realtime.item"},
               {"type", "message"},   {"status", "in_progress"},
               {"role", "assistant"}, {"content", Json::array()}};
  CHECK(events[1] == Json{{"type", "response.output_item.added"},
                          {"response_id", id},
                          {"output_index", 0},
                          {"item", made}});
  const auto content = [&](const char* type, const char* member, const Json& value) {
    return Json{{"type", type},      {"response_id", id},  {"item_id", item},
                {"output_index", 0}, {"content_index", 0}, {member, value}};
  };
  const Json whole = {{"type", "audio"}, {"transcript", "one two"}};
  CHECK(events[2] ==
        content("response.content_part.added", "part", {{"type", "audio"}, {"transcript", ""}}));
  CHECK(events[3] == content("response.output_audio_transcript.delta", "delta", "one"));
  CHECK(events[4] == content("response.output_audio.delta", "delta", 4'800));
  CHECK(events[5] == content("response.output_audio_transcript.delta", "delta", " two"));
  CHECK(events[8] == content("response.output_audio.delta", "delta", 2'400));
  CHECK(events[9] == Json{{"type", "response.output_audio.done"},
                          {"response_id", id},
                          {"item_id", item},
                          {"output_index", 0},
                          {"content_index", 0}});
  CHECK(events[10] == content("response.output_audio_transcript.done", "transcript", "one two"));
  CHECK(events[11] == content("response.content_part.done", "part", whole));
  made["status"] = "completed";
  made["content"] = Json::array({whole});
  CHECK(events[12] == Json{{"type", "response.output_item.done"},
                           {"response_id", id},
                           {"output_index", 0},
                           {"item", made}});
  CHECK(events[13] == Json{{"type", "response.done"},
                           {"response",
                            {{"id", id},
                             {"object", "realtime.response"},
                             {"status", "completed"},
                             {"status_details", nullptr},
                             {"output", Json::array({made})},
                             {"usage", events[13]["response"]["usage"]},
                             {"metadata", {{"a", "b"}}}}}});
}

TEST_CASE("an answer in text comes five words at a time, if the client can take it") {
  RealtimeClient client;
  client.write("Write 500 words");
  client.send({{"type", "response.create"}, {"response", {{"modalities", {"text"}}}}});
  const auto words = [&] { return client.all("response.text.delta").size(); };
  CHECK(words() == 5);
  client.advance(10);
  CHECK(words() == 10);
  client.peer->backlog = (4U << 20U) + 1;
  client.advance(100);
  CHECK(words() == 10);
  client.drain();
  CHECK(words() == 15);
  client.peer->backlog = 4U << 20U;
  client.advance(1'000);
  CHECK(words() == 400);  // the most that it says
  CHECK(client.last("response.done")["response"]["status"] == "completed");
}

TEST_CASE("a message alone is spoken word for word") {
  RealtimeClient client;
  client.send({{"type", "conversation.item.create"},
               {"item",
                {{"type", "force_message"},
                 {"role", "assistant"},
                 {"voice", "rex"},
                 {"interruptible", false},
                 {"content", {{{"type", "output_text"}, {"text", "Mind the gap."}}}}}}});
  client.advance(20);
  CHECK(client.speech->spoken == "Mind the gap.");
  CHECK(client.speech->voice == "rex");
  CHECK(client.all("response.done").empty());
  client.play(tone(300));
  CHECK(client.all("input_audio_buffer.speech_started").size() == 1);
  client.advance(2'000);
  CHECK(client.last("response.done")["response"]["status"] == "completed");
}

TEST_CASE("an invalid message leaves the session open") {
  RealtimeClient client;
  client.send({{"type", "session.destroy"}, {"event_id", "e"}});
  CHECK(client.last("error")["error"]["type"] == "invalid_event");
  CHECK(client.error_code() == "unknown_type");
  client.send({{"event_id", "e"}});
  CHECK(client.error_code() == "missing_type");
  client.send("text");
  CHECK(client.error_code() == "missing_type");
  client.send({{"type", "conversation.item.create"}});
  CHECK(client.error_code() == "missing_parameter");
  client.write("Fail with: no luck");
  client.respond();
  CHECK(client.last("response.done")["response"]["status"] == "failed");
  CHECK(client.last("response.done")["response"]["status_details"] ==
        Json{{"type", "failed"},
             {"error",
              {{"type", "internal_error"}, {"code", "response_failed"}, {"message", "no luck"}}}});
  client.raw("{\"type\"");
  CHECK(client.error_code() == "invalid_json");
  CHECK(client.last("error")["error"]["type"] == "invalid_event");
  CHECK(client.last("error")["error"]["message"] ==
        "The message is not JSON: line 1, column 8: expected ':' after the name, found the end of "
        "the text.");
  client.write("Say exactly: still here");
  client.respond();
  CHECK(client.last("response.done")["response"]["status"] == "completed");
  CHECK(client.peer->close_code == 0);
}

TEST_CASE("a conversation is resumed within half an hour") {
  std::int64_t now = 1'800'000'000'000;
  auto state = State::open(":memory:", [&] { return now; });
  REQUIRE(state.has_value());
  std::string id;
  {
    RealtimeClient client({}, state->get());
    id = client.last("conversation.created")["conversation"]["id"];
    client.update({{"resumption", {{"enabled", true}}}});
    client.write("remember me");
    client.respond();
  }
  const auto again = [&](const std::string& which) {
    SessionParts parts;
    parts.conversation_id = which;
    return parts;
  };
  {
    RealtimeClient client(again(id), state->get());
    CHECK(client.last("conversation.created")["conversation"]["id"] == id);
    CHECK(client.all("conversation.item.created").empty());
    client.update({{"resumption", {{"enabled", true}}}});
    const auto items = client.all("conversation.item.created");
    REQUIRE(items.size() == 2);
    CHECK(items[0]["item"]["content"][0]["text"] == "remember me");
    CHECK(items[1]["previous_item_id"] == items[0]["item"]["id"]);
    // The sent part of the answer's audio can be truncated on this connection too.
    client.send({{"type", "conversation.item.truncate"},
                 {"item_id", items[1]["item"]["id"]},
                 {"content_index", 0},
                 {"audio_end_ms", 500}});
    CHECK(client.last("conversation.item.truncated")["audio_end_ms"] == 500);
    client.write("and me");
    client.respond();
    CHECK(client.speech->spoken.find("in turn 2") != std::string::npos);
  }
  now += 31 * 60'000;
  RealtimeClient client(again(id), state->get());
  CHECK(client.error_code() == "conversation_not_found");
  CHECK(client.last("error")["error"]["message"] ==
        "There is no such conversation any more: this is a new one.");
  CHECK(client.last("error")["error"]["param"] == "conversation_id");
  CHECK(client.last("conversation.created")["conversation"]["object"] == "realtime.conversation");
  CHECK(client.last("conversation.created")["conversation"]["id"] != id);
}

TEST_CASE("a conversation is saved with each change") {
  std::int64_t now = 1'800'000'000'000;
  auto state = State::open(":memory:", [&] { return now; });
  REQUIRE(state.has_value());
  RealtimeClient client({}, state->get());
  const std::string id = client.last("conversation.created")["conversation"]["id"];
  CHECK(id.starts_with("conv_"));
  // The texts of the items that another connection would find.
  const auto saved = [&] {
    SessionParts parts;
    parts.conversation_id = id;
    parts.config.resumption = true;
    RealtimeClient other(parts, state->get());
    std::vector<std::string> texts;
    for (const Json& event : other.all("conversation.item.created")) {
      CHECK(event["previous_item_id"].is_null() == texts.empty());
      const Json& part = event["item"]["content"][0];
      texts.push_back(part.value(part.contains("text") ? "text" : "transcript", ""));
    }
    return texts;
  };
  using Texts = std::vector<std::string>;
  client.write("one");
  CHECK(saved().empty());
  client.update({{"resumption", {{"enabled", true}}}, {"turn_detection", nullptr}});
  CHECK(saved() == Texts{"one"});
  client.write("Say exactly: so it is");
  CHECK(saved() == Texts{"one", "Say exactly: so it is"});
  client.send({{"type", "response.create"}});
  CHECK(saved().size() == 2);  // it is not complete yet
  while (client.all("response.done").empty()) client.advance(1);
  CHECK(saved() == Texts{"one", "Say exactly: so it is", "so it is"});
  client.send({{"type", "conversation.item.truncate"},
               {"item_id", client.last("response.output_item.done")["item"]["id"]},
               {"audio_end_ms", 120}});
  CHECK(saved().back() == "so");
  client.send({{"type", "conversation.item.delete"},
               {"item_id", client.all("conversation.item.added")[0]["item"]["id"]}});
  CHECK(saved() == Texts{"Say exactly: so it is", "so"});
  client.play(tone(100));
  client.send({{"type", "input_audio_buffer.commit"}});
  CHECK(saved().back() == "hello world");

  // For half an hour.
  now += 30LL * 60'000;
  CHECK(saved().size() == 3);
  now += 30LL * 60'000 + 1;
  CHECK(saved().empty());
}

TEST_CASE("a session ends at its limit, or if nobody speaks; until then it pings") {
  SessionParts parts;
  parts.timing.ping = std::chrono::milliseconds(100);
  parts.timing.limit = std::chrono::milliseconds(450);
  RealtimeClient client(parts);
  client.advance(440);
  CHECK(client.all("ping").size() == 4);
  CHECK(client.last("ping")["timestamp"].is_number_integer());
  client.advance(20);
  CHECK(client.last("error")["error"]["type"] == "max_duration");
  CHECK(client.peer->close_code == k_close_normal);
  parts.timing.limit = std::chrono::minutes(10);
  parts.timing.idle = std::chrono::milliseconds(300);
  RealtimeClient idle(parts);
  idle.advance(290);
  idle.binary("I am here");
  idle.advance(190);
  CHECK(idle.peer->close_code == 0);
  idle.write("I am here");
  idle.advance(190);
  CHECK(idle.peer->close_code == 0);
  idle.advance(30);
  CHECK(idle.last("error")["error"]["type"] == "timeout");
  CHECK(idle.peer->close_code == k_close_normal);
}

TEST_CASE("the cost of a session is recorded: whole seconds at its end, and tokens") {
  const std::int64_t now = 1'800'000'000'000;
  using Lines = std::vector<std::pair<std::string, std::int64_t>>;
  const auto cost_of = [&](const auto& use) {
    auto state = State::open(":memory:", [&] { return now; });
    REQUIRE(state.has_value());
    {
      RealtimeClient client({}, state->get());
      use(client);
    }
    const auto lines = (*state)->with([&](Database& database) {
      return billing::usage_of(database, k_demo_team_id, {.begin_s = 0, .end_s = now / 1000 + 10});
    });
    REQUIRE(lines.has_value());
    Lines list;
    for (const auto& [charge, prepaid, hour] : *lines) {
      list.emplace_back(
          charge.description + ": " + std::to_string(charge.units) + " " + charge.unit,
          charge.unit_ticks);
    }
    return list;
  };
  const auto spoken = [&](const char* words) {
    return cost_of([&](RealtimeClient& client) {
      client.write(words);
      client.respond();
    });
  };
  CHECK(spoken("Say exactly: twenty letters here.") ==
        Lines{{"svc-voice-latest input tokens: 11 token", 40'000},
              {"svc-voice-latest output audio: 1 second", 10'000'000},
              {"svc-voice-latest output tokens: 4 token", 200'000}});
  CHECK(spoken("Say exactly: twenty letters here!!")[1].first ==
        "svc-voice-latest output audio: 2 second");
  const auto heard = [&](std::int64_t ms) {
    return cost_of([&](RealtimeClient& client) {
      client.update({{"turn_detection", nullptr}});
      client.play(tone(ms));
      client.send({{"type", "input_audio_buffer.commit"}});
    });
  };
  const char* second = "svc-voice-latest input audio: 1 second";
  CHECK(heard(1) == Lines{{second, 5'000'000}});
  CHECK(heard(1'000) == Lines{{second, 5'000'000}});
  CHECK(heard(1'001) == Lines{{"svc-voice-latest input audio: 2 second", 5'000'000}});
  CHECK(cost_of([](RealtimeClient&) {}).empty());
}

}  // namespace svc::test
