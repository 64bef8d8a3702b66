import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { generateEd25519, type JsonObject, jwkThumbprint, type Signer } from "@gatehouse/protocol";
import type { Environment } from "../src/config/config.ts";
import { ManualClock } from "../src/infra/clock.ts";
import { Node } from "./node.ts";
import { SimulatedProvider } from "./provider.ts";
import { Random, seededIds } from "./random.ts";
import type { Trouble } from "./seams.ts";

export const BASE_URL = "http://gate.example";
const OPERATOR_TOKEN = "operator-token-of-the-simulation-01";
const DOMAIN = "shop.example";
/** The name of the shop's log. */
export const LOG_NAME = `${DOMAIN}/audit/1`;
/** Any moment would do. The first day is nearly over, so that every run of some hours sees two. */
export const OPENED_AT = Date.UTC(2030, 4, 17, 22, 0, 0);

/** An agent of the shop, which signs mandates. */
export interface SimulatedAgent {
  readonly agentId: string;
  readonly signer: Signer;
}

/** A platform with a profile, which signs its calls. */
export interface SimulatedPlatform {
  readonly host: string;
  readonly profile: JsonObject;
  readonly key: KeyObject;
  /** The address its calls come from. */
  readonly address: string;
}

export interface SimulatedShop {
  readonly siteKey: string;
  readonly hash: string;
  readonly agents: readonly SimulatedAgent[];
  readonly platforms: readonly SimulatedPlatform[];
}

export const PRODUCTS = [
  { id: "rose", price: 10_000, stock: 400 },
  { id: "vase", price: 1_250, stock: 900 },
  { id: "palm", price: 60_000, stock: 60 },
  { id: "last", price: 2_000, stock: 3 },
] as const;

/** How often each is wanted. */
const DEMAND = { rose: 4, vase: 4, palm: 2, last: 2 } as const;

/** What somebody wants: mostly one product, sometimes two. */
export function basket(random: Random): readonly { id: string; quantity: number }[] {
  const first = random.weighted(DEMAND);
  const ids = random.chance(0.3) ? [first, random.weighted(DEMAND)] : [first];
  return [...new Set(ids)].map((id) => ({ id, quantity: random.pick([1, 1, 1, 2, 3]) }));
}

/** Rules by name: the owner goes from one to another. All have limits that some callers reach. */
export const POLICIES = {
  usual: policy({ ask: "500.00", deny: "1000.00", agent: "4000.00", site: "1500.00", count: 4 }),
  strict: policy({ ask: "90.00", deny: "150.00", agent: "800.00", site: "400.00", count: 2 }),
  open: policy({ ask: "900.00", deny: "1500.00", agent: "9000.00", site: "6000.00", count: 8 }),
} as const;

interface Limits {
  /** A cart above this waits for a person, one above the next is denied. */
  readonly ask: string;
  readonly deny: string;
  /** What a caller may spend in a day, and all of them in an hour. */
  readonly agent: string;
  readonly site: string;
  /** Requests of a caller in ten minutes. */
  readonly count: number;
}

function policy({ ask, deny, agent, site, count }: Limits) {
  const over = (EUR: string) => ({ "cart.total": { gt: { EUR } } });
  const spend = (scope: string, window: string, EUR: string) => {
    return { spend: { scope, window, would_exceed: { EUR } } };
  };
  return {
    policy: "rules/1",
    timezone: "UTC",
    default: "deny",
    rules: [
      {
        id: "sell",
        effect: "allow",
        when: { skill: { in: ["place_order", "complete_checkout"] } },
      },
      { id: "ask-above", effect: "escalate", when: over(ask) },
      { id: "never-above", effect: "deny", when: over(deny) },
      { id: "budget", effect: "deny", when: spend("agent", "P1D", agent) },
      { id: "hourly", effect: "deny", when: spend("site", "PT1H", site) },
      {
        id: "velocity",
        effect: "deny",
        when: { count: { scope: "agent", window: "PT10M", gt: count } },
      },
    ],
  };
}

const SHIPPING = {
  shipping: [
    { countries: ["DE"], options: [{ id: "post", title: "By post", prices: { EUR: "4.90" } }] },
  ],
};

export const listed = ({ id, price, stock }: { id: string; price: number; stock: number }) => ({
  id,
  title: `A ${id}`,
  price: (price / 100).toFixed(2),
  currency: "EUR",
  quantity: stock,
});

const CAPABILITIES = ["checkout", "fulfillment", "order"].map((name) => `dev.ucp.shopping.${name}`);
const UCP_VERSION = "2026-08-25";

function newPlatform(host: string, address: string): SimulatedPlatform {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { kty = "", crv = "", x = "", y = "" } = privateKey.export({ format: "jwk" });
  const entry = (name: string) => ({
    version: UCP_VERSION,
    spec: `https://ucp.dev/${UCP_VERSION}/specification/${name}`,
    schema: `https://ucp.dev/${UCP_VERSION}/schemas/${name}.json`,
  });
  const profile = {
    ucp: {
      version: UCP_VERSION,
      services: {},
      capabilities: Object.fromEntries(CAPABILITIES.map((name) => [name, [entry(name)]])),
      payment_handlers: {},
    },
    keys: [{ kid: host, kty, crv, x, y, use: "sig", alg: "ES256" }],
  };
  return {
    host,
    profile,
    address,
    key: createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

export const environment = (dataDir: string): Environment => ({
  GATEHOUSE_MODE: "development",
  GATEHOUSE_LOG: "silent",
  GATEHOUSE_BASE_URL: BASE_URL,
  GATEHOUSE_DATA_DIR: dataDir,
  GATEHOUSE_ADMIN_TOKEN: OPERATOR_TOKEN,
  // Everybody acts from few addresses, and often at one moment.
  GATEHOUSE_REQUESTS_PER_ADDRESS_PER_MINUTE: "1000000",
  GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "1000000",
});

/** A request of the owner or of somebody who reviews. A text is sent as it is: the lines of an import. */
export const adminRequest = (method: string, path: string, body?: unknown) => {
  const type = typeof body === "string" ? "application/x-ndjson" : "application/json";
  return {
    method,
    url: `/v1/admin${path}`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": type },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  };
};

const NO_TROUBLE: Trouble = { crashesAt: () => false, disk: () => "none" };

/** Opens a shop in a new folder. Every run begins with a copy of it. */
export async function openShop(dataDir: string): Promise<SimulatedShop> {
  const random = new Random(0);
  const clock = new ManualClock(OPENED_AT);
  const provider = new SimulatedProvider(clock, random);
  const node = new Node({
    env: environment(dataDir),
    clock,
    ids: seededIds(random),
    provider,
    trouble: NO_TROUBLE,
    skewMs: () => 0,
    fetch: async () => ({ ok: false, reason: "unreachable", detail: "nobody is there" }),
  });
  await node.start();
  const admin = async (method: string, path: string, body: unknown) => {
    const [answer] = await node.until([node.send(adminRequest(method, path, body))]);
    if (answer === undefined || answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer?.status} ${answer?.text}`);
    }
    return answer.body;
  };
  const site = await admin("POST", "/sites", { domain: DOMAIN, name: "Shop" });
  const path = `/sites/${site.site_key_hash}`;
  await admin("POST", `${path}/verify`, { method: "operator", reason: "simulated" });
  await admin("PUT", `${path}/skills`, { skills: [{ id: "place_order", enabled: true }] });
  await admin("PUT", `${path}/policy`, POLICIES.usual);
  await admin("PUT", `${path}/processor`, { kind: "sandbox", rail_on: true, settles: true });
  await admin("PUT", `${path}/products`, { products: PRODUCTS.map(listed) });
  await admin("PUT", `${path}/shop`, SHIPPING);
  await admin("PUT", `${path}/platforms/known.example`, { status: "admitted" });
  const agents: SimulatedAgent[] = [];
  for (const name of ["Ada", "Bob", "Cyd"]) {
    const { jwk, signer } = await generateEd25519("unnamed");
    const kid = await jwkThumbprint(jwk);
    const { agent_id } = await admin("POST", `${path}/agents`, { name, jwk });
    agents.push({ agentId: agent_id, signer: { ...signer, kid, sign: (b) => signer.sign(b) } });
  }
  await node.stop();
  const platforms = [
    newPlatform("known.example", "198.51.100.10"),
    newPlatform("other.example", "198.51.100.20"),
  ];
  return { siteKey: site.site_key, hash: site.site_key_hash, agents, platforms };
}
