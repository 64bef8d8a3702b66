import type { JsonObject, JsonValue } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { type Envelope, readEnvelope, readSignedMessage, readWireTime } from "../signed-message.js";

/** An agent takes back what waits for a person. */
export interface Withdrawal {
  readonly siteKey: string;
  readonly agentId: string;
  readonly escalationId: string;
  /** Milliseconds. */
  readonly issuedAt: number;
  readonly envelope: Envelope;
  readonly signed: JsonObject;
}

/**
 * Reads a withdrawal: `{v: 1, type: "withdrawal", site_key, agent_id, escalation_id, issued_at}`, signed
 * under its own tag.
 *
 * @example
 * readWithdrawal({ signed: { v: 1, type: "mandate" }, envelope: {} }).reason; //=> "schema_invalid"
 */
export function readWithdrawal(
  body: JsonValue,
): Result<Withdrawal, "schema_invalid" | "unsupported_version"> {
  const parts = readSignedMessage(body);
  if (!parts.ok) return parts;
  const { signed, envelope } = parts.value;
  const { v, type, site_key, agent_id, escalation_id } = signed;
  if (v !== 1) return refuse("unsupported_version", "`v` must be 1");
  if (type !== "withdrawal") return refuse("schema_invalid", '`type` must be "withdrawal"');
  const sealed = readEnvelope(envelope);
  if (!sealed.ok) return sealed;
  const issuedAt = readWireTime(signed.issued_at);
  const named = [site_key, agent_id, escalation_id].every((name) => typeof name === "string");
  if (!named || issuedAt === undefined) {
    return refuse(
      "schema_invalid",
      "`site_key`, `agent_id`, `escalation_id` or `issued_at` is wrong",
    );
  }
  return ok(
    Object.freeze({
      siteKey: site_key as string,
      agentId: agent_id as string,
      escalationId: escalation_id as string,
      issuedAt,
      signed,
      envelope: sealed.value,
    }),
  );
}
