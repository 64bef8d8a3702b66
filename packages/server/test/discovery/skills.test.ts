import { describe, expect, test } from "vitest";
import { createSite, freshEnvironment, startServer, TIER_DATABASES } from "../harness.ts";
import { publishedSite, SKILLS } from "./published.ts";

async function started() {
  const server = await startServer(await freshEnvironment("sqlite"));
  return { server, shop: await publishedSite(server) };
}

describe.each(TIER_DATABASES)("skills on %s", (dialect) => {
  test("are stored in the owner's order and replaced as a whole", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    const shop = await publishedSite(server);
    const shown = await server.admin("GET", `${shop.admin}/skills`);
    expect(shown.body).toMatchObject({ skills: SKILLS, live: ["get_pricing", "track_delivery"] });
    await shop.setSkills([{ id: "sign_up", enabled: true }, ...SKILLS.toReversed()]);
    const after = await server.admin("GET", `${shop.admin}/skills`);
    expect(after.body.skills.map(({ id }: { id: string }) => id)).toEqual([
      "sign_up",
      "track_delivery",
      "get_pricing",
    ]);
    expect(after.body.live).toEqual(["track_delivery", "get_pricing"]);
    expect(after.body.version).toBe(shown.body.version + 1);
  });

  test("survive a restart and other changes of the site", async () => {
    const env = await freshEnvironment(dialect);
    const first = await startServer(env);
    const shop = await publishedSite(first);
    await first.admin("PATCH", shop.admin, { name: "Renamed" });
    await first.stop();
    const second = await startServer(env);
    expect((await second.admin("GET", `${shop.admin}/skills`)).body.skills).toEqual(SKILLS);
  });
});

describe("a list of skills is refused", () => {
  const url = "https://shop.example.com/x";
  test.each([
    ["with an id twice", [{ id: "a" }, { id: "a" }], /^skills\.1\.id: is in the list twice/],
    ["with a bad id", [{ id: "Track order" }], /^skills\.0\.id: must begin with a letter/],
    ["with a page over plain HTTP", [{ id: "a", url: "http://a.example/" }], /https:\/\//],
    ["with a script for a page", [{ id: "a", url: "javascript:alert(1)" }], /https:\/\//],
    ["with a password", [{ id: "a", url: "https://u:p@a.example/" }], /user name or password/],
    [
      "with a name that checkout uses",
      [{ id: "complete_checkout" }],
      /turned on and off with the checkout/,
    ],
    ["with a page for place_order", [{ id: "place_order", url }], /cannot have a URL/],
    ["with an unknown field", [{ id: "a", price: 1 }], /^skills\.0\.price: is an unknown field/],
    ["that is too long", Array.from({ length: 51 }, (_, i) => ({ id: `s${i}` })), /^skills: /],
  ])("%s", async (_why, skills, message) => {
    const { server, shop } = await started();
    const list = skills.map((skill) => ({ enabled: true, ...skill }));
    const answer = await server.admin("PUT", `${shop.admin}/skills`, { skills: list });
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
    expect(answer.body.message).toMatch(message);
    expect((await server.admin("GET", `${shop.admin}/skills`)).body.skills).toEqual(SKILLS);
  });

  test("if the site has changed since it was read", async () => {
    const { server, shop } = await started();
    const { version } = (await server.admin("GET", `${shop.admin}/skills`)).body;
    const put = (body: object) => server.admin("PUT", `${shop.admin}/skills`, body);
    expect((await put({ skills: [], version })).status).toBe(200);
    const late = await put({ skills: SKILLS, version });
    expect([late.status, late.body.error]).toEqual([409, "conflict"]);
  });

  test("from a person who may only read, or may not see the site", async () => {
    const { server, shop } = await started();
    const token = async (role: string, sites: string[]) =>
      (await server.admin("POST", "/v1/admin/tokens", { name: role, role, sites })).body.token;
    const other = await createSite(server, "other.example.com");
    const reviewer = await token("reviewer", [shop.site.site_key_hash]);
    const stranger = await token("owner", [other.site_key_hash]);
    const put = (bearer: string) =>
      server.admin("PUT", `${shop.admin}/skills`, { skills: [] }, bearer);
    expect((await put(reviewer)).status).toBe(403);
    expect((await put(stranger)).status).toBe(404);
    const preview = await server.admin("POST", `${shop.admin}/preview`, {}, reviewer);
    expect(preview.status).toBe(200);
  });
});

test.each(["constructor", "valueof", "hasownproperty", "proto"])(
  "an owner's skill may have the id %s",
  async (id) => {
    const { shop } = await started();
    await shop.setSkills([{ id, enabled: true, url: "https://shop.example.com/x" }]);
    expect((await shop.get("card")).body.skills.map((skill: { id: string }) => skill.id)).toEqual([
      id,
    ]);
  },
);

test("an imported key that is the hash of another site is refused", async () => {
  const { server } = await started();
  // Found by trying: the hash of this key has the form of an older key itself.
  const site_key = "sk_victim-205028";
  const victim = await server.admin("POST", "/v1/admin/sites", {
    domain: "victim.example.com",
    name: "Victim",
    site_key,
  });
  expect(victim.body.site_key_hash).toMatch(/^sk_/);
  const again = await server.admin("POST", "/v1/admin/sites", {
    domain: "b.example.com",
    name: "B",
    site_key: victim.body.site_key_hash,
  });
  expect([again.status, again.body.error]).toEqual([409, "conflict"]);
});

test("place_order can be enabled before it can be live, and is not listed until then", async () => {
  const { server, shop } = await started();
  await shop.setSkills([{ id: "place_order", enabled: true }]);
  expect((await server.admin("GET", `${shop.admin}/skills`)).body.live).toEqual([]);
  expect((await shop.get("card")).body.skills).toEqual([]);
});

describe("the preview of a site", () => {
  test("shows every document of a pending site, and signs none", async () => {
    const { server } = await started();
    const site = await createSite(server, "pending.example.com", false);
    const path = `/v1/admin/sites/${site.site_key_hash}/preview`;
    const { status, body } = await server.admin("POST", path, {
      name: "As it will be",
      skills: SKILLS,
    });
    expect(status).toBe(200);
    expect(body.documents.map(({ name }: { name: string }) => name)).toEqual([
      "card",
      "catalog",
      "llms",
      "page",
      "page-markdown",
      "agents-md",
      "mcp-tools",
      "mcp-server-card",
      "did",
      "acp",
      "robots",
      "head",
    ]);
    const text = JSON.stringify(body);
    expect(text).toContain("As it will be");
    expect(text).not.toMatch(/domain verified|has verified/);
    expect(text).toContain("preview, not verified");
    expect(text).not.toMatch(/envelope_signature\\*":|\.\.[\w-]{86}|"signatures\\*"/);
    const shown = await server.admin("GET", `/v1/admin/sites/${site.site_key_hash}`);
    expect(shown.body).toMatchObject({ name: "pending.example.com", skills: [] });
  });

  test("names the addresses of a verified site's documents", async () => {
    const { server, shop } = await started();
    const { body } = await server.admin("POST", `${shop.admin}/preview`, {});
    for (const { name, url, content_type } of body.documents) {
      if (name === "mcp-tools") continue;
      const served = await fetch(url, { headers: { accept: content_type } });
      expect([name, served.status]).toEqual([name, 200]);
    }
  });

  test("refuses skills that could not be saved", async () => {
    const { server, shop } = await started();
    const skills = [{ id: "a", enabled: true, url: "http://a.example/" }];
    const { status, body } = await server.admin("POST", `${shop.admin}/preview`, { skills });
    expect([status, body.error]).toEqual([400, "invalid_request"]);
  });
});
