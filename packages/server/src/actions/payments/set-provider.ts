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

/** What an owner wants of a provider: whether it is live is for its key to say. */
export type WantedProvider = Omit<ProviderSettings, "live" | "publishableKey"> & {
  readonly stripe?: StripeSettings | undefined;
};

type Refusal = "not_found" | "conflict" | "invalid_request" | "unavailable";

export interface Connected {
  readonly site: Site;
  /** What the key can do; undefined where there is none. */
  readonly report: KeyReport | undefined;
}

/** Why a key is not taken: without these nothing could be paid, or brought to its end. */
function keyFault({ abilities }: KeyReport): string | undefined {
  const missing = abilities.filter(({ required, allowed }) => required && !allowed);
  if (missing.length === 0) return undefined;
  return `secret_key: the key lacks ${missing.map(({ purpose }) => purpose).join("; ")}.`;
}

async function askStripe(
  context: Context,
  siteKeyHash: string,
  wanted: WantedProvider | null,
): Promise<Result<CheckedKey | undefined, "invalid_request" | "unavailable">> {
  const key = wanted?.kind === "stripe" ? wanted.stripe?.secretKey : undefined;
  // Other settings can be changed while Stripe, or the key, does not answer.
  if (key === undefined) return ok(undefined);
  const checked = await checkNewKey(context, siteKeyHash, key);
  if (!checked.ok) return checked;
  const fault = keyFault(checked.value.report);
  return fault === undefined ? checked : refuse("invalid_request", fault);
}

/** What a site keeps of its provider; an account is written, or ended, with it. */
async function settle(
  context: Context,
  tx: Transaction,
  site: Site,
  {
    wanted,
    checked,
    now,
  }: { wanted: WantedProvider | null; checked: CheckedKey | undefined; now: number },
): Promise<Result<ProviderSettings | null, "invalid_request">> {
  const { siteKeyHash } = site;
  if (wanted?.kind !== "stripe") {
    await endAccounts(tx, siteKeyHash, now);
    if (wanted === null) return ok(null);
    const { kind, railOn, settles, walletMerchantId } = wanted;
    const publishableKey = null;
    return ok({ kind, railOn, settles, walletMerchantId, publishableKey, live: false });
  }
  const { kind, railOn, settles, walletMerchantId, stripe: settings = {} } = wanted;
  const account = await writeStripeAccount(context, tx, siteKeyHash, { settings, checked, now });
  if (!account.ok) return account;
  const { live, publishableKey } = account.value;
  return ok({ kind, railOn, settles, walletMerchantId, publishableKey, live });
}

/** Connects a site to a provider, or with null takes it from the one it has. */
export async function setProvider(
  context: Context,
  siteKeyHash: string,
  wanted: WantedProvider | null,
  actor: Actor,
): Promise<Result<Connected, Refusal>> {
  const { audit, clock } = context;
  const asked = await askStripe(context, siteKeyHash, wanted);
  if (!asked.ok) return asked;
  const checked = asked.value;
  const { answer } = await audit
    .commit(siteKeyHash, async (tx) => {
      const refused = (answer: Result<Connected, Refusal>) => ({ records: [], answer });
      const site = await siteByHash(tx, siteKeyHash);
      if (site === undefined) return refused(refuse("not_found", "No site has this key hash."));
      const now = clock.now();
      const settled = await settle(context, tx, site, { wanted, checked, now });
      if (!settled.ok) return refused(settled);
      const provider = settled.value;
      const changed = { ...site, provider };
      if (!(await updateSite(tx, changed, now))) {
        // Whatever was written of an account goes with the transaction.
        throw new SiteChangedError();
      }
      const about =
        provider === null
          ? { processor: "none" }
          : {
              processor: provider.kind,
              rail_on: provider.railOn,
              settles: provider.settles,
              live: provider.live,
            };
      const change = { kind: "processor_set", ...about };
      const written = { ...changed, version: site.version + 1, changedAt: now };
      return {
        records: [actorDraft("site.changed", actor, now, { change })],
        answer: ok({ site: written, report: checked?.report }),
      };
    })
    .catch((error: unknown) => {
      if (!(error instanceof SiteChangedError)) throw error;
      const why = "The site was changed by somebody else meanwhile. Try again.";
      return { answer: refuse("conflict", why) };
    });
  return answer;
}

class SiteChangedError extends Error {}
