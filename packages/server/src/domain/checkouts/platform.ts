import type { UcpVersion } from "@gatehouse/protocol";
import type { Field } from "../../infra/db/table.js";
import type { Holder } from "../../infra/quota/stored-bytes.js";

/**
 * How a caller proved that the profile it names is its own: not at all, by a signature, by an API key or by
 * a bearer token.
 */
export type Proof = "none" | "signature" | "api_key" | "oauth";

/** A platform as the caller of a request. */
export interface PlatformCaller {
  /** The address of the profile it named. */
  readonly url: string;
  readonly proof: Proof;
}

/** Whether the profile is proven to belong to the caller, in any way. */
export const isProven = ({ proof }: Pick<PlatformCaller, "proof">): boolean => proof !== "none";

/** A platform that can place an order. */
export interface BuyingPlatform extends PlatformCaller {
  /** Where it wants to be notified about its orders, by its profile; null if nowhere. */
  readonly webhookUrl: string | null;
  /** The version of UCP in which it gets messages about its orders. */
  readonly version: UcpVersion;
  /** The holder whose share of the site's stored bytes its carts and checkouts use. */
  readonly holder: Holder;
}

/** The columns of a platform in the rows of carts and checkouts. */
export const PLATFORM: Field<BuyingPlatform> = {
  read: (row) => ({
    url: row.platform_url as string,
    proof: row.proof as Proof,
    webhookUrl: row.webhook_url as string | null,
    version: row.ucp_version as UcpVersion,
    holder: row.holder as Holder,
  }),
  write: ({ url, proof, webhookUrl, version, holder }) => ({
    platform_url: url,
    proof,
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
 * Whether a caller created something: it has the same profile, and the kind of proof that the creator had.
 * Somebody who stole an API key cannot touch what was begun with a signature, and the other way round.
 */
export function isCreatedBy(creator: PlatformCaller, caller: PlatformCaller): boolean {
  return creator.url === caller.url && (!isProven(creator) || creator.proof === caller.proof);
}
