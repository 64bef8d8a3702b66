import { describe, expect, test } from "vitest";
import {
  checkEd25519PublicKey,
  ed25519Bytes,
  ed25519Signer,
  fromBase64url,
  fromHex,
  generateEd25519,
  importEs256,
  jwkThumbprint,
  readPublicJwk,
  serviceKeyId,
  toBase64url,
  utf8,
  verifyEd25519,
  verifyEs256,
  verifyWithWebCrypto,
} from "../src/index.ts";
import { vectors } from "./vectors.ts";

const hex = (text: string) => fromHex(text) as Uint8Array<ArrayBuffer>;

/** RFC 8037 appendix A: the key, its thumbprint (A.3) and a signature input and value (A.4). */
const RFC8037 = {
  jwk: { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  thumbprint: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
  input: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
  signature:
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
} as const;

/** RFC 8032 section 7.1, test 2. */
const RFC8032 = {
  key: hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
  message: hex("72"),
  signature: hex(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ),
};

describe("reading a JWK", () => {
  test("keeps only the required members", () => {
    const result = readPublicJwk({ ...RFC8037.jwk, kid: "x", use: "sig", alg: "EdDSA" });
    expect(result).toEqual({ ok: true, value: RFC8037.jwk });
  });

  test.each([
    ["a private key", { ...RFC8037.jwk, d: RFC8037.d }, "private_key"],
    ["a string", "jwk", "not_a_jwk"],
    ["null", null, "not_a_jwk"],
    ["an array", [RFC8037.jwk], "not_a_jwk"],
    ["an RSA key", { kty: "RSA", n: "AQAB", e: "AQAB" }, "unsupported_key"],
    ["X25519", { ...RFC8037.jwk, crv: "X25519" }, "unsupported_key"],
    ["a short x", { ...RFC8037.jwk, x: RFC8037.jwk.x.slice(0, 42) }, "not_a_jwk"],
    ["a padded x", { ...RFC8037.jwk, x: `${RFC8037.jwk.x}=` }, "not_a_jwk"],
    ["an x that is no string", { ...RFC8037.jwk, x: 7 }, "not_a_jwk"],
    ["P-256 without y", { kty: "EC", crv: "P-256", x: RFC8037.jwk.x }, "not_a_jwk"],
  ])("refuses %s", (_name, jwk, reason) => {
    const result = readPublicJwk(jwk);
    expect(result.ok ? "accepted" : result.reason).toBe(reason);
  });
});

describe("a thumbprint", () => {
  test("is the one of RFC 8037 A.3", async () => {
    expect(await jwkThumbprint(RFC8037.jwk)).toBe(RFC8037.thumbprint);
  });

  test("does not depend on optional members or their order", async () => {
    const { kty, crv, x } = RFC8037.jwk;
    expect(await jwkThumbprint({ x, use: "sig", kty, kid: "a", crv })).toBe(RFC8037.thumbprint);
  });

  test.skipIf(vectors === undefined)(
    "is the expected one for the external test vectors",
    async ({ task }) => {
      for (const { jwk, thumbprint } of vectors?.thumbprints ?? []) {
        expect(await jwkThumbprint(JSON.parse(jwk))).toBe(thumbprint);
      }
      Object.assign(task.meta, { outside: vectors?.thumbprints.length });
    },
  );
});

describe("Ed25519:", () => {
  test("the signature of RFC 8032 test 2 verifies, and nothing close to it", async () => {
    const { key, message, signature } = RFC8032;
    expect(await verifyEd25519(key, message, signature)).toBe(true);
    expect(await verifyEd25519(key, hex("73"), signature)).toBe(false);
    const flipped = signature.map((byte, i) => (i === 40 ? byte ^ 1 : byte));
    expect(await verifyEd25519(key, message, flipped)).toBe(false);
  });

  test("the signature of RFC 8037 A.4 is reproduced", async () => {
    const signer = await ed25519Signer("k", { ...RFC8037.jwk, d: RFC8037.d });
    expect(toBase64url(await signer.sign(utf8(RFC8037.input)))).toBe(RFC8037.signature);
  });

  test("a generated key signs and verifies", async () => {
    const { signer, jwk } = await generateEd25519("fresh");
    const signature = await signer.sign(utf8("m"));
    expect(await verifyWithWebCrypto(jwk, utf8("m"), signature)).toBe(true);
    expect(checkEd25519PublicKey(ed25519Bytes(jwk)).ok).toBe(true);
  });

  test("the service's key ids are derived from the key", async () => {
    const bytes = ed25519Bytes(RFC8037.jwk);
    expect(await serviceKeyId("card", bytes)).toBe("service-card-ed25519-v1-21fe31dfa154a261");
    expect(await serviceKeyId("audit", bytes)).toBe("service-audit-ed25519-v1-21fe31dfa154a261");
  });

  test.each([
    ["the identity", `01${"00".repeat(31)}`, "small_order"],
    ["the point of order 2", `ec${"ff".repeat(30)}7f`, "small_order"],
    ["a non-canonical encoding of 0", `ed${"ff".repeat(30)}7f`, "not_a_point"],
    ["y = 2, off the curve", `02${"00".repeat(31)}`, "not_a_point"],
    ["31 bytes", "00".repeat(31), "not_a_point"],
  ])("registration refuses %s", (_name, key, reason) => {
    const result = checkEd25519PublicKey(hex(key));
    expect(result.ok ? "accepted" : result.reason).toBe(reason);
  });

  test.skipIf(vectors === undefined)(
    "the 151 signatures of Wycheproof verify or fail as expected",
    async ({ task }) => {
      let count = 0;
      for (const { key, tests } of vectors?.wycheproof ?? []) {
        for (const { msg, sig, result } of tests) {
          count++;
          expect(await verifyEd25519(hex(key), hex(msg), hex(sig))).toBe(result === "valid");
        }
      }
      Object.assign(task.meta, { outside: count });
      expect(count).toBe(151);
    },
  );

  test.skipIf(vectors === undefined)(
    "every bad key of speccheck is classified",
    async ({ task }) => {
      const cases = vectors?.speccheck ?? [];
      const verdicts = cases.map(({ pub_key }) => {
        const result = checkEd25519PublicKey(hex(pub_key));
        return result.ok ? "ok" : result.reason;
      });
      const small = "small_order";
      const mixed = "mixed_order";
      const none = "not_a_point";
      expect(verdicts).toEqual([
        small,
        small,
        mixed,
        mixed,
        mixed,
        mixed,
        "ok",
        "ok",
        mixed,
        mixed,
        none,
        none,
      ]);
      for (const i of [6, 7]) {
        const { message, pub_key, signature } = cases[i] as (typeof cases)[number];
        expect(await verifyEd25519(hex(pub_key), hex(message), hex(signature))).toBe(false);
      }
      Object.assign(task.meta, { outside: cases.length });
    },
  );
});

describe("ES256:", () => {
  /** RFC 7515 appendix A.3. */
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  } as const;
  const input =
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
  const signature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

  test("the signature of RFC 7515 A.3 verifies, and nothing close to it", async () => {
    const imported = await importEs256(jwk);
    const key = imported.ok ? imported.value : ({} as CryptoKey);
    const bytes = fromBase64url(signature) as Uint8Array;
    expect(await verifyEs256(key, utf8(input), bytes)).toBe(true);
    expect(await verifyEs256(key, utf8(`${input}x`), bytes)).toBe(false);
    expect(await verifyEs256(key, utf8(input), bytes.slice(0, 63))).toBe(false);
    expect(await verifyWithWebCrypto(jwk, utf8(input), bytes)).toBe(true);
  });

  test("a point off the curve is refused", async () => {
    const off = { ...jwk, y: jwk.x };
    expect((await importEs256(off)).ok).toBe(false);
  });
});
