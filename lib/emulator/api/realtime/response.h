// One response: sends its events in the documented order, step by step, so that it can be cancelled
// between any two.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "emulator/api/realtime/items.h"
#include "emulator/api/realtime/model_answer.h"
#include "emulator/api/realtime/session_config.h"
#include "emulator/api/realtime/speech.h"

namespace svc::emulator::realtime {

/// The options of a response.
struct ResponseOptions {
  bool speaks = true;
  bool check_in = false;       ///< not requested: the user was silent
  bool interruptible = true;   ///< the user's speech cancels it
  std::string forced{};        ///< a text to say verbatim; empty: the model answers
  std::string voice{};         ///< overrides the session's voice
  std::string instructions{};  ///< for this response
  std::string metadata = "{}";
};

class ActiveResponse {
 public:
  /// `out` and `items` must outlive it. Without `to_client` its audio goes nowhere: the service
  /// handles the media of SIP calls itself.
  ActiveResponse(Outbox& out, Items& items, ResponseOptions options, const AudioOutput& output,
                 bool to_client, std::int64_t input_tokens);

  [[nodiscard]] const std::string& id() const { return m_id; }
  [[nodiscard]] const ResponseOptions& options() const { return m_options; }

  /// Sends response.created.
  void begin();

  /// Prepares the output: function calls, or MCP tool calls and a message, with audio if the
  /// response speaks.
  void plan(const ModelAnswer& answer, SpokenAudio audio);

  /// Sends the next events. Wait: enough audio was sent to pause. Done: response.done was sent.
  enum class Step : std::uint8_t { Wait, Done };
  [[nodiscard]] Step step();

  /// Ends it at once: closes open parts, and sends response.done with `cancelled` and the reason.
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
  struct Part {
    std::function<void()> send;
    bool waits = false;  ///< a pause follows
  };
  void add(std::function<void()> send, bool waits = false);
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
  std::deque<Part> m_parts{};
  std::string m_open{};  ///< the ID of the item in progress; empty: none
  bool m_content_open = false;
  std::int64_t m_index = -1;  ///< of the open item
  std::vector<std::string> m_item_ids{};
  std::size_t m_samples = 0;  ///< of audio that were sent
  std::int64_t m_input_tokens;
  std::int64_t m_output_tokens = 0;
  std::shared_ptr<const Json> m_given_usage{};  ///< members that a rule sets
};

}  // namespace svc::emulator::realtime
