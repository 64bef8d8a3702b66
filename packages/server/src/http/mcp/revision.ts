import {
  isJsonObject,
  type JsonObject,
  MCP_REVISIONS,
  MCP_STATELESS_REVISION,
} from "@gatehouse/protocol";
import type { Answer, Exchange } from "../server/exchange.js";
import type { RpcRequest } from "./message.js";
import { errorAnswer, RPC } from "./rpc.js";

/** `declared`: the revision with a handshake. `stateless`: the one without. */
export type Revision = "declared" | "stateless";

/** Revisions that do not differ for a server with tools only. They are served as the declared one. */
const LIKE_DECLARED: ReadonlySet<string> = new Set(["2025-06-18", "2025-03-26", "2025-11-25"]);
const META = "io.modelcontextprotocol/";
const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;
/** An unknown version that an error repeats. */
const ECHOED = /^[!-~]{1,32}$/;

/** The revision that a request speaks, or the answer to one that cannot be served. */
export type RevisionResult =
  | { readonly kind: "served"; readonly revision: Revision }
  | { readonly kind: "refused"; readonly answer: Answer };

const DECLARED: RevisionResult = Object.freeze({ kind: "served", revision: "declared" });
const STATELESS: RevisionResult = Object.freeze({ kind: "served", revision: "stateless" });

function unsupported(request: RpcRequest, version: string): RevisionResult {
  const requested = ECHOED.test(version) ? version : "";
  const data = { supported: MCP_REVISIONS, requested };
  const message = "Unsupported protocol version";
  const error = { code: RPC.unsupportedRevision, message, data };
  return { kind: "refused", answer: errorAnswer(400, request.id, error) };
}

function mismatch({ id }: RpcRequest, message: string): RevisionResult {
  const error = { code: RPC.headerMismatch, message: `Header mismatch: ${message}` };
  return { kind: "refused", answer: errorAnswer(400, id, error) };
}

/** A header value, which is in base64 if it is not plain ASCII. */
function decoded(value: string): string {
  const [, encoded] = ENCODED.exec(value) ?? [];
  if (encoded === undefined) return value;
  return Buffer.from(encoded, "base64").toString("utf8");
}

/** 2026-07-28, Streamable HTTP, server validation: headers must agree with the body. */
function checkHeaders(request: RpcRequest, exchange: Exchange): RevisionResult {
  const { method, params } = request;
  const named = exchange.header("mcp-method");
  if (named === undefined) return mismatch(request, "Mcp-Method is missing.");
  if (named !== method)
    return mismatch(request, "Mcp-Method does not match the method in the body.");
  if (method !== "tools/call") return STATELESS;
  const tool = exchange.header("mcp-name");
  if (tool === undefined) return mismatch(request, "Mcp-Name is missing.");
  if (decoded(tool) !== params.name)
    return mismatch(request, "Mcp-Name does not match the name of the tool.");
  return STATELESS;
}

function stateless(request: RpcRequest, exchange: Exchange, meta: JsonObject): RevisionResult {
  const missing = ["protocolVersion", "clientCapabilities"].find((name) => !(META + name in meta));
  if (missing !== undefined || !isJsonObject(meta[`${META}clientCapabilities`])) {
    const message = `\`_meta\` must contain ${META}${missing ?? "clientCapabilities as an object"}.`;
    const error = { code: RPC.invalidParams, message };
    return { kind: "refused", answer: errorAnswer(400, request.id, error) };
  }
  return checkHeaders(request, exchange);
}

/**
 * The revision of a request, or the answer to one that cannot be served. A request is stateless if its
 * body says so; `initialize` and everything else belongs to the revision with a handshake.
 */
export function revisionOf(request: RpcRequest, exchange: Exchange): RevisionResult {
  const header = exchange.header("mcp-protocol-version");
  const meta = isJsonObject(request.params._meta) ? request.params._meta : {};
  const version = meta[`${META}protocolVersion`];
  if (version === undefined) {
    if (header === undefined || LIKE_DECLARED.has(header)) return DECLARED;
    if (header !== MCP_STATELESS_REVISION) return unsupported(request, header);
    return request.method === "initialize" ? DECLARED : stateless(request, exchange, meta);
  }
  if (header === undefined) return mismatch(request, "MCP-Protocol-Version is missing.");
  if (header !== version) {
    return mismatch(request, "MCP-Protocol-Version does not match the version in `_meta`.");
  }
  if (LIKE_DECLARED.has(header)) return DECLARED;
  if (header !== MCP_STATELESS_REVISION) return unsupported(request, header);
  return stateless(request, exchange, meta);
}

/** The name and version that a client gives itself. Nothing of it is proven. */
export function clientInfoOf({ method, params }: RpcRequest): JsonObject {
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const info = method === "initialize" ? params.clientInfo : meta[`${META}clientInfo`];
  return isJsonObject(info) ? info : {};
}
