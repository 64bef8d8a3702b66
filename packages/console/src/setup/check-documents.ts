import { type Check, verifyCard, verifyCatalog } from "@gatehouse/protocol";
import { KEY_SETS, loadKeys } from "../proof/keys.js";

async function bytesAt(path: string): Promise<Uint8Array> {
  const response = await fetch(path, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${path} answered with status ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Verifies a site's card and catalog by the published keys, as an agent that trusts nobody does. */
export async function checkDocuments(siteKey: string): Promise<readonly Check[]> {
  const keys = await loadKeys(KEY_SETS.card);
  const options = { findKey: async (kid: string) => keys.get(kid), now: Date.now() };
  const card = await verifyCard(await bytesAt(`/v1/agent-card/${siteKey}.json`), options);
  const catalog = await verifyCatalog(await bytesAt(`/v1/catalog/${siteKey}.json`), options);
  const named = (kind: string, { checks }: { readonly checks: readonly Check[] }) =>
    checks.map(({ id, ok, text }) => ({ id: `${kind}-${id}`, ok, text: `${kind}: ${text}` }));
  return [...named("card", card), ...named("catalog", catalog)];
}
