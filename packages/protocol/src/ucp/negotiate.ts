import { parentOf, UCP_CAPABILITIES, type UcpCapability } from "./capabilities.js";
import { ORDER_CAPABILITY } from "./order.js";
import type { PlatformProfile } from "./platform-profile.js";

/**
 * What a platform and a shop can do with each other: capabilities both list in the same version.
 * Every entry of UCP's own must be of the very version its profile has; others are dropped, and so is
 * an extension of what is not common.
 *
 * @example
 * const version = "2026-08-25";
 * const entry = { version, parents: [] };
 * const capabilities = new Map([["dev.ucp.shopping.catalog.search", [entry]], ["com.example.other", [entry]]]);
 * negotiate({ version, capabilities, keys: [] }); //=> ["dev.ucp.shopping.catalog.search"]
 */
export function negotiate({
  version: spoken,
  capabilities,
}: PlatformProfile): readonly UcpCapability[] {
  const common = UCP_CAPABILITIES.filter((name) =>
    capabilities.get(name)?.some(({ version }) => version === spoken),
  );
  return common.filter((name) => {
    const parent = parentOf(name);
    return parent === undefined || common.includes(parent as UcpCapability);
  });
}

/**
 * Where a platform wants to hear of orders; undefined where it does not say.
 *
 * @example
 * const version = "2026-08-25";
 * const entry = { version, parents: [], webhookUrl: "https://platform.example.com/orders" };
 * const capabilities = new Map([["dev.ucp.shopping.order", [entry]]]);
 * orderWebhookUrl({ version, capabilities, keys: [] }); //=> "https://platform.example.com/orders"
 */
export function orderWebhookUrl({
  version: spoken,
  capabilities,
}: PlatformProfile): string | undefined {
  const entries = capabilities.get(ORDER_CAPABILITY) ?? [];
  return entries.find(({ version, webhookUrl }) => version === spoken && webhookUrl)?.webhookUrl;
}
