#include "emulator/api/realtime/session_config.h"

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

std::optional<ErrorDetails> check_member(const Json& value, sv type, sv path) {
  const auto mismatch = text::check_type(value, text::request_type(type), {});
  if (!mismatch) return std::nullopt;
  using Kind = text::SchemaMismatch::Kind;
  const char* code = mismatch->kind == Kind::Type      ? "invalid_type"
                     : mismatch->kind == Kind::Missing ? "missing_parameter"
                                                       : "invalid_value";
  const std::string param =
      mismatch->path == "." ? std::string(path) : fmt::format("{}.{}", path, mismatch->path);
  return ErrorDetails{code, fmt::format("{}: {}", param, mismatch->reason), param};
}

bool speaks_in(const Json& object, bool fallback) {
  const Json* modalities = text::member(object, "modalities");
  if (modalities == nullptr) return fallback;
  return std::ranges::find(*modalities, Json("audio")) != modalities->end();
}

namespace {

constexpr std::array<int, 7> k_pcm_rates = {8'000, 16'000, 22'050, 24'000, 32'000, 44'100, 48'000};

// A type of null selects manual mode; without a type, the mode is unchanged.
void read_turns(const Json& session, TurnDetection& turns) {
  const auto found = session.find("turn_detection");
  if (found == session.end()) return;
  turns.server = !found->is_null();
  if (!turns.server) return;
  if (const auto type = found->find("type"); type != found->end()) turns.server = !type->is_null();
  turns.threshold = text::get_number(*found, "threshold").value_or(turns.threshold);
  turns.silence_ms = text::get_integer(*found, "silence_duration_ms").value_or(turns.silence_ms);
  turns.prefix_ms = text::get_integer(*found, "prefix_padding_ms").value_or(turns.prefix_ms);
  if (found->contains("idle_timeout_ms")) {
    turns.idle_ms = text::get_integer(*found, "idle_timeout_ms");
  }
}

std::optional<ErrorDetails> read_format(const Json& direction, const std::string& path,
                                        AudioFormat& format) {
  const Json* given = text::member(direction, "format");
  if (given == nullptr) return std::nullopt;
  const std::string type = text::get_string(*given, "type", format.type());
  if (type == "audio/opus") {
    return ErrorDetails{"unsupported_format",
                        "This emulator has no Opus codec: use audio/pcm, audio/pcmu or audio/pcma.",
                        path + ".format.type"};
  }
  const bool telephone = type != "audio/pcm";
  const auto rate = text::get_integer(*given, "rate").value_or(telephone ? 8'000 : 24'000);
  const bool known = telephone ? rate == 8'000 : has_element(k_pcm_rates, rate);
  if (!known) {
    return ErrorDetails{
        "invalid_value",
        fmt::format("{}.format.rate of {} must be {}, not {}.", path, type,
                    telephone ? "8000" : "8000, 16000, 22050, 24000, 32000, 44100 or 48000", rate),
        path + ".format.rate"};
  }
  format.encoding = type == "audio/pcmu" ? Encoding::MuLaw
                    : telephone          ? Encoding::ALaw
                                         : Encoding::Pcm;
  format.rate = static_cast<int>(rate);
  return std::nullopt;
}

bool is_binary(const Json& direction, bool fallback) {
  return text::get_string(direction, "transport", fallback ? "binary" : "json") == "binary";
}

std::optional<ErrorDetails> read_audio(const Json& audio, SessionConfig& config) {
  if (const Json* input = text::member(audio, "input")) {
    if (auto error = read_format(*input, "session.audio.input", config.input.format)) return error;
    config.input.binary = is_binary(*input, config.input.binary);
    if (const Json* transcription = text::member(*input, "transcription")) {
      config.input.transcription = text::dump(*transcription);
      config.input.live = text::get_string(*transcription, "model") == "svc-transcribe";
    }
  }
  if (const Json* output = text::member(audio, "output")) {
    if (auto error = read_format(*output, "session.audio.output", config.output.format)) {
      return error;
    }
    config.output.binary = is_binary(*output, config.output.binary);
    config.output.speed = text::get_number(*output, "speed").value_or(config.output.speed);
  }
  return std::nullopt;
}

std::optional<ErrorDetails> read_replace(const Json& given, SessionConfig& config) {
  config.replace.clear();
  for (const auto& [phrase, spoken] : given.items()) {
    if (!spoken.is_string() || phrase.empty()) {
      return ErrorDetails{"invalid_type",
                          "session.replace maps written phrases to their spoken forms.",
                          "session.replace"};
    }
    config.replace.emplace_back(phrase, spoken.get<std::string>());
  }
  return std::nullopt;
}

// The nested object `function` is accepted too.
std::optional<ErrorDetails> read_function(const Json& given, const std::string& path,
                                          SessionTool& tool) {
  const Json* nested = text::member(given, "function");
  tool.name = text::get_string(nested != nullptr ? *nested : given, "name");
  const bool matches =
      !tool.name.empty() && tool.name.size() <= 64 && std::ranges::all_of(tool.name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
      });
  if (matches) return std::nullopt;
  return ErrorDetails{"invalid_value",
                      fmt::format("{}.name must be 1 to 64 letters, digits, _ or -.", path),
                      path + ".name"};
}

std::optional<ErrorDetails> read_tools(const Json& list, std::vector<SessionTool>& tools) {
  tools.clear();
  std::set<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = fmt::format("session.tools[{}]", i);
    Json definition = list[i];
    SessionTool& tool = tools.emplace_back();
    tool.type = text::get_string(definition, "type");
    if (tool.type == "function") {
      if (auto error = read_function(definition, path, tool)) return error;
      if (!names.insert(tool.name).second) {
        return ErrorDetails{"invalid_value", fmt::format("There are two functions {}.", tool.name),
                            path};
      }
    } else if (tool.type == "mcp") {
      tool.name = text::get_string(definition, "server_label");
      // A server's credentials are not returned.
      definition.erase("authorization");
      definition.erase("headers");
    }
    tool.definition = text::dump(definition);
  }
  return std::nullopt;
}

std::optional<ErrorDetails> read_session(const Json& session, bool on_call, SessionConfig& config) {
  config.instructions = text::get_string(session, "instructions", config.instructions);
  config.voice = text::get_string(session, "voice", config.voice);
  config.effort = text::get_string(text::copy_of(session, "reasoning"), "effort", config.effort);
  config.speaks = speaks_in(session, config.speaks);
  config.resumption =
      text::get_bool(text::copy_of(session, "resumption"), "enabled", config.resumption);
  read_turns(session, config.turns);
  if (const Json* audio = text::member(session, "audio")) {
    if (on_call) {
      return ErrorDetails{"media_owned_by_service",
                          "On a SIP call the service owns the media: leave session.audio out.",
                          "session.audio"};
    }
    if (auto error = read_audio(*audio, config)) return error;
  }
  if (const Json* tools = text::member(session, "tools")) {
    if (auto error = read_tools(*tools, config.tools)) return error;
  }
  const Json* replace = text::member(session, "replace");
  return replace == nullptr ? std::nullopt : read_replace(*replace, config);
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

}  // namespace

std::optional<ErrorDetails> apply_session(const Json& session, bool on_call,
                                          SessionConfig& config) {
  if (auto error = check_member(session, "realtime_session", "session")) return error;
  SessionConfig changed = config;
  if (auto error = read_session(session, on_call, changed)) return error;
  config = std::move(changed);
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

}  // namespace svc::emulator::realtime
