import {
  type AuditRecord,
  appendLeaf,
  type Bundle,
  type BundleHead,
  bundleDigest,
  bundleFrame,
  checkpointText,
  type Ed25519Jwk,
  EMPTY_FRONTIER,
  ed25519Bytes,
  entryText,
  type Frontier,
  fromHex,
  generateEd25519,
  type JsonObject,
  NO_PREVIOUS_HASH,
  type NoteKey,
  PART_RECORDS_MAX,
  type PolicyVersion,
  parseJson,
  type RecordType,
  type Signer,
  type StoredEntry,
  sealRecord,
  serviceKeyId,
  signBundle,
  signNote,
  signRecord,
  toHex,
  treeRoot,
} from "@gatehouse/protocol";

const CHAIN = "shop.example.com/audit/1";
const DAY = "2030-05-17";

export interface AuditKey {
  readonly kid: string;
  readonly jwk: Ed25519Jwk;
  readonly signer: Signer;
}

/** A key of the log; `kid` where it passes itself off as another. */
export async function auditKey(kid?: string): Promise<AuditKey> {
  const { signer, jwk } = await generateEd25519("k");
  return { kid: kid ?? (await serviceKeyId("audit", ed25519Bytes(jwk))), jwk, signer };
}

export type Content = JsonObject & { readonly type?: RecordType };

/** A log made outside the server, with the tree at every size. */
export interface WrittenLog {
  readonly chain: string;
  readonly key: AuditKey;
  readonly entries: readonly StoredEntry[];
  readonly frontiers: readonly Frontier[];
}

export const noteKeyOf = ({ chain, key }: Pick<WrittenLog, "chain" | "key">): NoteKey => ({
  name: chain,
  publicKey: ed25519Bytes(key.jwk),
});

/** One record of a log, sealed and signed. */
export async function writeRecord(
  { chain, key }: Pick<WrittenLog, "chain" | "key">,
  seq: number,
  prev_hash: string,
  content: Content,
): Promise<StoredEntry> {
  const at = new Date(Date.parse(`${DAY}T08:00:00Z`) + seq * 1000).toISOString();
  const record: AuditRecord = {
    schema: "audit-record/v1",
    chain,
    seq,
    prev_hash,
    record_id: `r-${seq}`,
    ...(seq === 0 ? { type: "chain.genesis", key_id: key.kid } : { type: "site.changed" }),
    occurred_at: at,
    recorded_at: at,
    actor: { id: "token-1", kind: "token", role: "owner" },
    ...content,
  };
  const { text, hash } = await sealRecord(record);
  return { text, hash, sig: await signRecord(record, hash, key.signer), key_id: key.kid };
}

export async function writeLog(
  size: number,
  key: AuditKey,
  content: (seq: number) => Content = (seq) => ({ change: { kind: `profile ${seq}` } }),
  chain = CHAIN,
): Promise<WrittenLog> {
  const entries: StoredEntry[] = [];
  const frontiers: Frontier[] = [EMPTY_FRONTIER];
  for (let seq = 0; seq < size; seq++) {
    const before = entries.at(-1)?.hash ?? NO_PREVIOUS_HASH;
    const entry = await writeRecord({ chain, key }, seq, before, content(seq));
    entries.push(entry);
    const leaf = fromHex(entry.hash) as Uint8Array;
    frontiers.push(await appendLeaf(frontiers.at(-1) as Frontier, leaf));
  }
  return { chain, key, entries, frontiers };
}

/** The signed checkpoint of a log at one size. */
export async function checkpointAt(log: WrittenLog, size: number): Promise<string> {
  const root = await treeRoot(log.frontiers[size] as Frontier);
  const text = checkpointText({ origin: log.chain, size, root });
  return signNote(text, noteKeyOf(log), log.key.signer);
}

/** A bundle that a test may take apart. */
export type OpenBundle = { -readonly [Name in keyof Bundle]: Bundle[Name] };

/** One part of a log's day, as an export tells it. */
export async function writePart(
  log: WrittenLog,
  { part = 1, end = log.entries.length, policies = [] as readonly PolicyVersion[] } = {},
): Promise<OpenBundle> {
  const first = (part - 1) * PART_RECORDS_MAX;
  const next = Math.min(first + PART_RECORDS_MAX, end);
  const { size, hashes } = log.frontiers[first] as Frontier;
  const head: BundleHead = {
    chain: log.chain,
    day: DAY,
    closed: true,
    day_first_seq: 0,
    day_count: end,
    part,
    parts: Math.max(1, Math.ceil(end / PART_RECORDS_MAX)),
    first_seq: first,
    count: next - first,
    prev_part_sha256: part === 1 ? null : "11".repeat(32),
    before: { size, frontier: hashes.map(toHex) },
    checkpoint_before: await checkpointAt(log, first),
    checkpoint_after: await checkpointAt(log, next),
    policies,
  };
  const { opening, closing } = bundleFrame(head);
  const text = opening + log.entries.slice(first, next).map(entryText).join() + closing;
  return JSON.parse(text) as OpenBundle;
}

/** The signature of a bundle as it now is. */
export async function signPart(log: WrittenLog, bundle: OpenBundle): Promise<string> {
  const digest = await bundleDigest(bundle as unknown as JsonObject);
  return signBundle(digest, noteKeyOf(log), log.key.signer);
}

/** A part with its signature, as it travels. */
export async function signedPart(log: WrittenLog, bundle: OpenBundle) {
  return { bundle, signature: await signPart(log, bundle) };
}

/** An entry of a bundle from the record as it is stored. */
export function openEntry({ text, ...proof }: StoredEntry): Bundle["records"][number] {
  const parsed = parseJson(text);
  return { ...proof, record: (parsed.ok ? parsed.value : {}) as AuditRecord };
}
