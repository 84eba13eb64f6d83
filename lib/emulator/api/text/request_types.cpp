// The types of the text operations' requests.
#include "emulator/api/text/handlers.h"

namespace svc::emulator::text {

const Types& request_types() {
  // `auto` and `fast` are service tiers newer than the documents. A tool result also accepts the
  // field names of the Responses operation. `responses` nests its options, unlike `chat`.
  static const Types k_types(R"(
tier = <default priority auto fast>
source = @type{
  web: {allowed_websites: texts, excluded_websites: texts, country, safe_search: boolean},
  x: {included_x_handles: texts, excluded_x_handles: texts, x_handles: texts,
      post_favorite_count: integer, post_view_count: integer},
  news: {country, excluded_websites: texts, safe_search: boolean},
  rss: {links!: texts}}
search = {mode: <off on auto>, sources: [source], from_date, to_date, max_search_results: integer,
          return_citations: boolean}
detail = <auto low high>
choice = <none auto required>
named = {name!}
function = {name!, parameters!: map, description, strict: boolean}
schema = {schema!: map, name, description, strict: boolean}

text_part = {text!}
image_part = {image_url!: {url!, detail: detail}}
file_part = {file!: {file_id, url}}
part = @type{text: text_part, image_url: image_part, file: file_part}
content = text | [part]
tool_content = text | [@type{
  text: text_part, image_url: image_part, file: file_part, input_text: text_part,
  input_image: {image_url!, detail: detail}}]
plain = {content!: content, name}
message = @role{
  system: plain, developer: plain, user: plain,
  assistant: {content: content, reasoning_content, refusal,
              tool_calls: [{id!, type, index: integer, function!: {name!, arguments!}}], name},
  tool: {content!: tool_content, tool_call_id!},
  function: {content!: content, name!}}
chat = {
  messages!: [message], model, deferred: boolean, frequency_penalty: number, include: texts,
  logit_bias: map, logprobs: boolean, max_completion_tokens: count, max_tokens: count, n: count,
  parallel_tool_calls: boolean, presence_penalty: number, prompt_cache_key, reasoning_effort,
  response_format: @type{text, json_object, json_schema: {json_schema!: schema}},
  search_parameters: search, seed: integer, service_tier: tier, stop: texts, stream: boolean,
  stream_options: {include_usage!: boolean}, temperature: number,
  tool_choice: choice | @type{function: {function!: named}},
  tools: [@type{function: {function!: function}, live_search: {sources: [source]}}],
  top_logprobs: count, top_p: number, user, web_search_options: map}

input_content = text | [@type{
  input_text: text_part, output_text: text_part, input_image: {image_url!, file_id, detail: detail},
  input_file: {file_id, file_url, file_data, filename, mime_type}, refusal: {refusal!}}]
shell_output = {stdout, stderr, outcome: {type!, exit_code: integer}}
item = @type=message{
  message: {role!: <user assistant system developer>, content!: input_content, name, id},
  function_call_output: {call_id!, output!: input_content},
  shell_call_output: {call_id!, output!: [shell_output], max_output_length: integer},
  compaction: {encrypted_content!, id},
  function_call: {call_id!, name!, arguments!},
  reasoning: {summary: [any], content: [any], encrypted_content},
  shell_call, web_search_call, x_search_call, custom_tool_call, file_search_call,
  code_interpreter_call, code_execution_call, mcp_call, image_generation_call, view_image_call,
  view_x_video_call, tool_search_call, tool_search_output}
input = text | [item]
web_tool = {allowed_domains: texts, excluded_domains: texts,
            filters: {allowed_domains: texts, excluded_domains: texts},
            enable_image_search: boolean, enable_image_understanding: boolean}
tool = @type{
  function: function, web_search: web_tool, web_search_preview: web_tool,
  x_search: {allowed_x_handles: texts, excluded_x_handles: texts, from_date, to_date,
             enable_image_understanding: boolean, enable_video_understanding: boolean},
  code_interpreter,
  file_search: {vector_store_ids!: texts, max_num_results: count},
  mcp: {server_url!, server_label!, server_description, allowed_tools: any, authorization,
        headers: map},
  image_generation: {action: <auto generate edit>}, shell: {environment: map}, tool_search}
summary = <auto concise detailed>
responses = {
  input!: input, model, instructions, previous_response_id, store: boolean, background: boolean,
  context_management: [any],
  include: [<reasoning.encrypted_content web_search_call.action.sources
             code_interpreter_call.outputs file_search_call.results no_inline_citations
             message.output_text.logprobs code_execution_files_output>],
  logprobs: boolean, top_logprobs: count, max_output_tokens: count, max_turns: count,
  metadata: map, min_p: number, top_k: count, parallel_tool_calls: boolean, prompt_cache_key,
  reasoning: {effort, summary: summary, generate_summary: summary}, reasoning_effort,
  search_parameters: search, service_tier: tier, stream: boolean, temperature: number,
  top_p: number, text: {format: @type{text, json_object, json_schema: schema}},
  tool_choice: choice | @type{function: named}, tools: [tool], truncation, user}
compact = {input!: input, model!}
)");
  return k_types;
}

}  // namespace svc::emulator::text
