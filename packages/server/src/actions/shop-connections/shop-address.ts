import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { COUPON, canOmitCoupon, ITEMS } from "../../domain/shop-settings/shop-settings.js";
import type { Site } from "../../domain/sites/site.js";
import { readWebhookUrl } from "../webhook-url.js";

const WWW = "www.";

type Read<T> = Result<T, "invalid_request">;

const withoutWww = (host: string) => (host.startsWith(WWW) ? host.slice(WWW.length) : host);

/** An address of a site's own domain, with or without `www`. */
async function readOwnAddress(
  context: Context,
  { domain }: Site,
  text: string,
  field: string,
): Promise<Read<string>> {
  const address = await readWebhookUrl(context, text, field);
  if (!address.ok) return address;
  if (withoutWww(new URL(address.value).host) === withoutWww(domain)) return address;
  return refuse("invalid_request", `${field}: must be on the domain of the site, ${domain}.`);
}

/** Where Gatehouse sends its messages. A code that leaked must not send them to another domain. */
export function readEndpoint(context: Context, site: Site, text: string): Promise<Read<string>> {
  return readOwnAddress(context, site, text, "endpoint");
}

/** A link into the shop's checkout. Buyers open it, so it stays on the shop's domain too. */
export async function readCartLink(
  context: Context,
  site: Site,
  text: string | null,
): Promise<Read<string | null>> {
  if (text === null) return ok(null);
  if (!text.includes(ITEMS)) {
    return refuse("invalid_request", `cart_link: must contain ${ITEMS}.`);
  }
  if (!canOmitCoupon(text)) {
    return refuse("invalid_request", `cart_link: must have ${COUPON} as in &coupon=${COUPON}.`);
  }
  const filled = text.replaceAll(ITEMS, "1:1").replaceAll(COUPON, "1");
  const own = await readOwnAddress(context, site, filled, "cart_link");
  return own.ok ? ok(text) : own;
}
