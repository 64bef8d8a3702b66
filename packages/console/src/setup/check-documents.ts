import { type Check, verifyCard, verifyCatalog } from "@gatehouse/protocol";
import type { Site } from "../layout/sites.js";
import { KEY_SETS, loadKeys } from "../proof/keys.js";

async function bytesAt(path: string): Promise<Uint8Array> {
  const response = await fetch(path, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${path} answered with status ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Whether a document is of the site it was asked for; a signature alone says that it is of some site. */
function ofSite(bytes: Uint8Array, names: readonly string[]): Check {
  const text = new TextDecoder().decode(bytes);
  const ok = names.every((name) => text.includes(JSON.stringify(name).slice(1, -1)));
  return { id: "site", ok, text: ok ? "it is of this site" : "it is of another site" };
}

/** Verifies a site's card and catalog by the published keys, as an agent that trusts nobody does. */
export async function checkDocuments({ site_key, domain }: Site): Promise<readonly Check[]> {
  const keys = await loadKeys(KEY_SETS.card);
  const options = { findKey: async (kid: string) => keys.get(kid), now: Date.now() };
  const card = await bytesAt(`/v1/agent-card/${site_key}.json`);
  const catalog = await bytesAt(`/v1/catalog/${site_key}.json`);
  const named = (kind: string, checks: readonly Check[]) =>
    checks.map(({ id, ok, text }) => ({ id: `${kind}-${id}`, ok, text: `${kind}: ${text}` }));
  const own = [site_key, domain];
  return [
    ...named("card", [...(await verifyCard(card, options)).checks, ofSite(card, own)]),
    ...named("catalog", [...(await verifyCatalog(catalog, options)).checks, ofSite(catalog, own)]),
  ];
}
