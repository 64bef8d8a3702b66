import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../server/src/infra/clock.ts";
import { ShopStandIn } from "../../server/test/connectors/shop-stand-in.ts";
import type { TestServer } from "../../server/test/harness.ts";
import type { ContractFinding } from "../src/connector-check/finding.ts";
import { command } from "./command.ts";

let shop: ShopStandIn;
let port: number;
/** Whether the command has answered. When it refuses connections after that, it has ended. */
let isReached = false;
beforeEach(async () => {
  shop = await ShopStandIn.start(new ManualClock(Date.now()));
  shop.connectionId = "con_test";
  isReached = false;
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  port = (probe.address() as AddressInfo).port;
  probe.close();
  return () => shop.stop();
});

const listen = (...more: string[]) =>
  command(
    [
      "connector",
      "listen",
      "--secret",
      shop.secret,
      "--port",
      String(port),
      "--minutes",
      "1",
      ...more,
    ],
    {},
  );

/** Sends a message as a shop system does; waits for the command to listen first. */
async function send(
  path: "products" | "orders" | "status",
  message: object,
  signing: object = {},
): Promise<{ readonly status: number; readonly body: { readonly state?: string } }> {
  for (;;) {
    try {
      const server = { url: `http://127.0.0.1:${port}` } as TestServer;
      const answer = await shop.send(server, path, message as Record<string, unknown>, signing);
      isReached = true;
      return answer;
    } catch (error) {
      if (isReached || !/ECONNREFUSED/.test(String((error as Error).cause ?? error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const rose = { id: "rose", version: 5, title: "Rose", price: "2.00", currency: "EUR" };
const products = (list: readonly object[], sync?: object) =>
  send("products", { type: "products", products: list, ...(sync && { sync }) });
const change = (event_id: string, more: object = {}) =>
  send("orders", {
    type: "order.change",
    event_id,
    order_id: "ord_1",
    change: { kind: "sent", lines: null, ...more },
  });

/** Everything that a right shop system sends. */
async function sendRight(): Promise<readonly unknown[]> {
  const lost = await products([rose]);
  const taken = await products([rose]);
  await products([{ ...rose, version: 6, title: "Red rose" }]);
  await products([rose], { id: "list", part: 2, last: true });
  await products([{ ...rose, id: "vase" }], { id: "list", part: 1, last: false });
  const states = [];
  for (let sent = 0; sent < 3; sent++) states.push(await change("wc-1"));
  return [lost.status, taken.status, ...states.map(({ status, body }) => body.state ?? status)];
}

test("a shop system that sends everything right passes, and what it sends is answered as by Gatehouse", async () => {
  const listening = listen();
  await send("status", { type: "status" });
  expect(await sendRight()).toEqual([503, 200, 503, "pending", "done"]);
  const { code, out, err } = await listening;
  expect({ code, out, err }).toMatchObject({ code: 0 });
  expect(out.trimEnd().split("\n")).toHaveLength(7);
  expect(
    out
      .trimEnd()
      .split("\n")
      .every((line) => line.startsWith("✓ ")),
  ).toBe(true);
  expect(err).toContain("products: rejected on purpose, to see if it is sent again\n");
});

const FAULTS: Readonly<Record<string, readonly [check: RegExp, plant: () => Promise<unknown>]>> = {
  "signs with another secret": [
    /signed with the secret/,
    () => send("status", { type: "status" }, { secret: `whsec_${"A".repeat(43)}=` }),
  ],
  "signs with an old time": [
    /signed with the secret/,
    () => send("status", { type: "status" }, { sentAt: Date.now() - 600_000 }),
  ],
  "sends a message without a type": [/has the members/, () => send("orders", { event_id: "a" })],
  "sends a product without a price": [
    /product can be stored/,
    () => products([{ id: "a", version: 1, title: "A", currency: "EUR" }]),
  ],
  "sends a product with a wrong GTIN": [
    /product can be stored/,
    () => products([{ ...rose, version: 9, gtin: "123" }]),
  ],
  "changes a product without a higher version": [
    /has a higher version/,
    () => products([{ ...rose, version: 6, title: "White rose" }]),
  ],
  "marks a part in the middle of a list as the last": [
    /arrives with all its parts/,
    async () => {
      await products([rose], { id: "short", part: 2, last: false });
      await products([rose], { id: "short", part: 1, last: true });
    },
  ],
  "uses an event_id for two changes": [/same event_id/, () => change("wc-1", { carrier: "DHL" })],
  "repeats a change with another event_id": [
    /same event_id/,
    async () => {
      await change("wc-2", { carrier: "UPS" });
      await change("wc-3", { carrier: "UPS" });
    },
  ],
};

test.each(Object.entries(FAULTS))(
  "names the fault of a shop system that %s",
  async (_name, [check, plant]) => {
    const listening = listen("--json");
    await products([rose]);
    await products([rose]);
    await products([{ ...rose, version: 6, title: "Red rose" }]);
    await change("wc-1");
    await plant();
    // The command may have seen enough before the last messages.
    await sendRight().catch(() => {});
    const { code, out } = await listening;
    const findings: readonly ContractFinding[] = JSON.parse(out).findings;
    const wrong = findings.filter(({ state }) => state === "wrong");
    expect(wrong).toEqual([
      expect.objectContaining({
        check: expect.stringMatching(check),
        problem: expect.any(String),
      }),
    ]);
    expect(code).toBe(1);
  },
);

test("says that a port is in use", async () => {
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  expect(await listen()).toMatchObject({ code: 1, err: expect.stringContaining("is in use.") });
  other.close();
});
