// Building a chat answer: its words, its usage and its document.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/files/store.h"
#include "emulator/api/text/chat.h"
#include "emulator/model/answer.h"
#include "emulator/model/prompt_cache.h"
#include "emulator/model/rules.h"
#include "emulator/model/search.h"
#include "emulator/model/tokenizer.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {
namespace {

// The searches of search_parameters, and of a live_search tool.
Search search_for(const Json& body, const Ask& ask) {
  if (ask.given) return {};
  const std::string& question = last_user_text(ask);
  if (const Json* parameters = member(body, "search_parameters")) {
    return run_search(*parameters, question);
  }
  const Json* tools = member(body, "tools");
  if (tools == nullptr || ask.choose == Choose::Named) return {};
  for (const Json& tool : *tools) {
    if (text_of(tool, "type") == "live_search") return run_search(tool, question);
  }
  return {};
}

// What code execution would write: one file, in the store of the team.
Result<std::string> make_output_files(const Call& call, const Json& body, const Ask& ask) {
  const Json* include = member(body, "include");
  if (include == nullptr ||
      std::ranges::find(*include, "code_execution_files_output") == include->end()) {
    return std::string();
  }
  const std::string text = fmt::format("{}\n", last_user_text(ask));
  SVC_TRY(file, store_file(*call.state, call.key.team_id,
                           {.filename = "output.txt", .content_type = "text/plain", .data = text}));
  return dump(Json::array({Json{{"file_id", file.id}, {"name", file.filename}}}));
}

// Also notes in `answer` what it costs.
Json usage_of(const Ask& ask, std::int64_t cached, ChatAnswer& answer, std::int64_t& tokens) {
  const PromptTokens prompt = count_prompt(ask);
  TokenUse use{.prompt = prompt.text + prompt.images,
               .cached = cached,
               .sources = static_cast<std::int64_t>(answer.sources.size())};
  for (const Said& said : answer.said) {
    use.completion += said.text_tokens;
    use.reasoning += said.reasoning_tokens;
  }
  // total = prompt + completion, so reasoning is part of the completion.
  const auto completion = use.completion + use.reasoning;
  tokens = use.prompt + completion;
  answer.charges = charges_of(*ask.model, use);
  return {{"prompt_tokens", use.prompt},
          {"completion_tokens", completion},
          {"total_tokens", tokens},
          {"prompt_tokens_details",
           {{"text_tokens", prompt.text},
            {"audio_tokens", 0},
            {"image_tokens", prompt.images},
            {"cached_tokens", use.cached}}},
          {"completion_tokens_details",
           {{"reasoning_tokens", use.reasoning},
            {"audio_tokens", 0},
            {"accepted_prediction_tokens", 0},
            {"rejected_prediction_tokens", 0}}},
          {"num_sources_used", use.sources},
          {"cost_in_usd_ticks", total_ticks(answer.charges)}};
}

Json message_of(const ChatAnswer& answer, std::size_t choice) {
  const Said& said = answer.said[choice];
  const bool silent = !said.refusal.empty() || !said.calls.empty();
  Json message = {{"role", "assistant"}, {"content", silent ? Json(nullptr) : Json(said.text)}};
  if (!said.reasoning.empty()) message["reasoning_content"] = said.reasoning;
  if (!said.calls.empty()) {
    Json& calls = message["tool_calls"] = Json::array();
    for (std::size_t i = 0; i < said.calls.size(); ++i) {
      calls.push_back(chat_tool_call(answer, choice, i));
    }
  }
  message["refusal"] = said.refusal.empty() ? Json(nullptr) : Json(said.refusal);
  return message;
}

Json token_entry(sv token, double logprob) {
  Json bytes = Json::array();
  for (const char byte : token) bytes.push_back(static_cast<unsigned char>(byte));
  return {{"token", token}, {"logprob", logprob}, {"bytes", std::move(bytes)}};
}

}  // namespace

std::optional<Answer> answer_chat(const Call& call, const Json& body, const Ask& asked,
                                  ChatAnswer& answer, std::int64_t& tokens) {
  Ask ask = asked;
  Search search = search_for(body, ask);
  if (search.citations) ask.sources = search.sources;
  answer.id = call.request_id;
  answer.created = call.state->now_ms() / 1000;
  answer.model = ask.model->name;
  answer.tier = served_tier(body);
  answer.sources = std::move(search.sources);
  answer.citations = search.citations && !answer.sources.empty();
  const auto choices = static_cast<std::size_t>(integer_of(body, "n").value_or(1));
  for (std::size_t choice = 0; choice < choices; ++choice) {
    auto said = say(ask, choice, choices);
    if (!said) return refuse_argument(said.error().message);
    answer.said.push_back(std::move(*said));
  }
  // Older models alone give log probabilities; the others ignore the wish.
  if (ask.model->logprobs && flag_of(body, "logprobs", false)) {
    answer.top_logprobs = static_cast<std::size_t>(integer_of(body, "top_logprobs").value_or(0));
  }
  auto files = make_output_files(call, body, ask);
  if (!files) return refuse_internal(files.error());
  answer.output_files = *std::move(files);
  const auto cached = take_cached_tokens(call, body, ask);
  if (!cached) return refuse_internal(cached.error());
  answer.usage = dump(usage_of(ask, *cached, answer, tokens));
  return std::nullopt;
}

std::string chat_document(const ChatAnswer& answer) {
  Json choices = Json::array();
  for (std::size_t i = 0; i < answer.said.size(); ++i) {
    const Said& said = answer.said[i];
    Json choice = {{"index", i},
                   {"message", message_of(answer, i)},
                   {"finish_reason", finish_word(said.finish)}};
    if (answer.top_logprobs) choice["logprobs"] = logprobs_of(said.text, *answer.top_logprobs);
    choices.push_back(std::move(choice));
  }
  Json document = {{"id", answer.id},
                   {"object", "chat.completion"},
                   {"created", answer.created},
                   {"model", answer.model},
                   {"choices", std::move(choices)},
                   {"usage", parse_json(answer.usage)},
                   {"service_tier", answer.tier},
                   {"system_fingerprint", k_system_fingerprint}};
  if (answer.citations) document["citations"] = citation_list(answer);
  if (!answer.output_files.empty()) document["output_files"] = parse_json(answer.output_files);
  return dump(document);
}

sv finish_word(Finish finish) {
  switch (finish) {
    case Finish::Length:
      return "length";
    case Finish::ToolCalls:
      return "tool_calls";
    case Finish::Stop:
      break;
  }
  return "stop";
}

Json chat_tool_call(const ChatAnswer& answer, std::size_t choice, std::size_t index) {
  const FunctionCall& call = answer.said[choice].calls[index];
  return {{"id", fmt::format("call_{}_{}_{}", answer.id, choice, index)},
          {"type", "function"},
          {"index", index},
          {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

Json citation_list(const ChatAnswer& answer) {
  Json list = Json::array();
  for (const Source& source : answer.sources) list.push_back(source.url);
  return list;
}

Json logprobs_of(sv text, std::size_t top) {
  constexpr std::array<sv, 9> k_others = {" the", " a",  ".",   ",",  "\n",
                                          " and", " to", " of", " in"};
  Json content = Json::array();
  for (const Token& token : tokenize(text)) {
    // Between 86 and 95 percent; the alternatives share what is left.
    const double logprob = -0.05 - 0.001 * static_cast<double>(token.id % 100);
    Json entry = token_entry(token.text, logprob);
    Json& alternatives = entry["top_logprobs"] = Json::array();
    if (top > 0) alternatives.push_back(token_entry(token.text, logprob));
    for (std::size_t i = 0; alternatives.size() < top && i < k_others.size(); ++i) {
      if (k_others[i] == token.text) continue;
      alternatives.push_back(token_entry(k_others[i], -3.5 - 0.5 * static_cast<double>(i)));
    }
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}};
}

}  // namespace svc::emulator::text
