// Reading a messages request: its rules and its meaning.
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/legacy/handlers.h"
#include "emulator/api/legacy/messages.h"
#include "emulator/model/rules.h"
#include "emulator/model/tokenizer.h"

namespace svc::emulator::legacy {
namespace {

using namespace svc::emulator::text;

std::string image_address(const Json& part) {
  const Json& source = part["source"];
  if (text_of(source, "type") == "url") return text_of(source, "url");
  return fmt::format("data:{};base64,{}", text_of(source, "media_type"), text_of(source, "data"));
}

std::optional<Answer> content_fault(const Json& content) {
  if (!content.is_array()) return std::nullopt;
  for (const Json& part : content) {
    const std::string type = text_of(part, "type");
    if (type == "image") {
      if (auto fault = image_fault(image_address(part))) return fault;
    }
    const Json* inner = member(part, "content");
    if (type == "tool_result" && inner != nullptr) {
      if (auto fault = content_fault(*inner)) return fault;
    }
  }
  return std::nullopt;
}

void add_part(const Json& part, Turn& turn) {
  const std::string type = text_of(part, "type");
  if (type == "image") {
    ++turn.images;
  } else if (type == "text") {
    turn.text += (turn.text.empty() ? "" : "\n") + text_of(part, "text");
  }
}

Turn plain_turn(const std::string& role, const Json& content) {
  Turn turn{.role = role};
  if (content.is_string()) turn.text = content.get<std::string>();
  if (!content.is_array()) return turn;
  for (const Json& part : content) add_part(part, turn);
  return turn;
}

/// Turns of a conversation; the results of tools are turns of their own.
class Reader {
 public:
  explicit Reader(std::vector<Turn>& turns) : m_turns(turns) {}

  void read(const Json& message) {
    const std::string role = text_of(message, "role");
    const Json& content = message["content"];
    Turn turn = plain_turn(role, content);
    if (content.is_array()) {
      for (const Json& part : content) {
        const std::string type = text_of(part, "type");
        if (type == "tool_use") add_use(part, turn);
        if (type == "tool_result") add_result(part);
      }
    }
    const bool only_results = turn.text.empty() && turn.images == 0 && content.is_array();
    if (!only_results) m_turns.push_back(std::move(turn));
  }

 private:
  void add_use(const Json& part, Turn& turn) {
    m_names[text_of(part, "id")] = text_of(part, "name");
    turn.text += text_of(part, "name") + " " + dump(part["input"]);
  }

  void add_result(const Json& part) {
    const Json* content = member(part, "content");
    Turn turn = content == nullptr ? Turn{.role = "tool"} : plain_turn("tool", *content);
    turn.name = m_names[text_of(part, "tool_use_id")];
    if (flag_of(part, "is_error", false)) turn.text = "error: " + turn.text;
    m_turns.push_back(std::move(turn));
  }

  std::vector<Turn>& m_turns;
  std::map<std::string, std::string> m_names{};  ///< of called functions, by id
};

void read_tools(const Json& body, Ask& ask) {
  if (const Json* tools = member(body, "tools")) {
    for (const Json& tool : *tools) {
      ask.functions.push_back({text_of(tool, "name"), member(tool, "input_schema")});
    }
    ask.extra_prompt_tokens += static_cast<std::int64_t>(count_tokens(dump(*tools)));
  }
  ask.choose = ask.functions.empty() ? Choose::None : Choose::Auto;
  const Json* choice = member(body, "tool_choice");
  if (choice == nullptr) return;
  const std::string type = text_of(*choice, "type");
  if (type == "any") ask.choose = Choose::Required;
  if (type == "none") ask.choose = Choose::None;
  if (type == "tool") {
    ask.choose = Choose::Named;
    ask.chosen = text_of(*choice, "name");
  }
}

}  // namespace

std::optional<Answer> messages_fault(const Json& body, const Model& model) {
  if (body["messages"].empty()) return refuse(400, "400", "Bad data: Messages cannot be empty");
  if (integer_of(body, "max_tokens") == 0) return refuse_argument("max_tokens must be at least 1.");
  if (const auto fault = common_fault(body)) return refuse_argument(*fault);
  if (const auto fault = stop_fault(body, model, "stop_sequences")) return refuse_argument(*fault);
  for (const Json& message : body["messages"]) {
    if (auto fault = content_fault(message["content"])) return fault;
  }
  return std::nullopt;
}

Ask read_messages(const Json& body, const Model& model) {
  Ask ask{.model = &model};
  if (const Json* system = member(body, "system")) {
    ask.turns.push_back(plain_turn("system", *system));
  }
  Reader reader(ask.turns);
  for (const Json& message : body["messages"]) reader.read(message);
  read_tools(body, ask);
  ask.max_tokens = integer_of(body, "max_tokens").value_or(k_default_max_tokens);
  return ask;
}

}  // namespace svc::emulator::legacy
