import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { CHANGE_POINTS } from "../../src/infra/crash-points.ts";
import { startNode } from "../audit/node-process.ts";
import { DATABASES, freshEnvironment } from "../harness.ts";
import { lines, paying, ROSE } from "../ucp/buying.ts";
import { openShop } from "../ucp/crash-shop.ts";
import { Platform } from "../ucp/platform.ts";

const VASE = { ...ROSE, ...lines(["vase", 1]) };
/** Longer than a try may take: what a dead process was at is tried again. */
const AHEAD_MS = 120_000;

describe("a service killed while it captures or refunds", () => {
  test.each(DATABASES)(
    "on %s does it once after it started again, and the order says so",
    async (dialect) => {
      const platform = await Platform.start();
      onTestFinished(() => platform.stop());
      const base = { ...(await freshEnvironment(dialect)), GATEHOUSE_FETCH_ALLOW: platform.host };
      const env = { ...base, GATEHOUSE_BASE_URL: "http://127.0.0.1:9" };
      let aheadMs = 0;
      const start = () => startNode({ ...env, CLOCK_AHEAD_MS: String(aheadMs) });
      let node = await start();
      const shop = await openShop(node);
      const call = (rest: string, body: unknown) =>
        platform.call(`${node.url}/v1/ucp/${shop.site_key_hash}/checkout-sessions${rest}`, body, {
          headers: { "idempotency-key": randomUUID() },
        });
      const { body: checkout } = await call("", VASE);
      const { body } = await call(`/${checkout.id}/complete`, paying());
      const path = `/v1/admin/sites/${shop.site_key_hash}/orders/${body.order.id}`;
      const killed = async (point: string, verb: string, wish: object) => {
        const { revision } = await (await node.admin("GET", path)).json();
        await node.ask({ point, times: 1 });
        await node.admin("POST", `${path}/${verb}`, { ...wish, revision }).catch(() => undefined);
        expect(await node.died, "the point was passed").toBe("SIGKILL");
        aheadMs += AHEAD_MS;
        node = await start();
        await node.ask({ reconcile: true });
        return (await node.admin("GET", path)).json();
      };
      const order = await killed("change.asked", "capture", {});
      expect(order).toMatchObject({ payment: "captured" });
      for (const [i, point] of CHANGE_POINTS.entries()) {
        const shown = await killed(point, "refund", { amount_minor: 100 });
        expect([point, shown.refunded_minor]).toEqual([point, 100 * (i + 1)]);
        expect(shown.payment_facts.changes.at(-1)).toMatchObject({ status: "completed" });
      }
    },
    120_000,
  );
});
