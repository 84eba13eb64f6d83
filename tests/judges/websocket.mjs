// Tests svc's WebSocket client with the server of the npm package ws: everything RFC 6455 allows must
// work, and violations must end the connection with the right code and an error message.
import crypto from "node:crypto";
import http from "node:http";
import { WebSocketServer } from "ws";
import { close, svc, verdict } from "./judge.mjs";

const frame = (first, payload = Buffer.alloc(0), { masked = false } = {}) => {
  const length = payload.length < 126 ? Buffer.from([payload.length | (masked ? 0x80 : 0)])
    : Buffer.from([126, payload.length >> 8, payload.length & 255]);
  return Buffer.concat([Buffer.from([first]), length, ...(masked ? [Buffer.alloc(4)] : []), payload]);
};
const raw = (...frames) => (ws) => ws._socket.write(Buffer.concat(frames));
const text = (words) => Buffer.from(words);
const echo = (ws) => ws.on("message", (data, binary) => ws.send(data, { binary }));
const lines = (...each) => each.map((line) => `${line}\n`).join("");
const bytes = (size) => JSON.stringify({ binary: Buffer.alloc(size, 7).toString("base64") });
const LINGER = ["--linger", "400ms"];

// serve: what the server does once connected. exit, out, says: svc's expected exit code, output and
// error. closed: the code with which svc must close the connection.
const cases = {
  "text there and back": { serve: echo, input: lines("Hello", "žluťoučký 𝄞 ✓"), out: lines("Hello", "žluťoučký 𝄞 ✓"), closed: 1000 },
  "bytes there and back": { serve: echo, input: lines(bytes(3)), out: lines(bytes(3)), closed: 1000 },
  "10,000 messages in order": {
    serve: echo, closed: 1000,
    input: lines(...Array.from({ length: 10_000 }, (_, i) => `message ${i}`)),
    out: lines(...Array.from({ length: 10_000 }, (_, i) => `message ${i}`)),
  },
  "16 MB there and back": { serve: echo, input: lines("x".repeat(16_000_000)), out: lines("x".repeat(16_000_000)), closed: 1000, linger: "3s" },
  "an empty message": { serve: (ws) => { ws.send(""); ws.close(1000); }, out: "\n" },
  "fragments, a character split between them": {
    serve: raw(frame(0x01, text("€𝄞").subarray(0, 1)), frame(0x00, text("€𝄞").subarray(1, 5)), frame(0x80, text("€𝄞").subarray(5)), frame(0x88, Buffer.from([3, 232]))),
    out: lines("€𝄞"),
  },
  "fragments of nothing": { serve: raw(frame(0x01), frame(0x00), frame(0x80), frame(0x88, Buffer.from([3, 232]))), out: "\n" },
  "a ping between fragments": {
    serve: (ws) => {
      ws.on("pong", (data) => ws.send(`pong ${data}`, () => ws.close(1000)));
      raw(frame(0x01, text("Hel")), frame(0x89, text("are you there")), frame(0x80, text("lo")))(ws);
    },
    out: lines("Hello", "pong are you there"),
  },
  "a ping of 125 bytes": {
    serve: (ws) => { ws.on("pong", (data) => { ws.send(String(data.length)); ws.close(1000); }); ws.ping(Buffer.alloc(125)); },
    out: lines("125"),
  },
  "an unsolicited pong": { serve: (ws) => { ws.pong("?"); ws.send("on"); ws.close(1000); }, out: lines("on") },
  "frames sent byte by byte": {
    serve: async (ws) => {
      ws._socket.setNoDelay(true);
      for (const byte of Buffer.concat([frame(0x81, text("slowly ✓")), frame(0x88, Buffer.from([3, 232]))])) {
        ws._socket.write(Buffer.from([byte]));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    out: lines("slowly ✓"),
  },
  "permessage-deflate is not requested": { serve: (ws) => { ws.send(`[${ws.extensions}]`.repeat(100)); ws.close(1000); }, out: lines("[]".repeat(100)) },
  "a subprotocol": { serve: (ws) => { ws.send(ws.protocol); ws.close(1000); }, words: ["--subprotocol", "second", "--subprotocol", "first"], out: lines("first") },
  "closed with 1000": { serve: (ws) => ws.close(1000, "bye"), out: "" },
  "closed without a code": { serve: raw(frame(0x88)), out: "" },
  "closed with 1001": { serve: (ws) => ws.close(1001, "restart") }, // the server is going away, which is not an error
  "closed with 1008": { serve: (ws) => ws.close(1008, "not you"), exit: [3, 6, 7], says: /not you/ },
  "closed with 1011": { serve: (ws) => ws.close(1011, "out of order"), exit: [6, 7], says: /out of order/ },
  "closed with 4242": { serve: (ws) => ws.close(4242, "own rule"), exit: [6, 7], says: /own rule/ },
  "connection lost": { serve: (ws) => ws.terminate(), exit: 7, says: /clos|end|brok|cut/ },
  "connection closed within a frame": { serve: (ws) => { ws._socket.write(frame(0x81, text("Hello")).subarray(0, 4)); ws._socket.end(); }, exit: 7, says: /clos|end|brok|cut/ },
};
for (const size of [0, 125, 126, 65_535, 65_536]) {
  cases[`${size} bytes there and back`] = { serve: echo, input: lines(bytes(size)), out: lines(bytes(size)), closed: 1000 };
}
// Violations of RFC 6455: svc closes the connection with this code.
const forbidden = {
  "a reserved bit": [1002, frame(0xc1, text("x"))],
  "a reserved data opcode": [1002, frame(0x83, text("x"))],
  "a reserved control opcode": [1002, frame(0x8b)],
  "a masked frame": [1002, frame(0x81, text("x"), { masked: true })],
  "a ping in fragments": [1002, frame(0x09, text("x"))],
  "a ping of 126 bytes": [1002, frame(0x89, Buffer.alloc(126))],
  "a continuation of nothing": [1002, frame(0x80, text("x"))],
  "a message within a message": [1002, Buffer.concat([frame(0x01, text("x")), frame(0x81, text("y"))])],
  "a 64-bit length beyond the limit": [[1002, 1009], Buffer.from([0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255])],
  "text that is not UTF-8": [1007, frame(0x81, Buffer.from([0xce, 0xba, 0xe1, 0xff]))],
  "text that ends within a character": [1007, frame(0x81, Buffer.from([0xe2, 0x82]))],
  "fragments that are not UTF-8": [1007, Buffer.concat([frame(0x01, Buffer.from([0xf4])), frame(0x80, Buffer.from([0x90, 0x80, 0x80]))])],
  "a surrogate in UTF-8": [1007, frame(0x81, Buffer.from([0xed, 0xa0, 0x80]))],
  "a close of one byte": [1002, frame(0x88, Buffer.from([3]))],
  "a close with code 999": [1002, frame(0x88, Buffer.from([3, 231]))],
  "a close with code 1005": [1002, frame(0x88, Buffer.from([3, 237]))],
  "a close reason that is not UTF-8": [1007, frame(0x88, Buffer.from([3, 232, 0xff]))],
};
for (const [name, [closed, sent]] of Object.entries(forbidden)) {
  cases[name] = { serve: raw(sent), exit: 7, closed, says: /\S/, stays: true };
}

// These handshakes bypass ws, which would not send such responses.
const accept = (key) => crypto.createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
const switching = (key, ...more) => ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${accept(key)}`, ...more, "", ""].join("\r\n");
const handshakes = {
  "an accept of another key": [7, () => switching("another")],
  "an extension that was not offered": [7, (key) => switching(key, "Sec-WebSocket-Extensions: permessage-deflate")],
  "a subprotocol that was not offered": [7, (key) => switching(key, "Sec-WebSocket-Protocol: chat")],
  "no upgrade": [7, (key) => switching(key).replace("Upgrade: websocket\r\n", "")],
  "refused with 401": [3, () => "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"],
  "refused with 404": [4, () => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"],
  "headers in other cases": [0, (key) => switching(key).replace("Upgrade: websocket", "uPGRADE: WebSocket").replace("Connection: Upgrade", "connection: keep-alive, UPGRADE").concat(frame(0x88, Buffer.from([3, 232])).toString("latin1"))],
};

const server = http.createServer();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: true, maxPayload: 32 << 20, handleProtocols: (offered) => (offered.has("first") ? "first" : false) });
const seen = {};
server.on("upgrade", (request, socket, head) => {
  const name = decodeURIComponent(request.url.slice(1));
  if (handshakes[name]) {
    socket.on("error", () => {});
    socket.end(handshakes[name][1](request.headers["sec-websocket-key"]), "latin1");
    return;
  }
  sockets.handleUpgrade(request, socket, head, (ws) => {
    ws.on("close", (code) => { seen[name] = { ...seen[name], closed: code }; });
    ws.on("error", (error) => { seen[name] = { ...seen[name], error: error.message }; });
    cases[name].serve(ws);
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const environment = { SVC_REALTIME_URL: `ws://127.0.0.1:${server.address().port}`, SVC_API_KEY: "judge-key-0000" };
const matches = (wanted, value) => [wanted].flat().includes(value);

for (const [name, each] of Object.entries(cases)) {
  const linger = each.linger ? ["--linger", each.linger] : LINGER;
  const words = ["api", "--socket", `/${encodeURIComponent(name)}`, ...(each.closed === 1000 ? linger : []), ...(each.words ?? [])];
  const ran = await svc(words, { input: each.input, environment });
  // The server may notice the close a little after svc has exited.
  for (let i = 0; i < 100 && each.closed && !seen[name]?.closed; ++i) await new Promise((resolve) => setTimeout(resolve, 10));
  const peer = seen[name] ?? {};
  verdict(`${name}: exit ${ran.code}`, matches(each.exit ?? 0, ran.code), ran.stderr.slice(0, 300));
  if (each.out !== undefined) verdict(`${name}: output`, ran.stdout === each.out, `${ran.stdout.slice(0, 80)} ${ran.stdout.length} of ${each.out.length}`);
  if (each.says) verdict(`${name}: message`, each.says.test(ran.stderr), ran.stderr);
  if (each.closed) verdict(`${name}: close code`, matches(each.closed, peer.closed), `code ${peer.closed}, not ${each.closed}`);
  verdict(`${name}: frames of svc`, !peer.error, peer.error);
}
for (const [name, [exit]] of Object.entries(handshakes)) {
  const ran = await svc(["api", "--socket", `/${encodeURIComponent(name)}`, "--retries", "0"], { environment });
  verdict(`${name}: exit ${ran.code}`, ran.code === exit, ran.stderr);
}
close("websocket client");
