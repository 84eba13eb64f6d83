#include "emulator/model/answer.h"

#include <nlohmann/json.hpp>

#include "base/url.h"

namespace svc::emulator {
namespace {

constexpr std::uint32_t k_vocabulary = 131'072;
constexpr std::size_t k_whole_word = 8;  // code points; longer words are split
constexpr std::size_t k_word_piece = 5;
constexpr std::size_t k_digit_group = 3;
constexpr std::size_t k_blank_run = 16;

enum class Class : std::uint8_t { Letter, Digit, Blank, LineEnd, Other };

Class class_of(char32_t c) {
  if ((c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || c == U'_') return Class::Letter;
  if (c >= U'0' && c <= U'9') return Class::Digit;
  if (c == U' ' || c == U'\t') return Class::Blank;
  if (c == U'\n' || c == U'\r') return Class::LineEnd;
  // Letters of other alphabets up to the general punctuation block; scripts without blanks between
  // words (from U+2E80 on) count one token per character.
  if (c >= 0xC0 && c < 0x2000) return Class::Letter;
  return Class::Other;
}

// Returns the end of at most `limit` code points of class `token_class` from `position` on.
std::size_t run_end(sv text, std::size_t position, Class token_class, std::size_t limit) {
  for (std::size_t count = 0; count < limit && position < text.size(); ++count) {
    std::size_t next = position;
    if (class_of(decode_utf8(text, next)) != token_class) break;
    position = next;
  }
  return position;
}

std::size_t word_end(sv text, std::size_t begin) {
  const std::size_t whole = run_end(text, begin, Class::Letter, k_whole_word);
  const bool continues = run_end(text, whole, Class::Letter, 1) != whole;
  return continues ? run_end(text, begin, Class::Letter, k_word_piece) : whole;
}

// Returns the end of the token that starts at `begin`, which is before the end of `text`.
std::size_t token_end(sv text, std::size_t begin) {
  std::size_t next = begin;
  const char32_t first = decode_utf8(text, next);
  switch (class_of(first)) {
    case Class::Letter:
      return word_end(text, begin);
    case Class::Digit:
      return run_end(text, begin, Class::Digit, k_digit_group);
    case Class::LineEnd:
      return run_end(text, begin, Class::LineEnd, 2);
    case Class::Blank: {
      const std::size_t after = word_end(text, next);
      if (first == U' ' && after != next) return after;
      return run_end(text, begin, Class::Blank, k_blank_run);
    }
    case Class::Other:
      break;
  }
  return next;
}

std::uint32_t hash_id(sv bytes) {
  std::uint32_t hash = 2'166'136'261U;  // FNV-1a
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 16'777'619U;
  return (hash ^ (hash >> 17U)) % k_vocabulary;
}

}  // namespace

std::vector<Token> tokenize(sv text) {
  std::vector<Token> tokens;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = token_end(text, begin);
    const sv piece = text.substr(begin, end - begin);
    tokens.push_back({hash_id(piece), piece});
    begin = end;
  }
  return tokens;
}

std::size_t count_tokens(sv text) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < text.size(); ++count) begin = token_end(text, begin);
  return count;
}

}  // namespace svc::emulator

namespace svc::emulator::text {
namespace {

constexpr std::int64_t k_tokens_per_turn = 4;  // overhead of a message
constexpr std::int64_t k_tokens_per_image = 256;
// A word is at least one token, so more would be cut off anyway.
constexpr std::int64_t k_max_words = 2 * k_default_max_tokens;

std::int64_t tokens_in(sv text) {
  return static_cast<std::int64_t>(count_tokens(text));
}

Result<FunctionCall> call_function(const Function& function, std::size_t choice) {
  const auto arguments = function.parameters == nullptr
                             ? std::optional(Json::object())
                             : sample_schema(*function.parameters, choice);
  if (!arguments) {
    return usage_error(fmt::format(
        "Invalid parameters of the function {}: no arguments satisfy this schema.", function.name));
  }
  // Arguments are an object, whatever else the schema allows.
  return FunctionCall{function.name, dump(arguments->is_object() ? *arguments : Json::object())};
}

// Returns the functions to call: the chosen one; those named; or, if required, the first.
std::vector<const Function*> functions_to_call(const ModelRequest& model_request,
                                               const Directive& directive) {
  std::vector<const Function*> chosen;
  const bool directed =
      model_request.tool_choice == ToolChoice::Auto && directive.kind != DirectiveKind::None;
  // After a result comes the answer, or a client that always requires a call would never finish.
  if (model_request.tool_choice == ToolChoice::None || answers_tools(model_request) || directed)
    return chosen;
  for (const Function& function : model_request.functions) {
    const bool is_chosen =
        model_request.tool_choice == ToolChoice::Named
            ? function.name == model_request.chosen
            : find_word(last_user_text(model_request), function.name).has_value();
    if (is_chosen) chosen.push_back(&function);
  }
  if (chosen.empty() && model_request.tool_choice == ToolChoice::Required &&
      !model_request.functions.empty()) {
    chosen.push_back(&model_request.functions.front());
  }
  if (chosen.size() > 1 &&
      (!model_request.parallel || model_request.tool_choice == ToolChoice::Named))
    chosen.resize(1);
  return chosen;
}

constexpr std::size_t k_max_echo = 1'000;  // bytes
constexpr std::size_t k_max_aside = 120;

constexpr std::array<sv, 4> k_endings = {
    "Ask it to `say exactly: …` and it will.", "`Write 50 words` makes it talk longer.",
    "The same question gets the same answer.", "No model was asked for this."};

std::uint32_t hash(sv text, std::uint64_t salt) {
  std::uint32_t value = 2'166'136'261U;  // FNV-1a
  for (const char byte : text) value = (value ^ static_cast<unsigned char>(byte)) * 16'777'619U;
  for (; salt != 0; salt >>= 8U) value = (value ^ static_cast<std::uint8_t>(salt)) * 16'777'619U;
  return value ^ (value >> 15U);
}

const Turn* last_of(const ModelRequest& model_request, sv role, std::size_t skip = 0) {
  for (auto turn = model_request.turns.rbegin(); turn != model_request.turns.rend(); ++turn) {
    if (turn->role != role) continue;
    if (skip == 0) return &*turn;
    --skip;
  }
  return nullptr;
}

// Returns the tool results at the end of the conversation, in order.
std::string append_tool_results(const ModelRequest& model_request) {
  auto first = model_request.turns.end();
  while (first != model_request.turns.begin() && (first - 1)->role == "tool") --first;
  std::string text;
  for (; first != model_request.turns.end(); ++first) {
    const std::string who = first->name.empty() ? "The tool" : "The tool " + first->name;
    text += fmt::format("{}{} answered: “{}”.", text.empty() ? "" : " ", who,
                        excerpt(first->text, k_max_echo));
  }
  return text;
}

// Returns proof that the file was read: its length and its first line.
std::string describe_attachment(const Attachment& file) {
  if (!file.unreadable.empty()) {
    return fmt::format(" The file {} has {}. {}", file.name, counted(file.bytes, "byte"),
                       file.unreadable);
  }
  const sv text = file.text;
  return fmt::format(" The file {} has {} and begins “{}”.", file.name,
                     counted(count_code_points(text), "character"),
                     excerpt(text.substr(0, text.find('\n')), k_max_aside));
}

std::string describe_conversation(const ModelRequest& model_request) {
  std::string text;
  if (const Turn* earlier = last_of(model_request, "user", 1)) {
    text += fmt::format(" Before that: “{}”.", excerpt(earlier->text, k_max_aside));
  }
  const Turn* system = last_of(model_request, "system");
  if (system == nullptr) system = last_of(model_request, "developer");
  if (system != nullptr) {
    text += fmt::format(" The system prompt is “{}”.", excerpt(system->text, k_max_aside));
  }
  const Turn* user = last_of(model_request, "user");
  if (user != nullptr && user->images + user->files > 0) {
    text += " It came with ";
    if (user->images > 0) text += counted(user->images, "image");
    if (user->images > 0 && user->files > 0) text += " and ";
    if (user->files > 0) text += counted(user->files, "file");
    text += ".";
    for (const Attachment& one : user->attachments) text += describe_attachment(one);
  }
  return text +
         fmt::format(" The conversation has {}.", counted(model_request.turns.size(), "message"));
}

// Returns a text that identifies the emulator and repeats its input.
std::string generate_text(const ModelRequest& model_request, std::size_t choice,
                          std::size_t choices) {
  std::string text;
  if (choices > 1) text += fmt::format("Choice {} of {}: ", choice + 1, choices);
  text += fmt::format("This is the svc emulator (model {}).", model_request.model->name);
  if (answers_tools(model_request)) {
    text += " " + append_tool_results(model_request);
  } else {
    text += fmt::format(" You said: “{}”.", excerpt(last_user_text(model_request), k_max_echo));
  }
  text += describe_conversation(model_request);
  const auto salt = static_cast<std::uint64_t>(model_request.seed) + choice;
  return text + " " +
         std::string(k_endings[hash(last_user_text(model_request), salt) % k_endings.size()]);
}

// The same as an object.
Json generate_object(const ModelRequest& model_request, std::size_t choice, std::size_t choices) {
  Json object = {{"emulator", true}, {"model", model_request.model->name}};
  if (choices > 1) object["choice"] = choice + 1;
  object["you_said"] = excerpt(last_user_text(model_request), k_max_echo);
  if (answers_tools(model_request)) object["tools_said"] = append_tool_results(model_request);
  object["messages"] = model_request.turns.size();
  return object;
}

// Returns the model's reasoning: empty unless it is a reasoning model, longer with more effort.
std::string generate_reasoning(const ModelRequest& model_request) {
  if (!model_request.model->reasoning || model_request.effort == "none") return {};
  std::string text = fmt::format("The last message has {}.",
                                 counted(tokenize(last_user_text(model_request)).size(), "token"));
  if (model_request.effort == "low") return text;
  text += fmt::format(" The conversation has {}, and {} may be called.",
                      counted(model_request.turns.size(), "message"),
                      counted(model_request.functions.size(), "function"));
  if (model_request.effort == "medium") return text;
  return text +
         " An emulator cannot know more than that, so it will repeat what it was told and "
         "say plainly that it is an emulator.";
}

Result<std::string> generate_formatted(const ModelRequest& model_request, std::size_t choice,
                                       std::size_t choices) {
  switch (model_request.response_format) {
    case ResponseFormat::JsonObject:
      return dump(generate_object(model_request, choice, choices));
    case ResponseFormat::JsonSchema: {
      const auto value = sample_schema(*model_request.schema, choice);
      if (!value) {
        return usage_error(
            "Invalid response format: this emulator finds no value that satisfies the schema.");
      }
      return dump(*value);
    }
    case ResponseFormat::Text:
      break;
  }
  return generate_text(model_request, choice, choices);
}

// Inserts citation marks like the service: [[1]](URL).
void cite(const ModelRequest& model_request, bool shown, ModelOutput& model_output) {
  for (std::size_t i = 0; i < model_request.sources.size(); ++i) {
    const std::size_t begin = count_code_points(model_output.text);
    if (shown) {
      if (i == 0) model_output.text += ' ';
      const std::size_t mark = count_code_points(model_output.text);
      model_output.text += fmt::format("[[{}]]({})", i + 1, model_request.sources[i].url);
      model_output.citations.push_back({i, mark, count_code_points(model_output.text)});
    } else {
      model_output.citations.push_back({i, begin, begin});
    }
  }
}

void truncate_at_stop(const ModelRequest& model_request, ModelOutput& model_output) {
  std::size_t first = std::string::npos;
  for (const std::string& stop : model_request.stop) {
    const std::size_t at = stop.empty() ? std::string::npos : model_output.text.find(stop);
    if (at >= first) continue;
    first = at;
    model_output.stop = stop;
  }
  if (model_output.stop) model_output.text.resize(first);
}

void truncate_to_limit(const ModelRequest& model_request, ModelOutput& model_output) {
  auto left = model_request.max_tokens;
  if (model_request.max_counts_reasoning) {
    const auto thoughts = tokenize(model_output.reasoning);
    if (static_cast<std::int64_t>(thoughts.size()) >= left) {
      // No tokens are left for text.
      std::string truncated;
      for (std::int64_t i = 0; i < left; ++i)
        truncated += thoughts[static_cast<std::size_t>(i)].text;
      model_output = ModelOutput{.reasoning = std::move(truncated), .finish = FinishReason::Length};
      return;
    }
    left -= static_cast<std::int64_t>(thoughts.size());
  }
  const auto tokens = tokenize(model_output.text);
  if (static_cast<std::int64_t>(tokens.size()) <= left) return;
  std::size_t end = 0;
  for (std::int64_t i = 0; i < left; ++i) end += tokens[static_cast<std::size_t>(i)].text.size();
  model_output.text.resize(end);
  model_output.finish = FinishReason::Length;
  model_output.stop.reset();
}

// Citations whose mark was cut off lose their position.
void drop_lost_citations(ModelOutput& model_output) {
  const std::size_t length = count_code_points(model_output.text);
  for (Citation& citation : model_output.citations) {
    if (citation.end > length) citation.begin = citation.end = length;
  }
}

void count_output_tokens(ModelOutput& model_output) {
  model_output.reasoning_tokens = tokens_in(model_output.reasoning);
  model_output.text_tokens = tokens_in(model_output.text) + tokens_in(model_output.refusal);
  for (const FunctionCall& call : model_output.calls) {
    model_output.text_tokens += tokens_in(call.name) + tokens_in(call.arguments);
  }
}

Result<ModelOutput> speak(const ModelRequest& model_request, const Directive& directive,
                          std::size_t choice, std::size_t choices) {
  ModelOutput model_output;
  const bool further = choice > 0;
  switch (directive.kind) {
    case DirectiveKind::Exactly:
      model_output.text = directive.text + (further ? fmt::format(" (choice {})", choice + 1) : "");
      break;
    case DirectiveKind::Words:
      model_output.text = further ? fmt::format("Choice {}: ", choice + 1) : "";
      model_output.text += generate_words(std::min(directive.words, k_max_words));
      break;
    case DirectiveKind::Refuse:
      model_output.refusal = directive.text;
      break;
    case DirectiveKind::Fail:
      model_output.failure = directive.failure();
      break;
    case DirectiveKind::None: {
      SVC_TRY(text, generate_formatted(model_request, choice, choices));
      model_output.text = std::move(text);
      break;
    }
  }
  const bool shown = model_request.inline_citations &&
                     model_request.response_format == ResponseFormat::Text &&
                     directive.kind == DirectiveKind::None;
  if (model_output.refusal.empty() && model_output.failure.empty())
    cite(model_request, shown, model_output);
  return model_output;
}

// Returns the rule's answer, within the limits of the request.
ModelOutput generate_canned(const ModelRequest& model_request) {
  ModelOutput model_output;
  const CannedAnswer& canned = *model_request.canned;
  model_output.text = canned.text.value_or("");
  model_output.calls = canned.calls;
  model_output.reasoning = canned.reasoning;
  model_output.refusal = canned.refusal;
  if (!model_output.calls.empty()) model_output.finish = FinishReason::ToolCalls;
  if (canned.finish_reason == "length") model_output.finish = FinishReason::Length;
  cite(model_request, false, model_output);
  truncate_at_stop(model_request, model_output);
  truncate_to_limit(model_request, model_output);
  if (model_output.text == canned.text) {
    std::size_t end = 0;
    for (const AnswerPiece& piece : canned.pieces) {
      model_output.cuts.push_back({end += piece.text.size(), piece.delay});
    }
  }
  count_output_tokens(model_output);
  return model_output;
}

constexpr std::array<sv, 24> k_words = {"the",    "emulator", "writes", "plain", "words", "one",
                                        "after",  "another",  "so",     "that",  "a",     "long",
                                        "answer", "can",      "be",     "tried", "out",   "without",
                                        "any",    "network",  "or",     "key",   "at",    "all"};
constexpr std::size_t k_sentence = 12;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Returns N of "write N words".
std::optional<std::int64_t> wanted_words(sv message) {
  constexpr sv k_verb = "write ";
  if (!equals_ignore_case(message.substr(0, k_verb.size()), k_verb)) return std::nullopt;
  const sv rest = message.substr(k_verb.size());
  const std::size_t space = rest.find(' ');
  if (space == sv::npos) return std::nullopt;
  const auto count = parse_integer(rest.substr(0, space));
  if (!count || *count <= 0) return std::nullopt;
  constexpr sv k_noun = "word";
  if (!equals_ignore_case(rest.substr(space + 1, k_noun.size()), k_noun)) return std::nullopt;
  return count;
}

constexpr std::int64_t k_default_results = 15;
constexpr std::size_t k_pages_per_source = 2;
constexpr std::size_t k_max_shown_length = 80;

// Returns the first string of an array, or the fallback.
std::string first_of(const Json& object, sv name, sv fallback) {
  const Json* list = member(object, name);
  if (list == nullptr || list->empty()) return std::string(fallback);
  return list->front().get<std::string>();
}

std::optional<std::string> check_source(const Json& source, std::size_t index) {
  const std::string path = fmt::format("search_parameters.sources[{}]", index);
  if (member(source, "allowed_websites") && member(source, "excluded_websites")) {
    return path + " cannot have both allowed_websites and excluded_websites.";
  }
  if (member(source, "included_x_handles") && member(source, "excluded_x_handles")) {
    return path + " cannot have both included_x_handles and excluded_x_handles.";
  }
  return std::nullopt;
}

std::vector<Source> pages_of(const Json& source, sv question) {
  const std::string type = get_string(source, "type");
  if (type == "rss") {
    const std::string link = first_of(source, "links", "https://feed.example/rss");
    return {{link, "Emulated feed"}};
  }
  if (type == "x") {
    const std::string handle =
        first_of(source, "included_x_handles", first_of(source, "x_handles", "emulator"));
    return find_pages("x.example/" + handle, question, 1);
  }
  if (type == "news") return find_pages("news.example", question, k_pages_per_source);
  return find_pages(first_of(source, "allowed_websites", "web.example"), question,
                    k_pages_per_source);
}

}  // namespace

PromptTokens count_prompt(const ModelRequest& model_request) {
  PromptTokens tokens{.text = model_request.extra_prompt_tokens};
  for (const Turn& turn : model_request.turns) {
    tokens.text += tokens_in(turn.text) + k_tokens_per_turn;
    for (const Attachment& one : turn.attachments) tokens.text += tokens_in(one.text);
    tokens.images += static_cast<std::int64_t>(turn.images) * k_tokens_per_image;
  }
  return tokens;
}

Result<ModelOutput> generate(const ModelRequest& model_request, std::size_t choice,
                             std::size_t choices) {
  if (is_canned(model_request)) return generate_canned(model_request);
  const Directive directive =
      answers_tools(model_request) ? Directive{} : parse_directive(last_user_text(model_request));
  const auto functions = functions_to_call(model_request, directive);
  ModelOutput model_output;
  if (functions.empty()) {
    SVC_TRY(spoken, speak(model_request, directive, choice, choices));
    model_output = std::move(spoken);
  } else {
    model_output.finish = FinishReason::ToolCalls;
    for (const Function* function : functions) {
      SVC_TRY(call, call_function(*function, choice));
      model_output.calls.push_back(std::move(call));
    }
  }
  model_output.reasoning = generate_reasoning(model_request);
  truncate_at_stop(model_request, model_output);
  truncate_to_limit(model_request, model_output);
  drop_lost_citations(model_output);
  count_output_tokens(model_output);
  return model_output;
}

bool answers_tools(const ModelRequest& model_request) {
  return !model_request.turns.empty() && model_request.turns.back().role == "tool";
}

const std::string& last_user_text(const ModelRequest& model_request) {
  static const std::string k_nothing;
  const Turn* turn = last_of(model_request, "user");
  return turn == nullptr ? k_nothing : turn->text;
}

Directive parse_directive(sv given) {
  struct Mark {
    sv text;
    DirectiveKind kind;
  };
  constexpr std::array k_marks = {Mark{"say exactly:", DirectiveKind::Exactly},
                                  Mark{"refuse:", DirectiveKind::Refuse},
                                  Mark{"fail with:", DirectiveKind::Fail}};
  const sv message = trim(given);
  for (const Mark& mark : k_marks) {
    const std::size_t size = mark.text.size();
    if (!equals_ignore_case(message.substr(0, size), mark.text)) continue;
    return {mark.kind, std::string(trim(message.substr(size)))};
  }
  if (const auto count = wanted_words(message)) return {DirectiveKind::Words, {}, *count};
  return {};
}

std::optional<std::size_t> find_word(sv text, sv word) {
  if (word.empty()) return std::nullopt;
  for (std::size_t at = text.find(word); at != sv::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const bool ends = end == text.size() || !is_word_character(text[end]);
    if (begins && ends) return at;
  }
  return std::nullopt;
}

std::string generate_words(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i) % k_sentence;
    std::string word(k_words[static_cast<std::size_t>(i) % k_words.size()]);
    if (index == 0) word.front() = static_cast<char>(word.front() - 'a' + 'A');
    if (index + 1 == k_sentence || i + 1 == count) word += '.';
    if (i > 0) text += ' ';
    text += word;
  }
  return text;
}

std::string counted(std::size_t count, sv what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

bool is_date(sv text) {
  return text.size() == 10 && parse_rfc3339(std::string(text) + "T00:00:00Z").has_value();
}

std::optional<std::string> check_search(const Json& parameters) {
  for (const sv name : {sv("from_date"), sv("to_date")}) {
    if (member(parameters, name) && !is_date(get_string(parameters, name))) {
      return fmt::format("search_parameters.{} must be a date of the form YYYY-MM-DD.", name);
    }
  }
  const std::string from = get_string(parameters, "from_date");
  const std::string to = get_string(parameters, "to_date");
  if (!from.empty() && !to.empty() && from > to) {
    return "search_parameters.from_date must not be after to_date.";
  }
  if (const Json* sources = member(parameters, "sources")) {
    for (std::size_t i = 0; i < sources->size(); ++i) {
      if (auto error = check_source((*sources)[i], i)) return error;
    }
  }
  return std::nullopt;
}

std::vector<Source> find_pages(sv site, sv question, std::size_t count) {
  std::vector<Source> pages;
  const std::string query = excerpt(question, k_max_shown_length);
  for (std::size_t i = 1; i <= count; ++i) {
    pages.push_back({fmt::format("https://{}/{}?q={}", site, i, percent_encode(query)),
                     fmt::format("Emulated page {} of {}", i, site)});
  }
  return pages;
}

Search run_search(const Json& parameters, sv question) {
  Search search{.citations = get_bool(parameters, "return_citations", true)};
  const std::string mode = get_string(parameters, "mode", "on");
  if (mode == "off") return search;
  if (mode == "auto" && question.find('?') == sv::npos) return search;
  const Json* sources = member(parameters, "sources");
  const Json both = Json::array({Json{{"type", "web"}}, Json{{"type", "x"}}});
  for (const Json& source : sources != nullptr ? *sources : both) {
    for (Source& page : pages_of(source, question)) search.sources.push_back(std::move(page));
  }
  const auto most = static_cast<std::size_t>(
      get_integer(parameters, "max_search_results").value_or(k_default_results));
  if (search.sources.size() > most) search.sources.resize(most);
  return search;
}

}  // namespace svc::emulator::text
