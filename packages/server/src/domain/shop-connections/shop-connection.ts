import { MINUTE_MS } from "../../infra/time.js";

/** The full list of products that is arriving from a shop system, part by part. */
export interface ArrivingSync {
  readonly id: string;
  readonly startedAt: number;
  /** The numbers of the parts that have arrived. */
  readonly parts: readonly number[];
  /** The number of the last part; null until it has arrived. */
  readonly last: number | null;
}

/** Parts of one full list: as many as products, at worst. */
export const PARTS_MAX = 10_000;

/** What the last full list came to. */
export interface FinishedSync {
  readonly id: string;
  readonly startedAt: number;
  readonly at: number;
  readonly listed: number;
  readonly paused: number;
  /** How many products the list leaves out, if they were not paused because they are too many; else 0. */
  readonly unconfirmed: number;
}

/** The system that a site is connected to. */
export interface ShopConnection {
  readonly siteKeyHash: string;
  readonly connectionId: string;
  /** Where Gatehouse sends its messages: on the domain of the site. */
  readonly endpoint: string;
  /** The name and version of the shop system, in its own words. */
  readonly system: string;
  /** Whether the site's products, quotes and orders come from it. A website without a shop is connected for its pages alone. */
  readonly sells: boolean;
  /** A link into the shop's own checkout, with `{items}`; null if it has none. */
  readonly cartLink: string | null;
  readonly sealedSecret: string;
  /** The token that it reports visits with. */
  readonly edgeTokenId: string;
  readonly connectedAt: number;
  /** When a signed message of it arrived last, to the minute. */
  readonly seenAt: number;
  readonly sync: ArrivingSync | null;
  readonly synced: FinishedSync | null;
}

/** Whether a part of a full list begins that list. */
export const isNewList = ({ sync, synced }: ShopConnection, id: string): boolean =>
  sync?.id !== id && synced?.id !== id;

/** Times that are shown to the minute are written this often. */
export const SEEN_EVERY_MS = MINUTE_MS;

/** Names the secret that is sealed. */
export const connectionSecretPlace = (connectionId: string) => `shop connection ${connectionId}`;
