import { CHECKS_AT_ONCE } from "@gatehouse/safe-fetch";
import type { Context } from "../../context.js";
import { serviceActor } from "../../domain/audit/drafts.js";
import { findProof, type ProofMethod } from "../../domain/sites/proof.js";
import { checkDueAt, FAILED_DAYS_MAX, type Site } from "../../domain/sites/site.js";
import { recordCheck, sitesToRecheck, updateSite } from "../../domain/sites/store.js";
import { checkUserAgent } from "../../domain/visits/own-check.js";
import type { ListPage } from "../../infra/db/table.js";
import { MINUTE_MS } from "../../infra/time.js";
import { siteChange } from "./site-change.js";

/** Sites read at once. */
const SITES_PER_PAGE = 500;
export const RECHECK_JOB_EVERY_MS = MINUTE_MS;

function rechecked(site: Site, problem: string | null, now: number): Site {
  const failedDays = problem === null ? 0 : site.verification.failedDays + 1;
  const lost = failedDays >= FAILED_DAYS_MAX;
  const message = lost ? `${problem} The site is pending again after ${failedDays} days.` : problem;
  return {
    ...site,
    status: lost ? "pending" : site.status,
    verification: { ...site.verification, checkedAt: now, failedDays, problem: message },
  };
}

/** Well within the job's lease, so that no two nodes check at the same time. */
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
  const userAgent = checkUserAgent(context, site.siteKeyHash, clock.now());
  const proof = await findProof(site, method, sources, { lane: "check", userAgent });
  const changed = rechecked(site, proof.ok ? null : proof.detail, clock.now());
  // If somebody changed the site meanwhile, nothing is written, and the next run checks it again.
  if (changed.status === site.status) await db.transaction((tx) => recordCheck(tx, changed));
  else await unverify(context, changed);
  if (proof.ok) return;
  const { failedDays, problem } = changed.verification;
  log.warn(
    { domain: site.domain, status: changed.status, failedDays, problem },
    "site.proof_missing",
  );
}

/** Checks the sites of a page, several at once, until it is time to end. */
async function recheckPage(
  context: Context,
  page: readonly Site[],
  isOver: () => boolean,
): Promise<void> {
  const { log } = context;
  const left = page.values();
  const work = async () => {
    for (const site of left) {
      if (isOver()) return;
      // A check that fails must not stop the checks of other sites.
      await recheck(context, site).catch((error: Error) => {
        log.error({ domain: site.domain, error }, "site.recheck_failed");
      });
    }
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, work));
}

/**
 * Checks every proof once a day. After three days without a proof the site is pending again; until then the
 * owner sees the problem. Idempotent: a site that was checked today is not due.
 */
export async function recheckSites(
  context: Context,
  stopping: () => boolean = () => false,
): Promise<void> {
  const { clock, db } = context;
  const now = clock.now();
  const isOver = () => stopping() || clock.now() > now + RUN_MS_MAX;
  let after: ListPage["after"] = null;
  while (!isOver()) {
    const page = await sitesToRecheck(db, now, { after, limit: SITES_PER_PAGE });
    await recheckPage(context, page, isOver);
    const last = page.at(-1);
    if (last === undefined || page.length < SITES_PER_PAGE) return;
    after = { createdAt: checkDueAt(last.verification) ?? 0, id: last.siteKeyHash };
  }
}
