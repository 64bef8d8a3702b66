import type { SiteSnapshot } from "@gatehouse/protocol";
import type { Database } from "../../infra/db/database.js";
import { ANY_CHANGE, type Change } from "../../infra/db/database.js";
import { findSite } from "./find.js";
import { SITE_TOPIC, type Site } from "./site.js";
import { snapshotOf } from "./snapshot.js";

/** Memory limit of all cached sites, with the documents made from them. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;
/** What a site weighs, as measured: itself, then each skill as the tools and texts made of it. */
const SITE_BYTES = 8192;
const SKILL_BYTES = 4096;
const SKILL_WEIGHT = 12;

/** A site and what agents may see of it, once it is verified. */
export interface LiveSite {
  readonly site: Site;
  readonly snapshot: SiteSnapshot;
}

function weightOf({ skills }: Site): number {
  return SITE_BYTES + skills.length * SKILL_BYTES + JSON.stringify(skills).length * SKILL_WEIGHT;
}

/**
 * A cache of sites by key and by hash. A change is served at once by the process that made it, and
 * within a second by all others.
 */
export class LiveSites {
  private readonly db: Database;
  private readonly baseUrl: string;
  private readonly bytesMax: number;
  /** By name, the oldest entry first. It is evicted first. */
  private readonly kept = new Map<string, LiveSite>();
  private readonly reading = new Map<string, Promise<LiveSite | undefined>>();
  /** Counts changes, so that a site that was read before a change is not cached after it. */
  private changes = 0;
  bytes = 0;

  constructor(db: Database, baseUrl: string, bytesMax = KEPT_BYTES_MAX) {
    this.db = db;
    this.baseUrl = baseUrl;
    this.bytesMax = bytesMax;
    db.changes.subscribe((change) => this.overtake(change));
  }

  /** The site of a key or a hash if it is in the cache and current; undefined otherwise. */
  ready(name: string): LiveSite | undefined {
    return this.db.changes.live ? this.kept.get(name) : undefined;
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

  private async read(name: string): Promise<LiveSite | undefined> {
    const before = this.changes;
    const site = await findSite(this.db, name, "either");
    if (site === undefined) return undefined;
    const kept = this.kept.get(name);
    // Without news from other nodes every request reads the site, which mostly has not changed.
    if (kept?.site.version === site.version) return kept;
    const live = Object.freeze({ site, snapshot: snapshotOf(site, this.baseUrl) });
    if (before === this.changes) this.keep(live);
    return live;
  }

  private keep(live: LiveSite): void {
    const { siteKey, siteKeyHash } = live.site;
    this.drop(siteKeyHash);
    this.kept.set(siteKey, live);
    this.kept.set(siteKeyHash, live);
    this.bytes += weightOf(live.site);
    while (this.bytes > this.bytesMax && this.kept.size > 2) {
      const [oldest] = this.kept.values();
      this.drop((oldest as LiveSite).site.siteKeyHash);
    }
  }

  private drop(siteKeyHash: string): void {
    const live = this.kept.get(siteKeyHash);
    if (live === undefined) return;
    this.kept.delete(live.site.siteKey);
    this.kept.delete(siteKeyHash);
    this.bytes -= weightOf(live.site);
  }

  private overtake({ topic, id }: Change): void {
    if (topic !== SITE_TOPIC && topic !== ANY_CHANGE.topic) return;
    this.changes++;
    this.reading.clear();
    if (topic === SITE_TOPIC) {
      this.drop(id);
    } else {
      this.kept.clear();
      this.bytes = 0;
    }
  }
}
