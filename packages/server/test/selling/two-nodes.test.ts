import { beforeAll, expect, test, vi } from "vitest";
import { changePrices } from "../../src/actions/products/change-prices.ts";
import { dueSales } from "../../src/domain/products/sales/store.ts";
import { answerOf, cleanUp, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import { PRODUCTS, selling } from "./selling.ts";

/** Two processes behind one address, on one database. */
let nodes: readonly [TestServer, TestServer];
let at: ReturnType<typeof selling>;
beforeAll(async () => {
  const env = {
    ...(await freshEnvironment("postgres")),
    GATEHOUSE_BASE_URL: "http://127.0.0.1:9",
    GATEHOUSE_MANDATES_PER_SITE_PER_MINUTE: "1000",
    GATEHOUSE_MANDATES_PER_AGENT_PER_MINUTE: "1000",
  };
  const first = await startServer(env);
  nodes = [first, await startServer(env)];
  for (const { context } of nodes) await context.jobs.stop();
  at = selling(first);
  return cleanUp;
});

/** Times an agent asks again before it gives up. */
const TRIES_MAX = 20;

/** As an agent does that hears on a busy machine that nobody can say now: the same bytes once more. */
async function sendTo(node: TestServer | undefined, siteKey: string, body: unknown) {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`${node?.url}/v1/m/${siteKey}/mandate`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await answerOf(response);
    if (answer.status !== 503 || tries === TRIES_MAX) return answer;
  }
}

test("fifty copies of one order on two nodes lead to one charge, one order and one body", async () => {
  const shop = await at.shop();
  const body = await at.signed(shop, await at.buyer(shop));
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => sendTo(nodes[n % 2], shop.site_key, body)),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(await at.records(shop)).toHaveLength(1);
  expect(await at.records(shop, "payment.outcome")).toHaveLength(1);
  expect(await at.orders(shop)).toHaveLength(1);
  expect(await at.authorizations(shop)).toHaveLength(1);
});

test("many concurrent buyers of the last item lead to one order and no other authorization", async () => {
  const shop = await at.shop();
  const fields = { items: [{ id: "last", quantity: 1 }], total: "20.00" };
  const bodies = await Promise.all(
    Array.from({ length: 10 }, async () => at.signed(shop, await at.buyer(shop), fields)),
  );
  const answers = await Promise.all(
    bodies.map((body, n) => sendTo(nodes[n % 2], shop.site_key, body)),
  );
  const reasons = answers.map(({ body }) => body.reason ?? body.outcome).sort();
  expect(reasons).toEqual(["approved", ...Array(9).fill("out_of_stock")]);
  expect(await at.orders(shop)).toHaveLength(1);
  expect(await at.authorizations(shop)).toHaveLength(1);
  expect(await at.product(shop, "last")).toMatchObject({ quantity: 0, reserved: 0 });
});

test("with a budget of 1,000, ten of a hundred concurrent orders of 100 on two nodes are charged", async () => {
  const spend = { scope: "site", window: "P1D", would_exceed: { EUR: "1000.00" } };
  const rules = [
    { id: "all", effect: "allow", when: { skill: { exists: true } } },
    { id: "day", effect: "deny", when: { all: [{ skill: { eq: "place_order" } }, { spend }] } },
  ];
  const shop = await at.shop({
    policy: "rules/1",
    timezone: "UTC",
    default: "deny",
    rules,
  } as never);
  const buyers = await Promise.all(Array.from({ length: 10 }, () => at.buyer(shop)));
  const bodies = await Promise.all(
    Array.from({ length: 100 }, (_, n) => at.signed(shop, buyers[n % 10] as never)),
  );
  const answers = await Promise.all(
    bodies.map((body, n) => sendTo(nodes[n % 2], shop.site_key, body)),
  );
  const said = answers.map(({ status, body }) => `${status} ${body.reason ?? body.outcome}`).sort();
  expect(said).toEqual([
    ...Array(10).fill("200 approved"),
    ...Array(90).fill("403 budget_exceeded"),
  ]);
  expect(await at.authorizations(shop)).toHaveLength(10);
});

/** Resolves once as many transactions wait for somebody else's rows. */
async function untilWaiting(transactions: number): Promise<void> {
  const sql = `SELECT COUNT(*) AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await vi.waitFor(
    async () => {
      const row = await nodes[1].context.db.get<{ waiting: number }>(sql);
      if (Number(row?.waiting) < transactions) throw new Error("nobody waits yet");
    },
    { timeout: 10_000, interval: 10 },
  );
}

test("an import and an order on the same products do not deadlock", async () => {
  const shop = await at.shop();
  const products = ["a", "b", "c"].map((id) => ({ ...PRODUCTS[1], id }));
  await at.importLines(shop, products);
  const items = ["a", "c"].map((id) => ({ id, quantity: 1 }));
  const body = await at.signed(shop, await at.buyer(shop), { items, total: "25.00" });
  let importing: Promise<unknown> | undefined;
  let ordering: Promise<{ readonly status: number }> | undefined;
  await nodes[1].context.db.transaction(async (tx) => {
    // Whoever comes from the end has the last product by then, and waits in the middle for this.
    await tx.lock("SELECT * FROM products WHERE product_id = 'b'");
    importing = at.importLines(shop, [...products].reverse());
    await untilWaiting(1);
    ordering = sendTo(nodes[0], shop.site_key, body);
    await untilWaiting(2);
  });
  await importing;
  expect((await ordering)?.status).toBe(200);
  // Had they, the database would have ended one of them, to be tried again.
  const sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
  expect(await nodes[0].context.db.all(sql)).toEqual([{ deadlocks: 0 }]);
});

test("an import and the job that changes sale prices do not deadlock", async () => {
  const shop = await at.shop();
  const { context } = nodes[0];
  // PostgreSQL compares code points, and has the last of these before the first.
  const ids = ["\u{1f339}", "\uff20", "\uff21"];
  const soon = new Date(context.clock.now() + 500).toISOString();
  const sale = { sale_price: "0.50", sale_until: soon };
  const products = ids.map((id, n) => ({ ...PRODUCTS[1], id, ...(n === 1 ? {} : sale) }));
  await at.importLines(shop, products);
  const due = async () => (await dueSales(context.db, context.clock.now(), 10)).length;
  await vi.waitFor(async () => expect(await due()).toBe(2));
  let importing: Promise<unknown> | undefined;
  let changing: Promise<void> | undefined;
  await nodes[1].context.db.transaction(async (tx) => {
    await tx.lock("SELECT * FROM products WHERE product_id = ?", ids[1] as string);
    importing = at.importLines(shop, products);
    await untilWaiting(1);
    changing = changePrices(context, () => false);
    await untilWaiting(2);
  });
  await Promise.all([importing, changing]);
  const sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
  expect(await context.db.all(sql)).toEqual([{ deadlocks: 0 }]);
});

test("an id that no product can have is refused and recorded on PostgreSQL too", async () => {
  const shop = await at.shop();
  const items = [{ id: "ro\u0000se", quantity: 1 }];
  const answer = await sendTo(
    nodes[0],
    shop.site_key,
    await at.signed(shop, await at.buyer(shop), { items }),
  );
  expect([answer.status, answer.body.reason]).toEqual([400, "cart_invalid"]);
  const { result } = await at.call(shop, { items });
  expect(result.structuredContent.outcome).toBe("mandate_required");
  expect(await at.records(shop, "mcp.tools_call")).toHaveLength(1);
});

test("a pause on one node applies to the other at once, and its surfaces show it", async () => {
  const shop = await at.shop();
  const buyer = await at.buyer(shop);
  const send = async (node: TestServer | undefined) =>
    sendTo(node, shop.site_key, await at.signed(shop, buyer));
  const [, second] = nodes;
  expect((await send(second)).body.outcome).toBe("approved");
  const listed = async () =>
    (await (await fetch(`${second.url}/v1/agent-card/${shop.site_key}.json`)).text()).includes(
      "place_order",
    );
  expect(await listed()).toBe(true);
  await shop.admin("POST", "/pause", {});
  expect((await send(second)).body.reason_code).toBe("site_paused");
  await vi.waitFor(async () => expect(await listed()).toBe(false));
  await shop.admin("POST", "/resume", {});
  expect((await send(second)).body.outcome).toBe("approved");
  await vi.waitFor(async () => expect(await listed()).toBe(true));
});

test("twenty declined cards, alternating between two nodes, lock an agent on both", async () => {
  const shop = await at.shop();
  const buyer = await at.buyer(shop);
  const reasons: string[] = [];
  for (let n = 0; n < 24; n++) {
    const body = await at.signed(shop, buyer, { token: `pm_card_stolen_${n}` });
    reasons.push((await sendTo(nodes[n % 2], shop.site_key, body)).body.reason);
  }
  expect(reasons).toEqual([
    ...Array(20).fill("payment_declined"),
    ...Array(4).fill("agent_temporarily_locked"),
  ]);
  expect(await at.authorizations(shop, "declined")).toHaveLength(20);
});
