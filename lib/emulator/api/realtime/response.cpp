#include "emulator/api/realtime/response.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "emulator/model/tokenizer.h"

namespace svc::emulator::realtime {

Response::Response(Outbox& out, Items& items, ResponseWish wish, const Output& output,
                   std::int64_t input_tokens)
    : m_out(out),
      m_items(items),
      m_wish(std::move(wish)),
      m_output(output),
      m_id(make_id("resp_")),
      m_input_tokens(input_tokens) {}

void Response::begin() {
  m_out.send("response.created", {{"response",
                                   {{"id", m_id},
                                    {"object", "realtime.response"},
                                    {"status", "in_progress"},
                                    {"status_details", nullptr},
                                    {"output", Json::array()},
                                    {"usage", nullptr},
                                    {"metadata", text::parse_json(m_wish.metadata)}}}});
}

Response::Step Response::step() {
  while (!m_parts.empty()) {
    Part part = std::move(m_parts.front());
    m_parts.pop_front();
    part.send();
    if (part.waits) return Step::Wait;
  }
  end("completed", nullptr);
  return Step::Done;
}

void Response::cancel(sv reason) {
  m_parts.clear();
  close_item("incomplete");
  end("cancelled", {{"type", "cancelled"}, {"reason", reason}});
}

void Response::fail(const std::string& message) {
  m_parts.clear();
  close_item("incomplete");
  end("failed",
      {{"type", "failed"},
       {"error", {{"type", "internal_error"}, {"code", "response_failed"}, {"message", message}}}});
}

// --- events ----------------------------------------------------------------------------------

// What names the open item in its events.
Json Response::place(bool content) const {
  Json where = {{"response_id", m_id}, {"item_id", m_open}, {"output_index", m_index}};
  if (content) where["content_index"] = 0;
  return where;
}

void Response::open_item(Item item) {
  m_open = item.id;
  ++m_index;
  m_item_samples = 0;
  m_item_ms = 0;
  m_item_ids.push_back(item.id);
  item.status = "in_progress";
  const Item* added = m_items.add(std::move(item));
  m_out.send("response.output_item.added",
             {{"response_id", m_id}, {"output_index", m_index}, {"item", item_json(*added)}});
}

void Response::open_content() {
  const Item* item = m_items.find(m_open);
  if (item == nullptr) return;
  m_content_open = true;
  Json event = place(true);
  event["part"] = part_json(*item);
  m_out.send("response.content_part.added", event);
}

void Response::send_word(const TimedWord& word) {
  Item* item = m_items.find(m_open);
  if (item == nullptr) return;
  if (!item->cut) item->text += word.text;
  Json event = place(true);
  event["delta"] = word.text;
  if (item->spoken) {
    if (!item->cut) item->words.push_back(word);
    return m_out.send("response.output_audio_transcript.delta", event);
  }
  // Twice the same under two names: clients use one of them.
  m_out.send("response.text.delta", event);
  m_out.send("response.output_text.delta", event);
}

void Response::send_audio(std::span<const std::int16_t> samples) {
  Item* item = m_items.find(m_open);
  if (item == nullptr) return;
  m_item_samples += samples.size();
  const std::int64_t sent = milliseconds_of(m_item_samples, m_output.format.rate);
  m_audio_ms += sent - m_item_ms;
  m_item_ms = sent;
  if (!item->cut) item->audio_ms = sent;
  if (!m_output.to_client) return;
  std::string bytes = audio::encode(samples, m_output.format.encoding);
  if (m_output.binary) return m_out.send_binary(std::move(bytes));
  Json event = place(true);
  event["delta"] = base64_encode(bytes);
  m_out.send("response.output_audio.delta", event);
}

void Response::close_message() {
  const Item* item = m_items.find(m_open);
  if (item == nullptr || !std::exchange(m_content_open, false)) return;
  if (item->spoken) {
    m_out.send("response.output_audio.done", place(true));
    Json event = place(true);
    event["transcript"] = item->text;
    m_out.send("response.output_audio_transcript.done", event);
  } else {
    Json event = place(true);
    event["text"] = item->text;
    m_out.send("response.text.done", event);
    m_out.send("response.output_text.done", event);
  }
  Json event = place(true);
  event["part"] = part_json(*item);
  m_out.send("response.content_part.done", event);
}

void Response::close_item(sv status) {
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

void Response::end(sv status, const Json& details) {
  Json output = Json::array();
  for (const std::string& id : m_item_ids) {
    if (const Item* item = m_items.find(id)) output.push_back(item_json(*item));
  }
  m_out.send("response.done", {{"response",
                                {{"id", m_id},
                                 {"object", "realtime.response"},
                                 {"status", status},
                                 {"status_details", details},
                                 {"output", std::move(output)},
                                 {"usage",
                                  {{"input_tokens", m_input_tokens},
                                   {"output_tokens", m_output_tokens},
                                   {"total_tokens", m_input_tokens + m_output_tokens}}},
                                 {"metadata", text::parse_json(m_wish.metadata)}}}});
}

}  // namespace svc::emulator::realtime
