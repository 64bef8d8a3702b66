import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Clock } from "../../platform/clock.js";
import type { Queries } from "../../platform/db/database.js";
import { limitKey } from "../../platform/http/connection.js";
import { LocalLimiter } from "../../platform/rate-limit/local.js";
import { authenticate, tokenDigest } from "./authenticate.js";
import type { Principal } from "./token.js";

const FAILURES_PER_MINUTE = 10;
/** Tokens that were good lately; forgotten all at once when there are too many. */
const KNOWN_MAX = 1000;

/**
 * Where every bearer token is looked at. Wrong tokens are counted by address; a request without
 * one is not a try, since any page in the operator's browser could send it. A token nobody has
 * used lately takes its place before it is looked up and gives it back when it was good, so that
 * tries sent at once cannot all slip past the count.
 */
export class SignInDesk {
  private readonly failures = new LocalLimiter({ perMinute: FAILURES_PER_MINUTE });
  private readonly known = new Set<string>();
  /** How many requests are looking a digest up: bounded by the requests under way. */
  private readonly underWay = new Map<string, number>();
  private readonly db: Queries;
  private readonly clock: Clock;
  private readonly operatorDigest: string;

  constructor(db: Queries, clock: Clock, operatorToken: string) {
    this.db = db;
    this.clock = clock;
    this.operatorDigest = tokenDigest(operatorToken);
    this.known.add(this.operatorDigest);
  }

  /** Who an Authorization header stands for; a refusal's detail is the seconds to wait. */
  async admit(
    authorization: string | undefined,
    address: string,
  ): Promise<Result<Principal, "unauthorized" | "rate_limited">> {
    const bearer = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1];
    if (bearer === undefined) return refuse("unauthorized", "no bearer token");
    const source = limitKey(address);
    const digest = tokenDigest(bearer);
    // Tries of one token at once are one try.
    const first = !this.known.has(digest) && !this.underWay.has(digest);
    const now = this.clock.now();
    const waitMs = first ? this.failures.take(source, now) : this.failures.wait(source, now);
    if (waitMs > 0 && !this.underWay.has(digest)) {
      return refuse("rate_limited", String(Math.ceil(waitMs / 1000)));
    }
    const principal = await this.lookUp(digest, first ? source : undefined);
    if (principal !== undefined) return ok(principal);
    if (this.known.delete(digest)) this.failures.take(source, this.clock.now());
    return refuse("unauthorized", "the token is nobody's");
  }

  /**
   * Every request asks the database itself, so that a revocation holds for the very next one.
   * The place taken is given back unless the token was wrong: an outage is no fault of the caller.
   */
  private async lookUp(digest: string, taken: string | undefined): Promise<Principal | undefined> {
    this.underWay.set(digest, (this.underWay.get(digest) ?? 0) + 1);
    let wrong = false;
    try {
      const principal = await authenticate(this.db, digest, this.operatorDigest);
      wrong = principal === undefined;
      if (!wrong) this.remember(digest);
      return principal;
    } finally {
      const left = (this.underWay.get(digest) ?? 1) - 1;
      if (left > 0) this.underWay.set(digest, left);
      else this.underWay.delete(digest);
      if (taken !== undefined && !wrong) this.failures.refund(taken);
    }
  }

  private remember(digest: string): void {
    if (this.known.size >= KNOWN_MAX) this.known.clear();
    this.known.add(digest);
  }
}
