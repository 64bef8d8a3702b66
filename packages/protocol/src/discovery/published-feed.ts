/** The product feeds that an owner can publish. */
export const PUBLISHED_FEEDS = ["google", "acp"] as const;
export type PublishedFeed = (typeof PUBLISHED_FEEDS)[number];

/** What each feed is called, and what a reader finds in it. */
export const FEED_WORDS: Readonly<
  Record<PublishedFeed, { readonly title: string; readonly note: string }>
> = Object.freeze({
  google: {
    title: "Product feed (Google)",
    note: "all products as RSS 2.0 with Google's attributes",
  },
  acp: { title: "Product feed (ACP)", note: "all products as JSON lines, one ACP product each" },
});
