import { Agent as PlainAgent } from "node:http";
import { Agent } from "node:https";
import type Stripe from "stripe";
import { type ProviderAccount, secretPlace } from "../../domain/payments/accounts/store.js";
import type { Secrets } from "../../infra/secrets/secrets.js";

/** Less than a decision waits: a call that is given up here is closed, and goes on nowhere. */
const CALL_MS_MAX = 8000;
/** Clients kept: one for each account that pays often. */
const CLIENTS_MAX = 200;

export interface StripeTools {
  readonly secrets: Secrets;
  /** Where Stripe is imitated, in development; undefined for the real one. */
  readonly apiBase: string | undefined;
  accountOf(accountId: string): Promise<ProviderAccount | undefined>;
}

/** Where to send requests to. */
function placeOf(apiBase: string | undefined): {
  readonly host?: string;
  readonly port?: number;
  readonly protocol?: "http" | "https";
} {
  if (apiBase === undefined) return {};
  const { protocol, hostname, port } = new URL(apiBase);
  const plain = protocol === "http:";
  return {
    host: hostname,
    port: port === "" ? (plain ? 80 : 443) : Number(port),
    protocol: plain ? ("http" as const) : ("https" as const),
  };
}

type Transport = ReturnType<typeof Stripe.createNodeHttpClient>;

/**
 * A connection of its own for every call. Stripe's library asks again by itself where one was closed,
 * since a kept one may have been stale; a fresh one is not, so whatever closes it says something, and
 * whether to ask again is decided where it is written down. Without a code the library does not.
 */
function onceOnly(made: Transport): Transport {
  const { makeRequest } = made;
  made.makeRequest = (...call) =>
    makeRequest.apply(made, call).catch((cause: unknown) => {
      throw new Error("Stripe did not answer", { cause });
    });
  return made;
}

/** A client for a key. Loaded with the first: most installations never need it. */
export async function stripeClient(
  key: string,
  { apiBase }: Pick<StripeTools, "apiBase">,
): Promise<Stripe> {
  const { default: Client } = await import("stripe");
  const place = placeOf(apiBase);
  const agent = new (place.protocol === "http" ? PlainAgent : Agent)({ keepAlive: false });
  return new Client(key, {
    ...place,
    httpClient: onceOnly(Client.createNodeHttpClient(agent)),
    // Whether something is tried again, and with which key, is decided where it is written down.
    maxNetworkRetries: 0,
    timeout: CALL_MS_MAX,
    telemetry: false,
    appInfo: { name: "Gatehouse" },
  });
}

/** Clients of accounts, kept while their key is the same. */
export class StripeClients {
  private readonly tools: StripeTools;
  private readonly kept = new Map<string, { readonly sealed: string; readonly client: Stripe }>();

  constructor(tools: StripeTools) {
    this.tools = tools;
  }

  async of(accountId: string | null): Promise<{
    readonly client: Stripe;
    readonly account: ProviderAccount;
  }> {
    const account = accountId === null ? undefined : await this.tools.accountOf(accountId);
    const sealed = account?.sealedKey ?? null;
    if (account === undefined || sealed === null) {
      throw new Error("the account this was asked with has no key any more");
    }
    const kept = this.kept.get(account.accountId);
    if (kept?.sealed === sealed) return { client: kept.client, account };
    const key = this.tools.secrets.open(secretPlace(account.accountId, "key"), sealed);
    const client = await stripeClient(key, this.tools);
    if (this.kept.size >= CLIENTS_MAX) this.kept.clear();
    this.kept.set(account.accountId, { sealed, client });
    return { client, account };
  }
}
