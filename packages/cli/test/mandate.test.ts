import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { discover, escalationStatus, openAgentKey, withdraw } from "@gatehouse/agent";
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
let card = "";
let key = "";
let agentId = "";
const run = (...args: string[]) => command(args, env);

const rule = (id: string, effect: string, skill: string) => ({
  id,
  effect,
  when: { skill: { eq: skill } },
});
const POLICY = {
  policy: "rules/1",
  timezone: "Europe/Berlin",
  default: "deny",
  rules: [
    rule("prices", "allow", "get_pricing"),
    rule("help", "allow", "contact_support"),
    rule("ask-me", "escalate", "contact_support"),
  ],
};

beforeAll(async () => {
  const base = await freshEnvironment("sqlite");
  const server = await startServer(base);
  env = { ...base, GATEHOUSE_BASE_URL: server.url };
  folder = temporaryFolder();
  const made = JSON.parse((await run("site", "create", SHOP, "--name", "Shop", "--json")).out);
  await run("site", "verify", SHOP, "--method", "operator", "--reason", "a test");
  for (const skill of ["get_pricing", "contact_support", "sign_up"]) {
    await run("skill", "set", SHOP, skill, "--url", `https://shop.example.com/${skill}`);
  }
  card = `${server.url}/v1/agent-card/${made.site_key}.json`;
  key = join(folder, "key.json");
  await run("agent", "keygen", "--out", key);
  const added = await run("agent", "add", SHOP, "--key", key, "--name", "Ours");
  [agentId = ""] = added.out.split("  ");
  return cleanUp;
});

const asking = (verb: string, skill: string, ...more: string[]) =>
  run("mandate", verb, card, "--key", key, "--agent", agentId, "--skill", skill, ...more);

test("a policy is checked, published and shown", async () => {
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify(POLICY));
  expect((await run("policy", "check", file)).out).toBe(
    "warning (shadowed): The rule “help” never has an effect, because “ask-me” asks for a review of everything that it matches. Change or remove one of them.\nThe policy can be published: 3 rules.\n",
  );
  const early = await asking("send", "get_pricing");
  expect([early.code, JSON.parse(early.out).reason]).toEqual([1, "mandates_disabled"]);
  const published = await run("policy", "publish", SHOP, file);
  expect(published.out).toBe("Version 1 is now in force for shop.example.com.\n");
  expect(JSON.parse((await run("policy", "show", SHOP)).out).rules).toHaveLength(3);
  writeFileSync(file, JSON.stringify({ ...POLICY, default: "allow" }));
  const wrong = await run("policy", "check", file);
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("default")]);
});

test("an agent sends a mandate that is approved, rejected, or waits for a person", async () => {
  const approved = await asking("send", "get_pricing");
  expect([approved.code, JSON.parse(approved.out).outcome]).toEqual([0, "approved"]);
  const refused = await asking("send", "sign_up");
  expect([refused.code, JSON.parse(refused.out).reason]).toEqual([1, "policy_denied"]);
  // Its signature was fine: there are no bytes to compare.
  const page = `${env.GATEHOUSE_BASE_URL}/docs/errors/policy-denied.md`;
  expect(refused.err).toBe(`The mandate was not approved (403).\nSee ${page}\n`);
  const waiting = await asking("send", "contact_support");
  const { outcome, escalation_id, status_url } = JSON.parse(waiting.out);
  expect([waiting.code, outcome]).toEqual([0, "escalated"]);
  expect((await run("review", "list", SHOP)).out).toMatch(/^esc_\S+ +pending +contact_support/m);
  expect((await run("review", "list", SHOP)).out).toMatch(/^REVIEW_ID +STATUS/);
  expect((await run("review", "show", SHOP, escalation_id)).out).toMatch(/^rule +ask-me$/m);
  expect(await run("review", "approve", SHOP, escalation_id)).toEqual({
    code: 0,
    out: "approved\n",
    err: "",
  });
  const shown = await run("review", "show", SHOP, escalation_id);
  const [, decider = ""] = /^decided_by +(\S+)$/m.exec(shown.out) ?? [];
  const tail = await run("audit", "tail", SHOP, "--type", "review.decision");
  expect([decider, tail.out]).toEqual([
    expect.stringMatching(/./),
    expect.stringMatching(new RegExp(`approved contact_support .* by ${decider}$`, "m")),
  ]);
  const decided = await run("mandate", "show", SHOP, JSON.parse(waiting.out).mandate_id);
  expect(decided.out).toMatch(
    new RegExp(`^review +${escalation_id}\\n +approved by ${decider} at \\d{4}-`, "m"),
  );
  expect(decided.out).toMatch(/^record +\S+ \(decision of the rules\)\n +\S+ \(answer to/m);
  for (const [verb, ...flags] of [["show"], ["approve"], ["deny", "--reason", "other"]] as const) {
    const none = await run("review", verb, SHOP, "esc_none", ...flags);
    expect([none.code, none.err]).toEqual([
      1,
      expect.stringMatching(/^There is no such review\.\n`gatehouse review list /),
    ]);
  }
  expect((await escalationStatus(status_url, 5)).status).toBe("approved");
  expect((await run("review", "list", SHOP)).out).toBe(
    "Nothing needs review. List decided requests: gatehouse review list shop.example.com --all\n",
  );
  const reasonless = await run("review", "deny", SHOP, escalation_id);
  expect([reasonless.code, reasonless.err]).toEqual([2, expect.stringContaining("--reason")]);
  const again = await run("review", "deny", SHOP, escalation_id, "--reason", "other");
  expect(again.code).toBe(1);
  const listed = await run("mandate", "list", SHOP);
  expect(listed.out).toMatch(/rejected +sign_up +\(default\) +policy_denied/);
  expect(listed.out).toMatch(/approved +contact_support +ask-me/);
  expect(listed.err).toContain(`gatehouse mandate show ${SHOP} <mandate_id>`);
  const why = await run("mandate", "show", SHOP, JSON.parse(approved.out).mandate_id);
  expect(why.out).toMatch(
    /^outcome +approved\ndecided by +rule prices, version 1\nrules +prices: /,
  );
  // Further lines stand under the first.
  expect(why.out).toMatch(/\n {12}help: \S+\n {12}ask-me: /);
  const unknown = await run("mandate", "show", SHOP, "nobody-ever-sent-this");
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("no decision about")]);
  expect((await run("mandate", "list", SHOP, "--outcome", "paying")).out).toMatch(
    /^No decisions match\. List all: gatehouse mandate list /,
  );
});

test("an agent keeps proof of an answer, and a changed answer is detected", async () => {
  const receipt = join(folder, "receipt.json");
  await asking("send", "get_pricing", "--receipt", receipt);
  const keys = env.GATEHOUSE_BASE_URL as string;
  const body = join(folder, "receipt.body.json");
  const compared = await run("verify", receipt, "--keys", keys, "--body", body);
  expect([compared.code, compared.out]).toEqual([
    0,
    expect.stringContaining("is what the agent sent\n"),
  ]);
  expect(compared.out).not.toContain("not compared");
  expect(statSync(body).mode & 0o777).toBe(0o600);
  const other = join(folder, "other.json");
  writeFileSync(other, `${readFileSync(body, "utf8")}\n`);
  const differs = await run("verify", receipt, "--keys", keys, "--body", other);
  expect([differs.code, differs.err]).toEqual([
    1,
    expect.stringMatching(/^Not verified: body\.\nDo not rely/),
  ]);
  const held = await run("verify", receipt, "--keys", keys);
  expect([held.code, held.out]).toEqual([
    0,
    expect.stringMatching(/the answer was 200 approved, at /),
  ]);
  expect(held.out).toContain("The sent request was not compared. Use --body <file> to compare it.");
  const text = readFileSync(receipt, "utf8");
  writeFileSync(receipt, text.replace('"approved"', '"escalated"'));
  const changed = await run("verify", receipt, "--keys", keys);
  expect([changed.code, changed.err]).toEqual([1, expect.stringContaining("signature")]);
  expect((await run("verify", receipt)).err).toContain("--keys is required to verify a file.");
});

test("a saved mandate is sent again unchanged, and is the same request", async () => {
  const kept = join(folder, "kept.json");
  const first = await asking("send", "get_pricing", "--out", kept);
  const again = await run("mandate", "send", "--file", kept);
  expect(again).toEqual({ code: 0, out: first.out, err: "" });
  expect((await run("mandate", "send", card, "--file", kept)).out).toBe(first.out);
  const more = await run("mandate", "send", "--file", kept, "--skill", "sign_up");
  expect([more.code, more.err]).toEqual([2, expect.stringContaining("sends a mandate unchanged")]);
  const bare = await run("mandate", "send", card);
  expect([bare.code, bare.err]).toEqual([2, expect.stringContaining("--key, --agent and --skill")]);
  expect((await run("mandate", "send")).err).toContain("address, or use --file");
  const overKey = await asking("send", "get_pricing", "--out", key);
  expect([overKey.code, overKey.err]).toEqual([2, expect.stringContaining("for two options")]);
  const link = join(folder, "link.json");
  symlinkSync(key, link);
  const followed = await asking("send", "get_pricing", "--out", link);
  expect([followed.code, followed.err]).toEqual([1, expect.stringContaining("not a regular file")]);
  expect(JSON.parse(readFileSync(key, "utf8")).kty).toBe("OKP");
  chmodSync(kept, 0o644);
  await asking("send", "get_pricing", "--out", kept);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  const elsewhere = join(folder, "elsewhere.json");
  const text = readFileSync(kept, "utf8");
  writeFileSync(elsewhere, text.replace("/mandate", "/mandates"));
  const stray = await run("mandate", "send", card, "--file", elsewhere);
  expect([stray.code, stray.err]).toEqual([1, expect.stringContaining("for a different address")]);
  // Whoever is on the way would have what it is paid with.
  writeFileSync(elsewhere, text.replace(/http:[^"]*\/v1/, "http://192.0.2.1/v1"));
  const open = await run("mandate", "send", "--file", elsewhere);
  expect([open.code, open.err]).toEqual([
    1,
    expect.stringMatching(/is plain http, .*; use https\.\nPlain HTTP works only on this machine/),
  ]);
  writeFileSync(elsewhere, text.replace("get_pricing", "sign_up"));
  const forged = await run("mandate", "send", "--file", elsewhere);
  expect(forged.err).toMatch(
    /^signed bytes {2}service-mandate-v1\\0\{.*\nsha-256 {7}[0-9a-f]{64}\nThe mandate was not approved \(401\)\.\nSee http:\S+\/docs\/errors\/signature-invalid\.md\n$/,
  );
  for (const args of [["explain"], ["send", "--file"]]) {
    const missing = await run("mandate", ...args, join(folder, "none.json"));
    expect([missing.code, missing.err]).toEqual([1, expect.stringMatching(/none\.json cannot be/)]);
  }
});

test("a signed document that is not a mandate is neither explained nor sent as one", async () => {
  const receipt = join(folder, "a-receipt.json");
  await asking("send", "get_pricing", "--receipt", receipt);
  const withdrawal = join(folder, "withdrawal.json");
  writeFileSync(withdrawal, JSON.stringify({ signed: { v: 1, type: "withdrawal" } }));
  const nothing = join(folder, "nothing.json");
  writeFileSync(nothing, JSON.stringify({ signed: {} }));
  for (const args of [["explain"], ["send", "--file"]]) {
    expect(await run("mandate", ...args, receipt)).toEqual({
      code: 1,
      out: "",
      err: `${receipt} is a receipt, not a mandate.\nCheck what it proves: gatehouse verify ${receipt} --keys <service>\n`,
    });
    for (const file of [withdrawal, nothing]) {
      const told = await run("mandate", ...args, file);
      expect([told.code, told.err]).toEqual([1, expect.stringContaining("is not a mandate.\nUse")]);
    }
  }
});

test("an owner sets whether mandates are accepted, for how long, and who is admitted", async () => {
  const shown = await run("site", "mandates", SHOP);
  expect(shown.out).toBe("mandates  on\nlifetime  15m\nadmit     none\n");
  const args = ["--off", "--lifetime", "330s", "--admit", "https://agent.example"];
  const changed = await run("site", "mandates", SHOP, ...args);
  expect(changed.out).toBe("mandates  off\nlifetime  330s\nadmit     https://agent.example\n");
  const off = await asking("send", "get_pricing");
  expect(JSON.parse(off.out).reason).toBe("mandates_disabled");
  const back = ["--on", "--lifetime", "1h", "--admit", "none", "--json"];
  expect(JSON.parse((await run("site", "mandates", SHOP, ...back)).out)).toEqual({
    enabled: true,
    lifetime_seconds: 3600,
    auto_admit: [],
  });
  expect((await run("site", "mandates", SHOP, "--lifetime", "soon")).code).toBe(2);
  expect((await run("site", "mandates", SHOP, "--on", "--off")).code).toBe(2);
  expect((await run("site", "mandates", SHOP, "--lifetime", "1s")).code).toBe(1);
});

test("an agent withdraws a pending request, and an owner denies one", async () => {
  const site = await discover(card);
  const opened = await openAgentKey(JSON.parse(readFileSync(key, "utf8")));
  const first = JSON.parse((await asking("send", "contact_support")).out);
  const taken = await withdraw(site, opened, { agentId, escalationId: first.escalation_id });
  expect(taken.body.status).toBe("withdrawn");
  const second = JSON.parse((await asking("send", "contact_support")).out);
  const denied = await run(
    "review",
    "deny",
    SHOP,
    second.escalation_id,
    "--reason",
    "unknown_agent",
  );
  expect(denied.out).toBe("denied\n");
  expect((await escalationStatus(second.status_url)).reason_code).toBe("unknown_agent");
});

test("a mandate is signed without being sent, and explained byte by byte", async () => {
  const made = await asking("sign", "get_pricing", "--total", "12.50", "--currency", "EUR");
  const mandate = JSON.parse(made.out);
  expect(mandate.signed.protocol_context).toEqual({
    protocol: "a2a",
    cart_total: "12.50",
    cart_currency: "EUR",
  });
  const file = join(folder, "mandate.json");
  writeFileSync(file, made.out);
  const explained = await run("mandate", "explain", file);
  expect(`${explained.out}`).toBe(made.err);
  expect(explained.out).toMatch(/^sha-256 +[0-9a-f]{64}$/m);
  // What would steer a terminal, or turn the text around, is seen instead.
  const steering = "\u009b2J\u202e\u007f\u{e0001}";
  const shown = await asking("sign", "get_pricing", "--arguments", JSON.stringify({ a: steering }));
  expect(shown.err).toContain(String.raw`"a":"\u009b2J\u202e\u007f\udb40\udc01"`);
  expect(shown.err).not.toMatch(/[\p{Cc}\p{Cf}](?<!\n)/u);
  const half = await asking("sign", "get_pricing", "--total", "12.50");
  expect([half.code, half.err]).toEqual([2, expect.stringContaining("go together")]);
});
