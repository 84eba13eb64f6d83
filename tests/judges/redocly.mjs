// Lints the OpenAPI document that `svc operations --openapi` exports with the recommended rules:
// no errors, and no warnings.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { close, svc, verdict } from "./judge.mjs";

const exported = await svc(["operations", "--openapi"]);

/** The linter's findings in a document. */
function problems(text) {
  fs.writeFileSync("linted.json", text);
  let report = "";
  try {
    report = execFileSync("node_modules/.bin/redocly", ["lint", "linted.json", "--format=json"], {
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (failed) {
    report = failed.stdout;
  }
  return JSON.parse(report).problems.map((each) => `${each.ruleId}: ${each.message} (${each.location?.[0]?.pointer})`);
}

const found = problems(exported.stdout);
verdict("the linter reports nothing", found.length === 0, found.slice(0, 5).join("\n"));

// A broken document must be reported, or passing means nothing.
const broken = JSON.parse(exported.stdout);
delete broken.paths["/v1/stt"].get.responses.default;
delete broken.paths["/v1/stt"].get.responses["4XX"];
broken.paths["/auth/api-keys/{api_key_id}"] = broken.paths["/auth/api-keys/{apiKeyId}"];
const refused = problems(JSON.stringify(broken));
for (const rule of ["operation-2xx-response", "operation-4xx-response", "no-identical-paths"]) {
  verdict(`reported: ${rule}`, refused.some((each) => each.startsWith(rule)), refused.slice(0, 5).join("\n"));
}
close("OpenAPI linter");
