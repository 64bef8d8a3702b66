import type { IncomingHttpHeaders } from "node:http";
import {
  isJsonObject,
  type JsonObject,
  MCP_REVISIONS,
  MCP_STATELESS_REVISION,
} from "@gatehouse/protocol";
import type { Reply } from "../server/front-answers.js";
import type { RpcRequest } from "./message.js";
import { errorReply, RPC } from "./rpc.js";

/** The revision with a handshake that is declared, or the one without. */
export type Revision = "declared" | "stateless";

/** Answers the same to a server of tools that replies in JSON: served, and not declared. */
const LIKE_DECLARED: ReadonlySet<string> = new Set(["2025-06-18", "2025-03-26", "2025-11-25"]);
const META = "io.modelcontextprotocol/";
const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;
/** How much of a version nobody knows is said back. */
const ECHOED = /^[!-~]{1,32}$/;

export type Headers = Readonly<Pick<IncomingHttpHeaders, string>>;

function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

function unsupported(request: RpcRequest, version: string): Reply {
  const requested = ECHOED.test(version) ? version : "";
  const data = { supported: MCP_REVISIONS, requested };
  const message = "Unsupported protocol version";
  return errorReply(400, request.id, { code: RPC.unsupportedRevision, message, data });
}

function mismatch({ id }: RpcRequest, message: string): Reply {
  return errorReply(400, id, { code: RPC.headerMismatch, message: `Header mismatch: ${message}` });
}

/** A header that may be written in base64, because its value may be any text. */
function decoded(value: string): string {
  const [, encoded] = ENCODED.exec(value) ?? [];
  if (encoded === undefined) return value;
  return Buffer.from(encoded, "base64").toString("utf8");
}

/** 2026-07-28, Streamable HTTP, server validation: headers say what the body says. */
function checkHeaders(request: RpcRequest, headers: Headers): Reply | undefined {
  const { method, params } = request;
  const named = headerOf(headers, "mcp-method");
  if (named === undefined) return mismatch(request, "Mcp-Method is missing.");
  if (named !== method) return mismatch(request, "Mcp-Method is not the method of the body.");
  if (method !== "tools/call") return undefined;
  const tool = headerOf(headers, "mcp-name");
  if (tool === undefined) return mismatch(request, "Mcp-Name is missing.");
  if (decoded(tool) !== params.name) return mismatch(request, "Mcp-Name is not the tool's name.");
  return undefined;
}

function stateless(request: RpcRequest, headers: Headers, meta: JsonObject): Reply | "stateless" {
  const missing = ["protocolVersion", "clientCapabilities"].find((name) => !(META + name in meta));
  if (missing !== undefined || !isJsonObject(meta[`${META}clientCapabilities`])) {
    const message = `\`_meta\` must hold ${META}${missing ?? "clientCapabilities as an object"}.`;
    return errorReply(400, request.id, { code: RPC.invalidParams, message });
  }
  return checkHeaders(request, headers) ?? "stateless";
}

/**
 * Which revision a request speaks, or why it cannot be served. One that says so in its body is
 * stateless; `initialize` and everything else belongs to the revision with a handshake.
 */
export function revisionOf(request: RpcRequest, headers: Headers): Revision | Reply {
  const header = headerOf(headers, "mcp-protocol-version");
  const meta = isJsonObject(request.params._meta) ? request.params._meta : {};
  const said = meta[`${META}protocolVersion`];
  if (said === undefined) {
    if (header === undefined || LIKE_DECLARED.has(header)) return "declared";
    if (header !== MCP_STATELESS_REVISION) return unsupported(request, header);
    return request.method === "initialize" ? "declared" : stateless(request, headers, meta);
  }
  if (header === undefined) return mismatch(request, "MCP-Protocol-Version is missing.");
  if (header !== said) {
    return mismatch(request, "MCP-Protocol-Version is not the version in `_meta`.");
  }
  if (LIKE_DECLARED.has(header)) return "declared";
  if (header !== MCP_STATELESS_REVISION) return unsupported(request, header);
  return stateless(request, headers, meta);
}

/** What a client calls itself; nobody has checked it. */
export function clientInfoOf({ method, params }: RpcRequest): JsonObject {
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const info = method === "initialize" ? params.clientInfo : meta[`${META}clientInfo`];
  return isJsonObject(info) ? info : {};
}
