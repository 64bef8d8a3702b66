import {
  GET_ORDER,
  type JsonObject,
  type JsonValue,
  MCP_REVISIONS,
  MCP_STATELESS_REVISION,
} from "@gatehouse/protocol";
import { callTool } from "../../actions/mcp/call-tool.js";
import { recordCall } from "../../actions/mcp/record-call.js";
import type { CallingClient, PlainTool, ShopTool, ToolCall } from "../../actions/mcp/tools.js";
import type { Context } from "../../context.js";
import { liveNames } from "../../domain/sites/skills.js";
import { cutAddress } from "../../infra/addresses.js";
import { type Answer, type Exchange, signedRequest } from "../server/exchange.js";
import type { CallLimits, Limited } from "./call-limits.js";
import type { RpcRequest } from "./message.js";
import { callWithMandate, carriesMandate } from "./money-tool.js";
import { callOrderTool } from "./order-tool.js";
import { clientInfoOf, type Revision } from "./revision.js";
import { errorAnswer, limitedAnswer, RPC, resultAnswer } from "./rpc.js";
import { readClient, type Session, type Sessions } from "./sessions.js";
import { callShopTool, type ShopTools } from "./shop-tool.js";
import { decidesMandate } from "./signed-link.js";
import type { SiteServer } from "./site-server.js";

/** `Retry-After` for a caller whose turn did not come. */
const TURN_RETRY_MS = 2000;

/** A message to a site's server, and the request that it came in. */
export interface McpRequest {
  readonly exchange: Exchange;
  readonly body: Uint8Array;
  readonly message: RpcRequest;
  readonly server: SiteServer;
  readonly revision: Revision;
}

export interface McpTools {
  readonly context: Context;
  readonly shop: ShopTools;
  readonly limits: CallLimits;
  readonly sessions: Sessions;
}

export function invalidParams({ message: { id } }: McpRequest, message: string): Answer {
  return errorAnswer(200, id, { code: RPC.invalidParams, message });
}

/** The tool that a call names, which may be anything that JSON can say. */
function namedTool({ tools }: SiteServer, name: JsonValue | undefined) {
  return typeof name === "string" ? tools.get(name) : undefined;
}

/**
 * The limits of one call: the caller's own, then the total that all anonymous callers share at the
 * site. A call with a mandate counts for that total only if its mandate is invalid.
 */
async function limitOf(
  { exchange, message, server }: Omit<McpRequest, "revision">,
  { context, limits }: McpTools,
  { session, mayPay }: { readonly session: Session | undefined; readonly mayPay: boolean },
): Promise<Limited | undefined> {
  const { siteKeyHash } = server;
  const { caller } = exchange;
  const { networks } = caller;
  const now = context.clock.now();
  const own = limits.takeCall({ siteKeyHash, networks, session: session?.id }, now);
  if (own !== undefined) {
    context.admission.refuse(caller, "caller_rate", own.waitMs);
    return own;
  }
  const tool = namedTool(server, message.params.name);
  const isDecided = tool !== undefined && tool.kind !== "shop" && carriesMandate(message.params);
  if (mayPay && isDecided) return undefined;
  const dayMs = await context.recordAllowance.waitMs(siteKeyHash);
  if (dayMs > 0) return { scope: "day", waitMs: dayMs };
  const waitMs = context.admission.takeOfSite(caller, "mcp_calls", siteKeyHash);
  return waitMs > 0 ? { scope: "site", waitMs } : undefined;
}

function toolCall(
  { exchange, message, server }: Omit<McpRequest, "revision">,
  revision: string,
  client: CallingClient,
): ToolCall {
  const { name, arguments: args = {} } = message.params;
  return {
    siteKeyHash: server.siteKeyHash,
    requestId: exchange.requestId,
    name,
    isKnown: namedTool(server, name) !== undefined,
    args,
    revision,
    client,
  };
}

/** Records a call that met a limit, and refuses it. */
async function refuseLimited(
  { context }: McpTools,
  { id }: RpcRequest,
  call: ToolCall,
  { scope, waitMs }: Limited,
): Promise<Answer> {
  await recordCall(context, call, { outcome: "rate_limited", reason: scope });
  return limitedAnswer(id, waitMs, scope);
}

/**
 * A call with a protocol version that cannot be served. It counts for the limits like any call. `answer`
 * says what is wrong with it.
 */
export async function refuseUnservable(
  request: Omit<McpRequest, "revision">,
  tools: McpTools,
  answer: Answer,
): Promise<Answer> {
  const { exchange, message } = request;
  const call = toolCall(request, "unknown", { address: cutAddress(exchange.caller.address) });
  const limited = await limitOf(request, tools, { session: undefined, mayPay: false });
  if (limited !== undefined) return refuseLimited(tools, message, call, limited);
  await recordCall(tools.context, call, { outcome: "refused", reason: "protocol_error" });
  return answer;
}

/** The session a request belongs to. The stateless revision has none: a header of one is ignored. */
function sessionOf({ exchange, revision, server }: McpRequest, sessions: Sessions) {
  const sent = revision === "declared" ? exchange.header("mcp-session-id") : undefined;
  return sent === undefined ? undefined : sessions.read(server.siteKeyHash, sent);
}

function clientOf(request: McpRequest, session: Session | undefined): CallingClient {
  const { exchange, message, revision } = request;
  const client = revision === "stateless" ? readClient(clientInfoOf(message)) : session?.client;
  const { name, version } = client ?? {};
  return { address: cutAddress(exchange.caller.address), session: session?.id, name, version };
}

/** The request as its signature would cover it. */
function signedIn({ body, exchange: { request } }: McpRequest, { config: { baseUrl } }: Context) {
  return signedRequest(request, { target: request.url ?? "", baseUrl, body });
}

/** Calls a tool that is known to exist, for a call whose mandate is not to be decided. */
async function callFreeTool(
  request: McpRequest,
  tools: McpTools,
  call: ToolCall,
  tool: PlainTool | ShopTool,
): Promise<Answer> {
  const { exchange, message, revision, server } = request;
  const { context } = tools;
  const { caller } = exchange;
  if (tool.kind === "shop") {
    const called = await callShopTool(tools, server.site, call, {
      tool,
      client: caller,
      request: () => signedIn(request, context),
    });
    // MCP requires that its clients accept streams (2025-06-18, transports).
    const isMcpClient = /text\/event-stream|\*\/\*/.test(exchange.header("accept") ?? "");
    if (!called.ok) return called.answer(message.id, isMcpClient);
    return resultAnswer(message.id, server.result(revision, called.value.members));
  }
  const turn = await context.admission.runInTurn(caller, () =>
    callTool(context, tool, call, caller),
  );
  if (turn === undefined) {
    return refuseLimited(tools, message, call, { scope: "site", waitMs: TURN_RETRY_MS });
  }
  return resultAnswer(message.id, server.result(revision, turn.done.members));
}

/** Answers `tools/call`. */
export async function answerCall(request: McpRequest, tools: McpTools): Promise<Answer> {
  const { exchange, message, revision, server } = request;
  const { context, sessions } = tools;
  const session = sessionOf(request, sessions);
  const version = revision === "declared" ? MCP_REVISIONS[0] : MCP_STATELESS_REVISION;
  const call = toolCall(request, version as string, clientOf(request, session));
  const limited = await limitOf(request, tools, { session, mayPay: true });
  if (limited !== undefined) return refuseLimited(tools, message, call, limited);
  const params: JsonObject = message.params;
  const { name } = params;
  if (typeof name !== "string") {
    await recordCall(context, call, { outcome: "refused", reason: "no_tool_named" });
    return invalidParams(request, "`params.name` must be the name of a tool. See tools/list.");
  }
  const tool = server.tools.get(name);
  // A decided mandate gets its first answer, even if its tool no longer exists.
  const isGone = tool === undefined && decidesMandate(name);
  const isDecided = (isGone || tool?.kind === "plain") && carriesMandate(params);
  if (isDecided || tool?.kind === "mandate") {
    const { caller } = exchange;
    const details = { meta: params._meta, caller, request: () => signedIn(request, context) };
    const { members } = await callWithMandate(tools, server.site, call, details);
    return resultAnswer(message.id, server.result(revision, members));
  }
  if (tool === undefined) {
    await recordCall(context, call, { outcome: "refused", reason: "unknown_tool" });
    const live = liveNames([...server.tools.keys()]);
    return invalidParams(request, `This site has no tool with this name. ${live} See tools/list.`);
  }
  if (name === GET_ORDER && carriesMandate(params)) {
    const details = { meta: params._meta, caller: exchange.caller };
    const { members } = await callOrderTool(context, server.site, call, details);
    return resultAnswer(message.id, server.result(revision, members));
  }
  return callFreeTool(request, tools, call, tool);
}
