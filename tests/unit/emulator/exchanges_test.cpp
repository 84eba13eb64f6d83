// Whole answers of the emulator, to the letter: the requests of tests/exchanges, with one state, a
// clock that stands still, and IDs from a seed.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "unit/emulator/management_support.h"

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

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

// With SVC_RECORD_EXCHANGES=1 the files are written again: read what `git diff` shows of them.
TEST_CASE("answers to the letter") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SVC_SOURCE_DIR "/tests/exchanges")) {
    CAPTURE(entry.path().filename().string());
    Conversation conversation;
    std::string recorded;
    for (const Exchange& one : exchanges_of(read_text(entry.path()))) {
      CAPTURE(one.title);
      const std::string answer(trim(conversation.answer(one.request)));
      recorded += fmt::format("### {}\n{}\n---\n{}\n\n", one.title, one.request, answer);
      if (std::getenv("SVC_RECORD_EXCHANGES") == nullptr) CHECK(answer == one.answer);
      ++count;
    }
    if (std::getenv("SVC_RECORD_EXCHANGES") != nullptr) {
      std::ofstream(entry.path()) << trim(recorded) << '\n';
    }
  }
  CHECK(count > 0);
}
