import { beforeAll, describe, expect, test } from "vitest";
import { siteByHash, updateSite } from "../../src/domain/sites/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { openWorld, ROSE, type World } from "./buying.ts";
import { NOTHING_SOLD, SHOP_TOOLS, surfaces } from "./surfaces.ts";

const GATES = ["processor", "rail", "settlement", "policy", "wallet"] as const;
type Gate = (typeof GATES)[number];
/** Every way in which gates can be open or shut. */
const COMBINATIONS = Array.from({ length: 2 ** GATES.length }, (_, n) =>
  GATES.filter((_gate, i) => (n >> i) % 2 === 1),
);

describe.each(TIER_DATABASES)("checkout and its five gates, on %s:", (dialect) => {
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
    const provider = {
      ...live,
      railOn: has("rail"),
      settles: has("settlement"),
      walletMerchantId: has("wallet") ? "BCR2DN4T" : null,
    };
    clock.advance(1000);
    await server.context.db.transaction(async (tx) => {
      const site = await siteByHash(tx, shop.site_key_hash);
      if (site === undefined) throw new Error("the site is gone");
      const changed = { provider: has("processor") ? provider : null };
      await updateSite(tx, { ...site, ...changed, policyPublished: has("policy") }, clock.now());
    });
  }

  test(`in all ${COMBINATIONS.length} combinations it is advertised, listed and served exactly if all are open`, async () => {
    for (const open of COMBINATIONS) {
      await set(open);
      const all = open.length === GATES.length;
      const wanted = all
        ? {
            checkout: true,
            handlers: ["com.google.pay"],
            transports: 2,
            edge: true,
            wallet: expect.objectContaining({
              environment: "PRODUCTION",
              merchant_info: expect.objectContaining({ merchant_id: "BCR2DN4T" }),
            }),
            skills: Array(4).fill(SHOP_TOOLS),
            pointed: [true, true, true, true],
          }
        : NOTHING_SOLD;
      expect(await surfaces(server, shop), open.join(" ")).toEqual(wanted);
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
