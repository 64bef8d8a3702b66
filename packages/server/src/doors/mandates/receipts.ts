import { hash } from "node:crypto";
import { type JsonObject, signTagged } from "@gatehouse/protocol";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import { isoTime } from "../../platform/clock.js";
import type { HttpEnv } from "../../platform/http/env.js";

type C = HonoContext<HttpEnv>;

/** Whether a client asks for a receipt (RFC 7240). */
function wantsReceipt(c: C): boolean {
  return /(?:^|[\s,;])return=receipt(?:[\s,;]|$)/i.test(c.req.header("prefer") ?? "");
}

/** What requests were made of, for as long as they last. */
const bodies = new WeakMap<Request, Uint8Array>();

/** Notes the bytes of a body, which a receipt will name. */
export function noteBody(request: Request, bytes: Uint8Array): void {
  bodies.set(request, bytes);
}

function digestOf(request: Request): string | null {
  const bytes = bodies.get(request);
  return bytes === undefined ? null : hash("sha256", bytes, "hex");
}

/**
 * Answers with a signed receipt, where one is asked for: what was sent, what was answered and when,
 * by the key the audit log is signed with. Whoever holds it can prove the answer to anybody.
 */
export function withReceipts(
  context: Context,
  route: (c: C) => Promise<Response>,
): (c: C) => Promise<Response> {
  return async (c) => {
    const response = await route(c);
    if (!wantsReceipt(c)) return response;
    const answer = (await response.clone().json()) as JsonObject;
    const { signer } = await context.audit.key();
    const signed = {
      ...{ v: 1, type: "receipt", site_key: c.req.param("site") ?? "" },
      issued_at: isoTime(context.clock.now()),
      request_sha256: digestOf(c.req.raw),
      ...{ status: response.status, answer },
    };
    const signature = await signTagged("receipt", signed, signer);
    const receipt = { signed, envelope: { alg: "EdDSA", kid: signer.kid, signature } };
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    headers.set("preference-applied", "return=receipt");
    const body = JSON.stringify({ ...answer, receipt });
    return new Response(body, { status: response.status, headers });
  };
}
