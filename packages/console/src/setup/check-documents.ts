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
  if (!response.ok) throw new Error(`${path} answered with status ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

const at = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) ? value[name] : undefined;

/** Whether a document is of the site it was asked for; a signature alone says that it is of some site. */
function ofSite(said: JsonValue | undefined, wanted: string): Check {
  const ok = said === wanted;
  return { id: `of ${wanted}`, ok, text: ok ? `it is of ${wanted}` : "it is of another site" };
}

const documentIn = (bytes: Uint8Array): JsonValue | undefined => {
  const parsed = parseJson(bytes);
  return parsed.ok ? parsed.value : undefined;
};

/** Verifies a site's card and catalog by the published keys, as an agent that trusts nobody does. */
export async function checkDocuments({ site_key, domain }: Site): Promise<readonly Check[]> {
  const keys = await loadKeys(KEY_SETS.card);
  const options = { findKey: async (kid: string) => keys.get(kid), now: Date.now() };
  const card = await bytesAt(`/v1/agent-card/${site_key}.json`);
  const catalog = await bytesAt(`/v1/catalog/${site_key}.json`);
  const named = (kind: string, checks: readonly Check[]) =>
    checks.map(({ id, ok, text }) => ({ id: `${kind}-${id}`, ok, text: `${kind}: ${text}` }));
  const about = at(documentIn(card), "site");
  // A port is written so in a DID of the web.
  const did = `did:web:${domain.replace(":", "%3A")}`;
  const manifest = at(documentIn(catalog), "trustManifest");
  return [
    ...named("card", [
      ...(await verifyCard(card, options)).checks,
      ofSite(at(about, "site_key"), site_key),
      ofSite(at(about, "domain"), domain),
    ]),
    ...named("catalog", [
      ...(await verifyCatalog(catalog, options)).checks,
      ofSite(at(manifest, "identity"), did),
    ]),
  ];
}
