import { hash } from "node:crypto";
import { signTagged } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import type { MandateAnswer } from "../server/mandate-answer.js";

/** What a receipt says was asked. */
interface Asked {
  readonly siteKey: string;
  /** The body as it came; null where it was not read to its end. */
  readonly bytes: Uint8Array | null;
}

/** Whether a client asks for a receipt (RFC 7240). */
export function wantsReceipt(prefer: string | undefined): boolean {
  return /(?:^|[\s,;])return=receipt(?:[\s,;]|$)/i.test(prefer ?? "");
}

/**
 * An answer with a signed receipt: what was sent, what was answered and when, by the key the audit
 * log is signed with. Whoever holds it can prove the answer to anybody.
 */
export async function withReceipt(
  { audit, clock }: Context,
  { siteKey, bytes }: Asked,
  { status, body, headers }: MandateAnswer,
): Promise<MandateAnswer> {
  const { signer } = await audit.key();
  const signed = {
    v: 1,
    type: "receipt",
    site_key: siteKey,
    issued_at: isoTime(clock.now()),
    request_sha256: bytes === null ? null : hash("sha256", bytes, "hex"),
    status,
    answer: body,
  };
  const signature = await signTagged("receipt", signed, signer);
  const receipt = { signed, envelope: { alg: "EdDSA", kid: signer.kid, signature } };
  const applied = { "preference-applied": "return=receipt" };
  return { status, body: { ...body, receipt }, headers: { ...headers, ...applied } };
}
