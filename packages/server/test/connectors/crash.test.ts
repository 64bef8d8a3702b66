import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { readConfig } from "../../src/config/config.ts";
import { createContext } from "../../src/context.ts";
import { systemClock } from "../../src/infra/clock.ts";
import { CHECKOUT_POINT, PURCHASE_POINTS, RESERVED_POINT } from "../../src/infra/crash-points.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { startNode } from "../audit/node-process.ts";
import { DATABASES, freshEnvironment } from "../harness.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { BUYER, lines, paying, sent } from "../ucp/buying.ts";
import { openShop } from "../ucp/crash-shop.ts";
import { Platform } from "../ucp/platform.ts";
import type { Json } from "./shop-in-memory.ts";
import { ShopStandIn } from "./shop-stand-in.ts";

/** A sample in `npm run test:release`; `npm run test:long` asks for the full count. */
const ROUNDS = 1 + Number(process.env.DECIDE_CRASH_ROUNDS ?? 0);
const MINUTE_MS = 60_000;
/** Each death starts another process. */
const TEST_MS_MAX = (3 + 2 * ROUNDS) * MINUTE_MS;
const STOCK = 500;
const ROSE = { ...lines(["rose", 1]), buyer: BUYER, ...sent("parcel") };

const POINTS = [
  RESERVED_POINT,
  ...PURCHASE_POINTS.filter((point) => point !== "decide.released"),
  CHECKOUT_POINT,
];
/** Where a process can die that has no answer to a reservation. */
const UNANSWERED_POINTS = [RESERVED_POINT, "decide.asked", "decide.ended", CHECKOUT_POINT];
const DEATHS = Array.from({ length: ROUNDS }, () => POINTS).flat();

describe("a service that sells for a shop system, killed at every named point of a completion,", () => {
  test.each(DATABASES)(
    "on %s, gives the shop each paid order once, and frees what was not paid",
    async (dialect) => {
      let aheadMs = 0;
      const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
      const platform = await Platform.start();
      onTestFinished(() => platform.stop());
      const system = await ShopStandIn.start(clock);
      onTestFinished(() => system.stop());
      system.reset();
      system.stock = { rose: STOCK };
      const env = {
        ...(await freshEnvironment(dialect)),
        GATEHOUSE_FETCH_ALLOW: [platform.host, system.host, system.domain].join(","),
        GATEHOUSE_BASE_URL: "http://127.0.0.1:9",
      };
      const start = () => startNode({ ...env, CLOCK_AHEAD_MS: String(aheadMs) });
      let node = await start();
      const shop = await openShop(node, { roses: STOCK, domain: system.domain });
      const codes = `/v1/admin/sites/${shop.site_key_hash}/shop-connection/codes`;
      const { code } = (await (await node.admin("POST", codes, {})).json()) as Json;
      expect((await system.connectWith(node, code)).status).toBe(201);
      // All rounds happen within a day, and a platform that nobody admitted could not buy as much.
      const pool = { spend_per_day: { EUR: "100000.00" }, purchases_per_day: STOCK };
      await node.admin("PATCH", `/v1/admin/sites/${shop.site_key_hash}/platform-settings`, {
        pool,
      });
      const call = (path: string, body: unknown, key: string) =>
        platform.call(`${node.url}/v1/ucp/${shop.site_key_hash}/checkout-sessions${path}`, body, {
          headers: { "idempotency-key": key },
        });
      /** Completes a new checkout in a process that dies at a point, and once more in the next process. */
      const completed = async (point: string, payment: object, unanswered?: "silent") => {
        const made = await call("", ROSE, randomUUID());
        const completion = { path: `/${made.body.id}/complete`, key: randomUUID() };
        await node.ask({ point, times: 1 });
        system.spoil = unanswered === undefined ? {} : { reserve: unanswered };
        const answer = await call(completion.path, payment, completion.key).catch(() => "none");
        expect(answer, `the answer of a process killed at ${point}`).toBe("none");
        expect(await node.died).toBe("SIGKILL");
        system.spoil = {};
        aheadMs += MINUTE_MS;
        node = await start();
        await node.ask({ reconcile: true });
        return (await call(completion.path, payment, completion.key)).body;
      };
      const orderIds = new Set<string>();
      for (const point of DEATHS) {
        const { status, order } = await completed(point, paying());
        expect([point, status]).toEqual([point, "completed"]);
        orderIds.add(order.id);
      }
      const declined = await completed(RESERVED_POINT, paying("pm_card_chargeDeclined"));
      expect(declined.status).not.toBe("completed");
      // The shop reserves, and its answer is lost; it answers again when the next process has started.
      for (const point of Array.from({ length: ROUNDS }, () => UNANSWERED_POINTS).flat()) {
        const shown = await completed(point, paying(), "silent");
        const isOpen = shown.status === "ready_for_complete";
        const path = `/${shown.id}/complete`;
        const done = isOpen ? (await call(path, paying(), randomUUID())).body : shown;
        expect([point, done.status]).toEqual([point, "completed"]);
        orderIds.add(done.order.id);
      }
      expect(await findingsOfSite(node, shop.site_key_hash)).toEqual([]);
      node.child.kill("SIGKILL");
      await node.died;

      // Whatever the jobs had not sent yet when the last process died.
      const context = await createContext(readConfig(env), { clock });
      aheadMs += MINUTE_MS;
      await deliverMessages(context);
      await deliverMessages(context);
      const sold = DEATHS.length + ROUNDS * UNANSWERED_POINTS.length;
      expect(orderIds.size).toBe(sold);
      expect([...system.orders.keys()].sort()).toEqual([...orderIds].sort());
      expect([system.stock.rose, system.reservations.size]).toEqual([STOCK - sold, 0]);
      await expectBooksAgree(context, shop as never, { rose: STOCK });
      await context.close();
    },
    TEST_MS_MAX,
  );
});
