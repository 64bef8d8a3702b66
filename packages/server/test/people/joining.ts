import { expect } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import type { Dialect } from "../../src/infra/db/database.ts";
import { namedOrigin } from "../../src/infra/web-name.ts";
import { browser } from "../console-browser.ts";
import { createSite, freshEnvironment, NOON, startServer, type TestServer } from "../harness.ts";
import { SoftwarePasskey } from "./software-passkey.ts";

export type Page = ReturnType<typeof browser>;

export const secretOf = (url: string) => new URL(url).hash.replace("#link=", "");

/** An installation with two sites, at a time that stands still. */
export async function openTwoSites(dialect: Dialect, env: Record<string, string> = {}) {
  const clock = new ManualClock(NOON);
  const server = await startServer({ ...(await freshEnvironment(dialect)), ...env }, { clock });
  const mine = (await createSite(server, "mine.example.com")).site_key_hash as string;
  const theirs = (await createSite(server, "theirs.example.com")).site_key_hash as string;
  return { clock, server, mine, theirs };
}

/** Invites somebody without an address to one site. */
export async function invite(server: TestServer, site: string, role: string, name = "Rosa") {
  return (await server.admin("POST", `/v1/admin/sites/${site}/people`, { name, role })).body;
}

/** Somebody with a role at one site, signed in by their invitation. */
export async function joined(server: TestServer, site: string, role: string, name?: string) {
  const person = await invite(server, site, role, name);
  const page = browser(server);
  expect((await page.signIn({ link: secretOf(person.link.url) })).status).toBe(201);
  return { page, id: person.person_id as string };
}

/** An operator who signed in by their invitation. */
export async function joinedOperator(server: TestServer) {
  const invited = await server.admin("POST", "/v1/admin/people", {
    name: "Oscar",
    role: "operator",
  });
  const page = browser(server);
  expect((await page.signIn({ link: secretOf(invited.body.link.url) })).status).toBe(201);
  return { page, id: invited.body.person_id as string };
}

export const optionsFor = async (page: Page, purpose: string) =>
  (await page.ask("POST", "/v1/console/passkey-options", { purpose })).body;

/** Where browsers offer passkeys for a service. */
export const passkeyOrigin = (server: TestServer) =>
  namedOrigin(server.context.config.baseUrl) ?? "";

/** Makes a passkey in a browser that is signed in. */
export async function withPasskey(server: TestServer, page: Page): Promise<SoftwarePasskey> {
  const passkey = new SoftwarePasskey(passkeyOrigin(server));
  const made = { name: "Laptop", passkey: passkey.create(await optionsFor(page, "register")) };
  expect((await page.ask("POST", "/v1/console/passkeys", made)).status).toBe(201);
  return passkey;
}

/** The records about people in the log of a site. */
export async function personRecords(server: TestServer, site: string) {
  const { body } = await server.admin("GET", `/v1/admin/sites/${site}/audit/records?limit=50`);
  const all = body.items.map(({ record }: { record: { type: string } }) => record);
  return all.filter(({ type }: { type: string }) => type.startsWith("person."));
}
