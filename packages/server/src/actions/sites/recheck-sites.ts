import type { Context } from "../../context.js";
import { serviceActor } from "../../domain/audit/drafts.js";
import { findProof, type ProofMethod } from "../../domain/sites/proof.js";
import { FAILED_DAYS_MAX, RECHECK_EVERY_MS, type Site } from "../../domain/sites/site.js";
import { recordCheck, sitesToRecheck, updateSite } from "../../domain/sites/store.js";
import { MINUTE_MS } from "../../infra/time.js";
import { siteChange } from "./site-change.js";

/** Sites looked at in one run; the rest follow in the next, oldest first. */
const SITES_PER_RUN = 200;
export const RECHECK_JOB_EVERY_MS = 10 * MINUTE_MS;

function rechecked(site: Site, problem: string | null, now: number): Site {
  const failedDays = problem === null ? 0 : site.verification.failedDays + 1;
  const lost = failedDays >= FAILED_DAYS_MAX;
  const said = lost
    ? `${problem} The site went back to pending after ${failedDays} days.`
    : problem;
  return {
    ...site,
    status: lost ? "pending" : site.status,
    verification: { ...site.verification, checkedAt: now, failedDays, problem: said },
  };
}

/** Well within the job's lease, so that no two nodes look at once. */
const RUN_MS_MAX = 4 * MINUTE_MS;

async function unverify({ audit, clock }: Context, site: Site): Promise<void> {
  await audit.commit(site.siteKeyHash, async (tx) => {
    const now = clock.now();
    if (!(await updateSite(tx, site, now))) return { records: [], answer: null };
    const written = { ...site, version: site.version + 1 };
    const actor = serviceActor("sites.recheck");
    return { records: [await siteChange("unverified", written, { actor, now })], answer: null };
  });
}

async function recheck(context: Context, site: Site): Promise<void> {
  const { clock, db, log, config } = context;
  const sources = { ...context, fetchAllow: config.fetchAllow };
  const method = site.verification.method as ProofMethod;
  const proof = await findProof(site, method, sources, { fresh: false });
  const changed = rechecked(site, proof.ok ? null : proof.detail, clock.now());
  // A site that somebody changed meanwhile is left alone; it is due again in the next run.
  if (changed.status === site.status) await db.transaction((tx) => recordCheck(tx, changed));
  else await unverify(context, changed);
  if (proof.ok) return;
  const { failedDays, problem } = changed.verification;
  log.warn(
    { domain: site.domain, status: changed.status, failedDays, problem },
    "site.proof_missing",
  );
}

/**
 * Looks at every proof once a day. Three missing days in a row send the site back to pending;
 * until then the owner sees what is wrong. Safe to repeat: a site checked today is not due.
 */
export async function recheckSites(
  context: Context,
  stopping: () => boolean = () => false,
): Promise<void> {
  const { clock, db, log } = context;
  const until = clock.now() + RUN_MS_MAX;
  const due = await sitesToRecheck(db, clock.now() - RECHECK_EVERY_MS, SITES_PER_RUN);
  for (const site of due) {
    if (stopping() || clock.now() > until) return;
    // One site that cannot be looked at must not keep the others from it.
    await recheck(context, site).catch((error: Error) => {
      log.error({ domain: site.domain, error }, "site.recheck_failed");
    });
  }
}
