import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { OFFICIAL_CLIENTS } from "../mcp/clients.ts";
import { programFolder } from "./fetched.ts";

const RUN_MS_MAX = 60_000;
const run = promisify(execFile);

/** What somebody who browses the shop calls. Nobody names a platform profile. */
const CALLS = [
  ["search_catalog", { catalog: { query: "red rose" } }],
  ["lookup_catalog", { catalog: { ids: ["rose"] } }],
  ["get_product", { catalog: { id: "rose" } }],
] as const;

/** What a client got to see of a shop. */
interface Browsed {
  readonly tools: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: UCP's own objects, checked by the test
  readonly answers: readonly any[];
  /** What it complained of on the way. */
  readonly complaints: string;
}

interface Client {
  readonly name: string;
  /** The client inside it, or its own if it has written one. */
  readonly inside: "its own" | "SDK 1" | "client 2";
  /** Undefined where the client cannot be fetched. */
  browse(url: string): Promise<Browsed | undefined>;
}

/** Ends every program: calls the tools, and prints the body of each answer. */
const BROWSE = `
function bodyOf(result) {
  if (typeof result === "string") return bodyOf(JSON.parse(result));
  if (Array.isArray(result)) return bodyOf(result.find(({ type }) => type === "text"));
  return result.structuredContent ?? (result.ucp ? result : bodyOf(result.content ?? result.text));
}
const [url, calls] = process.argv.slice(2);
const { tools, call, close } = await open(url);
const answers = [];
for (const [name, args] of JSON.parse(calls)) answers.push(bodyOf(await call(name, args)));
await close();
process.stdout.write(JSON.stringify({ tools, answers }));
`;

/** A client from npm, in a program as its documentation has it. */
function fetchedClient(
  inside: Client["inside"],
  packages: readonly [string, ...string[]],
  program: string,
): Client {
  return {
    name: packages[0],
    inside,
    async browse(url) {
      const home = await programFolder(packages);
      if (home === undefined) return undefined;
      const folder = mkdtempSync(join(home.folder, "run-"));
      try {
        const file = join(folder, "browse.mjs");
        writeFileSync(file, program + BROWSE);
        const args = [file, url, JSON.stringify(CALLS)];
        const env = { PATH: process.env.PATH, HOME: folder };
        const { stdout, stderr } = await run(home.node, args, { env, timeout: RUN_MS_MAX });
        return { ...JSON.parse(stdout), complaints: stderr };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** The official client of one line, in this process. */
function officialClient(
  inside: Client["inside"],
  { name, connect }: (typeof OFFICIAL_CLIENTS)[number],
): Client {
  return {
    name: `the official ${name}`,
    inside,
    async browse(url) {
      const client = await connect(url);
      const { tools } = await client.listTools();
      const answers = [];
      for (const [tool, args] of CALLS) {
        const result = await client.callTool({ name: tool, arguments: args });
        answers.push(result.structuredContent);
      }
      await client.close();
      return { tools: tools.map((tool) => tool.name), answers, complaints: "" };
    },
  };
}

/** The command line of MCP's inspector: one process for each call. It also judges the schemas of the tools. */
const INSPECTOR: Client = {
  name: "@modelcontextprotocol/inspector@2.12.0",
  inside: "client 2",
  async browse(url) {
    const home = await programFolder([INSPECTOR.name]);
    if (home === undefined) return undefined;
    const launcher = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    const server = ["--cli", url, "--transport", "http"];
    let complaints = "";
    const inspect = async (...args: readonly string[]) => {
      const all = [join(home.folder, launcher), ...server, "--method", ...args];
      const { stdout, stderr } = await run(home.node, all, { timeout: RUN_MS_MAX });
      complaints += stderr;
      return JSON.parse(stdout);
    };
    const { tools } = await inspect("tools/list", "--strict");
    const answers = [];
    for (const [tool, { catalog }] of CALLS) {
      const args = ["--tool-name", tool, "--tool-arg", `catalog=${JSON.stringify(catalog)}`];
      answers.push((await inspect("tools/call", ...args)).structuredContent);
    }
    return { tools: tools.map(({ name }: { name: string }) => name), answers, complaints };
  },
};

const [V1, , V2] = OFFICIAL_CLIENTS;

/** MCP clients of other people. Three have written their own; the others build on an official one. */
export const MCP_CLIENTS: readonly Client[] = [
  officialClient("its own", V1),
  officialClient("its own", V2),
  INSPECTOR,
  fetchedClient(
    "its own",
    ["@ai-sdk/mcp@2.0.97", "zod@4.6.7"],
    `
import { createMCPClient } from "@ai-sdk/mcp";
async function open(url) {
  const client = await createMCPClient({ transport: { type: "http", url } });
  const tools = await client.tools();
  const call = (name, args) => tools[name].execute(args, { toolCallId: name, messages: [] });
  return { tools: Object.keys(tools), call, close: () => client.close() };
}`,
  ),
  fetchedClient(
    "SDK 1",
    [
      "@langchain/mcp-adapters@1.1.4",
      "@langchain/core@1.2.13",
      "@langchain/langgraph@1.4.13",
      "zod@4.6.7",
    ],
    `
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
async function open(url) {
  const client = new MultiServerMCPClient({ mcpServers: { shop: { transport: "http", url } } });
  const tools = await client.getTools();
  const call = (name, args) => tools.find((tool) => tool.name === name).invoke(args);
  return { tools: tools.map(({ name }) => name), call, close: () => client.close() };
}`,
  ),
  fetchedClient(
    "client 2",
    ["@openai/agents-core@0.20.0", "@modelcontextprotocol/client@2.4.0", "zod@4.6.7"],
    `
import { getAllMcpTools, MCPServerStreamableHttp, RunContext } from "@openai/agents-core";
async function open(url) {
  const server = new MCPServerStreamableHttp({ url, name: "shop" });
  await server.connect();
  const tools = await getAllMcpTools([server]);
  const call = (name, args) => {
    const tool = tools.find((tool) => tool.name === name);
    return tool.invoke(new RunContext(), JSON.stringify(args));
  };
  return { tools: tools.map(({ name }) => name), call, close: () => server.close() };
}`,
  ),
  fetchedClient(
    "client 2",
    ["@mastra/mcp@2.0.0", "@mastra/core@1.71.0", "zod@4.6.7"],
    `
import { MCPClient } from "@mastra/mcp";
async function open(url) {
  const client = new MCPClient({ servers: { shop: { url: new URL(url) } } });
  const { shop } = await client.listToolsets();
  const call = (name, args) => shop[name].execute(args, {});
  return { tools: Object.keys(shop), call, close: () => client.disconnect() };
}`,
  ),
  fetchedClient(
    "SDK 1",
    ["@tanstack/ai-mcp@0.2.5", "@tanstack/ai@0.42.0"],
    `
import { createMCPClient } from "@tanstack/ai-mcp";
async function open(url) {
  const client = await createMCPClient({ transport: { type: "http", url } });
  const tools = await client.tools();
  const call = (name, args) => tools.find((tool) => tool.name === name).execute(args);
  return { tools: tools.map(({ name }) => name), call, close: () => client.close() };
}`,
  ),
];
