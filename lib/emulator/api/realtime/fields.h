// Reads members of a client's message, and says what is wrong with the first that is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "emulator/api/realtime/events.h"

namespace svc::emulator::realtime {

/// Members that are absent or null change nothing. After the first fault nothing is read any more.
class Fields {
 public:
  /// `path` is where `object` is in the message: "session.turn_detection".
  Fields(const Json& object, std::string path, std::optional<Complaint>& fault);

  void text(sv name, std::string& target);
  void word(sv name, std::span<const sv> words, std::string& target);
  void flag(sv name, bool& target);
  void number(sv name, double low, double high, double& target);
  void integer(sv name, std::int64_t low, std::int64_t high, std::int64_t& target);
  /// The member when it is an object or a list, else null.
  [[nodiscard]] const Json* object(sv name);
  [[nodiscard]] const Json* list(sv name);

  void fail(sv name, std::string code, std::string message);
  [[nodiscard]] std::string path_of(sv name) const;

 private:
  [[nodiscard]] const Json* find(sv name) const;

  const Json& m_object;
  std::string m_path;
  std::optional<Complaint>& m_fault;
};

}  // namespace svc::emulator::realtime
