import { ok, type Result, refuse, signWebhook, utf8 } from "@gatehouse/protocol";
import type { SafeFetch } from "@gatehouse/safe-fetch";
import type { Clock } from "../clock.js";
import type { KeyRing } from "../keys/key-ring.js";

export interface Webhook {
  readonly url: string;
  /** JSON. */
  readonly body: string;
  readonly messageId: string;
}

/** `gone`: the receiver wants no more of it. */
export type WebhookFault = "gone" | "not_delivered";

const GONE = 410;

/** Posts signed messages to receivers that owners name; any 2xx means that they have it. */
export class WebhookSender {
  private readonly safeFetch: SafeFetch;
  private readonly keys: KeyRing;
  private readonly clock: Clock;

  constructor(tools: { safeFetch: SafeFetch; keys: KeyRing; clock: Clock }) {
    this.safeFetch = tools.safeFetch;
    this.keys = tools.keys;
    this.clock = tools.clock;
  }

  /** Signed anew at each try, by the key of that moment: a receiver can refuse what is old. */
  async send({ url, body, messageId }: Webhook): Promise<Result<true, WebhookFault>> {
    const bytes = utf8(body);
    const signer = await this.keys.signer("card");
    const sentAt = this.clock.now();
    const headers = await signWebhook({ url, body: bytes, messageId, sentAt }, signer);
    const answer = await this.safeFetch.post(url, { headers, body: bytes });
    if (!answer.ok) return refuse("not_delivered", answer.detail);
    const status = answer.value;
    if (status >= 200 && status < 300) return ok(true);
    if (status === GONE) return refuse("gone", "the receiver wants no more of these (410)");
    return refuse("not_delivered", `the receiver answered with status ${status}`);
  }
}
