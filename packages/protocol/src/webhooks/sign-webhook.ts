import { createSignature, type RequestDescriptor } from "http-message-sig";
import { toBase64 } from "../base64.js";
import { sha256 } from "../bytes.js";
import type { Signer } from "../keys/signer.js";
import { WEBHOOK_TAG } from "../wire.js";

/** One try to deliver a message. */
export interface WebhookDelivery {
  /** Absolute, without a fragment. */
  readonly url: string;
  /** JSON, exactly as it is sent. */
  readonly body: Uint8Array;
  /** The same at every try. */
  readonly messageId: string;
  /** Milliseconds; of this try, so that an old request is told from a new one. */
  readonly sentAt: number;
}

/** What the signature vouches for; the query too, where there is one. */
const COVERED = ["@method", "@authority", "@path"];

/**
 * The headers of a webhook, signed as RFC 9421 says: a receiver needs the public key set of the
 * service, and no secret.
 *
 * @example
 * const { signer } = await generateEd25519("k1");
 * const delivery = { url: "https://shop.example.com/hook", body: utf8("{}"), messageId: "msg_1", sentAt: 1000 };
 * const headers = await signWebhook(delivery, signer);
 * headers["webhook-id"]; //=> "msg_1"
 * headers["webhook-timestamp"]; //=> "1"
 * headers["content-digest"]; //=> "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:"
 */
export async function signWebhook(
  { url, body, messageId, sentAt }: WebhookDelivery,
  signer: Signer,
): Promise<Readonly<Record<string, string>>> {
  if (signer.alg !== "EdDSA") throw new TypeError("signWebhook: the key is not Ed25519");
  const created = Math.floor(sentAt / 1000);
  const headers = {
    "content-type": "application/json",
    "content-digest": `sha-256=:${toBase64(await sha256(body))}:`,
    "webhook-id": messageId,
    "webhook-timestamp": String(created),
  };
  const fields = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const message: RequestDescriptor = { kind: "request", method: "POST", targetUri: url, fields };
  const query = url.includes("?") ? ["@query"] : [];
  const { signature, signatureInput } = await createSignature(message, {
    components: [...COVERED, ...query, ...Object.keys(headers)],
    parameters: { created, keyid: signer.kid, alg: "ed25519", tag: WEBHOOK_TAG },
    signer: { algorithm: "ed25519", sign: (data) => signer.sign(data) },
  });
  return { ...headers, "signature-input": signatureInput, signature };
}
