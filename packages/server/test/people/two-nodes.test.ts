import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { browser, SESSION } from "../console-browser.ts";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
  temporaryFolder,
} from "../harness.ts";
import { secretsKeyFile } from "../restoring.ts";
import { joined, optionsFor, type Page, withPasskey } from "./joining.ts";

/** How long another node may still accept what one node has ended. */
const DEADLINE_MS = 1000;

describe("with two nodes on one PostgreSQL,", () => {
  let first: TestServer;
  let second: TestServer;
  let site = "";

  beforeAll(async () => {
    const env = await freshEnvironment("postgres");
    first = await startServer(env);
    const key = readFileSync(secretsKeyFile(env), "utf8").trim();
    const own = { GATEHOUSE_DATA_DIR: temporaryFolder(), GATEHOUSE_SECRETS_KEY: key };
    second = await startServer({ ...env, ...own });
    site = (await createSite(first, "mine.example.com")).site_key_hash as string;
    return cleanUp;
  });

  /** The same browser at the second node, behind one load balancer. */
  function atSecond(page: Page): Page {
    const same = browser(second);
    same.cookie = page.cookie;
    return same;
  }

  /** The last status of a request that is repeated until it has this status or the deadline is over. */
  async function statusWithin(ask: () => Promise<{ status: number }>, expected: number) {
    const deadline = performance.now() + DEADLINE_MS;
    let { status } = await ask();
    while (status !== expected && performance.now() < deadline) ({ status } = await ask());
    return status;
  }

  async function person() {
    const { page, id } = await joined(first, site, "owner");
    const there = atSecond(page);
    expect((await there.ask("GET", SESSION)).status).toBe(200);
    return { page, id, there };
  }

  test("a session that a colleague ends on one is refused by the other within a second", async () => {
    const { id, there } = await person();
    const { session_id } = (await there.ask("GET", SESSION)).body;
    const path = `/v1/admin/people/${id}/sessions/${session_id}`;
    expect((await first.admin("DELETE", path)).status).toBe(204);
    expect(await statusWithin(() => there.ask("GET", SESSION), 401)).toBe(401);
  });

  test("a session that is signed out on one is refused by the other within a second", async () => {
    const { page, there } = await person();
    expect((await page.ask("DELETE", SESSION)).status).toBe(204);
    expect(await statusWithin(() => there.ask("GET", SESSION), 401)).toBe(401);
  });

  test("a session that another session of the person ends is refused by the other within a second", async () => {
    const { page, there } = await person();
    const passkey = await withPasskey(first, page);
    const laptop = browser(first);
    await laptop.signIn({ passkey: passkey.get(await optionsFor(laptop, "sign_in")) });
    const { sessions } = (await laptop.ask("GET", "/v1/console/person")).body;
    const phone = sessions.find(({ current }: { current: boolean }) => !current);
    await laptop.ask("DELETE", `/v1/console/sessions/${phone.session_id}`);
    expect(await statusWithin(() => there.ask("GET", SESSION), 401)).toBe(401);
    expect((await atSecond(laptop).ask("GET", SESSION)).status).toBe(200);
  });

  test.each([
    ["removed", "DELETE", (id: string) => `/v1/admin/sites/${site}/people/${id}`, undefined],
    ["reset", "POST", (id: string) => `/v1/admin/people/${id}/links`, { reset: true }],
  ])(
    "a person who is %s on one is refused by the other within a second",
    async (...[, method, path, body]) => {
      const { id, there } = await person();
      expect((await first.admin(method, path(id), body)).status).toBeLessThan(300);
      expect(await statusWithin(() => there.ask("GET", SESSION), 401)).toBe(401);
      const admin = await there.ask("GET", `/v1/admin/sites/${site}`);
      expect(admin.status).toBe(401);
    },
  );

  test("an open event stream of the other ends within a second after a session is ended on one", async () => {
    const { page, there } = await person();
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const stream = await fetch(`${second.url}/v1/admin/sites/${site}/changes`, {
      headers: { ...there.own, cookie: there.cookie ?? "" },
      signal: ending.signal,
    });
    expect(stream.status).toBe(200);
    expect((await page.ask("DELETE", SESSION)).status).toBe(204);
    const late = new Promise((resolve) => setTimeout(resolve, DEADLINE_MS, "still open"));
    expect(await Promise.race([stream.text(), late])).toBe(": listening\n\n");
  });

  test("a person who is demoted on one has only the new role on the other within a second", async () => {
    const { id, there } = await person();
    const at = `/v1/admin/sites/${site}`;
    const rename = () => there.ask("PATCH", at, { name: "Flowers" });
    expect((await rename()).status).toBe(200);
    await first.admin("PUT", `${at}/people/${id}/role`, { role: "auditor" });
    expect(await statusWithin(rename, 403)).toBe(403);
    expect((await there.ask("GET", at)).status).toBe(200);
  });
});
