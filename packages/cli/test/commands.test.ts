import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gatehouse } from "../../../test/gatehouse-process.ts";
import { siteKeyHash } from "../../protocol/src/index.ts";
import { recordHeartbeat } from "../../server/src/infra/installation/clock-check.ts";
import { freshEnvironment, startServer, temporaryFolder } from "../../server/test/harness.ts";
import { command } from "./command.ts";

async function running() {
  const env = await freshEnvironment("sqlite");
  const server = await startServer(env);
  const here: Record<string, string> = { ...env, GATEHOUSE_BASE_URL: server.url };
  return { server, env: here, run: (...args: string[]) => command(args, here) };
}

describe("site commands", () => {
  test("create, show, verify, change, list and delete a site", async () => {
    const { run } = await running();
    const created = await run("site", "create", "shop.example.com", "--name", "Fern & Petal");
    expect(created.code).toBe(0);
    expect(created.out).toMatch(/status {9}pending/);
    expect(created.out).toMatch(/dns {3}TXT record _gatehouse\.shop\.example\.com with the value/);
    const verified = await run(
      "site",
      "verify",
      "shop.example.com",
      "--method",
      "operator",
      "--reason",
      "I know them",
    );
    expect(verified.out).toMatch(/status {9}verified \(operator\)/);
    const key = /site_key {7}(us_\S+)/.exec(created.out)?.[1] as string;
    expect((await run("site", "change", key, "--name", "Fern")).out).toMatch(/name {11}Fern\n/);
    expect((await run("site", "list")).out).toMatch(
      /DOMAIN .*\nshop\.example\.com {2}Fern {2}verified/,
    );
    const json = JSON.parse((await run("site", "show", key, "--json")).out);
    expect(json).toMatchObject({ domain: "shop.example.com", site_key: key });
    expect((await run("site", "show", json.site_key_hash)).code).toBe(0);
    expect((await run("site", "delete", key)).code).toBe(2);
    expect((await run("site", "delete", key, "--yes")).out).toBe("Deleted shop.example.com.\n");
    expect((await run("site", "list")).out).toMatch(/No sites yet/);
  });

  test("find a site by its hash, even one that begins with a dash", async () => {
    const { run } = await running();
    let key = "sk_dashed-0";
    for (let n = 1; !(await siteKeyHash(key)).startsWith("-"); n++) key = `sk_dashed-${n}000`;
    const hash = await siteKeyHash(key);
    await run("site", "create", "old.example.com", "--name", "Old", "--site-key", key);
    for (const args of [[hash], [hash, "--json"], ["--", hash]]) {
      expect((await run("site", "show", ...args)).out).toContain("old.example.com");
    }
    await run("site", "create", "new.example.com", "--name", "New");
    const token = ["token", "create", "--name", "x", "--role", "owner", "--site"];
    expect((await run(...token, "new.example.com", hash)).code).toBe(0);
    expect((await run("product", "remove", hash, hash)).err).not.toContain("looks like an option");
    const ended = await run("site", "delete", hash, "--yes");
    expect(ended.err).toContain(`gatehouse audit tail ${hash}\n`);
    expect((await run("audit", "tail", hash)).out).toMatch(/site\.changed +deleted/);
  });

  test("import an older key, and say what is wrong with a bad one", async () => {
    const { run } = await running();
    const args = ["site", "create", "old.example.com", "--name", "Old", "--site-key"];
    expect((await run(...args, "sk_legacy-shop_01")).out).toContain("sk_legacy-shop_01");
    const bad = await run(...args, "nonsense", "--again");
    expect([bad.code, bad.err]).toEqual([
      1,
      expect.stringMatching(
        /^site_key: must be sk_ and 8 to 120 letters, digits, - or _\.\nSee http:\/\/\S+\/docs\/errors\/invalid-request\.md\n$/,
      ),
    ]);
  });

  test("keep showing the proof that must stay published, and refuse an empty change", async () => {
    const { run } = await running();
    const made = await run("site", "create", "shop.example.com", "--name", "Shop");
    const key = /site_key {7}(us_\S+)/.exec(made.out)?.[1] as string;
    expect(made.err).toBe("");
    const none = await run("site", "change", key);
    expect([none.code, none.err]).toEqual([
      2,
      "There is nothing to change.\nUse --domain, --name, --description, --audit-public or --ucp-version.\n",
    ]);
    const args = ["site", "create", "Shop.example.com", "--name", "Shop again"];
    const slip = await run(...args);
    expect(slip).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(
        /^There is already a site for shop\.example\.com: us_.*\n.*--again/,
      ),
    });
    const again = await run(...args, "--again");
    expect(again.err).toMatch(/^Note: there are 2 sites for shop\.example\.com/);
  });

  test("say what to do if a site is unknown or ambiguous", async () => {
    const { run } = await running();
    expect((await run("site", "show", "shop.example.com")).err).toMatch(
      /There is no site for .*\n`gatehouse site list`/,
    );
    for (const name of ["A", "B"]) {
      await run("site", "create", "shop.example.com", "--name", name, "--again");
    }
    expect((await run("site", "show", "shop.example.com")).err).toMatch(
      /There are 2 sites .*\nChoose one by its key: us_/,
    );
  });
});

describe("key and token commands:", () => {
  test("they list keys, refuse an early rotation, and rotate with --force", async () => {
    const { run } = await running();
    expect((await run("key", "list")).out).toMatch(
      /PURPOSE {2}STATE .*\ncard {5}current {2}service-card-/,
    );
    const hasty = await run("key", "rotate", "card");
    expect([hasty.code, hasty.out]).toEqual([1, ""]);
    expect(hasty.err).toMatch(
      /announced too recently, so verifiers may not know it yet\.\nTry again in \d+ s\. If the current key is lost, use --force\.\n$/,
    );
    expect((await run("key", "rotate", "card", "--force")).out).toMatch(
      /^service-card-\S+ is the signing key from now on\./,
    );
    const { items } = JSON.parse((await run("key", "list", "--json")).out);
    expect(items.filter((key: { purpose: string }) => key.purpose === "card").length).toBe(3);
  });

  test("they create a token that works, list it and revoke it", async () => {
    const { run, env } = await running();
    const made = await run("token", "create", "--name", "CI", "--role", "operator");
    expect(made.out).toMatch(/^gha_[A-Za-z0-9_-]{43}\n$/);
    const withIt = { ...env, GATEHOUSE_ADMIN_TOKEN: made.out.trim() };
    expect((await command(["site", "list"], withIt)).code).toBe(0);
    const listed = await run("token", "list");
    const id = /adm_\S+/.exec(listed.out)?.[0] as string;
    expect(listed.out).toMatch(/CI {4}operator {2}all +operator +never +live/);
    expect((await run("token", "revoke", id)).out).toBe(`Revoked ${id}.\n`);
    const after = await command(["site", "list"], withIt);
    expect([after.code, after.err]).toEqual([
      1,
      expect.stringMatching(/does not accept the token in GATEHOUSE_ADMIN_TOKEN\.\nSet /),
    ]);
  });

  test("an owner creates and lists tokens of their own site, named by its domain", async () => {
    const { run, env } = await running();
    await run("site", "create", "shop.example.com", "--name", "Shop");
    const create = ["token", "create", "--name", "Ann", "--site", "shop.example.com", "--role"];
    const owner = (await run(...create, "owner")).out.trim();
    const asOwner = { ...env, GATEHOUSE_ADMIN_TOKEN: owner };
    const made = await command([...create, "reviewer"], asOwner);
    expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^gha_/)]);
    const listed = await command(["token", "list", "--site", "shop.example.com"], asOwner);
    expect(listed.out).toMatch(/owner[\s\S]*reviewer/);
    expect((await command(["token", "list"], asOwner)).err).toMatch(
      /need a token with the role operator/,
    );
  });

  test("a stolen key is replaced and no longer listed", async () => {
    const { run } = await running();
    const before = (await run("key", "list")).out;
    const done = await run("key", "rotate", "card", "--stolen");
    expect(done.out).toMatch(/is no longer listed/);
    const after = (await run("key", "list")).out;
    for (const [kid] of before.matchAll(/service-card-\S+/g)) expect(after).not.toContain(kid);
  });

  test("the operator accepts the current time after the clock was ahead, with a reason, and only then", async () => {
    const { run, server } = await running();
    const early = await run("clock", "accept", "--reason", "it was ahead");
    expect([early.code, early.out]).toEqual([1, ""]);
    expect(early.err).toMatch(
      /^The clock does not show an earlier time than before, so there is nothing to accept\./,
    );
    const { db, clock } = server.context;
    await recordHeartbeat(db, clock.now() + 3_600_000);
    expect((await run("clock", "accept")).code).toBe(2);
    const accepted = await run("clock", "accept", "--reason", "it was ahead");
    expect([accepted.code, accepted.out]).toEqual([
      0,
      expect.stringMatching(
        /^The current time is .*Z\. The later time .*Z is now ignored\.\n.*again\.\n$/,
      ),
    ]);
  });

  test("a token for one site sees only that site", async () => {
    const { run, env } = await running();
    const sites = [];
    for (const domain of ["a.example.com", "b.example.com"]) {
      sites.push(JSON.parse((await run("site", "create", domain, "--name", "x", "--json")).out));
    }
    const args = [
      "token",
      "create",
      "--name",
      "Ann",
      "--role",
      "owner",
      "--site",
      sites[0].site_key,
    ];
    const { token } = JSON.parse((await run(...args, "--json")).out);
    const list = await command(["site", "list", "--json"], {
      ...env,
      GATEHOUSE_ADMIN_TOKEN: token,
    });
    expect(JSON.parse(list.out).items.map((site: { domain: string }) => site.domain)).toEqual([
      "a.example.com",
    ]);
  });
});

describe("maintenance commands:", () => {
  test("they back up a running installation and restore it elsewhere, and doctor finds nothing", async () => {
    const { run, env } = await running();
    await run("site", "create", "shop.example.com", "--name", "Shop");
    const file = join(temporaryFolder(), "backup.ndjson.gz");
    const made = await run("backup", "--out", file);
    expect([made.code, existsSync(file)]).toEqual([0, true]);
    const twice = await run("backup", "--out", file);
    expect([twice.code, twice.err]).toEqual([
      1,
      expect.stringContaining("already exists. Choose another"),
    ]);
    expect(made.out).toMatch(/^SHA-256: [0-9a-f]{64}\n.*contains the secrets key/m);
    const elsewhere = await freshEnvironment("sqlite");
    const key = join(env.GATEHOUSE_DATA_DIR as string, "secrets.key");
    const restoring = ["restore", file, "--secrets-key-file", key];
    const restored = await command(restoring, elsewhere);
    expect(restored.out).toMatch(/^Restored \d+ rows/);
    expect(restored.out).not.toContain("Suspended");
    const checked = await command(["doctor"], elsewhere);
    expect(checked.code).toBe(0);
    expect(checked.out).not.toMatch(/^[✗!]/m);
    expect(checked.out).toMatch(/^✓ sites: 1, of which 0 verified$/m);
    const server = await startServer(elsewhere);
    const here = { ...elsewhere, GATEHOUSE_BASE_URL: server.url };
    expect((await command(["site", "list"], here)).out).toContain("shop.example.com");
  });

  test("doctor exits 1 when a check fails, and prints JSON for programs", async () => {
    const env = await freshEnvironment("sqlite");
    const { code, out, err } = await command(["doctor", "--json"], env);
    expect([code, err]).toEqual([1, expect.stringMatching(/^1 of 6 checks failed\.\nFix /)]);
    expect(JSON.parse(out).findings.at(-1)).toMatchObject({ part: "database", verdict: "failure" });
  });
});

describe("the command line", () => {
  test("says in its help which options are required", async () => {
    const { out } = await command(["agent", "register", "--help"], {});
    expect(out).toMatch(/--key <file> +file with the agent's key \(required\)/);
    expect(out.match(/\(required\)/g)).toHaveLength(2);
  });

  test.each([
    ["an unknown command", ["frobnicate"], 2, /^Unknown command .*\n`gatehouse --help` lists/],
    [
      "a missing argument",
      ["site", "show"],
      2,
      /^Missing required argument .*\n`gatehouse site show --help`/,
    ],
    [
      "an unknown option",
      ["site", "list", "--jsn"],
      2,
      /^Unknown option .*\nDid you mean --json\?\n`gatehouse /,
    ],
    [
      "a role that does not exist",
      ["token", "create", "--name", "x", "--role", "root"],
      2,
      /^--role: root is not valid\.\nUse one of: operator, owner, /,
    ],
    [
      "a method that does not exist",
      ["site", "verify", "x", "--method", "magic"],
      2,
      /Use one of: dns, file, meta, operator\./,
    ],
    [
      "a purpose that does not exist",
      ["key", "rotate", "all"],
      2,
      /^<purpose>: all is not valid\.\nUse one of: card, audit\./,
    ],
    [
      "a hash that looks like an option",
      ["site", "show", "--json", `-${"B".repeat(42)}`],
      2,
      /^-B+ looks like an option .*\nWrite it before the options\.\n/,
    ],
    ["a misspelled command", ["site", "lst"], 2, /\nDid you mean list\?\n/],
    [
      "a status that does not exist",
      ["order", "list", "x", "--status", "gone"],
      2,
      /Use one of: open, partly_shipped, shipped, cancelled, refunded, partly_refunded\./,
    ],
    [
      "a step of delivery that does not exist",
      ["order", "ship", "x", "ord_1", "--type", "lost"],
      2,
      /Use one of: processing, shipped, in_transit, /,
    ],
    [
      "a channel that does not exist",
      ["skill", "move", "x", "y", "--to", "top"],
      2,
      /Use its position/,
    ],
    [
      "a backup that does not exist",
      ["restore", "no-such.file"],
      1,
      /does not exist\. Check the path/,
    ],
    ["a broken setting", ["site", "list"], 3, /GATEHOUSE_PORT must be/, { GATEHOUSE_PORT: "x" }],
  ] as const)(
    "exits with the right code for %s",
    async (_name, args, code, message, env?: Record<string, string>) => {
      const finished = await command(args, env ?? {});
      expect(finished.code).toBe(code);
      expect(finished.err).toMatch(message);
    },
  );

  test("exits 4 if no service answers, and 1 without a token", async () => {
    const stopped = await running();
    await stopped.server.stop();
    const { env } = stopped;
    const { code, err } = await command(["site", "list"], env);
    expect(code).toBe(4);
    expect(err).toMatch(
      /Gatehouse cannot be reached at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)\.\nStart it with `gatehouse serve`/,
    );
    const { GATEHOUSE_ADMIN_TOKEN: _, ...without } = env as Record<string, string>;
    expect((await command(["site", "list"], without)).err).toMatch(/There is no operator token in/);
  });

  test("says what is probably wrong if the other end does not speak HTTPS or is not trusted", async () => {
    const { server, env } = await running();
    const https = { ...env, GATEHOUSE_BASE_URL: server.url.replace("http:", "https:") };
    const { code, err } = await command(["site", "list"], https);
    expect(code).toBe(4);
    expect(err).toMatch(/The server there uses plain HTTP\. Set GATEHOUSE_MODE=development/);
  });

  test("finds the operator's own token in the data folder", async () => {
    const { GATEHOUSE_ADMIN_TOKEN: _, ...env } = await freshEnvironment("sqlite");
    const server = await startServer(env);
    const here = { ...env, GATEHOUSE_BASE_URL: server.url };
    expect((await command(["site", "list"], here)).code).toBe(0);
    expect(readFileSync(join(env.GATEHOUSE_DATA_DIR as string, "admin-token"), "utf8")).toMatch(
      /^gha_/,
    );
  });

  test("prints its version and help", async () => {
    expect((await gatehouse(["--version"], {})).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const bare = await gatehouse([], {});
    expect([bare.code, bare.err]).toEqual([0, ""]);
    expect(bare.out).toMatch(/^Installation:\n {2}init [\s\S]*^Commands by subject:\n {2}site /m);
    expect(bare.out).toMatch(/\n\nNew to Gatehouse\? Run gatehouse demo, then gatehouse init\n$/);
    expect((await gatehouse(["--help"], {})).out).toBe(bare.out);
  });
});
