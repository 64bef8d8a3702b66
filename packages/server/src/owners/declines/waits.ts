import type { Queries, Transaction } from "../../platform/db/database.js";
import {
  type CountedBy,
  type CountedCaller,
  countDeclined,
  countEnded,
  countOpen,
  type Wait,
  type WaitKind,
  waitBySubject,
  waitsBySubject,
  writeWait,
} from "./store.js";

const MINUTE_MS = 60_000;
/** Declined payments are counted over this time. */
export const DECLINES_WINDOW_MS = 10 * MINUTE_MS;
/** So many of a caller that is not admitted, or of its address, make it wait. */
const UNLISTED_MAX = 5;
/** So many of an admitted caller, where they are more than half of its attempts. */
const ADMITTED_MAX = 20;
/** So many of one buyer or one instrument of an admitted caller. */
const ONE_BUYER_MAX = 5;
/** So many of a whole site: callers that are not admitted are handed off. */
const SITE_MAX = 30;
/** How long somebody waits: the first time, the second, and so on. */
const WAITS_MS = [1, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);
const LONGEST_WAIT_MS = 60 * MINUTE_MS;
/** How long callers that are not admitted are handed off, and how long at most without a break. */
const HAND_OFF_MS = 10 * MINUTE_MS;
const HAND_OFF_MS_MAX = 60 * MINUTE_MS;
/** After this time without a wait it begins anew. */
const FORGIVEN_MS = 24 * 60 * MINUTE_MS;
/** Further ahead than any wait, it was written before the clock was set back: it binds nobody. */
const CLOCK_BACK_MS = 5 * MINUTE_MS;
/**
 * Attempts of a caller that is not admitted that were declined lately or are under way. They are
 * counted before their outcome is known: whoever sends many at once learns no more than one by one.
 */
const AT_RISK_MAX = 10;
/** What has no outcome after this time is not under way any more, whatever becomes of it. */
const UNDER_WAY_MS = MINUTE_MS;
/** How soon whoever has too many under way may try again. */
const UNDER_WAY_RETRY_MS = 5000;

/** A group of attempts with a limit of its own. */
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

/** What a caller that is not admitted is counted under. */
function unlistedSubjects({ siteKeyHash, identity, addressMac }: CountedCaller): Subject[] {
  const isTooMany = atLeast(UNLISTED_MAX);
  const own: Subject = {
    kind: "identity",
    name: `unlisted ${identity}`,
    by: { siteKeyHash, identity, admitted: false },
    isTooMany,
  };
  if (addressMac === null) return [own];
  // Only attempts that nobody answers for: an admitted caller at the same address is not counted here.
  const by = { siteKeyHash, addressMac, admitted: false };
  return [own, { kind: "address", name: `address ${addressMac}`, by, isTooMany }];
}

/** What an admitted caller is counted under: as a whole, and each of its buyers and instruments. */
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

/** Makes a subject wait, longer each time; undefined where it waits already. */
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

/** Hands callers that are not admitted off where a site has too many declines; undefined where not. */
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

/** What follows from one declined payment. */
export interface DeclineEffects {
  /** Who has to wait from now on, and had not to before. */
  readonly waits: readonly Wait[];
  /** Said once when the site begins to hand off. */
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

/** Why a caller may not have a payment asked for now, and until when. */
export interface Waiting {
  readonly kind: Exclude<WaitKind, "site"> | "under_way";
  readonly until: number;
}

/** Whether a caller has to wait before another payment is asked for; undefined where it has not. */
export async function waitingCaller(
  tx: Queries,
  caller: CountedCaller,
  now: number,
): Promise<Waiting | undefined> {
  const subjects = subjectsOf(caller);
  const names = subjects.map(({ name }) => name);
  const waits = await waitsBySubject(tx, caller.siteKeyHash, names);
  const wait = waits.find((one) => isWaiting(one, now));
  if (wait !== undefined) return { kind: wait.kind as Waiting["kind"], until: wait.until };
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

/** Until when callers that are not admitted are handed off; undefined where they are not. */
export async function handedOffUntil(
  db: Queries,
  siteKeyHash: string,
  now: number,
): Promise<number | undefined> {
  const wait = await waitBySubject(db, siteKeyHash, SITE);
  return wait !== undefined && isWaiting(wait, now) ? wait.until : undefined;
}

/** Payments are given up by then: whatever is found out about one later counts for nobody. */
const ATTEMPT_KEPT_MS = 24 * 60 * MINUTE_MS;

/** What need not be kept any more. */
export function expiredDeclines(now: number) {
  return {
    endedBefore: now - 2 * DECLINES_WINDOW_MS,
    begunBefore: now - ATTEMPT_KEPT_MS,
    waitedBefore: now - FORGIVEN_MS,
  };
}
