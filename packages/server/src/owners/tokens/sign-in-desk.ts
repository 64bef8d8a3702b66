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
    const waitMs = this.known.has(digest)
      ? this.failures.wait(source, this.clock.now())
      : this.failures.take(source, this.clock.now());
    if (waitMs > 0) return refuse("rate_limited", String(Math.ceil(waitMs / 1000)));
    const principal = await authenticate(this.db, digest, this.operatorDigest);
    if (principal === undefined) {
      if (this.known.delete(digest)) this.failures.take(source, this.clock.now());
      return refuse("unauthorized", "the token is nobody's");
    }
    if (!this.known.has(digest)) {
      this.failures.refund(source);
      if (this.known.size >= KNOWN_MAX) this.known.clear();
      this.known.add(digest);
    }
    return ok(principal);
  }
}
