import {
  type AuditRecord,
  appendLeaf,
  type BundleHead,
  bundleDigest,
  bundleFrame,
  type Checkpoint,
  checkpointText,
  type Ed25519Jwk,
  EMPTY_FRONTIER,
  ed25519Bytes,
  entryText,
  exportVerifier,
  type Frontier,
  generateEd25519,
  type JsonObject,
  NO_PREVIOUS_HASH,
  type PolicyVersion,
  type StoredEntry,
  sealRecord,
  signBundle,
  signNote,
  signRecord,
  toHex,
  treeRoot,
} from "../src/index.ts";

export const CHAIN = "shop.example.com/audit/1";
export const DAY = "2030-05-17";

/** A log under a key of its own, a record a second; `days` say when a day has how many records. */
export async function writeLog(
  contents: readonly JsonObject[],
  days: readonly (readonly [day: string, records: number])[] = [[DAY, contents.length]],
) {
  const { signer, jwk } = await generateEd25519("k1");
  const key = { name: CHAIN, publicKey: ed25519Bytes(jwk) };
  const entries: (StoredEntry & { readonly record: AuditRecord })[] = [];
  const frontiers: Frontier[] = [EMPTY_FRONTIER];
  const dayOf = days.flatMap(([day, records]) => Array.from({ length: records }, () => day));
  for (const [seq, content] of contents.entries()) {
    const noon = Date.parse(`${dayOf[seq]}T12:00:00.000Z`);
    const at = new Date(noon + seq * 1000).toISOString();
    const record = {
      ...(seq === 0 ? { type: "chain.genesis", key_id: "k1" } : { type: "site.changed" }),
      record_id: `r${seq}`,
      occurred_at: at,
      ...content,
      schema: "audit-record/v1",
      chain: CHAIN,
      seq,
      recorded_at: at,
      prev_hash: entries.at(-1)?.hash ?? NO_PREVIOUS_HASH,
    } as AuditRecord;
    const { text, leaf, hash } = await sealRecord(record);
    entries.push({ record, text, hash, sig: await signRecord(record, hash, signer), key_id: "k1" });
    frontiers.push(await appendLeaf(frontiers.at(-1) as Frontier, leaf));
  }
  const checkpointAt = async (tree: Frontier) => {
    const root = await treeRoot(tree);
    return signNote(checkpointText({ origin: CHAIN, size: tree.size, root }), key, signer);
  };
  const frontier = frontiers.at(-1) as Frontier;
  return { signer, jwk, key, entries, frontier, frontiers, checkpointAt };
}

export type Written = Awaited<ReturnType<typeof writeLog>>;

/** The records of one day, as an export tells them. */
export async function exportOf(
  log: Written,
  policies: readonly PolicyVersion[] = [],
  day = DAY,
): Promise<string> {
  const own = log.entries.filter(({ record }) => record.recorded_at.startsWith(day));
  const first_seq = own[0]?.record.seq ?? 0;
  const count = own.length;
  const before = log.frontiers[first_seq] as Frontier;
  const head: BundleHead = {
    chain: CHAIN,
    day,
    closed: true,
    part: 1,
    parts: 1,
    day_first_seq: first_seq,
    policies,
    day_count: count,
    first_seq,
    count,
    prev_part_sha256: null,
    before: { size: before.size, frontier: before.hashes.map(toHex) },
    checkpoint_before: await log.checkpointAt(before),
    checkpoint_after: await log.checkpointAt(log.frontiers[first_seq + count] as Frontier),
  };
  const { opening, closing } = bundleFrame(head);
  const bundle = opening + own.map(entryText).join(",") + closing;
  const signature = await signBundle(await bundleDigest(JSON.parse(bundle)), log.key, log.signer);
  return `{"bundle":${bundle},"signature":${JSON.stringify(signature)}}`;
}

/** What the verifier says of parts. */
export async function verdict(
  texts: string | readonly string[],
  jwk: Ed25519Jwk,
  { pins = [] as Checkpoint[], replay = false } = {},
) {
  const verifier = exportVerifier({ keys: new Map([["k1", jwk]]), pins, replay });
  for (const text of [texts].flat()) {
    const added = await verifier.add(text);
    if (!added.ok) throw new Error(added.detail);
  }
  return verifier.report();
}
