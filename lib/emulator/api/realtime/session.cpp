#include "emulator/api/realtime/session.h"

#include <nlohmann/json.hpp>

#include "emulator/model/answer.h"

namespace svc::emulator::realtime {
namespace {

/// How long a conversation is stored after its last activity.
constexpr std::int64_t k_history_ms = 30LL * 60'000;

ErrorDetails no_item(const std::string& id, const std::string& param) {
  return {"item_not_found", fmt::format("There is no item {}.", shown(id)), param};
}

ErrorDetails already_answering() {
  return {"conversation_already_has_active_response",
          "A response is in progress: wait for its response.done, or cancel it."};
}

std::optional<ErrorDetails> read_response(const Json& given, ResponseOptions& options) {
  if (auto error = check_member(given, "realtime_response", "response")) return error;
  options.instructions = text::get_string(given, "instructions");
  options.speaks = speaks_in(given, options.speaks);
  options.given = std::make_shared<const Json>(given);
  const Json metadata = text::value_or(given, "metadata", Json::object());
  options.metadata = text::dump(metadata);
  if (std::ranges::all_of(metadata, [](const Json& value) { return value.is_string(); })) {
    return std::nullopt;
  }
  return ErrorDetails{"invalid_value", "response.metadata holds texts.", "response.metadata"};
}

// What to say after long silence.
constexpr sv k_check_in = "This is the emulator. Are you still there?";

// How much longer a turn must be before its next interim transcription.
constexpr std::int64_t k_interim_interval_ms = 1'000;

// Formats "hello world" as a sentence.
std::string as_sentence(std::string words) {
  if (words.empty()) return words;
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words + ".";
}

/// One session: what its audio, turn, response and call do next depends on all of the others.
class RealtimeSession final : public SocketSession,
                              public std::enable_shared_from_this<RealtimeSession> {
 public:
  explicit RealtimeSession(SessionParts parts)
      : m_request(std::move(parts.request)),
        m_config(std::move(parts.config)),
        m_speech(std::move(parts.speech)),
        m_timing(parts.timing),
        m_slot(std::move(parts.slot)),
        m_id(make_id(*m_request.state, "sess_")),
        m_conversation_id(std::move(parts.conversation_id)),
        m_phone(std::move(parts.phone)) {}

  void on_open(std::shared_ptr<SocketPeer> peer) override {
    m_peer = std::move(peer);
    m_out.emplace(m_peer, *m_request.state);
    m_input.configure(m_config);
    const bool restored = restore();
    m_out->send("session.created", {{"session", session_json(m_config, m_id)}});
    m_out->send(
        "conversation.created",
        {{"conversation", {{"id", m_conversation_id}, {"object", "realtime.conversation"}}}});
    if (!restored) {
      m_out->send_error({"conversation_not_found",
                         "There is no such conversation any more: this is a new one.",
                         "conversation_id"});
    }
    list_server_tools({});
    if (m_config.resumption) replay();
    schedule_ping();
    m_peer->start_timer(m_timing.limit, [this] {
      end("max_duration",
          fmt::format("The session has reached its limit of {}.", format_duration(m_timing.limit)));
    });
    if (m_phone) attach_call();
  }

  void on_text(std::string message) override {
    m_since_message = m_since_message.zero();
    const auto event_error = [&](std::string code, std::string why, const std::string& event_id) {
      m_out->send_error({std::move(code), std::move(why), "", "invalid_event"}, event_id);
    };
    if (const auto fault = check_json(message)) {
      return event_error("invalid_json",
                         fmt::format("The message is not JSON: {}.", describe(*fault)), "");
    }
    const Json event = text::parse_json(message);
    const std::string event_id = text::get_string(event, "event_id");
    const std::string type = text::get_string(event, "type");
    if (type.empty()) return event_error("missing_type", "A message has a type.", event_id);
    const Handler handler = find_handler(type);
    if (handler == nullptr) {
      return event_error("unknown_type",
                         fmt::format("There is no message of the type {}.", shown(type)), event_id);
    }
    if (const auto error = (this->*handler)(event)) m_out->send_error(*error, event_id);
  }

  void on_binary(std::string message) override {
    m_since_message = m_since_message.zero();
    if (!m_config.input.binary) {
      return m_out->send_error(
          {"unexpected_binary",
           "Binary frames carry audio when session.audio.input.transport is binary.", "",
           "invalid_event"});
    }
    if (const auto error = add_bytes(message)) m_out->send_error(*error);
  }

  void on_drained() override {
    if (std::exchange(m_stalled, false)) pump();
  }

  void on_closed(std::uint16_t /*code*/, sv /*reason*/) override {
    m_line = nullptr;
    m_response = nullptr;
    save();
    // A partial second counts as a whole one.
    m_input_ms += m_input_ms > 0 ? 999 : 0;
    m_output_ms += m_output_ms > 0 ? 999 : 0;
    record_usage();
    m_slot = nullptr;
  }

 private:
  using TimerId = SocketPeer::TimerId;
  using Handler = std::optional<ErrorDetails> (RealtimeSession::*)(const Json& message);
  struct MessageRow {
    sv type;
    Handler handle;
  };

  [[nodiscard]] static Handler find_handler(sv type) {
    static constexpr std::array k_rows = {
        MessageRow{"session.update", &RealtimeSession::on_update},
        MessageRow{"input_audio_buffer.append", &RealtimeSession::on_append},
        MessageRow{"input_audio_buffer.commit", &RealtimeSession::on_commit},
        MessageRow{"input_audio_buffer.clear", &RealtimeSession::on_clear},
        MessageRow{"conversation.item.create", &RealtimeSession::on_create_item},
        MessageRow{"conversation.item.delete", &RealtimeSession::on_delete_item},
        MessageRow{"conversation.item.truncate", &RealtimeSession::on_truncate_item},
        MessageRow{"response.create", &RealtimeSession::on_create_response},
        MessageRow{"response.cancel", &RealtimeSession::on_cancel_response},
    };
    const auto found = std::ranges::find(k_rows, type, &MessageRow::type);
    return found == k_rows.end() ? nullptr : found->handle;
  }

  // --- start, end, and timers
  // Events before the connection was lost are replayed when the session requests resumption.
  // Returns false if there is no such conversation any more.
  [[nodiscard]] bool restore() {
    const bool resumes = !m_conversation_id.empty();
    if (resumes) {
      const auto found = m_request.state->with([&](Database& database) {
        return first_value<std::string>(
            database,
            "SELECT items FROM conversations WHERE id = ? AND team_id = ? AND last_ms >= ?",
            m_conversation_id, m_request.key.team_id, m_request.state->now_ms() - k_history_ms);
      });
      if (found && !found->empty()) {
        m_history = *found;
        return true;
      }
    }
    m_conversation_id = make_id(*m_request.state, "conv_");
    return !resumes;
  }

  void replay() {
    if (m_history.empty()) return;
    m_items.load(std::exchange(m_history, {}));
    std::string previous;
    for (const Item& item : m_items.all()) {
      m_out->send("conversation.item.created",
                  {{"previous_item_id", text::or_null(previous)}, {"item", item_json(item)}});
      previous = item.id;
    }
  }

  // If saving fails, the conversation cannot be resumed, which the client notices then.
  void save() {
    if (!m_config.resumption) return;
    const std::int64_t now = m_request.state->now_ms();
    (void)m_request.state->change([&](Database& database) -> Result<void> {
      SVC_CHECK(database.change("DELETE FROM conversations WHERE last_ms < ?", now - k_history_ms));
      return run_sql(database, "INSERT OR REPLACE INTO conversations VALUES (?,?,?,?)",
                     m_conversation_id, m_request.key.team_id, now, m_items.save());
    });
  }

  void schedule_ping() {
    m_peer->start_timer(m_timing.ping, [this] {
      m_since_message += m_timing.ping;
      if (m_since_message >= m_timing.idle) {
        return end("timeout",
                   fmt::format("The session was idle for {}.", format_duration(m_since_message)));
      }
      m_out->send("ping", {{"timestamp", m_request.state->now_ms()}});
      schedule_ping();
    });
  }

  void end(sv type, const std::string& message) {
    m_out->send_error({.code = std::string(type), .message = message, .type = std::string(type)});
    m_peer->close(k_close_normal, message);
  }

  // The service asks an MCP server for its tools when the session configures it.
  void list_server_tools(const std::vector<SessionTool>& before) {
    const auto was_there = [&](const SessionTool& tool) {
      return std::ranges::any_of(
          before, [&](const SessionTool& old) { return old.definition == tool.definition; });
    };
    for (const SessionTool& tool : m_config.tools) {
      if (tool.type != "mcp" || was_there(tool)) continue;
      const Json item = {{"item_id", make_id(*m_request.state, "mcpl_")}};
      m_out->send("mcp_list_tools.in_progress", item);
      m_out->send(is_reachable(tool) ? "mcp_list_tools.completed" : "mcp_list_tools.failed", item);
    }
  }

  void attach_call() {
    m_phone->state = "active";
    const auto set = m_request.state->change(
        [&](Database& database) { return phone::set_call_state(database, *m_phone); });
    if (!set) return m_peer->close(k_close_failure, set.error().message);
    m_line = std::make_unique<CallLine>(
        *m_phone, *m_request.state, m_peer, m_config.input.format.rate,
        CallHandlers{.hear = [this](const Samples& samples) { add_audio(samples); },
                     .key = [this](char key) { press_key(key); },
                     .is_busy = [this] { return is_busy(); },
                     .over = [this] { m_peer->close(k_close_normal, "The call is over."); }});
    m_line->start();
  }

  // --- messages of the client
  [[nodiscard]] std::optional<ErrorDetails> on_update(const Json& message) {
    const auto session = message.find("session");
    if (session == message.end()) {
      return ErrorDetails{"missing_parameter", "session is required.", "session"};
    }
    const SessionConfig before = m_config;
    if (auto error = apply_session(*session, m_phone.has_value(), m_config)) return error;
    if (m_input.configure(m_config)) {
      m_turn_item.clear();
      m_partial_sample.clear();
    }
    if (!m_config.turns.idle_ms || !m_config.turns.server) stop_idle_timer();
    m_out->send("session.updated", {{"session", session_json(m_config, m_id)}});
    list_server_tools(before.tools);
    if (m_config.resumption && !before.resumption) {
      replay();
      save();
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ErrorDetails> on_append(const Json& message) {
    if (auto error = check_media()) return error;
    const Json* audio = text::member(message, "audio");
    if (audio == nullptr || !audio->is_string()) {
      return ErrorDetails{"missing_parameter", "audio must be base64.", "audio"};
    }
    const auto bytes = base64_decode(audio->get_ref<const std::string&>());
    if (!bytes) return ErrorDetails{"invalid_value", "audio must be base64.", "audio"};
    return add_bytes(*bytes);
  }

  [[nodiscard]] std::optional<ErrorDetails> on_commit(const Json& /*message*/) {
    if (auto error = check_media()) return error;
    if (m_config.turns.server) {
      return ErrorDetails{
          "commit_not_allowed",
          "With server_vad the service commits by itself: set turn_detection to null to "
          "commit."};
    }
    if (m_input.empty()) {
      return ErrorDetails{"input_audio_buffer_commit_empty", "The input audio buffer is empty."};
    }
    commit_audio(make_id(*m_request.state, "item_"), m_input.take_all());
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ErrorDetails> on_clear(const Json& /*message*/) {
    if (auto error = check_media()) return error;
    m_input.clear();
    m_partial_sample.clear();
    m_turn_item.clear();
    m_out->send("input_audio_buffer.cleared", Json::object());
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ErrorDetails> on_create_item(const Json& message) {
    const Json* given = text::member(message, "item");
    if (given == nullptr) return ErrorDetails{"missing_parameter", "item is required.", "item"};
    ParsedItem read;
    if (auto error = read_item(*given, read)) return error;
    if (read.item.id.empty()) read.item.id = make_id(*m_request.state, "item_");
    if (m_items.find(read.item.id) != nullptr) {
      return ErrorDetails{"item_exists", fmt::format("There is an item {} already.", read.item.id),
                          "item.id"};
    }
    if (read.item.type == "function_call_output" &&
        std::ranges::none_of(m_items.all(), [&](const Item& item) {
          return item.type == "function_call" && item.call_id == read.item.call_id;
        })) {
      return ErrorDetails{"call_not_found",
                          fmt::format("There is no function call {}.", shown(read.item.call_id)),
                          "item.call_id"};
    }
    if (read.forced) return force_message(read);
    const std::string previous = text::get_string(message, "previous_item_id");
    if (!previous.empty() && previous != "root" && m_items.find(previous) == nullptr) {
      return no_item(previous, "previous_item_id");
    }
    stop_idle_timer();
    const std::string id = read.item.id;
    add_item(std::move(read.item), previous);
    if (read.audio) hear(id, audio::decode(*read.audio, m_config.input.format.encoding));
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ErrorDetails> on_delete_item(const Json& message) {
    const std::string id = text::get_string(message, "item_id");
    const Item* item = m_items.find(id);
    if (item == nullptr) return no_item(id, "item_id");
    if (item->status == "in_progress") {
      return ErrorDetails{"item_in_progress", "That item is being made: cancel the response first.",
                          "item_id"};
    }
    m_items.erase(id);
    m_out->send("conversation.item.deleted", {{"item_id", id}});
    save();
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ErrorDetails> on_truncate_item(const Json& message) {
    const std::string id = text::get_string(message, "item_id");
    Item* item = m_items.find(id);
    if (item == nullptr) return no_item(id, "item_id");
    if (item->role != "assistant" || !item->spoken) {
      return ErrorDetails{"item_has_no_audio", "Only the assistant's audio can be truncated.",
                          "item_id"};
    }
    if (text::get_integer(message, "content_index").value_or(0) != 0) {
      return ErrorDetails{"invalid_value", "The audio of an item is its content 0.",
                          "content_index"};
    }
    const auto end_ms = text::get_integer(message, "audio_end_ms");
    if (!end_ms || *end_ms < 0) {
      return ErrorDetails{"invalid_value", "audio_end_ms must be a whole number from 0 on.",
                          "audio_end_ms"};
    }
    if (*end_ms > item->audio_ms) {
      return ErrorDetails{
          "audio_end_beyond_audio",
          fmt::format("audio_end_ms {} is beyond the {} ms of audio that item {} has.", *end_ms,
                      item->audio_ms, id),
          "audio_end_ms"};
    }
    truncate_item(*item, *end_ms);
    m_out->send("conversation.item.truncated", {{"item_id", id},
                                                {"content_index", 0},
                                                {"audio_end_ms", *end_ms},
                                                {"transcript", item->text}});
    save();
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ErrorDetails> on_create_response(const Json& message) {
    ResponseOptions options{.speaks = m_config.speaks};
    if (const Json* given = text::member(message, "response")) {
      if (auto error = read_response(*given, options)) return error;
    }
    if (m_response) return already_answering();
    start_response(std::move(options));
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ErrorDetails> on_cancel_response(const Json& message) {
    const std::string id = text::get_string(message, "response_id");
    if (!m_response) {
      return ErrorDetails{"response_cancel_not_active", "No response is in progress."};
    }
    if (!id.empty() && id != m_response->id()) {
      return ErrorDetails{
          "response_not_found",
          fmt::format("The response in progress is {}, not {}.", m_response->id(), shown(id)),
          "response_id"};
    }
    cancel_response("client_cancelled");
    return std::nullopt;
  }

  [[nodiscard]] std::optional<ErrorDetails> force_message(const ParsedItem& given) {
    if (m_response) return already_answering();
    start_response({.speaks = m_config.speaks,
                    .interruptible = given.interruptible,
                    .forced = given.item.text,
                    .voice = given.voice});
    return std::nullopt;
  }

  // On a phone call, the client cannot send its own audio.
  [[nodiscard]] std::optional<ErrorDetails> check_media() const {
    if (!m_phone) return std::nullopt;
    return ErrorDetails{"media_owned_by_service", "On a SIP call the service owns the media."};
  }

  // --- input of the user
  [[nodiscard]] std::optional<ErrorDetails> add_bytes(sv bytes) {
    if (auto error = check_media()) return error;
    if (m_input.is_full()) {
      return ErrorDetails{"input_audio_buffer_full",
                          "The input audio buffer holds ten minutes: commit or clear it."};
    }
    m_partial_sample += bytes;
    const std::size_t whole =
        m_partial_sample.size() -
        m_partial_sample.size() % audio::bytes_per_sample(m_config.input.format.encoding);
    const Samples samples =
        audio::decode(sv(m_partial_sample).substr(0, whole), m_config.input.format.encoding);
    m_partial_sample.erase(0, whole);
    add_audio(samples);
    return std::nullopt;
  }

  void add_audio(const Samples& samples) {
    for (const VadEvent& vad_event : m_input.add(samples)) {
      vad_event.started ? on_speech_started(vad_event.at_ms) : on_speech_stopped(vad_event.at_ms);
    }
    if (!m_turn_item.empty() && m_config.input.live) transcribe_interim();
  }

  void on_speech_started(std::int64_t at_ms) {
    flush_keys(false);
    stop_idle_timer();
    m_turn_item = make_id(*m_request.state, "item_");
    m_turn_begin_ms = at_ms;
    m_next_interim_ms = at_ms + k_interim_interval_ms;
    m_out->send("input_audio_buffer.speech_started",
                {{"item_id", m_turn_item}, {"audio_start_ms", at_ms}});
    // Load recognition now, so that it is ready when the first turn ends.
    if (!std::exchange(m_speech_ready, true)) {
      m_peer->run_blocking([speech = m_speech] { speech->preload(); });
    }
    // One answer covers everything said so far.
    m_queued_response.reset();
    if (m_response && m_response->options().interruptible) cancel_response("turn_detected");
  }

  void on_speech_stopped(std::int64_t at_ms) {
    const std::string item_id = std::exchange(m_turn_item, {});
    if (item_id.empty()) return;  // it started under another configuration
    m_out->send("input_audio_buffer.speech_stopped",
                {{"item_id", item_id}, {"audio_end_ms", at_ms}});
    commit_audio(item_id, m_input.take(m_turn_begin_ms, at_ms));
    respond_when_idle();
  }

  void commit_item(const std::string& item_id) {
    m_out->send("input_audio_buffer.committed",
                {{"item_id", item_id}, {"previous_item_id", text::or_null(m_items.last_id())}});
    Item item{.id = item_id, .role = "user"};
    item.spoken = true;
    add_item(std::move(item));
  }

  void commit_audio(const std::string& item_id, Samples samples) {
    commit_item(item_id);
    hear(item_id, std::move(samples));
  }

  void add_item(Item item, const std::string& previous = {}) {
    const Item* added = m_items.add(std::move(item), previous);
    m_out->send("conversation.item.added",
                {{"previous_item_id", text::or_null(m_items.before(added->id))},
                 {"item", item_json(*added)}});
    save();
  }

  void recognize(Samples samples, std::function<void(const Result<std::string>&)> done) {
    m_peer->run_blocking([self = shared_from_this(), peer = m_peer, done = std::move(done),
                          rate = m_config.input.format.rate,
                          audio = std::make_shared<const Samples>(std::move(samples))] {
      auto recognized = std::make_shared<Result<std::string>>(self->m_speech->hear(*audio, rate));
      peer->post([self, done, recognized] { done(*recognized); });
    });
  }

  void hear(const std::string& item_id, Samples samples) {
    m_input_ms += milliseconds_of(samples.size(), m_config.input.format.rate);
    ++m_transcriptions;
    // A rule may say what is heard, in place of the recognizer.
    const AnswerRuleSet::Taken taken =
        m_request.state->answers().take({.operation = "transcription",
                                         .path = m_request.target,
                                         .models = {m_config.model},
                                         .headers = m_request.headers,
                                         .is_key = text::key_test(m_request),
                                         .modelled = false,
                                         .text = AnswerText::Named});
    if (taken.answer && (taken.answer->text || taken.answer->status != 0)) {
      auto heard = taken.answer->text ? Result<std::string>(*taken.answer->text)
                                      : usage_error(text::canned_text(*taken.answer));
      (void)m_peer->start_timer(taken.answer->delay, [self = shared_from_this(), item_id, heard] {
        self->on_transcript(item_id, heard, true);
      });
      return;
    }
    recognize(std::move(samples),
              [this, item_id](const auto& recognized) { on_transcript(item_id, recognized); });
  }

  // Sends interim transcripts of the current turn, one at a time.
  void transcribe_interim() {
    if (m_interim_pending || m_input.position_ms() < m_next_interim_ms) return;
    m_interim_pending = true;
    m_next_interim_ms = m_input.position_ms() + k_interim_interval_ms;
    recognize(m_input.copy_from(m_turn_begin_ms),
              [this, item_id = m_turn_item](const auto& recognized) {
                m_interim_pending = false;
                // Once the turn has ended, its complete transcript follows.
                if (m_turn_item != item_id || !recognized || recognized->empty()) return;
                m_out->send("conversation.item.input_audio_transcription.updated",
                            {{"item_id", item_id}, {"transcript", *recognized}});
              });
  }

  // A rule's text is sent as it is.
  void on_transcript(const std::string& item_id, const Result<std::string>& recognized,
                     bool by_rule = false) {
    --m_transcriptions;
    const auto send_transcript = [&](const std::string& transcript, sv status) {
      m_out->send("conversation.item.input_audio_transcription.completed",
                  {{"item_id", item_id},
                   {"content_index", 0},
                   {"transcript", transcript},
                   {"status", status}});
    };
    if (Item* item = m_items.find(item_id)) {
      item->text = recognized ? *recognized : "";
      if (m_config.input.live && !item->text.empty()) {
        m_out->send("conversation.item.input_audio_transcription.updated",
                    {{"item_id", item_id}, {"transcript", item->text}});
      }
      // The event may be repeated, each time with the whole text: here first the words, then the
      // sentence.
      if (!item->text.empty()) send_transcript(item->text, "in_progress");
      send_transcript(by_rule ? item->text : as_sentence(item->text),
                      recognized ? "completed" : "failed");
      save();
    }
    if (!recognized) {
      m_out->send_error({"transcription_failed", recognized.error().message, "", "internal_error"});
    }
    if (m_transcriptions > 0) return;
    if (m_response && !m_answer_ready) return generate_answer_and_speak();
    if (m_queued_response && !m_response)
      start_response(*std::exchange(m_queued_response, std::nullopt));
  }

  void press_key(char key) {
    m_out->send(
        "input_audio_buffer.dtmf_event_received",
        {{"event", std::string(1, key)}, {"received_at", m_request.state->now_ms() / 1000}});
    m_keys += key;
    m_peer->cancel_timer(m_keys_timer);
    if (key == '#') return flush_keys(true);
    m_keys_timer = m_peer->start_timer(m_timing.keys, [this] { flush_keys(true); });
  }

  void flush_keys(bool answer) {
    if (m_keys.empty()) return;
    m_peer->cancel_timer(m_keys_timer);
    Item item{.id = make_id(*m_request.state, "item_"), .role = "user"};
    item.text = fmt::format("DTMF: {}", std::exchange(m_keys, {}));
    add_item(std::move(item));
    if (answer) respond_when_idle();
  }

  // Counts from the end of the audible answer, which may be long after it was sent.
  void start_idle_timer() {
    stop_idle_timer();
    if (!m_config.turns.server || !m_config.turns.idle_ms || !m_turn_item.empty()) return;
    std::int64_t wait = *m_config.turns.idle_ms;
    const std::int64_t played = m_request.state->now_ms() - m_audio_begin_ms;
    if (m_response) wait += std::max<std::int64_t>(0, m_response->audio_ms() - played);
    m_idle_timer = m_peer->start_timer(std::chrono::milliseconds(wait),
                                       [this, begin = m_input.position_ms()] { on_idle(begin); });
  }

  void stop_idle_timer() { m_peer->cancel_timer(m_idle_timer); }

  void on_idle(std::int64_t begin_ms) {
    if (is_busy()) return;
    const std::string item_id = make_id(*m_request.state, "item_");
    m_out->send("input_audio_buffer.timeout_triggered",
                {{"item_id", item_id},
                 {"previous_item_id", text::or_null(m_items.last_id())},
                 {"audio_start_ms", begin_ms},
                 {"audio_end_ms", m_input.position_ms()}});
    commit_item(item_id);
    start_response({.speaks = m_config.speaks, .check_in = true});
  }

  // --- responses
  void respond_when_idle() {
    ResponseOptions options{.speaks = m_config.speaks};
    if (m_response || m_transcriptions > 0) {
      m_queued_response = std::move(options);
    } else {
      start_response(std::move(options));
    }
  }

  void start_response(ResponseOptions options) {
    stop_idle_timer();
    m_queued_response.reset();
    m_answer_ready = false;
    m_response =
        std::make_unique<ActiveResponse>(*m_out, m_items, std::move(options), m_config.output,
                                         !m_phone, count_input(m_config, m_items));
    m_response->begin();
    if (const auto refusal = check_balance(*m_request.state, m_request.key.team_id)) {
      m_response->fail(text::get_string(text::parse_json(refusal->body), "error"));
      return finish_response();
    }
    if (m_transcriptions == 0) generate_answer_and_speak();
  }

  // Determines the answer, and starts its speech synthesis.
  void generate_answer_and_speak() {
    m_answer_ready = true;
    const ResponseOptions& options = m_response->options();
    ModelAnswer answer;
    if (!options.forced.empty()) {
      answer.text = options.forced;
    } else if (options.check_in) {
      answer.text = k_check_in;
    } else {
      answer = generate_answer(m_request, m_config, m_items, options);
    }
    if (answer.rule.delay.count() <= 0) return speak(answer);
    m_pump_timer = m_peer->start_timer(answer.rule.delay, [this, answer] { speak(answer); });
  }

  void speak(const ModelAnswer& answer) {
    const ResponseOptions& options = m_response->options();
    if (!answer.failure.empty()) {
      m_response->fail(answer.failure);
      return finish_response();
    }
    if (!answer.calls.empty() || !options.speaks) {
      m_response->plan(answer, {});
      return pump();
    }
    speech::Speech order{.text = answer.text,
                         .voice = options.voice.empty() ? m_config.voice : options.voice,
                         .speed = m_config.output.speed,
                         .rate = m_config.output.format.rate};
    for (const auto& [phrase, said] : m_config.replace) order.replace[to_lower(phrase)] = said;
    m_peer->run_blocking([self = shared_from_this(), peer = m_peer, id = m_response->id(), answer,
                          order = std::move(order)] {
      auto audio = std::make_shared<Result<SpokenAudio>>(self->m_speech->synthesize(order));
      peer->post(
          [self, id, answer, audio] { self->on_synthesized(id, answer, std::move(*audio)); });
    });
  }

  void on_synthesized(const std::string& response_id, const ModelAnswer& answer,
                      Result<SpokenAudio> audio) {
    if (!m_response || m_response->id() != response_id) return;  // it was canceled
    if (!audio) {
      m_response->fail(sentences_of(audio.error()));
      return finish_response();
    }
    m_audio_begin_ms = m_request.state->now_ms();
    m_response->plan(answer, std::move(*audio));
    pump();
  }

  void pump() {
    if (!m_response) return;
    if (m_peer->unsent() > (4U << 20U)) {
      m_stalled = true;
      return;
    }
    const auto pause = m_response->step();
    if (!pause) return finish_response();
    m_pump_timer =
        m_peer->start_timer(pause->count() > 0 ? *pause : m_timing.pace, [this] { pump(); });
  }

  void cancel_response(sv reason) {
    m_peer->cancel_timer(m_pump_timer);
    m_stalled = false;
    m_response->cancel(reason);
    finish_response();
  }

  void finish_response() {
    m_output_ms += m_response->audio_ms();
    std::vector<Charge> charges = {
        charge_for(k_session_input_token, m_response->input_tokens(), m_config.model),
        charge_for(k_session_output_token, m_response->output_tokens(), m_config.model)};
    std::erase_if(charges, [](const Charge& charge) { return charge.units == 0; });
    (void)charge_team(*m_request.state, m_request.key.team_id, charges);
    record_usage();
    start_idle_timer();
    m_response = nullptr;
    save();
    if (m_queued_response && m_transcriptions == 0)
      start_response(*std::exchange(m_queued_response, std::nullopt));
  }

  // Charges whole seconds of audio; the remainder is carried over.
  void record_usage() {
    std::vector<Charge> charges;
    const auto add = [&](std::int64_t& ms, const VoicePrice& price) {
      if (ms >= 1000) charges.push_back(charge_for(price, ms / 1000, m_config.model));
      ms %= 1000;
    };
    add(m_input_ms, k_session_input_second);
    add(m_output_ms, k_session_output_second);
    (void)charge_team(*m_request.state, m_request.key.team_id, charges);
  }

  [[nodiscard]] bool is_busy() const {
    return m_response != nullptr || m_transcriptions > 0 || !m_turn_item.empty();
  }

  Request m_request;
  SessionConfig m_config;
  std::shared_ptr<const Speech> m_speech;
  RealtimeTiming m_timing;
  std::shared_ptr<void> m_slot;
  std::shared_ptr<SocketPeer> m_peer{};
  std::optional<Outbox> m_out{};
  std::string m_id;
  std::string m_conversation_id;
  std::string m_history{};  ///< the items to replay, as saved; empty: none
  Items m_items{};
  std::chrono::milliseconds m_since_message{0};  ///< since the client's last message

  InputAudio m_input{};
  std::string m_partial_sample{};  ///< of the input: half a sample
  std::string m_turn_item{};       ///< of the turn being spoken; empty: none
  std::int64_t m_turn_begin_ms = 0;
  std::int64_t m_next_interim_ms = 0;  ///< position for the next interim transcription
  bool m_interim_pending = false;      ///< an interim transcription is in progress
  bool m_speech_ready = false;         ///< preload() was called
  int m_transcriptions = 0;            ///< transcriptions of items in progress
  TimerId m_idle_timer = 0;

  std::unique_ptr<ActiveResponse> m_response{};
  bool m_answer_ready = false;  ///< the response's answer is known, or being spoken
  std::optional<ResponseOptions> m_queued_response{};  ///< starts when nothing is in progress
  std::int64_t m_audio_begin_ms = 0;                   ///< when the response's audio started
  TimerId m_pump_timer = 0;
  bool m_stalled = false;  ///< the client reads too slowly

  std::optional<phone::PhoneCall> m_phone;
  std::unique_ptr<CallLine> m_line{};
  std::string m_keys{};  ///< pressed, but not yet passed to the model
  TimerId m_keys_timer = 0;

  std::int64_t m_input_ms = 0;   ///< of audio, not yet charged
  std::int64_t m_output_ms = 0;  ///< of audio, not yet charged
};

}  // namespace

std::shared_ptr<SocketSession> make_session(SessionParts parts) {
  return std::make_shared<RealtimeSession>(std::move(parts));
}

}  // namespace svc::emulator::realtime
