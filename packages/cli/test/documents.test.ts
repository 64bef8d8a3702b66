import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  temporaryFolder,
} from "../../server/test/harness.ts";
import { command } from "./command.ts";

let env: Record<string, string>;
let url = "";
let site = { site_key: "", site_key_hash: "" };
const run = (...args: string[]) => command(args, env);

beforeAll(async () => {
  env = await freshEnvironment("sqlite");
  const server = await startServer(env);
  url = server.url;
  env = { ...env, GATEHOUSE_BASE_URL: url };
  const made = await run("site", "create", "shop.example.com", "--name", "Fern", "--json");
  site = JSON.parse(made.out);
  await run("site", "verify", "shop.example.com", "--method", "operator", "--reason", "test");
  await run("skill", "set", "shop.example.com", "get_pricing", "--url", "https://a.example/p");
  return async () => {
    await cleanUp();
  };
});

describe("skill commands", () => {
  test("set, list, disable and remove skills, and say which are live", async () => {
    const named = ["shop.example.com", "track_order"];
    const set = await run("skill", "set", ...named, "--url", "https://a.example/t", "--title", "T");
    expect([set.code, set.err]).toEqual([0, ""]);
    expect(set.out).toMatch(/^track_order {2}live {3}T {12}https:\/\/a\.example\/t$/m);
    const changed = await run("skill", "set", ...named, "--description", "Where it is.", "--json");
    expect(JSON.parse(changed.out).skills.at(-1)).toEqual({
      id: "track_order",
      enabled: true,
      url: "https://a.example/t",
      title: "T",
      description: "Where it is.",
    });
    expect((await run("skill", "disable", ...named)).out).toMatch(/^track_order {2}off/m);
    expect((await run("skill", "set", ...named, "--title", "U")).out).toMatch(
      /^track_order {2}off/m,
    );
    expect((await run("skill", "enable", ...named)).out).toMatch(/^track_order {2}live/m);
    const moved = JSON.parse((await run("skill", "move", ...named, "--json")).out);
    expect(moved.live).toEqual(["track_order", "get_pricing"]);
    const nameless = await run(
      "skill",
      "set",
      "shop.example.com",
      "get_pricng",
      "--url",
      "https://a.example/",
    );
    expect([nameless.code, nameless.err]).toEqual([2, expect.stringContaining("needs a --title")]);
    expect((await run("skill", "remove", ...named)).out).not.toContain("track_order");
    const listed = await run("skill", "list", "shop.example.com");
    expect(listed.out).toMatch(/^Not set up: request_demo, sign_up, .*, place_order$/m);
  });

  test("say what is missing or wrong", async () => {
    const waiting = await run("skill", "set", "shop.example.com", "get_status");
    expect(waiting.out).toMatch(/^get_status {3}on, needs a URL/m);
    await run("skill", "remove", "shop.example.com", "get_status");
    const bad = await run(
      "skill",
      "set",
      "shop.example.com",
      "sign_up",
      "--url",
      "http://a.example/",
    );
    expect([bad.code, bad.err]).toEqual([
      1,
      `url: must begin with https://.\nSee ${env.GATEHOUSE_BASE_URL}/docs/errors/invalid-request.md\n`,
    ]);
    const none = await run("skill", "disable", "shop.example.com", "sign_up");
    expect([none.code, none.err]).toEqual([
      1,
      "The site has no skill sign_up.\n`gatehouse skill list <site>` lists the skills.\n",
    ]);
  });
});

describe("gatehouse site preview", () => {
  test("lists the documents, prints one, and writes all of them", async () => {
    expect((await run("site", "preview", "shop.example.com")).out).toMatch(
      /^card +\d+ +http:\/\/127\.0\.0\.1:\d+\/v1\/agent-card\/us_/m,
    );
    const one = await run("site", "preview", "shop.example.com", "--document", "llms");
    expect(one.out).toMatch(/^# Fern\n/);
    const folder = join(temporaryFolder(), "preview");
    const all = await run("site", "preview", "shop.example.com", "--out", folder);
    expect(all.out).toBe(`Wrote 12 documents to ${folder}.\n`);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["card.json", "page.html"]));
    const other = await run("site", "preview", "shop.example.com", "--document", "nothing");
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringMatching(/The documents are: card, catalog/),
    ]);
  });
});

/** A file holding what the service serves at a path, changed if the test wants it so. */
async function saved(path: string, change: (text: string) => string = (text) => text) {
  const file = join(temporaryFolder(), "document");
  writeFileSync(file, change(await (await fetch(url + path)).text()));
  return file;
}

const card = () => `/v1/agent-card/${site.site_key}.json`;

describe("gatehouse verify", () => {
  test.each([
    ["agent card", () => card(), 9],
    ["A2A card", () => `/v1/agent-card/${site.site_key}/a2a.json`, 5],
    ["catalog", () => `/v1/catalog/${site.site_key_hash}.json`, 8],
    ["catalog", () => `/v1/catalog/${site.site_key}/ard.json`, 7],
    ["agent page", () => `/v1/agent/${site.site_key_hash}`, 9],
    ["agent page", () => "/v1/agent/domain/shop.example.com", 9],
  ])("ticks every check of a good %s", async (name, path, checks) => {
    const { code, out } = await run("verify", url + path());
    expect(code).toBe(0);
    expect(out.match(/^✓ /gm)?.length).toBe(checks);
    const keys = `${url}/.well-known/jwks.json`;
    expect(out).toContain(
      `The ${name} of shop.example.com is valid, verified with the keys of ${keys}.`,
    );
  });

  test.each(["/en/", "https://www.shop.example.com/"])(
    "verifies the card of a site whose home page leads to %s",
    async (home) => {
      const shop = createServer(async (request, response) => {
        if (request.url === "/.well-known/agent-card.json") {
          return void response.end(await (await fetch(url + card())).text());
        }
        response.writeHead(request.url === "/" ? 302 : 200, { location: home });
        response.end("<!doctype html><title>Fern</title>");
      });
      await new Promise<void>((done) => shop.listen(0, "127.0.0.1", done));
      onTestFinished(() => void shop.close());
      const { port } = shop.address() as AddressInfo;
      const { code, out } = await run("verify", `http://127.0.0.1:${port}`, "--keys", url);
      expect([code, out]).toEqual([0, expect.stringContaining("The agent card of shop.example")]);
    },
  );

  test("names the check that failed, for people and for programs", async () => {
    const file = await saved(card(), (text) => text.replace("Fern", "Ferm"));
    const told = await run("verify", file, "--keys", url);
    expect([told.code, told.err]).toEqual([
      1,
      expect.stringMatching(/^Not verified: envelope, a2a\.\nDo not rely/),
    ]);
    expect(told.out).toMatch(/^✗ the envelope signature does not verify/m);
    const json = await run("verify", file, "--keys", url, "--json");
    expect(json.code).toBe(1);
    const { ok, kind, checks } = JSON.parse(json.out);
    expect([ok, kind]).toEqual([false, "card"]);
    expect(checks.find(({ id }: { id: string }) => id === "envelope").ok).toBe(false);
  });

  test.each([
    ["as many as it checks,", 16, /^✗ no A2A signature verifies$/m],
    ["too many", 2000, /^✗ it has 2000 A2A signatures: more than 16 are not checked$/m],
  ])(
    "fetches the key set at most twice for a card signed with %s unknown keys",
    async (_what, count, says) => {
      let asked = 0;
      const keys = createServer(async (_request, response) => {
        asked += 1;
        response.end(await (await fetch(`${url}/.well-known/jwks.json`)).text());
      });
      await new Promise<void>((done) => keys.listen(0, "127.0.0.1", done));
      onTestFinished(() => void keys.close());
      const header = (i: number) =>
        Buffer.from(JSON.stringify({ alg: "EdDSA", kid: `k${i}` })).toString("base64url");
      const file = await saved(card(), (text) => {
        const signatures = Array.from({ length: count }, (_, i) => ({
          protected: header(i),
          signature: "A".repeat(86),
        }));
        return JSON.stringify({ ...JSON.parse(text), signatures });
      });
      const from = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`;
      const told = await run("verify", file, "--keys", from);
      expect([told.code, told.out]).toEqual([1, expect.stringMatching(says)]);
      expect(asked).toBeLessThanOrEqual(2);
    },
  );

  test("does not accept a card without its envelope as A2A's own format", async () => {
    const file = await saved(card(), (text) => {
      const { signing: _cut, ...rest } = JSON.parse(text);
      return JSON.stringify({ ...rest, site: { ...rest.site, service_endpoint: "https://evil/" } });
    });
    const told = await run("verify", file, "--keys", url);
    expect([told.code, told.err]).toEqual([
      1,
      expect.stringMatching(/^Not verified: covered\.\nDo not rely/),
    ]);
  });

  test("checks a file with the keys that the reader names, never with the file's own", async () => {
    const file = await saved(card());
    const told = await run("verify", file);
    expect([told.code, told.err]).toMatchObject([2, expect.stringMatching(/^--keys is required/)]);
    const keys = await saved("/.well-known/jwks.json");
    expect((await run("verify", file, "--keys", keys)).code).toBe(0);
    expect((await run("verify", file, "--keys", file)).err).toMatch(/is not a key set/);
  });

  test("does not trust a server because of another server's keys that its document names", async () => {
    const forged = createServer((request, response) => {
      const own = JSON.stringify({ keys: [] });
      if (request.url === "/.well-known/jwks.json") return void response.end(own);
      fetch(url + card())
        .then((answer) => answer.text())
        .then((text) => response.end(text));
    });
    await new Promise<void>((done) => forged.listen(0, "127.0.0.1", done));
    onTestFinished(() => void forged.close());
    const at = `http://127.0.0.1:${(forged.address() as AddressInfo).port}`;
    const told = await run("verify", `${at}/card.json`);
    expect([told.code, told.err]).toEqual([
      1,
      expect.stringMatching(/^Not verified: key, a2a\.\nDo not rely/),
    ]);
    expect((await run("verify", `${at}/card.json`, "--keys", url)).code).toBe(0);
  });

  test("names the domain that was signed", async () => {
    const file = await saved(`/v1/catalog/${site.site_key}.json`, (text) =>
      JSON.stringify({ ...JSON.parse(text), site: { domain: "paypal.example" } }),
    );
    const { out } = await run("verify", file, "--keys", url);
    expect(out).toContain("The catalog of shop.example.com is valid");
    expect(out).not.toContain("paypal");
  });

  test("cannot be made by a document to read a local file as its keys", async () => {
    const keys = await saved("/.well-known/jwks.json");
    const posing = createServer(async (_request, response) => {
      const card_ = JSON.parse(await (await fetch(url + card())).text());
      const { port } = posing.address() as AddressInfo;
      const own = { ...card_.site, domain: `127.0.0.1:${port}`, jwks_url: keys };
      response.end(JSON.stringify({ ...card_, site: own }));
    });
    await new Promise<void>((done) => posing.listen(0, "127.0.0.1", done));
    onTestFinished(() => void posing.close());
    const at = `http://127.0.0.1:${(posing.address() as AddressInfo).port}`;
    const told = await run("verify", `${at}/card`);
    expect([told.code, told.err]).toEqual([
      1,
      expect.stringContaining(`${at}/.well-known/jwks.json is not a key set.\n`),
    ]);
  });

  test("prints nothing that could control the terminal", async () => {
    const file = await saved(card(), (text) =>
      text.replaceAll("shop.example.com", "\\u001b[2J\\u202eevil"),
    );
    const { out } = await run("verify", file, "--keys", url);
    expect(out).not.toMatch(/\p{Cf}|\p{Cc}(?<!\n)/u);
    expect(out).toContain("The agent card of \ufffd[2J\ufffdevil is not valid.");
  });

  test.each([
    [
      "an address without a document",
      () => `${url}/v1/agent-card/us_nobody.json`,
      1,
      /returned status 404/,
    ],
    ["an address without a server", () => "http://127.0.0.1:9/card", 4, /does not answer/],
    [
      "a name that is neither a file nor an address",
      () => "nonsense",
      2,
      /neither a file nor an http\(s\) address/,
    ],
    ["another document", () => `${url}/version`, 1, /^This document is not signed/],
    [
      "a page without a card",
      () => join(temporaryFolder(), "page"),
      1,
      /does not contain an agent card/,
    ],
  ])("says what is wrong with %s", async (_what, target, code, message) => {
    const named = target();
    if (named.endsWith("/page")) writeFileSync(named, "<!doctype html><p>Hello.");
    const told = await run("verify", named, "--keys", url);
    expect(told.code).toBe(code);
    expect(told.err).toMatch(message);
  });
});
