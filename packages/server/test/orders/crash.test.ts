import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { OUTBOX_POINTS } from "../../src/infra/crash-points.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { startNode } from "../audit/node-process.ts";
import { DATABASES, freshEnvironment } from "../harness.ts";
import type { Received } from "../notifications/receiver.ts";
import { lines, paying, ROSE } from "../ucp/buying.ts";
import { openShop } from "../ucp/crash-shop.ts";
import { isShopsNews, Platform } from "../ucp/platform.ts";

/** A sample in `npm run test:release`; `npm run test:long` asks for the full count. */
const ROUNDS = Number(process.env.OUTBOX_CRASH_ROUNDS ?? 1);
/** Of these there are as many as anybody wants. */
const VASE = { ...ROSE, ...lines(["vase", 1]) };
/** Longer than a try may take: what a dead process was at is tried again. */
const AHEAD_MS = 120_000;
const MS_MAX = 60_000 * (1 + ROUNDS);

/** Where a process dies: before the sale is written, when it is, and while it is told. */
const DEATHS = Array.from({ length: ROUNDS }, () => [
  { point: "decide.asked", times: 1, from: "sale" },
  { point: "decide.ended", times: 1, from: "sale" },
  ...OUTBOX_POINTS.map((point) => ({ point: point as string, times: 1, from: "sale" })),
  { point: "audit.bodies_run", times: 1, from: "shipping" },
  { point: "audit.committed", times: 1, from: "shipping" },
  ...OUTBOX_POINTS.map((point) => ({ point: point as string, times: 1, from: "shipping" })),
]).flat();

const bodyOf = ({ body }: Received) => JSON.parse(body);
const idOf = ({ headers }: Received) => headers["webhook-id"];
const eventsIn = (one: Received) => (bodyOf(one).fulfillment.events ?? []).length;

describe("a service killed while it notifies a platform of its orders", () => {
  test.each(DATABASES)(
    "on %s loses nothing: each change is sent in order, with the same bytes under the same id",
    async (dialect) => {
      const platform = await Platform.start();
      onTestFinished(() => platform.stop());
      platform.wantsNews();
      const base = { ...(await freshEnvironment(dialect)), GATEHOUSE_FETCH_ALLOW: platform.host };
      const env = { ...base, GATEHOUSE_BASE_URL: "http://127.0.0.1:9" };
      let aheadMs = 0;
      const start = () => startNode({ ...env, CLOCK_AHEAD_MS: String(aheadMs) });
      let node = await start();
      const shop = await openShop(node);
      const path = `/v1/admin/sites/${shop.site_key_hash}`;
      const call = (rest: string, body: unknown, key: string) =>
        platform.call(`${node.url}/v1/ucp/${shop.site_key_hash}/checkout-sessions${rest}`, body, {
          headers: { "idempotency-key": key },
        });
      /** Resolves once the platform has heard that an order is so far. */
      const heard = (orderId: string, events: number) =>
        new Promise<void>((resolve) => {
          const look = () =>
            platform.news.some((one) => bodyOf(one).id === orderId && eventsIn(one) === events);
          platform.takes = (response) => {
            response.end();
            if (look()) resolve();
          };
          if (look()) resolve();
        });
      const ship = (orderId: string) =>
        node.admin("POST", `${path}/orders/${orderId}/ship`, { type: "processing" });
      const again = async () => {
        expect(await node.died, "the point was passed").toBe("SIGKILL");
        aheadMs += AHEAD_MS;
        node = await start();
      };
      const orders: string[] = [];
      for (const { point, times, from } of DEATHS) {
        const made = await call("", VASE, randomUUID());
        const complete = [`/${made.body.id}/complete`, paying(), randomUUID()] as const;
        if (from === "sale") {
          await node.ask({ point, times });
          await call(...complete).catch(() => undefined);
          await again();
          await node.ask({ reconcile: true });
        }
        const { body } = await call(...complete);
        expect(body.status).toBe("completed");
        const orderId = body.order.id as string;
        orders.push(orderId);
        await heard(orderId, 0);
        if (from === "shipping") await node.ask({ point, times });
        const shipped = await ship(orderId).then(
          ({ status }) => status,
          () => 0,
        );
        if (from === "shipping") {
          await again();
          const now = await (await node.admin("GET", `${path}/orders/${orderId}`)).json();
          // Not written, it was not answered either: whoever asked asks again.
          if ((now as { revision: number }).revision === 1) {
            expect(shipped).not.toBe(200);
            expect((await ship(orderId)).status).toBe(200);
          }
        }
        await heard(orderId, 1);
      }
      const profile = await fetch(`${node.url}/v1/ucp/${shop.site_key_hash}/profile`);
      const { keys } = (await profile.json()) as { keys: never[] };
      for (const orderId of orders) {
        const told = platform.news.filter((one) => bodyOf(one).id === orderId);
        // Sent again is only what nobody has written down as sent; nothing overtakes anything.
        expect(told.map(eventsIn)).toEqual(told.map(eventsIn).toSorted());
        const bytes = new Map(told.map((one) => [idOf(one), one.body]));
        expect(bytes.size).toBe(2);
        for (const one of told) {
          expect(bytes.get(idOf(one))).toBe(one.body);
          expect(await isShopsNews({ keys }, one)).toBe(true);
        }
      }
      expect(await findingsOfSite(node, shop.site_key_hash)).toEqual([]);
    },
    MS_MAX,
  );
});
