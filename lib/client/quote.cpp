#include "client/quote.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "json/slices.h"

namespace svc {
namespace {

using nlohmann::json;

enum class Billing : std::uint8_t { Text, Images, Videos, Speech, Sound };

/// How an operation's requests are charged.
struct BillingRow {
  sv path;
  Billing billing;
  sv limit{};                ///< the member that limits an answer's tokens
  bool whole_limit = false;  ///< also those of reasoning and function calls
  std::int64_t seconds = 0;  ///< of a video without a duration; 0: as long as its input
};
constexpr std::array k_billing = {
    BillingRow{"/v1/chat/completions", Billing::Text, "max_completion_tokens"},
    BillingRow{"/v1/responses", Billing::Text, "max_output_tokens", true},
    BillingRow{"/v1/completions", Billing::Text, "max_tokens", true},
    BillingRow{"/v1/messages", Billing::Text, "max_tokens"},
    BillingRow{"/v1/complete", Billing::Text, "max_tokens_to_sample", true},
    BillingRow{"/v1/images/generations", Billing::Images},
    BillingRow{"/v1/images/edits", Billing::Images},
    BillingRow{"/v1/videos/generations", Billing::Videos, "", false, 8},
    BillingRow{"/v1/videos/extensions", Billing::Videos, "", false, 6},
    BillingRow{"/v1/videos/edits", Billing::Videos},
    BillingRow{"/v1/tts", Billing::Speech},
    BillingRow{"/v1/stt", Billing::Sound},
};

const BillingRow* billing_of(const Operation& operation) {
  const auto found = std::ranges::find(k_billing, operation.path, &BillingRow::path);
  return found == k_billing.end() || operation.method != "POST" ? nullptr : &*found;
}

constexpr std::int64_t k_default_output = 128'000;  ///< tokens of an answer without a limit
constexpr std::int64_t k_message_tokens = 4;        ///< that the service adds to each message
constexpr TokenCount k_image_tokens{256, 256, 2048};

std::int64_t parts(std::int64_t length, std::int64_t size) {
  return (length + size - 1) / size;
}

enum class Script : std::uint8_t { Latin, Other, Ideograph, Digit, Blank, Sign };

Script script_of(char32_t c) {
  if (c >= '0' && c <= '9') return Script::Digit;
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return Script::Blank;
  if (c < 0x80) return (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? Script::Latin : Script::Sign;
  if (c >= 0xC0 && c < 0x250) return Script::Latin;
  if (c >= 0x250 && c < 0x2000) return Script::Other;
  return c >= 0x2E80 ? Script::Ideograph : Script::Sign;
}

/// The tokens of a word in Latin letters, or of a number.
std::int64_t count_word(Script script, std::int64_t length) {
  if (script == Script::Digit) return parts(length, 3);
  return length <= 8 ? 1 : parts(length, 5);
}

/// The tokens of a run of `length` characters of one script that are no word.
TokenCount count_run(Script script, std::int64_t length, sv text) {
  switch (script) {
    case Script::Other:
      return {parts(length, 8), parts(length, 6), length};
    case Script::Ideograph:
      return {parts(length, 2), length, 2 * length};
    case Script::Sign:
      return {parts(length, 2), length, 2 * length};
    default:
      break;
  }
  if (text == " ") return {};
  const auto lines = std::ranges::count(text, '\n');
  return {lines > 0 || length > 2 ? 1 : 0, parts(lines, 2) + parts(length - lines, 16),
          lines + parts(length, 4)};
}

/// What of a request's body is counted, and what cannot be.
struct Counted {
  TokenCount tokens{};
  std::int64_t fixed = 0;  ///< tokens of messages, apart from their texts
  std::int64_t images = 0;
  std::vector<std::string> texts{};
  std::string unknown{};

  void take(const std::string& text) {
    if (!text.empty()) texts.push_back(text);
  }
  void doubt(sv why) {
    if (unknown.empty()) unknown = why;
  }
};

bool is_image(const json& part) {
  const std::string type = text_member(part, "type");
  return type == "image_url" || type == "input_image" || type == "image" ||
         (type.empty() && part.contains("image_url"));
}

void count_content(const json& value, Counted& counted);

void count_part(const json& part, Counted& counted) {
  if (is_image(part)) {
    ++counted.images;
    return;
  }
  for (const auto& [name, value] : part.items()) {
    if (name == "file_id" || name == "file_url" || name == "file_data") {
      counted.doubt("the size of attached files is unknown");
    }
    const bool worded = name == "text" || name == "content" || name == "arguments" ||
                        name == "output" || name == "refusal" || name == "reasoning_content";
    if (worded || name == "tool_calls" || name == "function" || name == "file") {
      count_content(value, counted);
    }
  }
  if (part.contains("role") || part.contains("call_id")) counted.fixed += k_message_tokens;
}

void count_content(const json& value, Counted& counted) {
  if (value.is_string()) counted.take(value.get_ref<const std::string&>());
  if (value.is_object()) count_part(value, counted);
  if (!value.is_array()) return;
  for (const json& one : value) count_content(one, counted);
}

void count_tools(const json& tools, Counted& counted) {
  counted.take(tools.dump(-1, ' ', false, json::error_handler_t::replace));
  if (!tools.is_array()) return;
  for (const json& tool : tools) {
    const std::string type = text_member(tool, "type");
    if (!type.empty() && type != "function" && type != "custom") {
      counted.doubt(fmt::format("what the tool {} uses is unknown", shown(type)));
    }
  }
}

Counted count_body(const json& body) {
  Counted counted;
  for (const auto& [name, value] : body.items()) {
    const bool plain =
        name == "prompt" || name == "input" || name == "instructions" || name == "system";
    if (plain && value.is_string()) counted.fixed += k_message_tokens;
    if (plain || name == "messages") count_content(value, counted);
    if (name == "tools") count_tools(value, counted);
    if (name == "search_parameters" && text_member(value, "mode") != "off") {
      counted.doubt("the number of sources that a search uses is unknown");
    }
    if (name == "previous_response_id" && value.is_string()) {
      counted.doubt("the length of the stored conversation is unknown");
    }
  }
  return counted;
}

/// Larger numbers would not fit the sums.
std::int64_t number_in(const json& body, const char* name, std::int64_t otherwise) {
  constexpr std::int64_t k_most = 1'000'000'000;
  const auto found = body.find(name);
  if (found == body.end()) return otherwise;
  if (found->is_string()) {
    const auto number = parse_integer(found->get_ref<const std::string&>());
    return number ? std::clamp<std::int64_t>(*number, -1, k_most) : otherwise;
  }
  return found->is_number()
             ? static_cast<std::int64_t>(std::clamp(found->get<double>(), 0.0, double{k_most}))
             : otherwise;
}

/// How many answers a request asks for.
std::int64_t choices_in(const json& body) {
  constexpr std::int64_t k_most = 1000;
  return std::clamp<std::int64_t>(number_in(body, "n", 1), 1, k_most);
}

std::string no_price(const std::string& model) {
  return fmt::format("{} has no published price", model.empty() ? "the model" : model);
}

/// The price of input tokens: in a long request, all of them cost more.
std::optional<std::int64_t> input_cost(const ModelFacts& facts, std::int64_t tokens,
                                       std::int64_t image_tokens) {
  const bool is_long = facts.is_long(tokens + image_tokens);
  const auto usual = facts.price(Price::Input);
  auto price = is_long && facts.price(Price::LongInput) ? facts.price(Price::LongInput) : usual;
  if (!price) return std::nullopt;
  const auto picture = std::max(facts.price(Price::InputPicture).value_or(*price), *price);
  return tokens * *price + image_tokens * picture;
}

void quote_text(const BillingRow& row, const json& body, const ModelFacts& facts,
                std::optional<std::int64_t> exact, Quote& quote) {
  Counted counted = count_body(body);
  for (const std::string& text : counted.texts) counted.tokens.add(count_tokens_in(text));
  if (exact) counted.tokens = {*exact, *exact, *exact};
  const TokenCount pictures{k_image_tokens.low * counted.images,
                            k_image_tokens.about * counted.images,
                            k_image_tokens.high * counted.images};
  counted.tokens.add({counted.fixed, counted.fixed, counted.fixed});
  quote.input = counted.tokens;
  quote.input.add(pictures);
  quote.texts = std::move(counted.texts);
  quote.unknown = std::move(counted.unknown);
  quote.choices = choices_in(body);
  const auto limit =
      number_in(body, std::string(row.limit).c_str(), number_in(body, "max_tokens", -1));
  quote.limited = limit >= 0;
  quote.output = (quote.limited ? limit : k_default_output) * quote.choices;
  if (quote.unknown.empty() && !row.whole_limit && facts.reasons.value_or(true)) {
    quote.unknown = fmt::format("no limit holds for the reasoning of {}", quote.model);
  }
  if (quote.unknown.empty() && !row.whole_limit && body.contains("tools")) {
    quote.unknown = "no limit holds for function calls";
  }
  quote.least = input_cost(facts, counted.tokens.low, pictures.low);
  quote.about = input_cost(facts, counted.tokens.about, pictures.about);
  quote.fixed = input_cost(facts, counted.tokens.high, pictures.high);
  const bool is_long = facts.is_long(quote.input.high);
  const auto usual = facts.price(Price::Output);
  const auto output =
      is_long && facts.price(Price::LongOutput) ? facts.price(Price::LongOutput) : usual;
  quote.output_price = output.value_or(0);
  if (!quote.fixed || !output) quote.unknown = no_price(quote.model);
  if (quote.unknown.empty()) quote.most = *quote.fixed + quote.output * quote.output_price;
}

void set_exact(Quote& quote, std::optional<std::int64_t> cost) {
  if (!cost) {
    quote.unknown = no_price(quote.model);
    return;
  }
  quote.by_quantity = true;
  quote.least = quote.about = quote.fixed = quote.most = cost;
}

void quote_images(const json& body, const ModelFacts& facts, Quote& quote) {
  const auto each = facts.sized_price(text_member(body, "resolution"));
  const auto count = choices_in(body);
  const auto images = body.find("images");
  const std::int64_t inputs = images != body.end() && images->is_array()
                                  ? static_cast<std::int64_t>(images->size())
                              : body.contains("image") ? 1
                                                       : 0;
  const std::int64_t input = inputs * facts.price(Price::InputImage).value_or(0);
  set_exact(quote, each ? std::optional(*each * count + input) : std::nullopt);
}

void quote_video(const BillingRow& row, const json& body, const ModelFacts& facts, Quote& quote) {
  const auto each = facts.sized_price(text_member(body, "resolution"));
  const auto seconds = number_in(body, "duration", number_in(body, "seconds", row.seconds));
  if (row.seconds == 0 || body.contains("video")) {
    quote.unknown = "the length of the video to change is unknown";
    return;
  }
  const auto references = body.find("reference_images");
  std::int64_t inputs = body.contains("image") ? 1 : 0;
  if (references != body.end()) inputs += static_cast<std::int64_t>(references->size());
  const std::int64_t input = inputs * facts.price(Price::InputImage).value_or(0);
  set_exact(quote, each ? std::optional(*each * seconds + input) : std::nullopt);
}

}  // namespace

void TokenCount::add(const TokenCount& more) {
  low += more.low;
  about += more.about;
  high += more.high;
}

TokenCount count_tokens_in(std::string_view text) {
  TokenCount total;
  std::int64_t words = 0;  // tokens; their error is that of the sum
  bool spaced = false;     // after a single space
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    const Script script = script_of(decode_utf8(text, end));
    std::int64_t length = 1;
    while (end < text.size()) {
      std::size_t next = end;
      if (script_of(decode_utf8(text, next)) != script) break;
      end = next;
      ++length;
    }
    if (script == Script::Latin || script == Script::Digit) {
      // A single space belongs to the word after it, but not to a number.
      words += count_word(script, length) + (spaced && script == Script::Digit ? 1 : 0);
    } else {
      total.add(count_run(script, length, text.substr(begin, end - begin)));
    }
    spaced = text.substr(begin, end - begin) == " ";
    begin = end;
  }
  // Languages other than English have up to twice as many.
  total.add({words * 7 / 10, words, 2 * words});
  // No tokenizer has a token without a byte.
  total.high = std::min<std::int64_t>(total.high, std::ssize(text));
  total.about = std::min(total.about, total.high);
  total.low = std::min(total.low, total.about);
  return total;
}

Quote quote_of(const Operation& operation, std::string_view body, const ModelFacts* facts,
               const Prices& own, std::optional<std::int64_t> counted) {
  Quote quote;
  const BillingRow* row = billing_of(operation);
  const json parsed = row != nullptr ? parse_reply(body) : json();
  if (!parsed.is_object()) {
    quote.unknown = "it depends on more than the request says";
    return quote;
  }
  quote.model = text_member(parsed, "model");
  if (quote.model.empty()) quote.model = operation.default_model;
  if (row->billing == Billing::Speech) {
    quote.model = "text to speech";
    const auto price = own[static_cast<std::size_t>(Price::Character)];
    const auto characters =
        static_cast<std::int64_t>(count_code_points(text_member(parsed, "text")));
    set_exact(quote, price ? std::optional(*price * characters) : std::nullopt);
    return quote;
  }
  if (row->billing == Billing::Sound) {
    quote.model = "speech to text";
    const auto price = own[static_cast<std::size_t>(Price::SoundSecond)];
    const auto seconds = number_in(parsed, k_sound_seconds.data(), -1);
    set_exact(quote, price && seconds >= 0 ? std::optional(*price * seconds) : std::nullopt);
    if (price && seconds < 0) quote.unknown = "the length of the recording is unknown";
    return quote;
  }
  ModelFacts given{.prices = own};
  const ModelFacts& known = facts != nullptr ? *facts : given;
  if (row->billing == Billing::Text) quote_text(*row, parsed, known, counted, quote);
  if (row->billing == Billing::Images) quote_images(parsed, known, quote);
  if (row->billing == Billing::Videos) quote_video(*row, parsed, known, quote);
  return quote;
}

std::string_view price_list_of(const Operation& operation) {
  const BillingRow* row = billing_of(operation);
  if (row == nullptr || row->billing == Billing::Speech || row->billing == Billing::Sound)
    return {};
  return row->billing == Billing::Text     ? "language"
         : row->billing == Billing::Images ? "image"
                                           : "video";
}

std::string with_token_limit(const Operation& operation, std::string_view body,
                             std::int64_t tokens) {
  const BillingRow* row = billing_of(operation);
  if (row == nullptr || row->limit.empty()) return std::string(body);
  if (!json_member(body, row->limit)) {
    const std::size_t end = body.rfind('}');
    return fmt::format("{},\"{}\":{}{}", body.substr(0, end), row->limit, tokens, body.substr(end));
  }
  OrderedJson changed = parse_reply_in_order(body);  // it is null
  changed[std::string(row->limit)] = tokens;
  return compact_json(changed);
}

}  // namespace svc
