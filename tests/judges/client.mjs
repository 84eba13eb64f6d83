// Tests the emulator with an unmodified client library: the API that the service shares with that
// library must work as the library expects.
import Client, { toFile } from "client-library";
import { close, emulator, verdict } from "./judge.mjs";

const server = await emulator([
  "--fault", "POST /v1/tokenize-text: status 429 retry-after 0, times 1",
  "--fault", "GET /v1/models/flaky: status 500, times 1",
]);
const client = new Client({ apiKey: server.api_key, baseURL: `${server.base_url}/v1`, timeout: 20_000 });
const model = "svc-4.5";
const weather = { name: "get_weather", description: "The weather of a city", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } };

/** Runs `body`; passes if it returns true. */
async function check(name, body) {
  try {
    const good = await body();
    verdict(name, good === true, JSON.stringify(good));
  } catch (error) {
    verdict(name, false, `${error.constructor.name}: ${error.message}`);
  }
}
/** Passes if `call` throws an error of `kind` with `status`. */
async function fails(name, kind, status, call) {
  try {
    verdict(name, false, `no error: ${JSON.stringify(await call())}`);
  } catch (error) {
    verdict(name, error instanceof kind && error.status === status && error.message.length > 5, `${error.constructor.name} ${error.status}: ${error.message}`);
  }
}

await check("models.list", async () => (await client.models.list()).data.some((each) => each.id === model));
await check("models.retrieve", async () => (await client.models.retrieve(model)).object === "model");

const hello = [{ role: "user", content: "Say exactly: hello" }];
await check("chat", async () => {
  const answer = await client.chat.completions.create({ model, messages: hello });
  return answer.choices[0].message.content === "hello" && answer.choices[0].finish_reason === "stop" && answer.usage.total_tokens > 0 || answer;
});
await check("chat, streamed", async () => {
  let text = "";
  let usage = null;
  const stream = await client.chat.completions.create({ model, messages: hello, stream: true, stream_options: { include_usage: true } });
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? "";
    usage = chunk.usage ?? usage;
  }
  return text === "hello" && usage?.total_tokens > 0 || { text, usage };
});
await check("chat, the library's stream helper", async () => {
  const stream = client.chat.completions.stream({ model, messages: hello });
  const last = await stream.finalChatCompletion();
  return last.choices[0].message.content === "hello" || last;
});
await check("chat, an aborted stream", async () => {
  const stream = await client.chat.completions.create({ model, messages: hello, stream: true });
  for await (const chunk of stream) {
    stream.controller.abort();
    return chunk.object === "chat.completion.chunk";
  }
});
await check("chat, a tool and its result", async () => {
  const tools = [{ type: "function", function: weather }];
  const messages = [{ role: "user", content: "What is the weather in Oslo?" }];
  const first = await client.chat.completions.create({ model, messages, tools, tool_choice: "required" });
  const call = first.choices[0].message.tool_calls?.[0];
  if (first.choices[0].finish_reason !== "tool_calls" || call?.function.name !== "get_weather") return first;
  if (typeof JSON.parse(call.function.arguments).city !== "string") return call;
  const second = await client.chat.completions.create({ model, tools, messages: [...messages, first.choices[0].message, { role: "tool", tool_call_id: call.id, content: "rain, 7 °C" }] });
  return second.choices[0].message.content?.length > 0 || second;
});
await check("chat, a tool in a stream", async () => {
  const stream = client.chat.completions.stream({ model, messages: hello, tools: [{ type: "function", function: weather }], tool_choice: "required" });
  const last = await stream.finalChatCompletion();
  const call = last.choices[0].message.tool_calls?.[0];
  return call?.function.name === "get_weather" && typeof JSON.parse(call.function.arguments).city === "string" || last;
});
await check("chat, the library runs the tools", async () => {
  let ran = 0;
  const runner = client.chat.completions.runTools({
    model, messages: [{ role: "user", content: "Use get_weather for Oslo" }], tool_choice: "auto",
    tools: [{ type: "function", function: { ...weather, parse: JSON.parse, function: async () => { ran += 1; return "rain"; } } }],
  });
  const text = await runner.finalContent();
  return text.length > 0 && ran <= 5 || { ran, text };
});
await check("chat, structured output", async () => {
  const schema = { type: "object", properties: { city: { type: "string" }, degrees: { type: "number" } }, required: ["city", "degrees"], additionalProperties: false };
  const answer = await client.chat.completions.create({ model, messages: [{ role: "user", content: "The weather in Oslo" }], response_format: { type: "json_schema", json_schema: { name: "w", schema, strict: true } } });
  const value = JSON.parse(answer.choices[0].message.content);
  return typeof value.city === "string" && typeof value.degrees === "number" || answer;
});
await check("chat, an image in a message", async () => {
  const url = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const answer = await client.chat.completions.create({ model, messages: [{ role: "user", content: [{ type: "text", text: "What is this?" }, { type: "image_url", image_url: { url } }] }] });
  return answer.choices[0].message.content.length > 0;
});

let stored;
await check("responses", async () => {
  stored = await client.responses.create({ model, input: "Say exactly: hello" });
  return stored.status === "completed" && stored.output_text === "hello" || stored;
});
await check("responses.retrieve", async () => (await client.responses.retrieve(stored.id)).id === stored.id);
await check("responses, continued", async () => {
  const next = await client.responses.create({ model, input: "Say exactly: again", previous_response_id: stored.id });
  return next.previous_response_id === stored.id && next.output_text === "again" || next;
});
await check("responses, streamed", async () => {
  const kinds = [];
  let text = "";
  for await (const event of await client.responses.create({ model, input: "Say exactly: hello", stream: true })) {
    kinds.push(event.type);
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  return kinds[0] === "response.created" && kinds.at(-1) === "response.completed" && text === "hello" || { kinds, text };
});
await check("responses, the library's stream helper", async () => {
  const last = await client.responses.stream({ model, input: "Say exactly: hello" }).finalResponse();
  return last.output_text === "hello" || last;
});
await check("responses, a tool and its result", async () => {
  const tools = [{ type: "function", strict: false, ...weather }];
  const first = await client.responses.create({ model, tools, tool_choice: "required", input: "The weather in Oslo?" });
  const call = first.output.find((item) => item.type === "function_call");
  if (call?.name !== "get_weather") return first;
  const second = await client.responses.create({ model, tools, previous_response_id: first.id, input: [{ type: "function_call_output", call_id: call.call_id, output: "rain" }] });
  return second.output_text.length > 0 || second;
});
await check("responses.delete", async () => {
  await client.responses.delete(stored.id);
  return client.responses.retrieve(stored.id).then(() => "still there", (error) => error.status === 404);
});

let file;
await check("files.create", async () => {
  file = await client.files.create({ file: await toFile(Buffer.from("three\nlines\nof text\n"), "notes.txt", { type: "text/plain" }), purpose: "assistants" });
  return file.filename === "notes.txt" && file.bytes === 20 || file;
});
await check("files.retrieve", async () => (await client.files.retrieve(file.id)).id === file.id);
await check("files.content", async () => (await (await client.files.content(file.id)).text()) === "three\nlines\nof text\n");
await check("files.list", async () => {
  for await (const each of client.files.list()) if (each.id === file.id) return true;
  return "not in the list";
});
await check("responses, a file as input", async () => {
  const answer = await client.responses.create({ model, input: [{ role: "user", content: [{ type: "input_text", text: "Summarise" }, { type: "input_file", file_id: file.id }] }] });
  return answer.status === "completed" || answer;
});
await check("files.delete", async () => (await client.files.delete(file.id)).deleted === true);

await check("images.generate", async () => {
  const made = await client.images.generate({ model: "svc-imagine-image", prompt: "A red circle", response_format: "b64_json" });
  const bytes = Buffer.from(made.data[0].b64_json, "base64");
  return bytes.length > 100 || made;
});
await check("images.generate, a URL", async () => {
  const made = await client.images.generate({ model: "svc-imagine-image", prompt: "A red circle", n: 2 });
  const got = await fetch(made.data[1].url);
  return made.data.length === 2 && got.ok && /^image\//.test(got.headers.get("content-type")) || made;
});
await check("completions, legacy", async () => {
  const answer = await client.completions.create({ model, prompt: "Say exactly: hello" });
  return typeof answer.choices[0].text === "string";
});

await check("a 429 is retried", async () => (await client.post("/tokenize-text", { body: { model, text: "one two" } })).token_ids.length > 0);
await fails("a 500 is retried, then a 404", Client.NotFoundError, 404, () => client.models.retrieve("flaky"));
await fails("a wrong key", Client.APIError, 400, () => new Client({ apiKey: "wrong", baseURL: client.baseURL, maxRetries: 0 }).models.list());
await fails("no such model", Client.BadRequestError, 400, () => client.chat.completions.create({ model: "no-such-model", messages: hello }));
await fails("no such image model", Client.NotFoundError, 404, () => client.images.generate({ model: "no-such-model", prompt: "A circle" }));
await fails("no such response", Client.NotFoundError, 404, () => client.responses.retrieve("resp_none"));
await fails("an invalid body", Client.UnprocessableEntityError, 422, () => client.chat.completions.create({ model, messages: "Hello" }));
await fails("a value out of range", Client.BadRequestError, 400, () => client.chat.completions.create({ model, messages: hello, temperature: 7 }));
await fails("no such path", Client.NotFoundError, 404, () => client.get("/nothing/here"));
server.stop();
close("client library against the emulator");
