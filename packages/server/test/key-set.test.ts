import { createPublicKey, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import { ANNOUNCE_MS_MIN } from "../src/infra/keys/key-ring.ts";
import {
  answerOf,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "./harness.ts";

const PATH = "/.well-known/jwks.json";
const keySet = async ({ url }: TestServer) => (await answerOf(await fetch(url + PATH))).body;
const kids = async (server: TestServer) =>
  (await keySet(server)).keys.map(({ kid }: { kid: string }) => kid);

describe.each(DATABASES)("the key set on %s", (dialect) => {
  test("contains the public part of the signing keys, and nothing private", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    const signer = await server.context.keys.signer("card");
    const { keys } = await keySet(server);
    const jwk = keys.find(({ kid }: { kid: string }) => kid === signer.kid);
    const message = Buffer.from("signed");
    const key = createPublicKey({ key: jwk, format: "jwk" });
    expect(verify(null, message, key, Buffer.from(await signer.sign(message)))).toBe(true);
    for (const one of keys) {
      expect(Object.keys(one).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
    }
  });

  test("lists the next key before it signs and the last one after, so that every verifier finds its key", async () => {
    const clock = new ManualClock(NOON);
    const server = await startServer(await freshEnvironment(dialect), { clock });
    const before = await kids(server);
    clock.advance(ANNOUNCE_MS_MIN);
    await server.admin("POST", "/v1/admin/keys/rotate", { purpose: "card" });
    const signer = await server.context.keys.signer("card");
    expect(before).toContain(signer.kid);
    for (const kid of before) expect(await kids(server)).toContain(kid);
  });

  test("lists an older id with the same key until its date", async () => {
    const clock = new ManualClock(NOON);
    const env = await freshEnvironment(dialect);
    const first = await startServer(env, { clock });
    const [kid] = await kids(first);
    await first.stop();
    const aliases = { GATEHOUSE_KEY_ALIASES: `older-id=${kid}@2030-06-30` };
    const again = await startServer({ ...env, ...aliases }, { clock });
    const { keys } = await keySet(again);
    const x = (id: string) => keys.find((key: { kid: string }) => key.kid === id)?.x;
    expect(x("older-id")).toBe(x(kid));
    clock.advance(60 * 86_400_000);
    expect(await kids(again)).not.toContain("older-id");
  });
});

test("the key set's bytes are stable and answered with 304, and a rotation changes them", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const first = await fetch(server.url + PATH);
  const etag = first.headers.get("etag") as string;
  const again = await fetch(server.url + PATH, { headers: { "if-none-match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect(again.headers.get("cache-control")).toBe("public, max-age=300, s-maxage=300");
  await server.admin("POST", "/v1/admin/keys/rotate", { purpose: "card", force: true });
  const changed = await fetch(server.url + PATH, { headers: { "if-none-match": etag } });
  expect(changed.status).toBe(200);
});

test("the key set does not contain audit keys, which sign for another purpose", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  expect((await kids(server)).every((kid: string) => kid.startsWith("service-card-"))).toBe(true);
});
