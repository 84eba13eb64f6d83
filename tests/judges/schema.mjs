// Runs --schema on the official JSON Schema test suite: all mandatory cases of draft 2020-12. Schemas
// that refer to documents of the suite's server get those in $defs, as svc advises its users to do;
// if that would change what is tested (a document whose $id is not its URL), the case is skipped.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { close, verdict } from "./judge.mjs";

const suite = process.env.JSON_SCHEMA_TEST_SUITE;
const directory = path.join(suite, "tests/draft2020-12");
const server = "http://localhost:1234/";

/** The URLs of the references in `schema`; adds its identifiers to `defined`. */
function references(schema, base, defined, found = []) {
  if (schema === null || typeof schema !== "object") return found;
  const resolved = (uri) => (URL.canParse(uri, base) ? new URL(uri, base).href.split("#")[0] : uri);
  if (typeof schema.$id === "string") defined.add((base = resolved(schema.$id)));
  for (const [name, value] of Object.entries(schema)) {
    if (["$ref", "$dynamicRef", "$schema"].includes(name) && typeof value === "string") found.push(resolved(value));
    else references(value, base, defined, found);
  }
  return found;
}

/** `schema` with the documents it needs; null if they cannot be added. */
function bundle(schema) {
  if (typeof schema !== "object") return schema;
  const defined = new Set();
  const needed = references(schema, server, defined);
  const whole = { ...schema };
  for (let url; (url = needed.pop()) !== undefined; ) {
    const file = path.join(suite, "remotes", url.slice(server.length));
    if (!url.startsWith(server) || defined.has(url) || !fs.statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    const document = JSON.parse(fs.readFileSync(file, "utf8"));
    if (document.$vocabulary || (document.$id && document.$id !== url)) return null;
    defined.add(url);
    whole.$defs = { ...whole.$defs, [url]: { ...document, $id: url } };
    needed.push(...references(document, url, defined));
  }
  return whole;
}

const cases = [];
for (const file of fs.readdirSync(directory).filter((name) => name.endsWith(".json")).sort()) {
  for (const group of JSON.parse(fs.readFileSync(path.join(directory, file), "utf8"))) {
    const schema = bundle(group.schema);
    for (const test of group.tests) {
      cases.push({ file, name: `${group.description}: ${test.description}`, schema, value: test.data, valid: test.valid });
    }
  }
}
const input = cases.map(({ schema, value }) => `${JSON.stringify({ schema, value })}\n`).join("");
const ran = spawnSync(process.env.SVC_CHECK_SCHEMA, { input, encoding: "utf8", maxBuffer: 64 << 20 });
const answers = (ran.stdout ?? "").split("\n");

const files = {};
cases.forEach((each, i) => {
  const count = (files[each.file] ??= { passed: 0, failed: 0, remote: 0 });
  const said = answers[i] ?? "no answer";
  const passed = said === "valid" ? each.valid : said.startsWith("invalid: ") && !each.valid;
  count[each.schema === null ? "remote" : passed ? "passed" : "failed"] += 1;
  if (each.schema !== null) verdict(`${each.file}: ${each.name}`, passed, said);
});
for (const [file, { passed, failed, remote }] of Object.entries(files)) {
  console.log(`${file.padEnd(32)} ${String(passed).padStart(4)} passed ${String(failed).padStart(3)} failed${remote > 0 ? `, ${remote} skipped` : ""}`);
}
close("JSON Schema, mandatory cases");
