import {
  type Check,
  isJsonObject,
  type JsonValue,
  parseJson,
  verifyCard,
  verifyCatalog,
} from "@gatehouse/protocol";
import type { Api } from "../api/client.js";
import type { Site } from "../layout/sites.js";
import { KEY_SETS, loadKeys } from "../proof/keys.js";

/** A document of the preview, with the address where agents find it. */
export type PublishedDocument = Api["PreviewedDocument"];

/** What an agent gets at the address of a document. */
export interface CheckedDocument {
  readonly state: "verified" | "published" | "problem";
  readonly checks: readonly Check[];
}

const TOOLS = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/** Asks as an agent without an account does, at this very service. */
async function bytesOf({ name, url, content_type }: PublishedDocument): Promise<Uint8Array> {
  const { pathname } = new URL(url);
  const accept = name === "mcp-tools" ? `${content_type}, text/event-stream` : content_type;
  const response = await fetch(pathname, {
    cache: "no-cache",
    credentials: "omit",
    headers: { accept, "content-type": "application/json" },
    ...(name === "mcp-tools" ? { method: "POST", body: JSON.stringify(TOOLS) } : {}),
  });
  if (!response.ok) throw new Error(`could not be loaded (status ${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}

const at = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) ? value[name] : undefined;

/** Whether a document belongs to this site. A signature alone only shows that it belongs to some site. */
function ofSite(value: JsonValue | undefined, wanted: string): Check {
  const ok = value === wanted;
  return { id: `of ${wanted}`, ok, text: ok ? `belongs to ${wanted}` : "belongs to another site" };
}

/** The checks of a signed document; none of one that is not signed. */
async function checksOf(
  { name }: PublishedDocument,
  bytes: Uint8Array,
  { site_key, domain }: Site,
): Promise<readonly Check[]> {
  if (name !== "card" && name !== "catalog") return [];
  const keys = await loadKeys(KEY_SETS.card);
  const options = { findKey: async (kid: string) => keys.get(kid), now: Date.now() };
  const parsed = parseJson(bytes);
  const document = parsed.ok ? parsed.value : undefined;
  if (name === "card") {
    const cardSite = at(document, "site");
    return [
      ...(await verifyCard(bytes, options)).checks,
      ofSite(at(cardSite, "site_key"), site_key),
      ofSite(at(cardSite, "domain"), domain),
    ];
  }
  // A DID escapes the colon of a port.
  const did = `did:web:${domain.replace(":", "%3A")}`;
  const identity = at(at(document, "trustManifest"), "identity");
  return [...(await verifyCatalog(bytes, options)).checks, ofSite(identity, did)];
}

/** Fetches a document as an agent would, and verifies it with the published keys if it is signed. */
async function checkDocument(document: PublishedDocument, site: Site): Promise<CheckedDocument> {
  try {
    const checks = await checksOf(document, await bytesOf(document), site);
    if (checks.length === 0) return { state: "published", checks };
    return { state: checks.every(({ ok }) => ok) ? "verified" : "problem", checks };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { state: "problem", checks: [{ id: "loaded", ok: false, text }] };
  }
}

/** Every document of a site by its name, as agents get them now. */
export async function checkDocuments(
  site: Site,
  documents: readonly PublishedDocument[],
): Promise<ReadonlyMap<string, CheckedDocument>> {
  const checked = documents.map(
    async (document) => [document.name, await checkDocument(document, site)] as const,
  );
  return new Map(await Promise.all(checked));
}
