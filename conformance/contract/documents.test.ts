import { randomBytes } from "node:crypto";
import { expect, inject, test } from "vitest";
import {
  ask,
  KEY_SET,
  newSite,
  pathsOf,
  pendingSite,
  type Site,
  setSkills,
  siteWithSkills,
  verifiedSite,
} from "./asking.ts";
import { a2aVerifies, cardVerifies, headerOf, keySet, manifestVerifies } from "./verifying.ts";

const { url } = inject("target");
const BASE64URL_64_BYTES = /^[A-Za-z0-9_-]{86}$/;

/** Card and catalog of a site, each by key and by hash. */
function cardsAndCatalogs({ site_key, site_key_hash }: Pick<Site, "site_key" | "site_key_hash">) {
  const names = [site_key, site_key_hash];
  const cards = names.map((name) => `/v1/agent-card/${name}.json`);
  return { cards, all: [...cards, ...names.map((name) => `/v1/catalog/${name}.json`)] };
}

const unknown = () => {
  const random = randomBytes(32).toString("base64url");
  return { site_key: `us_${random}`, site_key_hash: random };
};

/** The first answer of a document and the ones from then on, which may take another way. */
async function* answersOf(path: string, init?: RequestInit) {
  yield await ask("GET", path, init);
  const again = await ask("GET", path, init);
  yield again;
  yield await ask("HEAD", path, init);
  const headers = { ...init?.headers, "if-none-match": again.headers.get("etag") ?? "none" };
  const unchanged = await ask("GET", path, { ...init, headers });
  expect([unchanged.status, unchanged.text]).toEqual([304, ""]);
  yield unchanged;
}

test("[2.1-f] the card and the catalog are found by the site key and by its hash", async () => {
  const keys = await keySet();
  for (const name of ["site_key", "site_key_hash"] as const) {
    // A site of its own each time: what one name has brought up, the other might only find kept.
    const site = await verifiedSite();
    const card = await ask("GET", `/v1/agent-card/${site[name]}.json`);
    expect([name, card.status, card.body.site?.site_key]).toEqual([name, 200, site.site_key]);
    expect(cardVerifies(card.body, keys)).toBe(true);
    const { status, body } = await ask("GET", `/v1/catalog/${site[name]}.json`);
    const identity = `did:web:${site.domain}`;
    expect([name, status, body.host?.identifier]).toEqual([name, 200, identity]);
    expect(manifestVerifies(body.trustManifest, keys)).toBe(true);
  }
});

test("[4.1.4-a 8-d] anyone may cache the card and the catalog for one minute", async () => {
  for (const path of cardsAndCatalogs(await verifiedSite()).all) {
    for await (const { headers } of answersOf(path)) {
      const cache = headers.get("cache-control");
      expect([path, cache]).toEqual([path, "public, max-age=60"]);
    }
  }
});

test("[4.1.3-a] pages of any origin may read the card, the catalog and the key set", async () => {
  const origin = { headers: { origin: "https://agent.example" } };
  for (const path of [...cardsAndCatalogs(await verifiedSite()).all, KEY_SET]) {
    for await (const { headers } of answersOf(path, origin)) {
      expect([path, headers.get("access-control-allow-origin")]).toEqual([path, "*"]);
      expect(headers.has("access-control-allow-credentials")).toBe(false);
    }
  }
});

test("[4.1.6-b 7-c] the card and the catalog of an unknown site key answer not_found", async () => {
  for (const path of cardsAndCatalogs(unknown()).all) {
    const { status, headers, body } = await ask("GET", path);
    expect([path, status, body.error]).toEqual([path, 404, "not_found"]);
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

test("[4.1.11-a] the card of an unknown, malformed or deleted key answers 404 not_found", async () => {
  const { site, done } = await newSite();
  const given = [...cardsAndCatalogs(site).cards, ...cardsAndCatalogs(unknown()).cards];
  await done();
  const malformed = [
    "us_short",
    "sk_",
    "x",
    "A".repeat(42),
    "A".repeat(44),
    `us_${"A".repeat(44)}`,
  ];
  for (const path of [...given, ...malformed.map((text) => `/v1/agent-card/${text}.json`)]) {
    const { status, body } = await ask("GET", path);
    expect([path, status, body.error]).toEqual([path, 404, "not_found"]);
  }
});

test("[4.1.11-b 7-d] the card of a site that is not verified yet answers 404 pending_verification", async () => {
  for (const path of cardsAndCatalogs(await pendingSite()).cards) {
    const { status, headers, body } = await ask("GET", path);
    expect([path, status, body.status]).toEqual([path, 404, "pending_verification"]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).not.toHaveProperty("signing");
  }
});

test("[7-e] a pending card says which domain is not verified, and links to the instructions", async () => {
  const site = await pendingSite();
  const { body } = await ask("GET", pathsOf(site).card);
  expect(body.domain).toBe(site.domain);
  expect(body.message).toMatch(/^[A-Z].*\.$/);
  expect((await ask("GET", body.docs_url)).status).toBe(200);
});

test("[5-c] published documents can be read without authentication", async () => {
  for (const headers of [
    {},
    { authorization: "Bearer of-nothing", cookie: "session=of-nothing" },
  ]) {
    const { site } = await siteWithSkills();
    const byDomain = `/v1/agent/domain/${site.domain}`;
    for (const path of [...Object.values(pathsOf(site)), byDomain, KEY_SET]) {
      const answer = await ask("GET", path, { headers });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.has("set-cookie")).toBe(false);
    }
  }
});

test("[1.6-a] a skill is listed everywhere while it is live, and nowhere when it is not", async () => {
  const site = await verifiedSite();
  const words = { id: "track_order", title: "Track it" };
  const page = `https://${site.domain}/track`;
  const other = { id: "get_pricing", enabled: true, url: `https://${site.domain}/prices` };
  const markdown = { headers: { accept: "text/markdown" } };
  const documents = [
    ...Object.values(pathsOf(site)).map((path) => [path, {}] as const),
    ...[pathsOf(site).page, pathsOf(site).llms].map((path) => [path, markdown] as const),
  ];
  const names = async (text: string) => {
    const found = [];
    for (const [path, init] of documents) {
      if ((await ask("GET", path, init)).text.includes(text)) found.push(path);
    }
    return found;
  };
  const everywhere = documents.map(([path]) => path);
  await setSkills(site, [{ ...words, enabled: true, url: page }, other]);
  expect(await names(words.title)).toEqual(everywhere);
  for (const off of [
    { ...words, enabled: false, url: page },
    { ...words, enabled: true },
  ]) {
    await setSkills(site, [off, other]);
    for (const word of [words.title, words.id, page]) expect(await names(word)).toEqual([]);
    expect(await names(other.url)).toEqual(everywhere);
  }
  await setSkills(site, [{ ...words, enabled: true, url: page }, other]);
  expect(await names(words.title)).toEqual(everywhere);
});

test("[5.5-a] one key signs the card and the catalog, and one fetch of the key set verifies both", async () => {
  const { card: cardPath, catalog: catalogPath } = pathsOf(await verifiedSite());
  const keys = await keySet();
  const card = (await ask("GET", cardPath)).body;
  const { trustManifest } = (await ask("GET", catalogPath)).body;
  expect(headerOf(trustManifest.signature).kid).toBe(card.signing.signing_key_id);
  expect([cardVerifies(card, keys), manifestVerifies(trustManifest, keys)]).toEqual([true, true]);
});

test("[4.1.7-b] every signature is 64 bytes of unpadded base64url", async () => {
  const site = await verifiedSite();
  const card = (await ask("GET", pathsOf(site).card)).body;
  const catalog = (await ask("GET", pathsOf(site).catalog)).body;
  const signatures = [
    card.signing.envelope_signature,
    ...card.signatures.map(({ signature }: { signature: string }) => signature),
    catalog.trustManifest.signature.split(".")[2],
    catalog.host.trustManifest.signature.split(".")[2],
  ];
  expect(signatures.length).toBeGreaterThanOrEqual(4);
  for (const signature of signatures) {
    expect(signature).toMatch(BASE64URL_64_BYTES);
    expect(Buffer.from(signature, "base64url").toString("base64url")).toBe(signature);
  }
});

test("[4.1.7-d] signatures cover the JCS form, also for text in other scripts", async () => {
  const words = { name: 'Zoë \\ "花" </b> 🌷', description: "€ & ½, naïve: a/b." };
  const { site } = await siteWithSkills(words);
  const keys = await keySet();
  const card = (await ask("GET", pathsOf(site).card)).body;
  expect([card.name, card.description]).toEqual([words.name, words.description]);
  expect(cardVerifies(card, keys)).toBe(true);
  const twin = (await ask("GET", `/v1/agent-card/${site.site_key}/a2a.json`)).body;
  expect(a2aVerifies(twin, keys)).toBe(true);
  const catalog = (await ask("GET", pathsOf(site).catalog)).body;
  const strict = (await ask("GET", `/v1/catalog/${site.site_key}/ard.json`)).body;
  const manifests = [catalog.trustManifest, catalog.host.trustManifest, strict.host.trustManifest];
  for (const manifest of manifests) expect(manifestVerifies(manifest, keys)).toBe(true);
});

const ACP_VERSION = "2026-04-17";

/** What card and catalog say of ACP, and the document both point to. */
async function acpOf(site: Site) {
  const { card, catalog } = pathsOf(site);
  const address = `${url}/v1/acp/${site.site_key_hash}.json`;
  const { extensions } = (await ask("GET", card)).body.capabilities;
  const { entries } = (await ask("GET", catalog)).body;
  return {
    extension: extensions.find(({ uri }: { uri: string }) => uri === address),
    entry: entries.find((entry: { url: string }) => entry.url === address),
    document: await ask("GET", address),
  };
}

test("[1.8-l] the card and the catalog link to the site's ACP discovery document", async () => {
  const { extension, entry, document } = await acpOf(await verifiedSite());
  expect([extension?.description, entry?.description]).toEqual([
    expect.stringContaining("ACP"),
    expect.stringContaining("ACP"),
  ]);
  expect([document.status, document.body.protocol.name]).toEqual([200, "acp"]);
});

test("[9-g] the declared version of ACP is 2026-04-17", async () => {
  const { extension, document } = await acpOf(await verifiedSite());
  expect(extension.params.version).toBe(ACP_VERSION);
  const { version, supported_versions } = document.body.protocol;
  expect([version, supported_versions]).toEqual([ACP_VERSION, [ACP_VERSION]]);
});

test("[1.8-m] ACP checkout is not enabled: there is no service, no transport and no session", async () => {
  const { site } = await siteWithSkills();
  const { extension, document } = await acpOf(site);
  expect(extension.params.status).toBe("not_enabled");
  const { capabilities, transports, api_base_url } = document.body;
  expect([capabilities.services, transports]).toEqual([[], []]);
  const { status, headers } = await ask("POST", `${api_base_url}/checkout_sessions`, {
    headers: { "content-type": "application/json", "api-version": ACP_VERSION },
    body: JSON.stringify({ items: [{ id: "item_1", quantity: 1 }] }),
  });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(headers.get("content-type")).toMatch(/json/);
});

const READ = "GET, HEAD, OPTIONS";

test("[4.1.2-a 4.1.5-a 4.1.5-b] documents are read-only, and preflights and wrong methods are answered that way", async () => {
  const site = await verifiedSite();
  const byDomain = `/v1/agent/domain/${site.domain}`;
  for (const path of [...cardsAndCatalogs(site).all, ...Object.values(pathsOf(site)), byDomain]) {
    const preflight = await ask("OPTIONS", path, {
      headers: { origin: "https://agent.example", "access-control-request-method": "GET" },
    });
    expect([path, preflight.status, preflight.headers.get("allow")]).toEqual([path, 204, READ]);
    for (const method of ["POST", "PUT", "DELETE"]) {
      const { status, headers } = await ask(method, path);
      expect([path, status, headers.get("allow")]).toEqual([path, 405, READ]);
      expect(headers.get("cache-control")).toBe("no-store");
    }
  }
});
