import { signMandate } from "@gatehouse/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { createContext } from "../../src/context.ts";
import { PURCHASE_POINTS } from "../../src/infra/crash-points.ts";
import { newKey } from "../agents/registering.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { type NodeProcess, startNode } from "../audit/node-process.ts";
import { DATABASES, freshEnvironment } from "../harness.ts";
import { newMandateId } from "../mandates/submitting.ts";
import { expectBooksAgree } from "./books.ts";
import { type PaidBy, paidBySandbox, paidByStripe } from "./paid-by.ts";
import { type Cart, cart, ORDER_POLICY, PRODUCTS } from "./selling.ts";

/** A sample in `npm run test:release`; `npm run test:long` asks for the full count. */
const ROUNDS = Number(process.env.DECIDE_CRASH_ROUNDS ?? 0);
const MINUTE_MS = 60_000;

/** The first commit of an order is its intent, the second its outcome. */
const COMMITS = ["audit.bodies_run", "audit.heads_moved", "audit.committed", "audit.released"];
const DEATHS = [
  { point: "decide.intended", times: 1 },
  { point: "decide.asked", times: 1 },
  { point: "decide.ended", times: 1 },
  ...Array.from({ length: ROUNDS }, () =>
    COMMITS.flatMap((point) => [1, 2].map((times) => ({ point, times }))),
  ).flat(),
];

const PROCESSORS = { sandbox: async () => paidBySandbox(), stripe: () => paidByStripe() };
const CASES = DATABASES.flatMap((dialect) =>
  (["sandbox", "stripe"] as const).map((processor) => [processor, dialect] as const),
);

describe("a service killed at every named point of a payment", () => {
  test.each(CASES)(
    "through %s on %s charges no mandate twice, approves none without payment, and has consistent books",
    async (processor, dialect) => {
      const paidBy = await PROCESSORS[processor]();
      onTestFinished(() => paidBy.stop());
      const env = {
        ...(await freshEnvironment(dialect)),
        ...paidBy.env,
        GATEHOUSE_BASE_URL: "http://127.0.0.1:9",
      };
      let aheadMs = 0;
      const start = () => startNode({ ...env, CLOCK_AHEAD_MS: String(aheadMs) });
      /** Starts again, so much later that whatever was left open is due. */
      const restart = async (node: NodeProcess) => {
        node.child.kill("SIGKILL");
        await node.died;
        aheadMs += MINUTE_MS;
        return start();
      };
      let node = await start();
      const { shop, order } = await openShop(node, paidBy, () => Date.now() + aheadMs);
      const sent: unknown[] = [];
      for (const death of DEATHS) {
        await node.ask(death);
        const body = await order();
        sent.push(body);
        await send(node, shop.site_key, body).catch(() => undefined);
        expect(await node.died, `${death.point} was passed`).toBe("SIGKILL");
        node = await restart(node);
        await node.ask({ reconcile: true });
        // Decided or not when the process died: the same bytes again are approved, once.
        expect(await send(node, shop.site_key, body)).toEqual({ status: 200, outcome: "approved" });
      }
      // The last one: authorized unheard, sold elsewhere meanwhile, and killed between its release
      // and the record of it.
      const lost = await order({
        items: [{ id: "last", quantity: 1 }],
        total: "20.00",
        ...paidBy.unheard(),
      });
      expect((await send(node, shop.site_key, lost)).status).toBe(503);
      paidBy.heard();
      const sold = PRODUCTS.filter(({ id }) => id !== "last");
      const left = 50 - (await orderCount(node, shop.site_key_hash));
      const products = sold.map((one) => (one.id === "rose" ? { ...one, quantity: left } : one));
      await node.admin("PUT", `/v1/admin/sites/${shop.site_key_hash}/products`, { products });
      node = await restart(node);
      await node.ask({ point: "decide.released", times: 1 });
      await Promise.race([node.ask({ reconcile: true }), node.died]);
      expect(await node.died).toBe("SIGKILL");
      node = await restart(node);
      await node.ask({ reconcile: true });

      for (const body of sent) {
        const { status, outcome } = await send(node, shop.site_key, body);
        expect([status, outcome]).toEqual([200, "approved"]);
      }
      expect((await send(node, shop.site_key, lost)).status).toBe(403);
      expect(await orderCount(node, shop.site_key_hash)).toBe(sent.length);
      expect(await findingsOfSite(node, shop.site_key_hash)).toEqual([]);
      node.child.kill("SIGKILL");
      await node.died;
      const context = await createContext(readConfig(env));
      await expectBooksAgree(context, shop as never, { rose: 50 }, paidBy);
      await context.close();
    },
  );

  test("covers exactly the named points of a payment", () => {
    const named = [...DEATHS.map(({ point }) => point), "decide.released"];
    expect(PURCHASE_POINTS.filter((point) => !named.includes(point))).toEqual([]);
  });
});

async function openShop(node: NodeProcess, paidBy: PaidBy, now: () => number) {
  const json = async (method: string, path: string, body: unknown) =>
    // biome-ignore lint/suspicious/noExplicitAny: what the interface answers
    (await (await node.admin(method, path, body)).json()) as any;
  const shop = await json("POST", "/v1/admin/sites", { domain: "shop.example", name: "Shop" });
  const path = `/v1/admin/sites/${shop.site_key_hash}`;
  await json("POST", `${path}/verify`, { method: "operator", reason: "a test" });
  await json("PUT", `${path}/skills`, { skills: [{ id: "place_order", enabled: true }] });
  await json("PUT", `${path}/policy`, ORDER_POLICY);
  await json("PUT", `${path}/processor`, paidBy.connect());
  await json("PUT", `${path}/products`, { products: PRODUCTS });
  const key = await newKey();
  const { agent_id } = await json("POST", `${path}/agents`, { name: "Buyer", jwk: key.jwk });
  const order = (fields: Cart = {}) => {
    const signed = {
      v: 1,
      mandate_id: newMandateId(),
      agent_id,
      site_key: shop.site_key,
      audience: `http://127.0.0.1:9/v1/m/${shop.site_key}/mandate`,
      issued_at: new Date(now()).toISOString(),
      expires_at: new Date(now() + 5 * MINUTE_MS).toISOString(),
      ...cart({ ...paidBy.cart, ...fields }),
    };
    return signMandate(signed, key.signer);
  };
  return { shop, order };
}

async function orderCount(node: NodeProcess, site: string): Promise<number> {
  const answer = await node.admin("GET", `/v1/admin/sites/${site}/orders?limit=200`);
  return ((await answer.json()) as { items: unknown[] }).items.length;
}

async function send(node: NodeProcess, siteKey: string, body: unknown) {
  const answer = await fetch(`${node.url}/v1/m/${siteKey}/mandate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { outcome } = (await answer.json()) as { outcome: string };
  return { status: answer.status, outcome };
}
