import { createHash } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { CHECKS_AT_ONCE, dnsResolver } from "@gatehouse/safe-fetch";
import { describe, expect, onTestFinished, test } from "vitest";
import { startDnsServer } from "../../safe-fetch/test/dns-server.ts";
import { recheckSites } from "../src/actions/sites/recheck-sites.ts";
import {
  insertSite,
  listSites,
  siteByHash,
  siteHealth,
  sitesToRecheck,
} from "../src/domain/sites/store.ts";
import { ManualClock } from "../src/infra/clock.ts";
import { createSite, freshEnvironment, NOON, startServer, TIER_DATABASES } from "./harness.ts";
import { plansOf } from "./query-plans.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The owner's own web server. */
async function startWebsite(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `shop.localhost:${(server.address() as AddressInfo).port}`;
}

const html = (head: string, body = "") =>
  `<!doctype html><html><head>${head}</head><body>${body}</body>`;

/** A site whose pages a test can change, and a Gatehouse that may fetch them. */
async function websiteAndGatehouse(allow?: string) {
  const pages = new Map<string, { status?: number; text: string; location?: string }>();
  const domain = await startWebsite((request, response) => {
    const page = pages.get(request.url ?? "");
    const location = page?.location === undefined ? {} : { location: page.location };
    response.writeHead(page?.status ?? (page === undefined ? 404 : 200), location);
    response.end(page?.text ?? "");
  });
  const clock = new ManualClock(NOON);
  const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_FETCH_ALLOW: allow ?? domain };
  const server = await startServer(env, { clock });
  const site = await createSite(server, domain, false);
  const path = `/v1/admin/sites/${site.site_key_hash}`;
  return {
    pages,
    server,
    clock,
    path,
    token: site.verification.token as string,
    verify: (method: string) => server.admin("POST", `${path}/verify`, { method }),
    show: async () => (await server.admin("GET", path)).body,
  };
}

test.each(["file", "meta"])(
  "a host that can be fetched without its port can be verified by %s",
  async (method) => {
    const { pages, token, verify, show } = await websiteAndGatehouse("shop.localhost");
    pages.set("/.well-known/gatehouse-verification.txt", { text: token });
    pages.set("/", { text: html((await show()).verification.meta.tag) });
    expect((await show()).verification.file.url).toMatch(/^http:\/\/shop\.localhost:\d+\//);
    expect((await verify(method)).body.status).toBe("verified");
  },
);

describe("verification by file:", () => {
  const FILE = "/.well-known/gatehouse-verification.txt";

  test("it succeeds if the file contains the token and nothing else", async () => {
    const { pages, token, verify } = await websiteAndGatehouse();
    pages.set(FILE, { text: `${token}\n` });
    const { status, body } = await verify("file");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "verified",
      verification: { method: "file", problem: null },
    });
  });

  test.each([
    ["is missing", undefined, /returned status 404 instead of 200/],
    ["holds something else", { text: "hello" }, /has different content/],
    ["holds the token among other text", { text: "x TOKEN" }, /has different content/],
    ["redirects", { status: 302, text: "", location: "/x" }, /is a redirect \(302\)/],
    ["is an error page with the token", { status: 500, text: "TOKEN" }, /status 500/],
  ])("it fails if the file %s, and says so", async (_name, page, message) => {
    const { pages, token, verify, show } = await websiteAndGatehouse();
    if (page !== undefined) pages.set(FILE, { ...page, text: page.text.replace("TOKEN", token) });
    const { status, body } = await verify("file");
    expect([status, body.error]).toEqual([422, "verification_failed"]);
    expect(body.message).toMatch(message);
    expect((await show()).status).toBe("pending");
  });

  test("the instructions name the address that is really requested", async () => {
    const { pages, token, verify, show } = await websiteAndGatehouse();
    const { verification } = await show();
    const { url } = verification.file;
    expect(url).toMatch(/^http:\/\/shop\.localhost:\d+\/\.well-known\//);
    expect(verification.dns.name).toBe("_gatehouse.shop.localhost");
    pages.set(new URL(url).pathname, { text: token });
    expect((await verify("file")).status).toBe(200);
  });

  test("an owner who publishes the file after a failed check is verified at once", async () => {
    const { pages, token, verify } = await websiteAndGatehouse();
    expect((await verify("file")).status).toBe(422);
    pages.set(FILE, { text: token });
    expect((await verify("file")).status).toBe(200);
  });
});

describe("verification by meta tag:", () => {
  const meta = (token: string) => `<meta name="gatehouse-site-verification" content="${token}">`;

  test.each([
    ["as given", (token: string) => html(`<title>Shop</title>${meta(token)}`)],
    [
      "in another order and case",
      (token: string) => html(`<META CONTENT='${token}' NAME=Gatehouse-Site-Verification />`),
    ],
    ["beside another site's", (token: string) => html(meta("other") + meta(token))],
    ["in a page without html and head tags", (token: string) => `${meta(token)}<p>Hello`],
  ])("it succeeds with the tag %s", async (_name, page) => {
    const { pages, token, verify } = await websiteAndGatehouse();
    pages.set("/", { text: page(token) });
    expect((await verify("meta")).status).toBe(200);
  });

  test.each([
    ["no tag", () => html("<title>Shop</title>"), /has no/],
    ["another token", () => html(meta("other")), /has another/],
    [
      "the tag in the body, where visitors can write",
      (token: string) => html("", `<p>${meta(token)}`),
      /has no/,
    ],
    [
      "the tag after a paragraph, which opens the body",
      (token: string) => `<title>Shop</title><p>${meta(token)}`,
      /has no/,
    ],
    [
      "the tag after text, which opens the body",
      (token: string) => `<title>Shop</title>Hi ${meta(token)}`,
      /has no/,
    ],
    ["the tag in a comment", (token: string) => html(`<!-- ${meta(token)} -->`), /has no/],
    ["the tag in a script", (token: string) => html(`<script>"${meta(token)}"</script>`), /has no/],
    ["the tag in the title", (token: string) => html(`<title>${meta(token)}</title>`), /has no/],
    ["the tag in an attribute", (token: string) => html(`<link title='${meta(token)}'>`), /has no/],
    [
      "the tag in a template",
      (token: string) => html(`<template>${meta(token)}</template>`),
      /has no/,
    ],
    [
      "a property of that name",
      (token: string) => html(`<meta property="gatehouse-site-verification" content="${token}">`),
      /has no/,
    ],
  ])("it fails with %s", async (_name, page, message) => {
    const { pages, token, verify } = await websiteAndGatehouse();
    pages.set("/", { text: page(token) });
    const { status, body } = await verify("meta");
    expect(status).toBe(422);
    expect(body.message).toMatch(message);
  });

  test("a page over 64 KB is not read", async () => {
    const { pages, token, verify } = await websiteAndGatehouse();
    pages.set("/", { text: html(meta(token)) + " ".repeat(70_000) });
    expect((await verify("meta")).body.message).toMatch(/larger than 65536 bytes/);
  });
});

describe("verification by DNS:", () => {
  async function withDns(answers: (token: string) => string[] | "nxdomain" | "servfail") {
    let token = "";
    const dns = await startDnsServer((name, type) => {
      if (name !== "_gatehouse.shop.example.com" || type !== "TXT") return "nxdomain";
      const found = answers(token);
      // Long records travel in several strings; readers must join them.
      return typeof found === "string"
        ? found
        : { txt: found.map((v) => [v.slice(0, 20), v.slice(20)]) };
    });
    onTestFinished(() => dns.close());
    const resolver = dnsResolver([dns.server]);
    const server = await startServer(await freshEnvironment("sqlite"), { resolver });
    const site = await createSite(server, "shop.example.com", false);
    token = site.verification.token;
    const path = `/v1/admin/sites/${site.site_key_hash}/verify`;
    return server.admin("POST", path, { method: "dns" });
  }

  test("it succeeds with the record among others", async () => {
    const { status, body } = await withDns((token) => [
      "v=spf1 -all",
      `gatehouse-site-verification=${token}`,
    ]);
    expect([status, body.status]).toEqual([200, "verified"]);
  });

  test.each([
    ["no record", () => "nxdomain" as const, /has no TXT record/],
    ["other records", () => ["v=spf1 -all"], /has different TXT records/],
    ["the bare token", (token: string) => [token], /has different TXT records/],
    ["name servers that fail", () => "servfail" as const, /did not answer/],
  ])("it fails with %s, and says what to publish", async (_name, answers, message) => {
    const { status, body } = await withDns(answers);
    expect([status, body.error]).toEqual([422, "verification_failed"]);
    expect(body.message).toMatch(message);
  });
});

describe.each(TIER_DATABASES)("the daily check of proofs on %s:", (dialect) => {
  async function verifiedByDns() {
    const clock = new ManualClock(NOON);
    let records: string[] = [];
    const resolver = { addresses: async () => [], txt: async () => records };
    const server = await startServer(await freshEnvironment(dialect), { clock, resolver });
    await server.context.jobs.stop();
    const site = await createSite(server, "shop.example.com", false);
    const proof = [site.verification.dns.value];
    const path = `/v1/admin/sites/${site.site_key_hash}`;
    records = proof;
    await server.admin("POST", `${path}/verify`, { method: "dns" });
    return {
      clock,
      publish: (there: boolean) => {
        records = there ? proof : [];
      },
      dayLater: async () => {
        clock.advance(DAY_MS + 1);
        await recheckSites(server.context);
        return (await server.admin("GET", path)).body;
      },
      again: async () => {
        await recheckSites(server.context);
        return (await server.admin("GET", path)).body;
      },
    };
  }

  test("three days in a row without proof set the site back to pending", async () => {
    const { publish, dayLater } = await verifiedByDns();
    publish(false);
    const days = [await dayLater(), await dayLater(), await dayLater()];
    expect(days.map(({ status }) => status)).toEqual(["verified", "verified", "pending"]);
    expect(days.map(({ verification }) => verification.failed_days)).toEqual([1, 2, 3]);
    expect(days[0].verification.problem).toMatch(/has no TXT record/);
    expect(days[2].verification.problem).toMatch(/is pending again after 3 days/);
  });

  test("a proof that returns in time resets the count", async () => {
    const { publish, dayLater } = await verifiedByDns();
    publish(false);
    await dayLater();
    await dayLater();
    publish(true);
    const found = await dayLater();
    expect(found.verification).toMatchObject({ failed_days: 0, problem: null });
    publish(false);
    expect((await dayLater()).status).toBe("verified");
  });

  test("it runs once a day, however often the job runs", async () => {
    const { publish, dayLater, again } = await verifiedByDns();
    publish(false);
    await dayLater();
    for (let i = 0; i < 5; i++) await again();
    expect((await again()).verification.failed_days).toBe(1);
  });
});

/** Sites verified by DNS at the same moment. Their names are asked for later; nobody has published a proof. */
async function manyVerified(count: number) {
  const clock = new ManualClock(NOON);
  const asked: string[] = [];
  let asking = 0;
  let mostAsking = 0;
  const txt = async (name: string) => {
    asked.push(name);
    mostAsking = Math.max(mostAsking, ++asking);
    // Answers come after all questions that are asked at the same time.
    await new Promise((next) => setImmediate(next));
    asking--;
    return [];
  };
  const resolver = { txt, addresses: async () => [] };
  const server = await startServer(await freshEnvironment("sqlite"), { clock, resolver });
  await server.context.jobs.stop();
  const { site_key_hash } = await createSite(server, "shop.example.com", false);
  const one = await siteByHash(server.context.db, site_key_hash);
  if (one === undefined) throw new Error("no site");
  const at = { method: "dns", verifiedAt: NOON, checkedAt: NOON } as const;
  await server.context.db.transaction(async (tx) => {
    for (let i = 0; i < count; i++) {
      const names = {
        siteKey: `key-${i}`,
        siteKeyHash: `hash-${i}`,
        domain: `shop-${i}.example.com`,
      };
      const token = createHash("sha256").update(String(i)).digest("base64url");
      const verification = { ...one.verification, ...at, token };
      await insertSite(tx, { ...one, ...names, status: "verified", verification });
    }
  });
  const check = async () => {
    asked.length = 0;
    await recheckSites(server.context);
    return asked.length;
  };
  return { server, clock, asked, check, mostAsking: () => mostAsking };
}

test("many sites are checked at the same time, within a limit, and each once", async () => {
  const { clock, asked, check, mostAsking } = await manyVerified(1200);
  clock.advance(DAY_MS);
  expect(await check()).toBe(1200);
  expect(new Set(asked).size).toBe(1200);
  expect(mostAsking()).toBe(CHECKS_AT_ONCE);
  expect(await check()).toBe(0);
});

test("sites that were verified together are checked at all hours, and from then on once a day", async () => {
  const { clock, check } = await manyVerified(200);
  const perHour: number[] = [];
  for (let hour = 0; hour < 48; hour++) {
    clock.advance(HOUR_MS);
    perHour.push(await check());
  }
  const [first, second] = [perHour.slice(0, 24), perHour.slice(24)];
  expect(first.reduce((sum, count) => sum + count)).toBe(200);
  expect(first.every((count) => count > 0)).toBe(true);
  expect(second).toEqual(first);
});

test("sites that are due, listed or counted are found without reading all sites", async () => {
  const { server } = await manyVerified(1);
  const { db } = server.context;
  const page = { after: null, limit: 10 };
  const plans = await plansOf(db, async () => {
    await sitesToRecheck(db, NOON, page);
    await listSites(db, { visible: null, domain: undefined }, page);
    await siteHealth(db);
  });
  expect(plans).toHaveLength(5);
  for (const plan of plans) expect(plan.join()).toMatch(/USING (?:COVERING )?INDEX sites_/);
  expect(plans.join()).not.toContain("TEMP B-TREE");
});

test("a verification by the operator is not checked again", async () => {
  const clock = new ManualClock(NOON);
  const server = await startServer(await freshEnvironment("sqlite"), { clock });
  const site = await createSite(server, "shop.example.com");
  clock.advance(10 * DAY_MS);
  await recheckSites(server.context);
  const { body } = await server.admin("GET", `/v1/admin/sites/${site.site_key_hash}`);
  expect(body.status).toBe("verified");
});
