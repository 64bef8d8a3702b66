import Stripe from "stripe";
import type { Dispute, Refund, StripeEvent } from "./adjustments.ts";
import type { Card } from "./cards.ts";
import { type Charge, type Intent, type Method, newId, type Stamp } from "./objects.ts";
import type { Session, SessionTerms } from "./sessions.ts";

type Kept = Intent | Charge | Refund | Dispute | Method | Session;
export type Kind = Kept["object"];
export type KeptAs<K extends Kind> = Extract<Kept, { object: K }>;

const NOBODY_ASKED: StripeEvent["request"] = { id: null, idempotency_key: null };

/** All that an account has: its objects in the order they were made, and what was told of them. */
export class Ledger {
  /** Whether a bank can be asked by sending the buyer there; else only by a library in a page. */
  redirects = true;
  readonly accountId: string;
  readonly opened: Stamp;
  readonly events: StripeEvent[] = [];
  /** What stands behind each payment method. */
  readonly cards = new Map<string, Card>();
  /** What is sold on each page, and how it is to be paid. */
  readonly sessionTerms = new Map<string, SessionTerms>();
  /** Where pages are. */
  readonly pagesUrl: string;
  private readonly livemode: boolean;
  private readonly now: () => number;
  private readonly kept = new Map<string, Kept>();
  private request = NOBODY_ASKED;

  constructor(
    accountId: string,
    { livemode, now, pagesUrl }: { livemode: boolean; now: () => number; pagesUrl: string },
  ) {
    this.accountId = accountId;
    this.livemode = livemode;
    this.now = now;
    this.pagesUrl = pagesUrl;
    this.opened = this.stamp();
  }

  stamp(): Stamp {
    return { created: Math.floor(this.now() / 1000), livemode: this.livemode };
  }

  keep<K extends Kept>(object: K): K {
    this.kept.set(object.id, object);
    return object;
  }

  find<K extends Kind>(kind: K, id: string | null): KeptAs<K> | undefined {
    const found = id === null ? undefined : this.kept.get(id);
    return found?.object === kind ? (found as KeptAs<K>) : undefined;
  }

  /** What an id stands for, of whatever kind. */
  any(id: string): Kept | undefined {
    return this.kept.get(id);
  }

  /** The newest first, and of one second whatever was made last. */
  all<K extends Kind>(kind: K): readonly KeptAs<K>[] {
    const found = [...this.kept.values()].filter((one): one is KeptAs<K> => one.object === kind);
    return found.reverse().sort((a, b) => b.created - a.created);
  }

  /** An event with the object as it is now. */
  tell(type: string, object: Exclude<Kept, Method>): void {
    this.events.push({
      id: newId("evt"),
      object: "event",
      api_version: Stripe.API_VERSION,
      type,
      ...this.stamp(),
      pending_webhooks: 1,
      request: this.request,
      data: { object: structuredClone(object) },
    });
  }

  /** Does what a request asks; what is told meanwhile is told to be because of it. */
  during<T>(request: StripeEvent["request"], work: () => T): T {
    this.request = request;
    try {
      return work();
    } finally {
      this.request = NOBODY_ASKED;
    }
  }
}
