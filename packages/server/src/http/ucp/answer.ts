import {
  type JsonObject,
  type Signer,
  signUcpAnswer,
  UCP_VERSION,
  type UcpCapability,
} from "@gatehouse/protocol";
import type { Reply } from "../../actions/checkout/idempotent.js";
import type { Clock } from "../../infra/clock.js";
import type { Answer } from "../server/exchange.js";

const JSON_TYPE = "application/json";
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The answer to a call, in UCP's shape. */
export interface UcpAnswer extends Reply {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The `ucp` member of an answer to one operation. */
export function ucpMember(...capabilities: readonly UcpCapability[]): JsonObject {
  return {
    version: UCP_VERSION,
    status: "success",
    capabilities: Object.fromEntries(
      capabilities.map((name) => [name, [{ version: UCP_VERSION }]]),
    ),
  };
}

/** A member of an answer, unless it would be empty. */
export const unlessEmpty = (name: string, value: JsonObject) =>
  Object.keys(value).length === 0 ? {} : { [name]: value };

/** An answer without a resource. In UCP this is a business outcome with status 200. */
export function errorAnswers(messages: readonly JsonObject[]): UcpAnswer {
  const ucp = { version: UCP_VERSION, status: "error" };
  return { status: 200, body: { ucp, messages: [...messages] }, unchanged: true };
}

export function errorAnswer(code: string, content: string): UcpAnswer {
  return errorAnswers([{ type: "error", code, content, severity: "unrecoverable" }]);
}

/** Signs an answer with the site's key (RFC 9421). `requestId` is the caller's id of the request. */
export async function signAnswer(
  { clock }: { readonly clock: Clock },
  signer: Signer,
  { status, body, headers }: UcpAnswer,
  requestId: string | undefined,
): Promise<Answer> {
  const bytes = Buffer.from(JSON.stringify(body), "utf8");
  const nowS = Math.floor(clock.now() / 1000);
  const signature = await signUcpAnswer({ status, type: JSON_TYPE, body: bytes }, signer, nowS);
  const isNamed = requestId !== undefined && REQUEST_ID.test(requestId);
  const named = isNamed ? { "request-id": requestId } : {};
  return {
    status,
    headers: { ...signature, ...headers, ...named, "content-type": JSON_TYPE },
    body: bytes,
  };
}
