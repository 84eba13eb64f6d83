#include "emulator/api/realtime/model_answer.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/collections/search.h"
#include "emulator/model/answer.h"
#include "emulator/model/directive.h"
#include "emulator/model/schema_sample.h"
#include "emulator/model/search.h"
#include "emulator/model/tokenizer.h"
#include "emulator/state/state.h"

namespace svc::emulator::realtime {
namespace {

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

std::size_t count_spoken_words(sv text) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    count += !is_space && !inside ? 1 : 0;
    inside = !is_space;
  }
  return count;
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
    answer.failure = directive.text;
  } else if (directive.kind == text::DirectiveKind::Words) {
    answer.text = text::generate_words(std::min(directive.words, k_max_spoken_words));
  } else {
    answer.text = directive.text;
  }
  return true;
}

// Applies the answer rules to this turn; returns false if the emulator answers.
bool generate_canned(const Request& call, const SessionConfig& config, const LastTurn& turn,
                     const std::string& instructions, ModelAnswer& answer) {
  AnswerTarget question{.operation = "realtime",
                        .models = {config.model},
                        .prompt = turn.latest,
                        .system = instructions,
                        .headers = call.headers,
                        .is_key = text::key_test(call),
                        .after_tools = !turn.outputs.empty()};
  for (const Item* output : turn.outputs) {
    question.tool_result += (question.tool_result.empty() ? "" : "\n") + output->output;
  }
  const AnswerRuleSet::Taken taken = call.state->answers().take(std::move(question));
  answer.failure = taken.refusal;
  if (!taken.answer) return !taken.refusal.empty();
  const CannedAnswer& canned = *taken.answer;
  answer.usage = canned.usage;
  answer.delay = canned.delay;
  if (canned.status != 0) answer.failure = text::canned_text(canned);
  answer.calls = canned.calls;
  if (canned.status != 0 || !canned.calls.empty()) return true;
  answer.text = canned.refusal.empty() ? canned.text.value_or("") : canned.refusal;
  return !canned.says_nothing();
}

}  // namespace

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
                            const std::string& instructions) {
  ModelAnswer answer;
  const LastTurn turn = last_turn_of(items);
  if (generate_canned(call, config, turn, instructions, answer)) return answer;
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
