import { beforeAll, describe, expect, test } from "vitest";
import { Edge } from "../../../edge/src/edge.ts";
import { memoryShelf } from "../../../edge/src/memory-shelf.ts";
import { readSettings } from "../../../edge/src/settings.ts";
import { siteByHash, updateSite } from "../../src/owners/sites/store.ts";
import { ManualClock } from "../../src/platform/clock.ts";
import { answerOf, DATABASES, NOON } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { openWorld, ROSE, type World } from "./buying.ts";

const GATES = ["processor", "rail", "settlement", "policy", "wallet"] as const;
type Gate = (typeof GATES)[number];
/** Every way in which gates can be open or shut. */
const COMBINATIONS = Array.from({ length: 2 ** GATES.length }, (_, n) =>
  GATES.filter((_gate, i) => (n >> i) % 2 === 1),
);
const SHOP_TOOLS = [
  ...["search_catalog", "lookup_catalog", "get_product"],
  ...["create_cart", "get_cart", "update_cart", "cancel_cart"],
  ...["create_checkout", "get_checkout", "update_checkout", "complete_checkout", "cancel_checkout"],
];

describe.each(DATABASES)("checkout and its five gates, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, at } = world);
    shop = await at.shop();
    return world.close;
  });

  /** Of a live account: only there the fifth gate can be shut. Its key would have to be Stripe's own. */
  async function set(open: readonly Gate[]): Promise<void> {
    const has = (gate: Gate) => open.includes(gate);
    const live = { kind: "stripe", live: true, publishableKey: "pk_live_0123456789" } as const;
    const processor = {
      ...{ ...live, railOn: has("rail"), settles: has("settlement") },
      walletMerchantId: has("wallet") ? "BCR2DN4T" : null,
    };
    clock.advance(1000);
    await server.context.db.transaction(async (tx) => {
      const site = await siteByHash(tx, shop.site_key_hash);
      if (site === undefined) throw new Error("the site is gone");
      const changed = { processor: has("processor") ? processor : null };
      await updateSite(tx, { ...site, ...changed, policyPublished: has("policy") }, clock.now());
    });
  }

  async function surfaces() {
    const at = async (path: string) => answerOf(await fetch(server.url + path));
    const text = async (path: string) => (await fetch(server.url + path)).text();
    const { site_key: key, site_key_hash: hash } = shop;
    const profile = (await at(`/v1/ucp/${hash}/profile`)).body;
    const card = (await at(`/v1/agent-card/${key}.json`)).body;
    const catalog = (await at(`/v1/catalog/${key}.json`)).body;
    const llms = await text(`/v1/llms/${hash}.txt`);
    const page = await text(`/v1/agent/${hash}`);
    const listed = await fetch(`${server.url}/v1/mcp/${key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    const { tools } = (await answerOf(listed)).body.result;
    const ids = (list: readonly { id?: string; name?: string }[]) =>
      SHOP_TOOLS.filter((tool) => list.some(({ id, name }) => id === tool || name === tool));
    const agentEntry = catalog.entries[0].capabilities ?? [];
    const profileUrl = `/v1/ucp/${hash}/profile`;
    return {
      checkout: "dev.ucp.shopping.checkout" in profile.ucp.capabilities,
      handlers: Object.keys(profile.ucp.payment_handlers),
      wallet: profile.ucp.payment_handlers["com.google.pay"]?.[0].config,
      transports: profile.ucp.services["dev.ucp.shopping"].length,
      skills: [
        ids(card.skills),
        ids(tools),
        SHOP_TOOLS.filter((tool) => agentEntry.includes(tool)),
        SHOP_TOOLS.filter((tool) => page.includes(`<code>${tool}</code>`)),
      ],
      pointed: [
        "ucp_profile_url" in card.site,
        catalog.entries.some(({ url }: { url: string }) => url.endsWith(profileUrl)),
        llms.includes(profileUrl),
        page.includes(profileUrl),
      ],
      edge: await onItsDomain(),
    };
  }

  async function onItsDomain(): Promise<boolean> {
    const settings = readSettings({
      ...{ gatehouse: server.url, siteKeyHash: shop.site_key_hash },
      edgeToken: `ghe_${"a".repeat(43)}`,
    });
    if (!settings.ok) throw new Error(settings.detail);
    const edge = new Edge(settings.value, {
      ...{ clock, fetch, shelf: memoryShelf(), sharesWork: true, warn: () => undefined },
      fetchKeys: async () => undefined,
    });
    const url = "https://shop.example.com/.well-known/ucp";
    const answer = await edge.answer({ method: "GET", url, fields: [] }, () => undefined);
    return answer?.status === 200;
  }

  test(`in all ${COMBINATIONS.length} combinations it is advertised, listed and served exactly when all are open`, async () => {
    const { checkout, ...none } = {
      ...{ checkout: false, handlers: [], transports: 1, edge: false },
      ...{ skills: [[], [], [], []], pointed: [false, false, false, false] },
    };
    for (const open of COMBINATIONS) {
      await set(open);
      const all = open.length === GATES.length;
      const wanted = all
        ? {
            ...{ checkout: true, handlers: ["com.google.pay"], transports: 2, edge: true },
            wallet: expect.objectContaining({
              environment: "PRODUCTION",
              merchant_info: expect.objectContaining({ merchant_id: "BCR2DN4T" }),
            }),
            ...{ skills: Array(4).fill(SHOP_TOOLS), pointed: [true, true, true, true] },
          }
        : { checkout, ...none };
      expect(await surfaces(), open.join(" ")).toEqual(wanted);
      const made = await at.create(shop, ROSE);
      expect(made.body.messages?.[0].code === "capabilities_incompatible").toBe(!all);
      // Without a processor the gates behind it are shut, whatever was set.
      const { gates } = (await shop.admin("GET", "/processor")).body;
      const shut = gates.filter((gate: { open: boolean }) => !gate.open);
      expect(shut.length === 0).toBe(all);
      expect(shut.every(({ advice }: { advice?: string }) => (advice ?? "") !== "")).toBe(true);
    }
  });
});
