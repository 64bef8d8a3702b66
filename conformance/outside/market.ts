import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { until } from "../../packages/edge/test/harness.ts";
import { startExample } from "../../packages/edge/test/start-example.ts";
import { type TestAnswer, testAnswer } from "../../packages/server/test/http-client.ts";
import { type Env, serve } from "../../test/gatehouse-process.ts";
import { type Names, openNames } from "./tls-names.ts";

const GATE = "gate.example.com";
const PLATFORM = "platform.example.com";
const TOKEN = "conformance-operator-token-0123456789";

const POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [{ id: "sell", effect: "allow", when: { skill: { eq: "complete_checkout" } } }],
};
const BY_POST = { id: "standard", title: "By post", prices: { EUR: "4.90" } };

/** A shop that sells one kind of rose, and sends it to Germany. */
const ROSES: Goods = {
  products: [{ id: "rose", title: "A red rose", price: "100.00", currency: "EUR", quantity: 50 }],
  settings: { shipping: [{ countries: ["DE"], options: [BY_POST] }] },
};

interface Goods {
  readonly products: readonly object[];
  /** The settings of the shop: where it sends to, and whom it sells to. */
  readonly settings: object;
}

interface MarketOptions {
  readonly goods?: Goods;
  /** A name that is built into a platform's program: its profiles are there, at port 443. */
  readonly builtIn?: string;
  /** Domains of shops whose websites a test starts itself. */
  readonly otherDomains?: readonly string[];
  /** More hosts that the service may fetch from. */
  readonly fetchAllow?: readonly string[];
  readonly env?: Env;
}

/** Where a platform publishes its profiles. */
async function startPlatform(names: Names, builtIn: string | undefined) {
  const profiles = new Map<string, string>();
  const server = createServer((request, response) => {
    const profile = profiles.get(request.url ?? "");
    response.writeHead(profile === undefined ? 404 : 200, {
      "content-type": "application/json",
      "cache-control": "public, max-age=60",
    });
    response.end(profile);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = await names.secure((server.address() as AddressInfo).port);
  if (builtIn !== undefined) names.lead(builtIn, port);
  // The port is part of its address: the service asks there itself, and not through a proxy.
  return { host: `${PLATFORM}:${port}`, profiles, close: () => server.close() };
}

/**
 * Gatehouse and shops on domains of their own, all over TLS: what a client of UCP finds in the world. Each shop has
 * the profile at its root in a version of its own.
 */
export async function openMarket(
  shops: Readonly<Record<string, string>>,
  { goods = ROSES, builtIn, otherDomains = [], fetchAllow = [], env = {} }: MarketOptions = {},
) {
  const builtInDomains = builtIn === undefined ? [] : [builtIn];
  const domains = [...Object.keys(shops), ...builtInDomains, ...otherDomains];
  const names = await openNames(GATE, PLATFORM, ...domains);
  const platform = await startPlatform(names, builtIn);
  const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), "gatehouse-market-"));
  const service = await serve({
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_DATA_DIR: join(folder, "data"),
    GATEHOUSE_ADMIN_TOKEN: TOKEN,
    GATEHOUSE_BASE_URL: `https://${GATE}`,
    GATEHOUSE_TLS_CERT: names.certFile,
    GATEHOUSE_TLS_KEY: names.keyFile,
    // A name with its port is fetched over TLS only. Without the port, plain HTTP would be accepted too.
    GATEHOUSE_FETCH_ALLOW: [
      platform.host,
      ...domains.map((name) => `${name}:443`),
      ...fetchAllow,
    ].join(","),
    NODE_EXTRA_CA_CERTS: names.certFile,
    ...names.env,
    ...env,
  });
  names.lead(GATE, Number(new URL(service.url).port));
  const closing: (() => unknown)[] = [];

  /** A request of the operator. */
  async function admin(method: string, path: string, body?: unknown): Promise<TestAnswer> {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const { status, text, ...answer } = await names.ask(GATE, path, { method, headers }, body);
    const contentType = answer.headers["content-type"] ?? "";
    return testAnswer(status, new Headers({ "content-type": contentType }), text);
  }

  async function operate(method: string, path: string, body?: unknown) {
    const answer = await admin(method, `/v1/admin/sites${path}`, body);
    expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
    return answer.body;
  }

  /** A shop whose website has the plugin installed. */
  async function openShop(domain: string, ucpVersion: string) {
    const { site_key_hash } = await operate("POST", "", { domain, name: "Fern & Petal" });
    const at = (method: string, path: string, body?: unknown) =>
      operate(method, `/${site_key_hash}${path}`, body);
    await at("POST", "/verify", { method: "operator", reason: "conformance" });
    await at("PATCH", "", { ucp_version: ucpVersion });
    await at("PUT", "/policy", POLICY);
    await at("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
    await at("PUT", "/products", { products: goods.products });
    await at("PUT", "/shop", goods.settings);
    const settings = {
      GATEHOUSE_SITE: `https://${domain}`,
      GATEHOUSE_URL: service.url,
      GATEHOUSE_SITE_KEY_HASH: site_key_hash,
    };
    const website = await startExample(settings, { ca: names.cert, host: platform.host });
    closing.push(() => website.child.kill("SIGKILL"));
    names.lead(domain, await names.secure(Number(new URL(website.url).port)));
    // On a busy machine the site may answer first, once: nobody is kept waiting for Gatehouse.
    await until(async () => {
      const { status } = await names.ask(domain, "/.well-known/ucp");
      return status === 200 ? true : undefined;
    });
    sites.set(domain, site_key_hash);
  }
  const sites = new Map<string, string>();
  for (const [domain, version] of Object.entries(shops)) await openShop(domain, version);

  async function close(): Promise<void> {
    for (const task of closing) await task();
    await service.stop();
    platform.close();
    names.close();
    rmSync(folder, { recursive: true, force: true });
  }
  /** The orders of a shop, the newest first. */
  const orders = async (domain: string) =>
    (await operate("GET", `/${sites.get(domain)}/orders`)).items;
  return { names, platform, folder, serviceUrl: service.url, admin, orders, close };
}

export type Market = Awaited<ReturnType<typeof openMarket>>;
