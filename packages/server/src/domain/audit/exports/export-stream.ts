import { createHash } from "node:crypto";
import { ocsfLine, type PolicyVersion, signExportFile, treeRoot } from "@gatehouse/protocol";
import type { LogHead, StoredRecord } from "../log.js";
import { sha256Now } from "../log-writer.js";
import { htmlPage } from "./html.js";
import type { ExportTools } from "./parts.js";
import { ExportParts, partRecords, rangeOf } from "./parts.js";
import type { ExportFormat, ExportSnapshot } from "./snapshot.js";

/** An export file that is being sent. */
export interface ExportFile {
  readonly name: string;
  readonly type: string;
  readonly parts: number;
  readonly chunks: AsyncIterable<string>;
}

const FORMATS: Readonly<Record<ExportFormat, { readonly ending: string; readonly type: string }>> =
  {
    json: { ending: "json", type: "application/json; charset=utf-8" },
    html: { ending: "html", type: "text/html; charset=utf-8" },
    ocsf: { ending: "ndjson", type: "application/x-ndjson; charset=utf-8" },
  };

/** `{site}-{day}`, the part if there are several, and the epoch if it is not the first. */
function fileName({ host, epoch }: LogHead, { day, parts, format }: ExportSnapshot, part: number) {
  const site = host.replaceAll(/[:/]/g, "_") + (epoch === 1 ? "" : `-epoch-${epoch}`);
  const which = parts === 1 ? "" : `-part-${part}-of-${parts}`;
  return `${site}-${day}${which}.${FORMATS[format].ending}`;
}

/** Quotes inside strings are escaped, so this matches only members. */
const POLICY_NAMED = /"policy_digest":"([0-9a-f]{64})"/g;

/** All policy versions that records refer to, each once. */
async function policiesNamed(
  records: AsyncIterable<StoredRecord>,
  { policyByDigest }: ExportTools,
): Promise<PolicyVersion[]> {
  const named = new Set<string>();
  for await (const { text } of records) {
    for (const [, digest] of text.matchAll(POLICY_NAMED)) named.add(digest as string);
  }
  const versions: PolicyVersion[] = [];
  for (const digest of named) {
    const policy = await policyByDigest(digest);
    // A record of this installation only refers to published versions. A record from elsewhere may
    // not.
    if (policy === undefined) continue;
    versions.push({ version: policy.version, digest, document: policy.document });
  }
  return versions.sort((a, b) => a.version - b.version);
}

async function* ocsfLines(records: AsyncIterable<StoredRecord>, version: string) {
  for await (const record of records) yield `${await ocsfLine(record, { version })}\n`;
}

/** Makes the parts of a snapshot. */
export function partsOf(snapshot: ExportSnapshot, tools: ExportTools): ExportParts {
  return new ExportParts(tools.audit, snapshot, (records) => policiesNamed(records, tools));
}

function chunksOf(snapshot: ExportSnapshot, part: number, tools: ExportTools) {
  const { audit, version } = tools;
  if (snapshot.format === "ocsf") {
    return ocsfLines(partRecords(audit.reader, snapshot, part), version);
  }
  const signed = partsOf(snapshot, tools).signed(part);
  return snapshot.format === "json" ? signed : htmlPage(signed, tools);
}

/** The signed note of a file: writes the file again to hash it. */
async function* noteOf(
  name: string,
  snapshot: ExportSnapshot,
  part: number,
  tools: ExportTools,
): AsyncGenerator<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunksOf(snapshot, part, tools)) hash.update(chunk);
  const { chain } = snapshot;
  const [first_seq, end] = rangeOf(snapshot, part);
  const root = await treeRoot(await tools.audit.reader.frontierAt(chain, end), sha256Now);
  const sha256 = hash.digest("hex");
  const file = { chain, name, sha256, first_seq, count: end - first_seq, root };
  const { signer, publicKey } = await tools.audit.key();
  yield await signExportFile(file, { name: chain, publicKey }, signer);
}

/** One part of an export in its format, or its signed note. */
export async function exportFile(
  snapshot: ExportSnapshot,
  log: LogHead,
  { part, note }: { readonly part: number; readonly note: boolean },
  tools: ExportTools,
): Promise<ExportFile> {
  const { parts, format } = snapshot;
  const name = fileName(log, snapshot, part);
  // Reads everything first, because an error after the start of the answer could only cut it off.
  await partsOf(snapshot, tools).ready(part);
  if (!note)
    return { name, parts, type: FORMATS[format].type, chunks: chunksOf(snapshot, part, tools) };
  const chunks = noteOf(name, snapshot, part, tools);
  return { name: `${name}.note`, parts, type: "text/plain; charset=utf-8", chunks };
}
