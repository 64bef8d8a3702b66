import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { endAccounts } from "../../domain/payments/accounts/store.js";
import type { ProviderSettings, Site } from "../../domain/sites/site.js";
import { siteByHash, updateSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import {
  type CheckedKey,
  checkNewKey,
  type KeyReport,
  type StripeSettings,
  writeStripeAccount,
} from "./stripe-account.js";

/** The settings that an owner requests. The key decides whether the provider is live. */
export type RequestedProvider = Omit<
  ProviderSettings,
  "live" | "publishableKey" | "walletMerchantId"
> & {
  /** Undefined keeps the one that is stored for the same provider. */
  readonly walletMerchantId?: string | undefined;
  readonly stripe?: StripeSettings | undefined;
};

type Refusal = "not_found" | "conflict" | "invalid_request" | "unavailable";

export interface ConnectedProvider {
  readonly site: Site;
  /** The permissions of the new key; undefined if no key was sent. */
  readonly report: KeyReport | undefined;
}

/** Refuses a key without the permissions to authorize, read and void payments. */
function keyFault({ abilities }: KeyReport): string | undefined {
  const missing = abilities.filter(({ required, allowed }) => required && !allowed);
  if (missing.length === 0) return undefined;
  return `secret_key: the key lacks ${missing.map(({ purpose }) => purpose).join("; ")}.`;
}

async function checkRequestedKey(
  context: Context,
  siteKeyHash: string,
  requested: RequestedProvider | null,
): Promise<Result<CheckedKey | undefined, "invalid_request" | "unavailable">> {
  const key = requested?.kind === "stripe" ? requested.stripe?.secretKey : undefined;
  // Other settings can be changed while Stripe does not answer.
  if (key === undefined) return ok(undefined);
  const checked = await checkNewKey(context, siteKeyHash, key);
  if (!checked.ok) return checked;
  const fault = keyFault(checked.value.report);
  return fault === undefined ? checked : refuse("invalid_request", fault);
}

async function writeProvider(
  context: Context,
  tx: Transaction,
  site: Site,
  {
    requested,
    checked,
    now,
  }: { requested: RequestedProvider | null; checked: CheckedKey | undefined; now: number },
): Promise<Result<ProviderSettings | null, "invalid_request">> {
  const { siteKeyHash, provider } = site;
  const stored = provider?.kind === requested?.kind ? provider?.walletMerchantId : undefined;
  const walletMerchantId = requested?.walletMerchantId ?? stored ?? null;
  if (requested?.kind !== "stripe") {
    await endAccounts(tx, siteKeyHash, now);
    if (requested === null) return ok(null);
    const { kind, railOn, settles } = requested;
    const publishableKey = null;
    return ok({ kind, railOn, settles, walletMerchantId, publishableKey, live: false });
  }
  const { kind, railOn, settles, stripe: settings = {} } = requested;
  const account = await writeStripeAccount(context, tx, siteKeyHash, { settings, checked, now });
  if (!account.ok) return account;
  const { live, publishableKey } = account.value;
  return ok({ kind, railOn, settles, walletMerchantId, publishableKey, live });
}

/** Connects a site to a payment provider, or disconnects it with null. */
export async function setProvider(
  context: Context,
  siteKeyHash: string,
  requested: RequestedProvider | null,
  actor: Actor,
): Promise<Result<ConnectedProvider, Refusal>> {
  const { audit, clock } = context;
  const check = await checkRequestedKey(context, siteKeyHash, requested);
  if (!check.ok) return check;
  const checked = check.value;
  const { answer } = await audit
    .commit(siteKeyHash, async (tx) => {
      const refused = (answer: Result<ConnectedProvider, Refusal>) => ({ records: [], answer });
      const site = await siteByHash(tx, siteKeyHash);
      if (site === undefined)
        return refused(refuse("not_found", "There is no site with this key hash."));
      const now = clock.now();
      const newProvider = await writeProvider(context, tx, site, { requested, checked, now });
      if (!newProvider.ok) return refused(newProvider);
      const provider = newProvider.value;
      const changed = { ...site, provider };
      if (!(await updateSite(tx, changed, now))) {
        // Rolls back what was written of the account.
        throw new SiteChangedError();
      }
      const change = {
        kind: "processor_set",
        processor: provider?.kind ?? "none",
        ...(provider && {
          rail_on: provider.railOn,
          settles: provider.settles,
          live: provider.live,
        }),
      };
      const written = { ...changed, version: site.version + 1, changedAt: now };
      return {
        records: [actorDraft("site.changed", actor, now, { change })],
        answer: ok({ site: written, report: checked?.report }),
      };
    })
    .catch((error: unknown) => {
      if (!(error instanceof SiteChangedError)) throw error;
      const why = "Someone else changed the site at the same time. Try again.";
      return { answer: refuse("conflict", why) };
    });
  return answer;
}

class SiteChangedError extends Error {}
