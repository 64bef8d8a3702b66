import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { DAY_MS } from "../../src/infra/time.ts";
import { backup } from "../../src/maintenance/backup.ts";
import { restore } from "../../src/maintenance/restore.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
  temporaryFolder,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { byDigest } from "../restoring.ts";
import { selling } from "../selling/selling.ts";
import { admit, makeCredential } from "../ucp/credentialed.ts";

const PLATFORM = "platform.example";

describe.each(TIER_DATABASES)("credentials of a platform on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  let env: Record<string, string>;
  beforeAll(async () => {
    env = await freshEnvironment(dialect);
    server = await startServer(env, { clock });
    at = selling(server);
    return cleanUp;
  });
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await at.shop();
  });
  const PATH = `/platforms/${PLATFORM}/credentials`;
  const create = (body: object) => shop.admin("POST", PATH, body);
  const list = async () => (await shop.admin("GET", PATH)).body.items;
  const changes = async () =>
    (await at.records(shop, "site.changed"))
      .map(({ record }: { record: { change: { kind: string } } }) => record.change)
      .filter(({ kind }: { kind: string }) => kind.startsWith("platform_credential"));

  test("only an admitted platform can have them", async () => {
    expect((await create({ kind: "api_key" })).status).toBe(404);
    await admit(shop, PLATFORM, "suspended");
    expect((await create({ kind: "api_key" })).status).toBe(409);
    await admit(shop, PLATFORM);
    const made = await create({ kind: "api_key" });
    expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(made.body).toMatchObject({
      platform: PLATFORM,
      kind: "api_key",
      token_url: null,
      secret: expect.stringMatching(/^ghk_[\w-]{43}$/),
      expires_at: new Date(clock.now() + 365 * DAY_MS).toISOString(),
      last_used_at: null,
    });
  });

  test("the secret is shown once, stored as a digest, and in no record", async () => {
    await admit(shop, PLATFORM);
    const key = await makeCredential(shop, PLATFORM, "api_key");
    const client = await makeCredential(shop, PLATFORM, "oauth_client", { expires_in_days: 30 });
    expect(client.secret).toMatch(/^ghs_/);
    const rows = await server.context.db.all("SELECT * FROM platform_credentials");
    const listed = await list();
    expect(listed.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      "api_key",
      "oauth_client",
    ]);
    const everywhere = JSON.stringify([rows, listed, await changes()]);
    for (const { secret } of [key, client]) expect(everywhere).not.toContain(secret);
    const row = { kind: "platform_credential_created", platform: PLATFORM };
    expect(await changes()).toEqual([
      { ...row, credential_id: client.credential_id, credential_kind: "oauth_client" },
      { ...row, credential_id: key.credential_id, credential_kind: "api_key" },
    ]);
  });

  test("there are two live ones of each kind at most, so that one can replace the other", async () => {
    await admit(shop, PLATFORM);
    const first = await makeCredential(shop, PLATFORM, "api_key", { expires_in_days: 1 });
    const second = await makeCredential(shop, PLATFORM, "api_key");
    expect((await create({ kind: "api_key" })).status).toBe(409);
    await makeCredential(shop, PLATFORM, "oauth_client");
    const path = `${PATH}/${second.credential_id}`;
    expect((await shop.admin("DELETE", path)).status).toBe(204);
    // Idempotent, without a second record.
    expect((await shop.admin("DELETE", path)).status).toBe(204);
    expect((await changes())[0]).toEqual({
      kind: "platform_credential_revoked",
      platform: PLATFORM,
      credential_id: second.credential_id,
      credential_kind: "api_key",
    });
    await makeCredential(shop, PLATFORM, "api_key");
    expect((await create({ kind: "api_key" })).status).toBe(409);
    clock.advance(DAY_MS);
    await makeCredential(shop, PLATFORM, "api_key");
    expect((await list()).map(({ credential_id }: typeof first) => credential_id)).toContain(
      first.credential_id,
    );
    clock.advance(91 * DAY_MS);
    await shop.admin("DELETE", `${PATH}/${(await list())[0].credential_id}`);
    await makeCredential(shop, PLATFORM, "api_key");
    expect((await list()).map(({ credential_id }: typeof first) => credential_id)).not.toContain(
      first.credential_id,
    );
  });

  test("are for owners alone, and not accepted with wrong members", async () => {
    await admit(shop, PLATFORM);
    const auditor = (await shop.admin("POST", "/tokens", { name: "A", role: "auditor" })).body;
    const at = `/v1/admin/sites/${shop.site_key_hash}${PATH}`;
    expect((await server.admin("GET", at, undefined, auditor.token)).status).toBe(403);
    for (const body of [
      {},
      { kind: "password" },
      { kind: "api_key", expires_in_days: 0 },
      { kind: "api_key", expires_in_days: 731 },
      { kind: "api_key", secret: "mine" },
    ]) {
      expect([body, (await create(body)).status]).toEqual([body, 400]);
    }
    expect((await shop.admin("DELETE", `${PATH}/key_none`)).status).toBe(404);
  });

  test("a revoked one, and those of a removed platform, are in the list of revocations", async () => {
    await admit(shop, PLATFORM);
    const revoked = await makeCredential(shop, PLATFORM, "api_key");
    await shop.admin("DELETE", `${PATH}/${revoked.credential_id}`);
    const removed = await makeCredential(shop, PLATFORM, "oauth_client");
    await shop.admin("DELETE", `/platforms/${PLATFORM}`);
    const sql = "SELECT id FROM revocations WHERE kind = 'platform_credential'";
    const ids = (await server.context.db.all<{ id: string }>(sql)).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([revoked.credential_id, removed.credential_id]));
  });

  test("go with their site", async () => {
    await admit(shop, PLATFORM);
    await makeCredential(shop, PLATFORM, "api_key");
    expect((await shop.admin("DELETE", "")).status).toBe(204);
    const sql = "SELECT credential_id FROM platform_credentials WHERE site_key_hash = ?";
    expect(await server.context.db.all(sql, shop.site_key_hash)).toEqual([]);
  });

  test("are void after a restore that nothing verified", async () => {
    await admit(shop, PLATFORM);
    await makeCredential(shop, PLATFORM, "api_key");
    const out = join(temporaryFolder(), "backup.ndjson.gz");
    await backup(env, { out });
    const restored = await freshEnvironment(dialect);
    await restore(restored, out, byDigest(out));
    const again = await startServer(restored, { clock });
    const sql = "SELECT credential_id FROM platform_credentials WHERE revoked_at IS NULL";
    expect(await again.context.db.all(sql)).toEqual([]);
    await again.stop();
  });

  describe("how it is connected", () => {
    const path = `/platforms/${PLATFORM}/connection`;
    const set = (body: object) => shop.admin("PATCH", path, body);
    const url = "https://hooks.platform.example/orders?key=1";
    const PLAIN = { url: null, headers: {}, timestamp: "unix", id: "uuid" };

    test("is plain UCP until the owner changes it, with a record without secrets", async () => {
      expect((await shop.admin("GET", path)).status).toBe(404);
      expect((await set({ preset: "google" })).status).toBe(404);
      await admit(shop, PLATFORM);
      expect((await shop.admin("GET", path)).body).toEqual({
        platform: PLATFORM,
        error_codes: "ucp",
        webhook: PLAIN,
      });
      const webhook = { url, headers: { "X-Api-Key": "very secret" }, timestamp: "unix" };
      const changed = await set({ preset: "google", webhook });
      expect(changed.body).toEqual({
        platform: PLATFORM,
        error_codes: "google",
        webhook: { url, headers: { "x-api-key": "********" }, timestamp: "unix", id: "event" },
      });
      // Admitting it again changes nothing about it.
      await admit(shop, PLATFORM);
      expect((await shop.admin("GET", path)).body).toEqual(changed.body);
      const kept = await server.context.db.all("SELECT connection FROM platforms");
      const [{ record }] = (await at.records(shop, "site.changed")).filter(
        ({ record }: { record: { change: { kind: string } } }) =>
          record.change.kind === "platform_connection_set",
      );
      expect(record.change).toMatchObject({
        webhook_host: "hooks.platform.example",
        webhook_headers: ["x-api-key"],
      });
      expect(JSON.stringify([kept, record])).not.toContain("very secret");
      expect(JSON.stringify(record)).not.toContain("key=1");
    });

    test("takes no header of ours, none without an address, and no address inside", async () => {
      await admit(shop, PLATFORM);
      const wrong = [
        { headers: { "X-Api-Key": "a" } },
        { url, headers: { Signature: "a" } },
        { url, headers: { "content-LENGTH": "1" } },
        { url, headers: { Host: "a" } },
        { url, headers: { "Transfer-Encoding": "chunked" } },
        { url, headers: { "X-A": "a", "x-a": "b" } },
        { url, headers: { "X A": "a" } },
        { url, headers: { "X-A": "a\r\nX-B: b" } },
        { url, headers: { "X-A": "********" } },
        { url, headers: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`x-${i}`, "a"])) },
        { url: "http://hooks.platform.example/" },
        { url: "https://127.0.0.1/" },
        { url: "nowhere" },
        { timestamp: "rfc822" },
        { id: "order" },
      ];
      for (const webhook of wrong) {
        expect([webhook, (await set({ webhook })).status]).toEqual([webhook, 400]);
      }
      expect((await shop.admin("GET", path)).body.webhook).toEqual(PLAIN);
    });
  });
});
