// Runs the script of the emulator's page against a real emulator, with as much of a document as it
// uses. Usage: node tests/emulator_page.mjs EMULATOR
import assert from 'node:assert';
import {spawn} from 'node:child_process';

class Element {
  constructor(tag, value = '') {
    Object.assign(this, {tag, value, children: [], textContent: '', className: ''});
  }
  get options() { return this.children; }
  get text() { return this.textContent + this.children.map(child => child.text).join(' '); }
  appendChild(child) {
    child.parent = this;
    this.children.push(child);
    return child;
  }
  replaceChildren(...children) { this.children = children; }
  remove() {
    this.parent.children = this.parent.children.filter(child => child !== this);
    if (this.parent.value === this.value) this.parent.value = '';
  }
}

const emulator = spawn(process.argv[2], ['--state', ':memory:', '--die-with-parent',
                       '--announce-fd', '3', '--control-token', 'a-token-of-16-or-more'],
                       {stdio: ['ignore', 'inherit', 'inherit', 'pipe']});
const {base_url: url} = JSON.parse(await new Promise(done => emulator.stdio[3].once('data', done)));
try {
  const html = await (await fetch(url + '/')).text();
  const script = html.match(/<script>([^]*)<\/script>/)[1].replace(/^run\(\);$/m, '');
  const elements = {};
  for (const [, tag, id] of html.matchAll(/<(\w+) id="(\w+)"/g)) elements[id] = new Element(tag);
  elements.scope.appendChild(new Element('option'));
  const document = {getElementById: id => elements[id], createElement: tag => new Element(tag)};
  const asked = [];
  const page_fetch = (path, options) => {
    asked.push(options.headers);
    return fetch(url + path, options);
  };
  const refresh = new Function('document', 'fetch', 'setTimeout', script + '; return refresh;')(
      document, page_fetch, () => {});

  // Tests with names that no header can have.
  for (const name of ['größe', '日本 %/?']) {
    const base = `${url}/_test/${encodeURIComponent(name)}`;
    await fetch(base + '/_emulator/answers', {
      method: 'POST', headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({answer: {text: `for ${name}`}})});
    await fetch(base + '/v1/chat/completions', {
      method: 'POST',
      headers: {'Content-Type': 'application/json', Authorization: 'Bearer svc-demo-key'},
      body: JSON.stringify({model: 'svc-4.5', messages: [{role: 'user', content: 'asked'}]})});
    await refresh();
    elements.scope.value = name;
    await refresh();
    assert.match(elements.rules.text, new RegExp(`for ${name.replace('?', '.')}.* 1 1`));
    assert.match(elements.requests.text, /1 POST \/v1\/chat\/completions 200 .*asked.*chat.completion/);
    assert.match(elements.state.textContent, /Clock: 20.*credit_cents 1000000/);
  }
  const {scopes} = await (await fetch(url + '/_emulator/scopes')).json();
  assert.deepEqual(scopes.sort(), ['größe', '日本 %/?'].sort(), 'the page created no other');

  // A test that has ended leaves the list, and the page does not begin it again.
  await fetch(`${url}/_test/${encodeURIComponent('größe')}/_emulator/reset`, {method: 'POST'});
  elements.scope.value = 'größe';
  await refresh();
  assert.equal(elements.scope.value, '');
  assert.deepEqual((await (await fetch(url + '/_emulator/scopes')).json()).scopes, ['日本 %/?']);

  elements.token.value = 'a-token-of-16-or-more';
  await refresh();
  assert.equal(asked.at(-1)['X-Control-Token'], 'a-token-of-16-or-more');
  console.log('the page works');
} finally {
  emulator.kill();
}
