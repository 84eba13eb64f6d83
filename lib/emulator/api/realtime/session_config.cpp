#include "emulator/api/realtime/session_config.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/state/state.h"

namespace svc::emulator::realtime {

std::string make_id(State& state, sv prefix) {
  return std::string(prefix) + replace_all(state.new_uuid(), "-", "").substr(0, 24);
}

Outbox::Outbox(std::shared_ptr<SocketPeer> peer, State& state)
    : m_peer(std::move(peer)), m_state(state), m_prefix(make_id("event_").substr(0, 18)) {}

void Outbox::send(sv type, const Json& members) {
  Json event = {{"type", type}, {"event_id", fmt::format("{}_{}", m_prefix, ++m_count)}};
  event.update(members);
  m_peer->send_text(text::dump(event));
}

void Outbox::send_error(const ErrorDetails& error, const std::string& event_id) {
  send("error", {{"error",
                  {{"type", error.type},
                   {"code", text::or_null(error.code)},
                   {"message", error.message},
                   {"param", text::or_null(error.param)},
                   {"event_id", text::or_null(event_id)}}}});
}

FieldReader::FieldReader(const Json& object, std::string path, std::optional<ErrorDetails>& error)
    : m_object(object), m_path(std::move(path)), m_error(error) {}

std::string FieldReader::path_of(sv name) const {
  return m_path.empty() ? std::string(name) : fmt::format("{}.{}", m_path, name);
}

void FieldReader::fail(sv name, std::string code, std::string message) {
  if (!m_error) m_error = ErrorDetails{std::move(code), std::move(message), path_of(name)};
}

void FieldReader::require(sv name, bool present) {
  if (!present) fail(name, "missing_parameter", fmt::format("{} is required.", path_of(name)));
}

const Json* FieldReader::find(sv name, bool (Json::*matches)() const, sv type_name) {
  const Json* value = m_error ? nullptr : text::member(m_object, name);
  if (value == nullptr || (value->*matches)()) return value;
  fail(name, "invalid_type", fmt::format("{} must be {}.", path_of(name), type_name));
  return nullptr;
}

void FieldReader::text(sv name, std::string& target) {
  if (const Json* value = find(name, &Json::is_string, "a string")) {
    target = value->get<std::string>();
  }
}

void FieldReader::word(sv name, std::span<const sv> words, std::string& target) {
  std::string given = target;
  text(name, given);
  if (m_error || given == target) return;
  if (std::ranges::find(words, given) == words.end()) {
    return fail(name, "invalid_value",
                fmt::format("{} must be one of {}, not {}.", path_of(name), join(words, ", "),
                            shown(given)));
  }
  target = given;
}

void FieldReader::flag(sv name, bool& target) {
  if (const Json* value = find(name, &Json::is_boolean, "a boolean")) target = value->get<bool>();
}

template <typename Number>
void FieldReader::within(sv name, Number low, Number high, Number given, Number& target) {
  if (given >= low && given <= high) {
    target = given;
  } else {
    fail(name, "invalid_value",
         fmt::format("{} must be {} to {}, not {}.", path_of(name), low, high, given));
  }
}

void FieldReader::number(sv name, double low, double high, double& target) {
  if (const Json* value = find(name, &Json::is_number, "a number")) {
    within(name, low, high, value->get<double>(), target);
  }
}

void FieldReader::integer(sv name, std::int64_t low, std::int64_t high, std::int64_t& target) {
  if (find(name, &Json::is_number_integer, "an integer") == nullptr) return;
  const auto given = text::get_integer(m_object, name);
  if (!given) {  // beyond 64 bits
    return fail(name, "invalid_type", fmt::format("{} must be an integer.", path_of(name)));
  }
  within(name, low, high, *given, target);
}

const Json* FieldReader::object(sv name) {
  return find(name, &Json::is_object, "an object");
}

std::optional<FieldReader> FieldReader::child(sv name) {
  const Json* value = object(name);
  return value != nullptr ? std::optional(FieldReader(*value, path_of(name), m_error))
                          : std::nullopt;
}

const Json* FieldReader::list(sv name) {
  return find(name, &Json::is_array, "an array");
}

namespace {

constexpr std::array<sv, 2> k_transports = {"json", "binary"};
constexpr std::array<int, 7> k_pcm_rates = {8'000, 16'000, 22'050, 24'000, 32'000, 44'100, 48'000};
constexpr std::int64_t k_max_turn_ms = 10'000;
constexpr std::int64_t k_max_idle_ms = 3'600'000;
constexpr std::size_t k_max_keyterms = 100;
constexpr std::size_t k_max_keyterm = 50;

void read_turns(const Json& session, TurnDetection& turns, std::optional<ErrorDetails>& error) {
  const auto found = session.find("turn_detection");
  if (found == session.end()) return;
  if (found->is_null()) {
    turns.server = false;
    return;
  }
  FieldReader outer(session, "session", error);
  const Json* given = outer.object("turn_detection");
  if (given == nullptr) return;
  FieldReader fields(*given, "session.turn_detection", error);
  // A type of null selects manual mode; without a type, the mode is unchanged.
  if (const auto type = given->find("type"); type != given->end()) {
    turns.server = !type->is_null();
    if (turns.server && *type != "server_vad") {
      fields.fail("type", "invalid_value",
                  "session.turn_detection.type must be server_vad, or null for the manual mode.");
    }
  }
  fields.number("threshold", 0.1, 0.9, turns.threshold);
  fields.integer("silence_duration_ms", 0, k_max_turn_ms, turns.silence_ms);
  fields.integer("prefix_padding_ms", 0, k_max_turn_ms, turns.prefix_ms);
  if (const auto idle = given->find("idle_timeout_ms"); idle != given->end()) {
    std::int64_t value = 0;
    fields.integer("idle_timeout_ms", 1, k_max_idle_ms, value);
    turns.idle_ms = idle->is_null() ? std::nullopt : std::optional(value);
  }
}

void read_format(FieldReader& parent, AudioFormat& format) {
  auto child = parent.child("format");
  if (!child) return;
  FieldReader& fields = *child;
  std::string type(format.type());
  fields.text("type", type);
  if (type == "audio/opus") {
    return fields.fail("type", "unsupported_format",
                       "This emulator has no Opus codec: use audio/pcm, audio/pcmu or audio/pcma.");
  }
  const bool telephone = type == "audio/pcmu" || type == "audio/pcma";
  if (type != "audio/pcm" && !telephone) {
    return fields.fail("type", "invalid_value",
                       fmt::format("{} must be audio/pcm, audio/pcmu, audio/pcma or audio/opus.",
                                   fields.path_of("type")));
  }
  std::int64_t rate = telephone ? 8'000 : 24'000;
  fields.integer("rate", 1, 1'000'000, rate);
  const bool known =
      telephone ? rate == 8'000 : std::ranges::find(k_pcm_rates, rate) != k_pcm_rates.end();
  if (!known) {
    return fields.fail(
        "rate", "invalid_value",
        fmt::format("{} of {} must be {}, not {}.", fields.path_of("rate"), type,
                    telephone ? "8000" : "8000, 16000, 22050, 24000, 32000, 44100 or 48000", rate));
  }
  format.encoding = type == "audio/pcmu" ? Encoding::MuLaw
                    : telephone          ? Encoding::ALaw
                                         : Encoding::Pcm;
  format.rate = static_cast<int>(rate);
}

void read_transport(FieldReader& parent, bool& binary) {
  std::string word = binary ? "binary" : "json";
  parent.word("transport", k_transports, word);
  binary = word == "binary";
}

void read_transcription(FieldReader& parent, AudioInput& input,
                        std::optional<ErrorDetails>& error) {
  const Json* given = parent.object("transcription");
  if (given == nullptr) return;
  FieldReader fields(*given, parent.path_of("transcription"), error);
  std::string model;
  std::string hint;
  fields.text("model", model);
  fields.text("language_hint", hint);
  if (const Json* terms = fields.list("keyterms")) {
    const bool matches =
        terms->size() <= k_max_keyterms && std::ranges::all_of(*terms, [](const Json& term) {
          return term.is_string() &&
                 count_code_points(term.get_ref<const std::string&>()) <= k_max_keyterm;
        });
    if (!matches) {
      fields.fail("keyterms", "invalid_value",
                  fmt::format("{} holds up to {} terms of up to {} characters.",
                              fields.path_of("keyterms"), k_max_keyterms, k_max_keyterm));
    }
  }
  input.transcription = text::dump(*given);
  input.live = model == "svc-transcribe";
}

void read_audio(FieldReader& audio, SessionConfig& config, std::optional<ErrorDetails>& error) {
  if (auto input = audio.child("input")) {
    read_format(*input, config.input.format);
    read_transport(*input, config.input.binary);
    read_transcription(*input, config.input, error);
  }
  if (auto output = audio.child("output")) {
    read_format(*output, config.output.format);
    read_transport(*output, config.output.binary);
    output->number("speed", 0.7, 1.5, config.output.speed);
  }
}

void read_replace(FieldReader& fields, SessionConfig& config) {
  const Json* given = fields.object("replace");
  if (given == nullptr) return;
  config.replace.clear();
  for (const auto& [phrase, spoken] : given->items()) {
    if (!spoken.is_string() || phrase.empty()) {
      return fields.fail("replace", "invalid_type",
                         "session.replace maps written phrases to their spoken forms.");
    }
    config.replace.emplace_back(phrase, spoken.get<std::string>());
  }
}

void read_session(const Json& session, bool on_call, SessionConfig& config,
                  std::optional<ErrorDetails>& error) {
  FieldReader fields(session, "session", error);
  fields.text("instructions", config.instructions);
  fields.text("voice", config.voice);
  if (config.voice.empty()) {
    fields.fail("voice", "invalid_value", "session.voice must not be empty.");
  }
  if (auto reasoning = fields.child("reasoning")) {
    reasoning->word("effort", k_efforts, config.effort);
  }
  if (!error) read_turns(session, config.turns, error);
  if (auto audio = fields.child("audio")) {
    if (on_call) {
      fields.fail("audio", "media_owned_by_service",
                  "On a SIP call the service owns the media: leave session.audio out.");
    }
    if (!error) read_audio(*audio, config, error);
  }
  if (const Json* tools = fields.list("tools")) error = read_tools(*tools, config.tools);
  if (const Json* modalities = fields.list("modalities")) {
    error = read_modalities(*modalities, "session.modalities", config.speaks);
  }
  if (auto resumption = fields.child("resumption")) {
    resumption->flag("enabled", config.resumption);
  }
  read_replace(fields, config);
}

Json format_json(const AudioFormat& format) {
  return {{"type", format.type()}, {"rate", format.rate}};
}

Json turns_json(const TurnDetection& turns) {
  if (!turns.server) return nullptr;
  return {{"type", "server_vad"},
          {"threshold", turns.threshold},
          {"silence_duration_ms", turns.silence_ms},
          {"prefix_padding_ms", turns.prefix_ms},
          {"idle_timeout_ms", text::or_null(turns.idle_ms)}};
}

constexpr std::array<sv, 5> k_tool_types = {"function", "web_search", "x_search", "file_search",
                                            "mcp"};

void read_function(const Json& given, const std::string& path, SessionTool& tool,
                   std::optional<ErrorDetails>& error) {
  // The nested object `function` is accepted too.
  const Json* nested = text::member(given, "function");
  const Json& function = nested != nullptr && nested->is_object() ? *nested : given;
  FieldReader fields(function, path, error);
  fields.text("name", tool.name);
  (void)fields.object("parameters");
  const bool matches =
      !tool.name.empty() && tool.name.size() <= 64 && std::ranges::all_of(tool.name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
      });
  if (!matches) {
    fields.fail("name", "invalid_value",
                fmt::format("{} must be 1 to 64 letters, digits, _ or -.", fields.path_of("name")));
  }
}

void read_tool(const Json& given, const std::string& path, SessionTool& tool,
               std::optional<ErrorDetails>& error) {
  FieldReader fields(given, path, error);
  fields.word("type", k_tool_types, tool.type);
  fields.require("type", !tool.type.empty());
  if (tool.type == "function") read_function(given, path, tool, error);
  if (tool.type == "x_search") (void)fields.list("allowed_x_handles");
  if (tool.type == "file_search") {
    const Json* stores = fields.list("vector_store_ids");
    if (stores == nullptr || stores->empty()) {
      fields.fail("vector_store_ids", "missing_parameter",
                  fmt::format("{} must name a collection.", fields.path_of("vector_store_ids")));
    }
  }
  if (tool.type == "mcp") {
    std::string url;
    fields.text("server_url", url);
    fields.text("server_label", tool.name);
    (void)fields.list("allowed_tools");
    fields.require("server_url", !url.empty());
    fields.require("server_label", !tool.name.empty());
  }
  // A server's credentials are not returned.
  Json definition = given;
  if (tool.type == "mcp") {
    definition.erase("authorization");
    definition.erase("headers");
  }
  tool.definition = text::dump(definition);
}

}  // namespace

std::optional<ErrorDetails> apply_session(const Json& session, bool on_call,
                                          SessionConfig& config) {
  if (!session.is_object()) {
    return ErrorDetails{"invalid_type", "session must be an object.", "session"};
  }
  SessionConfig changed = config;
  std::optional<ErrorDetails> error;
  read_session(session, on_call, changed, error);
  if (!error) config = std::move(changed);
  return error;
}

std::optional<ErrorDetails> read_modalities(const Json& list, const std::string& param,
                                            bool& speaks) {
  bool text = false;
  bool audio = false;
  for (const Json& item : list) {
    text = text || item == "text";
    audio = audio || item == "audio";
    if (item != "text" && item != "audio") {
      return ErrorDetails{"invalid_value", fmt::format("{} holds text, audio, or both.", param),
                          param};
    }
  }
  if (!text && !audio) {
    return ErrorDetails{"invalid_value", fmt::format("{} must not be empty.", param), param};
  }
  speaks = audio;
  return std::nullopt;
}

Json session_json(const SessionConfig& config, const std::string& id) {
  Json tools = text::json_list(
      config.tools, [&](const SessionTool& tool) { return text::parse_json(tool.definition); });
  Json replace = Json::object();
  for (const auto& [phrase, spoken] : config.replace) replace[phrase] = spoken;
  Json input = {{"format", format_json(config.input.format)},
                {"transport", config.input.binary ? "binary" : "json"}};
  if (!config.input.transcription.empty()) {
    input["transcription"] = text::parse_json(config.input.transcription);
  }
  Json session = {{"id", id},
                  {"object", "realtime.session"},
                  {"model", config.model},
                  {"voice", config.voice},
                  {"instructions", config.instructions},
                  {"modalities", config.speaks ? Json{"text", "audio"} : Json::array({"text"})},
                  {"reasoning", {{"effort", config.effort}}},
                  {"turn_detection", turns_json(config.turns)},
                  {"audio",
                   {{"input", std::move(input)},
                    {"output",
                     {{"format", format_json(config.output.format)},
                      {"transport", config.output.binary ? "binary" : "json"},
                      {"speed", config.output.speed}}}}},
                  {"tools", std::move(tools)},
                  {"resumption", {{"enabled", config.resumption}}},
                  {"replace", std::move(replace)}};
  if (!config.agent_id.empty()) session["agent_id"] = config.agent_id;
  return session;
}

// The tools of a session.

std::optional<ErrorDetails> read_tools(const Json& list, std::vector<SessionTool>& tools) {
  std::vector<SessionTool> read;
  std::set<std::string> names;
  std::optional<ErrorDetails> error;
  for (std::size_t i = 0; i < list.size() && !error; ++i) {
    const std::string path = fmt::format("session.tools[{}]", i);
    if (!list[i].is_object())
      return ErrorDetails{"invalid_type", path + " must be an object.", path};
    SessionTool tool;
    read_tool(list[i], path, tool, error);
    if (!error && tool.type == "function" && !names.insert(tool.name).second) {
      error = ErrorDetails{"invalid_value", fmt::format("There are two functions {}.", tool.name),
                           path};
    }
    read.push_back(std::move(tool));
  }
  if (!error) tools = std::move(read);
  return error;
}

}  // namespace svc::emulator::realtime
