import {
  type JsonObject,
  type Signer,
  signUcpAnswer,
  UCP_VERSION,
  type UcpCapability,
} from "@gatehouse/protocol";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import type { HttpEnv } from "../server/env.js";

const JSON_TYPE = "application/json";
/** What a caller may name its request by. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

export interface UcpBody {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Nothing came of the call: whatever it wrote is taken back. */
  readonly undone?: true;
  /** It is still under way: asked again, it may be told more. */
  readonly unsettled?: true;
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

/** What a shop says when it has nothing to show: an outcome of business, so its status is 200. */
export function errorAnswers(messages: readonly JsonObject[]): UcpBody {
  const ucp = { version: UCP_VERSION, status: "error" };
  return { status: 200, body: { ucp, messages: [...messages] }, undone: true };
}

export function errorAnswer(code: string, content: string): UcpBody {
  return errorAnswers([{ type: "error", code, content, severity: "unrecoverable" }]);
}

/** Sends an answer that belongs to no site, because none was looked up yet. */
export function sendPlain(
  c: HonoContext<HttpEnv>,
  { status, body, headers = {} }: UcpBody,
): Response {
  return c.json(body, status as 200, { ...headers, connection: "close" });
}

/** Sends an answer of a site, signed with the site's own key (RFC 9421). */
export async function sendSigned(
  { clock }: Pick<Context, "clock">,
  c: HonoContext<HttpEnv>,
  signer: Signer,
  { status, body, headers = {} }: UcpBody,
): Promise<Response> {
  const bytes = Buffer.from(JSON.stringify(body), "utf8");
  const nowS = Math.floor(clock.now() / 1000);
  const signed = await signUcpAnswer({ status, type: JSON_TYPE, body: bytes }, signer, nowS);
  for (const [name, value] of Object.entries({ ...signed, ...headers })) c.header(name, value);
  const requestId = c.req.header("request-id");
  if (requestId !== undefined && REQUEST_ID.test(requestId)) c.header("request-id", requestId);
  c.header("content-type", JSON_TYPE);
  c.header("content-length", String(bytes.length));
  return c.body(bytes, status as 200);
}
