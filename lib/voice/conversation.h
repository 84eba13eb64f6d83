// A spoken conversation as a state machine: the service's messages in, what to do out. No socket,
// no sound, no clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace svc::voice {

/// What a message of the service means. Text of all kinds is foreign.
struct TalkEvent {
  enum class Kind : std::uint8_t {
    Connected,        ///< `id`: the conversation's, once it is known
    Configured,       ///< the session is as asked for: sound may be sent
    SpeechStarted,    ///< the user speaks, from `at_ms` on: fall silent
    SpeechStopped,    ///< at `at_ms`
    Committed,        ///< what was heard of the user is an item of the conversation
    UserText,         ///< `text`: all of what the user said in `item`; `final`: it stays so
    AssistantText,    ///< the same of the answer
    Audio,            ///< `text`: bytes of `item`, in the session's form, to be heard
    AudioDone,        ///< no more of `item`
    ToolCall,         ///< run `name` with `text` as its arguments (JSON); answer to `id`
    ToolNews,         ///< what tools of the service do: `name`, `text`
    ResponseStarted,  ///< `id`
    ResponseDone,     ///< `id`; `name`: its status; `text`: why it failed, "" otherwise
    Digit,            ///< `text`: a key that the caller pressed
    IdleTimeout,      ///< nobody said anything; the service speaks up
    Error,            ///< `name`: its type; `text`; the session goes on unless the service then
                      ///< closes it
  };
  Kind kind;
  std::string item{};
  int content = 0;
  std::string id{};
  std::string name{};
  std::string text{};
  bool final = false;
  bool replayed = false;    ///< of a conversation that is taken up again
  bool spoken = false;      ///< ResponseDone: something was said or written
  bool ends = false;        ///< Error: it may be why the session ends next
  std::int64_t at_ms = -1;  ///< of the sound sent on this connection; -1: not told
};

struct TalkUsage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t ticks = 0;  ///< of money, where the service says it
};

class Conversation {
 public:
  using Event = TalkEvent;

  /// One message of the service; unknown ones mean nothing.
  [[nodiscard]] std::vector<Event> take(std::string_view message);
  /// A binary message: sound of the item that is spoken (`transport: "binary"`).
  [[nodiscard]] std::vector<Event> take_bytes(std::string bytes);

  /// The connection was lost and is being replaced. An answer in progress will not finish; returns
  /// whether there was one.
  bool reconnect();

  /// Playing was interrupted: sound of what is spoken that still comes is not for anybody's ears.
  void interrupt();

  /// The output of that call was sent.
  void answered(const std::string& call);
  /// Whether `response.create` is due: all calls of an answer have ended and were answered, and
  /// nothing else is being answered. True once.
  [[nodiscard]] bool take_wants_response();

  [[nodiscard]] const std::string& id() const noexcept { return m_id; }
  [[nodiscard]] bool configured() const noexcept { return m_configured; }
  /// An answer is being made.
  [[nodiscard]] bool responding() const noexcept { return !m_active.empty(); }
  /// The answer in progress, or "".
  [[nodiscard]] const std::string& active() const noexcept { return m_active; }
  /// Calls that wait for their outputs, or outputs for the answer's end.
  [[nodiscard]] bool tools_pending() const noexcept { return !m_calls.empty(); }
  /// This connection knows the item, and all of it that came: the service may be told about it.
  [[nodiscard]] bool has(const std::string& item) const { return m_here.contains(item); }
  [[nodiscard]] const TalkUsage& usage() const noexcept { return m_usage; }

  struct Reader;  ///< one message on its way

 private:
  struct Item {
    std::string text{};
    std::string source{};  ///< the event whose deltas count, of several names for the same
    bool final = false;
    bool muted = false;  ///< interrupted
    bool whole = false;  ///< all of its sound came
  };
  struct Call {
    std::string response{};
    bool answered = false;
  };

  Item& item(const std::string& id) { return m_items[id]; }

  std::string m_id{};
  bool m_configured = false;
  std::map<std::string, Item> m_items{};
  std::set<std::string> m_here{};                ///< items that this connection has named
  std::map<std::string, Call> m_calls{};         ///< by call id, until their answer has gone on
  std::map<std::string, std::string> m_names{};  ///< of functions, by item and by call
  std::set<std::string> m_known_calls{};
  std::set<std::string> m_done{};    ///< responses
  std::set<std::string> m_spoken{};  ///< responses that said something
  std::string m_active{};
  std::string m_speaking{};  ///< the item whose sound came last
  std::string m_speaking_response{};
  bool m_mute_active = false;
  TalkUsage m_usage{};
};

// What is said to the service, as JSON text.

/// A piece of what the microphone hears.
[[nodiscard]] std::string append_message(std::string_view bytes);
/// A message without members: "input_audio_buffer.commit", "response.create", ….
[[nodiscard]] std::string plain_message(std::string_view type);
/// A turn of the user as text; ill-formed UTF-8 is replaced.
[[nodiscard]] std::string say_message(std::string_view text);
[[nodiscard]] std::string truncate_message(const std::string& item, int content, std::int64_t ms);
[[nodiscard]] std::string output_message(const std::string& call, std::string_view output);

}  // namespace svc::voice
