// The items of a conversation, and the responses that add to them.
#pragma once

#include <list>

#include "emulator/api/realtime/session_config.h"
#include "emulator/control/control.h"
#include "emulator/sound/speaker.h"

namespace svc::emulator::realtime {

struct SpokenAudio {
  Samples samples{};
  /// The end of each code point of the text, in milliseconds; empty: unknown.
  std::vector<std::int64_t> ends_ms{};
};

/// Thread-safe. Its functions block: call them on a worker thread.
class Speech {
 public:
  Speech() = default;
  Speech(const Speech&) = delete;
  Speech& operator=(const Speech&) = delete;
  virtual ~Speech() = default;

  [[nodiscard]] virtual Result<SpokenAudio> synthesize(const speech::Speech& order) const = 0;

  /// Loads the libraries for hear() and synthesize(), which is slow the first time.
  virtual void preload() const {}

  /// Returns the words in `samples`, in lower case; "" if there are none.
  [[nodiscard]] virtual Result<std::string> hear(std::span<const std::int16_t> samples,
                                                 int rate) const = 0;
};

/// Speaks with flite and recognizes with pocketsphinx, or returns why not.
[[nodiscard]] std::shared_ptr<const Speech> make_speech();

// The items of a conversation: messages, calls and their outputs, in order.

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
  /// Inserts after an ID, "root" (the start) or "" (the end); null if there is no such item.
  Item* add(Item item, const std::string& previous = {});
  [[nodiscard]] Item* find(const std::string& id);
  void erase(const std::string& id) {
    std::erase_if(m_items, [&](const Item& item) { return item.id == id; });
  }
  [[nodiscard]] const std::list<Item>& all() const { return m_items; }
  /// Returns the ID of the item before this one, or "".
  [[nodiscard]] std::string before(const std::string& id) const;
  [[nodiscard]] std::string last_id() const { return m_items.empty() ? "" : m_items.back().id; }

  /// Converts all items to a JSON array, and back.
  [[nodiscard]] std::string save() const;
  void load(sv saved);

 private:
  std::list<Item> m_items{};  ///< a list, so that pointers to items remain valid
};

// The emulator's answers in a conversation: deterministic text that identifies the emulator.

/// A call of an MCP server's tool, made by the service itself.
struct ServerToolCall {
  std::string label{};
  std::string name{};
  std::string arguments{};
  std::string output{};
  std::string error{};  ///< error message if it failed
};

struct ModelAnswer {
  std::string text{};  ///< text to say; empty if functions are called
  std::vector<FunctionCall> calls{};
  std::vector<ServerToolCall> server_calls{};
  std::string failure{};  ///< the response fails with this message
  CannedAnswer rule{};    ///< what a rule says about its members and its pace
};

/// The options of a response.
struct ResponseOptions {
  bool speaks = true;
  bool check_in = false;                ///< not requested: the user was silent
  bool interruptible = true;            ///< the user's speech cancels it
  std::string forced{};                 ///< a text to say verbatim; empty: the model answers
  std::string voice{};                  ///< overrides the session's voice
  std::string instructions{};           ///< overrides the session's
  std::shared_ptr<const Json> given{};  ///< as the client requested it; null: not at all
  std::string metadata = "{}";
};

/// Returns the answer to the last turn. Functions are called, and searches and MCP tools run, if
/// the turn names them; after the outputs of functions, the answer quotes them. `Say exactly: X`,
/// `Write N words` and `Fail with: X` work as in text operations.
[[nodiscard]] ModelAnswer generate_answer(const Request& request, const SessionConfig& config,
                                          const Items& items, const ResponseOptions& options);

/// Whether the pretended MCP server is reachable; any server under `.invalid` is not.
[[nodiscard]] bool is_reachable(const SessionTool& tool);

/// Counts the tokens of the model's input.
[[nodiscard]] std::int64_t count_input(const SessionConfig& config, const Items& items);

// One response, sent step by step, so that it can be canceled between any two events.

class ActiveResponse {
 public:
  /// `out` and `items` must outlive it. The audio of SIP calls is not sent `to_client`.
  ActiveResponse(Outbox& out, Items& items, ResponseOptions options, const AudioOutput& output,
                 bool to_client, std::int64_t input_tokens);

  [[nodiscard]] const std::string& id() const { return m_id; }
  [[nodiscard]] const ResponseOptions& options() const { return m_options; }

  /// Sends response.created.
  void begin();

  /// Prepares the output: function calls, or MCP tool calls and a message.
  void plan(const ModelAnswer& answer, SpokenAudio audio);

  /// Sends the next events. Returns the pause that follows, 0: as usual; nothing at the end.
  [[nodiscard]] std::optional<std::chrono::milliseconds> step();

  /// Ends it at once: closes open parts, and sends response.done with `canceled` and the reason.
  void cancel(sv reason);

  /// Ends it with the status `failed`.
  void fail(const std::string& message);

  /// Returns the duration of all audio sent.
  [[nodiscard]] std::int64_t audio_ms() const {
    return milliseconds_of(m_samples, m_output.format.rate);
  }
  [[nodiscard]] std::int64_t input_tokens() const { return m_input_tokens; }
  [[nodiscard]] std::int64_t output_tokens() const { return m_output_tokens; }

 private:
  using Pause = std::optional<std::chrono::milliseconds>;
  static constexpr Pause k_pause{0};  ///< the usual one
  void add(std::function<void()> send, Pause pause = {}) {
    m_parts.emplace_back(std::move(send), pause);
  }
  void plan_call(const FunctionCall& call);
  void plan_server_call(const ServerToolCall& call);
  void plan_message(const std::string& text, SpokenAudio audio);
  void plan_words(const std::string& text);
  void plan_audio(const std::string& text, SpokenAudio audio);
  void open_item(Item item);
  void open_content();
  void send_word(const TimedWord& word);
  void send_audio(std::span<const std::int16_t> samples);
  /// Sends the `done` events of the open item.
  void close_item(sv status);
  void close_message();
  void end(sv status, const Json& details);
  void send_event(sv type, const Json& members);
  void send_content_event(sv type, sv member, const Json& value);
  void send_call_event(sv type, const std::string& call_id, const Json& members);

  Outbox& m_out;
  Items& m_items;
  ResponseOptions m_options;
  AudioOutput m_output;
  bool m_to_client;
  std::string m_id;
  std::deque<std::pair<std::function<void()>, Pause>> m_parts{};
  std::string m_open{};  ///< the ID of the item in progress; empty: none
  bool m_content_open = false;
  std::int64_t m_index = -1;  ///< of the open item
  std::vector<std::string> m_item_ids{};
  std::size_t m_samples = 0;  ///< of audio that were sent
  std::int64_t m_input_tokens;
  std::int64_t m_output_tokens = 0;
  CannedAnswer m_rule{};
};

}  // namespace svc::emulator::realtime
