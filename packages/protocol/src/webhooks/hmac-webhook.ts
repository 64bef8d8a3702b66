import { fromBase64, toBase64 } from "../base64.js";
import { concatBytes, utf8 } from "../bytes.js";
import { ok, type Result, refuse } from "../result.js";

/** A message between Gatehouse and a shop system, signed as in Standard Webhooks. */
export interface HmacMessage {
  readonly id: string;
  /** The bytes that are sent. */
  readonly body: Uint8Array;
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES_MIN = 24;
const VERSION = "v1,";
/** How old or how far ahead a message may be. */
const AGE_S_MAX = 300;
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/**
 * A secret that both sides sign with, made of random bytes.
 *
 * @example
 * hmacWebhookSecret(new Uint8Array(24)); //=> "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
 */
export function hmacWebhookSecret(bytes: Uint8Array): string {
  return SECRET_PREFIX + toBase64(bytes);
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(SECRET_PREFIX)
    ? fromBase64(secret.slice(SECRET_PREFIX.length))
    : undefined;
  if (bytes === undefined || bytes.length < SECRET_BYTES_MIN) {
    throw new TypeError(
      "the secret of a connection must be whsec_ and the base64 of 24 bytes or more",
    );
  }
  return crypto.subtle.importKey("raw", new Uint8Array(bytes), HMAC, false, ["sign", "verify"]);
}

const signedBytes = ({ id, body }: HmacMessage, timestamp: string) =>
  new Uint8Array(concatBytes(utf8(`${id}.${timestamp}.`), body));

/**
 * The headers of a signed message.
 *
 * @example
 * const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
 * const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: utf8('{"test": 2432232314}') };
 * const headers = await signHmacWebhook(message, { secret, sentAt: 1614265330000 });
 * headers["webhook-signature"]; //=> "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
 */
export async function signHmacWebhook(
  message: HmacMessage,
  { secret, sentAt }: { readonly secret: string; readonly sentAt: number },
): Promise<Readonly<Record<string, string>>> {
  const timestamp = String(Math.floor(sentAt / 1000));
  const key = await keyOf(secret);
  const mac = await crypto.subtle.sign(HMAC, key, signedBytes(message, timestamp));
  return {
    "content-type": "application/json",
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `${VERSION}${toBase64(new Uint8Array(mac))}`,
  };
}

/**
 * Whether a message or an answer was signed with the secret, not long ago.
 *
 * @example
 * const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
 * const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: utf8('{"test": 2432232314}') };
 * const signature = {
 *   timestamp: "1614265330",
 *   signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
 * };
 * const verified = await verifyHmacWebhook(message, signature, { secret, now: 1614265390000 });
 * verified.ok; //=> true
 */
export async function verifyHmacWebhook(
  message: HmacMessage,
  { timestamp, signature }: { readonly timestamp: string; readonly signature: string },
  { secret, now }: { readonly secret: string; readonly now: number },
): Promise<Result<true, "unsigned" | "old">> {
  if (!/^\d{1,12}$/.test(timestamp)) return refuse("unsigned", "webhook-timestamp is missing.");
  const key = await keyOf(secret);
  const bytes = signedBytes(message, timestamp);
  // Several signatures are separated by spaces, while a secret is being replaced.
  for (const one of signature.split(" ")) {
    const mac = one.startsWith(VERSION) ? fromBase64(one.slice(VERSION.length)) : undefined;
    if (mac === undefined || !(await crypto.subtle.verify(HMAC, key, new Uint8Array(mac), bytes))) {
      continue;
    }
    const isFresh = Math.abs(now / 1000 - Number(timestamp)) <= AGE_S_MAX;
    return isFresh ? ok(true) : refuse("old", "The message is more than 5 minutes old or ahead.");
  }
  return refuse("unsigned", "webhook-signature does not match the body and the secret.");
}
