import { hash } from "node:crypto";
import { canonicalize, type JsonObject, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import {
  hourStartMinute,
  type ShopSettings,
  shopFault,
} from "../../domain/shop-settings/shop-settings.js";
import {
  shopSettings,
  shopSettingsAfter,
  writeShopSettings,
} from "../../domain/shop-settings/store.js";
import { lockSite, setHourStart } from "../../domain/sites/store.js";

/** The names of the settings that change. Their values stay out of the log. */
function changedFields(before: ShopSettings, after: ShopSettings): string[] {
  const names = Object.keys(after) as (keyof ShopSettings)[];
  const textOf = (value: unknown) => JSON.stringify(value ?? null);
  return names
    .filter((name) => textOf(before[name]) !== textOf(after[name]))
    .map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** Replaces the settings for selling through platforms. The log records their digest. */
export async function setShop(
  { audit, clock }: Context,
  siteKeyHash: string,
  settings: ShopSettings,
  actor: Actor,
): Promise<Result<ShopSettings, "invalid_request">> {
  const fault = shopFault(settings);
  if (!fault.ok) return refuse("invalid_request", fault.detail);
  await audit.commit(siteKeyHash, async (tx) => {
    const now = clock.now();
    const before = await shopSettings(tx, siteKeyHash);
    await writeShopSettings(tx, siteKeyHash, settings);
    await setHourStart(tx, siteKeyHash, { minute: hourStartMinute(settings, now), now });
    const text = canonicalize(JSON.parse(JSON.stringify(settings)) as JsonObject);
    const change = {
      kind: "shop_set",
      fields: changedFields(before, settings),
      sha256: hash("sha256", text, "hex"),
      allow_unsigned: settings.allowUnsigned,
    };
    const record = actorDraft("site.changed", actor, now, { change });
    return { records: [record], answer: null };
  });
  return ok(settings);
}

/** Shops whose settings are read at once. */
const SHOPS_PER_PAGE = 200;

/**
 * Lets the visits of every shop be counted in hours of its time zone: for shops whose zone was set before hours had a
 * start, and for zones that move by half an hour in summer. Idempotent.
 */
export async function alignHours({ db, clock }: Context, stopping: () => boolean): Promise<void> {
  for (let after = ""; !stopping(); ) {
    const shops = await shopSettingsAfter(db, after, SHOPS_PER_PAGE);
    const now = clock.now();
    for (const { siteKeyHash } of shops) {
      await db.transaction(async (tx) => {
        // The owner may have saved another zone since the page was read.
        if (!(await lockSite(tx, siteKeyHash))) return;
        const minute = hourStartMinute(await shopSettings(tx, siteKeyHash), now);
        await setHourStart(tx, siteKeyHash, { minute, now });
      });
    }
    const last = shops.at(-1);
    if (last === undefined || shops.length < SHOPS_PER_PAGE) return;
    after = last.siteKeyHash;
  }
}
