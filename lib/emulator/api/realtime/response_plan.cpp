// Laying out a response: which events follow one another, and where there are pauses.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/realtime/response.h"

namespace svc::emulator::realtime {
namespace {

constexpr std::int64_t k_chunk_ms = 100;           // of audio in one delta
constexpr std::size_t k_argument_piece = 8;        // bytes of arguments in one delta
constexpr std::size_t k_words_before_a_pause = 5;  // of a response in text only

// Pieces of ASCII that join to `text`; a character beyond ASCII is not cut.
std::vector<std::string> argument_pieces(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + k_argument_piece, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

// The words of `text`, each with the blanks before it. They end when they are heard, or, where
// that is not known, are spread over the `audio_ms` by their length.
std::vector<TimedWord> timed_words(const std::string& text,
                                   const std::vector<std::int64_t>& ends_ms,
                                   std::int64_t audio_ms) {
  const bool known = !ends_ms.empty() && ends_ms.size() == count_code_points(text);
  std::vector<TimedWord> words;
  std::size_t point = 0;
  std::int64_t last = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find_first_not_of(" \n", at);
    end = end == std::string::npos ? text.size()
                                   : std::min(text.find_first_of(" \n", end), text.size());
    TimedWord word{text.substr(at, end - at)};
    point += count_code_points(word.text);
    word.end_ms =
        known ? ends_ms[point - 1]
              : static_cast<std::int64_t>(end) * audio_ms / static_cast<std::int64_t>(text.size());
    last = word.end_ms = std::clamp(word.end_ms, last, std::max(last, audio_ms));
    words.push_back(std::move(word));
    at = end;
  }
  return words;
}

}  // namespace

void Response::add(std::function<void()> send, bool waits) {
  m_parts.push_back({std::move(send), waits});
}

void Response::plan(const Thought& thought, SpokenAudio audio) {
  for (const FunctionWish& call : thought.calls) plan_call(call);
  for (const ServerToolCall& call : thought.server_calls) plan_server_call(call);
  if (thought.calls.empty()) plan_message(thought.text, std::move(audio));
}

void Response::plan_call(const FunctionWish& call) {
  Item item{.id = make_id("item_"), .type = "function_call"};
  item.call_id = make_id("call_");
  item.name = call.name;
  const std::string call_id = item.call_id;
  add([this, item] { open_item(item); });
  for (const std::string& piece : argument_pieces(call.arguments)) {
    add([this, call_id, piece] {
      m_out.send("response.function_call_arguments.delta", {{"response_id", m_id},
                                                            {"item_id", m_open},
                                                            {"output_index", m_index},
                                                            {"call_id", call_id},
                                                            {"delta", piece}});
    });
  }
  add([this, call_id, call] {
    if (Item* open = m_items.find(m_open)) open->arguments = call.arguments;
    m_out.send("response.function_call_arguments.done", {{"response_id", m_id},
                                                         {"item_id", m_open},
                                                         {"output_index", m_index},
                                                         {"call_id", call_id},
                                                         {"name", call.name},
                                                         {"arguments", call.arguments}});
    close_item("completed");
  });
}

void Response::plan_server_call(const ServerToolCall& call) {
  Item item{.id = make_id("mcp_"), .type = "mcp_call"};
  item.label = call.label;
  item.name = call.name;
  const auto send = [this](sv type, sv member, const std::string& value) {
    Json event = place(false);
    if (!member.empty()) event[std::string(member)] = value;
    m_out.send(type, event);
  };
  add([this, item] { open_item(item); });
  add([send] { send("response.mcp_call.in_progress", "", ""); });
  for (const std::string& piece : argument_pieces(call.arguments)) {
    add([send, piece] { send("response.mcp_call_arguments.delta", "delta", piece); });
  }
  add([this, send, call] {
    send("response.mcp_call_arguments.done", "arguments", call.arguments);
    if (Item* open = m_items.find(m_open)) {
      open->arguments = call.arguments;
      open->output = call.output;
    }
    if (call.error.empty()) {
      send("response.mcp_call.completed", "", "");
    } else {
      send("response.mcp_call.failed", "error", call.error);
    }
    close_item(call.error.empty() ? "completed" : "failed");
  });
}

void Response::plan_message(const std::string& text, SpokenAudio audio) {
  Item item{.id = make_id("item_"), .role = "assistant"};
  item.spoken = m_wish.speaks;
  add([this, item] {
    open_item(item);
    open_content();
  });
  if (m_wish.speaks) {
    plan_audio(text, std::move(audio));
  } else {
    plan_words(text);
  }
  add([this] { close_item("completed"); });
}

void Response::plan_words(const std::string& text) {
  std::size_t count = 0;
  for (const TimedWord& word : timed_words(text, {}, 0)) {
    add([this, word] { send_word(word); }, ++count % k_words_before_a_pause == 0);
  }
}

// A word's transcript comes with the piece of audio in which it begins.
void Response::plan_audio(const std::string& text, SpokenAudio spoken) {
  const auto audio = std::make_shared<const Samples>(std::move(spoken.samples));
  const int rate = m_output.format.rate;
  const auto chunk = static_cast<std::size_t>(rate * k_chunk_ms / 1000);
  const auto words = timed_words(text, spoken.ends_ms, milliseconds_of(audio->size(), rate));
  std::size_t next = 0;
  std::int64_t begin_ms = 0;  // of the next word
  for (std::size_t at = 0; at < audio->size(); at += chunk) {
    const std::int64_t end_ms = milliseconds_of(at + chunk, rate);
    for (; next < words.size() && begin_ms < end_ms; begin_ms = words[next++].end_ms) {
      add([this, word = words[next]] { send_word(word); });
    }
    add([this, audio, at,
         chunk] { send_audio(std::span(*audio).subspan(at, std::min(chunk, audio->size() - at))); },
        true);
  }
  for (; next < words.size(); ++next) add([this, word = words[next]] { send_word(word); });
}

}  // namespace svc::emulator::realtime
