#include "emulator/api/legacy/handlers.h"

namespace svc::emulator::legacy {

const text::Types& request_types() {
  static const text::Types k_types(R"(
stop = text | texts
completions = {
  prompt!: stop, model, best_of: count, echo: boolean, frequency_penalty: number, logit_bias: map,
  logprobs: count, max_tokens: count, n: count, presence_penalty: number, seed: integer,
  stop: stop, stream: boolean, stream_options: {include_usage!: boolean}, suffix,
  temperature: number, top_p: number, user}
complete = {
  prompt!, model, max_tokens_to_sample!: count, metadata: {user_id}, stop_sequences: texts,
  stream: boolean, temperature: number, top_k: count, top_p: number}

text_part = {text!}
image = {source!: @type{base64: {media_type!, data!}, url: {url!}}}
part = @type{
  text: text_part, image: image, tool_use: {id!, name!, input!: map},
  tool_result: {tool_use_id!, content: text | [@type{text: text_part, image: image}],
                is_error: boolean},
  thinking: {thinking!, signature}, redacted_thinking: {data!}}
messages = {
  messages!: [{role!: <user assistant>, content!: text | [part]}], max_tokens!: count, model,
  metadata: {user_id}, stop_sequences: texts, stream: boolean,
  system: text | [@type{text: text_part}], temperature: number,
  tool_choice: @type{auto, any, none, tool: {name!}},
  tools: [{name!, description, input_schema!: map}], top_k: count, top_p: number}
)");
  return k_types;
}

}  // namespace svc::emulator::legacy
