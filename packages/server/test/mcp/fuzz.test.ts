import {
  JSONRPCErrorResponseSchema,
  JSONRPCResultResponseSchema,
} from "@modelcontextprotocol/core";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { mutatedJson } from "../../../protocol/test/fuzz.ts";
import { cleanUp } from "../harness.ts";
import { INITIALIZE, mcpShop } from "./asking.ts";

/** A sample in `npm test`; `npm run test:long` asks for the full count. */
const RUNS = Number(process.env.MCP_FUZZ_RUNS ?? 500);
const SEED = Number(process.env.FUZZ_SEED ?? 2026);
const ANSWER_MS_MAX = 10_000;

let shop: Awaited<ReturnType<typeof mcpShop>>;
beforeAll(async () => {
  const most = "1000000";
  shop = await mcpShop({
    env: {
      GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: most,
      GATEHOUSE_MCP_CALLS_PER_SITE_PER_MINUTE: most,
    },
  });
  return cleanUp;
});

const anything = fc.jsonValue({ maxDepth: 3 });
const mostly = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 4, arbitrary: good as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: anything },
  );

const META = "io.modelcontextprotocol/";
const meta = fc.record(
  {
    [`${META}protocolVersion`]: mostly(fc.constantFrom("2026-07-28", "2025-06-18", "1999-01-01")),
    [`${META}clientCapabilities`]: mostly(fc.constant({})),
    [`${META}clientInfo`]: mostly(fc.constant({ name: "fuzz", version: "0" })),
    progressToken: anything,
  },
  { requiredKeys: [] },
);

const params = fc.oneof(
  anything,
  fc.constant(INITIALIZE),
  fc.record(
    {
      name: mostly(fc.constantFrom("get_pricing", "sign_up", "nothing", "__proto__", "toString")),
      arguments: mostly(fc.record({ question: mostly(fc.string()) }, { requiredKeys: [] })),
      cursor: anything,
      _meta: mostly(meta),
    },
    { requiredKeys: [] },
  ),
);

const METHODS = [
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "server/discover",
  "notifications/initialized",
  "resources/list",
  "toString",
  "",
];

const message = fc.record(
  {
    jsonrpc: mostly(fc.constant("2.0")),
    id: mostly(fc.oneof(fc.integer(), fc.string())),
    method: mostly(fc.constantFrom(...METHODS)),
    params: mostly(params),
    result: anything,
  },
  { requiredKeys: ["jsonrpc", "method"] },
);

/** Whole messages, messages with a byte or two changed, and any other JSON or nearly JSON. */
const bodies = fc.oneof(
  { weight: 6, arbitrary: message.map((value) => JSON.stringify(value)) },
  {
    weight: 3,
    arbitrary: fc.tuple(message, fc.nat(), fc.string({ maxLength: 3 })).map(([value, at, junk]) => {
      const text = JSON.stringify(value);
      return text.slice(0, at % text.length) + junk + text.slice((at % text.length) + 1);
    }),
  },
  { weight: 2, arbitrary: mutatedJson },
);

const visible = fc.string({ maxLength: 60 }).map((text) => text.replace(/[^!-~]/g, ""));
const headers = fc.record(
  {
    "mcp-protocol-version": fc.oneof(fc.constantFrom("2026-07-28", "2025-06-18"), visible),
    "mcp-method": fc.oneof(fc.constantFrom(...METHODS), visible),
    "mcp-name": fc.oneof(fc.constantFrom("get_pricing", "=?base64?Z2V0X3ByaWNpbmc=?="), visible),
    "mcp-session-id": visible,
    accept: fc.constantFrom("application/json, text/event-stream", "text/event-stream", "*/*"),
    "content-type": fc.constantFrom("application/json", "application/json", "text/plain"),
  },
  { requiredKeys: [] },
);

/** Requests of the stateless revision whose head fits, so that what is inside comes to count. */
const stateless = fc
  .tuple(fc.constantFrom(...METHODS.slice(0, -1)), fc.string(), mostly(fc.constant({})), anything)
  .map(([method, name, args, cursor]) => {
    const version = { [`${META}protocolVersion`]: "2026-07-28" };
    const _meta = { ...version, [`${META}clientCapabilities`]: {} };
    const sent = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
    const encoded = `=?base64?${Buffer.from(name).toString("base64")}?=`;
    const request = { method, params: { name, arguments: args, cursor, _meta } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...request });
    return [body, { ...sent, "mcp-name": encoded }] as const;
  });
const requests = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(bodies, headers) },
  { weight: 1, arbitrary: stateless },
);

/** The id of the request a body holds, where it holds one whose id can be read. */
function sentId(body: string): unknown {
  try {
    const { id } = JSON.parse(body) ?? {};
    return typeof id === "string" || Number.isSafeInteger(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

test(`${RUNS} fuzzed bodies are answered with JSON-RPC or a documented status`, {
  timeout: 60_000 + RUNS * 20,
}, async () => {
  const seen = new Set<number>();
  const property = fc.asyncProperty(requests, async ([body, sent]) => {
    const init = { method: "POST", body, signal: AbortSignal.timeout(ANSWER_MS_MAX) };
    const type = { "content-type": "application/json" };
    const response = await fetch(shop.url, { ...init, headers: { ...type, ...sent } });
    const text = await response.text();
    seen.add(response.status);
    expect([200, 202, 400, 404, 415]).toContain(response.status);
    if (response.status === 202) {
      expect(text).toBe("");
      return;
    }
    const answer = JSON.parse(text);
    const schema = "result" in answer ? JSONRPCResultResponseSchema : JSONRPCErrorResponseSchema;
    expect(schema.safeParse(answer).error).toBeUndefined();
    // Whoever can be named is named: a client waits for its own id.
    const nameless = response.status === 415 || [-32700, -32600].includes(answer.error?.code);
    if (!nameless) expect(answer.id).toBe(sentId(body));
  });
  await fc.assert(property, { numRuns: RUNS, seed: SEED });
  expect([...seen].sort()).toEqual([200, 202, 400, 404, 415]);
});
