import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readAccessToken } from "../../src/domain/platforms/credentials/access-token.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { DAY_MS, MINUTE_MS } from "../../src/infra/time.ts";
import { cleanUp, freshEnvironment, NOON, startServer, type TestServer } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { selling } from "../selling/selling.ts";
import {
  admit,
  askForToken,
  bodyRequest,
  type MadeCredential,
  makeCredential,
  type TokenRequest,
  tokenOf,
  tokenRequest,
} from "./credentialed.ts";

const GOOGLE = "google.example";

describe("the token endpoint of a shop", () => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let shop: Shop;
  let client: MadeCredential;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment("sqlite"), { clock });
    return cleanUp;
  });
  beforeEach(async () => {
    clock.advance(10 * MINUTE_MS);
    shop = await selling(server).shop();
    await admit(shop, GOOGLE);
    client = await makeCredential(shop, GOOGLE, "oauth_client");
  });
  const ask = (request: TokenRequest) => askForToken(server, shop, request);
  const FORM = { "content-type": "application/x-www-form-urlencoded" };

  test("is the address that the owner is shown", () => {
    const { baseUrl } = server.context.config;
    expect(client.token_url).toBe(`${baseUrl}/v1/ucp/${shop.site_key_hash}/oauth/token`);
  });

  test("issues a token for an hour by Basic or body, as form or JSON, and nobody may store it", async () => {
    const requests = [
      tokenRequest(client),
      bodyRequest(client, "form"),
      bodyRequest(client, "json"),
    ];
    for (const request of requests) {
      const { status, body, headers } = await ask(request);
      expect([status, body]).toEqual([
        200,
        { access_token: expect.stringMatching(/^ght_/), token_type: "Bearer", expires_in: 3600 },
      ]);
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  test("issues no token that outlives its client", async () => {
    const short = await makeCredential(shop, GOOGLE, "oauth_client", { expires_in_days: 1 });
    clock.advance(DAY_MS - 5 * MINUTE_MS);
    expect((await ask(tokenRequest(short))).body.expires_in).toBe(300);
    clock.advance(5 * MINUTE_MS);
    expect((await ask(tokenRequest(short))).body.error).toBe("invalid_client");
  });

  test("issues no token that is valid for more than an hour after the clock was set back", async () => {
    const { secrets } = server.context;
    const token = await tokenOf(server, shop, client);
    const readAt = (now: number) => readAccessToken(secrets, shop.site_key_hash, token, now);
    expect(readAt(clock.now())).toEqual({ credentialId: client.credential_id });
    expect(readAt(clock.now() - MINUTE_MS)).toEqual({ credentialId: client.credential_id });
    expect(readAt(clock.now() - 2 * MINUTE_MS)).toBeUndefined();
  });

  test("refuses a wrong, revoked or foreign client, and one of a suspended platform", async () => {
    const other = await selling(server).shop();
    await admit(other, GOOGLE);
    const foreign = await makeCredential(other, GOOGLE, "oauth_client");
    const key = await makeCredential(shop, GOOGLE, "api_key");
    const wrong = [
      { ...client, secret: `${client.secret}x` },
      { ...client, secret: "" },
      { ...client, credential_id: "client_000000000000000000000000" },
      { ...client, credential_id: "client_x' OR 1=1" },
      foreign,
      key,
    ];
    for (const one of wrong) {
      const { status, body, headers } = await ask(tokenRequest(one));
      expect([status, body.error]).toEqual([401, "invalid_client"]);
      expect(headers.get("www-authenticate")).toMatch(/^Basic /);
      clock.advance(MINUTE_MS);
    }
    const inBody = await ask(bodyRequest({ ...client, secret: "no" }, "form"));
    expect([inBody.status, inBody.headers.get("www-authenticate")]).toEqual([401, null]);
    await admit(shop, GOOGLE, "suspended");
    expect((await ask(tokenRequest(client))).status).toBe(401);
    await admit(shop, GOOGLE);
    await shop.admin("DELETE", `/platforms/${GOOGLE}/credentials/${client.credential_id}`);
    expect((await ask(tokenRequest(client))).status).toBe(401);
  });

  test("refuses what is not a request for a token", async () => {
    const basic = tokenRequest(client).headers ?? {};
    const { authorization = "" } = basic;
    const GRANT = "grant_type=client_credentials";
    const requests: [TokenRequest, number, string][] = [
      [{ body: "", headers: basic }, 400, "invalid_request"],
      [{ body: "grant_type=password", headers: basic }, 400, "unsupported_grant_type"],
      [{ body: `${GRANT}&${GRANT}`, headers: basic }, 400, "invalid_request"],
      [{ body: `${GRANT}&client_secret=x`, headers: basic }, 400, "invalid_request"],
      [{ body: `${GRANT}&client_id=client_x`, headers: basic }, 401, "invalid_client"],
      [{ body: GRANT, headers: FORM }, 401, "invalid_client"],
      [{ body: GRANT, headers: { ...FORM, authorization: "Basic ???" } }, 401, "invalid_client"],
      [{ body: GRANT, headers: { ...FORM, authorization: "Bearer x" } }, 401, "invalid_client"],
      [{ body: GRANT, headers: { authorization } }, 400, "invalid_request"],
      [
        { body: "[]", headers: { "content-type": "application/json", authorization } },
        400,
        "invalid_request",
      ],
    ];
    for (const [request, status, error] of requests) {
      const answer = await ask(request);
      expect([request, answer.status, answer.body.error]).toEqual([request, status, error]);
      expect(answer.body.error_description).toMatch(/\.$/);
      clock.advance(MINUTE_MS);
    }
    const large = await ask({ body: `${GRANT}&x=${"y".repeat(9000)}`, headers: basic });
    expect(large.status).toBe(413);
  });

  test("makes an address wait at the one shop that it sends many wrong secrets to", async () => {
    const other = await selling(server).shop();
    await admit(other, GOOGLE);
    const elsewhere = await makeCredential(other, GOOGLE, "oauth_client");
    const wrong = tokenRequest({ ...client, secret: "wrong" });
    const statuses = [];
    for (let i = 0; i < 150; i++) statuses.push((await ask(wrong)).status);
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    expect((await ask(tokenRequest(client))).status).toBe(429);
    const others = await askForToken(server, other, tokenRequest(elsewhere));
    expect(others.status).toBe(200);
    clock.advance(10 * MINUTE_MS);
    expect((await ask(tokenRequest(client))).status).toBe(200);
  });
});
