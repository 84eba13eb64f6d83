// Opens the emulator's page in a browser without a window, and does there what a person would.
// Usage: node tests/emulator_page.mjs EMULATOR
import assert from 'node:assert';
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {networkInterfaces, tmpdir} from 'node:os';
import {join} from 'node:path';

const token = 'a-token-of-16-or-more';

/// A browser that is controlled through pipes: one JSON message after the other, each with a NUL.
class Browser {
  #directory = mkdtempSync(join(tmpdir(), 'svc-page-'));
  #waiting = new Map();
  #asked = 0;

  constructor() {
    this.process = spawn('chromium-headless-shell',
                         ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server',
                          `--user-data-dir=${this.#directory}`, '--remote-debugging-pipe', 'about:blank'],
                         {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.process.on('error', error => this.#end(error));
    this.process.on('exit', () => this.#end(new Error('the browser has ended')));
    let rest = '';
    this.process.stdio[4].on('data', bytes => {
      const messages = (rest + bytes).split('\0');
      rest = messages.pop();
      for (const message of messages) this.#receive(JSON.parse(message));
    });
  }

  #end(error) {
    for (const {reject} of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #receive({id, result, error}) {
    const {resolve, reject} = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#asked;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
    return new Promise((resolve, reject) => this.#waiting.set(id, {resolve, reject}));
  }

  /// Opens a page; the result evaluates an expression in it.
  async open(url) {
    const {targetId} = await this.send('Target.createTarget', {url});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    return async expression => {
      const {result, exceptionDetails} = await this.send(
          'Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true}, sessionId);
      assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description);
      return result.value;
    };
  }

  async close() {
    const ended = new Promise(done => this.process.once('exit', done));
    this.send('Browser.close').catch(() => {});
    const stuck = setTimeout(() => this.process.kill('SIGKILL'), 5_000);
    if (this.process.exitCode === null) await ended;
    clearTimeout(stuck);
    // Its helpers may still be writing.
    for (let left = 50; left > 0; --left) {
      try {
        return rmSync(this.#directory, {recursive: true, force: true});
      } catch {
        await new Promise(done => setTimeout(done, 100));
      }
    }
  }
}

/// Waits until the page shows it; the page asks the emulator once a second.
async function shows(page, id, pattern) {
  let text = '';
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    text = await page(`document.getElementById('${id}')?.innerText.replace(/\\s+/g, ' ') ?? ''`);
    if (pattern.test(text)) return;
    await new Promise(done => setTimeout(done, 100));
  }
  assert.match(text, pattern);
}

const choose = (id, value) => `(() => {
  const element = document.getElementById('${id}');
  element.value = ${JSON.stringify(value)};
  element.dispatchEvent(new Event('change'));
})()`;

async function post(url, body) {
  const answer = await fetch(url, {
    method: 'POST', body: JSON.stringify(body),
    headers: {'Content-Type': 'application/json', 'Authorization': 'Bearer svc-demo-key',
              'X-Control-Token': token}});
  return answer.text();
}

const emulator = spawn(process.argv[2], ['--state', ':memory:', '--die-with-parent', '--host', '0.0.0.0', '--quiet',
                       '--announce-fd', '3', '--control-token', token],
                       {stdio: ['ignore', 'inherit', 'inherit', 'pipe']});
const announced = JSON.parse(await new Promise(done => emulator.stdio[3].once('data', done)));
const port = new URL(announced.base_url).port;
const url = `http://127.0.0.1:${port}`;
const browser = new Browser();
try {
  const page = await browser.open(url + '/');
  await shows(page, 'state', /^Clock: 20.*credit_cents 1000000/);
  assert.equal(await page(`document.querySelectorAll('#requests tr').length`), 0);

  // What happens is shown without reloading, in tests with names that no header can have, too.
  for (const name of ['', 'größe', '日本 %/?']) {
    const base = name ? `${url}/_test/${encodeURIComponent(name)}` : url;
    await post(base + '/_emulator/answers', {answer: {text: `<b>for</b> ${name}`}});
    await post(base + '/v1/chat/completions',
               {model: 'svc-4.5', messages: [{role: 'user', content: 'asked <i>'}]});
    await shows(page, 'scope', name ? new RegExp(name.replace('?', '.')) : /none/);
    await page(choose('scope', name));
    await shows(page, 'rules', /<b>for<\/b>.* 1 1/);
    await shows(page, 'requests', /1 POST \/v1\/chat\/completions 200 .*asked <i>.*chat\.completion/s);
  }
  const scopes = async () => (await (await fetch(url + '/_emulator/scopes')).json()).scopes.sort();
  assert.deepEqual(await scopes(), ['größe', '日本 %/?'].sort(), 'the page created no other');

  // An error stands out; rules for faults are rules, too.
  await page(choose('scope', ''));
  await post(url + '/_emulator/faults', ['GET /v1/models: status 503']);
  await fetch(url + '/v1/models', {headers: {'Authorization': 'Bearer svc-demo-key'}});
  await shows(page, 'rules', /GET \/v1\/models: status 503 1 1/);
  await shows(page, 'requests', /2 GET \/v1\/models 503/);
  assert.equal(await page(`getComputedStyle(document.querySelector('#requests tr')).color`), 'rgb(187, 0, 0)');

  // A test that has ended leaves the list, and the page does not begin it again.
  await page(choose('scope', 'größe'));
  await post(`${url}/_test/${encodeURIComponent('größe')}/_emulator/reset`);
  for (let i = 0; i < 100 && await page(`document.getElementById('scope').value`); ++i) {
    await new Promise(done => setTimeout(done, 100));
  }
  assert.equal(await page(`document.getElementById('scope').value`), '');
  assert.deepEqual(await scopes(), ['日本 %/?']);

  // From another machine's address the page needs the token, and says so.
  const outside = Object.values(networkInterfaces()).flat().find(one => !one.internal && one.family === 'IPv4');
  if (outside) {
    const far = await browser.open(`http://${outside.address}:${port}/`);
    await shows(far, 'state', /token/i);
    await far(choose('token', token));
    await shows(far, 'requests', /2 GET \/v1\/models 503/);
  } else {
    console.error('skipped: this machine has no address but its own for the page with a token');
  }
  console.log('the page works');
} finally {
  await browser.close();
  emulator.kill();
}
