import { describe, expect, test } from "vitest";
import { createLog } from "../../src/infra/log/log.ts";
import { doctor } from "../../src/maintenance/doctor.ts";
import { browser } from "../console-browser.ts";
import { createSite, freshEnvironment, startServer, TIER_DATABASES } from "../harness.ts";
import {
  joined,
  joinedOperator,
  optionsFor,
  passkeyOrigin,
  secretOf,
  withPasskey,
} from "./joining.ts";
import { SoftwarePasskey } from "./software-passkey.ts";

const SHOP = "http://shop.localhost:8787";
const GATE = "http://gate.localhost:8787";

describe.each(TIER_DATABASES)("after the base URL got another host, on %s:", (dialect) => {
  /** An operator with a passkey of the first host, and the environment with the second. */
  async function moved() {
    const env = await freshEnvironment(dialect);
    const before = await startServer({ ...env, GATEHOUSE_BASE_URL: SHOP });
    const { site_key_hash: site } = await createSite(before, "mine.example.com");
    const operator = await joinedOperator(before);
    await withPasskey(before, operator.page);
    // Somebody without a passkey has nothing to lose.
    await joined(before, site, "owner", "Rosa");
    const next = { ...before.env, GATEHOUSE_BASE_URL: GATE };
    return { before, next, site, id: operator.id, secret: operator.page.cookie };
  }
  const passkeysOf = async (env: Readonly<Record<string, string | undefined>>) =>
    (await doctor(env)).find(({ part }) => part === "passkeys");

  test("doctor says before the change how many people it strands", async () => {
    const { before, next } = await moved();
    await before.stop();
    expect(await passkeysOf(before.env)).toMatchObject({ verdict: "good" });
    const found = await passkeysOf(next);
    expect(found?.verdict).toBe("warning");
    expect(found?.message).toContain("the passkeys of 1 person belong to another host");
    expect(found?.message).toContain("gate.localhost");
  });

  test("the start warns, and the list of people names them to owners and operators alone", async () => {
    const { before, next, site } = await moved();
    await before.stop();
    const logged: string[] = [];
    const log = createLog("warn", (line) => void logged.push(line));
    const after = await startServer(next, { log });
    expect(logged.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        level: "warn",
        event: "people.passkeys_unusable",
        people: 1,
        host: "gate.localhost",
      }),
    );
    const path = `/v1/admin/sites/${site}/people`;
    const seen = (body: { items: { name: string; passkeys_unusable?: boolean }[] }) =>
      Object.fromEntries(body.items.map((one) => [one.name, one.passkeys_unusable]));
    expect(seen((await after.admin("GET", path)).body)).toEqual({ Oscar: true, Rosa: false });
    const reader = await joined(after, site, "auditor", "Ada");
    expect(seen((await reader.page.ask("GET", path)).body)).toEqual({
      Oscar: undefined,
      Rosa: undefined,
      Ada: undefined,
    });
  });

  test("a person signs in by link and adds a passkey of the new host, without the one that no longer works", async () => {
    const { before, next, id } = await moved();
    await before.stop();
    const after = await startServer(next);
    const { body } = await after.admin("POST", `/v1/admin/people/${id}/links`, {});
    const page = browser(after);
    await page.signIn({ link: secretOf(body.url) });
    const { allowCredentials } = await optionsFor(page, "confirm");
    expect(allowCredentials ?? []).toEqual([]);
    const passkey = await withPasskey(after, page);
    const own = (await page.ask("GET", "/v1/console/person")).body.passkeys;
    expect(own.map(({ usable }: { usable: boolean }) => usable).sort()).toEqual([false, true]);
    const again = browser(after);
    const answer = passkey.get(await optionsFor(again, "sign_in"));
    expect((await again.signIn({ passkey: answer })).status).toBe(201);
    await after.stop();
    expect(await passkeysOf(next)).toMatchObject({ verdict: "good" });
  });

  test("somebody who has a passkey of the host still needs it to add another", async () => {
    const { before, next, id } = await moved();
    await before.stop();
    const after = await startServer(next);
    const { body } = await after.admin("POST", `/v1/admin/people/${id}/links`, {});
    const page = browser(after);
    await page.signIn({ link: secretOf(body.url) });
    await withPasskey(after, page);
    await after.context.db.run("UPDATE console_sessions SET confirmed_at = NULL");
    const stolen = new SoftwarePasskey(passkeyOrigin(after));
    const passkey = stolen.create(await optionsFor(page, "register"));
    const added = await page.ask("POST", "/v1/console/passkeys", { name: "Mallory", passkey });
    expect(added.status).toBe(403);
  });

  test("passkeys from before hosts were stored belong to the host of the first start", async () => {
    const { before, next } = await moved();
    await before.context.db.run("UPDATE passkeys SET rp_id = NULL");
    await before.stop();
    const again = await startServer(before.env);
    const rows = await again.context.db.all<{ rp_id: string }>("SELECT rp_id FROM passkeys");
    expect(rows).toEqual([{ rp_id: "shop.localhost" }]);
    await again.stop();
    expect(await passkeysOf(next)).toMatchObject({ verdict: "warning" });
  });
});

describe("a service at an address of this machine", () => {
  test("takes requests of the console at localhost, whose name its passkeys have, and of no other name", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const { site_key_hash } = await createSite(server, "mine.example.com");
    const { page } = await joined(server, site_key_hash, "owner");
    const { port } = new URL(server.context.config.baseUrl);
    const origin = `http://localhost:${port}`;
    expect((await page.ask("GET", "/v1/console/sign-in-ways")).body.passkey_origin).toBe(origin);
    const from = (other: string) => ({ origin: other, "x-gatehouse-console": "1" });
    const options = { purpose: "register" };
    const path = "/v1/console/passkey-options";
    const named = await page.ask("POST", path, options, from(origin));
    expect([named.status, named.body.rp.id]).toEqual([200, "localhost"]);
    for (const other of [`http://localhost:${Number(port) + 1}`, `http://evil.localhost:${port}`]) {
      expect((await page.ask("POST", path, options, from(other))).status).toBe(403);
    }
    const plain = new SoftwarePasskey(new URL(server.context.config.baseUrl).origin);
    const passkey = plain.create(await optionsFor(page, "register"));
    const added = await page.ask("POST", "/v1/console/passkeys", { name: "Laptop", passkey });
    expect(added.status).toBe(400);
  });
});
