import {
  type JsonObject,
  ok,
  type PolicyFinding,
  permittedSkills,
  policyDigest,
  policyFindings,
  type Result,
  readPolicy,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import type { PublishedPolicy } from "../../domain/policies/policy.js";
import { currentPolicy, insertPolicy } from "../../domain/policies/store.js";
import { siteByHash, touchSite, updateSite } from "../../domain/sites/store.js";
import { DatabaseUnavailableError, type Transaction } from "../../infra/db/database.js";
import { type PolicySite, policySiteFacts } from "./read-policies.js";

function permittedBy(document: JsonObject | undefined): string {
  const read = readPolicy(document ?? null);
  return read.ok ? permittedSkills(read.value).join() : "";
}

/**
 * Checkout needs a published policy, and only what the rules can permit is advertised. So a policy may change
 * the documents of the site.
 */
async function renewDocuments(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
  { before, after }: { readonly before: JsonObject | undefined; readonly after: JsonObject },
): Promise<void> {
  const site = await siteByHash(tx, siteKeyHash);
  if (site === undefined) return;
  if (site.policyPublished) {
    if (permittedBy(before) !== permittedBy(after)) await touchSite(tx, siteKeyHash, now);
  } else if (!(await updateSite(tx, { ...site, policyPublished: true }, now))) {
    throw new DatabaseUnavailableError("the site was changed at the same time");
  }
}

interface Published {
  readonly policy: PublishedPolicy;
  /** Warnings for the owner. */
  readonly findings: readonly PolicyFinding[];
}

/** Checks a policy and puts it in force. Versions are kept for ever, because records name them. */
export async function publishPolicy(
  { audit, clock, db }: Context,
  site: PolicySite,
  document: JsonObject,
  actor: Actor,
): Promise<Result<Published, "invalid_request">> {
  const read = readPolicy(document);
  if (!read.ok) return refuse("invalid_request", `${read.detail}.`);
  const { siteKeyHash } = site;
  const findings = policyFindings(read.value, await policySiteFacts(db, site));
  const errors = findings.filter(({ level }) => level === "error");
  if (errors.length > 0) {
    return refuse("invalid_request", errors.map(({ message }) => message).join(" "));
  }
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const now = clock.now();
    const before = await currentPolicy(tx, siteKeyHash);
    const version = (before?.version ?? 0) + 1;
    // The draft may contain the number of the version it was made from; it gets the next number.
    const numbered = { ...document, version };
    const digest = await policyDigest(numbered);
    const policy = { version, digest, document: numbered, publishedAt: now };
    await insertPolicy(tx, siteKeyHash, policy);
    const documents = { before: before?.document, after: numbered };
    await renewDocuments(tx, siteKeyHash, now, documents);
    const change = { kind: "policy_published", policy_version: version, policy_digest: digest };
    return { records: [actorDraft("site.changed", actor, now, { change })], answer: policy };
  });
  return ok({ policy: answer, findings });
}
