// The items of a conversation: what was said, called and answered, in order.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "emulator/api/realtime/events.h"

namespace svc::emulator::realtime {

/// A piece of a transcript, with the blank before it, and when it ends in the item's audio.
struct TimedWord {
  std::string text{};
  std::int64_t end_ms = 0;
};

struct Item {
  std::string id{};
  std::string type = "message";  ///< also function_call, function_call_output, mcp_call
  std::string role{};            ///< of a message: user, assistant, system
  std::string status = "completed";
  std::string text{};   ///< of a message: what was written or said
  bool spoken = false;  ///< it is audio, and `text` its transcript
  std::string call_id{};
  std::string name{};
  std::string arguments{};  ///< JSON as text
  std::string output{};
  std::string label{};             ///< of an mcp_call: its server
  std::int64_t audio_ms = 0;       ///< so much of the assistant's audio was sent
  std::vector<TimedWord> words{};  ///< of the assistant's transcript
  bool cut = false;                ///< what still comes of it was not heard
};

/// The object `item` of the server's events.
[[nodiscard]] Json item_json(const Item& item);

/// The content part that an assistant's message has.
[[nodiscard]] Json part_json(const Item& item);

/// An item as a client writes it. `audio` gets the bytes of an input_audio part. An
/// item of type force_message is read as one of type message with `forced`.
struct GivenItem {
  Item item{};
  std::optional<std::string> audio{};
  bool forced = false;
  bool interruptible = true;
  std::string voice{};
};
[[nodiscard]] std::optional<Complaint> read_item(const Json& given, GivenItem& read);

/// Cuts what was heard of an assistant's audio to its first `end_ms`.
void truncate_item(Item& item, std::int64_t end_ms);

class Items {
 public:
  /// Adds behind `previous`: an id, "root" for the beginning, or "" for the end. Null when there is
  /// no item of that id.
  Item* add(Item item, const std::string& previous = {});
  [[nodiscard]] Item* find(const std::string& id);
  bool erase(const std::string& id);
  [[nodiscard]] const std::list<Item>& all() const { return m_items; }
  /// The id of the item before this one, or "".
  [[nodiscard]] std::string before(const std::string& id) const;
  [[nodiscard]] std::string last_id() const;

  /// All of them as a JSON array, and back.
  [[nodiscard]] std::string save() const;
  void load(sv saved);

 private:
  std::list<Item> m_items{};  ///< a list: pointers to items stay
};

}  // namespace svc::emulator::realtime
