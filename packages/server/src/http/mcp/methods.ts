import { isJsonObject, type JsonObject } from "@gatehouse/protocol";
import type { Answer } from "../server/exchange.js";
import { invalidParams, type McpRequest, type McpTools } from "./call.js";
import { clientInfoOf } from "./revision.js";
import { errorAnswer, RPC, resultAnswer } from "./rpc.js";
import { readClient } from "./sessions.js";

const EMPTY = "{}";

/** What is wrong with the parameters of `initialize` (interface 2.8); undefined if nothing is. */
function initializeFault({ protocolVersion, capabilities, clientInfo }: JsonObject) {
  if (typeof protocolVersion !== "string") return "`protocolVersion` must be a string.";
  if (!isJsonObject(capabilities)) return "`capabilities` must be an object.";
  const { name, version } = isJsonObject(clientInfo) ? clientInfo : {};
  const isNamed = typeof name === "string" && typeof version === "string";
  return isNamed ? undefined : "`clientInfo` must contain `name` and `version`.";
}

/**
 * The server answers with its own protocol version, for every version that a client names. An address
 * that opens too many sessions gets none: it is still served, and limited by its address.
 */
function initialize(request: McpRequest, { context, limits, sessions }: McpTools): Answer {
  const { exchange, message, server } = request;
  const fault = initializeFault(message.params);
  if (fault !== undefined) return invalidParams(request, fault);
  if (!limits.takeSession(exchange.caller.networks, context.clock.now())) {
    return resultAnswer(message.id, server.initialize);
  }
  const session = sessions.mint(server.siteKeyHash, readClient(clientInfoOf(message)));
  return resultAnswer(message.id, server.initialize, { "mcp-session-id": session });
}

function listTools(request: McpRequest): Answer {
  const { message, revision, server } = request;
  const { cursor = "" } = message.params;
  const page = typeof cursor === "string" ? server.pages.get(cursor) : undefined;
  if (page === undefined) {
    return invalidParams(
      request,
      "The cursor does not belong to this list. Start again without a cursor.",
    );
  }
  return resultAnswer(message.id, page[revision]);
}

function unknownMethod({ message, revision }: McpRequest, baseUrl: string): Answer {
  const data = { docs_url: `${baseUrl}/docs/guide/mcp.md` };
  const error = { code: RPC.methodNotFound, message: "Method not found", data };
  return errorAnswer(revision === "declared" ? 200 : 404, message.id, error);
}

/** Answers every method but `tools/call`, in either revision. */
export function answerMethod(request: McpRequest, tools: McpTools): Answer {
  const { message, revision, server } = request;
  const { method, id } = message;
  if (method === "tools/list") return listTools(request);
  if (revision === "declared") {
    if (method === "initialize") return initialize(request, tools);
    if (method === "ping") return resultAnswer(id, EMPTY);
  } else if (method === "server/discover") {
    return resultAnswer(id, server.discover);
  }
  return unknownMethod(request, tools.context.config.baseUrl);
}
