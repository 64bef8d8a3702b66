import { canonicalBytes, canonicalize } from "../json/canonicalize.js";
import { isJsonObject, type JsonObject } from "../json/value.js";
import { verifyDetached } from "../jws/detached.js";
import { protocolById } from "../protocols.js";
import { Checklist, type Verdict } from "./checklist.js";
import { checkHeaderDates, member, readDocument, text, type VerifyOptions } from "./document.js";

/** The manifest at the root, which the contract names; strict copies have only the host's. */
function manifestOf(list: Checklist, catalog: JsonObject): JsonObject | undefined {
  const root = member(catalog, "trustManifest");
  const host = member(catalog, "host", "trustManifest");
  const manifest = root ?? host;
  const held =
    catalog.specVersion === protocolById("ard").version &&
    Array.isArray(catalog.entries) &&
    isJsonObject(manifest);
  list.note("shape", held, "it is a catalog", "it does not have all members of a signed catalog");
  if (!held) return undefined;
  if (root !== undefined && host !== undefined) {
    const same = canonicalize(root) === canonicalize(host);
    const bad = "the manifests at the root and under host differ";
    list.note("copies", same, "the manifest under host is the same", bad);
  }
  return manifest;
}

async function checkSignature(
  list: Checklist,
  { signature, ...body }: JsonObject,
  options: VerifyOptions,
): Promise<void> {
  const jws = typeof signature === "string" ? signature : "";
  const checked = await verifyDetached(jws, canonicalBytes(body), options.findKey, options.verify);
  const good = checked.ok ? `the manifest is signed by ${text(checked.value, "kid")}` : "";
  const bad = checked.ok ? "" : `the manifest's signature is not valid: ${checked.detail}`;
  if (!list.note("signature", checked.ok, good, bad) || !checked.ok) return;
  checkHeaderDates(list, checked.value, options.now);
}

/** A catalog may list only what its own publisher publishes. */
function checkIdentity(list: Checklist, catalog: JsonObject, manifest: JsonObject): void {
  const did = text(catalog, "host", "identifier");
  const same = did.startsWith("did:web:") && did === text(manifest, "identity");
  const bad = "host.identifier is not the identity the manifest was signed for";
  if (!list.note("identity", same, `it was signed for ${did}`, bad)) return;
  const entries = catalog.entries as readonly JsonObject[];
  const host = did.slice("did:web:".length).split("%3A")[0] as string;
  const own = entries.every((entry) => text(entry, "identifier").startsWith(`urn:air:${host}:`));
  list.note(
    "publisher",
    own,
    "every entry names this publisher",
    "an entry names another publisher",
  );
}

/**
 * Verifies a catalog, step by step. By contract `url`, `capabilities` and `description` of
 * entries are outside the signature: they are as good as the connection they came over.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const now = Date.UTC(2030, 4, 17);
 * const { catalog } = await signCatalog(EXAMPLE_SITE, signer, now);
 * (await verifyCatalog(canonicalBytes(catalog), { findKey: () => jwk, now })).ok; //=> true
 */
export async function verifyCatalog(bytes: Uint8Array, options: VerifyOptions): Promise<Verdict> {
  const list = new Checklist();
  const catalog = readDocument(list, bytes);
  const manifest = catalog && manifestOf(list, catalog);
  if (catalog !== undefined && manifest !== undefined) {
    await checkSignature(list, manifest, options);
    checkIdentity(list, catalog, manifest);
  }
  return list.verdict("catalog");
}
