import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { OWN_DOMAIN_PATHS, siteAddresses } from "@gatehouse/protocol";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import {
  answerOf,
  cleanUp,
  createSite,
  freshEnvironment,
  NOON,
  startServer,
  TIER_DATABASES,
} from "./harness.ts";
import { ORDER_POLICY } from "./selling/selling.ts";

type Path = keyof typeof OWN_DOMAIN_PATHS;
const PATHS = Object.keys(OWN_DOMAIN_PATHS) as Path[];
const UNSOLD = PATHS.filter((path) => path !== "/.well-known/ucp");

interface Finding {
  readonly item: string;
  readonly state: string;
  readonly found: string;
  readonly advice?: string;
}

const notFound: RequestListener = (_request, response) => response.writeHead(404).end();

describe.each(TIER_DATABASES)("the check of an installation, on %s,", (dialect) => {
  let env: Record<string, string>;
  beforeAll(async () => {
    env = await freshEnvironment(dialect);
    return cleanUp;
  });

  /** A site whose web server is as a test wants it, and a Gatehouse that may ask it. */
  async function startShop({ verified = true } = {}) {
    const shop = { listener: notFound, asked: [] as string[], atOnce: 0, atOnceMax: 0 };
    const web = createServer((request, response) => {
      shop.asked.push(request.url ?? "");
      shop.atOnceMax = Math.max(shop.atOnceMax, ++shop.atOnce);
      response.on("close", () => shop.atOnce--);
      shop.listener(request, response);
    });
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      web.closeAllConnections();
      web.close();
    });
    const domain = `shop.localhost:${(web.address() as AddressInfo).port}`;
    const clock = new ManualClock(NOON);
    const server = await startServer({ ...env, GATEHOUSE_FETCH_ALLOW: domain }, { clock });
    const site = await createSite(server, domain, verified);
    const path = `/v1/admin/sites/${site.site_key_hash}`;
    const admin = (method: string, rest: string, body?: unknown, token?: string) =>
      server.admin(method, path + rest, body, token);
    /** What is found now, after whatever was found before is not held against it. */
    async function check() {
      clock.advance(60_000);
      const { status, body } = await admin("POST", "/install-check", {});
      expect([status, body.checked_at]).toEqual([200, new Date(clock.now()).toISOString()]);
      const items = body.items as Finding[];
      const of = (wanted: string) => items.find(({ item }) => item === wanted);
      return { items, of, states: items.map(({ item, state }) => [item, state]) };
    }
    /** The site's documents as Gatehouse itself serves them. */
    async function documents(): Promise<Record<string, { text: string; type: string }>> {
      const names = { siteKey: site.site_key, siteKeyHash: site.site_key_hash };
      const addresses = siteAddresses(server.url, names);
      const served = PATHS.map(async (one) => {
        const answer = await fetch(addresses[OWN_DOMAIN_PATHS[one]]);
        const type = answer.headers.get("content-type") ?? "";
        return [one, { text: await answer.text(), type }] as const;
      });
      return Object.fromEntries(await Promise.all(served));
    }
    const stop = () => {
      web.closeAllConnections();
      return new Promise((resolve) => web.close(resolve));
    };
    return { shop, server, clock, site, domain, admin, check, documents, stop };
  }

  const serving =
    (pages: Record<string, { text: string; type: string; status?: number }>): RequestListener =>
    (request, response) => {
      const page = pages[request.url ?? ""];
      if (page === undefined) return notFound(request, response);
      response.writeHead(page.status ?? 200, { "content-type": page.type }).end(page.text);
    };

  test("names each document that the site does not serve as missing, and says what serves it", async () => {
    const { shop, check, server } = await startShop();
    const { states, of } = await check();
    expect(states).toEqual([
      ["domain", "unchecked"] as const,
      ["script", "missing"] as const,
      ...UNSOLD.map((path) => [path, "missing"]),
    ]);
    expect(of("domain")?.found).toBe("Confirmed by the operator, not checked.");
    expect(of("/llms.txt")).toEqual({
      item: "/llms.txt",
      state: "missing",
      found: "not served (status 404)",
      advice: expect.stringMatching(
        /^Serve the documents with a worker, the Node plugin or a proxy rule: http/,
      ),
    });
    const guide = /http\S+$/.exec(of("/llms.txt")?.advice ?? "")?.[0] ?? "";
    const page = new URL(guide).pathname;
    expect((await fetch(server.url + page)).status).toBe(200);
    expect(shop.asked.sort()).toEqual([...UNSOLD].sort());
    expect(shop.atOnceMax).toBeLessThanOrEqual(2);
  });

  test("finds Gatehouse's documents at once, and the profile only for a site that sells", async () => {
    const { shop, admin, check, documents } = await startShop();
    await check();
    shop.listener = serving(await documents());
    const unsold = await check();
    expect(unsold.states.slice(2)).toEqual(UNSOLD.map((path) => [path, "good"]));
    expect(unsold.of("/llms.txt")).toEqual({
      item: "/llms.txt",
      state: "good",
      found: "from Gatehouse",
    });
    await admin("PUT", "/policy", ORDER_POLICY);
    await admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
    expect((await check()).of("selling")).toEqual({
      item: "selling",
      state: "missing",
      found: "Agents cannot buy yet.",
      advice: "Add a product.",
    });
    const products = [{ id: "rose", title: "A rose", price: "10.00", currency: "EUR" }];
    await admin("PUT", "/products", { products });
    shop.listener = serving(await documents());
    const sold = await check();
    expect(sold.of("/.well-known/ucp")?.state).toBe("good");
    expect(sold.of("selling")?.found).toBe(
      "Agents can buy at checkout (UCP), but not with signed requests (mandates).",
    );
  });

  test("distinguishes another document, a redirect and a catch-all page from Gatehouse's documents", async () => {
    const { shop, site, check, documents } = await startShop();
    const own = await documents();
    const script = `<script async src="/embed.js" data-site-key="${site.site_key}"></script>`;
    const anyPage = { text: `<!doctype html>${script}`, type: "text/html; charset=utf-8" };
    shop.listener = (request, response) => {
      if (request.url === "/.well-known/ard.json") {
        return void response.writeHead(302, { location: "/elsewhere" }).end();
      }
      serving({
        ...own,
        "/llms.txt": { text: "our own words", type: "text/plain" },
        "/agents.md": anyPage,
        "/agent": anyPage,
        "/.well-known/agent-card.json": anyPage,
        "/.well-known/ai-catalog.json": { text: "x".repeat(1_048_577), type: "application/json" },
        "/.well-known/did.json": { text: '{"id":"did:web:x"}', type: "application/json" },
      })(request, response);
    };
    const { states, of } = await check();
    expect(states.slice(2)).toEqual([
      ...UNSOLD.filter((path) => path !== "/.well-known/acp.json").map((path) => [path, "wrong"]),
      ["/.well-known/acp.json", "good"],
    ]);
    for (const path of ["/llms.txt", "/agent", "/.well-known/agent-card.json"]) {
      expect(of(path)).toMatchObject({
        found: "a different document, not from Gatehouse",
        advice: expect.stringContaining("`except`"),
      });
    }
    expect(of("/.well-known/did.json")?.advice).toContain("`assertionMethod`");
    expect(of("/.well-known/ai-catalog.json")?.found).toContain("of more than 1 MB");
    expect(of("/.well-known/ard.json")?.found).toBe(
      "redirects to another address; agents may not follow redirects",
    );
  });

  test("stops at the first path if the site does not answer, and says why", async () => {
    const { shop, check, documents, stop } = await startShop();
    const own = await documents();
    shop.listener = (request, response) => {
      if (request.url !== "/.well-known/agent-card.json") return serving(own)(request, response);
      request.socket.destroy();
    };
    const half = await check();
    expect(half.states.slice(2)).toEqual([
      ["/llms.txt", "good"] as const,
      ["/agents.md", "good"] as const,
      ["/agent", "good"] as const,
      ["/.well-known/agent-card.json", "wrong"],
    ]);
    expect(shop.asked).not.toContain("/.well-known/did.json");
    await stop();
    const { items } = await check();
    expect(items.slice(2)).toEqual([
      {
        item: "/llms.txt",
        state: "wrong",
        found: "cannot be read: the connection failed (ECONNREFUSED)",
        advice: "Check that the site is up. The other paths are checked when it answers.",
      },
    ]);
  });

  test("waits for a silent site no longer than the safe client does", async () => {
    const { shop, clock, admin } = await startShop();
    let came = () => {};
    const hung = new Promise<void>((resolve) => {
      came = resolve;
    });
    // Two are under way at once.
    shop.listener = () => {
      if (shop.asked.length === 2) came();
    };
    const checking = admin("POST", "/install-check", {});
    await hung;
    clock.advance(3000);
    const { body } = await checking;
    expect(body.items.slice(2)).toEqual([
      expect.objectContaining({ item: "/llms.txt", found: expect.stringContaining("3000 ms") }),
    ]);
  });

  test("requests nothing from a domain that is not verified, and says how to verify it", async () => {
    const { shop, check } = await startShop({ verified: false });
    const { states, of } = await check();
    expect(states).toEqual([
      ["domain", "missing"],
      ["script", "missing"],
    ]);
    expect(of("domain")).toMatchObject({
      found: "not verified: agents cannot see the site yet",
      advice: expect.stringMatching(/^Publish the DNS record.*settings, under Site\.$/),
    });
    expect(shop.asked).toEqual([]);
  });

  test("says when a page last sent a beacon, and from which host if not the site's", async () => {
    const { server, site, domain, clock, check } = await startShop();
    const tell = async (url: string) => {
      const sent = await fetch(`${server.url}/v1/discovery/ingest`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          schema_version: "1",
          site_key: site.site_key,
          page_context: { url },
          observed_at: new Date(clock.now()).toISOString(),
          identification: { user_agent: "Mozilla/5.0 Firefox/140.0" },
        }),
      });
      expect(sent.status).toBe(204);
      return new Date(clock.now()).toISOString();
    };
    expect((await check()).of("script")?.advice).toContain(`data-site-key="${site.site_key}"`);
    const first = await tell("https://copy.example.com/");
    expect((await check()).of("script")).toMatchObject({
      state: "wrong",
      found: `the last visit, at ${first}, was to https://copy.example.com/, not to ${domain}`,
    });
    const second = await tell(`http://${domain}/`);
    const heard = { item: "script", state: "good", found: `last visit at ${second}` };
    expect((await check()).of("script")).toEqual(heard);
    // Anybody can tell of a page elsewhere: it says nothing against the site's own.
    await tell("https://copy.example.com/");
    expect((await check()).of("script")).toEqual(heard);
  });

  test("reports an edge that was set up: that it sends reports, or why it cannot", async () => {
    const { server, site, domain, clock, admin, check } = await startShop();
    expect((await check()).of("edge")).toBeUndefined();
    const { token, token_id } = (await admin("POST", "/edge-tokens", { name: "worker" })).body;
    expect((await check()).of("edge")).toMatchObject({
      state: "missing",
      found: "no worker or plugin has reported a visit yet",
    });
    const at = new Date(clock.now()).toISOString();
    const visit = { observed_at: at, user_agent: "curl/8", page_url: `http://${domain}/` };
    const told = await fetch(`${server.url}/v1/edge/${site.site_key_hash}/visits`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ visits: [visit] }),
    });
    expect((await answerOf(told)).status).toBe(204);
    const { of } = await check();
    expect(of("edge")).toEqual({
      item: "edge",
      state: "good",
      found: `last visit at ${at}`,
    });
    expect(of("script")?.state).toBe("missing");
    await server.admin("DELETE", `/v1/admin/tokens/${token_id}`);
    expect((await check()).of("edge")).toMatchObject({
      state: "wrong",
      found: "all edge tokens are revoked, so reports are refused",
    });
  });

  test("is no visit, and nobody else hides a visit with what it calls itself", async () => {
    const { shop, server, site, clock, admin, check } = await startShop();
    const agents: string[] = [];
    shop.listener = (request, response) => {
      agents.push(request.headers["user-agent"] ?? "");
      notFound(request, response);
    };
    const tokenOf = async (hash: string) =>
      (await server.admin("POST", `/v1/admin/sites/${hash}/edge-tokens`, { name: "worker" })).body
        .token as string;
    const report = async (userAgents: readonly string[], hash = site.site_key_hash) => {
      const bearer = await tokenOf(hash);
      const at = new Date(clock.now()).toISOString();
      const sent = await fetch(`${server.url}/v1/edge/${hash}/visits`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
        body: JSON.stringify({
          visits: userAgents.map((user_agent) => ({ observed_at: at, user_agent, page_url: null })),
        }),
      });
      expect(sent.status).toBe(204);
    };
    const visitsOf = async (hash = site.site_key_hash) =>
      (await server.admin("GET", `/v1/admin/sites/${hash}/visits`)).body.items.length as number;
    await check();
    await admin("POST", "/verify", { method: "file" });
    expect(agents).toHaveLength(UNSOLD.length + 1);
    await report(agents);
    expect(await visitsOf()).toBe(0);
    expect((await check()).of("edge")?.state).toBe("missing");
    const [agent = ""] = agents;
    const forged = [agent.slice(0, -1), `${agent} `, agent.replace(/\.\S+$/, `.${"A".repeat(22)}`)];
    await report(["Gatehouse", ...forged, agent]);
    expect(await visitsOf()).toBe(4);
    const other = await createSite(server, "other.example.com");
    await report([agent], other.site_key_hash);
    expect(await visitsOf(other.site_key_hash)).toBe(1);
    clock.advance(3_600_000);
    await report([agent]);
    expect(await visitsOf()).toBe(5);
  });

  test("can be read by everybody who can read the site, and reading sends no request to it", async () => {
    const { shop, server, site, admin, check, documents } = await startShop();
    const shown = async (role: string, hash = site.site_key_hash) => {
      const input = { role, name: "a", sites: [hash] };
      const { token } = (await server.admin("POST", "/v1/admin/tokens", input)).body;
      return admin("GET", "/install-check", undefined, token);
    };
    const known = (await shown("auditor")).body;
    expect(known.checked_at).toBeNull();
    expect(known.items.map(({ item }: Finding) => item)).toEqual(["domain", "script"]);
    expect(shop.asked).toEqual([]);
    const served = await documents();
    shop.listener = ({ url = "" }, response) => {
      const { text, type } = served[url] ?? { text: "", type: "text/plain" };
      response.writeHead(text === "" ? 404 : 200, { "content-type": type }).end(text);
    };
    const { items } = await check();
    const before = shop.asked.length;
    for (const role of ["auditor", "reviewer", "owner"]) {
      const { status, body } = await shown(role);
      expect([role, status, body.items]).toEqual([role, 200, items]);
      expect(body.checked_at).toMatch(/^2030-/);
    }
    expect(shop.asked.length).toBe(before);
    const { site_key_hash: other } = await createSite(server, "other.example.com");
    expect((await shown("owner", other)).status).toBe(404);
    // What was found on one domain says nothing about another one.
    await admin("PATCH", "", { domain: "moved.example.com" });
    const moved = await shown("auditor");
    expect(moved.body.checked_at).toBeNull();
    expect(moved.body.items).toMatchObject([{ item: "domain", state: "missing" }, {}]);
    await admin("POST", "/verify", { method: "operator", reason: "The domain is ours." });
    expect((await shown("auditor")).body).toMatchObject({
      checked_at: null,
      items: [{ item: "domain", state: "unchecked" }, { item: "script" }],
    });
    await server.admin("DELETE", `/v1/admin/sites/${site.site_key_hash}`);
    const sql = "SELECT * FROM install_checks WHERE site_key_hash = ?";
    expect(await server.context.db.all(sql, site.site_key_hash)).toEqual([]);
  });

  test("is for owners, and limited in rate", async () => {
    const { server, site, admin } = await startShop();
    const { site_key_hash: other } = await createSite(server, "other.example.com");
    const tokenOf = async (role: string, hash: string) => {
      const asked = { role, name: "a", sites: [hash] };
      return (await server.admin("POST", "/v1/admin/tokens", asked)).body.token as string;
    };
    const as = async (role: string, hash = site.site_key_hash) =>
      (await admin("POST", "/install-check", {}, await tokenOf(role, hash))).status;
    expect([await as("owner"), await as("auditor"), await as("owner", other)]).toEqual([
      200, 403, 404,
    ]);
    for (let n = 0; n < 9; n++) await admin("POST", "/install-check", {});
    const { status, body, headers } = await admin("POST", "/install-check", {});
    expect([status, body.error, headers.get("retry-after")]).toEqual([429, "rate_limited", "60"]);
    const fields = await admin("POST", "/install-check", { url: "https://example.com" });
    expect(fields.status).toBe(400);
  });
});

test("the owner of a site on this machine learns how the service can reach it", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const { site_key_hash } = await createSite(server, "shop.localhost:3000");
  const { body } = await server.admin("POST", `/v1/admin/sites/${site_key_hash}/install-check`, {});
  expect(body.items.at(-1)).toMatchObject({
    item: "/llms.txt",
    state: "wrong",
    advice: expect.stringContaining("GATEHOUSE_FETCH_ALLOW=shop.localhost:3000"),
  });
});
