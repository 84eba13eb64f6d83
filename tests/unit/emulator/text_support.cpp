#include "unit/emulator/text_support.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/text.h"
#include "support/answer_check.h"

namespace svc::test {
namespace {

std::string with_members(std::string_view model_and_input, std::string_view members) {
  // Later members override earlier ones, so `members` may set another model.
  return fmt::format("{{{}{}{}}}", model_and_input, members.empty() ? "" : ",", members);
}

}  // namespace

TextApi::TextApi() : m_routes(emulator::text_routes()) {
  auto state = emulator::State::open(":memory:", [this] { return now_ms; });
  REQUIRE(state.has_value());
  m_state = std::move(*state);
  key.team_id = emulator::k_demo_team_id;
  key.acls = {"api-key:endpoint:*", "api-key:model:*"};
}

emulator::Response TextApi::call(const std::string& method, const std::string& path,
                                 const std::string& body,
                                 const std::map<std::string, std::string>& params,
                                 const std::vector<Header>& query, const std::string& sent_method) {
  const auto route = std::ranges::find_if(m_routes, [&](const emulator::Route& one) {
    return one.method == method && one.path == path;
  });
  REQUIRE(route != m_routes.end());
  CHECK(route->endpoint_acl == "chat");
  emulator::Request call;
  call.method = sent_method.empty() ? method : sent_method;
  call.path = path;
  call.params = params;
  call.query = query;
  call.headers = headers;
  call.body = body;
  call.key = key;
  call.state = m_state.get();
  call.request_id = random_uuid();
  if (!held) return route->handler(call);
  return held_to_rows(route->handler(call), method, path);
}

emulator::Response TextApi::ask(std::string_view prompt, std::string_view members) {
  return chat(
      with_members(fmt::format(R"("model":"svc-4.5","messages":[{{"role":"user","content":{}}}])",
                               json_quote(prompt)),
                   members));
}

emulator::Response TextApi::respond(std::string_view prompt, std::string_view members) {
  return responses(
      with_members(fmt::format(R"("model":"svc-4.5","input":{})", json_quote(prompt)), members));
}

emulator::Response held_to_rows(emulator::Response answer, std::string_view method,
                                std::string_view path) {
  if (answer.status != 200) return answer;
  const auto check = [method = std::string(method), path = std::string(path)](sv body) {
    for (const std::string& problem : check_answer(method, path, body)) {
      FAIL_CHECK("the catalogue's rows for ", method, " ", path, ": ", problem);
    }
  };
  if (answer.content_type == "application/json") check(answer.body);
  if (!answer.next || answer.content_type != "text/event-stream") return answer;
  answer.next = [check, next = std::move(answer.next)] {
    auto piece = next();
    if (piece) check(piece->bytes);
    return piece;
  };
  return answer;
}

Json ok(const emulator::Response& answer) {
  CHECK_MESSAGE(answer.status == 200, answer.body);
  CHECK(answer.content_type == "application/json");
  Json body = Json::parse(answer.body, nullptr, false);
  REQUIRE(!body.is_discarded());
  return body;
}

std::string expect_error(const emulator::Response& answer, int status) {
  CHECK_MESSAGE(answer.status == status, answer.body);
  const Json body = Json::parse(answer.body, nullptr, false);
  REQUIRE_MESSAGE(body.is_object(), answer.body);
  CHECK(body.contains("code"));
  return body.value("error", "");
}

std::vector<std::string> events(const emulator::Response& answer) {
  CHECK_MESSAGE(answer.status == 200, answer.body);
  CHECK(answer.content_type == "text/event-stream");
  REQUIRE(answer.next);
  std::vector<std::string> list;
  while (const auto piece = answer.next()) {
    const sv bytes = piece->bytes;
    REQUIRE(bytes.starts_with("data: "));
    REQUIRE(bytes.ends_with("\n\n"));
    list.emplace_back(bytes.substr(6, bytes.size() - 8));
  }
  return list;
}

std::vector<Json> json_events(const emulator::Response& answer) {
  auto texts = events(answer);
  REQUIRE(!texts.empty());
  CHECK(texts.back() == "[DONE]");
  texts.pop_back();
  std::vector<Json> list;
  for (const auto& text : texts) list.push_back(Json::parse(text));
  return list;
}

std::string content_of(const Json& completion, std::size_t choice) {
  return completion["choices"][choice]["message"]["content"];
}

std::string response_id(const Json& response) {
  return response["id"];
}

std::string response_text(const Json& response) {
  const Json& item = response["output"].back();
  CHECK(item["type"] == "message");
  return item["content"][0].value("text", "");
}

}  // namespace svc::test
