import {
  type Check,
  isJsonObject,
  type JsonValue,
  parseJson,
  verifyCard,
  verifyCatalog,
} from "@gatehouse/protocol";
import type { Site } from "../layout/sites.js";
import { KEY_SETS, loadKeys } from "../proof/keys.js";

async function bytesAt(path: string): Promise<Uint8Array> {
  const response = await fetch(path, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${path} could not be loaded (status ${response.status}).`);
  return new Uint8Array(await response.arrayBuffer());
}

const at = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) ? value[name] : undefined;

/** Whether a document belongs to this site. A signature alone only shows that it belongs to some site. */
function ofSite(value: JsonValue | undefined, wanted: string): Check {
  const ok = value === wanted;
  return { id: `of ${wanted}`, ok, text: ok ? `belongs to ${wanted}` : "belongs to another site" };
}

const documentIn = (bytes: Uint8Array): JsonValue | undefined => {
  const parsed = parseJson(bytes);
  return parsed.ok ? parsed.value : undefined;
};

/** Verifies the card and the catalog of a site with the published keys, like an agent would. */
export async function checkDocuments({ site_key, domain }: Site): Promise<readonly Check[]> {
  const keys = await loadKeys(KEY_SETS.card);
  const options = { findKey: async (kid: string) => keys.get(kid), now: Date.now() };
  const card = await bytesAt(`/v1/agent-card/${site_key}.json`);
  const catalog = await bytesAt(`/v1/catalog/${site_key}.json`);
  const named = (kind: string, checks: readonly Check[]) =>
    checks.map(({ id, ok, text }) => ({ id: `${kind}-${id}`, ok, text: `${kind}: ${text}` }));
  const cardSite = at(documentIn(card), "site");
  // A DID escapes the colon of a port.
  const did = `did:web:${domain.replace(":", "%3A")}`;
  const manifest = at(documentIn(catalog), "trustManifest");
  return [
    ...named("card", [
      ...(await verifyCard(card, options)).checks,
      ofSite(at(cardSite, "site_key"), site_key),
      ofSite(at(cardSite, "domain"), domain),
    ]),
    ...named("catalog", [
      ...(await verifyCatalog(catalog, options)).checks,
      ofSite(at(manifest, "identity"), did),
    ]),
  ];
}
