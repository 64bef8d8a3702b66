import { expect } from "vitest";
import type { TestAnswer, TestServer } from "../harness.ts";
import { send } from "../http-client.ts";
import type { Shop } from "../mandates/submitting.ts";

export interface MadeCredential {
  readonly credential_id: string;
  readonly secret: string;
  readonly token_url: string;
}

/** Makes a credential for a platform of a shop, as its owner does. */
export async function makeCredential(
  shop: Shop,
  platform: string,
  kind: "api_key" | "oauth_client",
  more: object = {},
): Promise<MadeCredential> {
  const path = `/platforms/${platform}/credentials`;
  const made = await shop.admin("POST", path, { kind, ...more });
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  return made.body;
}

export const admit = (shop: Shop, platform: string, status = "admitted") =>
  shop.admin("PUT", `/platforms/${platform}`, { status });

/** A call that is not signed, and carries an API key instead. */
export const byKey = (key: string, more: object = {}) => ({
  sign: false,
  headers: { "x-api-key": key },
  ...more,
});

/** The same with an access token. */
export const byToken = (token: string, more: object = {}) => ({
  sign: false,
  headers: { authorization: `Bearer ${token}` },
  ...more,
});

const basic = ({ credential_id, secret }: Pick<MadeCredential, "credential_id" | "secret">) =>
  `Basic ${Buffer.from(`${credential_id}:${secret}`).toString("base64")}`;

/** How a client asks for a token. */
export interface TokenRequest {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const GRANT = "grant_type=client_credentials";

/** A request by Basic and form, which most clients send. */
export const tokenRequest = (
  client: Pick<MadeCredential, "credential_id" | "secret">,
): TokenRequest => ({ body: GRANT, headers: { ...FORM, authorization: basic(client) } });

/** The same client by parameters of a form, or of a JSON body. */
export function bodyRequest(client: MadeCredential, type: "form" | "json"): TokenRequest {
  const parameters = {
    grant_type: "client_credentials",
    client_id: client.credential_id,
    client_secret: client.secret,
  };
  if (type === "form") return { body: String(new URLSearchParams(parameters)), headers: FORM };
  return { body: JSON.stringify(parameters), headers: { "content-type": "application/json" } };
}

export function askForToken(
  server: TestServer,
  { site_key_hash }: Pick<Shop, "site_key_hash">,
  { body = GRANT, headers = {} }: TokenRequest,
): Promise<TestAnswer> {
  const url = `${server.url}/v1/ucp/${site_key_hash}/oauth/token`;
  return send(url, { method: "POST", headers: { ...headers }, body });
}

/** An access token of a client. */
export async function tokenOf(
  server: TestServer,
  shop: Shop,
  client: MadeCredential,
): Promise<string> {
  const { status, body } = await askForToken(server, shop, tokenRequest(client));
  expect([status, body.token_type]).toEqual([200, "Bearer"]);
  return body.access_token;
}
