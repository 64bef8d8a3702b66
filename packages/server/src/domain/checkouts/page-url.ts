import type { Config } from "../../config/config.js";
import type { Checkout } from "./checkout.js";

/** The page of a checkout for its buyer. Whoever has the address may look: it is given to nobody else. */
export function pageUrl(
  { baseUrl }: Pick<Config, "baseUrl">,
  { siteKeyHash, pageId }: Pick<Checkout, "siteKeyHash" | "pageId">,
): string {
  return `${baseUrl}/v1/ucp/${siteKeyHash}/pages/${pageId}`;
}
