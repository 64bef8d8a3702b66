import { sha256, toHex } from "../bytes.js";
import { movesMoney, PLACE_ORDER } from "../discovery/built-in-skills.js";
import { isSkillId } from "../discovery/skills.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import type { Signer } from "../keys/signer.js";
import { acceptsMandates } from "../protocols.js";
import { ok, type Result, refuse } from "../result.js";
import { type Envelope, readEnvelope, readSignedMessage, readWireTime } from "../signed-message.js";
import { signTagged, taggedBytes } from "../tagged.js";

/** Longest body of a mandate, in bytes. */
export const MANDATE_BYTES_MAX = 8192;

const MANDATE_ID = /^[A-Za-z0-9_-]{16,64}$/;
const AGENT_ID = /^agt_[A-Za-z0-9_-]{8,64}$/;

/**
 * Whether a text can be the id of an agent.
 *
 * @example
 * isAgentId("agt_4Zk1mVfQ"); //=> true
 * isAgentId("agt_"); //=> false
 */
export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text);
}
/** The payment providers that are built in, as mandates name them. */
const HANDLERS: readonly string[] = ["stripe", "sandbox"];

/** The payment provider that authorizes a payment, by its name. */
export type PaymentHandler = string;
const TOKEN_CHARS_MAX = 512;

/** How a mandate pays: a token of the processor's, which is in no log and no record. */
export interface MandatePayment {
  readonly handler: PaymentHandler;
  readonly token: string;
}

/** A mandate whose form is right. Nothing about it is proven yet. */
export interface Mandate {
  readonly mandateId: string;
  readonly agentId: string;
  readonly siteKey: string;
  readonly audience: string;
  /** Milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly skill: string;
  readonly arguments: JsonObject;
  readonly protocol: string;
  /** As declared; whether it is money is found out where it is priced. */
  readonly cart: { readonly total: JsonValue; readonly currency: JsonValue } | undefined;
  readonly payment: MandatePayment | undefined;
  /** Evidence of the protocol came along. */
  readonly evidence: boolean;
  readonly envelope: Envelope;
  /** The very object that was signed. */
  readonly signed: JsonObject;
}

/** Why a body is no mandate, in the order in which it is looked at. */
export type MandateFault = "schema_invalid" | "protocol_unsupported" | "unsupported_version";

/** The members that `signed` may have. An unknown member could change the meaning of the others. */
const SIGNED_MEMBERS = [
  "v",
  "mandate_id",
  "agent_id",
  "site_key",
  "audience",
  "issued_at",
  "expires_at",
  "skill",
  "arguments",
  "payment",
  "protocol_context",
  "evidence",
];
const PAYMENT_MEMBERS = ["handler", "token"];

const hasUnknown = (value: JsonObject, known: readonly string[]) =>
  Object.keys(value).some((name) => !known.includes(name));

function readPayment(
  value: JsonValue | undefined,
  handlers: readonly string[],
): Result<MandatePayment | undefined, "invalid"> {
  if (value === undefined) return ok(undefined);
  if (!isJsonObject(value)) return refuse("invalid", "`payment` must be an object");
  const handler = handlers.find((name) => name === value.handler);
  const { token } = value;
  if (hasUnknown(value, PAYMENT_MEMBERS)) {
    return refuse("invalid", "`payment` has an unknown member");
  }
  if (handler === undefined) {
    return refuse("invalid", `\`payment.handler\` must be ${handlers.join(" or ")}`);
  }
  if (typeof token !== "string" || token === "" || token.length > TOKEN_CHARS_MAX) {
    return refuse("invalid", "`payment.token` must be a string");
  }
  return ok(Object.freeze({ handler, token }));
}

function text(value: JsonValue | undefined, holds: (text: string) => boolean): string | undefined {
  return typeof value === "string" && holds(value) ? value : undefined;
}

/** What a mandate that moves money lacks; undefined where it lacks nothing. */
function missingMoney(
  skill: string,
  cart: Mandate["cart"],
  payment: MandatePayment | undefined,
): string | undefined {
  if (!movesMoney(skill)) return undefined;
  if (cart === undefined || cart.total === null || cart.currency === null) {
    return "`protocol_context` must have `cart_total` and `cart_currency`: this skill moves money";
  }
  if (skill === PLACE_ORDER) {
    return payment === undefined ? "`payment` is missing: this skill moves money" : undefined;
  }
  return payment === undefined
    ? undefined
    : "`payment` must be left out: the instrument in `arguments` pays";
}

/** The members of `signed`, each by its own rule; the first that fails is named. */
function readSigned(
  signed: JsonObject,
  handlers: readonly string[],
): Result<Omit<Mandate, "envelope" | "protocol">, "invalid"> {
  if (hasUnknown(signed, SIGNED_MEMBERS)) {
    return refuse("invalid", "`signed` has an unknown member");
  }
  const mandateId = text(signed.mandate_id, (id) => MANDATE_ID.test(id));
  const agentId = text(signed.agent_id, isAgentId);
  const siteKey = text(signed.site_key, () => true);
  const audience = text(signed.audience, () => true);
  const issuedAt = readWireTime(signed.issued_at);
  const expiresAt = readWireTime(signed.expires_at);
  const skill = text(signed.skill, isSkillId);
  if (mandateId === undefined)
    return refuse("invalid", "`mandate_id` must have 16 to 64 characters of A-Za-z0-9_-");
  if (agentId === undefined) return refuse("invalid", "`agent_id` must be the id of an agent");
  if (siteKey === undefined) return refuse("invalid", "`site_key` must be a string");
  if (audience === undefined) return refuse("invalid", "`audience` must be a string");
  if (issuedAt === undefined) return refuse("invalid", "`issued_at` must be an ISO-8601 UTC time");
  if (expiresAt === undefined) {
    return refuse("invalid", "`expires_at` must be an ISO-8601 UTC time");
  }
  if (skill === undefined) return refuse("invalid", "`skill` must be the id of a skill");
  const { arguments: given = {}, protocol_context: context, evidence } = signed;
  if (!isJsonObject(given)) return refuse("invalid", "`arguments` must be an object");
  const payment = readPayment(signed.payment, handlers);
  if (!payment.ok) return payment;
  if (evidence !== undefined && !Array.isArray(evidence)) {
    return refuse("invalid", "`evidence` must be a list");
  }
  const { cart_total: total, cart_currency: currency } = context as JsonObject;
  const cart =
    total === undefined && currency === undefined
      ? undefined
      : { total: total ?? null, currency: currency ?? null };
  const missing = missingMoney(skill, cart, payment.value);
  if (missing !== undefined) return refuse("invalid", missing);
  return ok({
    mandateId,
    agentId,
    siteKey,
    audience,
    issuedAt,
    expiresAt,
    skill,
    cart,
    signed,
    arguments: given,
    payment: payment.value,
    evidence: evidence !== undefined,
  });
}

/**
 * Reads a mandate strictly: parts, protocol, version, shape, in this order. A protocol that is not
 * taken is told before anything else of the mandate is looked at (contract 5.3). `handlers` are the payment
 * providers that it may name.
 *
 * @example
 * readMandate({ signed: {}, envelope: {} }).reason; //=> "protocol_unsupported"
 * readMandate([]).reason; //=> "schema_invalid"
 */
export function readMandate(
  body: JsonValue,
  handlers: readonly string[] = HANDLERS,
): Result<Mandate, MandateFault> {
  const parts = readSignedMessage(body);
  if (!parts.ok) return parts;
  const { signed, envelope } = parts.value;
  const context = signed.protocol_context;
  const protocol = isJsonObject(context) ? context.protocol : undefined;
  if (typeof protocol !== "string" || !acceptsMandates(protocol)) {
    return refuse("protocol_unsupported", "`protocol_context.protocol` must be a2a, ap2 or mcp");
  }
  if (signed.v !== 1) return refuse("unsupported_version", "`v` must be 1");
  const sealed = readEnvelope(envelope, ["evidence"]);
  if (!sealed.ok) return sealed;
  const read = readSigned(signed, handlers);
  if (!read.ok) return refuse("schema_invalid", read.detail);
  const evidence = read.value.evidence || envelope.evidence !== undefined;
  return ok(Object.freeze({ ...read.value, protocol, evidence, envelope: sealed.value }));
}

/**
 * What two submissions of one mandate have in common: SHA-256, in hex, over the bytes that were
 * signed. The signature itself would not do: whoever has the key can make many.
 *
 * @example
 * (await mandateDigest({ v: 1 })).length; //=> 64
 */
export async function mandateDigest(signed: JsonObject): Promise<string> {
  return toHex(await sha256(taggedBytes("mandate", signed)));
}

/**
 * Signs a mandate: what an agent sends.
 *
 * @example
 * const { signer } = await generateEd25519("A".repeat(43));
 * (await signMandate({ v: 1 }, signer)).envelope.alg; //=> "EdDSA"
 */
export async function signMandate(signed: JsonObject, signer: Signer) {
  const signature = await signTagged("mandate", signed, signer);
  return { signed, envelope: { alg: "EdDSA", kid: signer.kid, signature } } as const;
}
