import type { UcpVersion } from "@gatehouse/protocol";
import type { Field } from "../../infra/db/table.js";
import type { Holder } from "../../infra/quota/stored-bytes.js";

/** A platform as the caller of a request. */
export interface PlatformCaller {
  /** The address of the profile it named. */
  readonly url: string;
  /** Whether it has proven that the profile belongs to it. */
  readonly signed: boolean;
}

/** A platform that can place an order. */
export interface BuyingPlatform extends PlatformCaller {
  /** Where it wants to be notified about its orders; null if nowhere. */
  readonly webhookUrl: string | null;
  /** The version of UCP in which it is told of its orders. */
  readonly version: UcpVersion;
  /** The holder whose share of the site's stored bytes its carts and checkouts use. */
  readonly holder: Holder;
}

/** The columns of a platform in the rows of carts and checkouts. */
export const PLATFORM: Field<BuyingPlatform> = {
  read: (row) => ({
    url: row.platform_url as string,
    signed: row.platform_signed === 1,
    webhookUrl: row.webhook_url as string | null,
    version: row.ucp_version as UcpVersion,
    holder: row.holder as Holder,
  }),
  write: ({ url, signed, webhookUrl, version, holder }) => ({
    platform_url: url,
    platform_signed: signed ? 1 : 0,
    webhook_url: webhookUrl,
    ucp_version: version,
    holder,
  }),
};

/** A product and the quantity that a buyer wants. */
export interface WantedLine {
  readonly productId: string;
  readonly quantity: number;
}

/**
 * Whether a caller created something: it has the same profile, and a signature if the creator had
 * one.
 */
export function isCreatedBy(creator: PlatformCaller, caller: PlatformCaller): boolean {
  return creator.url === caller.url && (caller.signed || !creator.signed);
}
