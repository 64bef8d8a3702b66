import { createPublicKey, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config/config.ts";
import { createContext } from "../src/context.ts";
import { ManualClock } from "../src/infra/clock.ts";
import { ANNOUNCE_MS_MIN, LISTED_AFTER_RETIREMENT_MS } from "../src/infra/keys/key-ring.ts";
import { nodeSigner, type PrivateJwk } from "../src/infra/keys/signatures.ts";
import { createLog } from "../src/infra/log/log.ts";
import { DATABASES, freshEnvironment, NOON, startServer } from "./harness.ts";

interface KeyBody {
  kid: string;
  purpose: string;
  state: string;
  x: string;
}

describe.each(DATABASES)("signing keys on %s:", (dialect) => {
  const start = async (extra: Record<string, string> = {}) => {
    const clock = new ManualClock(NOON);
    const env = { ...(await freshEnvironment(dialect)), ...extra };
    return { clock, env, server: await startServer(env, { clock }) };
  };

  test("a new installation has a current and an announced key for each purpose", async () => {
    const { server } = await start();
    const { items } = (await server.admin("GET", "/v1/admin/keys")).body;
    expect(items.map((key: KeyBody) => `${key.purpose} ${key.state}`).sort()).toEqual([
      "audit current",
      "audit next",
      "card current",
      "card next",
    ]);
    for (const { kid, purpose } of items as KeyBody[]) {
      expect(kid).toMatch(new RegExp(`^service-${purpose}-ed25519-v1-[0-9a-f]{16}$`));
    }
  });

  test("the current key signs, and the database has no private key in clear text", async () => {
    const { server } = await start();
    const signer = await server.context.keys.signer("card");
    const listed = await server.context.keys.listed("card");
    const jwk = listed.find(({ kid }) => kid === signer.kid)?.jwk as { x: string };
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: jwk.x }, format: "jwk" });
    const message = Buffer.from("a card");
    expect(verify(null, message, key, Buffer.from(await signer.sign(message)))).toBe(true);
    const rows = JSON.stringify(await server.context.db.all("SELECT * FROM signing_keys"));
    expect(rows).not.toContain('\\"d\\"');
  });

  test("a rotation uses the announced key, keeps the old one listed, and announces another", async () => {
    const { server, clock } = await start();
    const before = await server.context.keys.listed("card");
    const [current, next] = before.map(({ kid }) => kid);
    clock.advance(ANNOUNCE_MS_MIN);
    const path = "/v1/admin/keys/rotate";
    const { status, body } = await server.admin("POST", path, { purpose: "card" });
    expect([status, body]).toEqual([200, { purpose: "card", kid: next, retired: current }]);
    expect((await server.context.keys.signer("card")).kid).toBe(next);
    const after = await server.context.keys.listed("card");
    expect(after.map(({ kid, state }) => [kid, state])).toEqual([
      [next, "current"],
      [expect.any(String), "next"],
      [current, "retired"],
    ]);
    expect(after[2]?.listedUntil).toBe(clock.now() + LISTED_AFTER_RETIREMENT_MS);
    clock.advance(LISTED_AFTER_RETIREMENT_MS);
    expect((await server.context.keys.listed("card")).map(({ kid }) => kid)).not.toContain(current);
  });

  test("a key that verifiers cannot know yet does not sign, unless the current one is lost", async () => {
    const { server, clock } = await start();
    clock.advance(ANNOUNCE_MS_MIN - 1000);
    const path = "/v1/admin/keys/rotate";
    const early = await server.admin("POST", path, { purpose: "audit" });
    expect([early.status, early.headers.get("retry-after")]).toEqual([409, "1"]);
    expect((await server.admin("POST", path, { purpose: "audit", force: true })).status).toBe(200);
    expect((await server.admin("POST", path, { purpose: "nonsense" })).status).toBe(400);
  });

  test("a stolen key and the one announced with it are replaced and no longer listed", async () => {
    const { server } = await start();
    const before = (await server.context.keys.listed("card")).map(({ kid }) => kid);
    const body = { purpose: "card", stolen: true };
    const answer = await server.admin("POST", "/v1/admin/keys/rotate", body);
    expect(answer.status).toBe(200);
    const after = await server.context.keys.listed("card");
    expect(after.map(({ state }) => state)).toEqual(["current", "next"]);
    expect(after[0]?.kid).toBe(answer.body.kid);
    for (const { kid } of after) expect(before).not.toContain(kid);
    expect((await server.context.keys.signer("card")).kid).toBe(answer.body.kid);
  });

  test("concurrent rotations change the key once each, and never leave a slot empty", async () => {
    const { server, clock } = await start();
    clock.advance(ANNOUNCE_MS_MIN);
    const rotate = () => server.admin("POST", "/v1/admin/keys/rotate", { purpose: "card" });
    const answers = await Promise.all([rotate(), rotate(), rotate()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const states = (await server.context.keys.listed("card")).map(({ state }) => state);
    expect(states).toEqual(["current", "next", "retired"]);
  });

  test("another process signs with the new key after a rotation", async () => {
    const { server, env, clock } = await start();
    const secondConfig = readConfig(env);
    const second = await createContext(secondConfig, { clock, log: createLog("silent") });
    try {
      const heard = new Promise<void>((resolve) => second.db.changes.subscribe(() => resolve()));
      const body = { purpose: "card", force: true };
      const { kid } = (await server.admin("POST", "/v1/admin/keys/rotate", body)).body;
      clock.advance(1000);
      await heard;
      expect((await second.keys.signer("card")).kid).toBe(kid);
    } finally {
      await second.close();
    }
  });

  test("keys survive a restart", async () => {
    const { server, env, clock } = await start();
    const { kid } = await server.context.keys.signer("card");
    await server.stop();
    const again = await startServer(env, { clock });
    expect((await again.context.keys.signer("card")).kid).toBe(kid);
  });

  test("an older id of a key is listed with the same key until its date", async () => {
    const { server, env, clock } = await start();
    const { kid } = await server.context.keys.signer("card");
    await server.stop();
    const aliases = `service-card-v1=${kid}@2030-06-30, gone=${kid}@2029-01-01`;
    const again = await startServer({ ...env, GATEHOUSE_KEY_ALIASES: aliases }, { clock });
    const listed = await again.context.keys.listed("card");
    const alias = listed.filter(({ state }) => state === "alias");
    expect(alias).toEqual([
      {
        kid: "service-card-v1",
        jwk: listed.find((key) => key.kid === kid)?.jwk,
        state: "alias",
        listedUntil: Date.parse("2030-06-30T23:59:59.999Z"),
      },
    ]);
    clock.advance(60 * 86_400_000);
    expect((await again.context.keys.listed("card")).some(({ state }) => state === "alias")).toBe(
      false,
    );
  });
});

test("the service does not start with an older id that is a key's own, or that names no key", async () => {
  const env = await freshEnvironment("sqlite");
  const first = await startServer(env);
  const { kid } = await first.context.keys.signer("card");
  await first.stop();
  const starting = (aliases: string) =>
    startServer({ ...env, GATEHOUSE_KEY_ALIASES: aliases }).then(
      () => "started",
      (error: Error) => [error.name, error.message],
    );
  expect(await starting(`${kid}=${kid}@2099-01-01`)).toEqual([
    "StartupError",
    expect.stringMatching(/^GATEHOUSE_KEY_ALIASES has .* Remove the entry\.$/),
  ]);
  expect(await starting("older=unknown@2099-01-01")).toEqual([
    "StartupError",
    expect.stringMatching(
      /^GATEHOUSE_KEY_ALIASES refers to the key unknown, .*`gatehouse key list`/,
    ),
  ]);
});

test("signing with node:crypto agrees with RFC 8037", () => {
  const jwk: PrivateJwk = {
    kty: "OKP",
    crv: "Ed25519",
    x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  };
  const input = Buffer.from("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc");
  const signature = nodeSigner("k", jwk).sign(input) as Uint8Array;
  expect(Buffer.from(signature).toString("base64url")).toBe(
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
  );
});
