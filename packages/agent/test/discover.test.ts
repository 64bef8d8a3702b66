import { EXAMPLE_SITE, generateEd25519, signCard } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { gatehouse } from "../../edge/src/node/plugin.ts";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import { discover } from "../src/index.ts";
import { listen } from "./listening.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  return cleanUp;
});

/** A site installed as the guide says: the plugin stands before it, and it serves nothing else. */
async function installedSite(name: string): Promise<string> {
  let plugin: ReturnType<typeof gatehouse> | undefined;
  const port = await listen((request, response) => {
    plugin?.(request, response, () => response.writeHead(404).end("Not found"));
  });
  const domain = `${name}:${port}`;
  const { site_key_hash: siteKeyHash } = await createSite(server, domain);
  plugin = gatehouse({
    site: `http://${domain}`,
    gatehouse: server.url,
    siteKeyHash,
    warn: () => undefined,
  });
  return domain;
}

/** The card of a site as its service has it. */
const cardOf = async (siteKey: string) =>
  (await fetch(`${server.url}/v1/agent-card/${siteKey}.json`)).text();

describe("a site", () => {
  test("is found by its own address, where it serves its card but no key set", async () => {
    const domain = await installedSite("localhost");
    expect((await fetch(`http://${domain}/.well-known/jwks.json`)).status).toBe(404);
    const site = await discover(`http://${domain}`);
    expect([site.domain, site.verdict.ok]).toEqual([domain, true]);
    expect(site.mandateUrl).toBe(`${server.url}/v1/m/${site.siteKey}/mandate`);
    const page = await discover(`http://${domain}/agent`);
    expect(page.siteKey).toBe(site.siteKey);
  });

  test("is found by a name below localhost, which many systems do not know", async () => {
    const domain = await installedSite("shop.localhost");
    const site = await discover(`http://${domain}`);
    expect([site.domain, site.verdict.ok]).toEqual([domain, true]);
  });

  test("is not found by a copy of its card on another server, whatever keys the copy names", async () => {
    const { site_key } = await createSite(server, "shop.example.com");
    const card = await cardOf(site_key);
    const port = await listen((request, response) => {
      if (request.url?.endsWith("/jwks.json")) response.writeHead(404).end("{}");
      else response.end(card);
    });
    await expect(discover(`http://127.0.0.1:${port}`)).rejects.toThrow(
      "its key is not in the key set",
    );
  });
});

test.each(["mandate", "mcp"] as const)(
  "a valid card is refused if its %s address is plain http on another machine",
  async (name) => {
    const { signer, jwk } = await generateEd25519("k1");
    const outside = "http://gate.example.com/v1/here";
    const addresses = { ...EXAMPLE_SITE.addresses, [name]: outside };
    const { card } = await signCard({ ...EXAMPLE_SITE, addresses }, signer, Date.now());
    const port = await listen((request, response) => {
      const keys = JSON.stringify({ keys: [{ ...jwk, kid: "k1" }] });
      response.end(request.url?.endsWith("/jwks.json") ? keys : card);
    });
    await expect(discover(`http://127.0.0.1:${port}`)).rejects.toThrow(`${outside} is plain http`);
  },
);
