import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freshEnvironment, startServer, temporaryFolder } from "../../server/test/harness.ts";
import { command } from "./command.ts";

/** A server that answers as a test wants; its address. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("every command reports a file it cannot use in a full sentence", async () => {
  const env = await freshEnvironment("sqlite");
  const { url } = await startServer(env);
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  await command(["site", "create", "shop.example.com", "--name", "Shop"], here);
  const taken = join(temporaryFolder(), "taken");
  writeFileSync(taken, "");
  const commands = [
    ["site", "preview", "shop.example.com", "--out", taken],
    ["audit", "export", "shop.example.com", "--out", taken],
  ];
  for (const args of commands) {
    expect(await command(args, here)).toEqual({
      code: 1,
      out: "",
      err: `${taken} cannot be used: it already exists.\nCheck the path and its permissions, or use another path.\n`,
    });
  }
});

test("the error for a misspelled domain lists the existing domains", async () => {
  const env = await freshEnvironment("sqlite");
  const here = { ...env, GATEHOUSE_BASE_URL: (await startServer(env)).url };
  await command(["site", "create", "shop.example.com", "--name", "Shop"], here);
  expect((await command(["site", "show", "shpo.example.com"], here)).err).toBe(
    "There is no site for shpo.example.com.\n" +
      "Existing sites: shop.example.com. `gatehouse site list` lists the sites.\n",
  );
});

test("the error for a token of another installation names its file and what to set", async () => {
  const env = await freshEnvironment("sqlite");
  const { url } = await startServer(env);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "admin-token"), "a-token-of-another-installation-0123456789\n");
  const { GATEHOUSE_ADMIN_TOKEN: _, ...rest } = env as Record<string, string>;
  const elsewhere = { ...rest, GATEHOUSE_BASE_URL: url, GATEHOUSE_DATA_DIR: folder };
  expect(await command(["site", "list"], elsewhere)).toEqual({
    code: 1,
    out: "",
    err:
      `The service at ${url} does not accept the token in ${join(folder, "admin-token")}.\n` +
      "Set GATEHOUSE_DATA_DIR to the data folder of this service, or GATEHOUSE_ADMIN_TOKEN to a valid token.\n",
  });
});

test("the log of a deleted site is found by its hash, and the error for its domain says so", async () => {
  const env = await freshEnvironment("sqlite");
  const here = { ...env, GATEHOUSE_BASE_URL: (await startServer(env)).url };
  await command(["site", "create", "shop.example.com", "--name", "Shop"], here);
  const deleted = await command(["site", "delete", "shop.example.com", "--yes"], here);
  const [, hash = ""] =
    /^Its audit log is kept: gatehouse audit tail (\S+)$/m.exec(deleted.err) ?? [];
  expect((await command(["audit", "tail", hash], here)).out).toMatch(/site\.changed +deleted/);
  expect((await command(["audit", "tail", "shop.example.com"], here)).err).toMatch(
    /^There is no site for shop\.example\.com\.\n.*use the site key or the site key hash\.\n$/,
  );
});

test("a service that breaks off its answer counts as one that does not answer", async () => {
  const cut = await answering((_request, response) => {
    response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy());
  });
  const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_BASE_URL: cut };
  expect(await command(["site", "list"], env)).toEqual({
    code: 4,
    out: "",
    err: `The connection to ${cut} was lost.\nCheck whether the change was made before you try again.\n`,
  });
});

test("an agent can tell whether a site did not answer or refused", async () => {
  const missing = await answering((_request, response) => void response.writeHead(404).end());
  const status = ["agent", "status"];
  expect(await command([...status, `${missing}/card.json`, "agt_1"], {})).toEqual({
    code: 1,
    out: "",
    err: expect.stringMatching(/status 404\.\nUse the address of the site or of its card/),
  });
  expect(await command([...status, "http://127.0.0.1:1/card.json", "agt_1"], {})).toEqual({
    code: 4,
    out: "",
    err: expect.stringMatching(/does not answer\.\nCheck the address and whether/),
  });
});

/** A service that says of every site what a test wants, and answers everything else with `other`. */
function hostile(site: object, other: object) {
  return answering((request, response) => {
    const list = request.url?.startsWith("/v1/admin/sites?") === true;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(list ? { items: [site] } : other));
  });
}
const asking = (url: string) => ({
  GATEHOUSE_BASE_URL: url,
  GATEHOUSE_ADMIN_TOKEN: "x".repeat(40),
});

test("no command prints text of a service that could control the terminal", async () => {
  const rude = "\u001b[31m\u009b5m\u202ered";
  const times = { verified_at: rude, checked_at: rude, problem: rude };
  const verification = { ...times, method: "dns", reason: rude, dns: { name: rude, value: rude } };
  const file = { url: rude, content: rude };
  const site = {
    site_key: "us_x",
    site_key_hash: "h",
    domain: rude,
    name: rude,
    status: "pending",
    verification: { ...verification, file, meta: { url: rude, tag: rude } },
    agent_page_url: `${rude}/v1/agent/`,
    mcp_url: rude,
    description: rude,
    picture_url: rude,
    created_at: rude,
  };
  const other = { url: rude, version: rude, findings: [], token: rude, picture_url: rude };
  const env = asking(await hostile(site, other));
  const policy = join(temporaryFolder(), "policy.json");
  const { out: preset } = await command(["policy", "preset", "ask_always"], env);
  writeFileSync(policy, preset);
  const commands = [
    ["site", "show", "shop.example.com"],
    ["site", "picture", "shop.example.com", "--remove"],
    ["policy", "publish", "shop.example.com", policy],
    ["token", "link"],
    ["token", "create", "--name", "a", "--role", "auditor"],
  ];
  for (const args of commands) {
    const { code, out, err } = await command(args, env);
    expect([args, code, out.includes("red")]).toEqual([args, 0, true]);
    expect((out + err).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});

test("a service cannot choose where its documents are written", async () => {
  const documents = [{ name: "../outside", url: "", content_type: "text/plain", text: "mine" }];
  const site = { site_key_hash: "h", domain: "shop.example.com" };
  const env = asking(await hostile(site, { documents }));
  const folder = temporaryFolder();
  const args = ["site", "preview", "shop.example.com", "--out", join(folder, "inside")];
  expect(await command(args, env)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/not a valid document name/),
  });
  expect(readdirSync(folder)).toEqual(["inside"]);
});

test.each([
  ["a list without items", {}],
  ["a text", "welcome"],
])("an answer that is not from Gatehouse is reported as such: %s", async (_what, other) => {
  const url = await answering((_request, response) => void response.end(JSON.stringify(other)));
  const listed = await command(["site", "list"], asking(url));
  expect(listed).toMatchObject({
    code: 1,
    err: expect.stringMatching(/its version is incompatible\.\n/),
  });
});
