import { type Policy, permittedSkills, readPolicy } from "@gatehouse/protocol";
import type { Queries } from "../../infra/db/database.js";
import type { PublishedPolicy } from "./policy.js";
import { policyByDigest, policyInForce } from "./store.js";

const POLICIES_MAX = 1000;
/** Sites whose last policy is remembered. */
const SITES_MAX = 100_000;

type PolicyInForce = Pick<PublishedPolicy, "version" | "digest"> & { readonly policy: Policy };

/** Parsed policies by the digest of their text, so that sites with the same rules share one. */
export class PolicyCache {
  private readonly byDigest = new Map<string, Policy>();
  /** The digest that was last seen in force. Only a hint: it may have been replaced since. */
  private readonly lastDigest = new Map<string, string>();

  private readonly permittedBy = new WeakMap<Policy, readonly string[]>();

  /** The skills that buy and that the rules in force can allow or escalate. */
  async permitted(db: Queries, siteKeyHash: string): Promise<readonly string[]> {
    const { policy } = await this.inForce(db, siteKeyHash);
    const known = this.permittedBy.get(policy) ?? permittedSkills(policy);
    this.permittedBy.set(policy, known);
    return known;
  }

  /** The rules that are probably in force; undefined if they are not in the cache. */
  probable(siteKeyHash: string): Policy | undefined {
    return this.byDigest.get(this.lastDigest.get(siteKeyHash) ?? "");
  }

  /** The rules in force, as the transaction sees them. */
  async inForce(tx: Queries, siteKeyHash: string): Promise<PolicyInForce> {
    const published = await policyInForce(tx, siteKeyHash);
    if (published === undefined) throw new Error("a decision was asked for without a policy");
    const { version, digest } = published;
    if (this.lastDigest.size >= SITES_MAX) this.lastDigest.clear();
    this.lastDigest.set(siteKeyHash, digest);
    const cached = this.byDigest.get(digest);
    if (cached !== undefined) return { version, digest, policy: cached };
    const whole = await policyByDigest(tx, siteKeyHash, digest);
    const read = readPolicy(whole?.document ?? null);
    if (!read.ok) throw new Error(`a published policy cannot be read: ${read.detail}`);
    if (this.byDigest.size >= POLICIES_MAX) {
      this.byDigest.delete(this.byDigest.keys().next().value as string);
    }
    this.byDigest.set(digest, read.value);
    return { version, digest, policy: read.value };
  }
}
