import { createHash, createPublicKey } from "node:crypto";
import { expect, test } from "vitest";
import { ask, KEY_SET as PATH } from "./asking.ts";
import { type Key, keySet as keys } from "./verifying.ts";

test("[4-m] the key set answers 200 with its own media type", async () => {
  const { status, headers } = await ask("GET", PATH);
  expect([status, headers.get("content-type")]).toEqual([
    200,
    "application/jwk-set+json; charset=utf-8",
  ]);
});

test("[2.5-a 4-n] the body is an object with an array of keys, and nothing else", async () => {
  const { body } = await ask("GET", PATH);
  expect(Object.keys(body)).toEqual(["keys"]);
  expect(body.keys.length).toBeGreaterThan(0);
});

test("[2.5-b 2.5-c] every key is an OKP key on Ed25519", async () => {
  for (const { kty, crv } of await keys()) expect([kty, crv]).toEqual(["OKP", "Ed25519"]);
});

test("[2.5-d 2.5-e] every key is for EdDSA signatures", async () => {
  for (const { alg, use } of await keys()) expect([alg, use]).toEqual(["EdDSA", "sig"]);
});

test("[2.5-f 2.5-g] the current key's id says what it signs, and is derived from the key", async () => {
  const [current] = await keys();
  const digest = createHash("sha256")
    .update(Buffer.from(current?.x ?? "", "base64url"))
    .digest("hex");
  expect(current?.kid).toBe(`service-card-ed25519-v1-${digest.slice(0, 16)}`);
});

test("[2.5-h] x is 32 bytes in unpadded base64url", async () => {
  for (const { x } of await keys()) {
    expect(x).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(x, "base64url").length).toBe(32);
  }
});

test("[4.1.4-b 8-e] caches may keep the key set for five minutes", async () => {
  const { headers } = await ask("GET", PATH);
  expect(headers.get("cache-control")).toBe("public, max-age=300, s-maxage=300");
});

test("[1.8-k] the key set is live and contains only public keys", async () => {
  const listed = await keys();
  expect(listed.length).toBeGreaterThan(0);
  for (const key of listed) {
    expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
    const read = createPublicKey({ key: { ...key } satisfies Key, format: "jwk" });
    expect([read.type, read.asymmetricKeyType]).toEqual(["public", "ed25519"]);
  }
});
