import {
  isSiteKey,
  isSiteKeyHash,
  type Offer,
  type SiteSnapshot,
  siteKeyHash,
  siteSnapshot,
} from "@gatehouse/protocol";
import { isoTime } from "../../infra/clock.js";
import { ANY_CHANGE, type Change, type Database, type Queries } from "../../infra/db/database.js";
import { KEY_TOPIC } from "../../infra/keys/key-ring.js";
import { SITE_TOPIC, type Site } from "./site.js";
import { siteByHash } from "./store.js";

/** Memory limit of all cached sites, with the documents made from them. */
const BYTES_MAX = 128 * 1024 * 1024;
/** Part of the limit that is left after eviction, so that it is rare. */
const EVICT_TO = 0.9;
/** What a site weighs, as measured: itself, then each skill as the tools and texts made of it. */
const SITE_BYTES = 8192;
const SKILL_BYTES = 4096;
const SKILL_WEIGHT = 12;

/** What a route takes to name a site: the key, its hash, or either. */
export type SiteNaming = "key" | "hash" | "either";

/** The hashes a text may stand for. An older key can have the form of a hash, so both are tried. */
export async function hashesOf(text: string, naming: SiteNaming): Promise<readonly string[]> {
  const hashes: string[] = [];
  if (naming !== "hash" && isSiteKey(text)) hashes.push(await siteKeyHash(text));
  if (naming !== "key" && isSiteKeyHash(text)) hashes.push(text);
  return hashes;
}

/** Reads a site from the database. */
export async function findSite(
  db: Queries,
  text: string,
  naming: SiteNaming,
): Promise<Site | undefined> {
  for (const hash of await hashesOf(text, naming)) {
    const site = await siteByHash(db, hash);
    if (site !== undefined) return site;
  }
  return undefined;
}

/** The site as agents may see it: the value every document of it is made from. */
export function snapshotOf(site: Site, baseUrl: string, offer: Offer): SiteSnapshot {
  const verified = site.status === "verified";
  const vouched = site.verification.method === "operator";
  const changedAt = isoTime(site.changedAt);
  const { formats: feeds } = site.publishedFeeds;
  return siteSnapshot({ ...site, verified, vouched, changedAt, offer, feeds }, baseUrl);
}

/** A site and what agents may see of it, once it is verified. Another version is another object. */
export interface LiveSite {
  readonly site: Site;
  readonly snapshot: SiteSnapshot;
}

interface CachedSite extends LiveSite {
  readonly siteBytes: number;
  documentBytes: number;
  /** Counts up with every use of any site. */
  usedAt: number;
}

function weightOf({ skills }: Site): number {
  return SITE_BYTES + skills.length * SKILL_BYTES + JSON.stringify(skills).length * SKILL_WEIGHT;
}

interface LiveSitesTools {
  readonly db: Database;
  readonly baseUrl: string;
  /** Reads what a site offers now to those who buy. */
  readonly offerOf: (site: Site) => Promise<Offer>;
  /** The topic for new orders: the first one changes what a site offers. */
  readonly orderTopic?: string | undefined;
}

const isSameOffer = (a: Offer, b: Offer) =>
  a.hasOrders === b.hasOrders &&
  a.takesCodes === b.takesCodes &&
  a.buying.join() === b.buying.join();

/**
 * A cache of sites by key and by hash, bounded by bytes. A change is served at once by the process
 * that made it, and within a second by all others. What is made of a site can be kept in a WeakMap:
 * when the site changes, it is dropped with the old site, even if it is not finished.
 */
export class LiveSites {
  private readonly db: Database;
  private readonly baseUrl: string;
  private readonly offerOf: LiveSitesTools["offerOf"];
  private readonly orderTopic: string | undefined;
  private readonly bytesMax: number;
  private readonly cached = new Map<string, CachedSite>();
  private readonly reading = new Map<string, Promise<LiveSite | undefined>>();
  /** Counts changes, so that a site that was read before a change is not cached after it. */
  private changes = 0;
  private uses = 0;
  siteBytes = 0;
  documentBytes = 0;

  constructor({ db, baseUrl, offerOf, orderTopic }: LiveSitesTools, bytesMax = BYTES_MAX) {
    this.db = db;
    this.baseUrl = baseUrl;
    this.offerOf = offerOf;
    this.orderTopic = orderTopic;
    this.bytesMax = bytesMax;
    db.changes.subscribe((change) => this.overtake(change));
  }

  /** The site of a key or a hash if it is in the cache and current; undefined otherwise. */
  ready(name: string): LiveSite | undefined {
    const live = this.db.changes.live ? this.cached.get(name) : undefined;
    if (live !== undefined) live.usedAt = this.uses++;
    return live;
  }

  /** Reads the site if it is not in the cache; undefined if no site has the name. */
  find(name: string): Promise<LiveSite | undefined> {
    const ready = this.ready(name);
    if (ready !== undefined) return Promise.resolve(ready);
    const under = this.reading.get(name);
    if (under !== undefined) return under;
    const reading = this.read(name).finally(() => {
      if (this.reading.get(name) === reading) this.reading.delete(name);
    });
    this.reading.set(name, reading);
    return reading;
  }

  /** Counts the memory of the documents made of a site. They are dropped with it. */
  setDocumentBytes({ site }: LiveSite, bytes: number): void {
    const cached = this.cached.get(site.siteKeyHash);
    if (cached?.site !== site) return;
    this.documentBytes += bytes - cached.documentBytes;
    cached.documentBytes = bytes;
    this.evict();
  }

  private async read(name: string): Promise<LiveSite | undefined> {
    const before = this.changes;
    const site = await findSite(this.db, name, "either");
    if (site === undefined) return undefined;
    const offer = await this.offerOf(site);
    const cached = this.cached.get(name);
    // Without news from other nodes every request reads the site, which mostly has not changed.
    const isKnown = cached?.site.version === site.version;
    if (isKnown && isSameOffer(cached.snapshot.offer, offer)) return cached;
    const snapshot = snapshotOf(site, this.baseUrl, offer);
    const siteBytes = weightOf(site);
    const live = { site, snapshot, siteBytes, documentBytes: 0, usedAt: this.uses++ };
    if (before === this.changes) this.add(live);
    return live;
  }

  private add(live: CachedSite): void {
    const { siteKey, siteKeyHash } = live.site;
    this.drop(siteKeyHash);
    this.cached.set(siteKey, live);
    this.cached.set(siteKeyHash, live);
    this.siteBytes += live.siteBytes;
    this.evict();
  }

  private drop(siteKeyHash: string): void {
    const live = this.cached.get(siteKeyHash);
    if (live === undefined) return;
    this.cached.delete(live.site.siteKey);
    this.cached.delete(siteKeyHash);
    this.siteBytes -= live.siteBytes;
    this.documentBytes -= live.documentBytes;
  }

  /** Drops the sites that were not used for longest. */
  private evict(): void {
    const isAbove = (limit: number) => this.siteBytes + this.documentBytes > limit;
    if (!isAbove(this.bytesMax)) return;
    const byUse = [...this.cached.values()].sort((a, b) => a.usedAt - b.usedAt);
    for (const { site } of byUse) {
      if (isAbove(this.bytesMax * EVICT_TO)) this.drop(site.siteKeyHash);
    }
  }

  /** Whether a cached site had no order yet, so that the next one changes what it offers. */
  private lacksOrders(siteKeyHash: string): boolean {
    return this.cached.get(siteKeyHash)?.snapshot.offer.hasOrders === false;
  }

  private overtake({ topic, id }: Change): void {
    if (topic === SITE_TOPIC || (topic === this.orderTopic && this.lacksOrders(id))) {
      this.drop(id);
    } else if (topic === KEY_TOPIC || topic === ANY_CHANGE.topic) {
      // Documents are signed: another key makes all of them anew.
      this.cached.clear();
      this.siteBytes = 0;
      this.documentBytes = 0;
    } else {
      return;
    }
    this.changes++;
    this.reading.clear();
  }
}
