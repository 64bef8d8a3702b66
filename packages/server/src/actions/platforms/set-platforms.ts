import { type JsonObject, ok, parseAmount, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { platformSettings, writePlatformSettings } from "../../domain/platforms/settings/store.js";
import type {
  AcceptedPlatforms,
  PlatformPool,
  PlatformSettings,
} from "../../domain/platforms/settings.js";

export interface PlatformSettingsChange {
  readonly accepted?: AcceptedPlatforms | undefined;
  readonly pool?:
    | { readonly [Name in keyof PlatformPool]?: PlatformPool[Name] | undefined }
    | undefined;
}

function spendFault(spend: PlatformPool["spendPerDay"]): string | undefined {
  for (const [currency, amount] of Object.entries(spend)) {
    const read = parseAmount(amount, currency);
    if (!read.ok) return `pool.spend_per_day: ${currency}: ${read.detail}.`;
  }
  return undefined;
}

/** Changes which platforms may buy, and the limits of those that are not admitted. */
export async function setPlatforms(
  { audit, clock }: Context,
  siteKeyHash: string,
  { accepted, pool = {} }: PlatformSettingsChange,
  actor: Actor,
): Promise<Result<PlatformSettings, "invalid_request">> {
  const fault = spendFault(pool.spendPerDay ?? {});
  if (fault !== undefined) return refuse("invalid_request", fault);
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const before = await platformSettings(tx, siteKeyHash);
    const after: PlatformSettings = {
      accepted: accepted ?? before.accepted,
      pool: {
        spendPerDay: pool.spendPerDay ?? before.pool.spendPerDay,
        purchasesPerHour: pool.purchasesPerHour ?? before.pool.purchasesPerHour,
        purchasesPerDay: pool.purchasesPerDay ?? before.pool.purchasesPerDay,
        pendingReviews: pool.pendingReviews ?? before.pool.pendingReviews,
      },
    };
    await writePlatformSettings(tx, siteKeyHash, after);
    const change: JsonObject = {
      kind: "platforms_set",
      ...(after.accepted === null ? {} : { platforms: after.accepted }),
      pool: {
        spend_per_day: Object.entries(after.pool.spendPerDay).map(([currency, amount]) => {
          return { currency, amount };
        }),
        purchases_per_hour: after.pool.purchasesPerHour,
        purchases_per_day: after.pool.purchasesPerDay,
        pending_reviews: after.pool.pendingReviews,
      },
    };
    const record = actorDraft("site.changed", actor, clock.now(), { change });
    return { records: [record], answer: after };
  });
  return ok(answer);
}
