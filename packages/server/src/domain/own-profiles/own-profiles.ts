import type { SafeFetch } from "@gatehouse/safe-fetch";
import type { Clock } from "../../infra/clock.js";
import type { Database } from "../../infra/db/database.js";
import { HOUR_MS } from "../../infra/time.js";
import { ownProfile, writeOwnProfile } from "./store.js";

/** How long a result is used; platforms cache a profile for minutes too. */
const KNOWN_MS = HOUR_MS;
const PROFILE_BYTES_MAX = 256 * 1024;

interface Tools {
  readonly db: Database;
  readonly clock: Clock;
  readonly safeFetch: SafeFetch;
}

/**
 * Knows whether sites serve their UCP profile on their own domain, where platforms look it up. If
 * the domain does not answer, the last result still counts, so that platforms see the shop under
 * the same address during an outage.
 */
export class OwnProfiles {
  private readonly tools: Tools;

  constructor(tools: Tools) {
    this.tools = tools;
  }

  /** Whether a site serves its profile at this address. */
  async isServed(siteKeyHash: string, url: string): Promise<boolean> {
    const { clock, db } = this.tools;
    const stored = await ownProfile(db, siteKeyHash);
    const before = stored?.url === url ? stored : undefined;
    if (before !== undefined && clock.now() < before.checkedAt + KNOWN_MS) return before.served;
    const served = (await this.check(siteKeyHash, url)) ?? before?.served ?? false;
    const checkedAt = clock.now();
    await db.transaction((tx) => writeOwnProfile(tx, { siteKeyHash, url, served, checkedAt }));
    return served;
  }

  /** Undefined if the domain did not answer. */
  private async check(siteKeyHash: string, url: string): Promise<boolean | undefined> {
    const options = { fresh: true, bodyBytesMax: PROFILE_BYTES_MAX };
    const answer = await this.tools.safeFetch.get(url, options);
    if (!answer.ok) return answer.reason === "redirected" ? false : undefined;
    const { status, body, contentType } = answer.value;
    if (status >= 500) return undefined;
    // Every address in the profile names the site.
    const named = new TextDecoder().decode(body).includes(siteKeyHash);
    return status === 200 && named && /json/i.test(contentType);
  }
}
