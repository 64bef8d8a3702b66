import { accountById } from "../domain/payments/accounts/store.js";
import type { Clock } from "../infra/clock.js";
import type { Database } from "../infra/db/database.js";
import type { Ids } from "../infra/ids.js";
import type { Secrets } from "../infra/secrets/secrets.js";
import type { PaymentProvider, PaymentProviders } from "./provider.js";
import { SandboxProvider } from "./sandbox/sandbox.js";
import { StripeProvider } from "./stripe/stripe.js";

interface ProviderTools {
  readonly baseUrl: string;
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly stripeApiBase: string | undefined;
}

/**
 * All payment providers. To add one, add its folder and a line here. Tests wrap the sandbox to make it
 * fail, and add other providers.
 */
export function openProviders(
  { baseUrl, db, clock, ids, secrets, stripeApiBase: apiBase }: ProviderTools,
  { wrapSandbox = (sandbox) => sandbox, others = {} }: ProviderOverrides,
): PaymentProviders {
  const accountOf = (accountId: string) => accountById(db, accountId);
  return {
    stripe: new StripeProvider({ secrets, apiBase, accountOf, clock }),
    sandbox: wrapSandbox(new SandboxProvider({ baseUrl, db, clock, ids })),
    ...others,
  };
}

export interface ProviderOverrides {
  readonly wrapSandbox?: ((sandbox: PaymentProvider) => PaymentProvider) | undefined;
  readonly others?: PaymentProviders | undefined;
}
