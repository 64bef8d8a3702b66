import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startDirectory } from "../../../scripts/signing-agent.mjs";
import { type ServingGatehouse, serve } from "../../../test/gatehouse-process.ts";
import { cleanUp, freshEnvironment, temporaryFolder } from "../../server/test/harness.ts";
import { command } from "./command.ts";

let env: Record<string, string>;
let service: ServingGatehouse;
let directory: Awaited<ReturnType<typeof startDirectory>>;
let folder = "";
let card = "";
const run = (...args: string[]) => command(args, env);
const SHOP = "shop.example.com";

beforeAll(async () => {
  directory = await startDirectory("agent.localhost");
  folder = temporaryFolder();
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, directory.ca);
  const base = { ...(await freshEnvironment("sqlite")), GATEHOUSE_FETCH_ALLOW: directory.host };
  service = await serve({ ...base, NODE_EXTRA_CA_CERTS: ca });
  env = { ...base, GATEHOUSE_BASE_URL: service.url };
  const made = JSON.parse((await run("site", "create", SHOP, "--name", "Shop", "--json")).out);
  await run("site", "verify", SHOP, "--method", "operator", "--reason", "a test");
  card = `${service.url}/v1/agent-card/${made.site_key}.json`;
});
afterAll(async () => {
  await service.stop();
  await directory.close();
  await cleanUp();
});

/** A key in a file of its own. */
async function keygen(name: string): Promise<string> {
  const file = join(folder, `${name}.json`);
  expect((await run("agent", "keygen", "--out", file)).code).toBe(0);
  return file;
}

describe("an agent developer", () => {
  test("creates a key that nobody else can read, and does not overwrite an existing one", async () => {
    const file = await keygen("fresh");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file, "utf8");
    const again = await run("agent", "keygen", "--out", file);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("never overwritten")]);
    expect(readFileSync(file, "utf8")).toBe(kept);
    const other = await run("agent", "keygen", "--out", join(folder, "public.json"));
    expect(Object.keys(JSON.parse(other.out))).toEqual(["kty", "crv", "x", "kid"]);
  });

  test("registers at a site whose card verifies, waits, and is approved", async () => {
    const key = await keygen("buyer");
    const args = ["agent", "register", card, "--key", key, "--name", "Flower buyer"];
    const registered = await run(...args, "--contact", "ops@agent.example");
    expect(registered.err).toBe("The agent can act after the owner approves it.\n");
    const [id = "", status] = registered.out.trim().split("  ");
    expect([id.startsWith("agt_"), status]).toEqual([true, "pending"]);
    expect((await run("agent", "status", card, id)).out).toBe("pending\n");
    const listed = await run("agent", "list", SHOP, "--status", "pending");
    expect(listed.out).toMatch(/Flower buyer \(claimed\) +pending +all/);
    const found = await run("agent", "list", SHOP, "--search", "fLOWER B");
    expect(found.out).toMatch(/^AGENT_ID .*\nagt_\S+ +Flower buyer .*\n$/);
    const none = await run("agent", "list", SHOP, "--search", "F% b");
    expect(none.out).toMatch(/^No agents match\. List all: gatehouse agent list /);
    const shown = await run("agent", "show", SHOP, id);
    expect(shown.out).toMatch(/^contact +ops@agent\.example$/m);
    const approved = await run("agent", "approve", SHOP, id, "--scope", "skill:get_pricing");
    expect(approved.out).toMatch(/^scopes +skill:get_pricing$/m);
    expect((await run("agent", "status", card, id)).out).toBe("active\n");
    const wider = await run("agent", "approve", SHOP, id, "--scope", "skill:place_order");
    expect([wider.code, wider.err]).toEqual([1, expect.stringContaining("gatehouse agent change")]);
    expect((await run("agent", "show", SHOP, id)).out).toMatch(/^scopes +skill:get_pricing$/m);
    expect((await run("agent", "suspend", SHOP, id)).out).toMatch(/^status +suspended$/m);
    const changed = await run("agent", "change", SHOP, id, "--tag", "trusted", "--all-scopes");
    expect(changed.out).toMatch(/^scopes +all$[\s\S]*^tags +trusted$/m);
    expect((await run("agent", "revoke", SHOP, id)).out).toMatch(/^status +revoked$/m);
    const back = await run("agent", "approve", SHOP, id);
    expect([back.code, back.err]).toEqual([1, expect.stringContaining("is revoked")]);
    const again = await run(...args);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("identity_check_failed")]);
    const tail = await run("audit", "tail", SHOP);
    for (const kind of ["agent_approved", "agent_suspended", "agent_changed", "agent_revoked"]) {
      expect(tail.out).toContain(kind);
    }
    expect(tail.out).not.toContain("Flower buyer");
  });

  test("is not registered if the card does not verify, or the key is missing", async () => {
    const args = ["--key", await keygen("careful"), "--name", "Careful"];
    const elsewhere = await run(
      "agent",
      "register",
      `${service.url}/v1/agent-card/none.json`,
      ...args,
    );
    expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining("status 404")]);
    const wrong = await run(
      "agent",
      "register",
      card,
      ...args,
      "--keys",
      `${service.url}/.well-known/audit-jwks.json`,
    );
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("is not valid")]);
    const away = createServer((_request, response) => {
      response.writeHead(302, { location: card }).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void away.close());
    await once(away, "listening");
    const { port } = away.address() as AddressInfo;
    const led = await run("agent", "register", `http://127.0.0.1:${port}`, ...args);
    expect([led.code, led.err]).toEqual([
      1,
      expect.stringContaining("redirects to another server"),
    ]);
    const none = await run("agent", "register", card, "--key", join(folder, "none"), "--name", "x");
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("gatehouse agent keygen")]);
  });
});

test("a site on this machine is reached by a name under localhost", async () => {
  let name = "";
  const site = createServer((request, response) => {
    name = request.headers.host ?? "";
    fetch(card).then(async (answer) => response.end(await answer.text()));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void site.close());
  await once(site, "listening");
  const { port } = site.address() as AddressInfo;
  const args = ["--key", await keygen("local"), "--name", "Local", "--keys", service.url];
  const registered = await run("agent", "register", `http://shop.localhost:${port}`, ...args);
  expect(registered.out).toMatch(/^agt_\S+ {2}pending\n$/);
  expect(name).toBe(`shop.localhost:${port}`);
  const verified = await run("verify", `http://shop.localhost:${port}/`, "--keys", service.url);
  expect(verified.code).toBe(0);
});

test("if an address does not answer, the error contains the system's error code", async () => {
  const args = ["--key", await keygen("nobody"), "--name", "Nobody"];
  const site = createServer().listen(0, "127.0.0.1");
  await once(site, "listening");
  const { port } = site.address() as AddressInfo;
  site.close();
  await once(site, "close");
  const gone = await run("agent", "register", `http://127.0.0.1:${port}/card`, ...args);
  expect([gone.code, gone.err]).toEqual([
    4,
    expect.stringMatching(/\/card does not answer \(ECONNREFUSED\)\.\nCheck the address/),
  ]);
});

test("an agent can register by the address of a domain, and approving it says what it may request", async () => {
  const args = ["--key", await keygen("by-domain"), "--name", "By domain"];
  const page = `${service.url}/v1/agent/domain/${SHOP}`;
  const registered = await run("agent", "register", page, ...args);
  expect(registered.out).toMatch(/^agt_\S+ {2}pending\n$/);
  const [id = ""] = registered.out.split("  ");
  const approved = await run("agent", "approve", SHOP, id);
  expect(approved.err).toMatch(/^It may request every skill\. .*gatehouse agent change/);
  expect((await run("site", "show", SHOP)).out).toContain(`\ncard           ${card}\n`);
  expect((await run("agent", "show", SHOP, "agt_none")).err).toBe(
    "There is no such agent.\n`gatehouse agent list shop.example.com` lists the agents.\n",
  );
});

test("an owner adds an agent by its public key: it is active at once, and the private key is not sent", async () => {
  const key = await keygen("known");
  const added = await run("agent", "add", SHOP, "--key", key, "--name", "Ours", "--tag", "own");
  expect(added.out).toMatch(/^agt_\S+ {2}active\n$/);
  const twice = await run("agent", "add", SHOP, "--key", key, "--name", "Ours again");
  expect([twice.code, twice.err]).toEqual([1, expect.stringContaining("already uses this key")]);
  const wrong = await run("agent", "add", SHOP, "--key", key, "--name", "x", "--scope", "root:all");
  expect(wrong.code).toBe(1);
});

test.each([
  ["is not there", "none.json", undefined, "none.json does not exist"],
  ["holds something else", "words.json", "a key", "does not contain a public JWK"],
])("a key to add that %s gets an error in a full sentence", async (_what, name, text, says) => {
  const file = join(folder, name);
  if (text !== undefined) writeFileSync(file, text);
  const { code, err } = await run("agent", "add", SHOP, "--key", file, "--name", "Ours");
  expect([code, err]).toEqual([1, expect.stringContaining(name)]);
  expect(err).toContain(says);
});

test("an agent from an origin that the owner trusts is admitted with the keys it publishes", async () => {
  const site = JSON.parse((await run("site", "show", SHOP, "--json")).out);
  const settings = (body: unknown) =>
    fetch(`${service.url}/v1/admin/sites/${site.site_key_hash}/mandates`, {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${env.GATEHOUSE_ADMIN_TOKEN}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
  expect((await settings({ auto_admit: ["https://agent.localhost/keys"] })).status).toBe(400);
  expect((await settings({ auto_admit: [directory.origin] })).status).toBe(200);
  const key = await keygen("published");
  const { d: _d, ...jwk } = JSON.parse(readFileSync(key, "utf8"));
  const register = () =>
    run(
      "agent",
      "register",
      card,
      "--key",
      key,
      "--name",
      "Known by its origin",
      "--key-source",
      `directory:${directory.origin}`,
    );
  const missing = await register();
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("not found at")]);
  directory.keys = [jwk];
  directory.status = 200;
  // What failed is remembered for five minutes; another spelling of the source is asked anew.
  const admitted = await run(
    "agent",
    "register",
    card,
    "--key",
    key,
    "--name",
    "Known by its origin",
    "--key-source",
    `jwks_uri:${directory.origin}/keys.json`,
  );
  expect(admitted.out).toMatch(/^agt_\S+ {2}active\n$/);
});
