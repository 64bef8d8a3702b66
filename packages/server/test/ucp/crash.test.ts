import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { createContext } from "../../src/context.ts";
import { CHECKOUT_POINT, PURCHASE_POINTS } from "../../src/infra/crash-points.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { startNode } from "../audit/node-process.ts";
import { DATABASES, freshEnvironment } from "../harness.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { paying, ROSE } from "./buying.ts";
import { openShop } from "./crash-shop.ts";
import { Platform } from "./platform.ts";

/** A sample in `npm run test:release`; `npm run test:long` asks for the full count. */
const ROUNDS = Number(process.env.DECIDE_CRASH_ROUNDS ?? 0);
const MINUTE_MS = 60_000;

/** The first commit of a completion is its intent, the second its outcome. */
const COMMITS = ["audit.bodies_run", "audit.heads_moved", "audit.committed", "audit.released"];
const DEATHS = [
  ...[...PURCHASE_POINTS.filter((point) => point !== "decide.released"), CHECKOUT_POINT].map(
    (point) => ({ point: point as string, times: 1 }),
  ),
  ...Array.from({ length: ROUNDS }, () =>
    COMMITS.flatMap((point) => [1, 2].map((times) => ({ point, times }))),
  ).flat(),
];

describe("a service killed at every named point of a completion,", () => {
  test.each(DATABASES)(
    "on %s, has no order without an authorization and no authorization without an order",
    async (dialect) => {
      const platform = await Platform.start();
      onTestFinished(() => platform.stop());
      const base = { ...(await freshEnvironment(dialect)), GATEHOUSE_FETCH_ALLOW: platform.host };
      const env = { ...base, GATEHOUSE_BASE_URL: "http://127.0.0.1:9" };
      let aheadMs = 0;
      const start = () => startNode({ ...env, CLOCK_AHEAD_MS: String(aheadMs) });
      let node = await start();
      const shop = await openShop(node);
      const call = (path: string, body: unknown, key: string) =>
        platform.call(`${node.url}/v1/ucp/${shop.site_key_hash}/checkout-sessions${path}`, body, {
          headers: { "idempotency-key": key },
        });
      const sent: { readonly path: string; readonly key: string }[] = [];
      for (const death of DEATHS) {
        const made = await call("", ROSE, randomUUID());
        const completion = { path: `/${made.body.id}/complete`, key: randomUUID() };
        sent.push(completion);
        await node.ask(death);
        await call(completion.path, paying(), completion.key).catch(() => undefined);
        expect(await node.died, `${death.point} was passed`).toBe("SIGKILL");
        aheadMs += MINUTE_MS;
        node = await start();
        await node.ask({ reconcile: true });
        // Decided or not when the process died: the same request again is completed, once.
        const again = await call(completion.path, paying(), completion.key);
        expect([again.status, again.body.status]).toEqual([200, "completed"]);
      }
      const orders = new Set<string>();
      for (const { path, key } of sent) {
        orders.add((await call(path, paying(), key)).body.order.id);
      }
      expect(orders.size).toBe(sent.length);
      expect(await findingsOfSite(node, shop.site_key_hash)).toEqual([]);
      node.child.kill("SIGKILL");
      await node.died;
      const context = await createContext(readConfig(env));
      await expectBooksAgree(context, shop as never, { rose: 50 });
      await context.close();
    },
  );
});
