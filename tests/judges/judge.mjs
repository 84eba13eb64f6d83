// Shared by the judges: runs programs to their end, and prints one line per finding.
import { spawn } from "node:child_process";

/** Runs `svc` with `words`; `environment` is added to the environment. Resolves to { code, stdout, stderr }. */
export function svc(words, { input = "", environment = {}, limit = 30_000 } = {}) {
  return new Promise((resolve) => {
    const program = spawn(process.env.SVC, words, { env: { ...process.env, ...environment } });
    const out = [];
    const err = [];
    const timer = setTimeout(() => program.kill("SIGKILL"), limit);
    program.stdout.on("data", (bytes) => out.push(bytes));
    program.stderr.on("data", (bytes) => err.push(bytes));
    program.stdin.on("error", () => {}); // it may exit before reading everything
    program.stdin.end(input);
    program.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({
        code: code ?? signal,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
      });
    });
  });
}

/** Starts the emulator with `words`; resolves to its announcement and { stop } when it is ready. */
export function emulator(words = []) {
  return new Promise((resolve, reject) => {
    const program = spawn(process.env.SVC_EMULATOR, ["--state", ":memory:", "--announce-fd", "1", "--quiet", "--die-with-parent", ...words]);
    let text = "";
    program.stdout.on("data", (bytes) => {
      text += bytes;
      if (!text.includes("\n")) return;
      resolve({ ...JSON.parse(text), stop: () => program.kill() });
    });
    program.on("error", reject);
    program.on("close", (code) => reject(new Error(`svc-emulator exited with ${code}`)));
  });
}

const findings = { good: 0, bad: 0 };

/** Records a finding; `detail` is shown on failure. */
export function verdict(name, good, detail = "") {
  findings[good ? "good" : "bad"] += 1;
  if (!good) console.log(`not ok  ${name}${detail === "" ? "" : `: ${detail}`}`);
  else if (process.env.VERBOSE) console.log(`ok      ${name}`);
}

/** Prints a judge's totals and exits. */
export function close(judge) {
  console.log(`${judge}: ${findings.good} passed, ${findings.bad} failed`);
  process.exit(findings.bad === 0 && findings.good > 0 ? 0 : 1);
}
