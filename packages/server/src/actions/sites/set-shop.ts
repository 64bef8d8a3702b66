import { hash } from "node:crypto";
import { canonicalize, type JsonObject, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { type ShopSettings, shopFault } from "../../domain/shop-settings/shop-settings.js";
import { writeShopSettings } from "../../domain/shop-settings/store.js";

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
    await writeShopSettings(tx, siteKeyHash, settings);
    const text = canonicalize(JSON.parse(JSON.stringify(settings)) as JsonObject);
    const change = {
      kind: "shop_set",
      sha256: hash("sha256", text, "hex"),
      allow_unsigned: settings.allowUnsigned,
    };
    const record = actorDraft("site.changed", actor, clock.now(), { change });
    return { records: [record], answer: null };
  });
  return ok(settings);
}
