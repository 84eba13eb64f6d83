// Tests both sides of MCP with its own SDK and servers: the SDK's client uses `svc mcp`, and svc
// uses the reference servers, over standard input and output and over HTTP.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client as StatelessClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as StatelessTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { close, verdict } from './judge.mjs';

const svc = process.env.SVC;

/** Runs `body`; that it ends without an error is the verdict. */
async function judge(name, body) {
  try {
    await body();
    verdict(name, true);
  } catch (error) {
    verdict(name, false, error.message);
  }
}

/** The program of an installed package. */
function program(name) {
  const manifest = join('node_modules', name, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(dirname(manifest), typeof bin === 'string' ? bin : Object.values(bin)[0]);
}

function run(...args) {
  const done = spawnSync(svc, args, { encoding: 'utf8', timeout: 60_000, input: '' });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

async function connected(args, work) {
  const client = new Client({ name: 'judge', version: '1' });
  const transport = new StdioClientTransport({ command: svc, args: ['-p', 'emulator', 'mcp', ...args], env: process.env });
  await client.connect(transport);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

// svc as a server for the SDK's client.

await judge('the client connects, and every tool passes its checks', () =>
  connected([], async (client) => {
    const { tools } = await client.listTools();
    assert.ok(tools.length > 30);
    assert.equal(client.getServerVersion().name, 'svc');
    const images = tools.find((tool) => tool.name === 'images_generate');
    assert.equal(images.inputSchema.properties.n.maximum, 10);
    assert.ok(images.inputSchema.properties.aspect_ratio.enum.includes('16:9'));
    assert.equal(images.annotations.readOnlyHint, false);
    assert.equal(tools.find((tool) => tool.name === 'files_list').annotations.readOnlyHint, true);
  }));

await judge('a model answers, an image and speech are content', () =>
  connected([], async (client) => {
    const chat = await client.callTool({ name: 'chat_create', arguments: { prompt: 'Hello' } });
    assert.match(chat.content[0].text, /Hello/);
    assert.ok(chat.structuredContent.choices.length === 1);
    const image = await client.callTool({ name: 'images_generate', arguments: { prompt: 'A fox' } });
    assert.equal(image.content[0].type, 'image');
    assert.equal(Buffer.from(image.content[0].data, 'base64').readUInt16BE(0), 0xffd8);
    const speech = await client.callTool({ name: 'tts_speak', arguments: { text: 'Hello', codec: 'wav' } });
    assert.equal(speech.content[0].type, 'audio');
    assert.equal(Buffer.from(speech.content[0].data, 'base64').toString('latin1', 0, 4), 'RIFF');
  }));

await judge('a wrong argument is an error of the tool that says what is allowed', () =>
  connected([], async (client) => {
    const wrong = await client.callTool({ name: 'images_generate', arguments: { prompt: 'x', n: 99 } });
    assert.equal(wrong.isError, true);
    assert.match(wrong.content[0].text, /1 to 10/);
    await assert.rejects(client.callTool({ name: 'files_delete', arguments: { file_id: 'x' } }), /--allow files/);
  }));

await judge('a video tells its progress, and a canceled one is given up', () =>
  connected(['--allow', 'videos'], async (client) => {
    const news = [];
    const video = await client.callTool({ name: 'videos_generate', arguments: { prompt: 'A fox', duration: 1 } },
      undefined, { onprogress: (progress) => news.push(progress) });
    assert.equal(video.structuredContent.status, 'done');
    assert.ok(news.length > 0 && news.every((one, i) => i === 0 || one.progress > news[i - 1].progress));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 300);
    await assert.rejects(client.callTool({ name: 'videos_generate', arguments: { prompt: 'A fox', duration: 15 } },
      undefined, { signal: stop.signal }));
    assert.ok((await client.listTools()).tools.length > 0);
  }));

await judge('results become files where a directory is named', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-judge-'));
  await connected(['--output-dir', directory], async (client) => {
    const image = await client.callTool({ name: 'images_generate', arguments: { prompt: 'A fox', n: 2 } });
    assert.equal(image.content.filter((one) => one.type === 'resource_link').length, 2);
  });
  assert.equal(readdirSync(directory).length, 2);
});

await judge("the service's files are resources", async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-judge-'));
  writeFileSync(join(directory, 'note.txt'), 'a note');
  assert.equal(run('-p', 'emulator', 'files', 'upload', join(directory, 'note.txt')).code, 0);
  await connected([], async (client) => {
    const { resources } = await client.listResources();
    const note = resources.find((one) => one.name === 'note.txt');
    const { contents } = await client.readResource({ uri: note.uri });
    assert.equal(contents[0].text, 'a note');
    await assert.rejects(client.readResource({ uri: 'svc://files/none' }));
  });
});

await judge("the inspector's command line lists and calls tools", () => {
  const inspect = (...args) => spawnSync('node', [program('@modelcontextprotocol/inspector'), '--cli', svc,
    '-p', 'emulator', 'mcp', ...args], { encoding: 'utf8', timeout: 60_000 });
  const listed = inspect('--method', 'tools/list');
  assert.equal(listed.status, 0, listed.stderr);
  assert.ok(JSON.parse(listed.stdout).tools.some((tool) => tool.name === 'tokenize'));
  const called = inspect('--method', 'tools/call', '--tool-name', 'tokenize', '--tool-arg', 'text=Hello');
  assert.equal(called.status, 0, called.stderr);
  assert.ok(JSON.parse(called.stdout).structuredContent.items.length > 0);
});

await judge('the client of the revision without a handshake: tools, resources, errors, a subscription', async () => {
  const client = new StatelessClient({ name: 'judge', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StatelessTransport({ command: svc, args: ['-p', 'emulator', 'mcp'], env: process.env }));
  try {
    const { tools } = await client.listTools();
    assert.ok(tools.length > 30);
    const said = await client.callTool({ name: 'chat_create', arguments: { prompt: 'Hello' } });
    assert.match(said.content[0].text, /Hello/);
    const wrong = await client.callTool({ name: 'images_generate', arguments: { prompt: 5 } });
    assert.equal(wrong.isError, true);
    await assert.rejects(client.readResource({ uri: 'svc://files/none' }));
    const news = await client.listen({ toolsListChanged: true });
    assert.deepEqual(news.honoredFilter, {});
    await news.close();
  } finally {
    await client.close();
  }
});

// svc as a client of the reference servers.

const everything = `everything=node ${program('@modelcontextprotocol/server-everything')}`;

await judge('server-everything: tools, results, errors, progress, timeouts', () => {
  const listed = run('mcp', 'tools', everything, '--yes', '--json');
  assert.equal(listed.code, 0, listed.err);
  assert.ok(JSON.parse(listed.out).some((tool) => tool.name === 'get-sum'));
  assert.match(run('mcp', 'call', everything, 'get-sum', '{"a":2,"b":40}', '--yes').out, /42/);
  assert.equal(run('mcp', 'call', everything, 'get-sum', '{"a":"x"}', '--yes').code, 6);
  const image = run('mcp', 'call', everything, 'get-tiny-image', '--yes', '--json');
  assert.ok(JSON.parse(image.out).content.some((part) => part.type === 'image'));
  const long = run('mcp', 'call', everything, 'trigger-long-running-operation', '{"duration":1,"steps":2}', '--yes', '-v');
  assert.match(long.err, /everything: 1 of 2/);
  assert.equal(run('mcp', 'call', everything, 'trigger-long-running-operation', '{"duration":20,"steps":2}',
    '--yes', '--tool-timeout', '1s').code, 8);
});

await judge('server-filesystem: a model reads a file, with consent for reading only', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-judge-'));
  writeFileSync(join(directory, 'a.txt'), 'the secret word is heron');
  const files = `files=node ${program('@modelcontextprotocol/server-filesystem')} ${directory}`;
  const read = run('mcp', 'call', files, 'read_text_file', JSON.stringify({ path: join(directory, 'a.txt') }), '--yes');
  assert.match(read.out, /heron/);
  const outside = run('mcp', 'call', files, 'read_text_file', '{"path":"/etc/passwd"}', '--yes');
  assert.equal(outside.code, 6);
  const chat = run('-p', 'emulator', 'chat', 'Call list_allowed_directories, please', '--mcp-local', files,
    '--allow-tools', 'files.list_*');
  assert.equal(chat.code, 0, chat.err);
  assert.match(chat.err, /list_allowed_directories/);
});

await judge('server-everything over HTTP: a session, events, its end', async () => {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const server = spawn('node', [program('@modelcontextprotocol/server-everything'), 'streamableHttp'],
    { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  try {
    const url = `http=http://127.0.0.1:${port}/mcp`;
    let sum;
    for (let i = 0; i < 50 && !(sum && sum.code === 0); ++i) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      sum = run('mcp', 'call', url, 'get-sum', '{"a":2,"b":40}', '--yes');
    }
    assert.match(sum.out, /42/, sum.err);
    const long = run('mcp', 'call', url, 'trigger-long-running-operation', '{"duration":1,"steps":2}', '--yes', '-v');
    assert.match(long.err, /http: 1 of 2/);
  } finally {
    server.kill();
  }
});

await judge('a server without a handshake, over both transports: a call, its headers', async () => {
  const stdio = run('mcp', 'call', 'new=node stateless_server.mjs stdio', 'greet', '{"name":"Ann"}', '--yes', '-v');
  assert.match(stdio.out, /Hello, Ann/, stdio.err);
  assert.match(stdio.err, /revision 2026-07-28/);
  const server = spawn('node', ['stateless_server.mjs', 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = await new Promise((resolve) => server.stdout.once('data', (text) => resolve(String(text).trim())));
    const http = run('mcp', 'call', `new=http://127.0.0.1:${port}/mcp`, 'greet', '{"name":"Jürgen, 世界"}', '--yes', '-v');
    assert.match(http.out, /Hello, Jürgen, 世界/, http.err);
    assert.match(http.err, /revision 2026-07-28/);
  } finally {
    server.kill();
  }
});

close('mcp');
