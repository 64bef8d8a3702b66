import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { selling } from "../selling/selling.ts";
import { type CallOptions, newPlatformKey, Platform, profileOf } from "./platform.ts";
import { schemaFaults } from "./schemas.ts";

describe("a platform that calls a shop", () => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let platform: Platform;
  let shop: Shop;
  beforeAll(async () => {
    platform = await Platform.start();
    const env = await freshEnvironment("sqlite");
    server = await startServer({ ...env, GATEHOUSE_FETCH_ALLOW: platform.host }, { clock });
    shop = await selling(server).shop();
    return async () => {
      platform.stop();
      await cleanUp();
    };
  });
  let pages = 0;
  let profile = "";
  beforeEach(() => {
    clock.advance(10 * 60_000);
    profile = platform.profileUrl(`profile-${++pages}`);
    platform.profile = profileOf([platform.key.publicJwk]);
  });
  const search = (options: CallOptions = {}, body: unknown = { query: "palm" }) => {
    const url = `${server.url}/v1/ucp/${shop.site_key_hash}/catalog/search`;
    return platform.call(url, body, { profile, created: clock.now(), ...options });
  };
  const said = ({ status, body }: { status: number; body: { code?: string } }) => [
    status,
    body.code,
  ];

  test("names its profile, which is fetched once a minute", async () => {
    const before = platform.fetches;
    expect((await search()).status).toBe(200);
    expect((await search()).status).toBe(200);
    expect(platform.fetches - before).toBe(1);
    clock.advance(60_000);
    await search();
    expect(platform.fetches - before).toBe(2);
  });

  test.each([
    ["nothing", { "ucp-agent": "" }],
    ["an address without quotes", { "ucp-agent": "profile=https://platform.example" }],
    ["another parameter", { "ucp-agent": 'agent="https://platform.example/profile"' }],
    ["something that is not an address", { "ucp-agent": 'profile="platform"' }],
    ["an address that is not http", { "ucp-agent": 'profile="ftp://platform.example/"' }],
    ["an address with a password", { "ucp-agent": 'profile="https://me:pw@platform.example/"' }],
    ["plain HTTP on another machine", { "ucp-agent": 'profile="http://platform.example/profile"' }],
    ["a private address", { "ucp-agent": 'profile="https://127.0.0.1/profile"' }],
    ["a private name", { "ucp-agent": 'profile="https://db.internal/profile"' }],
  ])("is refused if it names %s as its profile", async (_what, headers) => {
    const answer = await search({ headers });
    expect(said(answer)).toEqual([400, "invalid_profile_url"]);
  });

  test("is refused if its profile redirects, is missing, is too large or breaks off", async () => {
    const { serve } = platform;
    try {
      platform.serve = (_request, response) => response.writeHead(302, { location: "/" }).end();
      expect(said(await search())).toEqual([424, "profile_unreachable"]);
      platform.serve = (_request, response) => response.writeHead(404).end();
      expect(said(await search({ profile: `${profile}-2` }))).toEqual([424, "profile_unreachable"]);
      platform.serve = (_request, response) => response.end(" ".repeat(262_145));
      expect(said(await search({ profile: `${profile}-3` }))).toEqual([424, "profile_unreachable"]);
      platform.serve = (_request, response) => response.destroy();
      expect(said(await search({ profile: `${profile}-4` }))).toEqual([424, "profile_unreachable"]);
    } finally {
      platform.serve = serve;
    }
  });

  test("is refused if its profile takes longer than three seconds", async () => {
    const { serve } = platform;
    try {
      const asked = new Promise<void>((resolve) => {
        platform.serve = () => resolve();
      });
      const answer = search();
      await asked;
      clock.advance(3000);
      expect(said(await answer)).toEqual([424, "profile_unreachable"]);
    } finally {
      platform.serve = serve;
    }
  });

  test("is refused if its profile is malformed or of another version", async () => {
    const good = platform.profile as { ucp: object; keys: object[] };
    const malformed = [
      [],
      {},
      { ucp: 1 },
      { ucp: {} },
      { ucp: { version: "2026-08-25" } },
      { ...good, ucp: { ...good.ucp, capabilities: { "dev.ucp.x": {} } } },
      { ...good, ucp: { ...good.ucp, capabilities: { "dev.ucp.x": [{ version: 1 }] } } },
      { ...good, keys: [{ kty: "EC" }] },
      { ...good, keys: [{ ...platform.key.privateJwk, kid: "k" }] },
    ];
    for (const [n, one] of malformed.entries()) {
      platform.profile = one as never;
      const answer = await search({ profile: `${profile}-${n}` });
      expect([n, ...said(answer)]).toEqual([n, 422, "profile_malformed"]);
    }
    platform.profile = { ...good, ucp: { ...good.ucp, version: "2026-01-11" } } as never;
    expect(said(await search())).toEqual([422, "version_unsupported"]);
  });

  test("is answered with a business outcome if it has no capability in common", async () => {
    const other = profileOf([], ["com.example.other", "dev.ucp.shopping.catalog.lookup"]);
    const old = { "dev.ucp.shopping.catalog.search": [{ version: "2026-04-08" }] };
    const { ucp } = other as { ucp: { capabilities: object } };
    for (const capabilities of [ucp.capabilities, old, {}]) {
      platform.profile = { ...other, ucp: { ...ucp, capabilities } } as never;
      const { status, body } = await search({ profile: `${profile}-${Object.keys(capabilities)}` });
      expect([status, body.ucp.status, body.messages[0].code]).toEqual([
        200,
        "error",
        "capabilities_incompatible",
      ]);
      expect(schemaFaults("common/types/error_response.json", body)).toEqual([]);
    }
  });

  test("finds no capabilities at a shop whose gates are closed", async () => {
    const shut = await selling(server).shop();
    await shut.admin("DELETE", "/processor");
    const url = `${server.url}/v1/ucp/${shut.site_key_hash}/catalog/search`;
    const { status, body } = await platform.call(url, {}, { profile });
    expect([status, body.messages[0].code]).toEqual([200, "capabilities_incompatible"]);
  });

  test("may sign, and an invalid signature is refused", async () => {
    expect((await search({ sign: true })).status).toBe(200);
    const all = ["@method", "@authority", "@path", "content-digest", "content-type", "ucp-agent"];
    for (const left of all) {
      const fields = all.filter((field) => field !== left);
      expect([left, ...said(await search({ sign: true, fields }))]).toEqual([
        left,
        401,
        "signature_invalid",
      ]);
    }
    const stranger = newPlatformKey("platform-key");
    expect(said(await search({ sign: true, signer: stranger }))).toEqual([
      401,
      "signature_invalid",
    ]);
    const unknown = newPlatformKey("nobody");
    expect(said(await search({ sign: true, signer: unknown }))).toEqual([401, "key_not_found"]);
    const sent = '{"query":"rose"}';
    expect(said(await search({ sign: true, sent }))).toEqual([400, "digest_mismatch"]);
    for (const signature of ["!!!", "sig1=5", "sig1=:AAAA:", "sig2=:AAAA:", ""]) {
      const input = `sig1=("@method" "@authority" "@path" "content-type" "content-digest" "ucp-agent");keyid="platform-key"`;
      const headers = { "signature-input": input, signature };
      expect([signature, (await search({ headers })).status]).toEqual([signature, 401]);
    }
    const undated = await search({ sign: true, undated: true });
    expect(said(undated)).toEqual([401, "signature_invalid"]);
    const old = clock.now() - 301_000;
    expect(said(await search({ sign: true, created: old }))).toEqual([401, "signature_invalid"]);
    const future = clock.now() + 61_000;
    expect(said(await search({ sign: true, created: future }))).toEqual([401, "signature_invalid"]);
  });

  test("gets `signature_missing` if it sends only `Signature-Input`", async () => {
    const input = `sig1=("@method" "@authority" "@path" "ucp-agent");keyid="platform-key"`;
    const half = { "signature-input": input };
    expect(said(await search({ headers: half }))).toEqual([401, "signature_missing"]);
    const url = `${server.url}/v1/ucp/${shop.site_key_hash}/checkout-sessions/chk_x/complete`;
    const headers = { ...half, "idempotency-key": "half-signed" };
    const spending = await platform.call(url, {}, { profile, headers });
    expect(said(spending)).toEqual([401, "signature_missing"]);
  });

  test("may send a signature about its visit, which neither proves the call nor hides a missing one", async () => {
    const about = 'wba=("@authority" "signature-agent");keyid="visitor";tag="web-bot-auth"';
    const visit = { "signature-input": about, signature: "wba=:AAAA:" };
    expect((await search({ headers: visit })).status).toBe(200);
    const url = `${server.url}/v1/ucp/${shop.site_key_hash}/checkout-sessions/chk_x/complete`;
    const named = { ...visit, "idempotency-key": "a-key" };
    expect(said(await platform.call(url, {}, { profile, headers: named }))).toEqual([
      401,
      "signature_missing",
    ]);
    const own = 'sig1=("@method");keyid="platform-key"';
    for (const both of [`${about}, ${own}`, `${own}, ${about}`]) {
      const headers = { "signature-input": both, signature: "wba=:AAAA:, sig1=:AAAA:" };
      expect(said(await search({ headers }))).toEqual([401, "signature_invalid"]);
    }
  });

  test("is refused if it signs with a key that its profile does not list", async () => {
    const mine = newPlatformKey("mine");
    platform.profile = profileOf([mine.publicJwk]);
    expect(said(await search({ sign: true }))).toEqual([401, "key_not_found"]);
    expect((await search({ sign: true, signer: mine })).status).toBe(200);
  });

  test("is not verified by a key for another use or of an unsupported type", async () => {
    const { publicJwk } = platform.key;
    platform.profile = profileOf([{ ...publicJwk, use: "enc" }]);
    expect(said(await search({ sign: true }))).toEqual([401, "key_not_found"]);
    platform.profile = profileOf([
      { kid: "platform-key", kty: "EC", crv: "P-521", x: "A", y: "A" },
    ]);
    expect(said(await search({ sign: true, profile: `${profile}-2` }))).toEqual([
      400,
      "algorithm_unsupported",
    ]);
    // Only the signature that names it is concerned.
    expect((await search({ profile: `${profile}-2` })).status).toBe(200);
  });

  test("cannot have more than thirty profiles fetched in a minute", async () => {
    const before = platform.fetches;
    const answers = [];
    for (let n = 0; n < 35; n++) answers.push(await search({ profile: `${profile}-${n}` }));
    expect(platform.fetches - before).toBe(30);
    const last = answers.at(-1);
    expect([last?.status, last?.body.code, last?.headers.get("retry-after")]).toEqual([
      429,
      "rate_limited",
      "60",
    ]);
    // Those that were read last go on being known.
    expect((await search({ profile: `${profile}-29` })).status).toBe(200);
  });

  test("finds no shop by its key, and none that is not verified", async () => {
    const ask = (site: string) =>
      platform.call(`${server.url}/v1/ucp/${site}/catalog/search`, {}, { profile });
    expect((await ask(shop.site_key)).status).toBe(404);
    expect((await ask("A".repeat(43))).body.error).toBe("not_found");
    const { site_key_hash } = await createSite(server, "unproven.example.com", false);
    expect((await ask(site_key_hash)).body.status).toBe("pending_verification");
  });

  test("gets its request id back", async () => {
    const { headers } = await search({ headers: { "request-id": "6f1c" } });
    expect([headers.get("request-id"), headers.get("x-request-id")]).toEqual([
      "6f1c",
      expect.stringMatching(/^req_/),
    ]);
  });
});
