// A spoken conversation as a state machine: takes the service's messages, returns events. Uses no
// socket, audio or clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace svc::voice {

/// The meaning of a message from the service. All text in it is untrusted.
struct TalkEvent {
  enum class Kind : std::uint8_t {
    Connected,      ///< `id`: the conversation's, if known
    Configured,     ///< the session is configured: audio may be sent; `manual`
    SpeechStarted,  ///< the user has started speaking at `at_ms`: stop playback
    SpeechStopped,  ///< the user has stopped speaking at `at_ms`
    Committed,      ///< the user's audio has become an item of the conversation
    UserText,       ///< `text`: the whole transcript of the user's `item` so far; `final`: complete
    AssistantText,  ///< the same for the answer
    Audio,          ///< `text`: audio bytes of `item` to play, in the session's format
    AudioDone,      ///< the audio of `item` is complete
    ToolCall,       ///< run the tool `name` with the arguments `text` (JSON); `id` is the call ID
    ToolActivity,   ///< activity of a server-side tool: `name`, `text`
    ResponseStarted,  ///< `id`
    ResponseDone,     ///< `id`; `name`: its status; `text`: why it failed, or ""
    Digit,            ///< `text`: the digit the caller pressed
    IdleTimeout,      ///< nobody spoke; the service takes the turn
    Error,  ///< `name`: its type; `text`; the session continues unless the service closes it next
  };
  Kind kind;
  std::string item{};
  int content = 0;
  std::string id{};
  std::string name{};
  std::string text{};
  bool final = false;
  bool replayed = false;    ///< part of a resumed conversation's history
  bool spoken = false;      ///< ResponseDone: the response contained speech or text
  bool cut = false;         ///< AssistantText: what the service kept after an interruption
  bool ends = false;        ///< Error: the session may end next because of it
  bool manual = false;      ///< Configured: turns are detected on this side
  bool more = false;        ///< UserText: the service is still transcribing
  std::int64_t at_ms = -1;  ///< position in the audio sent on this connection; -1: not reported
};

struct TalkUsage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t ticks = 0;  ///< cost, if the service reports it
};

class SpokenConversation {
 public:
  using Event = TalkEvent;

  /// Processes a message from the service; unknown messages return no events.
  [[nodiscard]] std::vector<Event> feed(std::string_view message);
  /// Processes a binary message: audio of the item being spoken (`transport: "binary"`).
  [[nodiscard]] std::vector<Event> feed_bytes(std::string bytes);

  /// Call when the connection is lost and about to be replaced. The answer in progress will not
  /// finish; returns whether there was one.
  bool reconnect();

  /// Call when playback was interrupted: further audio of the current answer is discarded.
  void interrupt();

  /// Call once the output of `call` has been sent.
  void answered(const std::string& call);
  /// Whether `response.create` is due: all tool calls of an answer have finished and their outputs
  /// were sent, and no other answer is in progress. Returns true only once.
  [[nodiscard]] bool take_wants_response();

  [[nodiscard]] const std::string& id() const noexcept { return m_id; }
  [[nodiscard]] bool configured() const noexcept { return m_configured; }
  /// Whether an answer is in progress.
  [[nodiscard]] bool responding() const noexcept { return !m_active.empty(); }
  /// The ID of the answer in progress, or "".
  [[nodiscard]] const std::string& active() const noexcept { return m_active; }
  /// Whether tool calls wait for their outputs, or outputs wait for the end of the answer.
  [[nodiscard]] bool tools_pending() const noexcept { return !m_calls.empty(); }
  /// Whether this connection has the complete item, so that messages may refer to it.
  [[nodiscard]] bool has(const std::string& item) const {
    return m_connection_items.contains(item);
  }
  [[nodiscard]] const TalkUsage& usage() const noexcept { return m_usage; }

  struct Reader;  ///< processes one message

 private:
  struct Item {
    std::string text{};
    std::string source{};  ///< the event type used; the same text may have several types
    bool final = false;
    bool more = false;   ///< its transcript may grow
    bool muted = false;  ///< interrupted
    bool whole = false;  ///< all of its audio has arrived
  };
  struct Call {
    std::string response{};
    bool answered = false;
  };

  Item& item(const std::string& id) { return m_items[id]; }

  std::string m_id{};
  bool m_configured = false;
  std::map<std::string, Item> m_items{};
  std::set<std::string> m_connection_items{};    ///< items mentioned on this connection
  std::map<std::string, Call> m_calls{};         ///< by call ID, until the answer continues
  std::map<std::string, std::string> m_names{};  ///< of functions, by item ID and by call ID
  std::set<std::string> m_known_calls{};
  std::set<std::string> m_done{};    ///< responses
  std::set<std::string> m_spoken{};  ///< responses with speech or text
  std::string m_active{};
  std::string m_audio_item{};  ///< the item of the latest audio
  bool m_mute_active = false;
  TalkUsage m_usage{};
};

// Messages to the service, as JSON text.

/// A chunk of microphone audio.
[[nodiscard]] std::string append_message(std::string_view bytes);
/// A message that has only a type: "input_audio_buffer.commit", "response.create", ….
[[nodiscard]] std::string plain_message(std::string_view type);
/// The user's turn as text; invalid UTF-8 is replaced.
[[nodiscard]] std::string user_text_message(std::string_view text);
[[nodiscard]] std::string truncate_message(const std::string& item, int content, std::int64_t ms);
[[nodiscard]] std::string delete_message(const std::string& item);
[[nodiscard]] std::string output_message(const std::string& call, std::string_view output);

}  // namespace svc::voice
