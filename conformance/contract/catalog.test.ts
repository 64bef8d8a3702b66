import { expect, inject, test } from "vitest";
import {
  ask,
  askAsOperator,
  pathsOf,
  type Site,
  setSkills,
  siteWithSkills,
  verifiedSite,
} from "./asking.ts";
import { altered, headerOf, keySet, type Manifest, manifestVerifies } from "./verifying.ts";

interface Entry {
  readonly identifier: string;
  readonly displayName: string;
  readonly type: string;
  readonly url: string;
  readonly description: string;
  readonly capabilities?: readonly string[];
}

interface Catalog {
  readonly specVersion: string;
  readonly host: { readonly displayName: string; readonly identifier: string };
  readonly entries: readonly Entry[];
  readonly trustManifest: Manifest;
}

const catalogOf = async (site: Site): Promise<Catalog> =>
  (await ask("GET", pathsOf(site).catalog)).body;

function bodyOf({ trustManifest }: Catalog) {
  const { signature: _, ...body } = trustManifest;
  return body;
}

test("[4-d] the catalog answers 200 with JSON", async () => {
  const { status, headers, body } = await ask("GET", pathsOf(await verifiedSite()).catalog);
  expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
  expect(body.entries.length).toBeGreaterThan(0);
});

test("[1.1-b 1.8-h] a site has a signed ARD catalog of its published documents", async () => {
  const { site } = await siteWithSkills({ name: "Fern" });
  const catalog = await catalogOf(site);
  expect(catalog.host.displayName).toBe("Fern");
  const { card, llms } = pathsOf(site);
  const urls = catalog.entries.map((entry) => entry.url);
  for (const path of [card, llms]) expect(urls).toContain(inject("target").url + path);
  const text = expect.stringMatching(/./);
  for (const entry of catalog.entries) {
    expect(entry).toMatchObject({ displayName: text, type: text, description: text });
    expect(entry.identifier.startsWith(`urn:air:${site.domain}:`)).toBe(true);
    expect([entry.url, (await ask("GET", entry.url)).status]).toEqual([entry.url, 200]);
  }
  expect(catalog.trustManifest.identity).toBe(`did:web:${site.domain}`);
  expect(manifestVerifies(catalog.trustManifest, await keySet())).toBe(true);
});

test("[2.4-a 9-d] the catalog's specVersion is 1.0", async () => {
  expect((await catalogOf(await verifiedSite())).specVersion).toBe("1.0");
});

test("[2.4-b] the catalog's host is the did:web of the site's domain", async () => {
  const site = await verifiedSite();
  expect((await catalogOf(site)).host.identifier).toBe(`did:web:${site.domain}`);
});

test("[2.4-c] the trust manifest contains a detached compact JWS signed with Ed25519", async () => {
  const { signature } = (await catalogOf(await verifiedSite())).trustManifest;
  expect(signature).toMatch(/^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]{86}$/);
  expect(headerOf(signature).alg).toBe("EdDSA");
});

test("[2.4-d] the JWS covers everything in the trust manifest except itself", async () => {
  const catalog = await catalogOf(await verifiedSite());
  const keys = await keySet();
  const { signature } = catalog.trustManifest;
  expect(manifestVerifies(catalog.trustManifest, keys)).toBe(true);
  const forgeries = [...altered(bodyOf(catalog))] as object[];
  expect(forgeries.length).toBeGreaterThan(10);
  for (const forged of forgeries) {
    expect([forged, manifestVerifies({ ...forged, signature }, keys)]).toEqual([forged, false]);
  }
});

test("[2.4-e 4.1.12-b] the manifest verifies with the key that its JWS names, and with no other", async () => {
  const { trustManifest } = await catalogOf(await verifiedSite());
  const keys = await keySet();
  const { kid } = headerOf(trustManifest.signature) as { kid: string };
  const key = keys.find((one) => one.kid === kid);
  expect(key).toBeDefined();
  expect(manifestVerifies(trustManifest, keys)).toBe(true);
  const others = keys.filter(({ x }) => x !== key?.x);
  expect(others.length).toBeGreaterThan(0);
  for (const other of others) {
    expect(manifestVerifies(trustManifest, [{ ...other, kid }])).toBe(false);
  }
});

test("[1.2-b] one fetch of the key set verifies the trust manifests of all sites", async () => {
  const keys = await keySet();
  for (const site of [await verifiedSite(), await verifiedSite(), (await siteWithSkills()).site]) {
    const { trustManifest } = await catalogOf(site);
    expect(trustManifest.identity).toBe(`did:web:${site.domain}`);
    expect(manifestVerifies(trustManifest, keys)).toBe(true);
  }
});

test("[2.4-f] entries are outside the signature: they can change while the signed part stays the same", async () => {
  const { site, live } = await siteWithSkills({ description: "Before." });
  const before = await catalogOf(site);
  await setSkills(site, live.slice(1));
  const change = { description: "After." };
  await askAsOperator("PATCH", `/v1/admin/sites/${site.site_key_hash}`, change);
  const after = await catalogOf(site);
  const told = ({ entries }: Catalog) => entries.map((one) => [one.description, one.capabilities]);
  expect(told(after)).not.toEqual(told(before));
  expect(bodyOf(after)).toEqual(bodyOf(before));
  const signed = JSON.stringify(bodyOf(after));
  // The card's own address is in there in its own right: the manifest attests it.
  const card = inject("target").url + pathsOf(site).card;
  for (const { url, description, capabilities = [] } of after.entries) {
    const said = [description, ...capabilities, ...(url === card ? [] : [url])];
    for (const text of said) expect(signed).not.toContain(text);
  }
  const keys = await keySet();
  expect(manifestVerifies(after.trustManifest, keys)).toBe(true);
  const { signature } = after.trustManifest;
  expect(manifestVerifies({ ...before.trustManifest, signature }, keys)).toBe(true);
});

test("[1.6-d] the catalog's capabilities are the live skills and no others", async () => {
  const { site, all, live } = await siteWithSkills();
  const ids = live.map(({ id }) => id);
  const card = inject("target").url + pathsOf(site).card;
  const { entries } = await catalogOf(site);
  expect(entries.find((entry) => entry.url === card)?.capabilities).toEqual(ids);
  for (const { capabilities = ids } of entries) expect(capabilities).toEqual(ids);
  await setSkills(
    site,
    all.filter(({ id }) => !ids.includes(id)),
  );
  const without = (await catalogOf(site)).entries;
  expect(without.flatMap(({ capabilities = [] }) => capabilities)).toEqual([]);
});
