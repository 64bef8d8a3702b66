import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { createContext } from "../../src/context.ts";
import { PURCHASE_POINTS } from "../../src/infra/crash-points.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { startNode } from "../audit/node-process.ts";
import { DATABASES, freshEnvironment } from "../harness.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { headingOf, PageBuyer, TYPED } from "./buyer.ts";
import { ROSE } from "./buying.ts";
import { openShop } from "./crash-shop.ts";
import { Platform } from "./platform.ts";

/** A sample in `npm run test:release`; `npm run test:long` asks for the full count. */
const ROUNDS = Number(process.env.DECIDE_CRASH_ROUNDS ?? 0);
/** More than the service dies. */
const ROSES = 500;
const MINUTE_MS = 60_000;
const THANKS = "Thank you for your order";

const COMMITS = ["audit.bodies_run", "audit.heads_moved", "audit.committed", "audit.released"];
const pressed = (point: string, times = 1) => ({ point, times, when: "pressed" as const });
const returned = (point: string) => ({ point, times: 1, when: "returned" as const });

/**
 * While the payment page is opened there are two commits: the intent, and the address of the page. When the
 * buyer has paid and comes back, one commit makes the order.
 */
const DEATHS = [
  ...PURCHASE_POINTS.filter((point) => point !== "decide.released").map((point) => pressed(point)),
  returned("audit.committed"),
  ...Array.from({ length: ROUNDS }, () => [
    ...COMMITS.flatMap((point) => [pressed(point, 1), pressed(point, 2)]),
    ...COMMITS.map(returned),
  ]).flat(),
];

const payPageIn = (html: string) => /href="([^"]*\/v1\/sandbox\/payments\/[^"]*)"/.exec(html)?.[1];

/** Goes on as somebody would who loads the page again after the service was away. */
async function finish(buyer: PageBuyer): Promise<string | undefined> {
  const html = await buyer.look();
  if (headingOf(html) === THANKS) return THANKS;
  const page = payPageIn(html) ?? (await buyer.press("pay", TYPED)).location;
  return headingOf(await buyer.pay(page));
}

describe("a service killed at every named point while a person pays,", () => {
  test.each(DATABASES)(
    "on %s, charges once for every order, and nothing besides",
    async (dialect) => {
      const platform = await Platform.start();
      onTestFinished(() => platform.stop());
      const base = { ...(await freshEnvironment(dialect)), GATEHOUSE_FETCH_ALLOW: platform.host };
      const env = { ...base, GATEHOUSE_BASE_URL: "http://127.0.0.1:9" };
      let aheadMs = 0;
      const start = () => startNode({ ...env, CLOCK_AHEAD_MS: String(aheadMs) });
      let node = await start();
      const shop = await openShop(node, { roses: ROSES });
      for (const { when, ...death } of DEATHS) {
        const url = `${node.url}/v1/ucp/${shop.site_key_hash}/checkout-sessions`;
        const headers = { "idempotency-key": randomUUID() };
        const made = await platform.call(url, ROSE, { headers });
        const buyer = new PageBuyer(node.url, made.body.continue_url);
        await buyer.look();
        let act: () => Promise<unknown> = () => buyer.press("pay", TYPED);
        if (when === "returned") {
          const { location } = await buyer.press("pay", TYPED);
          const paid = await buyer.ask(location, new URLSearchParams({ answer: "confirm" }));
          act = () => buyer.ask(paid.location);
        }
        await node.ask(death);
        await act().catch(() => undefined);
        expect(await node.died, `${death.point} was passed`).toBe("SIGKILL");
        aheadMs += MINUTE_MS;
        node = await start();
        buyer.base = node.url;
        await node.ask({ reconcile: true });
        expect([death.point, when, await finish(buyer)]).toEqual([death.point, when, THANKS]);
      }
      expect(await findingsOfSite(node, shop.site_key_hash)).toEqual([]);
      node.child.kill("SIGKILL");
      await node.died;
      const context = await createContext(readConfig(env));
      await expectBooksAgree(context, shop as never, { rose: ROSES });
      const sql = "SELECT COUNT(*) AS orders FROM orders";
      expect(await context.db.get(sql)).toEqual({ orders: DEATHS.length });
      await context.close();
    },
  );
});
