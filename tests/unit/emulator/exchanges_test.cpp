// Whole answers of the emulator, to the letter: the requests and sessions of tests/exchanges, each
// file with one state, a clock that stands still, and IDs from a seed.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "unit/emulator/management_support.h"
#include "unit/emulator/realtime_support.h"

namespace {

using namespace svc;
using OrderedJson = nlohmann::ordered_json;

/// A request as it is written, and what has been answered.
struct Exchange {
  std::string title{};
  std::string request{};  ///< its line, its headers, an empty line and its body
  std::string answer{};
};

/// Splits a file: "### title", the request, "---" and the answer.
std::vector<Exchange> exchanges_of(const std::string& text) {
  std::vector<Exchange> all;
  bool answers = false;
  for (const sv line : split(text, '\n')) {
    if (line.starts_with("### ")) {
      all.push_back({.title = std::string(line.substr(4))});
      answers = false;
    } else if (line == "---") {
      answers = true;
    } else if (!all.empty()) {
      std::string& part = answers ? all.back().answer : all.back().request;
      part += std::string(line) + "\n";
    }
  }
  for (Exchange& one : all) {
    one.request = trim(one.request);
    one.answer = trim(one.answer);
  }
  return all;
}

/// Replaces what differs from run to run or with the versions of libraries: secrets, pictures, and
/// the last digits of numbers.
void settle(OrderedJson& json) {
  if (json.is_number_float()) {
    json = std::strtod(fmt::format("{:.5g}", json.get<double>()).c_str(), nullptr);
  } else if (json.is_string() && json.get_ref<const std::string&>().size() > 2'000) {
    json = "(long)";
  } else if (json.is_structured()) {
    for (OrderedJson& member : json) settle(member);
    for (const char* name : {"apiKey", "redactedApiKey", "value", "dispatch_signing_secret"}) {
      if (json.is_object() && json.contains(name) && json[name].is_string())
        json[name] = "(secret)";
    }
  }
}

std::string readable_body(const std::string& body) {
  if (body.empty()) return {};
  auto json = OrderedJson::parse(body, nullptr, false);
  if (json.is_discarded()) return first_invalid_utf8(body) ? "(bytes)" : body;
  settle(json);
  return json.dump(2);
}

/// The status, the headers and the body, of a stream all of it.
std::string answer_of(const emulator::Response& response) {
  std::string text = fmt::format("{} {}\n", response.status, response.content_type);
  for (const Header& header : response.headers) {
    text += fmt::format("{}: {}\n", header.name, header.value);
  }
  std::string body = response.body;
  for (auto piece = response.next ? response.next() : std::nullopt; piece;
       piece = response.next()) {
    body += piece->bytes;
  }
  return text + "\n" + readable_body(body);
}

class Conversation {
 public:
  Conversation() { REQUIRE(m_api.state().seed_ids(1)); }

  /// Answers a request, in which {{N:/members/0/id}} is a member of the Nth answer.
  std::string answer(const std::string& written) {
    const std::string request = with_members(written);
    const std::size_t head_end = std::min(request.find("\n\n"), request.size());
    auto lines = split(sv(request).substr(0, head_end), '\n');
    const auto words = split(lines.front(), ' ');
    if (words[0] == "ADVANCE") {
      m_api.advance(std::atoll(std::string(words[1]).c_str()));
      m_bodies.emplace_back();
      return {};
    }
    std::vector<Header> headers;
    for (const sv line : std::span(lines).subspan(1)) {
      const std::size_t colon = line.find(": ");
      headers.push_back({std::string(line.substr(0, colon)), std::string(line.substr(colon + 2))});
    }
    std::string body = request.substr(std::min(head_end + 2, request.size()));
    if (!headers.empty()) body = replace_all(body, "\n", "\r\n") + "\r\n";
    const auto response =
        m_api.ask(words[0], std::string(words.at(1)), std::move(body), {}, std::move(headers));
    m_bodies.push_back(response.body);
    return answer_of(response);
  }

 private:
  std::string with_members(std::string text) const {
    for (std::size_t begin = 0; (begin = text.find("{{", begin)) != std::string::npos; ++begin) {
      const std::size_t colon = text.find(":/", begin);
      const std::size_t end = text.find("}}", begin);
      if (colon == std::string::npos || colon > end) continue;
      const auto number = std::strtoul(text.c_str() + begin + 2, nullptr, 10);
      const auto json = OrderedJson::parse(m_bodies.at(number - 1), nullptr, false);
      const OrderedJson::json_pointer place(text.substr(colon + 1, end - colon - 1));
      const auto member = json.contains(place) ? json.at(place) : OrderedJson("missing");
      text.replace(begin, end + 2 - begin,
                   member.is_string() ? member.get<std::string>() : member.dump());
    }
    return text;
  }

  test::ManagementApi m_api;
  std::vector<std::string> m_bodies{};  ///< of all answers
};

/// Requests of a line each, "METHOD PATH BODY", with the status and the error of each.
class Refusals {
 public:
  std::string answer(const std::string& lines) {
    std::string text;
    for (const sv line : split(lines, '\n')) {
      const std::size_t path = line.find(' ') + 1;
      const std::size_t body = std::min(line.find(' ', path), line.size());
      const auto response =
          m_api.ask(line.substr(0, path - 1), std::string(line.substr(path, body - path)),
                    std::string(trim(line.substr(body))));
      text += fmt::format("{} {}\n", response.status, reason_of(response));
      m_api.advance(60'000);  // so that no limit of a minute is reached
    }
    return text;
  }

 private:
  static std::string reason_of(const emulator::Response& response) {
    if (response.status < 300) return {};
    const auto json = OrderedJson::parse(response.body, nullptr, false);
    for (const char* name : {"error", "message"}) {
      if (json.is_object() && json.contains(name) && json[name].is_string()) return json[name];
    }
    return json.is_discarded() ? response.body : json.dump();
  }

  test::ManagementApi m_api;
};

/// A realtime session whose IDs come from a seed, with a synthesizer that needs 50 ms for a byte.
class Session {
 public:
  Session()
      : m_state(std::move(*emulator::State::open(":memory:", [this] { return m_client_now; }))),
        m_client(seeded(), m_state.get()) {}

  /// Does what each line says; returns the events that came.
  std::string answer(const std::string& lines) {
    for (const sv line : split(lines, '\n')) act(line);
    std::string text;
    for (nlohmann::json& event : m_client.take()) {
      for (const char* name : {"delta", "audio"}) {
        if (event.contains(name) && event[name].get_ref<const std::string&>().size() > 200) {
          event[name] =
              fmt::format("({} letters)", event[name].get_ref<const std::string&>().size());
        }
      }
      text += event.dump() + "\n";
    }
    if (m_client.peer->close_code != 0) {
      text += fmt::format("closed {} {}\n", m_client.peer->close_code, m_client.peer->close_reason);
    }
    return text;
  }

 private:
  emulator::realtime::SessionParts seeded() {
    REQUIRE(m_state->seed_ids(1));
    return {};
  }

  void act(sv line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const sv verb = line.substr(0, space);
    const std::string rest(trim(line.substr(space)));
    if (verb == "send") m_client.raw(rest);
    if (verb == "write") m_client.write(rest);
    if (verb == "tone") m_client.play(test::tone(std::atoll(rest.c_str())));
    if (verb == "silence") m_client.play(test::silence(std::atoll(rest.c_str())));
    if (verb == "wait") m_client.advance(std::atoll(rest.c_str()));
    if (verb == "hear") m_client.speech->words = rest;
  }

  std::int64_t m_client_now = test::k_fixture_start_ms;
  std::unique_ptr<emulator::State> m_state;
  test::RealtimeClient m_client;
};

/// Compares the answers of each exchange in a file, or writes it again if SVC_RECORD_EXCHANGES is
/// set: then read what `git diff` shows.
template <typename Answers>
std::size_t check_file(const std::filesystem::path& path) {
  CAPTURE(path.filename().string());
  const auto text = read_file(path.string());
  REQUIRE(text);
  Answers answers;
  const bool records = std::getenv("SVC_RECORD_EXCHANGES") != nullptr;
  std::string recorded;
  std::size_t count = 0;
  for (const Exchange& one : exchanges_of(*text)) {
    CAPTURE(one.title);
    const std::string answer(trim(answers.answer(one.request)));
    recorded += fmt::format("### {}\n{}\n---\n{}\n\n", one.title, one.request, answer);
    if (!records) CHECK(answer == one.answer);
    ++count;
  }
  if (records) std::ofstream(path) << trim(recorded) << '\n';
  return count;
}

template <typename Answers>
std::size_t check_files(sv extension) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SVC_SOURCE_DIR "/tests/exchanges")) {
    if (entry.path().extension() == extension) count += check_file<Answers>(entry.path());
  }
  return count;
}

}  // namespace

TEST_CASE("answers to the letter") {
  CHECK(check_files<Conversation>(".http") > 200);
}

TEST_CASE("events of realtime sessions to the letter") {
  CHECK(check_files<Session>(".events") > 20);
}

TEST_CASE("refusals to the letter") {
  CHECK(check_files<Refusals>(".lines") > 10);
}
