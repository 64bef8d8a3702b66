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

/** One that tells a platform of an order. */
export interface OrderNews extends Webhook {
  readonly siteKeyHash: string;
  /** Milliseconds. */
  readonly occurredAt: number;
}

/** `gone`: the receiver wants no more of it. `refused`: it is there, and did not take it. */
export type WebhookFault = "gone" | "refused" | "not_delivered";

const GONE = 410;
/** From here on it is the receiver that does not work, whatever it was sent. */
const SERVER_FAULT = 500;

interface SenderTools {
  readonly safeFetch: SafeFetch;
  readonly keys: KeyRing;
  readonly clock: Clock;
  /** The shop's own side of what platforms are told: who signs, and where that is looked up. */
  shopOf(siteKeyHash: string): Promise<{ readonly signer: Signer; readonly profileUrl: string }>;
}

/**
 * Posts signed messages to receivers that owners and platforms name; any 2xx means that they have it.
 * Signed anew at each try, by the key of that moment: a receiver can refuse what is old.
 */
export class WebhookSender {
  private readonly tools: SenderTools;

  constructor(tools: SenderTools) {
    this.tools = tools;
  }

  /** To a receiver of the owner's, signed by the service. */
  async send({ url, body, messageId }: Webhook): Promise<Result<true, WebhookFault>> {
    const { clock, keys } = this.tools;
    const bytes = utf8(body);
    const signer = await keys.signer("card");
    const delivery = { url, body: bytes, messageId, sentAt: clock.now() };
    return this.post(url, bytes, await signWebhook(delivery, signer));
  }

  /** To a platform, as UCP has it, signed by the shop. */
  async sendOrder(news: OrderNews): Promise<Result<true, WebhookFault>> {
    const { clock, shopOf } = this.tools;
    const { url, messageId, siteKeyHash, occurredAt } = news;
    const bytes = utf8(news.body);
    const { signer, profileUrl } = await shopOf(siteKeyHash);
    const delivery = { url, body: bytes, messageId, occurredAt, profileUrl, sentAt: clock.now() };
    return this.post(url, bytes, await signOrderWebhook(delivery, signer));
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
    if (status === GONE) return refuse("gone", "the receiver wants no more of these (410)");
    const why = `the receiver answered with status ${status}`;
    return refuse(status >= SERVER_FAULT ? "not_delivered" : "refused", why);
  }
}
