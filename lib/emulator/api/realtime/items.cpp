#include <initializer_list>
#include <iterator>
#include <sstream>

#include <nlohmann/json.hpp>

#include "emulator/api/collections/store.h"
#include "emulator/api/realtime/response.h"
#include "emulator/model/answer.h"

namespace svc::emulator::realtime {
namespace {

Json content_json(const Item& item) {
  if (item.role == "assistant") {
    return item.text.empty() && item.status == "in_progress" ? Json::array()
                                                             : Json::array({part_json(item)});
  }
  if (!item.spoken) return Json::array({{{"type", "input_text"}, {"text", item.text}}});
  return Json::array({{{"type", "input_audio"}, {"transcript", text::or_null(item.text)}}});
}

std::optional<ErrorDetails> read_part(const Json& part, const std::string& path, ParsedItem& read) {
  const std::string type = text::get_string(part, "type", "input_text");
  const bool output = type == "output_text" || type == "text";
  if (output != (read.item.role == "assistant")) {
    return ErrorDetails{
        "invalid_value",
        fmt::format("A message of the role {} has no content of type {}.", read.item.role, type),
        path + ".type"};
  }
  if (type == "input_audio") {
    read.audio = base64_decode(text::get_string(part, "audio"));
    read.item.spoken = true;
    if (read.audio && !read.audio->empty()) return std::nullopt;
    return ErrorDetails{"invalid_value", path + ".audio must be base64.", path + ".audio"};
  }
  if (!read.item.text.empty()) read.item.text += "\n";
  read.item.text += text::get_string(part, "text");
  return std::nullopt;
}

std::optional<ErrorDetails> read_message(const Json& given, ParsedItem& read) {
  read.item.role = text::get_string(given, "role", "assistant");
  const Json& content = given["content"];
  for (std::size_t i = 0; i < content.size(); ++i) {
    const std::string path = fmt::format("item.content[{}]", i);
    if (auto error = read_part(content[i], path, read)) return error;
  }
  read.interruptible = text::get_bool(given, "interruptible", true);
  read.voice = text::get_string(given, "voice");
  if (!read.forced || !trim(read.item.text).empty()) return std::nullopt;
  return ErrorDetails{"invalid_value", "A force_message must have a text to say.", "item.content"};
}

// The stored fields of an item, except its words.
template <typename AnyItem, typename Visitor>
void for_each_field(AnyItem& item, const Visitor& visit) {
  visit("id", item.id);
  visit("type", item.type);
  visit("role", item.role);
  visit("status", item.status);
  visit("text", item.text);
  visit("spoken", item.spoken);
  visit("call_id", item.call_id);
  visit("name", item.name);
  visit("arguments", item.arguments);
  visit("output", item.output);
  visit("label", item.label);
  visit("audio_ms", item.audio_ms);
  visit("cut", item.truncated);
}

constexpr std::size_t k_max_quote = 400;  // bytes, since it is spoken
constexpr std::int64_t k_max_spoken_words = 400;
constexpr std::int64_t k_tokens_per_item = 4;

// The part of the conversation that the model has to answer.
struct LastTurn {
  std::string text{};                  ///< the user's messages since the last answer
  std::string latest{};                ///< the last of these messages
  std::vector<const Item*> outputs{};  ///< function results since then
  std::size_t user_turns = 0;          ///< in the whole conversation
};

LastTurn last_turn_of(const Items& items) {
  LastTurn turn;
  for (const Item& item : items.all()) {
    if (item.type == "function_call_output") {
      turn.outputs.push_back(&item);
    } else if (item.type == "message" && item.role == "assistant") {
      turn = LastTurn{.user_turns = turn.user_turns};
    } else if (item.type == "message" && item.role == "user") {
      ++turn.user_turns;
      turn.outputs.clear();
      if (!turn.text.empty() && !item.text.empty()) turn.text += " ";
      turn.text += item.text;
      turn.latest = item.text;
    }
  }
  return turn;
}

std::size_t count_spoken_words(const std::string& text) {
  std::istringstream words(text);
  return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(words), {}));
}

// Whether the text contains a function's name, as written or as spoken: get_weather, "get weather".
bool names(sv text, sv name) {
  if (text::find_word(to_lower(text), to_lower(name))) return true;
  const std::string said = replace_all(replace_all(to_lower(name), "_", " "), "-", " ");
  return text::find_word(to_lower(text), said).has_value();
}

std::string arguments_for(const Json& definition) {
  const Json* nested = text::member(definition, "function");
  const Json* parameters = text::member(nested != nullptr ? *nested : definition, "parameters");
  const auto sample = parameters == nullptr ? std::nullopt : text::sample_schema(*parameters);
  return text::dump(sample && sample->is_object() ? *sample : Json::object());
}

std::string name_of_call(const Items& items, const std::string& call_id) {
  for (const Item& item : items.all()) {
    if (item.type == "function_call" && item.call_id == call_id) return item.name;
  }
  return "the function";
}

std::string describe_outputs(const Items& items, const LastTurn& turn) {
  std::string text = "This is the emulator.";
  for (const Item* item : turn.outputs) {
    text += fmt::format(" {} answered: {}.", name_of_call(items, item->call_id),
                        excerpt(item->output, k_max_quote));
  }
  return text;
}

std::string describe_turn(const LastTurn& turn, const std::string& instructions) {
  std::string text = "This is the emulator.";
  if (turn.user_turns == 0) {
    return instructions.empty()
               ? text + " Hello."
               : fmt::format("{} I was told: {}.", text, excerpt(instructions, k_max_quote));
  }
  if (trim(turn.text).empty()) {
    return fmt::format("{} I heard no words in turn {}.", text, turn.user_turns);
  }
  return fmt::format("{} You said: {}. That was {} in turn {}.", text,
                     excerpt(turn.text, k_max_quote),
                     text::counted(count_spoken_words(turn.text), "word"), turn.user_turns);
}

std::vector<std::string> strings_of(const Json& definition, sv name) {
  std::vector<std::string> strings;
  const Json* list = text::member(definition, name);
  if (list == nullptr) return strings;
  for (const Json& one : *list) {
    if (one.is_string()) strings.push_back(one.get<std::string>());
  }
  return strings;
}

// Returns the search results as sentences.
std::string run_searches(const Request& call, const SessionConfig& config, sv question) {
  std::string found;
  const auto wants = [&](std::initializer_list<sv> words) {
    return std::ranges::any_of(words, [&](sv word) { return names(question, word); });
  };
  for (const SessionTool& tool : config.tools) {
    const bool web = tool.type == "web_search" && wants({"search", "web_search"});
    const bool posts = tool.type == "x_search" && wants({"posts", "x_search"});
    if (web || posts) {
      for (const auto& page : text::find_pages(web ? "web.example" : "x.example", question, 1)) {
        found += fmt::format(" I searched and found {}.", page.title);
      }
    }
    if (tool.type != "file_search" || !wants({"file", "files", "document", "documents"})) continue;
    const Json definition = text::parse_json(tool.definition);
    const auto most = text::get_integer(definition, "max_num_results").value_or(1);
    const auto matches = collections::search_for_tool(
        call, strings_of(definition, "vector_store_ids"), question,
        static_cast<std::size_t>(std::clamp<std::int64_t>(most, 1, 50)));
    for (const auto& match : matches) {
      found += fmt::format(" The file {} says: {}.", match.file_name, excerpt(match.text, 120));
    }
    if (matches.empty()) found += " I found no such file.";
  }
  return found;
}

// Returns the names of an MCP server's tools: the allowed ones, or else one.
std::vector<std::string> server_tool_names(const SessionTool& tool) {
  auto names = strings_of(text::parse_json(tool.definition), "allowed_tools");
  if (names.empty()) names.emplace_back("echo");
  return names;
}

void call_servers(const SessionConfig& config, sv question, ModelAnswer& answer) {
  for (const SessionTool& tool : config.tools) {
    if (tool.type != "mcp" || !is_reachable(tool)) continue;
    const bool by_label = names(question, tool.name);
    const auto tools = server_tool_names(tool);
    for (const std::string& name : tools) {
      if (!names(question, name) && !(by_label && &name == &tools.front())) continue;
      ServerToolCall call{tool.name, name, text::dump(Json{{"question", question}})};
      if (names(question, "fail")) {
        call.error = fmt::format("The tool {} failed, as it was told to.", name);
      } else {
        call.output = fmt::format("{} of {} got: {}", name, tool.name, question);
      }
      answer.server_calls.push_back(std::move(call));
    }
  }
}

bool steer(const text::Directive& directive, ModelAnswer& answer) {
  if (directive.kind == text::DirectiveKind::None) return false;
  if (directive.kind == text::DirectiveKind::Fail) {
    answer.failure = directive.failure();
  } else if (directive.kind == text::DirectiveKind::Words) {
    answer.text = text::generate_words(std::min(directive.words, k_max_spoken_words));
  } else {
    answer.text = directive.text;
  }
  return true;
}

// Applies the answer rules to this turn; returns false if the emulator answers.
bool generate_canned(const Request& call, const SessionConfig& config, const LastTurn& turn,
                     const std::string& instructions, const ResponseOptions& options,
                     ModelAnswer& answer) {
  AnswerTarget question{.operation = "realtime",
                        .path = call.target,
                        .models = {config.model},
                        .prompt = turn.latest,
                        .system = instructions,
                        .body = options.given,
                        .headers = call.headers,
                        .is_key = text::key_test(call),
                        .after_tools = !turn.outputs.empty()};
  for (const Item* output : turn.outputs) {
    question.tool_result += (question.tool_result.empty() ? "" : "\n") + output->output;
  }
  const AnswerRuleSet::Taken taken = call.state->answers().take(std::move(question));
  answer.failure = taken.refusal;
  if (!taken.answer) return !taken.refusal.empty();
  const CannedAnswer& canned = answer.rule = *taken.answer;
  if (canned.status != 0) answer.failure = text::canned_text(canned);
  answer.calls = canned.calls;
  if (canned.status != 0 || !canned.calls.empty()) return true;
  answer.text = canned.refusal.empty() ? canned.text.value_or("") : canned.refusal;
  return !canned.says_nothing();
}

}  // namespace

Json part_json(const Item& item) {
  if (item.spoken) return {{"type", "audio"}, {"transcript", item.text}};
  return {{"type", "text"}, {"text", item.text}};
}

Json item_json(const Item& item) {
  Json json = {
      {"id", item.id}, {"object", "realtime.item"}, {"type", item.type}, {"status", item.status}};
  if (item.type == "message") {
    json["role"] = item.role;
    json["content"] = content_json(item);
  } else if (item.type == "function_call_output") {
    json["call_id"] = item.call_id;
    json["output"] = item.output;
  } else {
    if (item.type == "function_call") json["call_id"] = item.call_id;
    if (item.type == "mcp_call") json["server_label"] = item.label;
    json["name"] = item.name;
    json["arguments"] = item.arguments;
    if (item.type == "mcp_call") json["output"] = text::or_null(item.output);
  }
  return json;
}

std::optional<ErrorDetails> read_item(const Json& given, ParsedItem& read) {
  if (auto error = check_member(given, "realtime_item", "item")) return error;
  read.item.id = text::get_string(given, "id");
  read.item.type = text::get_string(given, "type", "message");
  read.forced = read.item.type == "force_message";
  if (read.forced) read.item.type = "message";
  if (read.item.type == "message") return read_message(given, read);
  read.item.call_id = text::get_string(given, "call_id");
  read.item.name = text::get_string(given, "name");
  read.item.arguments = text::get_string(given, "arguments");
  read.item.output = text::get_string(given, "output");
  return std::nullopt;
}

void truncate_item(Item& item, std::int64_t end_ms) {
  std::erase_if(item.words, [&](const TimedWord& word) { return word.end_ms > end_ms; });
  item.text.clear();
  for (const TimedWord& word : item.words) item.text += word.text;
  item.audio_ms = end_ms;
  item.truncated = true;
}

Item* Items::add(Item item, const std::string& previous) {
  auto position = m_items.end();
  if (previous == "root") {
    position = m_items.begin();
  } else if (!previous.empty()) {
    position = std::ranges::find(m_items, previous, &Item::id);
    if (position == m_items.end()) return nullptr;
    ++position;
  }
  return &*m_items.insert(position, std::move(item));
}

Item* Items::find(const std::string& id) {
  const auto found = std::ranges::find(m_items, id, &Item::id);
  return found == m_items.end() ? nullptr : &*found;
}

std::string Items::before(const std::string& id) const {
  std::string previous;
  for (const Item& item : m_items) {
    if (item.id == id) return previous;
    previous = item.id;
  }
  return {};
}

std::string Items::save() const {
  Json list = Json::array();
  for (const Item& item : m_items) {
    if (item.status == "in_progress") continue;
    Json saved = Json::object();
    for_each_field(item, [&](const char* name, const auto& value) { saved[name] = value; });
    saved["words"] = text::json_list(item.words, [](const TimedWord& word) {
      return Json::array({word.text, word.end_ms});
    });
    list.push_back(std::move(saved));
  }
  return text::dump(list);
}

void Items::load(sv saved) {
  m_items.clear();
  for (const Json& given : text::parse_json(saved)) {
    Item& item = m_items.emplace_back();
    for_each_field(item, [&](const char* name, auto& value) { value = given.value(name, value); });
    for (const Json& word : given.value("words", Json::array())) {
      item.words.push_back({word.at(0), word.at(1)});
    }
  }
}

bool is_reachable(const SessionTool& tool) {
  const std::string url = text::get_string(text::parse_json(tool.definition), "server_url");
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) return false;
  const sv rest = sv(url).substr(scheme + 3);
  return !rest.substr(0, rest.find_first_of(":/?#")).ends_with(".invalid");
}

std::int64_t count_input(const SessionConfig& config, const Items& items) {
  std::int64_t tokens = static_cast<std::int64_t>(count_tokens(config.instructions));
  for (const Item& item : items.all()) {
    tokens += k_tokens_per_item +
              static_cast<std::int64_t>(count_tokens(item.text) + count_tokens(item.output) +
                                        count_tokens(item.arguments));
  }
  return tokens;
}

ModelAnswer generate_answer(const Request& call, const SessionConfig& config, const Items& items,
                            const ResponseOptions& options) {
  const std::string& instructions =
      options.instructions.empty() ? config.instructions : options.instructions;
  ModelAnswer answer;
  const LastTurn turn = last_turn_of(items);
  if (generate_canned(call, config, turn, instructions, options, answer)) return answer;
  if (!turn.outputs.empty()) {
    answer.text = describe_outputs(items, turn);
    return answer;
  }
  if (steer(text::parse_directive(turn.latest), answer)) return answer;
  if (turn.user_turns == 0 && steer(text::parse_directive(instructions), answer)) return answer;
  for (const SessionTool& tool : config.tools) {
    if (tool.type != "function" || !names(turn.text, tool.name)) continue;
    answer.calls.push_back({tool.name, arguments_for(text::parse_json(tool.definition))});
  }
  if (!answer.calls.empty()) return answer;
  call_servers(config, turn.text, answer);
  answer.text = describe_turn(turn, instructions) + run_searches(call, config, turn.text);
  for (const ServerToolCall& made : answer.server_calls) {
    answer.text += fmt::format(" {}", made.error.empty() ? made.output : made.error);
  }
  return answer;
}

}  // namespace svc::emulator::realtime
