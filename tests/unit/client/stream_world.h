// A stream reader, its deltas and its result.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "client/answer.h"

namespace svc::test {

class StreamWorld {
 public:
  explicit StreamWorld(View view, Retain retain = Retain::Text,
                       std::vector<std::string> secrets = {})
      : m_stream(make_answer_stream(view, retain, std::move(secrets))) {}

  void feed(std::string_view data) {
    const auto fed = take(data);
    CHECK_MESSAGE(fed.has_value(), (fed ? std::string() : fed.error().message));
  }

  /// The error that this event is or causes.
  Error refusal(std::string_view data) {
    const auto fed = take(data);
    REQUIRE_FALSE(fed.has_value());
    return fed.error();
  }

  [[nodiscard]] Result<void> finish() { return m_stream->finish(); }

  [[nodiscard]] Fault ended_with() {
    const auto ended = finish();
    REQUIRE_FALSE(ended.has_value());
    return ended.error().fault;
  }

  [[nodiscard]] const Answer& answer() const { return m_stream->answer(); }
  [[nodiscard]] nlohmann::json document() const {
    return nlohmann::json::parse(m_stream->document(), nullptr, false);
  }
  [[nodiscard]] std::vector<std::string> warnings() { return m_stream->take_warnings(); }

  /// All deltas as text: "(text 0: Hello)".
  std::string shown{};

 private:
  Result<void> take(std::string_view data) {
    return m_stream->feed(data, [this](const Delta& delta) {
      constexpr const char* names[] = {"text", "reasoning", "refusal", "tool", "tool output"};
      shown += std::string("(") + names[static_cast<int>(delta.kind)] + " " +
               std::to_string(delta.choice) + ": " + std::string(delta.text) + ")";
    });
  }

  std::unique_ptr<AnswerStream> m_stream;
};

}  // namespace svc::test
