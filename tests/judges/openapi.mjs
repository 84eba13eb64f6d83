// The OpenAPI document that `svc operations --openapi` exports: passes an independent validator, and
// each request in tests/golden matches its description of the operation.
import fs from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { close, svc, verdict } from "./judge.mjs";

const exported = await svc(["operations", "--openapi"]);
const document = JSON.parse(exported.stdout);
const valid = await new Validator().validate(structuredClone(document));
verdict("the document is OpenAPI", valid.valid, JSON.stringify(valid.errors)?.slice(0, 600));
verdict("the document is OpenAPI 3.1", document.openapi.startsWith("3.1"), document.openapi);

const ajv = new Ajv({ strict: false, allErrors: true });
const loose = new Ajv({ strict: false, allErrors: true, coerceTypes: true }); // for values that are text in a URL or a form
formats(ajv);
formats(loose);

/** The operation of a request: of the matching paths, the one with the fewest parameters. */
function operation(method, path) {
  const fits = Object.keys(document.paths).filter((template) => {
    const pattern = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+");
    return document.paths[template][method] && new RegExp(`^${pattern}$`).test(path);
  });
  fits.sort((a, b) => a.split("{").length - b.split("{").length);
  return fits.length > 0 ? document.paths[fits[0]][method] : null;
}

function misfits(validator, schema, value) {
  const fits = validator.compile(schema);
  return fits(value) ? "" : validator.errorsText(fits.errors);
}

/** The mismatch of a golden request, or "". */
function judge(golden) {
  const url = new URL(golden.url);
  const described = operation(golden.method.toLowerCase(), decodeURIComponent(url.pathname));
  if (!described) return "no operation has that method and path";
  const parameters = described.parameters ?? [];
  for (const [name, value] of url.searchParams) {
    const parameter = parameters.find((each) => each.in === "query" && each.name === name);
    if (!parameter) return `the query ${name} is not described`;
    const list = parameter.schema?.type === "array";
    const wrong = misfits(loose, { type: "object", properties: { value: parameter.schema ?? {} } }, { value: list ? [value] : value });
    if (wrong) return `the query ${name}: ${wrong}`;
  }
  for (const { name, in: where, required } of parameters) {
    if (where === "query" && required && !url.searchParams.has(name)) return `the query ${name} is missing`;
  }
  const content = Object.entries(described.requestBody?.content ?? {})[0];
  const empty = Object.keys(golden.body ?? {}).length === 0;
  if (!content) return empty || golden.method === "GET" ? "" : "the body is not described"; // a socket's first message
  if (empty && !described.requestBody.required) return "";
  if (!Array.isArray(golden.body)) return misfits(ajv, content[1].schema, golden.body);
  const form = {};
  for (const part of golden.body) {
    const value = part.value ?? part.file ?? part.content ?? "";
    const list = content[1].schema.properties?.[part.name]?.type === "array";
    form[part.name] = list ? [...(form[part.name] ?? []), value] : value;
  }
  return misfits(loose, content[1].schema, form);
}

for (const file of fs.readdirSync(process.env.GOLDEN)) {
  const golden = JSON.parse(fs.readFileSync(`${process.env.GOLDEN}/${file}`));
  const wrong = judge(golden);
  verdict(file, wrong === "", wrong);
}
// Invalid requests must be rejected, or passing means nothing.
const chat = { method: "POST", url: "https://api.example/v1/chat/completions" };
const messages = [{ role: "user", content: "Hello" }];
for (const body of [{ messages: "Hello" }, { messages, temperature: "hot" }, { messages, temperature: 3 }, { messages, stream: 1 }, {}]) {
  verdict(`rejected: ${JSON.stringify(body)}`, judge({ ...chat, body }) !== "");
}
verdict("accepted: a minimal chat", judge({ ...chat, body: { model: "m", messages } }) === "", judge({ ...chat, body: { model: "m", messages } }));
verdict("rejected: an unknown path", judge({ ...chat, url: "https://api.example/v1/nothing" }) !== "");
close("OpenAPI document");
