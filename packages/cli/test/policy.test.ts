import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  temporaryFolder,
} from "../../server/test/harness.ts";
import { command } from "./command.ts";

const SHOP = "shop.example.com";
let env: Record<string, string>;
let folder = "";
const run = (...args: string[]) => command(args, env);

const rule = (id: string, effect: string, when: object) => ({ id, effect, when });
const open = rule("open", "allow", { skill: { eq: "get_pricing" } });
const cap = rule("cap", "deny", { "cart.total": { gt: { EUR: "20.00" } } });
const never = rule("never", "deny", {
  all: [{ "agent.age_days": { lt: 7 } }, { "agent.age_days": { gt: 9 } }],
});

/** A file with these rules. */
function policyFile(...rules: object[]): string {
  const file = join(folder, "policy.json");
  const document = { policy: "rules/1", timezone: "UTC", default: "deny", rules };
  writeFileSync(file, JSON.stringify(document));
  return file;
}

beforeAll(async () => {
  const base = await freshEnvironment("sqlite");
  const server = await startServer(base);
  env = { ...base, GATEHOUSE_BASE_URL: server.url };
  folder = temporaryFolder();
  const made = JSON.parse((await run("site", "create", SHOP, "--name", "Shop", "--json")).out);
  await run("site", "verify", SHOP, "--method", "operator", "--reason", "a test");
  await run("skill", "set", SHOP, "get_pricing", "--url", "https://shop.example.com/prices");
  const key = join(folder, "key.json");
  await run("agent", "keygen", "--out", key);
  const added = await run("agent", "add", SHOP, "--key", key, "--name", "Ours");
  const [agentId = ""] = added.out.split("  ");
  await run("policy", "publish", SHOP, policyFile(open));
  const card = `${server.url}/v1/agent-card/${made.site_key}.json`;
  const asked = ["--key", key, "--agent", agentId, "--skill", "get_pricing"];
  await run("mandate", "send", card, ...asked);
  await run("mandate", "send", card, ...asked, "--total", "25.50", "--currency", "EUR");
  return cleanUp;
});

test("policy check prints warnings, and fails on errors", async () => {
  const warned = await run("policy", "check", policyFile(open, cap));
  expect([warned.code, warned.out]).toEqual([
    0,
    expect.stringMatching(
      /^warning \(without_cart\): The rule “cap” also declines .*\nThe policy can be published: 2 rules\.\n$/,
    ),
  ]);
  const slips = policyFile({ ...open, effect: "permit", when: { skil: {} } }, open, {
    ...cap,
    when: {},
  });
  const slipped = await run("policy", "check", slips);
  expect([slipped.code, slipped.err]).toEqual([
    1,
    expect.stringMatching(
      /^The rule “open”, rules\[0\]\.effect.*\nThe rule “open”, rules\[0\]\.when.*\nThe rule “cap”, rules\[2\]\.when.*\nFix .*\n$/,
    ),
  ]);
  const refused = await run("policy", "check", policyFile(open, never));
  expect(refused).toEqual({
    code: 1,
    out: expect.stringMatching(/^error \(never_matches\): The rule “never” can never match/),
    err: expect.stringMatching(/^The policy cannot be published\.\nFix the errors marked in /),
  });
  const json = await run("policy", "check", policyFile(open, cap), "--json");
  expect(JSON.parse(json.out).findings).toMatchObject([{ code: "without_cart", rule: "cap" }]);
});

test("policy check names a problem by its rule, and a JSON error by its line and column", async () => {
  const wrong = await run("policy", "check", policyFile(open, rule("cap", "deny", { skil: {} })));
  expect([wrong.code, wrong.err]).toEqual([
    1,
    expect.stringMatching(/^The rule “cap”, rules\[1\]\.when/),
  ]);
  const nameless = await run("policy", "check", policyFile(open, { effect: "deny" }));
  expect(nameless.err).toMatch(/^rules\[1\]: "id" is missing/);
  const file = join(folder, "broken.json");
  writeFileSync(file, '{\n  "policy": "rules/1",\n  "rules": [,]\n}\n');
  const broken = await run("policy", "check", file);
  expect(broken.err).toContain(`${file} is not a JSON document: syntax at line 3, column 13.\n`);
});

test("policy test shows what a draft would have decided differently, and changes nothing", async () => {
  const same = await run("policy", "test", SHOP, policyFile(open));
  expect(same.out).toBe("None of 2 decisions would change.\n");
  const { code, out, err } = await run("policy", "test", SHOP, policyFile(open, cap));
  expect([code, err]).toEqual([
    0,
    expect.stringContaining("warning (without_cart): The rule “cap”"),
  ]);
  const lines = out.split("\n");
  expect(lines[0]).toMatch(/^EVALUATED_AT +SKILL +AMOUNT +WAS +WOULD_BE +AGENT_ID$/);
  expect(lines[2]).toMatch(/get_pricing +25\.50 EUR +approved \(open\) +rejected \(cap\) +agt_/);
  expect(lines[3]).toBe(
    "2 of 2 decisions would change: approved 2 → 0, escalated 0 → 0, rejected 0 → 2.",
  );
  const one = await run("policy", "test", SHOP, policyFile(open, cap), "--last", "1", "--json");
  expect(JSON.parse(one.out)).toMatchObject({ tested: 1, same: 0 });
  expect((await run("policy", "test", SHOP, policyFile(open), "--last", "0")).code).toBe(2);
  expect(JSON.parse((await run("policy", "show", SHOP)).out).version).toBe(1);
  await run("site", "create", "empty.example.com", "--name", "Empty");
  expect((await run("policy", "test", "empty.example.com", policyFile(open))).out).toBe(
    "There are no past decisions to test the policy on.\n",
  );
});

test("policy publish prints warnings, and refuses errors", async () => {
  const warned = await run("policy", "publish", SHOP, policyFile(open, cap));
  expect(warned).toEqual({
    code: 0,
    out: "Version 2 is now in force for shop.example.com.\n",
    err: expect.stringMatching(/^warning \(without_cart\): The rule “cap”/),
  });
  const refused = await run("policy", "publish", SHOP, policyFile(open, never));
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("“never”")]);
});

test("policy preset prints a document that can be published unchanged", async () => {
  const limit = ["--limit", "50.00", "--currency", "EUR", "--timezone", "Europe/Berlin"];
  const made = await run("policy", "preset", "automatic_under", ...limit);
  const file = join(folder, "preset.json");
  writeFileSync(file, made.out);
  expect((await run("policy", "check", file)).out).toBe("The policy can be published: 5 rules.\n");
  expect(JSON.parse(made.out).timezone).toBe("Europe/Berlin");
  expect(await run("policy", "publish", SHOP, file)).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse((await run("policy", "preset", "read_only")).out).rules).toHaveLength(1);
  const bare = await run("policy", "preset", "automatic_under");
  expect([bare.code, bare.err]).toEqual([
    2,
    expect.stringMatching(/^automatic_under needs --limit and --currency\.$/m),
  ]);
  expect((await run("policy", "preset", "anything_goes")).code).toBe(2);
});

test("policy history lists every version, and policy show prints the requested one", async () => {
  const site = "history.example.com";
  await run("site", "create", site, "--name", "History");
  expect((await run("policy", "history", site)).out).toMatch(
    /^No policy yet\. Start from a preset: gatehouse policy preset/,
  );
  await run("policy", "publish", site, policyFile(open));
  await run("policy", "publish", site, policyFile(open, cap));
  const { out } = await run("policy", "history", site);
  expect(out).toMatch(
    /^VERSION +PUBLISHED_AT +DIGEST\n2 +20\S+Z +[0-9a-f]{64}\n1 +20\S+Z +[0-9a-f]{64}\n$/,
  );
  const { items } = JSON.parse((await run("policy", "history", site, "--json")).out);
  expect(items.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
  const shown = async (...args: string[]) =>
    JSON.parse((await run("policy", "show", site, ...args)).out).rules.length;
  expect([await shown(), await shown("--version", "2"), await shown("--version", "1")]).toEqual([
    2, 2, 1,
  ]);
  expect(await run("policy", "show", site, "--version", "9")).toEqual({
    code: 1,
    out: "",
    err: expect.stringMatching(/^There is no version 9\.\n`gatehouse policy history /),
  });
  expect((await run("--version")).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
