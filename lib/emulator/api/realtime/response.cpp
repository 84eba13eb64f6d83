// Speech for realtime sessions, with flite and pocketsphinx.
#include "emulator/api/realtime/response.h"

#include <nlohmann/json.hpp>

#include "emulator/model/answer.h"
#include "emulator/sound/listener.h"

namespace svc::emulator::realtime {
namespace {

class RealSpeech final : public Speech {
 public:
  [[nodiscard]] Result<SpokenAudio> synthesize(const speech::Speech& params) const override {
    speech::Speaker speaker(params);
    SpokenAudio audio;
    for (;;) {
      SVC_TRY(phrase, speaker.next());
      if (!phrase) break;
      audio.samples.insert(audio.samples.end(), phrase->begin(), phrase->end());
    }
    for (const speech::CharTime& time : speaker.times()) {
      audio.ends_ms.push_back(static_cast<std::int64_t>(std::ceil(time.end * 1000)));
    }
    return audio;
  }

  // Loading errors are reported when the library is needed.
  void preload() const override {
    (void)speech::Recognizer::take();  // returned to the pool at once, and remains loaded
    (void)speech::check_flite();
  }

  [[nodiscard]] Result<std::string> hear(std::span<const std::int16_t> samples,
                                         int rate) const override {
    SVC_TRY(recognizer, speech::Recognizer::take());
    recognizer->begin();
    SVC_TRY(resampled, speech::resample(samples, rate, speech::k_listen_rate));
    speech::fill_upper_band(resampled, rate);
    recognizer->feed(resampled);
    std::string text;
    for (const speech::RecognizedWord& word : recognizer->finish()) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", word.text);
    }
    return text;
  }
};

constexpr std::int64_t k_chunk_ms = 100;           // of audio in one delta
constexpr std::size_t k_argument_piece = 8;        // bytes of arguments in one delta
constexpr std::size_t k_words_before_a_pause = 5;  // of a text-only response

// Splits `text` into chunks of ASCII; a character beyond ASCII is not split.
std::vector<std::string> argument_chunks(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + k_argument_piece, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

// Returns the words of `text`, each with the spaces before it. Each ends when it is heard or, if
// that is unknown, in proportion to its length within `audio_ms`.
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

std::shared_ptr<const Speech> make_speech() {
  return std::make_shared<RealSpeech>();
}

ActiveResponse::ActiveResponse(Outbox& out, Items& items, ResponseOptions options,
                               const AudioOutput& output, bool to_client, std::int64_t input_tokens)
    : m_out(out),
      m_items(items),
      m_options(std::move(options)),
      m_output(output),
      m_to_client(to_client),
      m_id(m_out.make_id("resp_")),
      m_input_tokens(input_tokens) {}

void ActiveResponse::begin() {
  m_out.send("response.created", {{"response",
                                   {{"id", m_id},
                                    {"object", "realtime.response"},
                                    {"status", "in_progress"},
                                    {"status_details", nullptr},
                                    {"output", Json::array()},
                                    {"usage", nullptr},
                                    {"metadata", text::parse_json(m_options.metadata)}}}});
}

ActiveResponse::Pause ActiveResponse::step() {
  while (!m_parts.empty()) {
    const auto [send, pause] = std::move(m_parts.front());
    m_parts.pop_front();
    send();
    if (pause) return pause;
  }
  end("completed", nullptr);
  return std::nullopt;
}

void ActiveResponse::cancel(sv reason) {
  close_item("incomplete");
  end("cancelled", {{"type", "cancelled"}, {"reason", reason}});
}

void ActiveResponse::fail(const std::string& message) {
  end("failed",
      {{"type", "failed"},
       {"error", {{"type", "internal_error"}, {"code", "response_failed"}, {"message", message}}}});
}

// --- events ----------------------------------------------------------------------------------

// An event about the open item.
void ActiveResponse::send_event(sv type, const Json& members) {
  Json event = {{"response_id", m_id}, {"item_id", m_open}, {"output_index", m_index}};
  event.update(members);
  m_out.send(type, event);
}

// An event about a function's arguments has no output_index.
void ActiveResponse::send_call_event(sv type, const std::string& call_id, const Json& members) {
  Json event = {{"response_id", m_id}, {"item_id", m_open}, {"call_id", call_id}};
  event.update(members);
  m_out.send(type, event);
}

// An event about its content.
void ActiveResponse::send_content_event(sv type, sv member, const Json& value) {
  send_event(type, {{"content_index", 0}, {member, value}});
}

void ActiveResponse::open_item(Item item) {
  m_open = item.id;
  ++m_index;
  m_item_ids.push_back(item.id);
  item.status = "in_progress";
  const Item* added = m_items.add(std::move(item));
  m_out.send("response.output_item.added",
             {{"response_id", m_id}, {"output_index", m_index}, {"item", item_json(*added)}});
}

void ActiveResponse::open_content() {
  const Item* item = m_items.find(m_open);
  if (item == nullptr) return;
  m_content_open = true;
  send_content_event("response.content_part.added", "part", part_json(*item));
}

void ActiveResponse::send_word(const TimedWord& word) {
  Item* item = m_items.find(m_open);
  if (item == nullptr) return;
  if (!item->truncated) item->text += word.text;
  if (item->spoken) {
    if (!item->truncated) item->words.push_back(word);
    return send_content_event("response.output_audio_transcript.delta", "delta", word.text);
  }
  // Sent twice under two names: clients use either of them.
  send_content_event("response.text.delta", "delta", word.text);
  send_content_event("response.output_text.delta", "delta", word.text);
}

void ActiveResponse::send_audio(std::span<const std::int16_t> samples) {
  Item* item = m_items.find(m_open);
  if (item == nullptr) return;
  m_samples += samples.size();  // a response has one spoken item at most
  if (!item->truncated) item->audio_ms = audio_ms();
  if (!m_to_client) return;
  std::string bytes = audio::encode(samples, m_output.format.encoding);
  if (m_output.binary) return m_out.send_binary(std::move(bytes));
  send_content_event("response.output_audio.delta", "delta", base64_encode(bytes));
}

void ActiveResponse::close_message() {
  const Item* item = m_items.find(m_open);
  if (item == nullptr || !std::exchange(m_content_open, false)) return;
  if (item->spoken) {
    send_event("response.output_audio.done", {{"content_index", 0}});
    send_content_event("response.output_audio_transcript.done", "transcript", item->text);
  } else {
    send_content_event("response.text.done", "text", item->text);
    send_content_event("response.output_text.done", "text", item->text);
  }
  send_content_event("response.content_part.done", "part", part_json(*item));
}

void ActiveResponse::close_item(sv status) {
  if (m_open.empty()) return;
  close_message();
  if (Item* item = m_items.find(m_open)) {
    item->status = status;
    m_output_tokens +=
        static_cast<std::int64_t>(count_tokens(item->text) + count_tokens(item->arguments));
    m_out.send("response.output_item.done",
               {{"response_id", m_id}, {"output_index", m_index}, {"item", item_json(*item)}});
  }
  m_open.clear();
}

void ActiveResponse::end(sv status, const Json& details) {
  Json output = Json::array();
  for (const std::string& id : m_item_ids) {
    if (const Item* item = m_items.find(id)) output.push_back(item_json(*item));
  }
  Json event = {{"response",
                 {{"id", m_id},
                  {"object", "realtime.response"},
                  {"status", status},
                  {"status_details", details},
                  {"output", std::move(output)},
                  {"usage",
                   {{"input_tokens", m_input_tokens},
                    {"output_tokens", m_output_tokens},
                    {"total_tokens", m_input_tokens + m_output_tokens}}},
                  {"metadata", text::parse_json(m_options.metadata)}}}};
  text::patch_canned(m_rule, event);
  m_out.send("response.done", event);
}

// --- the plan: the order of its events and its pauses ---

void ActiveResponse::plan(const ModelAnswer& answer, SpokenAudio audio) {
  m_rule = answer.rule;
  for (const FunctionCall& call : answer.calls) plan_call(call);
  for (const ServerToolCall& call : answer.server_calls) plan_server_call(call);
  if (answer.calls.empty()) plan_message(answer.text, std::move(audio));
}

void ActiveResponse::plan_call(const FunctionCall& call) {
  Item item{.id = m_out.make_id("item_"), .type = "function_call"};
  item.call_id = m_out.make_id("call_");
  item.name = call.name;
  const std::string call_id = item.call_id;
  add([this, item] { open_item(item); });
  for (const std::string& piece : argument_chunks(call.arguments)) {
    add([this, call_id, piece] {
      send_call_event("response.function_call_arguments.delta", call_id, {{"delta", piece}});
    });
  }
  add([this, call_id, call] {
    if (Item* open = m_items.find(m_open)) open->arguments = call.arguments;
    send_call_event("response.function_call_arguments.done", call_id,
                    {{"name", call.name}, {"arguments", call.arguments}});
    close_item("completed");
  });
}

void ActiveResponse::plan_server_call(const ServerToolCall& call) {
  Item item{.id = m_out.make_id("mcp_"), .type = "mcp_call"};
  item.label = call.label;
  item.name = call.name;
  add([this, item] { open_item(item); });
  add([this] { send_event("response.mcp_call.in_progress", Json::object()); });
  for (const std::string& piece : argument_chunks(call.arguments)) {
    add([this, piece] { send_event("response.mcp_call_arguments.delta", {{"delta", piece}}); });
  }
  add([this, call] {
    send_event("response.mcp_call_arguments.done", {{"arguments", call.arguments}});
    if (Item* open = m_items.find(m_open)) {
      open->arguments = call.arguments;
      open->output = call.output;
    }
    const bool done = call.error.empty();
    done ? send_event("response.mcp_call.completed", Json::object())
         : send_event("response.mcp_call.failed", {{"error", call.error}});
    close_item(done ? "completed" : "failed");
  });
}

void ActiveResponse::plan_message(const std::string& text, SpokenAudio audio) {
  Item item{.id = m_out.make_id("item_"), .role = "assistant"};
  item.spoken = m_options.speaks;
  add([this, item] {
    open_item(item);
    open_content();
  });
  m_options.speaks ? plan_audio(text, std::move(audio)) : plan_words(text);
  add([this] { close_item("completed"); });
}

void ActiveResponse::plan_words(const std::string& text) {
  std::size_t count = 0;
  for (const AnswerPiece& piece : m_rule.pieces) {
    if (piece.delay.count() > 0) add([] {}, piece.delay);
    add([this, word = TimedWord{piece.text}] { send_word(word); });
  }
  if (!m_rule.pieces.empty()) return;
  const std::chrono::milliseconds each(m_rule.rate > 0 ? std::lround(1000 / m_rule.rate) : 0);
  for (const TimedWord& word : timed_words(text, {}, 0)) {
    const bool pauses = each.count() > 0 || ++count % k_words_before_a_pause == 0;
    add([this, word] { send_word(word); }, pauses ? Pause(each) : std::nullopt);
  }
}

// A word's transcript is sent with the chunk of audio in which the word starts.
void ActiveResponse::plan_audio(const std::string& text, SpokenAudio spoken) {
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
        k_pause);
  }
  for (; next < words.size(); ++next) add([this, word = words[next]] { send_word(word); });
}

}  // namespace svc::emulator::realtime
