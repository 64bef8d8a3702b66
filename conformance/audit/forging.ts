import { createHash, createPrivateKey, sign } from "node:crypto";
import {
  type AuditRecord,
  appendLeaf,
  type Bundle,
  bundleDigest,
  canonicalBytes,
  checkpointText,
  type Ed25519Jwk,
  EMPTY_FRONTIER,
  ed25519Bytes,
  evaluatePolicy,
  type Frontier,
  fromHex,
  generateEd25519,
  type JsonObject,
  leafHash,
  NO_PREVIOUS_HASH,
  type NoteKey,
  noteKeyText,
  PART_RECORDS_MAX,
  type PolicyVersion,
  policyDigest,
  policyReasons,
  RECORD_SCHEMA,
  readPolicy,
  readPolicyFacts,
  type Signer,
  serviceKeyId,
  signBundle,
  signNote,
  signRecord,
  toHex,
  treeRoot,
} from "@gatehouse/protocol";

const DAY_MS = 86_400_000;
/** Node's own functions, here and for signing: chains of thousands are written for one test. */
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();

/** A key of a log, both halves: whoever has one can sign whatever they like. */
export interface LogKey {
  readonly kid: string;
  readonly jwk: Ed25519Jwk;
  readonly publicKey: Uint8Array;
  readonly signer: Signer;
}

export async function makeKey(): Promise<LogKey> {
  const { jwk, privateJwk } = await generateEd25519("");
  const publicKey = ed25519Bytes(jwk);
  const kid = await serviceKeyId("audit", publicKey);
  const secret = createPrivateKey({ key: { ...privateJwk }, format: "jwk" });
  const signer = {
    kid,
    alg: "EdDSA",
    sign: (bytes: Uint8Array) => sign(null, bytes, secret),
  } as const;
  return { kid, jwk, publicKey, signer };
}

/** An entry of an export as an attacker holds it: anything may be written into it. */
export interface Entry {
  // biome-ignore lint/suspicious/noExplicitAny: forgers keep to no type
  record: any;
  hash: string;
  sig: string;
  key_id: string;
}

/** A part of an export, to be changed at will. */
export interface Part {
  bundle: {
    -readonly [K in Exclude<keyof Bundle, "records" | "before" | "policies">]: Bundle[K];
  } & {
    before: { size: number; frontier: string[] };
    policies: { version: number; digest: string; document: JsonObject }[];
    records: Entry[];
  };
  signature: string;
}

export interface Log {
  readonly chain: string;
  /** The key it is written with now. */
  readonly key: LogKey;
  readonly entries: readonly Entry[];
}

/** As deep as a policy may nest, so that an export is as deep as one can be. */
const POLICY = {
  policy: "rules/1",
  timezone: "Europe/Berlin",
  default: "deny",
  rules: [
    {
      id: "small",
      title: "Fougère: “petit” עלה \u{1f337}",
      effect: "allow",
      when: { all: [{ any: [{ all: [{ "cart.total": { lte: { EUR: "200.00" } } }] }] }] },
    },
  ],
} satisfies JsonObject;

/** The owner's rules that decisions of these logs name. */
export const policy: PolicyVersion = {
  version: 1,
  digest: await policyDigest(POLICY),
  document: POLICY,
};

/** A decision as records write it, by {@link policy}. */
function decisionOn(i: number): JsonObject {
  const [agent, skill, minor] = [`agt_${i}`, "place_order", i * 1000];
  const facts = { agent: { id: agent }, cart: { total: minor, currency: "EUR" }, skill };
  const [rules, read] = [readPolicy(POLICY), readPolicyFacts(facts)];
  if (!rules.ok || !read.ok) throw new Error("the rules or the facts of these tests are none");
  const made = evaluatePolicy(rules.value, read.value);
  const decision = {
    outcome: made.outcome,
    rules: made.rules as unknown as JsonObject[],
    facts,
    reason_codes: policyReasons(rules.value, made).codes,
    policy_digest: policy.digest,
    ...(made.rule === null ? {} : { rule_id: made.rule }),
  };
  const mandate = { mandate_id: `mandate-${i}`, digest: toHex(sha256(agent)) };
  return {
    type: "mandate.decision",
    decision,
    mandate,
    skill,
    agent: { id: agent },
    amount: { currency: "EUR", minor },
  };
}

/** Before the first decision its rules came into force. */
const PUBLISHED = {
  type: "site.changed",
  change: {
    kind: "policy_published",
    policy_version: policy.version,
    policy_digest: policy.digest,
  },
};

/** Texts that JSON libraries are known to write differently. */
const HOSTILE =
  'a\u2028b\u2029"\\/\b\f\n\r\t\u0000\u001f\u007f\u0080é\u{1f337}\ufeff\ufffd</script>עלה';

/** From here on, records say little: long logs are here for their length. */
const HOSTILE_MAX = 100;

/** What records of different types hold besides their frame. */
function contentOf(i: number): JsonObject {
  if (i === 2) return PUBLISHED;
  if (i % 3 === 0) return decisionOn(i);
  if (i > HOSTILE_MAX) return { type: "mcp.tools_call" };
  if (i % 3 === 1) return { type: "mcp.tools_call", tool: { name: HOSTILE, outcome: "answered" } };
  return { type: "refusals.folded", refusals: { count: i, reason_codes: ["malformed"] } };
}

/** Hashes and signs a record as it stands; unlike the service, even one that is none. */
export async function seal(entry: Entry, key: LogKey): Promise<void> {
  const record = entry.record as AuditRecord;
  entry.hash = toHex(await leafHash(canonicalBytes(record), sha256));
  entry.sig = await signRecord(record, entry.hash, key.signer);
}

export interface Plan {
  readonly chain?: string;
  readonly key: LogKey;
  /** Days and how many records each has. */
  readonly days: readonly (readonly [day: string, records: number])[];
  /** A key change, and the place of the record that tells of it. */
  readonly rotation?: { readonly at: number; readonly to: LogKey };
  /** The log this one goes on from. */
  readonly previous?: JsonObject;
}

/** Writes a log as the service does. */
export async function writeLog(plan: Plan): Promise<Log> {
  const { chain = "shop.example.com/audit/1", days, rotation } = plan;
  let { key } = plan;
  const entries: Entry[] = [];
  for (const [day, count] of days) {
    const begin = Date.parse(`${day}T08:00:00.000Z`);
    for (let i = 0; i < count; i++) {
      const seq = entries.length;
      if (seq === rotation?.at) key = rotation.to;
      const name = { name: chain, publicKey: key.publicKey };
      const vkey = await noteKeyText(name);
      let content = contentOf(seq);
      if (seq === rotation?.at) {
        content = {
          type: "chain.key_rotated",
          previous_key_id: plan.key.kid,
          key_id: key.kid,
          vkey,
        };
      } else if (seq === 0) {
        const { previous = null } = plan;
        content = { type: "chain.genesis", key_id: key.kid, vkey, previous, reason: null };
      } else if (i === 0) content = { type: "chain.day_closed", day, through: day };
      const time = new Date(begin + i * 10_000).toISOString();
      const record = {
        schema: RECORD_SCHEMA,
        chain,
        seq,
        prev_hash: entries.at(-1)?.hash ?? NO_PREVIOUS_HASH,
        record_id: `rec_${seq}`,
        occurred_at: time,
        recorded_at: time,
        site: "5f2a",
        ...content,
      };
      const entry = { record, hash: "", sig: "", key_id: key.kid };
      await seal(entry, key);
      entries.push(entry);
    }
  }
  return { chain, key, entries };
}

const noteKey = (name: string, { publicKey }: LogKey): NoteKey => ({ name, publicKey });

/** A signed checkpoint of any tree; the name of a key is that of its log, unless somebody lies. */
export async function signTree(
  chain: string,
  tree: Frontier,
  key: LogKey,
  name = chain,
): Promise<string> {
  const root = await treeRoot(tree, sha256);
  const text = checkpointText({ origin: chain, size: tree.size, root });
  return signNote(text, noteKey(name, key), key.signer);
}

/** The tree over the first records of a log. */
export async function treeAt({ entries }: Log, size: number): Promise<Frontier> {
  let tree: Frontier = EMPTY_FRONTIER;
  for (const { hash } of entries.slice(0, size)) {
    tree = await appendLeaf(tree, fromHex(hash) as Uint8Array, sha256);
  }
  return tree;
}

/** The checkpoint that an auditor kept when the log had this size. */
export async function pinAt(log: Log, size: number): Promise<string> {
  return signTree(log.chain, await treeAt(log, size), log.key);
}

/** Where the log that goes on from this one says that it ended. */
export async function endOf(log: Log): Promise<JsonObject> {
  const size = log.entries.length;
  return { chain: log.chain, size, checkpoint: await pinAt(log, size) };
}

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Exports days of a log as the service does; the last may still be running. */
export async function exportLog(
  log: Log,
  { from, to, running = false }: { from?: string; to?: string; running?: boolean } = {},
): Promise<Part[]> {
  const dayOf = ({ record }: Entry) => record.recorded_at.slice(0, 10) as string;
  const [first, last] = [log.entries[0] as Entry, log.entries.at(-1) as Entry].map(dayOf);
  const end = Date.parse(to ?? (last as string));
  const parts: Part[] = [];
  for (let ms = Date.parse(from ?? (first as string)); ms <= end; ms += DAY_MS) {
    const day = isoDay(ms);
    const dayFirst = log.entries.filter((entry) => dayOf(entry) < day).length;
    const entries = log.entries.filter((entry) => dayOf(entry) === day);
    const count = Math.max(1, Math.ceil(entries.length / PART_RECORDS_MAX));
    for (let part = 1; part <= count; part++) {
      const at = (part - 1) * PART_RECORDS_MAX;
      const records = entries.slice(at, at + PART_RECORDS_MAX);
      const before = await treeAt(log, dayFirst + at);
      const bundle: Part["bundle"] = {
        schema: "audit-bundle/v1",
        chain: log.chain,
        day,
        closed: !(running && ms === end),
        part,
        parts: count,
        day_first_seq: dayFirst,
        day_count: entries.length,
        first_seq: dayFirst + at,
        count: records.length,
        prev_part_sha256: null,
        before: { size: before.size, frontier: before.hashes.map(toHex) },
        checkpoint_before: "",
        checkpoint_after: "",
        policies: [structuredClone(policy)],
        records: structuredClone(records),
      } as Part["bundle"];
      parts.push({ bundle, signature: "" });
    }
  }
  await forge(parts, { tree: true, bundle: true }, [log.key]);
  return parts;
}

/** What an attacker makes again with the key of the log, as one who has beaten that layer. */
export interface Forged {
  /** Hashes and signatures of records, which are numbered by their place. */
  readonly records?: boolean;
  /** Each record names the one that stands before it now. */
  readonly links?: boolean;
  /** Both checkpoints of each part. */
  readonly tree?: boolean;
  /** The signatures of parts, and what parts say of each other and of their records. */
  readonly bundle?: boolean;
  /** False where what parts say of their records is the forgery. */
  readonly counts?: boolean;
}

async function forgeRecords(parts: readonly Part[], links: boolean, keys: readonly LogKey[]) {
  let seq = parts[0]?.bundle.first_seq ?? 0;
  let previous: Entry | undefined;
  for (const entry of parts.flatMap(({ bundle }) => bundle.records)) {
    entry.record.seq = seq;
    if (links && seq === 0) entry.record.prev_hash = NO_PREVIOUS_HASH;
    else if (links && previous !== undefined) entry.record.prev_hash = previous.hash;
    await seal(entry, keys.find(({ kid }) => kid === entry.key_id) ?? (keys[0] as LogKey));
    previous = entry;
    seq++;
  }
}

function forgeCounts(parts: readonly Part[], renumbered: boolean): void {
  let next = parts[0]?.bundle.first_seq ?? 0;
  for (const { bundle } of parts) {
    bundle.count = bundle.records.length;
    if (renumbered) bundle.first_seq = next;
    next += bundle.count;
  }
  for (const { bundle } of parts) {
    const day = parts.filter((other) => other.bundle.day === bundle.day);
    bundle.day_first_seq = day[0]?.bundle.first_seq ?? 0;
    bundle.day_count = day.reduce((sum, other) => sum + other.bundle.count, 0);
  }
}

async function forgeTree(parts: readonly Part[], key: LogKey): Promise<void> {
  let after: Frontier | undefined;
  for (const { bundle } of parts) {
    const { chain, before, first_seq } = bundle;
    let tree: Frontier =
      after?.size === first_seq
        ? after
        : { size: before.size, hashes: before.frontier.map((hash) => fromHex(hash) as Uint8Array) };
    bundle.before = { size: tree.size, frontier: tree.hashes.map(toHex) };
    bundle.checkpoint_before = await signTree(chain, tree, key);
    for (const { hash } of bundle.records) {
      tree = await appendLeaf(tree, fromHex(hash) as Uint8Array, sha256);
    }
    bundle.checkpoint_after = await signTree(chain, tree, key);
    after = tree;
  }
}

/** The signature of one part as it stands, whatever it says of the part before it. */
export async function signPart({ bundle }: Part, key: LogKey): Promise<string> {
  const digest = await bundleDigest(bundle as unknown as JsonObject);
  return signBundle(digest, noteKey(bundle.chain, key), key.signer);
}

async function forgeBundles(parts: readonly Part[], key: LogKey): Promise<void> {
  for (const [i, part] of parts.entries()) {
    const before = parts[i - 1]?.bundle;
    const { bundle } = part;
    if (before?.day === bundle.day && before.part === bundle.part - 1) {
      bundle.prev_part_sha256 = await bundleDigest(before as unknown as JsonObject);
    }
    part.signature = await signPart(part, key);
  }
}

/** Makes layers of an export again, so that they fit what its parts hold by now. */
export async function forge(
  parts: readonly Part[],
  { records = false, links = false, tree = false, bundle = false, counts = true }: Forged,
  keys: readonly LogKey[],
): Promise<void> {
  const key = keys[0] as LogKey;
  if (records) await forgeRecords(parts, links, keys);
  if (bundle && counts) forgeCounts(parts, records);
  if (tree) await forgeTree(parts, key);
  if (bundle) await forgeBundles(parts, key);
}

/** A part as the file it travels in. */
export function fileOf({ bundle, signature }: Part): string {
  return JSON.stringify({ bundle, signature });
}
