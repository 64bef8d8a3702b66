import {
  canonicalize,
  isJsonObject,
  type JsonObject,
  type UcpRequest,
  utf8,
} from "@gatehouse/protocol";
import { recordCall, type ToolCall } from "../../actions/mcp/call-tool.js";
import { type ShopTool, type ToolResult, toolResult } from "../../actions/mcp/tools.js";
import type { Context } from "../../context.js";
import type { Site } from "../../domain/sites/site.js";
import type { Caller as Client } from "../server/admission/caller.js";
import type { Reply } from "../server/front-answers.js";
import { type Caller, proven } from "../ucp/caller.js";
import { asUcp, type UcpFault, UcpProblem } from "../ucp/fault.js";
import type { Operation } from "../ucp/operation.js";
import { OPERATIONS, type UcpService } from "../ucp/service.js";
import { errorReply, RPC, type RpcId } from "./rpc.js";

/** What a tool calls the payload of its operation: `catalog`, `cart` or `checkout`. */
function payloadName(tool: string): "catalog" | "cart" | "checkout" {
  if (tool.endsWith("_cart")) return "cart";
  return tool.endsWith("_checkout") ? "checkout" : "catalog";
}

/** Calls whose retry would be felt: UCP wants a key with them. */
const KEYED = ["complete_checkout", "cancel_checkout", "cancel_cart"];

interface ReadCall {
  /** As the header `UCP-Agent` would say it. */
  readonly agent: string;
  readonly key: string | undefined;
  readonly id: string;
  readonly body: JsonObject;
}

const invalid = (content: string) => new UcpProblem("invalid_request", content);

/** `{meta, id?, catalog | cart | checkout}`, as UCP's MCP binding has it. */
function readCall(tool: string, args: ToolCall["args"]): ReadCall {
  if (!isJsonObject(args)) throw invalid("`arguments` must be an object.");
  const meta = isJsonObject(args.meta) ? args.meta : {};
  const named = isJsonObject(meta["ucp-agent"]) ? meta["ucp-agent"].profile : undefined;
  // As the header would say it: a quoted text, in which these two would end or hide something.
  const plain = typeof named === "string" && !/["\\]/.test(named);
  const key = meta["idempotency-key"];
  if (key !== undefined && typeof key !== "string") {
    throw invalid("`meta.idempotency-key` must be a text.");
  }
  if (key === undefined && KEYED.includes(tool)) {
    throw invalid("Send `meta.idempotency-key`, a new UUID for everything you want done.");
  }
  if (!plain) {
    const content = 'Name your platform in `meta`: {"ucp-agent": {"profile": "https://…"}}.';
    throw new UcpProblem("invalid_profile_url", content);
  }
  const name = payloadName(tool);
  const body = args[name] ?? {};
  if (!isJsonObject(body)) throw invalid(`\`${name}\` must be an object.`);
  const id = typeof args.id === "string" ? args.id : "";
  return { agent: `profile="${named}"`, key, id, body };
}

/** What a call comes with besides what it says. */
interface Served {
  readonly client: Client;
  /** The request it came in, which may be signed. */
  request(): UcpRequest;
}

/**
 * Whatever else came along: who pays over MCP proves that by a mandate, so what is made here is not
 * kept for those who sign requests.
 */
const unproven = ({ keys: _, ...named }: Parameters<typeof proven>[1]): Caller => ({
  ...named,
  keyId: null,
  dated: false,
});

async function operate(
  { desk, context }: { readonly desk: UcpService; readonly context: Context },
  site: Site,
  { name, args, requestId }: ToolCall,
  { operation, client, request }: Served & { readonly operation: Operation },
): Promise<ToolResult> {
  const tool = String(name);
  const { agent, key = context.ids.id("once"), id, body } = readCall(tool, args);
  const named = await desk.platformNamed(agent, client);
  const caller =
    operation.signed === "always"
      ? await proven(context, named, request(), client)
      : unproven(named);
  const answer = await desk.operate(operation, {
    site,
    caller,
    id,
    body,
    requestId,
    key,
    client,
    path: `${tool} ${id}`,
    bytes: utf8(canonicalize(body)),
  });
  const content = [{ type: "text", text: JSON.stringify(answer.body) }];
  return toolResult({ content, structuredContent: answer.body, isError: false }, "answered");
}

/** UCP's codes for what is wrong with a call (2026-08-25, error table). */
const DISCOVERY: readonly UcpFault[] = [
  ...(["invalid_profile_url", "profile_unreachable"] as const),
  ...(["profile_malformed", "version_unsupported"] as const),
];
const DISCOVERY_FAILED = -32_001;

function codeOf({ code }: UcpProblem): number {
  if (DISCOVERY.includes(code)) return DISCOVERY_FAILED;
  const asked = code === "invalid_request" || code === "request_too_large";
  return asked ? RPC.invalidParams : RPC.refused;
}

function replyOf(problem: UcpProblem): (id: RpcId) => Reply {
  const { code, message, headers } = problem;
  const wait = headers["retry-after"];
  const more = wait === undefined ? {} : { retry_after_seconds: Number(wait) };
  const error = { code: codeOf(problem), message, data: { error: code, ...more } };
  // Clients drop what other statuses carry.
  return (id) => errorReply(200, id, error, wait === undefined ? [] : ["retry-after", wait]);
}

type Done =
  | { readonly ok: true; readonly value: ToolResult }
  | { readonly ok: false; reply(id: RpcId): Reply };

/** Calls one of UCP's operations, and records it. What a shop says no to is a result, not an error. */
export async function callShopTool(
  tools: { readonly context: Context; readonly desk: UcpService },
  site: Site,
  call: ToolCall,
  { tool, ...served }: Served & { readonly tool: ShopTool },
): Promise<Done> {
  const { context } = tools;
  const operation = OPERATIONS.find((one) => one.tool === tool.operation);
  if (operation === undefined) throw new Error(`no operation is called ${tool.operation}`);
  let result: ToolResult;
  try {
    result = await operate(tools, site, call, { operation, ...served });
  } catch (error) {
    const problem = asUcp(error);
    await recordCall(context, call, { outcome: "refused", reason: problem.code });
    return { ok: false, reply: replyOf(problem) };
  }
  await recordCall(context, call, result);
  return { ok: true, value: result };
}
