import { expect, test } from "vitest";
import { fromBase64url, generateEd25519, signWebhook, utf8 } from "../src/index.ts";

const URL = "https://shop.example.com:8443/hooks/gate?team=1";
const delivery = { url: URL, body: utf8('{"a":1}'), messageId: "msg_1", sentAt: 1_900_000_000_999 };

/** Checks a signature by hand, from the text of RFC 9421 2.5 and nothing of ours. */
async function holds(x: string, base: string, signature = ""): Promise<boolean> {
  const key = await crypto.subtle.importKey(
    ...(["raw", fromBase64url(x) as BufferSource, "Ed25519", false, ["verify"]] as const),
  );
  const [, encoded = ""] = /^sig1=:(.+):$/.exec(signature) ?? [];
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  return crypto.subtle.verify("Ed25519", key, bytes, utf8(base) as BufferSource);
}

test("a webhook's signature covers its address, body, id and time", async () => {
  const { signer, jwk } = await generateEd25519("key-1");
  const headers = await signWebhook(delivery, signer);
  const parameters =
    '("@method" "@authority" "@path" "@query" "content-type" "content-digest" "webhook-id" ' +
    '"webhook-timestamp");created=1900000000;keyid="key-1";alg="ed25519";tag="service-webhook-v1"';
  expect(headers["signature-input"]).toBe(`sig1=${parameters}`);
  const digest = "sha-256=:AVq9f1zFei3ZS3WQ8ErYCEJzkF7jPsXOvq5iJ2qX+GI=:";
  expect(headers["content-digest"]).toBe(digest);
  const base = [
    '"@method": POST',
    '"@authority": shop.example.com:8443',
    '"@path": /hooks/gate',
    '"@query": ?team=1',
    '"content-type": application/json',
    `"content-digest": ${digest}`,
    '"webhook-id": msg_1',
    '"webhook-timestamp": 1900000000',
    `"@signature-params": ${parameters}`,
  ].join("\n");
  expect(await holds(jwk.x, base, headers.signature)).toBe(true);
  for (const [one, other] of [
    ["/hooks/gate", "/hooks/other"],
    ["team=1", "team=2"],
    ["msg_1", "msg_2"],
    ["AVq9", "BVq9"],
    [": 1900000000", ": 1900000001"],
  ] as const) {
    expect(await holds(jwk.x, base.replace(one, other), headers.signature)).toBe(false);
  }
});

test("a webhook's signature does not cover a query if there is none", async () => {
  const { signer } = await generateEd25519("key-1");
  const plain = await signWebhook({ ...delivery, url: "https://shop.example.com/hook" }, signer);
  expect(/@query/.test(plain["signature-input"] ?? "")).toBe(false);
});

test("webhooks are signed with Ed25519 keys only", async () => {
  const { signer } = await generateEd25519("key-1");
  const other = { ...signer, alg: "ES256" as const };
  const refused = await signWebhook(delivery, other).catch((error: Error) => error.message);
  expect(refused).toBe("signWebhook: the key is not Ed25519");
});
