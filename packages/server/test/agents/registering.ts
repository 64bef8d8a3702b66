import {
  type Ed25519Jwk,
  generateEd25519,
  type JsonObject,
  jwkThumbprint,
  ok,
  type Signer,
  signTagged,
} from "@gatehouse/protocol";
import { vi } from "vitest";
import type { TestAnswer, TestServer } from "../harness.ts";
import { send } from "../http-client.ts";

export interface AgentKey {
  readonly jwk: Ed25519Jwk;
  readonly kid: string;
  readonly signer: Signer;
}

/** A key of an agent's own, named by its thumbprint. */
export async function newKey(): Promise<AgentKey> {
  const { jwk, signer } = await generateEd25519("unnamed");
  const kid = await jwkThumbprint(jwk);
  return { jwk, kid, signer: { ...signer, kid, sign: (bytes) => signer.sign(bytes) } };
}

interface Site {
  readonly site_key: string;
  readonly site_key_hash: string;
}

export function registering(server: TestServer) {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send(server.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const challenge = (site: Site, jwk: unknown) =>
    post(`/v1/m/${site.site_key}/agents/challenge`, { jwk });

  /** A registration as an agent would sign it, with what a test wants otherwise. */
  async function registration(site: Site, key: AgentKey, fields: JsonObject = {}) {
    const { body } = await challenge(site, key.jwk);
    const now = server.context.clock.now();
    const signed = {
      v: 1,
      type: "agent_registration",
      audience: body.audience,
      site_key: site.site_key,
      challenge: body.challenge,
      kid: key.kid,
      jwk: key.jwk,
      display_name: "Buyer",
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + 300_000).toISOString(),
      ...fields,
    };
    const signature = await signTagged("agentRegistration", signed, key.signer);
    return { signed, envelope: { alg: "EdDSA", kid: key.kid, signature } };
  }

  async function register(site: Site, key: AgentKey, fields: JsonObject = {}): Promise<TestAnswer> {
    return post(`/v1/m/${site.site_key}/agents`, await registration(site, key, fields));
  }

  /** Registers with a key that an address publishes, and with nothing else. */
  async function registerPublished(site: Site, key: AgentKey, url: string): Promise<TestAnswer> {
    const body = new TextEncoder().encode(JSON.stringify({ keys: [key.jwk] }));
    const page = { status: 200, contentType: "application/json", cacheControl: "", body };
    const published = vi.spyOn(server.context.safeFetch, "get").mockResolvedValue(ok(page));
    const answer = await register(site, key, { key_source: { type: "jwks_uri", url } });
    published.mockRestore();
    return answer;
  }

  return { post, challenge, registration, register, registerPublished };
}
