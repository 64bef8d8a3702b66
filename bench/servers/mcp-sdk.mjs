/** The official servers, each as lean as its documentation allows, with the same tools. */
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, Server as ServerV2 } from "@modelcontextprotocol/server";

const [line, text] = process.argv.slice(2);
const { tools, result } = JSON.parse(text);
const IDENTITY = { name: "baseline", version: "1.0.0" };
const OPTIONS = { capabilities: { tools: {} } };

function serverV1() {
  const server = new ServerV1(IDENTITY, OPTIONS);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, () => result);
  return server;
}

function serverV2() {
  const server = new ServerV2(IDENTITY, OPTIONS);
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", () => result);
  return server;
}

/** Stateless: a server and a transport for each request, as its documentation has it. */
async function answerV1(request, response) {
  const server = serverV1();
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on("close", () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

const handlerV2 = createMcpHandler(serverV2, { responseMode: "json" });
const listener =
  line === "1" ? answerV1 : getRequestListener((request) => handlerV2.fetch(request));
const server = createServer(listener);
server.listen(0, "127.0.0.1", () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}` }),
);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
