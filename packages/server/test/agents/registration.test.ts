import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deleteExpiredAgents } from "../../src/domain/agents/pending/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  answerOf,
  cleanUp,
  createSite,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { newKey, registering } from "./registering.ts";

const WEEK_MS = 7 * 86_400_000;
const MONTH_MS = 30 * 86_400_000;

/** The base point of the curve plus its point of order two. */
const MIXED_ORDER = "lZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZk";

describe.each(TIER_DATABASES)("agents that register themselves, on %s", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let agent: ReturnType<typeof registering>;
  // biome-ignore lint/suspicious/noExplicitAny: what the admin interface answers
  let site: any;
  beforeAll(async () => {
    const env = await freshEnvironment(dialect);
    const limits = { GATEHOUSE_REGISTRATIONS_PER_ADDRESS_PER_HOUR: "1000" };
    server = await startServer(
      { ...env, ...limits, GATEHOUSE_FETCH_ALLOW: "127.0.0.1" },
      { clock },
    );
    agent = registering(server);
    return cleanUp;
  });
  beforeEach(async () => {
    site = await createSite(server, "shop.example.com");
  });
  const admin = (method: string, path: string, body?: unknown) =>
    server.admin(method, `/v1/admin/sites/${site.site_key_hash}${path}`, body);

  test("answer a challenge with their key and stay pending until the owner decides", async () => {
    const key = await newKey();
    const asked = await agent.challenge(site, key.jwk);
    expect([asked.status, asked.body.kid]).toEqual([200, key.kid]);
    expect(asked.body.expires_at).toBe(new Date(clock.now() + 300_000).toISOString());
    const claims = { display_name: "Buyer\u202e\u0007 Bot", contact: "ops@example.com" };
    const { status, body, headers } = await agent.register(site, key, claims);
    expect([status, body.status, body.kid]).toEqual([202, "pending", key.kid]);
    expect(headers.get("cache-control")).toBe("no-store");
    const seen = await fetch(`${server.url}/v1/m/${site.site_key}/agents/${body.agent_id}`);
    expect(await seen.json()).toEqual({ agent_id: body.agent_id, status: "pending" });
    const { items } = (await admin("GET", "/agents?status=pending")).body;
    expect(items).toMatchObject([
      { agent_id: body.agent_id, name: "Buyer Bot", source: "self", scopes: null },
    ]);
    const approved = await admin("POST", `/agents/${body.agent_id}/approve`, {});
    expect([approved.status, approved.body.status]).toEqual([200, "active"]);
    // The same key again is the same agent.
    const again = await agent.register(site, key);
    expect([again.status, again.body.agent_id]).toEqual([201, body.agent_id]);
  });

  test("are refused with the reason, and nothing about them is stored", async () => {
    const key = await newKey();
    const other = await newKey();
    const past = new Date(clock.now() - 600_000).toISOString();
    const wrong: [string, Record<string, unknown>, number, string][] = [
      ["another version", { v: 2 }, 400, "unsupported_version"],
      ["another type", { type: "mandate" }, 400, "schema_invalid"],
      ["no name", { display_name: "\u202e" }, 400, "schema_invalid"],
      ["a long name", { display_name: "x".repeat(81) }, 400, "schema_invalid"],
      ["another address", { audience: "https://evil.example/" }, 400, "audience_mismatch"],
      ["another site", { site_key: `us_${"A".repeat(43)}` }, 400, "audience_mismatch"],
      ["a key that did not sign", { jwk: other.jwk }, 400, "schema_invalid"],
      ["a challenge of its own", { challenge: "A".repeat(72) }, 400, "schema_invalid"],
      ["a time that is over", { issued_at: past, expires_at: past }, 400, "schema_invalid"],
      ["a scope of no kind", { requested_scopes: ["admin:all"] }, 400, "schema_invalid"],
      [
        "keys over http",
        { key_source: { type: "jwks_uri", url: "http://a.example" } },
        400,
        "schema_invalid",
      ],
    ];
    for (const [name, fields, status, reason] of wrong) {
      const { body, ...answer } = await agent.register(site, key, fields as never);
      expect([name, answer.status, body.outcome, body.reason]).toEqual([
        name,
        status,
        "rejected",
        reason,
      ]);
      expect(body.docs_url).toContain(`/docs/errors/${reason.replaceAll("_", "-")}.md`);
    }
    const made = await agent.registration(site, key);
    const forged = { ...made, envelope: { ...made.envelope, signature: "A".repeat(86) } };
    const path = `/v1/m/${site.site_key}/agents`;
    expect((await agent.post(path, forged)).body.reason).toBe("signature_invalid");
    const changed = { ...made, signed: { ...made.signed, display_name: "Somebody else" } };
    expect((await agent.post(path, changed)).body.reason).toBe("signature_invalid");
    clock.advance(300_001);
    expect((await agent.post(path, made)).body.message).toMatch(/challenge .* expired/);
    expect((await admin("GET", "/agents")).body.items).toEqual([]);
  });

  test("register with a valid key, and are refused with one of small order", async () => {
    for (const x of ["A".repeat(43), `AQ${"A".repeat(41)}`]) {
      const { status, body } = await agent.challenge(site, { kty: "OKP", crv: "Ed25519", x });
      expect([status, body.reason]).toEqual([400, "schema_invalid"]);
    }
    // To find this one takes long, so it is looked for when it is about to be trusted.
    const jwk = { kty: "OKP", crv: "Ed25519", x: MIXED_ORDER } as const;
    const { kid } = (await agent.challenge(site, jwk)).body;
    const refused = await agent.register(site, { ...(await newKey()), jwk, kid });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      "jwk: the key has a small-order component.",
    ]);
    for (const jwk of [undefined, {}, "key", { kty: "RSA", n: "AQAB", e: "AQAB" }]) {
      expect((await agent.challenge(site, jwk)).status).toBe(400);
    }
  });

  test("can use a challenge only for the key and the site it was made for", async () => {
    const [one, two] = [await newKey(), await newKey()];
    const { body } = await agent.challenge(site, one.jwk);
    const { challenge } = body;
    expect((await agent.register(site, two, { challenge })).body.reason).toBe("schema_invalid");
    const elsewhere = await createSite(server, "other.example.com");
    expect((await agent.register(elsewhere, one, { challenge })).status).toBe(400);
  });

  test("cannot register again with a revoked key", async () => {
    const key = await newKey();
    const { body } = await agent.register(site, key);
    expect((await admin("POST", `/agents/${body.agent_id}/revoke`, {})).body.status).toBe(
      "revoked",
    );
    expect((await agent.register(site, key)).body.reason).toBe("identity_check_failed");
    const back = await admin("POST", `/agents/${body.agent_id}/approve`, {});
    expect([back.status, back.body.error]).toEqual([409, "conflict"]);
  });

  test("are deleted after a week without a decision, and may register again", async () => {
    const key = await newKey();
    const { body } = await agent.register(site, key);
    const [waiting] = (await admin("GET", "/agents")).body.items;
    expect(waiting.expires_at).toBe(new Date(clock.now() + WEEK_MS).toISOString());
    const forget = () =>
      server.context.db.transaction((tx) => deleteExpiredAgents(tx, clock.now() + WEEK_MS - 1));
    await forget();
    expect((await admin("GET", "/agents")).body.items).toHaveLength(1);
    clock.advance(1);
    await forget();
    expect((await admin("GET", "/agents")).body.items).toEqual([]);
    const again = await agent.register(site, key);
    expect([again.status, again.body.agent_id === body.agent_id]).toEqual([202, false]);
  });

  test("are refused by sites that are unknown or not verified", async () => {
    const key = await newKey();
    const unknown = await agent.challenge({ ...site, site_key: `us_${"A".repeat(43)}` }, key.jwk);
    expect([unknown.status, unknown.body.reason]).toEqual([404, "site_not_found"]);
    const byHash = await agent.challenge({ ...site, site_key: site.site_key_hash }, key.jwk);
    expect(byHash.status).toBe(404);
    const pending = await createSite(server, "new.example.com", false);
    const answer = await agent.challenge(pending, key.jwk);
    expect([answer.status, answer.body.reason]).toEqual([403, "mandates_disabled"]);
  });

  test("get the problems of their body as rejections of the mandate protocol", async () => {
    const path = `/v1/m/${site.site_key}/agents/challenge`;
    const cases: [string, string, Record<string, string>, number, string][] = [
      ["no JSON", "{", {}, 400, "malformed"],
      ["a key twice", '{"jwk":1,"jwk":2}', {}, 400, "malformed"],
      ["nothing", "", {}, 400, "malformed"],
      ["another type", "{}", { "content-type": "text/plain" }, 415, "unsupported_media_type"],
      ["a compressed one", "{}", { "content-encoding": "gzip" }, 415, "unsupported_media_type"],
      ["more than 8 KB", JSON.stringify({ a: "x".repeat(8192) }), {}, 413, "body_too_large"],
    ];
    for (const [name, body, headers, status, reason] of cases) {
      const answer = await agent.post(path, body, headers);
      const { outcome, reason: said } = answer.body;
      expect([name, answer.status, outcome, said]).toEqual([name, status, "rejected", reason]);
    }
  });

  test("get their origin and request id back, and credentials are never allowed", async () => {
    const headers = { origin: "https://agent.example", "x-service-request-id": "abc-123" };
    const key = await newKey();
    const path = `/v1/m/${site.site_key}/agents/challenge`;
    const answer = await agent.post(path, { jwk: key.jwk }, headers);
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://agent.example");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    expect(answer.headers.get("x-service-request-id")).toBe("abc-123");
  });

  /** Agents that wait already, one a second, each of the share a test gives it. */
  const fillQueue = async (shareOf: (n: number) => string, count = 200) => {
    const waiting = Array.from({ length: count }, (_, n) => {
      const share = shareOf(n);
      const url = `https://${share.slice("domain:".length)}/keys.json`;
      return {
        agent_id: `agt_waiting_${n}_${site.site_key_hash}`,
        identity: "x",
        share,
        site_key_hash: site.site_key_hash,
        name: "x",
        source: "self",
        status: "pending",
        key_source: share.startsWith("domain:") ? JSON.stringify({ type: "jwks_uri", url }) : null,
        requested_scopes: "[]",
        tags: "[]",
        created_by: "x",
        created_at: clock.now() - 1000 * (count - n),
        expires_at: clock.now() + WEEK_MS,
      };
    });
    await server.context.db.transaction((tx) => tx.insert("agents", waiting));
  };
  const waitingIds = async () => {
    const sql = `SELECT agent_id FROM agents WHERE site_key_hash = ? AND status = 'pending'
       ORDER BY created_at`;
    const rows = await server.context.db.all<{ agent_id: string }>(sql, site.site_key_hash);
    return rows.map(({ agent_id }) => agent_id);
  };
  const nth = (n: number) => `agt_waiting_${n}_${site.site_key_hash}`;

  test("are accepted although two hundred are pending, and replace the oldest without a key source", async () => {
    await fillQueue((n) => (n < 10 ? `domain:d${n}.example` : `network:${n}`));
    const { status, body } = await agent.register(site, await newKey());
    expect([status, body.status]).toEqual([202, "pending"]);
    const ids = await waitingIds();
    expect(ids).toHaveLength(200);
    expect(ids.at(-1)).toBe(body.agent_id);
    expect(ids).not.toContain(nth(10));
    expect(ids).toContain(nth(0));
  });

  test("replace the oldest of their network when twenty of it are waiting", async () => {
    const ids = [];
    for (let n = 0; n < 22; n++) {
      clock.advance(1000);
      ids.push((await agent.register(site, await newKey())).body.agent_id);
    }
    expect(await waitingIds()).toEqual(ids.slice(2));
  });

  test("wait for a month if a domain publishes their keys, with at most twenty of that domain", async () => {
    await fillQueue(() => "domain:agents.example", 19);
    const published = async (url: string) => {
      clock.advance(1000);
      return (await agent.registerPublished(site, await newKey(), url)).body.agent_id;
    };
    const ids = [];
    for (const host of ["a.agents.example", "B.agents.example:8443", "agents.example."]) {
      ids.push(await published(`https://${host}/keys.json`));
    }
    const other = await published("https://other.example/keys.json");
    const own = Array.from({ length: 17 }, (_, n) => nth(2 + n));
    expect(await waitingIds()).toEqual([...own, ...ids, other]);
    const { expires_at } = (await admin("GET", `/agents/${other}`)).body;
    expect(expires_at).toBe(new Date(clock.now() + MONTH_MS).toISOString());
  });

  test("of one domain or network replace only their own oldest agents", async () => {
    await fillQueue((n) => (n < 180 ? `domain:d${n % 9}.example` : `network:${n}`));
    const { body } = await agent.register(site, await newKey());
    const ids = await waitingIds();
    // Nine domains have twenty each; every network has one.
    expect(ids).not.toContain(nth(0));
    expect(ids.slice(-21)).toEqual([
      ...Array.from({ length: 20 }, (_, n) => nth(180 + n)),
      body.agent_id,
    ]);
    for (let n = 0; n < 25; n++) {
      clock.advance(1000);
      await agent.register(site, await newKey());
    }
    // All of these came from one network: ten of those weigh as much as twenty of a domain.
    const left = await waitingIds();
    expect(left).not.toContain(body.agent_id);
    expect(left.filter((id) => !id.startsWith("agt_waiting_"))).toHaveLength(10);
  });

  test("are rejected together: all of them, or those without a key source", async () => {
    await fillQueue((n) => (n < 3 ? "domain:d.example" : `network:${n}`), 8);
    const reject = (body: unknown) => admin("POST", "/pending-agents/reject", body);
    expect((await reject({ unanchored_only: true })).body).toEqual({ rejected: 5 });
    expect(await waitingIds()).toEqual([nth(0), nth(1), nth(2)]);
    expect((await reject({})).body).toEqual({ rejected: 3 });
    const { items } = (await admin("GET", "/agents?status=rejected")).body;
    expect(items).toHaveLength(8);
    const records = (await admin("GET", "/audit/records?type=site.changed")).body.items;
    const kinds = records.map(
      ({ record }: { record: { change: { kind: string } } }) => record.change.kind,
    );
    expect(kinds.filter((kind: string) => kind === "agent_rejected")).toHaveLength(8);
    expect((await reject({})).body).toEqual({ rejected: 0 });
    // Rejected ones are kept for 90 days, and no longer.
    const { db } = server.context;
    const after = (days: number) => clock.now() + days * 86_400_000;
    await db.transaction((tx) => deleteExpiredAgents(tx, after(89)));
    expect((await admin("GET", "/agents")).body.items).toHaveLength(8);
    await db.transaction((tx) => deleteExpiredAgents(tx, after(90)));
    expect((await admin("GET", "/agents")).body.items).toEqual([]);
  });
});

test("one address can register ten times an hour", async () => {
  const clock = new ManualClock(NOON);
  const server = await startServer(await freshEnvironment("sqlite"), { clock });
  const site = await createSite(server, "shop.example.com");
  const agent = registering(server);
  for (let n = 0; n < 10; n++) {
    expect((await agent.register(site, await newKey())).status).toBe(202);
  }
  const { status, headers, body } = await agent.register(site, await newKey());
  // The next place is free in six minutes, and both places where a client may look say so.
  expect([status, headers.get("retry-after"), body.retry_after_seconds]).toEqual([429, "360", 360]);
  clock.advance(6 * 60_000);
  expect((await agent.register(site, await newKey())).status).toBe(202);
  const missing = await answerOf(
    await fetch(`${server.url}/v1/m/${site.site_key}/agents/agt_none`),
  );
  expect([missing.status, missing.body.error]).toEqual([404, "not_found"]);
});

test("one address can request sixty challenges an hour", async () => {
  const server = await startServer(await freshEnvironment("sqlite"), {
    clock: new ManualClock(NOON),
  });
  const site = await createSite(server, "shop.example.com");
  const agent = registering(server);
  const { jwk } = await newKey();
  for (let n = 0; n < 60; n++) expect((await agent.challenge(site, jwk)).status).toBe(200);
  const { status, headers } = await agent.challenge(site, jwk);
  expect([status, headers.get("retry-after")]).toEqual([429, "60"]);
});
