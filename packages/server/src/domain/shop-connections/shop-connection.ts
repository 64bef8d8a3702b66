/** The full list of products that is arriving from a shop system, part by part. */
export interface ArrivingSync {
  readonly id: string;
  readonly startedAt: number;
  /** The numbers of the parts that have arrived. */
  readonly parts: readonly number[];
  /** The number of the last part; null until it has arrived. */
  readonly last: number | null;
}

/** What the last full list came to. */
export interface FinishedSync {
  readonly at: number;
  readonly listed: number;
  readonly paused: number;
  /** Why products that are missing were not paused, as a sentence for the owner. */
  readonly problem: string | null;
}

/** The shop system that a site's products, quotes and orders come from. */
export interface ShopConnection {
  readonly siteKeyHash: string;
  readonly connectionId: string;
  /** Where Gatehouse sends its messages: on the domain of the site. */
  readonly endpoint: string;
  /** The name and version of the shop system, in its own words. */
  readonly system: string;
  /** A link into the shop's own checkout, with `{items}`; null if it has none. */
  readonly cartLink: string | null;
  readonly sealedSecret: string;
  /** The token that it reports visits with. */
  readonly edgeTokenId: string;
  readonly connectedAt: number;
  /** When a signed message or answer of it arrived last. */
  readonly seenAt: number;
  readonly sync: ArrivingSync | null;
  readonly synced: FinishedSync | null;
}

/** Names the secret that is sealed. */
export const connectionSecretPlace = (connectionId: string) => `shop connection ${connectionId}`;
