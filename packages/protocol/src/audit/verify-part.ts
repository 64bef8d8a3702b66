import { fromHex, toHex } from "../bytes.js";
import { ownValue } from "../json/own.js";
import { ed25519Bytes } from "../keys/ed25519.js";
import type { Ed25519Jwk } from "../keys/jwk.js";
import type { Verify } from "../keys/signer.js";
import { policyDigest } from "../policy/document.js";
import { type Bundle, type BundleEntry, bundleDigest, verifyBundleSignature } from "./bundle.js";
import { type Checkpoint, verifyCheckpoint } from "./checkpoint.js";
import { type AuditFinding, Findings } from "./findings.js";
import { type Piece, pieceOf } from "./history/piece.js";
import { readStep } from "./history/read-step.js";
import type { Step } from "./history/step.js";
import type { SignedBundle } from "./read-bundle.js";
import { NO_PREVIOUS_HASH, verifyRecord } from "./record.js";
import { replayDecision, reviewWanted } from "./replay.js";
import { appendLeaf, type Frontier, type HashBytes, isFrontier, treeRoot } from "./tree.js";

/** What the verifier trusts and compares with, all from elsewhere than the export. */
export interface AuditTrust {
  /** Keys of the log, by id. */
  readonly keys: ReadonlyMap<string, Ed25519Jwk>;
  /** Checkpoints kept from before, whose signatures were checked. */
  readonly pins: readonly Checkpoint[];
  readonly replay: boolean;
  readonly verify?: Verify | undefined;
  readonly hash?: HashBytes | undefined;
}

/** What is remembered of a part to join it with the others. */
export interface PartSummary extends Omit<Bundle, "records" | "policies"> {
  readonly digest: string;
  readonly findings: readonly AuditFinding[];
  /** Whether any signature in it holds by the keys given: if none does, they may be another's. */
  readonly vouched: boolean;
  /** Its first and last record, if they hold. */
  readonly first: BundleEntry | undefined;
  readonly last: BundleEntry | undefined;
  /** The tree behind the last record; undefined when the records are not whole. */
  readonly after: { readonly size: number; readonly frontier: readonly string[] } | undefined;
  /** Pins this part went through and agrees with. */
  readonly metPins: readonly Checkpoint[];
  readonly decisionsReplayed: number;
}

const toFrontier = ({ size, frontier }: Bundle["before"]): Frontier => ({
  size,
  hashes: frontier.map((hash) => fromHex(hash) as Uint8Array),
});

/** What is wrong with a checkpoint that should speak of this tree. */
async function checkpointFault(
  note: string,
  chain: string,
  frontier: Frontier,
  { keys, verify, hash }: AuditTrust,
): Promise<string | undefined> {
  const read = await verifyCheckpoint(note, keys.values(), verify);
  if (!read.ok) return read.detail;
  const { origin, size, root } = read.value;
  if (origin !== chain) return "it is not a checkpoint of this log";
  if (size !== frontier.size) return "it is for a different number of records";
  const same = toHex(await treeRoot(frontier, hash)) === toHex(root);
  return same ? undefined : "its root is not that of the records";
}

/** What must hold for a record besides its own hash and signature. */
interface Expected {
  readonly seq: number;
  readonly day: string;
  readonly chain: string;
  readonly previous: BundleEntry | undefined;
  /** All records of the part. */
  readonly records?: readonly BundleEntry[] | undefined;
}

/** Says of a record in the wrong place whether one is missing, or which ones changed places. */
function numberFault(actual: number, { seq, previous, records = [] }: Expected): string {
  if (!(actual > seq)) {
    const twice = previous !== undefined && previous.record.seq >= actual;
    return twice ? `record ${actual} is here a second time` : `record ${actual} is in its place`;
  }
  if (records.some(({ record }) => record.seq === seq)) {
    return `record ${actual} comes before record ${seq}`;
  }
  const missing =
    actual === seq + 1 ? `record ${seq} is missing` : `records ${seq} to ${actual - 1} are missing`;
  return `${missing}: record ${actual} comes next`;
}

/** A key takes over where the log says so, and by the name it says. */
function keyFault({ record, key_id }: BundleEntry, previous: BundleEntry | undefined) {
  if (record.type === "chain.genesis" && record.key_id !== key_id) {
    return "it was signed by a different key from the one it names";
  }
  if (record.type !== "chain.key_rotated") {
    const same = previous === undefined || previous.key_id === key_id;
    return same ? undefined : "a different key signed it, but no rotation is recorded";
  }
  const known = previous === undefined || previous.key_id === record.previous_key_id;
  return known && record.key_id === key_id
    ? undefined
    : "it names different keys from those that sign";
}

/** What is wrong with a record's place; undefined when nothing is. */
export function placeFault(entry: BundleEntry, expected: Expected): string | undefined {
  const { seq, day, chain, previous } = expected;
  const { record } = entry;
  if (record.seq !== seq) return numberFault(record.seq, expected);
  if (record.chain !== chain) return "it belongs to another log";
  if ((record.type === "chain.genesis") !== (seq === 0)) {
    return seq === 0
      ? "an epoch must begin with chain.genesis"
      : "only the first record of an epoch can be chain.genesis";
  }
  const before = seq === 0 ? NO_PREVIOUS_HASH : previous?.hash;
  if (before !== undefined && record.prev_hash !== before) {
    return "it does not name the record before it";
  }
  if (!record.recorded_at.startsWith(day)) return `it was not recorded on ${day}`;
  if (previous !== undefined && record.recorded_at < previous.record.recorded_at) {
    return "it is older than the one before";
  }
  return keyFault(entry, previous);
}

/** What is wrong with one record; undefined when nothing is. */
async function recordFault(entry: BundleEntry, expected: Expected, trust: AuditTrust) {
  const key = trust.keys.get(entry.key_id);
  if (key === undefined) return "it is signed by a key that is not in the key set";
  const { hash, verify } = trust;
  const tools = { ...(hash && { hash }), ...(verify && { verify }) };
  const verified = await verifyRecord(entry.record, entry.hash, entry.sig, key, tools);
  return verified.ok ? placeFault(entry, expected) : verified.detail;
}

interface Walked {
  readonly frontier: Frontier | undefined;
  /** Records that hold, from the first on. */
  readonly held: number;
  readonly metPins: readonly Checkpoint[];
  readonly decisionsReplayed: number;
  /** What those that hold say of others. */
  readonly steps: readonly Step[];
}

/** Decides again what a record decided, and adds what others can be compared with. */
async function replayRecord(
  { record }: BundleEntry,
  { policies }: Bundle,
  steps: Step[],
): Promise<Awaited<ReturnType<typeof replayDecision>>> {
  const step = readStep(record, await reviewWanted(record, policies));
  if (step !== undefined) steps.push(step);
  return replayDecision(record, policies);
}

/** Goes through the records in order and stops at the first that does not hold. */
async function walkRecords(bundle: Bundle, trust: AuditTrust, findings: Findings): Promise<Walked> {
  const { chain, day, first_seq, records } = bundle;
  const pins = trust.pins.filter(({ origin }) => origin === chain);
  const metPins: Checkpoint[] = [];
  const meet = async (frontier: Frontier) => {
    for (const pin of pins.filter(({ size }) => size === frontier.size)) {
      if (toHex(await treeRoot(frontier, trust.hash)) === toHex(pin.root)) metPins.push(pin);
      else
        findings.add("anchoring", `the checkpoint at ${pin.size} records has a different history`);
    }
  };
  let frontier = toFrontier(bundle.before);
  let decisionsReplayed = 0;
  const steps: Step[] = [];
  await meet(frontier);
  for (const [i, entry] of records.entries()) {
    const seq = first_seq + i;
    const previous = i === 0 ? undefined : records[i - 1];
    const fault = await recordFault(entry, { seq, day, chain, previous, records }, trust);
    if (fault !== undefined) {
      findings.add("integrity", fault, seq);
      return { frontier: undefined, held: i, metPins, decisionsReplayed, steps };
    }
    frontier = await appendLeaf(frontier, fromHex(entry.hash) as Uint8Array, trust.hash);
    await meet(frontier);
    if (!trust.replay) continue;
    const replayed = await replayRecord(entry, bundle, steps);
    if (replayed?.ok === false) findings.add("replay", replayed.detail, seq);
    if (replayed !== undefined) decisionsReplayed++;
  }
  return { frontier, held: records.length, metPins, decisionsReplayed, steps };
}

/** Looked at first: that records are missing explains a signature that no longer matches. */
function checkCount({ count, records: { length } }: Bundle, findings: Findings): void {
  if (length === count) return;
  const why = length < count ? "records are missing" : "records were added";
  findings.add(
    "integrity",
    `the part says that it has ${count} records, but has ${length}: ${why}`,
  );
}

/** Every policy in a part must be the one its digest names, asked to be replayed or not. */
async function checkPolicies({ policies }: Bundle, findings: Findings): Promise<void> {
  for (const { version, digest, document } of policies) {
    if ((await policyDigest(document)) === digest) continue;
    findings.add("integrity", `policy version ${version} is not the one its digest names`);
  }
}

/** A part, and what of it is compared with others: the first is kept, the second used up. */
export interface VerifiedPart {
  readonly summary: PartSummary;
  readonly piece?: Piece | undefined;
}

/**
 * Checks one part of an export by itself: its signature, both checkpoints, every record, and that
 * the records lead from one checkpoint to the other.
 */
export async function verifyPart(
  { bundle, signature }: SignedBundle,
  trust: AuditTrust,
): Promise<VerifiedPart> {
  const { records, policies, ...head } = bundle;
  const { chain, first_seq } = bundle;
  const findings = new Findings(chain);
  const noteKeys = [...trust.keys.values()].map((jwk) => ({
    name: chain,
    publicKey: ed25519Bytes(jwk),
  }));
  checkCount(bundle, findings);
  const digest = await bundleDigest(bundle);
  const named = { chain, digest };
  const signed = await verifyBundleSignature(signature, named, noteKeys, trust.verify);
  if (!signed.ok) findings.add("integrity", `the signature of the part: ${signed.detail}`);
  const before = toFrontier(bundle.before);
  if (!isFrontier(before) || before.size !== first_seq) {
    findings.add("integrity", "the tree before the first record is not valid");
    const ends = { first: undefined, last: undefined, after: undefined };
    const nothing = { ...ends, metPins: [], decisionsReplayed: 0, vouched: signed.ok };
    return { summary: { ...head, digest, findings: findings.list, ...nothing } };
  }
  const begin = await checkpointFault(bundle.checkpoint_before, chain, before, trust);
  if (begin !== undefined) findings.add("integrity", `the checkpoint before the part: ${begin}`);
  await checkPolicies(bundle, findings);
  const walked = await walkRecords(bundle, trust, findings);
  const { frontier, held, metPins, decisionsReplayed } = walked;
  if (frontier !== undefined) {
    const end = await checkpointFault(bundle.checkpoint_after, chain, frontier, trust);
    if (end !== undefined) findings.add("integrity", `the checkpoint after the part: ${end}`);
  }
  const after = frontier && { size: frontier.size, frontier: frontier.hashes.map(toHex) };
  const first = held > 0 ? records[0] : undefined;
  const ends = { first, last: held === records.length ? records.at(-1) : undefined, after };
  // What is kept of a part must not keep its text.
  const kept = ownValue({ ...head, ...ends });
  const vouched = signed.ok || begin === undefined || held > 0;
  const results = { findings: findings.list, vouched, metPins, decisionsReplayed };
  const summary = { ...kept, digest, ...results };
  return { summary, piece: trust.replay ? pieceOf(bundle, held, walked.steps) : undefined };
}
