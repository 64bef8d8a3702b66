import { NO_OFFER, verifyCard } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { LiveSites } from "../../src/domain/sites/live-sites.ts";
import { DocumentCache, REMAKE_AFTER_MS } from "../../src/http/discovery/document-cache.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  answerOf,
  createSite,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { publishedSite, SKILLS } from "./published.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

async function onOwnClock() {
  const clock = new ManualClock(NOON);
  const server = await startServer(await freshEnvironment("sqlite"), { clock });
  return { clock, server, shop: await publishedSite(server) };
}

/** Counts what the card key signs from now on. */
function countSignatures({ context }: TestServer): () => number {
  let count = 0;
  const signer = context.keys.signer.bind(context.keys);
  context.keys.signer = async (purpose) => {
    const real = await signer(purpose);
    const sign = (message: Uint8Array) => {
      count++;
      return real.sign(message);
    };
    return { ...real, sign };
  };
  return () => count;
}

/** Waits for a change that other processes hear of, asking again and again for up to 5 s. */
async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + 5000;
  while (Date.now() < deadline) if (await holds()) return true;
  return false;
}

describe("signed documents", () => {
  test("keep the same bytes for five minutes, and are then renewed", async () => {
    const { clock, shop } = await onOwnClock();
    const first = await shop.get("card");
    clock.advance(REMAKE_AFTER_MS - 1);
    const later = await shop.get("card");
    expect(later.headers.get("etag")).toBe(first.headers.get("etag"));
    clock.advance(1);
    const renewed = await shop.get("card");
    expect(renewed.headers.get("etag")).not.toBe(first.headers.get("etag"));
    expect(renewed.body.signing.issued_at).toBe(new Date(clock.now()).toISOString());
  });

  test("are valid for at least nine more minutes whenever they are fetched", async () => {
    const { clock, shop } = await onOwnClock();
    for (let minute = 0; minute < 40; minute++) {
      const { signing } = (await shop.get("card")).body;
      expect(Date.parse(signing.expires_at) - clock.now()).toBeGreaterThanOrEqual(9 * MINUTE_MS);
      clock.advance(73 * SECOND_MS);
    }
  });

  test("are made again after the clock was set back", async () => {
    const { clock, shop, server } = await onOwnClock();
    await shop.get("card");
    const back = new ManualClock(NOON - 60 * MINUTE_MS);
    Object.assign(clock, { now: () => back.now() });
    const { signing } = (await shop.get("card")).body;
    expect(Date.parse(signing.issued_at)).toBe(server.context.clock.now());
  });

  test("are signed once for many requests at the same time", async () => {
    const { server, shop } = await onOwnClock();
    const signatures = countSignatures(server);
    await shop.setSkills(SKILLS.slice(0, 1));
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.get("card")));
    expect(new Set(answers.map(({ headers }) => headers.get("etag"))).size).toBe(1);
    // A2A's signature and the envelope.
    expect(signatures()).toBe(2);
    await Promise.all(["a2a", "page", "card"].map((name) => shop.get(name as "card")));
    expect(signatures()).toBe(2);
    await Promise.all(["catalog", "ard"].map((name) => shop.get(name as "card")));
    expect(signatures()).toBe(3);
  });

  test("on the agent page are the exact bytes of the card", async () => {
    const { shop } = await onOwnClock();
    const page: string = (await shop.get("page")).body;
    const [, block = ""] = /id="agent-card">([^<]*)</.exec(page) ?? [];
    expect(JSON.parse(block)).toEqual((await shop.get("card")).body);
  });
});

describe.each(TIER_DATABASES)("a change on %s", (dialect) => {
  test("shows at once on its own node, and soon on every other node", async () => {
    const env = await freshEnvironment(dialect);
    const here = await startServer(env);
    const there = await startServer(env);
    const shop = await publishedSite(here);
    const elsewhere = async () => answerOf(await fetch(there.url + shop.paths.card));
    await elsewhere();
    for (const count of [1, 2, 0]) {
      await shop.setSkills(SKILLS.slice(0, count));
      expect((await shop.get("card")).body.skills.length).toBe(count);
      const agree = async () => (await elsewhere()).body.skills.length === count;
      expect(await eventually(agree)).toBe(true);
    }
    await here.admin("DELETE", shop.admin);
    expect((await shop.get("card")).status).toBe(404);
    expect(await eventually(async () => (await elsewhere()).status === 404)).toBe(true);
  });

  test("that happens while a document is being made leaves no old document behind", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    const shop = await publishedSite(server);
    for (let round = 0; round < 20; round++) {
      const skills = SKILLS.slice(0, 1 + (round % 2));
      const asked = Array.from({ length: 8 }, () => shop.get("card"));
      await shop.setSkills(skills);
      expect((await shop.get("card")).body.skills.length).toBe(skills.length);
      await Promise.all(asked);
      expect((await shop.get("card")).body.skills.length).toBe(skills.length);
    }
  });
});

test("without notifications from other nodes, every request reads the database", async () => {
  const { server, shop } = await onOwnClock();
  const { db } = server.context;
  await shop.get("card");
  db.changes.live = false;
  const signatures = countSignatures(server);
  const before = await shop.get("card");
  expect((await shop.get("card")).headers.get("etag")).toBe(before.headers.get("etag"));
  expect(signatures()).toBe(0);
  // As another node would, whose news do not arrive.
  await db.run("UPDATE sites SET name = 'Renamed', version = version + 1");
  expect((await shop.get("card")).body.name).toBe("Renamed");
  expect(signatures()).toBe(2);
});

describe("a document that cannot be signed", () => {
  test("answers 503, is not cached, and is available again with the key", async () => {
    const { clock, server, shop } = await onOwnClock();
    const { db, keys } = server.context;
    const kid = (await keys.signer("card")).kid;
    const row = await db.get<{ sealed: string }>(
      "SELECT sealed FROM signing_keys WHERE kid = ?",
      kid,
    );
    const setSealed = (sealed: string) =>
      db.transaction(async (tx) => {
        await tx.run("UPDATE signing_keys SET sealed = ? WHERE kid = ?", sealed, kid);
        await tx.announce("signing_keys", "card");
      });
    // A signer that was unsealed before would still work: as after a start, there is none.
    Object.assign(keys, { signers: new Map() });
    await setSealed("damaged");
    await expect(keys.check()).rejects.toThrow();
    const keySet = await fetch(`${server.url}/.well-known/jwks.json`);
    expect([keySet.status, JSON.stringify(await keySet.json())]).toEqual([
      200,
      expect.stringContaining(kid),
    ]);
    for (const name of ["card", "a2a", "catalog", "ard", "page"] as const) {
      const { status, headers, body } = await shop.get(name);
      expect([name, status, headers.get("retry-after")]).toEqual([name, 503, "5"]);
      expect([headers.get("cache-control"), body.error]).toEqual(["no-store", "unavailable"]);
    }
    await setSealed(row?.sealed ?? "");
    const { status, body } = await shop.get("card");
    expect([status, body.signing.signing_key_id]).toEqual([200, kid]);
    expect(body.signing.issued_at).toBe(new Date(clock.now()).toISOString());
  });

  test("is tried again at the next request", async () => {
    const { server, shop } = await onOwnClock();
    const signer = server.context.keys.signer.bind(server.context.keys);
    let broken = true;
    server.context.keys.signer = async (purpose) => {
      const real = await signer(purpose);
      const sign = (message: Uint8Array) => {
        if (broken) throw new Error("the signer is out of order");
        return real.sign(message);
      };
      return { ...real, sign };
    };
    await shop.setSkills(SKILLS);
    const answers = await Promise.all([shop.get("card"), shop.get("card"), shop.get("page")]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    broken = false;
    expect((await shop.get("card")).status).toBe(200);
  });
});

describe("cached documents", () => {
  /** A cache of its own, beside the server's. */
  async function ownCache(bytesMax: number) {
    const { server, shop } = await onOwnClock();
    const { config, db } = server.context;
    const tools = { db, baseUrl: config.baseUrl, offerOf: async () => NO_OFFER };
    const liveSites = new LiveSites(tools, bytesMax);
    const cache = new DocumentCache({ ...server.context, liveSites });
    return { server, shop, liveSites, cache };
  }

  test("stay below their limit of bytes, and the most requested stay longest", async () => {
    const bytesMax = 120_000;
    const { server, liveSites, cache } = await ownCache(bytesMax);
    const weight = () => liveSites.siteBytes + liveSites.documentBytes;
    const sites = [];
    for (let i = 0; i < 30; i++) sites.push(await createSite(server, `s${i}.example.com`));
    const [favourite, second] = sites;
    await cache.find(favourite.site_key_hash, "card");
    for (const site of sites.slice(1)) {
      await cache.find(site.site_key_hash, "card");
      await cache.find(site.site_key_hash, "page");
      expect(cache.ready(favourite.site_key, "card")).toBeDefined();
      expect(weight()).toBeLessThanOrEqual(bytesMax);
    }
    expect(liveSites.documentBytes).toBeGreaterThan(bytesMax / 4);
    expect(cache.ready(second.site_key, "card")).toBeUndefined();
    server.context.db.changes.emit({ topic: "*", id: "*" });
    expect([weight(), cache.ready(favourite.site_key, "card")]).toEqual([0, undefined]);
  });

  test("are counted once when they are made again", async () => {
    const { server, shop, liveSites, cache } = await ownCache(10_000_000);
    await cache.find(shop.site.site_key_hash, "card");
    const before = liveSites.documentBytes;
    (server.context.clock as ManualClock).advance(REMAKE_AFTER_MS);
    await cache.find(shop.site.site_key_hash, "card");
    expect([before > 1024, liveSites.documentBytes]).toEqual([true, before]);
  });

  test("are served even if a single one is larger than the limit", async () => {
    const { shop, liveSites, cache } = await ownCache(0);
    const found = await cache.find(shop.site.site_key_hash, "card");
    expect(found.ok && found.value.bytes.length).toBeGreaterThan(1000);
    expect(liveSites.documentBytes).toBe(0);
  });
});

test("a path that takes the hash of a site does not take its key", async () => {
  const { server, shop } = await onOwnClock();
  const { site_key, site_key_hash } = shop.site;
  await shop.get("card");
  await shop.get("did");
  const byKey = shop.paths.did.replace(site_key_hash, site_key);
  expect(byKey).not.toBe(shop.paths.did);
  expect((await fetch(server.url + byKey)).status).toBe(404);
});

describe("a rotation of the signing key", () => {
  /** `npm run test:long` asks 10,000 times. */
  const FETCHES = Number(process.env.ROTATION_FETCHES ?? 500);
  const AT_ONCE = 25;
  const ANNOUNCED_MS = 11 * MINUTE_MS;

  test("fails no verifier that refreshes the key set for an unknown key", async () => {
    const { clock, server, shop } = await onOwnClock();
    let keys = new Map<string, { kty: "OKP"; crv: "Ed25519"; x: string }>();
    const findKey = async (kid: string) => {
      if (!keys.has(kid)) {
        const { body } = await answerOf(await fetch(`${server.url}/.well-known/jwks.json`));
        keys = new Map(body.keys.map((key: { kid: string }) => [key.kid, key]));
      }
      return keys.get(kid);
    };
    const seen = new Set<string>();
    let failed = 0;
    for (let fetched = 0; fetched < FETCHES; fetched += AT_ONCE) {
      const answers = Array.from({ length: AT_ONCE }, async () => {
        const response = await fetch(server.url + shop.paths.card);
        const bytes = new Uint8Array(await response.arrayBuffer());
        seen.add(/"signing_key_id":"([^"]+)"/.exec(new TextDecoder().decode(bytes))?.[1] ?? "");
        if (!(await verifyCard(bytes, { findKey, now: clock.now() })).ok) failed++;
      });
      // Five times the key is rotated while cards are being fetched.
      const due = fetched % (FETCHES / 5) === FETCHES / 10;
      if (due) clock.advance(ANNOUNCED_MS);
      const rotated = due && server.admin("POST", "/v1/admin/keys/rotate", { purpose: "card" });
      await Promise.all(answers);
      if (rotated) expect((await rotated).status).toBe(200);
    }
    expect([failed, seen.size]).toEqual([0, 6]);
  }, 120_000);
});
