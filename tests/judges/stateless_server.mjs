// A server, made with MCP's own SDK, that supports only the protocol revision without a handshake:
// on standard input and output, or over HTTP on a port that it prints.
import { createServer } from 'node:http';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

function make() {
  const server = new McpServer({ name: 'stateless', version: '1' }, { capabilities: { tools: { listChanged: true } } });
  const inputSchema = fromJsonSchema({
    type: 'object', properties: { name: { type: 'string', 'x-mcp-header': 'Name' } }, required: ['name'] });
  server.registerTool('greet', { description: 'Greets', inputSchema },
    async ({ name }) => ({ content: [{ type: 'text', text: `Hello, ${name}` }] }));
  return server;
}

if (process.argv[2] === 'stdio') {
  serveStdio(make, { legacy: 'reject' });
} else {
  const handler = createMcpHandler(make, { legacy: 'reject' });
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method, headers: request.headers, signal: gone.signal,
      body: chunks.length ? Buffer.concat(chunks) : undefined }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    try {
      if (answer.body) for await (const chunk of answer.body) response.write(chunk);
    } catch { /* the client has left the stream */ }
    response.end();
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}
