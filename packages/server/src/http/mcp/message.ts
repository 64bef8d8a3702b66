import { isJsonObject, type JsonFault, type JsonObject, parseJson } from "@gatehouse/protocol";
import type { Answer } from "../server/exchange.js";
import { errorAnswer, RPC, type RpcId } from "./rpc.js";

export interface RpcRequest {
  readonly kind: "request";
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

/** A message of a client, or the answer to an invalid one. */
export type Message =
  | RpcRequest
  /** A notification, or a response, although the server sends no requests. */
  | { readonly kind: "unanswered" }
  | { readonly kind: "refused"; readonly answer: Answer };

/** Faults that make a text invalid JSON. The others are JSON that parsers read differently. */
const NOT_JSON: readonly JsonFault[] = ["syntax", "invalid_utf8", "trailing_data"];
const METHOD_CHARS_MAX = 200;
/** Values in one message. Many small values take more time to read than their bytes suggest. */
const VALUES_MAX = 5000;

function refused(code: number, message: string, id?: RpcId): Message {
  return { kind: "refused", answer: errorAnswer(400, id, { code, message }) };
}

function idIn({ id }: JsonObject): RpcId | undefined {
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as RpcId) : undefined;
}

/**
 * MCP 2025-06-18, transports: the body is one request, notification or response. Batches and requests
 * without an id, or with a null id, are refused.
 */
export function readMessage(bytes: Uint8Array): Message {
  const parsed = parseJson(bytes, { valuesMax: VALUES_MAX });
  if (!parsed.ok) {
    const code = NOT_JSON.includes(parsed.reason) ? RPC.parseError : RPC.invalidRequest;
    return refused(code, `The body is not strict JSON: ${parsed.detail}.`);
  }
  const sent = parsed.value;
  if (Array.isArray(sent)) return refused(RPC.invalidRequest, "Send one message, not a batch.");
  if (!isJsonObject(sent)) return refused(RPC.invalidRequest, "The body is not a message.");
  const id = idIn(sent);
  if (sent.jsonrpc !== "2.0") return refused(RPC.invalidRequest, '`jsonrpc` must be "2.0".', id);
  if (sent.method === undefined) return readResponse(sent, id);
  if (typeof sent.method !== "string" || sent.method.length > METHOD_CHARS_MAX) {
    return refused(RPC.invalidRequest, "`method` must be a short string.", id);
  }
  const { method, params = {} } = sent;
  if (sent.id === undefined) {
    if (method.startsWith("notifications/")) return { kind: "unanswered" };
    return refused(RPC.invalidRequest, "A request needs an `id`: a string or an integer.");
  }
  if (id === undefined) {
    return refused(RPC.invalidRequest, "`id` must be a string or an integer.");
  }
  if (!isJsonObject(params)) return refused(RPC.invalidRequest, "`params` must be an object.", id);
  return { kind: "request", id, method, params };
}

function readResponse(sent: JsonObject, id: RpcId | undefined): Message {
  const answered = sent.result !== undefined || isJsonObject(sent.error);
  if (answered && id !== undefined) return { kind: "unanswered" };
  return refused(RPC.invalidRequest, "A message has a `method`, or an `id` and a `result`.", id);
}
