// What goes out on a realtime socket: events, each with an id, and errors; and reading what comes.
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

/// Why a client's message was not taken. Its code is the emulator's own word: the service's are
/// unpublished.
struct Complaint {
  std::string code{};
  std::string message{};
  std::string param{};  ///< the member that is wrong; empty: none
  std::string type = "invalid_request_error";
};

/// "item_" and 24 random hexadecimal digits, for the prefix "item_".
[[nodiscard]] std::string make_id(sv prefix);

class Outbox {
 public:
  explicit Outbox(std::shared_ptr<SocketPeer> peer);

  /// An event with `members` behind its type and id.
  void send(sv type, const Json& members);
  void send_binary(std::string bytes) { m_peer->send_binary(std::move(bytes)); }
  /// An error event that the session survives; `event_id` is the client's.
  void complain(const Complaint& complaint, const std::string& event_id);

 private:
  std::shared_ptr<SocketPeer> m_peer;
  std::string m_prefix;
  std::uint64_t m_count = 0;
};

/// Members that are absent or null change nothing. After the first fault nothing is read any more.
/// Reads members of a client's message, and says what is wrong with the first that is.
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
  void require(sv name, bool present);
  [[nodiscard]] std::string path_of(sv name) const;

 private:
  /// The member when it is of that sort, which `fits` says; else null.
  [[nodiscard]] const Json* find(sv name, bool (Json::*fits)() const, sv sort);
  template <typename Number>
  void within(sv name, Number low, Number high, Number given, Number& target);

  const Json& m_object;
  std::string m_path;
  std::optional<Complaint>& m_fault;
};

}  // namespace svc::emulator::realtime
