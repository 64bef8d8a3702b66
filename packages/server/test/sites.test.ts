import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readDomain } from "../src/domain/sites/domain.ts";
import { createSite, freshEnvironment, startServer, TIER_DATABASES } from "./harness.ts";

const SITES = "/v1/admin/sites";

describe.each(TIER_DATABASES)("sites on %s:", (dialect) => {
  const start = async () => startServer(await freshEnvironment(dialect));

  test("a new site gets a key, its hash, a pending status and three ways to verify", async () => {
    const server = await start();
    const { status, body } = await server.admin("POST", SITES, {
      domain: "Shop.Example.COM.",
      name: "Fern & Petal",
      description: "Flowers",
    });
    expect(status).toBe(201);
    expect(body.site_key).toMatch(/^us_[A-Za-z0-9_-]{43}$/);
    const hash = createHash("sha256").update(body.site_key, "ascii").digest("base64url");
    expect(body.site_key_hash).toBe(hash);
    expect(body).toMatchObject({ domain: "shop.example.com", status: "pending", version: 1 });
    const { token, dns, file, meta } = body.verification;
    expect(dns).toEqual({
      name: "_gatehouse.shop.example.com",
      type: "TXT",
      value: `gatehouse-site-verification=${token}`,
    });
    expect(file).toEqual({
      url: "https://shop.example.com/.well-known/gatehouse-verification.txt",
      content: token,
    });
    expect(meta.tag).toBe(`<meta name="gatehouse-site-verification" content="${token}">`);
    expect((await server.admin("GET", `${SITES}/${hash}`)).body).toEqual(body);
  });

  test("an older key can be imported once and never again, not even after deletion", async () => {
    const server = await start();
    const site = { domain: "old.example.com", name: "Old", site_key: "sk_legacy-shop_01" };
    const first = await server.admin("POST", SITES, site);
    expect([first.status, first.body.site_key]).toEqual([201, "sk_legacy-shop_01"]);
    expect((await server.admin("POST", SITES, site)).status).toBe(409);
    await server.admin("DELETE", `${SITES}/${first.body.site_key_hash}`);
    expect((await server.admin("POST", SITES, site)).status).toBe(409);
  });

  test("two concurrent imports of one key create one site", async () => {
    const server = await start();
    const site = { domain: "old.example.com", name: "Old", site_key: "sk_legacy-shop_01" };
    const answers = await Promise.all([1, 2, 3, 4].map(() => server.admin("POST", SITES, site)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  test.each(["us_short", `us_${"A".repeat(43)}`, "pk_12345678", "sk_short", "sk_with space"])(
    "the key %j cannot be imported",
    async (site_key) => {
      const server = await start();
      const answer = await server.admin("POST", SITES, {
        domain: "a.example.com",
        name: "A",
        site_key,
      });
      expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
    },
  );

  test("a change is stored, increases the version, and leaves the rest unchanged", async () => {
    const server = await start();
    const site = await createSite(server, "shop.example.com");
    const path = `${SITES}/${site.site_key_hash}`;
    const { body } = await server.admin("PATCH", path, { name: "New name" });
    expect(body).toMatchObject({ name: "New name", status: "verified", version: site.version + 1 });
    expect((await server.admin("GET", path)).body).toEqual(body);
  });

  test("a new domain sets the site back to pending with a new token", async () => {
    const server = await start();
    const site = await createSite(server, "shop.example.com");
    const path = `${SITES}/${site.site_key_hash}`;
    const { body } = await server.admin("PATCH", path, { domain: "new.example.com" });
    expect(body).toMatchObject({ domain: "new.example.com", status: "pending" });
    expect(body.verification).toMatchObject({ method: null, verified_at: null });
    expect(body.verification.token).not.toBe(site.verification.token);
    const same = await server.admin("PATCH", path, { domain: "NEW.example.com" });
    expect(same.body.verification.token).toBe(body.verification.token);
  });

  test("a deleted site is gone from every list and address", async () => {
    const server = await start();
    const site = await createSite(server, "shop.example.com");
    const path = `${SITES}/${site.site_key_hash}`;
    expect((await server.admin("DELETE", path)).status).toBe(204);
    for (const [method, body] of [["GET"], ["DELETE"], ["PATCH", { name: "x" }]] as const) {
      expect((await server.admin(method, path, body)).status).toBe(404);
    }
    expect((await server.admin("GET", SITES)).body.items).toEqual([]);
    expect((await createSite(server, "shop.example.com")).status).toBe("verified");
  });

  test("the newest verification of a domain wins", async () => {
    const server = await start();
    const older = await createSite(server, "shop.example.com");
    const newer = await createSite(server, "shop.example.com");
    const status = async (site: { site_key_hash: string }) =>
      (await server.admin("GET", `${SITES}/${site.site_key_hash}`)).body;
    expect((await status(newer)).status).toBe("verified");
    const lost = await status(older);
    expect(lost.status).toBe("pending");
    expect(lost.verification.problem).toMatch(/Another site of this installation/);
  });

  test("concurrent verifications of one domain leave exactly one verified site", async () => {
    const server = await start();
    const sites = [];
    for (let i = 0; i < 5; i++) sites.push(await createSite(server, "shop.example.com", false));
    const word = { method: "operator", reason: "race" };
    await Promise.all(
      sites.map((site) => server.admin("POST", `${SITES}/${site.site_key_hash}/verify`, word)),
    );
    const { items } = (await server.admin("GET", `${SITES}?domain=shop.example.com`)).body;
    const verified = items.filter((site: { status: string }) => site.status === "verified");
    expect(verified.length).toBe(1);
  });

  test("an operator's verification needs a reason, and the other methods take none", async () => {
    const server = await start();
    const site = await createSite(server, "shop.example.com", false);
    const path = `${SITES}/${site.site_key_hash}/verify`;
    expect((await server.admin("POST", path, { method: "operator" })).status).toBe(400);
    expect((await server.admin("POST", path, { method: "dns", reason: "x" })).status).toBe(400);
    const { body } = await server.admin("POST", path, {
      method: "operator",
      reason: "I know them",
    });
    expect(body.verification).toMatchObject({ method: "operator", reason: "I know them" });
  });

  test("a list has pages that neither skip nor repeat", async () => {
    const server = await start();
    for (let i = 0; i < 7; i++) await createSite(server, `s${i}.example.com`, false);
    const seen: string[] = [];
    let cursor = "";
    do {
      const query = cursor === "" ? "" : `&cursor=${cursor}`;
      const { body } = await server.admin("GET", `${SITES}?limit=3${query}`);
      seen.push(...body.items.map((site: { domain: string }) => site.domain));
      cursor = body.next_cursor ?? "";
    } while (cursor !== "");
    expect(new Set(seen).size).toBe(7);
    expect(seen.length).toBe(7);
    for (const bad of ["limit=0", "limit=201", "limit=x", "cursor=nonsense", "cursor=%21"]) {
      expect((await server.admin("GET", `${SITES}?${bad}`)).status).toBe(400);
    }
  });
});

test("a site that changed between the check of its proof and the write is not overwritten", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const site = await createSite(server, "shop.example.com", false);
  const { resolver } = server.context;
  const path = `${SITES}/${site.site_key_hash}`;
  resolver.txt = async () => {
    await server.admin("PATCH", path, { domain: "other.example.com" });
    return [`gatehouse-site-verification=${site.verification.token}`];
  };
  const answer = await server.admin("POST", `${path}/verify`, { method: "dns" });
  expect([answer.status, answer.body.error]).toEqual([409, "conflict"]);
  expect((await server.admin("GET", path)).body).toMatchObject({
    domain: "other.example.com",
    status: "pending",
  });
});

test("the agent page says how the domain was confirmed: checked, or by the operator alone", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const site = await createSite(server, "told.example.com", false);
  const path = `${SITES}/${site.site_key_hash}`;
  const page = async () => (await fetch(`${server.url}/v1/agent/${site.site_key_hash}`)).text();
  await server.admin("POST", `${path}/verify`, { method: "operator", reason: "a trial" });
  expect(await page()).toContain("confirmed the domain without a check");
  expect(await page()).not.toMatch(/domain verified|has verified/);
  server.context.resolver.txt = async () => [
    `gatehouse-site-verification=${site.verification.token}`,
  ];
  await server.admin("POST", `${path}/verify`, { method: "dns" });
  expect(await page()).toContain("domain verified");
  expect(await page()).not.toContain("without a check");
});

describe("the domain of a site:", () => {
  test.each([
    ["shop.example.com", "shop.example.com"],
    ["SHOP.Example.com.", "shop.example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["例え.jp", "xn--r8jz45g.jp"],
    ["a-b.example.co.uk", "a-b.example.co.uk"],
  ])("%s is stored as %s", (text, domain) => {
    expect(readDomain(text, { development: false })).toEqual({ ok: true, value: domain });
  });

  test.each([
    "",
    " ",
    "localhost",
    "shop.localhost",
    "example",
    "example.com:8080",
    "https://example.com",
    "example.com/",
    "user@example.com",
    "127.0.0.1",
    "[::1]",
    "0x7f.1",
    "2130706433",
    "-a.example.com",
    "a-.example.com",
    "a..example.com",
    ".example.com",
    "a_b.example.com",
    "exa mple.com",
    "example.com#x",
    "example.com?x",
    `${"a".repeat(64)}.com`,
    "\u0000.com",
    `${"a.".repeat(130)}com`,
    "exam\u00adple.com\n",
    "*.example.com",
    "xn--a.example.com",
  ])("%j is not a domain", (text) => {
    expect(readDomain(text, { development: false }).ok).toBe(false);
  });

  test("ports and localhost names are allowed in development only", () => {
    const development = { development: true };
    expect(readDomain("shop.localhost", development)).toEqual({
      ok: true,
      value: "shop.localhost",
    });
    expect(readDomain("shop.localhost:3000", development)).toEqual({
      ok: true,
      value: "shop.localhost:3000",
    });
  });
});
