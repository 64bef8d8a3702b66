import type { Queries, Transaction } from "../../infra/db/database.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../infra/time.js";
import type { CountedBy, CountedCaller, Wait, WaitKind } from "./decline.js";
import {
  countDeclined,
  countEnded,
  countOpen,
  waitBySubject,
  waitsBySubject,
  writeWait,
} from "./store.js";

/** Declined payments are counted over this time. */
export const DECLINES_WINDOW_MS = 10 * MINUTE_MS;
/** Declined payments after which a caller that is not admitted, or its address, has to wait. */
const UNLISTED_MAX = 5;
/** The same for an admitted caller, if they are more than half of its attempts. */
const ADMITTED_MAX = 20;
/** The same for one buyer or one instrument of an admitted caller. */
const ONE_BUYER_MAX = 5;
/** Declined payments of a site after which platforms not admitted must send their buyers to the shop. */
const SITE_MAX = 30;
/** The length of the first wait, the second, and so on. */
const WAITS_MS = [1, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);
const LONGEST_WAIT_MS = HOUR_MS;
/** How long a hand-off to the shop lasts, and its maximum without a break. */
const HAND_OFF_MS = 10 * MINUTE_MS;
const HAND_OFF_MS_MAX = HOUR_MS;
/** After this time without a wait, the next wait is a first one again. */
const FORGIVEN_MS = DAY_MS;
/** A wait that ends later than this was written before the clock was set back, and is ignored. */
const CLOCK_BACK_MS = 5 * MINUTE_MS;
/**
 * The limit of attempts, declined or without an outcome, of a caller that is not admitted. Attempts count
 * before their outcome is known, so sending many at once gains nothing.
 */
const AT_RISK_MAX = 10;
/** An attempt without an outcome after this time no longer counts as under way. */
const UNDER_WAY_MS = MINUTE_MS;
/** `Retry-After` for a caller with too many payments under way. */
const UNDER_WAY_RETRY_MS = 5000;

/** A group of attempts that has its own limit. */
interface Subject {
  readonly kind: WaitKind;
  readonly name: string;
  readonly by: CountedBy;
  isTooMany(counts: { readonly ended: number; readonly declined: number }): boolean;
}

const atLeast =
  (most: number) =>
  ({ declined }: { readonly declined: number }) =>
    declined >= most;

/** The groups in which a caller that is not admitted is counted. */
function unlistedSubjects({ siteKeyHash, identity, addressMac }: CountedCaller): Subject[] {
  const isTooMany = atLeast(UNLISTED_MAX);
  const own: Subject = {
    kind: "identity",
    name: `unlisted ${identity}`,
    by: { siteKeyHash, identity, admitted: false },
    isTooMany,
  };
  if (addressMac === null) return [own];
  // Counts only callers that are not admitted; an admitted caller at the same address does not count.
  const by = { siteKeyHash, addressMac, admitted: false };
  return [own, { kind: "address", name: `address ${addressMac}`, by, isTooMany }];
}

/** The groups of an admitted caller: as a whole, and each of its buyers and instruments. */
function admittedSubjects(caller: CountedCaller): Subject[] {
  const { siteKeyHash, identity, instrumentMac, buyerMac } = caller;
  const by = { siteKeyHash, identity, admitted: true };
  const isTooMany = atLeast(ONE_BUYER_MAX);
  const instrument: Subject = {
    kind: "instrument",
    name: `instrument ${identity} ${instrumentMac}`,
    by: { ...by, instrumentMac },
    isTooMany,
  };
  const whole: Subject = {
    kind: "identity",
    name: `admitted ${identity}`,
    by,
    isTooMany: ({ ended, declined }) => declined >= ADMITTED_MAX && declined * 2 > ended,
  };
  if (buyerMac === null) return [whole, instrument];
  const name = `buyer ${identity} ${buyerMac}`;
  return [whole, instrument, { kind: "buyer", name, by: { ...by, buyerMac }, isTooMany }];
}

const subjectsOf = (caller: CountedCaller) =>
  caller.admitted ? admittedSubjects(caller) : unlistedSubjects(caller);

const isWaiting = ({ until }: Wait, now: number) =>
  until > now && until <= now + LONGEST_WAIT_MS + CLOCK_BACK_MS;

/** Starts a wait, longer each time; undefined if the subject waits already. */
async function beginWait(
  tx: Transaction,
  siteKeyHash: string,
  { kind, name, by }: Subject,
  now: number,
): Promise<Wait | undefined> {
  const before = await waitBySubject(tx, siteKeyHash, name);
  if (before !== undefined && isWaiting(before, now)) return undefined;
  const forgiven = before === undefined || before.until + FORGIVEN_MS < now;
  const times = forgiven ? 0 : before.times;
  const waitMs = WAITS_MS[Math.min(times, WAITS_MS.length - 1)] as number;
  const wait: Wait = {
    siteKeyHash,
    kind,
    subject: name,
    identity: by.identity ?? null,
    beganAt: now,
    until: now + waitMs,
    times: times + 1,
  };
  await writeWait(tx, wait);
  return wait;
}

const SITE = "site";

/** Starts a hand-off to the shop if a site has too many declines; undefined otherwise. */
async function beginHandOff(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
): Promise<HandOff | undefined> {
  const since = now - DECLINES_WINDOW_MS;
  const declined = await countDeclined(tx, siteKeyHash, since);
  if (declined < SITE_MAX) return undefined;
  const before = await waitBySubject(tx, siteKeyHash, SITE);
  const goesOn = before !== undefined && isWaiting(before, now);
  const beganAt = goesOn ? before.beganAt : now;
  const until = Math.min(now + HAND_OFF_MS, beganAt + HAND_OFF_MS_MAX);
  const times = goesOn ? before.times : (before?.times ?? 0) + 1;
  const wait: Wait = {
    siteKeyHash,
    kind: "site",
    subject: SITE,
    identity: null,
    beganAt,
    until,
    times,
  };
  await writeWait(tx, wait);
  return goesOn ? undefined : { until, declined };
}

export interface HandOff {
  readonly until: number;
  readonly declined: number;
}

/** The consequences of one declined payment. */
export interface DeclineEffects {
  /** The waits that begin now. */
  readonly waits: readonly Wait[];
  /** Set once, when a hand-off begins. */
  readonly handOff: HandOff | undefined;
}

/** Counts a payment that was just declined, in the transaction that writes its outcome. */
export async function countDecline(
  tx: Transaction,
  caller: CountedCaller,
  now: number,
): Promise<DeclineEffects> {
  const { siteKeyHash } = caller;
  const waits: Wait[] = [];
  for (const subject of subjectsOf(caller)) {
    const counts = await countEnded(tx, subject.by, now - DECLINES_WINDOW_MS);
    if (!subject.isTooMany(counts)) continue;
    const wait = await beginWait(tx, siteKeyHash, subject, now);
    if (wait !== undefined) waits.push(wait);
  }
  return { waits, handOff: await beginHandOff(tx, siteKeyHash, now) };
}

/** Why a caller has to wait before the next payment, and until when. */
export interface CallerWait {
  readonly kind: Exclude<WaitKind, "site"> | "under_way";
  readonly until: number;
}

/** Why a caller has to wait before another payment is requested; undefined if it need not. */
export async function callerWait(
  tx: Queries,
  caller: CountedCaller,
  now: number,
): Promise<CallerWait | undefined> {
  const subjects = subjectsOf(caller);
  const names = subjects.map(({ name }) => name);
  const waits = await waitsBySubject(tx, caller.siteKeyHash, names);
  const wait = waits.find((candidate) => isWaiting(candidate, now));
  if (wait !== undefined) return { kind: wait.kind as CallerWait["kind"], until: wait.until };
  if (caller.admitted) return undefined;
  for (const { by } of subjects) {
    const { declined } = await countEnded(tx, by, now - DECLINES_WINDOW_MS);
    const open = await countOpen(tx, by, now - UNDER_WAY_MS);
    if (open > 0 && declined + open >= AT_RISK_MAX) {
      return { kind: "under_way", until: now + UNDER_WAY_RETRY_MS };
    }
  }
  return undefined;
}

/** When the current hand-off to the shop ends; undefined if there is none. */
export async function handedOffUntil(
  db: Queries,
  siteKeyHash: string,
  now: number,
): Promise<number | undefined> {
  const wait = await waitBySubject(db, siteKeyHash, SITE);
  return wait !== undefined && isWaiting(wait, now) ? wait.until : undefined;
}

/** A payment times out before this, so a later outcome does not count. */
const ATTEMPT_KEPT_MS = DAY_MS;

/** The times before which rows are deleted. */
export function expiredDeclines(now: number) {
  return {
    endedBefore: now - 2 * DECLINES_WINDOW_MS,
    begunBefore: now - ATTEMPT_KEPT_MS,
    waitedBefore: now - FORGIVEN_MS,
  };
}
