// Sends events, each with an ID, and errors on a realtime socket; and parses messages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "emulator/handler/socket.h"
#include "emulator/json/json.h"

namespace svc::emulator::realtime {

using text::Json;
using text::sv;

/// Why a client's message was refused. The code is the emulator's own: the service's codes are
/// unpublished.
struct ErrorDetails {
  std::string code{};
  std::string message{};
  std::string param{};  ///< the invalid field; empty: none
  std::string type = "invalid_request_error";
};

/// Returns "item_" and 24 random hexadecimal digits for the prefix "item_".
[[nodiscard]] std::string make_id(State& state, sv prefix);

class Outbox {
 public:
  Outbox(std::shared_ptr<SocketPeer> peer, State& state);

  [[nodiscard]] std::string make_id(sv prefix) { return realtime::make_id(m_state, prefix); }

  /// Sends an event with `members` after its type and ID.
  void send(sv type, const Json& members);
  void send_binary(std::string bytes) { m_peer->send_binary(std::move(bytes)); }
  /// Sends an error event, after which the session continues; `event_id` is the client's.
  void send_error(const ErrorDetails& error, const std::string& event_id = {});

 private:
  std::shared_ptr<SocketPeer> m_peer;
  State& m_state;
  std::string m_prefix;
  std::uint64_t m_count = 0;
};

/// Reads fields of a client's message and reports the first invalid one. Absent or null fields
/// change nothing; after the first error, nothing more is read.
class FieldReader {
 public:
  /// `path` is the position of `object` in the message: "session.turn_detection".
  FieldReader(const Json& object, std::string path, std::optional<ErrorDetails>& error);

  void text(sv name, std::string& target);
  void word(sv name, std::span<const sv> words, std::string& target);
  void flag(sv name, bool& target);
  void number(sv name, double low, double high, double& target);
  void integer(sv name, std::int64_t low, std::int64_t high, std::int64_t& target);
  /// Returns the field if it is an object or an array, otherwise null.
  [[nodiscard]] const Json* object(sv name);
  [[nodiscard]] const Json* list(sv name);
  /// Reads the fields of the object in that field, if there is one.
  [[nodiscard]] std::optional<FieldReader> child(sv name);

  void fail(sv name, std::string code, std::string message);
  void require(sv name, bool present);
  [[nodiscard]] std::string path_of(sv name) const;

 private:
  /// Returns the field if `matches` accepts its type, otherwise null.
  [[nodiscard]] const Json* find(sv name, bool (Json::*matches)() const, sv type_name);
  template <typename Number>
  void within(sv name, Number low, Number high, Number given, Number& target);

  const Json& m_object;
  std::string m_path;
  std::optional<ErrorDetails>& m_error;
};

}  // namespace svc::emulator::realtime
