import { accountById } from "../domain/payments/accounts/store.js";
import type { Clock } from "../infra/clock.js";
import type { Database } from "../infra/db/database.js";
import type { Ids } from "../infra/ids.js";
import type { Secrets } from "../infra/secrets/secrets.js";
import type { Processor, Processors } from "./provider.js";
import { SandboxProcessor } from "./sandbox/sandbox.js";
import { StripeProcessor } from "./stripe/stripe.js";

interface ProcessorTools {
  readonly baseUrl: string;
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly stripeApiBase: string | undefined;
}

/** Every processor that is built in. A test may stand before the embedded one and make it fail. */
export function openProcessors(
  { baseUrl, db, clock, ids, secrets, stripeApiBase: apiBase }: ProcessorTools,
  before: (sandbox: Processor) => Processor = (sandbox) => sandbox,
): Processors {
  const accountOf = (accountId: string) => accountById(db, accountId);
  return {
    sandbox: before(new SandboxProcessor({ baseUrl, db, clock, ids })),
    stripe: new StripeProcessor({ secrets, apiBase, accountOf, clock }),
  };
}
