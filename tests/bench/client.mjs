// The work of svc-bench and svc-each-bench, done by a client library for comparison: reads one
// stream, or with the arguments PROMPTS JOBS sends PROMPTS prompts, JOBS at a time.
// NODE_PATH does not apply to ES modules, so SVC_BENCH_PACKAGES is the directory of the packages.
import { createRequire } from "node:module";

const Client = createRequire(`${process.env.SVC_BENCH_PACKAGES}/`)("client-library").default;
const client = new Client({ apiKey: process.env.SVC_API_KEY, baseURL: `${process.env.SVC_BASE_URL}/v1` });
const ask = (content, stream) =>
  client.chat.completions.create({ model: "svc-4.5", stream, messages: [{ role: "user", content }] });

async function readStream() {
  for await (const event of await ask("Hi", true)) {
    process.stdout.write(event.choices[0]?.delta?.content ?? "");
  }
}

const [prompts, jobs] = process.argv.slice(2).map(Number);
let next = 0;
async function work() {
  while (next < prompts) await ask(`What is the capital of country ${next++}?`, false);
}

await (prompts ? Promise.all(Array.from({ length: jobs }, work)) : readStream());
