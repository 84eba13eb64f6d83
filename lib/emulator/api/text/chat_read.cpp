// Reading a chat request: its rules and its meaning.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/text/chat.h"
#include "emulator/model/rules.h"
#include "emulator/model/search.h"
#include "emulator/model/tokenizer.h"

namespace svc::emulator::text {
namespace {

constexpr std::size_t k_most_stops = 4;
constexpr double k_most_choices = 128;  // the documents name no limit

// Parameters that some models do not take.
std::optional<std::string> model_fault(const Json& body, const Model& model) {
  const auto refused = [&](sv name) {
    return fmt::format("Model {} does not support parameter {}.", model.name, name);
  };
  const Json* stop = member(body, "stop");
  if (model.reasoning && stop != nullptr && !stop->empty()) return refused("stop");
  for (const sv name : {sv("frequency_penalty"), sv("presence_penalty")}) {
    const bool excluded = model.reasoning || (name == "presence_penalty" && model.name == "svc-3");
    if (excluded && number_of(body, name).value_or(0) != 0) return refused(name);
  }
  return effort_fault(model, "reasoning_effort", text_of(body, "reasoning_effort"));
}

std::optional<std::string> number_fault(const Json& body) {
  for (const sv name : {sv("frequency_penalty"), sv("presence_penalty")}) {
    if (auto fault = range_fault(body, name, -2, 2)) return fault;
  }
  for (const sv name : {sv("max_completion_tokens"), sv("max_tokens")}) {
    if (integer_of(body, name) == 0) return fmt::format("{} must be at least 1.", name);
  }
  return range_fault(body, "n", 1, k_most_choices);
}

std::optional<Answer> part_fault(const Json& part) {
  const std::string type = text_of(part, "type");
  if (type == "input_image") return image_fault(text_of(part, "image_url"));
  if (type == "image_url") return image_fault(text_of(part["image_url"], "url"));
  if (type != "file") return std::nullopt;
  const Json& file = part["file"];
  if ((member(file, "file_id") == nullptr) != (member(file, "url") == nullptr)) return std::nullopt;
  return refuse_argument("A file part needs exactly one of file_id and url.");
}

std::optional<Answer> content_fault(const Json& messages) {
  for (const Json& message : messages) {
    const Json* content = member(message, "content");
    if (content == nullptr || !content->is_array()) continue;
    for (const Json& part : *content) {
      if (auto fault = part_fault(part)) return fault;
    }
  }
  return std::nullopt;
}

void add_chat_content(const Json& content, Turn& turn) {
  if (content.is_string()) turn.text = content.get<std::string>();
  if (!content.is_array()) return;
  for (const Json& part : content) {
    const std::string type = text_of(part, "type");
    if (type == "image_url" || type == "input_image") {
      ++turn.images;
    } else if (type == "file") {
      ++turn.files;
      const std::string id = text_of(part["file"], "file_id");
      if (!id.empty()) turn.file_ids.push_back(id);
    } else {
      turn.text += (turn.text.empty() ? "" : "\n") + text_of(part, "text");
    }
  }
}

// The name of the function whose call has that id.
std::string called_name(const Json& messages, const std::string& id) {
  for (const Json& message : messages) {
    const Json* calls = member(message, "tool_calls");
    if (calls == nullptr) continue;
    for (const Json& call : *calls) {
      if (text_of(call, "id") == id) return text_of(call["function"], "name");
    }
  }
  return {};
}

Turn read_message(const Json& message, const Json& messages) {
  Turn turn{.role = text_of(message, "role")};
  if (const Json* content = member(message, "content")) add_chat_content(*content, turn);
  if (turn.role == "tool") turn.name = called_name(messages, text_of(message, "tool_call_id"));
  if (turn.role == "function") {
    turn.role = "tool";
    turn.name = text_of(message, "name");
  }
  // What the model called counts as text of the prompt, too.
  if (const Json* calls = member(message, "tool_calls")) turn.text += dump(*calls);
  return turn;
}

void read_tools(const Json& body, Ask& ask) {
  if (const Json* tools = member(body, "tools")) {
    for (const Json& tool : *tools) {
      const Json* function = member(tool, "function");
      if (function == nullptr) continue;
      ask.functions.push_back({text_of(*function, "name"), member(*function, "parameters")});
    }
    ask.extra_prompt_tokens += static_cast<std::int64_t>(count_tokens(dump(*tools)));
  }
  ask.choose = ask.functions.empty() ? Choose::None : Choose::Auto;
  ask.parallel = flag_of(body, "parallel_tool_calls", true);
  const Json* choice = member(body, "tool_choice");
  if (choice == nullptr) return;
  if (choice->is_object()) {
    ask.choose = Choose::Named;
    ask.chosen = text_of((*choice)["function"], "name");
  } else if (*choice == "none") {
    ask.choose = Choose::None;
  } else if (*choice == "required") {
    ask.choose = Choose::Required;
  }
}

void read_format(const Json& body, Ask& ask) {
  const Json* format = member(body, "response_format");
  if (format == nullptr) return;
  const std::string type = text_of(*format, "type");
  if (type == "json_object") ask.form = Form::JsonObject;
  if (type == "json_schema") {
    ask.form = Form::JsonSchema;
    ask.schema = member((*format)["json_schema"], "schema");
  }
}

}  // namespace

std::optional<Answer> chat_fault(const Json& body, const Model& model) {
  if (body["messages"].empty()) return refuse(400, "400", "Bad data: Messages cannot be empty");
  if (flag_of(body, "stream", false) && flag_of(body, "deferred", false)) {
    Answer answer;
    answer.status = 400;
    answer.body = R"("A request may either be streaming or deferred, but not both.")";
    return answer;
  }
  if (const Json* stop = member(body, "stop"); stop && stop->size() > k_most_stops) {
    return refuse_argument(fmt::format("Too many stop sequences: {} given, at most {} are allowed.",
                                       stop->size(), k_most_stops));
  }
  for (const auto& fault : {number_fault(body), common_fault(body), model_fault(body, model)}) {
    if (fault) return refuse_argument(*fault);
  }
  return content_fault(body["messages"]);
}

Ask read_chat(const Json& body, const Model& model) {
  Ask ask{.model = &model};
  for (const Json& message : body["messages"]) {
    ask.turns.push_back(read_message(message, body["messages"]));
  }
  read_tools(body, ask);
  read_format(body, ask);
  if (const Json* stop = member(body, "stop")) ask.stop = stop->get<std::vector<std::string>>();
  // The newer name wins over the deprecated one.
  const auto limit = integer_of(body, "max_completion_tokens");
  ask.max_tokens = limit ? *limit : integer_of(body, "max_tokens").value_or(k_default_max_tokens);
  ask.effort = text_of(body, "reasoning_effort", "low");
  ask.seed = integer_of(body, "seed").value_or(0);
  return ask;
}

}  // namespace svc::emulator::text
