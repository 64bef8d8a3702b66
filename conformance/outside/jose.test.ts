import canonicalize from "canonicalize";
import * as jose from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oneChange } from "./one-change.ts";
import { readDocument, type VerifiedSite, verifiedSite } from "./site.ts";

const BAD_SIGNATURE = "ERR_JWS_SIGNATURE_VERIFICATION_FAILED";

interface Manifest {
  readonly signature: string;
  readonly [member: string]: unknown;
}

let shop: VerifiedSite;
let keys: ReturnType<typeof jose.createLocalJWKSet>;
beforeAll(async () => {
  shop = await verifiedSite();
  keys = jose.createLocalJWKSet(await readDocument("/.well-known/jwks.json"));
});
afterAll(() => shop.done());

function payloadOf(document: object): string {
  return jose.base64url.encode(canonicalize(document) as string);
}

/** Puts the payload back into the detached JWS, then lets jose choose the key and verify. */
async function verifyManifest({ signature, ...body }: Manifest) {
  const [header, nothing, bytes] = signature.split(".");
  expect(nothing).toBe("");
  return jose.compactVerify(`${header}.${payloadOf(body)}.${bytes}`, keys);
}

describe("jose, with keys from the served key set", () => {
  test("verifies the trust manifest in every place it appears", async () => {
    const catalog = await shop.read("catalog");
    const { host } = await shop.read("ard");
    for (const manifest of [
      catalog.trustManifest,
      catalog.host.trustManifest,
      host.trustManifest,
    ]) {
      const { protectedHeader } = await verifyManifest(manifest);
      expect(protectedHeader).toMatchObject({ alg: "EdDSA", typ: "JOSE" });
    }
  });

  test("reads the same manifest in flattened form", async () => {
    const { signature, ...body } = (await shop.read("catalog")).trustManifest as Manifest;
    const [header = "", , bytes = ""] = signature.split(".");
    const jws = { protected: header, payload: payloadOf(body), signature: bytes };
    await jose.flattenedVerify(jws, keys);
  });

  test("refuses a manifest in which any one word was changed", async () => {
    const { signature, ...body } = (await shop.read("catalog")).trustManifest;
    const accepted: string[] = [];
    let count = 0;
    for (const { where, changed } of oneChange(body)) {
      count++;
      await verifyManifest({ ...(changed as object), signature }).then(
        () => accepted.push(where),
        (error) => expect([where, error.code]).toEqual([where, BAD_SIGNATURE]),
      );
    }
    expect(accepted).toEqual([]);
    expect(count).toBeGreaterThan(10);
  });

  test("refuses a manifest with a missing or an extra member", async () => {
    const manifest: Manifest = (await shop.read("catalog")).trustManifest;
    for (const member of Object.keys(manifest).filter((name) => name !== "signature")) {
      const { [member]: _, ...rest } = manifest;
      const lost = verifyManifest(rest as Manifest);
      await expect(lost).rejects.toMatchObject({ code: BAD_SIGNATURE });
    }
    const gained = verifyManifest({ ...manifest, privacyPolicyUrl: "https://example.com" });
    await expect(gained).rejects.toMatchObject({ code: BAD_SIGNATURE });
  });

  test("verifies an earlier signature after the entries changed, because it covers none of them", async () => {
    const before = await shop.read("catalog");
    await shop.setDescription("Other words.");
    await shop.setSkills([{ id: "sign_up", path: "/join" }]);
    const after = await shop.read("catalog");
    const [was, is] = [before.entries[0], after.entries[0]];
    expect([is.description, is.capabilities]).not.toEqual([was.description, was.capabilities]);
    await verifyManifest({ ...after.trustManifest, signature: before.trustManifest.signature });
  });

  test("verifies the card's JWS over the pure card, and both cards contain the same JWS", async () => {
    const { signatures, ...projection } = await shop.read("a2aCard");
    expect((await shop.read("card")).signatures).toEqual(signatures);
    for (const one of signatures) {
      const { protectedHeader } = await jose.flattenedVerify(
        { ...one, payload: payloadOf(projection) },
        keys,
      );
      expect(protectedHeader).toMatchObject({ alg: "EdDSA", typ: "JOSE" });
    }
    expect(signatures.length).toBeGreaterThan(0);
  });
});
