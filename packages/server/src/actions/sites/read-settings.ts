import type { Context } from "../../context.js";
import type { MandateSettings } from "../../domain/mandate-settings/mandate-settings.js";
import { mandateSettings } from "../../domain/mandate-settings/store.js";
import type { NotifySettings } from "../../domain/notify-settings/notify-settings.js";
import { notifySettings } from "../../domain/notify-settings/store.js";
import { platformSettings } from "../../domain/platforms/settings/store.js";
import type { PlatformSettings } from "../../domain/platforms/settings.js";
import type { ShopSettings } from "../../domain/shop-settings/shop-settings.js";
import { shopSettings } from "../../domain/shop-settings/store.js";

export function showMandateSettings(
  { db }: Context,
  siteKeyHash: string,
): Promise<MandateSettings> {
  return mandateSettings(db, siteKeyHash);
}

export function showNotifySettings({ db }: Context, siteKeyHash: string): Promise<NotifySettings> {
  return notifySettings(db, siteKeyHash);
}

export function showPlatformSettings(
  { db }: Context,
  siteKeyHash: string,
): Promise<PlatformSettings> {
  return platformSettings(db, siteKeyHash);
}

export function showShopSettings({ db }: Context, siteKeyHash: string): Promise<ShopSettings> {
  return shopSettings(db, siteKeyHash);
}
