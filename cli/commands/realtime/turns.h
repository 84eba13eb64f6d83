// What a realtime session still owes: answers that were asked for and are not complete.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "client/answer.h"
#include "live/jsonl_session.h"

namespace svc::cli {

/// Follows the events of a realtime session to know whether an answer is under way.
class RealtimeTurns final : public JsonlObserver {
 public:
  /// `on_key` gets each key that a caller presses.
  explicit RealtimeTurns(std::function<void(const std::string&)> on_key)
      : m_on_key(std::move(on_key)) {}

  void sent(const std::string& text) override;
  void arrived(const std::string& text) override;
  [[nodiscard]] bool busy() const override { return m_asked > 0 || !m_open.empty(); }

  /// For going on with it; "" when the service has not named it.
  [[nodiscard]] const std::string& conversation() const noexcept { return m_conversation; }
  /// Of the answers that are complete.
  [[nodiscard]] const Usage& usage() const noexcept { return m_usage; }

 private:
  void response_created(const std::string& id);
  void response_done(const std::string& id);

  std::function<void(const std::string&)> m_on_key;
  std::size_t m_asked = 0;         ///< answers that have not begun
  std::set<std::string> m_open{};  ///< those that have, by their ids
  std::string m_conversation{};
  Usage m_usage{};
};

}  // namespace svc::cli
