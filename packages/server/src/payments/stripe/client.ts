import { Agent as PlainAgent } from "node:http";
import { Agent } from "node:https";
import type Stripe from "stripe";
import { type ProviderAccount, secretPlace } from "../../domain/payments/accounts/store.js";
import type { Secrets } from "../../infra/secrets/secrets.js";

/** Less than a decision waits, so that a call that times out is closed before its result is ignored. */
const CALL_MS_MAX = 8000;
/** Clients kept in memory, one for each account. */
const CLIENTS_MAX = 200;

export interface StripeTools {
  readonly secrets: Secrets;
  /** The address of a Stripe simulator, in development; undefined for Stripe itself. */
  readonly apiBase: string | undefined;
  accountOf(accountId: string): Promise<ProviderAccount | undefined>;
}

function hostOptions(apiBase: string | undefined): {
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
 * Stops the retries of Stripe's library. It repeats a call whose connection was closed, because a kept
 * connection may be stale. Here every call opens a new one, and only the reconcile job repeats calls, since
 * it records them. The library does not retry an error without a code.
 */
function withoutRetries(transport: Transport): Transport {
  const { makeRequest } = transport;
  transport.makeRequest = (...call) =>
    makeRequest.apply(transport, call).catch((cause: unknown) => {
      throw new Error("Stripe did not answer", { cause });
    });
  return transport;
}

/** A client for a key. The library is loaded on first use, since many installations never need it. */
export async function stripeClient(
  key: string,
  { apiBase }: Pick<StripeTools, "apiBase">,
): Promise<Stripe> {
  const { default: Client } = await import("stripe");
  const host = hostOptions(apiBase);
  const agent = new (host.protocol === "http" ? PlainAgent : Agent)({ keepAlive: false });
  return new Client(key, {
    ...host,
    httpClient: withoutRetries(Client.createNodeHttpClient(agent)),
    maxNetworkRetries: 0,
    timeout: CALL_MS_MAX,
    telemetry: false,
    appInfo: { name: "Gatehouse" },
  });
}

/** Keeps the client of an account until its key changes. */
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
      throw new Error("the account of this payment has no key any more");
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
