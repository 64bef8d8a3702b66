import { describe, expect, test } from "vitest";
import {
  canonicalBytes,
  ed25519Signer,
  fromBase64url,
  generateEd25519,
  importEs256,
  type MessageType,
  type PublicJwk,
  sha256,
  signDetached,
  signTagged,
  TAGS,
  taggedBytes,
  toBase64url,
  toHex,
  utf8,
  verifyDetached,
  verifyTagged,
} from "../src/index.ts";

const encodeHeader = (header: unknown) => toBase64url(canonicalBytes(header));

describe("a detached JWS", () => {
  const payload = utf8("the payload");

  test("verifies, returns its header, and names its key and type", async () => {
    const { signer, jwk } = await generateEd25519("k1");
    const jws = await signDetached(payload, signer, { iat: 1, exp: 2 });
    const result = await verifyDetached(jws, payload, (kid) => (kid === "k1" ? jwk : undefined));
    expect(result.ok && { ...result.value }).toEqual({
      alg: "EdDSA",
      exp: 2,
      iat: 1,
      kid: "k1",
      typ: "JOSE",
    });
  });

  test("with ES256 verifies with the same function", async () => {
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ]);
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signer = {
      kid: "p",
      alg: "ES256" as const,
      sign: async (bytes: Uint8Array) =>
        new Uint8Array(await crypto.subtle.sign(algorithm, pair.privateKey, bytes as BufferSource)),
    };
    const { x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
    const key = { kty: "EC", crv: "P-256", x, y } as PublicJwk;
    expect((await verifyDetached(await signDetached(payload, signer), payload, () => key)).ok).toBe(
      true,
    );
  });

  test("is refused for another payload, key or header byte", async () => {
    const { signer, jwk } = await generateEd25519("k1");
    const other = await generateEd25519("k1");
    const jws = await signDetached(payload, signer);
    const reasons = [
      await verifyDetached(jws, utf8("other"), () => jwk),
      await verifyDetached(jws, payload, () => other.jwk),
      await verifyDetached(jws, payload, () => undefined),
      await verifyDetached(
        `${encodeHeader({ alg: "EdDSA", kid: "k1", typ: "JOSE", x: 1 })}..${jws.split(".")[2]}`,
        payload,
        () => jwk,
      ),
    ].map((result) => (result.ok ? "accepted" : result.reason));
    expect(reasons).toEqual([
      "signature_invalid",
      "signature_invalid",
      "unknown_key",
      "signature_invalid",
    ]);
  });

  test.each([
    ["alg none", { alg: "none", kid: "k1" }, "unsupported_header"],
    ["the algorithm of another key", { alg: "ES256", kid: "k1" }, "unsupported_header"],
    ["an HMAC", { alg: "HS256", kid: "k1" }, "unsupported_header"],
    ["b64", { alg: "EdDSA", kid: "k1", b64: false }, "unsupported_header"],
    ["crit", { alg: "EdDSA", kid: "k1", crit: ["exp"] }, "unsupported_header"],
    ["an embedded key", { alg: "EdDSA", kid: "k1", jwk: {} }, "unsupported_header"],
    [
      "an embedded key address",
      { alg: "EdDSA", kid: "k1", jku: "https://x" },
      "unsupported_header",
    ],
    ["no kid", { alg: "EdDSA" }, "unknown_key"],
    ["an array as header", [], "malformed"],
  ])("with %s is refused", async (_name, header, reason) => {
    const { signer, jwk } = await generateEd25519("k1");
    const text = encodeHeader(header);
    const signature = await signer.sign(utf8(`${text}.${toBase64url(payload)}`));
    const result = await verifyDetached(`${text}..${toBase64url(signature)}`, payload, () => jwk);
    expect(result.ok ? "accepted" : result.reason).toBe(reason);
  });

  test.each([
    ["an empty text", ""],
    ["one part", "abc"],
    ["an attached payload", "e30.e30.AA"],
    ["four parts", "e30..AA.AA"],
    ["padding", "e30..AA=="],
    ["a header with a duplicate key", `${toBase64url(utf8('{"alg":"EdDSA","alg":"none"}'))}..AA`],
    ["an oversized header", `${"A".repeat(8192)}..AA`],
  ])("that is %s is malformed", async (_name, jws) => {
    const result = await verifyDetached(jws, payload, () => undefined);
    expect(result.ok ? "accepted" : result.reason).toBe("malformed");
  });
});

describe("a tagged signature", () => {
  test("covers the tag, a zero byte and the JCS text", () => {
    expect(toHex(taggedBytes("mandate", { b: 1, a: "é" }))).toBe(
      toHex(utf8("service-mandate-v1\u0000")) + toHex(utf8('{"a":"é","b":1}')),
    );
  });

  test("is valid for its own type only", async () => {
    const { signer, jwk } = await generateEd25519("k1");
    const message = { v: 1, amount: "12.00" };
    for (const type of Object.keys(TAGS) as MessageType[]) {
      const signature = await signTagged(type, message, signer);
      expect(signature.length).toBe(86);
      for (const claimed of Object.keys(TAGS) as MessageType[]) {
        expect(await verifyTagged(claimed, message, signature, jwk)).toBe(claimed === type);
      }
    }
  });

  test("does not depend on the order of members", async () => {
    const { signer, jwk } = await generateEd25519("k1");
    const signature = await signTagged("mandate", { a: 1, b: { d: 2, c: 3 } }, signer);
    expect(await verifyTagged("mandate", { b: { c: 3, d: 2 }, a: 1 }, signature, jwk)).toBe(true);
    expect(await verifyTagged("mandate", { b: { c: 3, d: 4 }, a: 1 }, signature, jwk)).toBe(false);
  });

  test("is refused in any other spelling", async () => {
    const { signer, jwk } = await generateEd25519("k1");
    const signature = await signTagged("mandate", {}, signer);
    for (const other of [`${signature}=`, ` ${signature}`, signature.slice(0, 85), ""]) {
      expect(await verifyTagged("mandate", {}, other, jwk)).toBe(false);
    }
  });

  /** The TEST key of RFC 9421 appendix B.1.4; figures fixed here so that no release drifts. */
  test("of a fixed mandate with a fixed key never changes", async () => {
    const x = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";
    const d = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU";
    const signer = await ed25519Signer("test", { kty: "OKP", crv: "Ed25519", x, d });
    const message = { v: 1, mandate_id: "0123456789abcdef", skill: "get_pricing" };
    const bytes = taggedBytes("mandate", message);
    const signature = await signTagged("mandate", message, signer);
    expect(toHex(await sha256(bytes)).slice(0, 16)).toBe("86bdbe97ac9ba8f8");
    expect(signature).toBe(
      "UOu-fnZiCzxL2VmlL-fJDlkYkiDKNI3DjHGtrdbGTdf17Wu2o0kAIwyY1LnHFGNkzfMQvdUk57E3MlnF-J15CQ",
    );
    expect(fromBase64url(signature)?.length).toBe(64);
  });
});

test("a key that is not on P-256 is refused before any signature is checked", async () => {
  const zero = "A".repeat(43);
  expect((await importEs256({ kty: "EC", crv: "P-256", x: zero, y: zero })).ok).toBe(false);
});
