import {
  isJsonObject,
  type JsonObject,
  MCP_REVISIONS,
  MCP_STATELESS_REVISION,
  movesMoney,
  type UcpRequest,
} from "@gatehouse/protocol";
import {
  type CallingClient,
  callTool,
  recordCall,
  type ToolCall,
} from "../../actions/mcp/call-tool.js";
import type { Context } from "../../context.js";
import { cutAddress } from "../../infra/addresses.js";
import type { Caller } from "../server/admission/caller.js";
import type { Reply } from "../server/front-answers.js";
import type { CallLimits, Limited } from "./call-limits.js";
import type { RpcRequest } from "./message.js";
import { callWithMandate, carriesMandate } from "./money-tool.js";
import { limitedReply } from "./replies.js";
import { clientInfoOf, type Revision } from "./revision.js";
import { errorReply, RPC, resultReply } from "./rpc.js";
import { readClient, type Session, type Sessions } from "./sessions.js";
import { callShopTool, type ShopTools } from "./shop-tool.js";
import type { SiteServer } from "./site-server.js";

/** A request whose revision is known, and what came with it. */
export interface Asked {
  readonly request: RpcRequest;
  readonly revision: Revision;
  readonly server: SiteServer;
  readonly requestId: string;
  /** Who sent it, as far as limits go. */
  readonly caller: Caller;
  /** The session header as it was sent. */
  readonly session: string | undefined;
  /** All of the request, as somebody may have signed it. */
  signed(): UcpRequest;
}

export interface MethodTools {
  readonly context: Context;
  readonly shop: ShopTools;
  readonly limits: CallLimits;
  readonly sessions: Sessions;
}

const EMPTY = "{}";

function invalidParams({ request }: Asked, message: string): Reply {
  return errorReply(200, request.id, { code: RPC.invalidParams, message });
}

/** Interface 2.8: what `initialize` holds. */
function initializeFault({ protocolVersion, capabilities, clientInfo }: JsonObject) {
  if (typeof protocolVersion !== "string") return "`protocolVersion` must be a text.";
  if (!isJsonObject(capabilities)) return "`capabilities` must be an object.";
  const { name, version } = isJsonObject(clientInfo) ? clientInfo : {};
  const named = typeof name === "string" && typeof version === "string";
  return named ? undefined : "`clientInfo` must hold `name` and `version`.";
}

/**
 * Whatever version was asked for, ours is answered. An address that opens too many sessions gets
 * none: it is served all the same, and limited by its address.
 */
function initialize(asked: Asked, { context, limits, sessions }: MethodTools): Reply {
  const { request, server, caller } = asked;
  const fault = initializeFault(request.params);
  if (fault !== undefined) return invalidParams(asked, fault);
  if (!limits.takeSession(caller.networks, context.clock.now())) {
    return resultReply(request.id, server.initialize);
  }
  const session = sessions.mint(server.siteKeyHash, readClient(clientInfoOf(request)));
  return resultReply(request.id, server.initialize, ["mcp-session-id", session]);
}

function listTools(asked: Asked): Reply {
  const { request, revision, server } = asked;
  const { cursor = "" } = request.params;
  const page = typeof cursor === "string" ? server.pages.get(cursor) : undefined;
  if (page === undefined)
    return invalidParams(asked, "The cursor is not of this list. Begin anew.");
  return resultReply(request.id, page[revision]);
}

function clientOf(
  { caller, request, revision }: Asked,
  session: Session | undefined,
): CallingClient {
  const said = revision === "stateless" ? readClient(clientInfoOf(request)) : session?.client;
  const { name, version } = said ?? {};
  return { address: cutAddress(caller.address), session: session?.id, name, version };
}

/**
 * A call with a protocol version that cannot be served. It counts for the limits like any call. `reply`
 * says what is wrong with it.
 */
export async function refuseUnservable(
  asked: Omit<Asked, "revision">,
  tools: MethodTools,
  reply: Reply,
): Promise<Reply> {
  const { request, server, requestId, caller } = asked;
  const { context } = tools;
  const { name, arguments: args = {} } = request.params;
  const client = { address: cutAddress(caller.address) };
  const call = {
    siteKeyHash: server.siteKeyHash,
    requestId,
    name,
    isKnown: server.tools.has(String(name)),
    args,
    revision: "unknown",
    client,
  };
  const limited = await limitOf(asked, tools, { session: undefined, mayPay: false });
  if (limited !== undefined) {
    const { scope, waitMs } = limited;
    await recordCall(context, call, { outcome: "rate_limited", reason: scope });
    return limitedReply(request.id, waitMs, scope);
  }
  await recordCall(context, call, { outcome: "refused", reason: "protocol_error" });
  return reply;
}

/**
 * The limits of one call: the caller's own, then the total that all anonymous callers share at the
 * site. A call with a mandate counts for that total only if its mandate is invalid.
 */
async function limitOf(
  { caller, request, server }: Omit<Asked, "revision">,
  { context, limits }: MethodTools,
  { session, mayPay }: { readonly session: Session | undefined; readonly mayPay: boolean },
): Promise<Limited | undefined> {
  const { siteKeyHash } = server;
  const { networks } = caller;
  const now = context.clock.now();
  const own = limits.takeCall({ siteKeyHash, networks, session: session?.id }, now);
  if (own !== undefined) {
    context.admission.refuse(caller, "caller_rate", own.waitMs);
    return own;
  }
  const tool = server.tools.get(String(request.params.name));
  const pays = tool !== undefined && "needsMandate" in tool && carriesMandate(request.params);
  if (mayPay && pays) return undefined;
  const dayMs = await context.recordAllowance.waitMs(siteKeyHash);
  if (dayMs > 0) return { scope: "day", waitMs: dayMs };
  const waitMs = context.admission.takeOfSite(caller, "mcp_calls", siteKeyHash);
  return waitMs > 0 ? { scope: "site", waitMs } : undefined;
}

/** `Retry-After` for a caller whose turn did not come. */
const TURN_RETRY_MS = 2000;

async function callOneTool(asked: Asked, tools: MethodTools): Promise<Reply> {
  const { request, revision, server, requestId, caller } = asked;
  const { context, sessions } = tools;
  const { siteKeyHash } = server;
  // The stateless revision has no sessions; a header of one is ignored there.
  const held = revision === "declared" ? asked.session : undefined;
  const session = held === undefined ? undefined : sessions.read(siteKeyHash, held);
  const { name, arguments: args = {} } = request.params;
  const call: ToolCall = {
    siteKeyHash,
    requestId,
    name,
    isKnown: server.tools.has(String(name)),
    args,
    revision: revision === "declared" ? (MCP_REVISIONS[0] as string) : MCP_STATELESS_REVISION,
    client: clientOf(asked, session),
  };
  const refuseLimited = async ({ scope, waitMs }: Limited): Promise<Reply> => {
    await recordCall(context, call, { outcome: "rate_limited", reason: scope });
    return limitedReply(request.id, waitMs, scope);
  };
  const limited = await limitOf(asked, tools, { session, mayPay: true });
  if (limited !== undefined) return refuseLimited(limited);
  if (typeof name !== "string") {
    await recordCall(context, call, { outcome: "refused", reason: "no_tool_named" });
    return invalidParams(asked, "`params.name` must name a tool. See tools/list.");
  }
  const tool = server.tools.get(name);
  // A decided mandate gets its first answer, even if its tool no longer exists.
  const gone = tool === undefined && movesMoney(name) && carriesMandate(request.params);
  if (gone || (tool !== undefined && "needsMandate" in tool)) {
    const besides = { meta: request.params._meta, caller };
    const { members } = await callWithMandate(tools, server.site, call, besides);
    return resultReply(request.id, server.result(revision, members));
  }
  if (tool === undefined) {
    await recordCall(context, call, { outcome: "refused", reason: "unknown_tool" });
    return invalidParams(asked, "This site has no tool of that name. See tools/list.");
  }
  if ("operation" in tool) {
    const done = await callShopTool(tools, server.site, call, {
      tool,
      client: caller,
      request: asked.signed,
    });
    if (done.ok) return resultReply(request.id, server.result(revision, done.value.members));
    return done.reply(request.id);
  }
  const turn = await context.admission.runInTurn(caller, () => callTool(context, tool, call));
  if (turn === undefined) return refuseLimited({ scope: "site", waitMs: TURN_RETRY_MS });
  return resultReply(request.id, server.result(revision, turn.done.members));
}

function unknownMethod({ request, revision }: Asked, baseUrl: string): Reply {
  const data = { docs_url: `${baseUrl}/docs/guide/mcp.md` };
  const error = { code: RPC.methodNotFound, message: "Method not found", data };
  return errorReply(revision === "declared" ? 200 : 404, request.id, error);
}

/** Answers a request of either revision. */
export function answerMethod(asked: Asked, tools: MethodTools): Reply | Promise<Reply> {
  const { request, revision, server } = asked;
  const { method, id } = request;
  if (method === "tools/call") return callOneTool(asked, tools);
  if (method === "tools/list") return listTools(asked);
  if (revision === "declared") {
    if (method === "initialize") return initialize(asked, tools);
    if (method === "ping") return resultReply(id, EMPTY);
  } else if (method === "server/discover") {
    return resultReply(id, server.discover);
  }
  return unknownMethod(asked, tools.context.config.baseUrl);
}
