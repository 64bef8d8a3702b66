import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { type Listening, serve, until } from "../../packages/edge/test/harness.ts";
import { startExample } from "../../packages/edge/test/start-example.ts";
import { startWorker } from "../../packages/edge/test/start-worker.ts";
import { createAgent, startDirectory, type TestAgent } from "../../scripts/signing-agent.mjs";
import { ask, askAsOperator, type Site, verifiedSite } from "./asking.ts";
import { canBuy, openShop } from "./buying.ts";

let agent: TestAgent;
let directory: Awaited<ReturnType<typeof startDirectory>>;
let origin: Listening;
beforeAll(async () => {
  agent = await createAgent();
  directory = await startDirectory("agent.localhost");
  directory.keys = [agent.jwk];
  origin = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<p>the site's own page</p>");
  });
});
afterAll(async () => {
  await directory.close();
  await origin.close();
});

type Ask = (
  path: string,
  headers?: Record<string, string>,
) => Promise<{ status: number; text(): Promise<string> }>;

async function settingsOf({ site_key_hash }: Site): Promise<Record<string, string>> {
  const path = `/v1/admin/sites/${site_key_hash}/edge-tokens`;
  const { body } = await askAsOperator("POST", path, { name: "edge" });
  return {
    GATEHOUSE_URL: inject("target").url,
    GATEHOUSE_SITE_KEY_HASH: site_key_hash,
    GATEHOUSE_EDGE_TOKEN: body.token,
  };
}

/** Both kinds of install, each before a site of its own. */
const INSTALLS: readonly [string, (site: Site) => Promise<Ask>][] = [
  [
    "an edge worker",
    async (site) => {
      const worker = await startWorker({
        bindings: await settingsOf(site),
        siteHost: site.domain,
        origin: origin.url,
        directory: { origin: directory.origin, keys: [agent.jwk] },
      });
      onTestFinished(() => worker.dispose());
      return (path, headers = {}) =>
        worker.dispatchFetch(`https://${site.domain}${path}`, { headers });
    },
  ],
  [
    "the plugin",
    async (site) => {
      const settings = { ...(await settingsOf(site)), GATEHOUSE_SITE: `https://${site.domain}` };
      const { url, child } = await startExample(settings, directory);
      onTestFinished(() => void child.kill("SIGKILL"));
      return (path, headers = {}) => fetch(url + path, { headers });
    },
  ],
];

const visitOf = ({ site_key_hash }: Site) =>
  until(async () => {
    const path = `/v1/admin/sites/${site_key_hash}/visits`;
    return (await askAsOperator("GET", path)).body.items[0];
  });

const signed = ({ domain }: Site, host = domain) =>
  agent.sign(`https://${host}/`, { origin: directory.origin });

/** On a busy machine the site may answer first, once: nobody is kept waiting for Gatehouse. */
const serves = (asked: Ask, path: string, text: string) =>
  until(async () => ((await (await asked(path)).text()) === text ? true : undefined));

describe.each(INSTALLS)("on %s", (_name, install) => {
  test("[1.8-r 5.6-a 5.6-b] a valid signature on a page request marks the visit as verified and signed", async () => {
    const site = await verifiedSite();
    const page = await (await install(site))("/", await signed(site));
    expect(page.status).toBe(200);
    expect(await visitOf(site)).toMatchObject({
      classification: "verified_agent",
      signature: { outcome: "verified", key_id: agent.thumbprint },
    });
  });

  test("[1.8-t 1.8-u 5.6-c] an invalid signature is shown on the visit, and the page is served", async () => {
    const site = await verifiedSite();
    const asked = await install(site);
    const plain = await (await asked("/")).text();
    const page = await asked("/", await signed(site, "other.example.com"));
    expect([page.status, await page.text()]).toEqual([200, plain]);
    const failed = await until(async () => {
      const path = `/v1/admin/sites/${site.site_key_hash}/visits`;
      const { items } = (await askAsOperator("GET", path)).body;
      return items.find(({ signature }: { signature?: unknown }) => signature !== undefined);
    });
    expect(failed.signature.outcome).toBe("invalid");
    expect(failed.classification).not.toBe("verified_agent");
  });

  test("[4-t] llms.txt is served at /llms.txt", async () => {
    const site = await verifiedSite();
    const { text } = await ask("GET", `/v1/llms/${site.site_key_hash}.txt`);
    await serves(await install(site), "/llms.txt", text);
  });

  test("[4-u] the agent page is served at /agent", async () => {
    const site = await verifiedSite();
    const { text } = await ask("GET", `/v1/agent/${site.site_key_hash}`);
    await serves(await install(site), "/agent", text);
  });
});

describe.skipIf(!canBuy()).each(INSTALLS)("for a shop that sells, on %s", (_name, install) => {
  test("[4-s] the UCP profile is served at /.well-known/ucp", async () => {
    const shop = await openShop();
    const { text } = await ask("GET", `/v1/ucp/${shop.site_key_hash}/profile`);
    await serves(await install(shop), "/.well-known/ucp", text);
  });
});

test("[1.8-s] without such an install, a signature does not mark a visit", async () => {
  const site = await verifiedSite();
  const headers = { ...(await signed(site)), "content-type": "application/json" };
  const beacon = {
    schema_version: "1",
    site_key: site.site_key,
    observed_at: new Date().toISOString(),
    identification: { user_agent: "SomeAgent/1.0" },
    page_context: { url: `https://${site.domain}/` },
  };
  const body = JSON.stringify(beacon);
  expect((await ask("POST", "/v1/discovery/ingest", { headers, body })).status).toBe(204);
  const visit = await visitOf(site);
  expect([visit.classification, visit.signature]).toEqual(["suspected_automation", undefined]);
});
