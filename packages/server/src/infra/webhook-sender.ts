import {
  ok,
  type Result,
  refuse,
  type Signer,
  signOrderWebhook,
  signWebhook,
  utf8,
} from "@gatehouse/protocol";
import type { SafeFetch } from "@gatehouse/safe-fetch";
import type { Clock } from "./clock.js";
import type { KeyRing } from "./keys/key-ring.js";

export interface Webhook {
  readonly url: string;
  /** JSON. */
  readonly body: string;
  readonly messageId: string;
}

/** A webhook that notifies a platform of an order. */
export interface OrderWebhook extends Webhook {
  readonly siteKeyHash: string;
  /** Milliseconds. */
  readonly occurredAt: number;
  /** What the platform wants otherwise than UCP specifies. */
  readonly webhookId?: string | undefined;
  readonly timestamp?: "unix" | "iso8601" | undefined;
  /** Headers that its owner set for this address, in lower case. Nothing of the signature can be replaced. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** `gone`: the receiver wants no more webhooks. `refused`: it answered, and did not accept this one. */
export type WebhookFault = "gone" | "refused" | "not_delivered";

const GONE = 410;
/** From this status on, the receiver itself has failed, not this webhook. */
const SERVER_FAULT = 500;

interface SenderTools {
  readonly safeFetch: SafeFetch;
  readonly keys: KeyRing;
  readonly clock: Clock;
  /** The signer of a shop, and the profile where platforms look up its keys. */
  shopOf(siteKeyHash: string): Promise<{ readonly signer: Signer; readonly profileUrl: string }>;
}

/**
 * Posts signed messages to receivers that owners and platforms name. Any 2xx means that they have it. Each
 * try is signed again with the current key, because a receiver may refuse old signatures.
 */
export class WebhookSender {
  private readonly tools: SenderTools;

  constructor(tools: SenderTools) {
    this.tools = tools;
  }

  /** To a receiver of the owner, signed by the service. */
  async send({ url, body, messageId }: Webhook): Promise<Result<true, WebhookFault>> {
    const { clock, keys } = this.tools;
    const bytes = utf8(body);
    const signer = await keys.signer("card");
    const delivery = { url, body: bytes, messageId, sentAt: clock.now() };
    return this.post(url, bytes, await signWebhook(delivery, signer));
  }

  /** To a platform, as UCP specifies, signed by the shop. */
  async sendOrder(order: OrderWebhook): Promise<Result<true, WebhookFault>> {
    const { clock, shopOf } = this.tools;
    const { url, siteKeyHash, headers, ...rest } = order;
    const bytes = utf8(order.body);
    const { signer, profileUrl } = await shopOf(siteKeyHash);
    const delivery = { ...rest, url, body: bytes, profileUrl, sentAt: clock.now() };
    return this.post(url, bytes, { ...headers, ...(await signOrderWebhook(delivery, signer)) });
  }

  private async post(
    url: string,
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
  ): Promise<Result<true, WebhookFault>> {
    const answer = await this.tools.safeFetch.post(url, { headers, body });
    if (!answer.ok) {
      return refuse(answer.reason === "too_large" ? "gone" : "not_delivered", answer.detail);
    }
    const status = answer.value;
    if (status >= 200 && status < 300) return ok(true);
    if (status === GONE)
      return refuse("gone", "the receiver does not want more messages (status 410)");
    const why = `the receiver returned status ${status}`;
    return refuse(status >= SERVER_FAULT ? "not_delivered" : "refused", why);
  }
}
