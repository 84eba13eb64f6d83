// The items of a conversation: messages, calls and their outputs, in order.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "emulator/api/realtime/events.h"

namespace svc::emulator::realtime {

/// A part of a transcript, with the preceding space, and its end in the item's audio.
struct TimedWord {
  std::string text{};
  std::int64_t end_ms = 0;
};

struct Item {
  std::string id{};
  std::string type = "message";  ///< also function_call, function_call_output, mcp_call
  std::string role{};            ///< of a message: user, assistant, system
  std::string status = "completed";
  std::string text{};   ///< of a message: its text
  bool spoken = false;  ///< it is audio, and `text` is its transcript
  std::string call_id{};
  std::string name{};
  std::string arguments{};  ///< JSON as text
  std::string output{};
  std::string label{};             ///< of an mcp_call: its server
  std::int64_t audio_ms = 0;       ///< how much of the assistant's audio was sent
  std::vector<TimedWord> words{};  ///< of the assistant's transcript
  bool truncated = false;          ///< truncated: later output was not heard
};

/// Returns the object `item` of the server's events.
[[nodiscard]] Json item_json(const Item& item);

/// Returns the content part of an assistant's message.
[[nodiscard]] Json part_json(const Item& item);

/// An item as sent by a client. `audio` gets the bytes of an input_audio part. An item of type
/// force_message becomes one of type message with `forced`.
struct ParsedItem {
  Item item{};
  std::optional<std::string> audio{};
  bool forced = false;
  bool interruptible = true;
  std::string voice{};
};
[[nodiscard]] std::optional<ErrorDetails> read_item(const Json& given, ParsedItem& read);

/// Truncates an assistant's audio to the heard part, its first `end_ms`.
void truncate_item(Item& item, std::int64_t end_ms);

class Items {
 public:
  /// Inserts after `previous`: an ID, "root" for the start, or "" for the end. Returns null if
  /// there is no item with that ID.
  Item* add(Item item, const std::string& previous = {});
  [[nodiscard]] Item* find(const std::string& id);
  void erase(const std::string& id);
  [[nodiscard]] const std::list<Item>& all() const { return m_items; }
  /// Returns the ID of the item before this one, or "".
  [[nodiscard]] std::string before(const std::string& id) const;
  [[nodiscard]] std::string last_id() const;

  /// Converts all items to a JSON array, and back.
  [[nodiscard]] std::string save() const;
  void load(sv saved);

 private:
  std::list<Item> m_items{};  ///< a list, so that pointers to items remain valid
};

}  // namespace svc::emulator::realtime
