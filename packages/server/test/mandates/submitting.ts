import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { type AgentKey, newKey } from "../agents/registering.ts";
import { createSite, type TestAnswer, type TestServer } from "../harness.ts";
import { send as post } from "../http-client.ts";

export interface Shop {
  readonly site_key: string;
  readonly site_key_hash: string;
  /** Below the admin path of the site. */
  admin(method: string, path: string, body?: unknown): Promise<TestAnswer>;
}

export interface Buyer {
  readonly agentId: string;
  readonly key: AgentKey;
}

/** Lets link skills through, but for what a test asks to be watched. */
export const POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [
    { id: "links", effect: "allow", when: { skill: { in: ["get_pricing", "contact_support"] } } },
    { id: "no-support", effect: "deny", when: { skill: { eq: "contact_support" } } },
  ],
};

let counter = 0;
/** An id no mandate had before. */
export const newMandateId = () => `mandate-${String(++counter).padStart(12, "0")}`;

export function submitting(server: TestServer) {
  const { clock } = server.context;

  /** A verified site with two skills and a policy. */
  async function shop(
    policy: JsonObject | null = POLICY,
    domain = "shop.example.com",
  ): Promise<Shop> {
    const { site_key, site_key_hash } = await createSite(server, domain);
    const admin = (method: string, path: string, body?: unknown) =>
      server.admin(method, `/v1/admin/sites/${site_key_hash}${path}`, body);
    const skills = ["get_pricing", "contact_support"].map((id) => ({
      id,
      enabled: true,
      url: `https://shop.example.com/${id}`,
    }));
    await admin("PUT", "/skills", { skills });
    if (policy !== null) await admin("PUT", "/policy", policy);
    return { site_key, site_key_hash, admin };
  }

  async function buyer({ admin }: Shop, fields: JsonObject = {}): Promise<Buyer> {
    const key = await newKey();
    const added = await admin("POST", "/agents", { name: "Buyer", jwk: key.jwk, ...fields });
    return { agentId: added.body.agent_id, key };
  }

  /** What an agent would sign, with what a test wants otherwise. */
  function mandate({ site_key }: Shop, { agentId }: Buyer, fields: JsonObject = {}): JsonObject {
    const now = clock.now();
    return {
      v: 1,
      mandate_id: newMandateId(),
      agent_id: agentId,
      site_key,
      audience: `${server.context.config.baseUrl}/v1/m/${site_key}/mandate`,
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + 300_000).toISOString(),
      skill: "get_pricing",
      protocol_context: { protocol: "a2a" },
      ...fields,
    };
  }

  async function send({ site_key }: Shop, body: unknown, headers: Record<string, string> = {}) {
    return post(`${server.url}/v1/m/${site_key}/mandate`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  /** Signs and sends. */
  async function submit(to: Shop, by: Buyer, fields: JsonObject = {}): Promise<TestAnswer> {
    return send(to, await signMandate(mandate(to, by, fields), by.key.signer));
  }

  /** The newest records of a site's log of these types, as they were written. */
  async function records({ admin }: Shop, type = "mandate.decision") {
    const { items } = (await admin("GET", `/audit/records?limit=200&type=${type}`)).body;
    return items;
  }

  return { shop, buyer, mandate, send, submit, records };
}
