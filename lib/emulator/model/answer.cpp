#include "emulator/model/answer.h"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/control/faults.h"
#include "emulator/model/rules.h"
#include "emulator/model/schema_sample.h"
#include "emulator/model/steer.h"
#include "emulator/model/tokenizer.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {

namespace {

constexpr std::int64_t k_tokens_per_turn = 4;  // overhead of a message
constexpr std::int64_t k_tokens_per_image = 256;
// A word is at least one token, so more would be cut off anyway.
constexpr std::int64_t k_most_words = 2 * k_default_max_tokens;

std::int64_t tokens_in(sv text) {
  return static_cast<std::int64_t>(count_tokens(text));
}

Result<FunctionCall> call_function(const Function& function, std::size_t choice) {
  const auto arguments =
      function.parameters == nullptr ? Json::object() : sample_schema(*function.parameters, choice);
  if (!arguments) {
    return usage_error(fmt::format(
        "Invalid parameters of the function {}: no arguments satisfy this schema.", function.name));
  }
  return FunctionCall{function.name, dump(*arguments)};
}

// Returns the functions to call: the chosen one; those in the message; or, if a call is required,
// the first.
std::vector<const Function*> functions_to_call(const Ask& ask, const Steering& steering) {
  std::vector<const Function*> chosen;
  const bool steered = ask.choose == Choose::Auto && steering.kind != Steer::None;
  // After a result comes the answer; otherwise a client that always requires a call would never
  // finish.
  if (ask.choose == Choose::None || answers_tools(ask) || steered) return chosen;
  for (const Function& function : ask.functions) {
    const bool wanted = ask.choose == Choose::Named
                            ? function.name == ask.chosen
                            : find_word(last_user_text(ask), function.name).has_value();
    if (wanted) chosen.push_back(&function);
  }
  if (chosen.empty() && ask.choose == Choose::Required && !ask.functions.empty()) {
    chosen.push_back(&ask.functions.front());
  }
  if (chosen.size() > 1 && (!ask.parallel || ask.choose == Choose::Named)) chosen.resize(1);
  return chosen;
}

constexpr std::size_t k_longest_echo = 1'000;  // bytes
constexpr std::size_t k_longest_aside = 120;

constexpr std::array<sv, 4> k_endings = {
    "Ask it to `say exactly: …` and it will.", "`Write 50 words` makes it talk longer.",
    "The same question gets the same answer.", "No model was asked for this."};

std::uint32_t hash(sv text, std::uint64_t salt) {
  std::uint32_t value = 2'166'136'261U;  // FNV-1a
  for (const char byte : text) value = (value ^ static_cast<unsigned char>(byte)) * 16'777'619U;
  for (; salt != 0; salt >>= 8U) value = (value ^ static_cast<std::uint8_t>(salt)) * 16'777'619U;
  return value ^ (value >> 15U);
}

const Turn* last_of(const Ask& ask, sv role, std::size_t skip = 0) {
  for (auto turn = ask.turns.rbegin(); turn != ask.turns.rend(); ++turn) {
    if (turn->role != role) continue;
    if (skip == 0) return &*turn;
    --skip;
  }
  return nullptr;
}

// Returns the tool results at the end of the conversation, in order.
std::string tell_results(const Ask& ask) {
  auto first = ask.turns.end();
  while (first != ask.turns.begin() && (first - 1)->role == "tool") --first;
  std::string text;
  for (; first != ask.turns.end(); ++first) {
    const std::string who = first->name.empty() ? "The tool" : "The tool " + first->name;
    text += fmt::format("{}{} answered: “{}”.", text.empty() ? "" : " ", who,
                        excerpt(first->text, k_longest_echo));
  }
  return text;
}

// Returns proof that the file was read: its length and its first line.
std::string tell_attachment(const Attachment& file) {
  if (!file.readable) {
    return fmt::format(" The file {} has {} and no text that can be read.", file.name,
                       counted(file.bytes, "byte"));
  }
  const sv text = file.text;
  return fmt::format(" The file {} has {} and begins “{}”.", file.name,
                     counted(count_code_points(text), "character"),
                     excerpt(text.substr(0, text.find('\n')), k_longest_aside));
}

std::string tell_conversation(const Ask& ask) {
  std::string text;
  if (const Turn* earlier = last_of(ask, "user", 1)) {
    text += fmt::format(" Before that: “{}”.", excerpt(earlier->text, k_longest_aside));
  }
  const Turn* system = last_of(ask, "system");
  if (system == nullptr) system = last_of(ask, "developer");
  if (system != nullptr) {
    text += fmt::format(" The system prompt is “{}”.", excerpt(system->text, k_longest_aside));
  }
  const Turn* user = last_of(ask, "user");
  if (user != nullptr && user->images + user->files > 0) {
    text += " It came with ";
    if (user->images > 0) text += counted(user->images, "image");
    if (user->images > 0 && user->files > 0) text += " and ";
    if (user->files > 0) text += counted(user->files, "file");
    text += ".";
    for (const Attachment& one : user->attachments) text += tell_attachment(one);
  }
  return text + fmt::format(" The conversation has {}.", counted(ask.turns.size(), "message"));
}

// Returns a text that identifies the emulator and repeats its input: the last message or the tool
// results, the message before, the system prompt, attachments, the number of messages.
std::string tell(const Ask& ask, std::size_t choice, std::size_t choices) {
  std::string text;
  if (choices > 1) text += fmt::format("Choice {} of {}: ", choice + 1, choices);
  text += fmt::format("This is the svc emulator (model {}).", ask.model->name);
  if (answers_tools(ask)) {
    text += " " + tell_results(ask);
  } else {
    text += fmt::format(" You said: “{}”.", excerpt(last_user_text(ask), k_longest_echo));
  }
  text += tell_conversation(ask);
  const auto salt = static_cast<std::uint64_t>(ask.seed) + choice;
  return text + " " + std::string(k_endings[hash(last_user_text(ask), salt) % k_endings.size()]);
}

// The same as an object.
Json tell_as_object(const Ask& ask, std::size_t choice, std::size_t choices) {
  Json object = {{"emulator", true}, {"model", ask.model->name}};
  if (choices > 1) object["choice"] = choice + 1;
  object["you_said"] = excerpt(last_user_text(ask), k_longest_echo);
  if (answers_tools(ask)) object["tools_said"] = tell_results(ask);
  object["messages"] = ask.turns.size();
  return object;
}

// Returns the model's reasoning: empty unless it is a reasoning model, longer with more effort.
std::string think(const Ask& ask) {
  if (!ask.model->reasoning || ask.effort == "none") return {};
  std::string text = fmt::format("The last message has {}.",
                                 counted(tokenize(last_user_text(ask)).size(), "token"));
  if (ask.effort == "low") return text;
  text +=
      fmt::format(" The conversation has {}, and {} may be called.",
                  counted(ask.turns.size(), "message"), counted(ask.functions.size(), "function"));
  if (ask.effort == "medium") return text;
  return text +
         " An emulator cannot know more than that, so it will repeat what it was told and "
         "say plainly that it is an emulator.";
}

Result<std::string> tell_in_form(const Ask& ask, std::size_t choice, std::size_t choices) {
  switch (ask.form) {
    case Form::JsonObject:
      return dump(tell_as_object(ask, choice, choices));
    case Form::JsonSchema: {
      const auto value = sample_schema(*ask.schema, choice);
      if (!value) {
        return usage_error(
            "Invalid response format: this emulator finds no value that satisfies the schema.");
      }
      return dump(*value);
    }
    case Form::Text:
      break;
  }
  return tell(ask, choice, choices);
}

// Inserts citation marks like the service: [[1]](URL).
void cite(const Ask& ask, bool shown, Said& said) {
  for (std::size_t i = 0; i < ask.sources.size(); ++i) {
    const std::size_t begin = count_code_points(said.text);
    if (shown) {
      if (i == 0) said.text += ' ';
      const std::size_t mark = count_code_points(said.text);
      said.text += fmt::format("[[{}]]({})", i + 1, ask.sources[i].url);
      said.citations.push_back({i, mark, count_code_points(said.text)});
    } else {
      said.citations.push_back({i, begin, begin});
    }
  }
}

void cut_at_stop(const Ask& ask, Said& said) {
  std::size_t first = std::string::npos;
  for (const std::string& stop : ask.stop) {
    if (!stop.empty()) first = std::min(first, said.text.find(stop));
  }
  if (first != std::string::npos) said.text.resize(first);
}

void cut_at_limit(const Ask& ask, Said& said) {
  auto left = ask.max_tokens;
  if (ask.max_counts_reasoning) {
    const auto thoughts = tokenize(said.reasoning);
    if (static_cast<std::int64_t>(thoughts.size()) >= left) {
      // No tokens are left for text.
      std::string kept;
      for (std::int64_t i = 0; i < left; ++i) kept += thoughts[static_cast<std::size_t>(i)].text;
      said = Said{.reasoning = std::move(kept), .finish = Finish::Length};
      return;
    }
    left -= static_cast<std::int64_t>(thoughts.size());
  }
  const auto tokens = tokenize(said.text);
  if (static_cast<std::int64_t>(tokens.size()) <= left) return;
  std::size_t end = 0;
  for (std::int64_t i = 0; i < left; ++i) end += tokens[static_cast<std::size_t>(i)].text.size();
  said.text.resize(end);
  said.finish = Finish::Length;
}

// Citations whose mark was cut off lose their position.
void drop_lost_citations(Said& said) {
  const std::size_t length = count_code_points(said.text);
  for (Citation& citation : said.citations) {
    if (citation.end > length) citation.begin = citation.end = length;
  }
}

void count_said(Said& said) {
  said.reasoning_tokens = tokens_in(said.reasoning);
  said.text_tokens = tokens_in(said.text) + tokens_in(said.refusal);
  for (const FunctionCall& call : said.calls) {
    said.text_tokens += tokens_in(call.name) + tokens_in(call.arguments);
  }
}

Result<Said> speak(const Ask& ask, const Steering& steering, std::size_t choice,
                   std::size_t choices) {
  Said said;
  const bool further = choice > 0;
  switch (steering.kind) {
    case Steer::Exactly:
      said.text = steering.text + (further ? fmt::format(" (choice {})", choice + 1) : "");
      break;
    case Steer::Words:
      said.text = further ? fmt::format("Choice {}: ", choice + 1) : "";
      said.text += write_words(std::min(steering.words, k_most_words));
      break;
    case Steer::Refuse:
      said.refusal = steering.text;
      break;
    case Steer::Fail:
      said.failure = steering.text;
      break;
    case Steer::None: {
      SVC_TRY(text, tell_in_form(ask, choice, choices));
      said.text = std::move(text);
      break;
    }
  }
  const bool shown = ask.inline_citations && ask.form == Form::Text && steering.kind == Steer::None;
  if (said.refusal.empty() && said.failure.empty()) cite(ask, shown, said);
  return said;
}

// Returns the rule's answer, within the limits of the request.
Said say_given(const Ask& ask) {
  Said said;
  said.text = ask.given->text.value_or("");
  said.calls = ask.given->calls;
  if (!said.calls.empty()) said.finish = Finish::ToolCalls;
  cut_at_stop(ask, said);
  cut_at_limit(ask, said);
  count_said(said);
  return said;
}

Answer given_response(const GivenAnswer& given) {
  FaultRule rule;
  rule.action = FaultAction::Status;
  rule.status = given.status;
  rule.body = given.body;
  rule.headers = given.headers;
  return fault_answer(rule);
}

Answer given_stream(const Call& call, GivenAnswer given) {
  Answer answer;
  answer.content_type = "text/event-stream";
  answer.headers = std::move(given.headers);
  const auto delay = piece_delay(call, std::chrono::milliseconds(0));
  // A function must be copyable, and copies must share the state.
  auto next = std::make_shared<std::size_t>(0);
  answer.next = [events = std::move(given.events), next, delay]() -> std::optional<Piece> {
    if (*next == events.size()) return std::nullopt;
    return Piece{events[(*next)++], delay};
  };
  return answer;
}

}  // namespace

PromptTokens count_prompt(const Ask& ask) {
  PromptTokens tokens{.text = ask.extra_prompt_tokens};
  for (const Turn& turn : ask.turns) {
    tokens.text += tokens_in(turn.text) + k_tokens_per_turn;
    for (const Attachment& one : turn.attachments) tokens.text += tokens_in(one.text);
    tokens.images += static_cast<std::int64_t>(turn.images) * k_tokens_per_image;
  }
  return tokens;
}

Result<Said> say(const Ask& ask, std::size_t choice, std::size_t choices) {
  if (ask.given) return say_given(ask);
  const Steering steering = answers_tools(ask) ? Steering{} : read_steering(last_user_text(ask));
  const auto functions = functions_to_call(ask, steering);
  Said said;
  if (functions.empty()) {
    SVC_TRY(spoken, speak(ask, steering, choice, choices));
    said = std::move(spoken);
  } else {
    said.finish = Finish::ToolCalls;
    for (const Function* function : functions) {
      SVC_TRY(call, call_function(*function, choice));
      said.calls.push_back(std::move(call));
    }
  }
  said.reasoning = think(ask);
  cut_at_stop(ask, said);
  cut_at_limit(ask, said);
  drop_lost_citations(said);
  count_said(said);
  return said;
}

bool answers_tools(const Ask& ask) {
  return !ask.turns.empty() && ask.turns.back().role == "tool";
}

const std::string& last_user_text(const Ask& ask) {
  static const std::string k_nothing;
  const Turn* turn = last_of(ask, "user");
  return turn == nullptr ? k_nothing : turn->text;
}

bool uses_key(const Call& call, sv key) {
  const std::string& id = call.batch_key_id.empty() ? call.key.id : call.batch_key_id;
  if (key == id || key == call.key.name) return true;
  const auto found = call.state->find_key(key);
  return found && *found && (*found)->id == id;
}

std::optional<Answer> take_given(const Call& call, sv operation, const Json& body, Ask& ask) {
  const std::string model = text_of(body, "model");
  Question question{.operation = operation,
                    .models = {model, ask.model->name},
                    .prompt = last_user_text(ask),
                    .headers = &call.headers,
                    .is_key = [&](sv key) { return uses_key(call, key); },
                    .streamed = flag_of(body, "stream", false),
                    .after_tools = answers_tools(ask)};
  auto given = call.state->answers().take(question);
  if (!given) return std::nullopt;
  if (given->status != 0) return given_response(*given);
  if (!given->events.empty()) return given_stream(call, std::move(*given));
  ask.given = std::move(*given);
  return std::nullopt;
}

void add_given_headers(const Ask& ask, Answer& answer) {
  if (!ask.given) return;
  for (const Header& header : ask.given->headers) answer.headers.push_back(header);
}

std::string given_sentence(const GivenAnswer& given) {
  const Json body = parse_json(given.body);
  if (body.is_object()) {
    if (std::string sentence = text_of(body, "error"); !sentence.empty()) return sentence;
    if (const Json* error = member(body, "error")) {
      if (std::string sentence = text_of(*error, "message"); !sentence.empty()) return sentence;
    }
  }
  return given.body.empty() ? fmt::format("Status {} (given answer).", given.status) : given.body;
}

}  // namespace svc::emulator::text
