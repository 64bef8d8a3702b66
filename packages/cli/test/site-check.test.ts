import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { gatehouse } from "../../edge/src/node/plugin.ts";
import { ManualClock } from "../../server/src/infra/clock.ts";
import { movedWith } from "../../server/test/audit/moved.ts";
import { freshEnvironment, startServer } from "../../server/test/harness.ts";
import { selling } from "../../server/test/selling/selling.ts";
import { command } from "./command.ts";

/** A site whose pages are as a test wants them. */
async function startShop() {
  const shop = {
    listener: ((_request, response) => response.writeHead(404).end()) as RequestListener,
  };
  const server = createServer((request, response) => shop.listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return Object.assign(shop, {
    domain: `shop.localhost:${(server.address() as AddressInfo).port}`,
  });
}

/** Pages by path; everything else is not there. */
const pages =
  (texts: Record<string, string>, headers: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    const text = texts[request.url ?? ""];
    response.writeHead(text === undefined ? 404 : 200, { "content-type": "text/html", ...headers });
    response.end(text);
  };

interface Finding {
  readonly item: string;
  readonly state: string;
  readonly found: string;
  readonly advice?: string;
}

test("site check says for each item what is there and what to do", {
  timeout: 60_000,
}, async () => {
  const shop = await startShop();
  const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_FETCH_ALLOW: shop.domain };
  const { url } = await startServer(env);
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  const run = (...args: string[]) => command(args, here);
  const made = JSON.parse(
    (await run("site", "create", shop.domain, "--name", "Shop", "--json")).out,
  );
  const check = async () => {
    const { code, out } = await run("site", "check", shop.domain, "--json");
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    const state = (wanted: string) => findings.find(({ item }) => item === wanted)?.state;
    return { code, findings, state };
  };

  const down = await check();
  expect([down.code, down.state("domain"), down.state("home page")]).toEqual([1, "wrong", "wrong"]);

  expect((await run("site", "check", shop.domain)).out).toMatch(/^– script tag +not checked: /m);

  await run("site", "verify", shop.domain, "--method", "operator", "--reason", "a test");
  shop.listener = pages({ "/": "<!doctype html><title>Shop</title>" });
  const bare = await check();
  expect(bare.findings.filter(({ state }) => state === "wrong")).toEqual([]);
  expect(bare.code).toBe(0);
  expect(bare.state("/llms.txt")).toBe("missing");

  // A plugin that has just started lets the site answer first, once.
  const llms = await (await fetch(`${url}/v1/llms/${made.site_key_hash}.txt`)).text();
  let early = true;
  shop.listener = (request, response) => {
    const first = early && request.url === "/llms.txt";
    if (first) early = false;
    const texts = { "/": "<!doctype html>", ...(first ? {} : { "/llms.txt": llms }) };
    pages(texts, { "content-type": "text/plain" })(request, response);
  };
  expect([(await check()).state("/llms.txt"), early]).toEqual(["good", false]);
  expect(bare.state("script tag")).toBe("missing");
  const tag = bare.findings.find(({ item }) => item === "script tag")?.advice ?? "";
  const script = /<script.*<\/script>/.exec(tag)?.[0] ?? "";
  expect(script).toContain(made.site_key);

  const strict = { "content-security-policy": "default-src 'self'" };
  shop.listener = pages(
    {
      "/": `<!doctype html>${script}`,
      "/llms.txt": "our own words",
      "/agent": "<p>our agents</p>",
    },
    strict,
  );
  const odd = await check();
  expect(odd.code).toBe(1);
  expect(odd.state("script tag")).toBe("wrong");
  const own = odd.findings.find(({ item }) => item === "/llms.txt");
  expect([own?.state, own?.advice]).toEqual(["missing", expect.stringContaining("`except`")]);
  const nonce = script.replace("async", 'async nonce="abc"');
  const policies: [string, string, string][] = [
    [script, `default-src 'self'; connect-src ${url}`, "wrong"],
    [script, "script-src 'nonce-zzz'; connect-src *", "wrong"],
    [script, `script-src 'self' ${url}; connect-src 'self'`, "wrong"],
    [nonce, "script-src 'nonce-zzz'; connect-src *", "wrong"],
    [script, `script-src ${url} 'strict-dynamic'; connect-src ${url}`, "wrong"],
    [script, `script-src ${url}; connect-src ${url}`, "good"],
    [
      nonce,
      `default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; connect-src ${url}`,
      "good",
    ],
    [script, "img-src 'self'", "good"],
  ];
  for (const [tagged, policy, state] of policies) {
    shop.listener = pages(
      { "/": `<!doctype html>${tagged}` },
      { "content-security-policy": policy },
    );
    expect([policy, (await check()).state("script tag")]).toEqual([policy, state]);
  }
  const hostile = [`<p>${"<b i=1>".repeat(4000)}${"<p>x".repeat(4000)}`, "<br>".repeat(200_000)];
  for (const page of hostile) {
    shop.listener = pages({ "/": page });
    expect((await check()).state("script tag")).toBe("missing");
  }
  const commented = `<!doctype html><!-- ${script} --><p>`;
  shop.listener = pages({ "/": commented.replace(made.site_key, "us_other") });
  expect((await check()).state("script tag")).toBe("missing");

  const settings = await run(
    "token",
    "create",
    "--role",
    "edge",
    "--name",
    "shop",
    "--site",
    shop.domain,
  );
  const set = Object.fromEntries(
    settings.out
      .trim()
      .split("\n")
      .map((line) => line.split("=")),
  );
  expect(set.GATEHOUSE_SITE).toBe(`http://${shop.domain}`);
  const before = gatehouse({
    site: set.GATEHOUSE_SITE,
    gatehouse: set.GATEHOUSE_URL,
    siteKeyHash: set.GATEHOUSE_SITE_KEY_HASH,
    edgeToken: set.GATEHOUSE_EDGE_TOKEN,
  });
  const site = pages({ "/": `<!doctype html>${script}` });
  const asked: (string | undefined)[] = [];
  shop.listener = (request, response) => {
    asked.push(request.headers.host);
    before(request, response, () => site(request, response));
  };
  await (await fetch(`http://${shop.domain.replace("shop.localhost", "127.0.0.1")}/`)).text();
  await before.flush();
  asked.length = 0;
  const whole = await check();
  expect(whole.findings.filter(({ state }) => state === "wrong")).toEqual([]);
  expect(whole.findings.find(({ item }) => item === "domain")?.found).toBe(
    "Confirmed by the operator, not checked.",
  );
  for (const item of ["/llms.txt", "/.well-known/did.json", "edge reports"]) {
    expect([item, whole.state(item)]).toEqual([item, "good"]);
  }
  // It asks for the site by its own name, wherever that leads.
  expect(new Set(asked)).toEqual(new Set([shop.domain]));
  const text = await run("site", "check", shop.domain);
  expect(text.code).toBe(0);
  expect(text.out).toMatch(/^✓ \/\.well-known\/agent-card\.json +from Gatehouse, up to date$/m);
  expect(text.out).toMatch(/^– beacons .*no page has reported a visit yet\n +→ Open a page/m);

  // Nothing is sold yet: no profile on the domain, and each gate says what opens it.
  expect(text.out).toMatch(
    /^– selling: payments by agents +not ready: .*\n +→ Let agents pay through the payment provider\.$/m,
  );
  expect(whole.state("/.well-known/ucp")).toBeUndefined();
  await run("site", "connect", shop.domain, "--processor", "sandbox");
  const opened = await check();
  expect([
    opened.state("selling: payments by agents"),
    opened.state("selling: published rules"),
  ]).toEqual(["good", "missing"]);

  const listed = await run("token", "list", "--site", shop.domain);
  const [, id] = /^(edg_\S+) +shop +edge +1 +\S+ +never +live$/m.exec(listed.out) ?? [];
  expect((await run("token", "revoke", id ?? "")).code).toBe(0);
  const dead = (await check()).findings.find(({ item }) => item === "edge tokens");
  expect([dead?.state, dead?.found]).toEqual(["wrong", "all are revoked, so reports are refused"]);
  const again = await run("token", "list", "--site", shop.domain);
  expect(again.out).toMatch(/^edg_\S+ +shop +edge +1 +\S+ +never +revoked /m);
});

/** What `site check` finds about one thing, whether the site itself answers or not. */
async function findingAbout(item: string, site: string, env: Record<string, string>) {
  const args = ["site", "check", site, "--origin", "http://127.0.0.1:9", "--json"];
  const { out, err } = await command(args, env);
  expect(out, err).not.toBe("");
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return findings.find((finding) => finding.item === item);
}

test("site check reports that any platform can spend under a limit that the owner never set", async () => {
  const env = await freshEnvironment("sqlite");
  const server = await startServer(env);
  const shop = await selling(server).shop();
  const here = { ...env, GATEHOUSE_BASE_URL: server.url };
  const platforms = () => findingAbout("platforms", shop.site_key, here);
  expect(await platforms()).toMatchObject({
    state: "missing",
    advice: expect.stringMatching(/--spend-per-day EUR=500\.00.*--accept admitted/),
  });
  await shop.admin("PATCH", "/platform-settings", { pool: { spend_per_day: { EUR: "500.00" } } });
  expect(await platforms()).toBeUndefined();
});

test("site check reports that the payment provider has not given an outcome for ten minutes", async () => {
  const clock = new ManualClock(Date.now() - 20 * 60_000);
  const env = await freshEnvironment("sqlite");
  const server = await startServer(env, { clock });
  await server.context.jobs.stop();
  const at = selling(server);
  const shop = await at.shop();
  const here = { ...env, GATEHOUSE_BASE_URL: server.url };
  const provider = () => findingAbout("payment provider", shop.site_key, here);
  expect(await provider()).toBeUndefined();
  await at.order(shop, await at.buyer(shop), { token: "pm_sandbox_timeout" });
  expect(await provider()).toMatchObject({
    state: "wrong",
    found: expect.stringMatching(/^1 payment without a known outcome since /),
  });
});

test("site check reports that the audit log is frozen, and how to end that", async () => {
  const { env, site } = await movedWith("older");
  const server = await startServer(env);
  const here = { ...env, GATEHOUSE_BASE_URL: server.url };
  expect(await findingAbout("audit log", site, here)).toMatchObject({
    state: "wrong",
    found: expect.stringMatching(/ is frozen: it has 3 records, /),
    advice: expect.stringContaining("gatehouse audit renew shop.example.com"),
  });
});
