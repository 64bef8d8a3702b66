import { once } from "node:events";
import https from "node:https";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import canonicalize from "canonicalize";
import * as jose from "jose";
import { generate } from "selfsigned";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getResolver } from "web-did-resolver";
import { ask } from "../contract/asking.ts";
import { readDocument, type VerifiedSite, verifiedSite } from "./site.ts";

type Registry = ReturnType<typeof getResolver>;
type Resolution = Awaited<ReturnType<Registry[string]>>;

/** The resolver's own copy of did-resolver: a second one might differ from it. */
const { Resolver } = createRequire(createRequire(import.meta.url).resolve("web-did-resolver"))(
  "did-resolver",
) as { Resolver: new (registry: Registry) => { resolve(did: string): Promise<Resolution> } };

let shop: VerifiedSite;
let website: https.Server;
const directly = https.globalAgent;
const neighbour = () => `next-to-${shop.domain}`;

/**
 * The shop's own website and its neighbour's: over real TLS, both serve the document that the
 * service made for the shop.
 */
async function serveWebsites(): Promise<void> {
  const altNames = [shop.domain, neighbour()].map((value) => ({ type: 2 as const, value }));
  const { private: key, cert } = await generate([{ name: "commonName", value: shop.domain }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - 3_600_000),
    extensions: [{ name: "subjectAltName", altNames }],
  });
  website = https.createServer({ key, cert }, async (request, response) => {
    const found = request.url === "/.well-known/did.json";
    const { body } = found ? await ask("GET", shop.paths.did) : { body: undefined };
    response.writeHead(found ? 200 : 404, { "content-type": "application/did+json" });
    response.end(JSON.stringify(body));
  });
  website.listen(0, "127.0.0.1");
  await once(website, "listening");
  const { port } = website.address() as AddressInfo;
  // What an agent is made with goes before what a request asks for: every name leads here.
  https.globalAgent = new https.Agent({ ca: cert, host: "127.0.0.1", port });
}

beforeAll(async () => {
  shop = await verifiedSite();
  await serveWebsites();
});
afterAll(async () => {
  https.globalAgent.destroy();
  https.globalAgent = directly;
  website.close();
  await shop.done();
});

async function resolveDid(did: string) {
  const { didDocument, didResolutionMetadata } = await new Resolver(getResolver()).resolve(did);
  return { document: didDocument, problem: didResolutionMetadata.message };
}

/** The key that the resolved document lets speak for the domain. */
async function assertedKey(kid: string): Promise<jose.JWK | undefined> {
  const { document } = await resolveDid(`did:web:${shop.domain}`);
  const id = `did:web:${shop.domain}#${kid}`;
  if (document?.assertionMethod?.includes(id) !== true) return undefined;
  return document.verificationMethod?.find((method) => method.id === id)?.publicKeyJwk as jose.JWK;
}

test("did:web of the domain resolves to the document that the service made", async () => {
  const { document, problem } = await resolveDid(`did:web:${shop.domain}`);
  expect(problem).toBeUndefined();
  expect(document).toEqual(await shop.read("did"));
});

test("the document does not resolve if it is served for another domain", async () => {
  const { problem } = await resolveDid(`did:web:${neighbour()}`);
  expect(problem).toMatch(/id does not match/);
});

test("the document asserts the key that signs the card, the same as in the key set", async () => {
  const { signing_key_id } = (await shop.read("card")).signing;
  const { keys } = await readDocument("/.well-known/jwks.json");
  const served = keys.find(({ kid }: jose.JWK) => kid === signing_key_id);
  const asserted = (await assertedKey(signing_key_id)) as jose.JWK;
  expect([asserted.kid, asserted.x]).toEqual([served.kid, served.x]);
  expect(asserted).not.toHaveProperty("d");
  expect(await jose.calculateJwkThumbprint(asserted)).toBe(
    await jose.calculateJwkThumbprint(served),
  );
});

test("the trust manifest verifies with the asserted key alone", async () => {
  const { signature, ...body } = (await shop.read("catalog")).trustManifest;
  const [header, , bytes] = signature.split(".");
  const { kid = "", alg } = jose.decodeProtectedHeader({ protected: header });
  const key = await jose.importJWK((await assertedKey(kid)) as jose.JWK, alg);
  const payload = jose.base64url.encode(canonicalize(body) as string);
  await jose.compactVerify(`${header}.${payload}.${bytes}`, key);
});

test("the catalog and the card have the DID that was resolved as their identity", async () => {
  const { document } = await resolveDid(`did:web:${shop.domain}`);
  const { host, trustManifest } = await shop.read("catalog");
  const [extension] = (await shop.read("card")).capabilities.extensions;
  expect([host.identifier, trustManifest.identity, extension.params.did]).toEqual(
    Array(3).fill(document?.id),
  );
});

test("the document names the card and the catalog as its services", async () => {
  const { document } = await resolveDid(`did:web:${shop.domain}`);
  const found = (document?.service ?? []).map(async ({ serviceEndpoint }) =>
    (await fetch(serviceEndpoint as string)).json(),
  );
  const [card, catalog] = await Promise.all(found);
  expect([card.site.domain, catalog.host.identifier]).toEqual([shop.domain, document?.id]);
});
