import { IdempotencyKeys } from "./idempotency.ts";
import { Ledger } from "./ledger.ts";
import { newId } from "./objects.ts";
import { refuse } from "./refusals.ts";

export interface SimulatedAccount {
  /** `acct_…` */
  readonly id: string;
  readonly key: string;
}

export interface KeyOptions {
  /** Restricted keys begin with `rk_`. */
  readonly restricted?: boolean;
  /** What the key may not do, such as `payment_intents_write` or `charges_read`. */
  readonly lacks?: readonly string[];
}

/** An account with all that it has, and the keys its requests were made with. */
interface Opened {
  readonly ledger: Ledger;
  readonly idempotency: IdempotencyKeys;
  readonly mode: "test" | "live";
}

interface KeyEntry extends Opened {
  readonly lacks: readonly string[];
  revoked: boolean;
}

export class Accounts {
  private readonly now: () => number;
  private readonly pagesUrl: string;
  private readonly opened = new Map<string, Opened>();
  private readonly keys = new Map<string, KeyEntry>();

  constructor(now: () => number, pagesUrl: string) {
    this.now = now;
    this.pagesUrl = pagesUrl;
  }

  open(mode: "test" | "live", options: KeyOptions): SimulatedAccount {
    const id = newId("acct");
    const { now, pagesUrl } = this;
    const ledger = new Ledger(id, { livemode: mode === "live", now, pagesUrl });
    this.opened.set(id, { ledger, mode, idempotency: new IdempotencyKeys(this.now) });
    return { id, key: this.addKey(id, options) };
  }

  addKey(accountId: string, { restricted = false, lacks = [] }: KeyOptions): string {
    const account = this.of(accountId);
    const key = newId(`${restricted ? "rk" : "sk"}_${account.mode}`);
    this.keys.set(key, { ...account, lacks, revoked: false });
    return key;
  }

  revoke(key: string): void {
    const entry = this.keys.get(key);
    if (entry === undefined) throw new Error("no such key");
    entry.revoked = true;
  }

  of(accountId: string): Opened {
    const account = this.opened.get(accountId);
    if (account === undefined) throw new Error(`no such account: ${accountId}`);
    return account;
  }

  /** Where an intent is, for those who know nothing but its id. */
  withIntent(id: string) {
    for (const { ledger } of this.opened.values()) {
      const intent = ledger.find("payment_intent", id);
      if (intent !== undefined) return { ledger, intent };
    }
    throw new Error(`no such intent: ${id}`);
  }

  /** Where the page of a session is; undefined if there is none. */
  withSession(id: string) {
    for (const { ledger } of this.opened.values()) {
      const session = ledger.find("checkout.session", id);
      if (session !== undefined) return { ledger, session };
    }
    return undefined;
  }

  /** Whose key it is; throws what Stripe answers to any other. */
  byKey(key: string | undefined): KeyEntry {
    if (key === undefined) throw refuse(401, "You did not provide an API key.");
    const entry = this.keys.get(key);
    if (entry === undefined) throw refuse(401, `Invalid API Key provided: ${key.slice(0, 8)}***`);
    if (!entry.revoked) return entry;
    const message = `Expired API Key provided: ${key.slice(0, 8)}***`;
    throw refuse(401, message, { code: "api_key_expired" });
  }
}
