import { ok, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Principal } from "../../domain/access/principal.js";
import type { MandateSettings } from "../../domain/mandate-settings/mandate-settings.js";
import { mandateSettings } from "../../domain/mandate-settings/store.js";
import type { NotifySettings } from "../../domain/notify-settings/notify-settings.js";
import { notifySettings } from "../../domain/notify-settings/store.js";
import { platformSettings } from "../../domain/platforms/settings/store.js";
import type { PlatformSettings } from "../../domain/platforms/settings.js";
import type { ShopSettings } from "../../domain/shop-settings/shop-settings.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import { readDomain } from "../../domain/sites/domain.js";
import type { Site } from "../../domain/sites/site.js";
import { listSites as selectSites } from "../../domain/sites/store.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** A page of the sites that a reader may see, in order of creation; all, or those of one domain. */
export async function listSites(
  { db }: Context,
  { sites: visible }: Principal,
  domain: string | undefined,
  request: PageRequest,
): Promise<Result<Page<Site>, "invalid_request">> {
  const read = domain === undefined ? ok(undefined) : readDomain(domain, { development: true });
  return readPage(
    request,
    // No site has a domain that cannot be read.
    async (page) => (read.ok ? selectSites(db, { visible, domain: read.value }, page) : []),
    ({ createdAt, siteKeyHash }) => ({ createdAt, id: siteKeyHash }),
  );
}

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
