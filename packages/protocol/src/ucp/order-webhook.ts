import { createSignature, type RequestDescriptor } from "http-message-sig";
import type { Signer } from "../keys/signer.js";
import type { WebhookDelivery } from "../webhooks/sign-webhook.js";
import { contentDigest } from "./content-digest.js";

/** One try to tell a platform of an order. */
interface OrderWebhook extends WebhookDelivery {
  /** Milliseconds; when what is told happened. The same at every try. */
  readonly occurredAt: number;
  /** The shop's own profile: its `keys` verify the signature. */
  readonly profileUrl: string;
  /** What `Webhook-Id` says where not the id of the message. */
  readonly webhookId?: string | undefined;
  /** How `Webhook-Timestamp` says the time: in seconds as UCP specifies, or as a date. */
  readonly timestamp?: "unix" | "iso8601" | undefined;
}

/** What UCP has a request's signature cover; the query too, where there is one. */
const COVERED = ["@method", "@authority", "@path"];

function timeText(at: number, format: OrderWebhook["timestamp"]): string {
  const seconds = Math.floor(at / 1000);
  if (format !== "iso8601") return String(seconds);
  return new Date(1000 * seconds).toISOString().replace(".000Z", "Z");
}

/**
 * The headers of an order's webhook, signed with the shop's own key as UCP says (RFC 9421, no `alg`):
 * a platform needs the shop's profile, and no secret.
 *
 * @example
 * const signer = { kid: "k1", alg: "ES256", sign: () => new Uint8Array(64) };
 * const news = { url: "https://platform.example.com/orders", body: utf8("{}"), messageId: "m1" };
 * const shop = { profileUrl: "https://gate.example.com/v1/ucp/x/profile" };
 * const headers = await signOrderWebhook({ ...news, ...shop, occurredAt: 1000, sentAt: 9000 }, signer);
 * headers["webhook-timestamp"]; //=> "1"
 * headers["ucp-agent"]; //=> 'profile="https://gate.example.com/v1/ucp/x/profile"'
 */
export async function signOrderWebhook(
  { url, body, messageId, occurredAt, sentAt, profileUrl, ...format }: OrderWebhook,
  signer: Signer,
): Promise<Readonly<Record<string, string>>> {
  if (signer.alg !== "ES256") throw new TypeError("signOrderWebhook: the key is not ES256");
  const headers = {
    "content-type": "application/json",
    "content-digest": await contentDigest(body),
    "ucp-agent": `profile="${profileUrl}"`,
    "webhook-id": format.webhookId ?? messageId,
    "webhook-timestamp": timeText(occurredAt, format.timestamp),
    "idempotency-key": messageId,
  };
  const fields = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const message: RequestDescriptor = { kind: "request", method: "POST", targetUri: url, fields };
  const query = url.includes("?") ? ["@query"] : [];
  const { signature, signatureInput } = await createSignature(message, {
    label: "sig1",
    components: [...COVERED, ...query, ...Object.keys(headers)],
    parameters: { created: Math.floor(sentAt / 1000), keyid: signer.kid },
    signer: { algorithm: "ecdsa-p256-sha256", sign: (data) => signer.sign(data) },
  });
  return { ...headers, "signature-input": signatureInput, signature };
}
