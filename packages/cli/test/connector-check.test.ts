import { beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../server/src/infra/clock.ts";
import { ShopStandIn } from "../../server/test/connectors/shop-stand-in.ts";
import { checkConnector } from "../src/connector-check/check-connector.ts";
import type { ContractFinding } from "../src/connector-check/finding.ts";
import { oneAtATime } from "../src/connector-check/one-at-a-time.ts";
import { command } from "./command.ts";
import { MESSAGE_FAULTS } from "./connector-check/message-faults.ts";
import { ORDER_FAULTS } from "./connector-check/order-faults.ts";
import { QUOTE_FAULTS } from "./connector-check/quote-faults.ts";
import { RESERVATION_FAULTS } from "./connector-check/reservation-faults.ts";

const FAULTS = { ...MESSAGE_FAULTS, ...QUOTE_FAULTS, ...RESERVATION_FAULTS, ...ORDER_FAULTS };

let shop: ShopStandIn;
beforeEach(async () => {
  shop = await ShopStandIn.start(new ManualClock(Date.now()));
  shop.reset();
  // A second of a reservation is over before the next message.
  shop.secondMs = 50;
  return () => shop.stop();
});

const check = (...more: string[]) =>
  command(
    ["connector", "check", shop.endpoint, "--secret", shop.secret, "--product", "rose", ...more],
    {},
  );

async function findings() {
  const { code, out, err } = await check("--json");
  expect(out, err).not.toBe("");
  return { code, err, findings: JSON.parse(out).findings as ContractFinding[] };
}

test("a right shop system passes, and its stock and reservations are as before", async () => {
  const { code, out, err } = await check();
  expect({ code, out, err }).toMatchObject({ code: 0 });
  expect(out.split("\n").filter((line) => !line.startsWith("✓ "))).toEqual([""]);
  expect(err).toMatch(/^Use a test shop: /);
  expect(err).toMatch(/^Cancelled test orders in the shop: wc-1, wc-2, wc-3$/m);
  expect([shop.stock.rose, shop.reservations.size]).toEqual([5, 0]);
  expect([...shop.orders.values()].map((order) => order.test)).toEqual([true, true, true]);
  expect(shop.received.length).toBeLessThan(250);
});

test.each(Object.entries(FAULTS))(
  "names the fault of a shop system that %s",
  async (_name, [wanted, plant]) => {
    plant(shop);
    const { code, findings: all } = await findings();
    const wrong = all.filter(({ state }) => state === "wrong");
    expect(wrong.map(({ check: name, problem }) => [name, problem])).toEqual([
      [wanted, expect.any(String)],
    ]);
    expect(wrong[0]?.exchange?.sent).toContain("{");
    expect(code).toBe(1);
  },
);

test("names the fault of a shop system whose reservations never end", async () => {
  shop.secondMs = Number.POSITIVE_INFINITY;
  const found: ContractFinding[] = [];
  const { secret } = shop;
  const rose = { productId: "rose", country: "DE", currency: "EUR" };
  const endpoint = new URL(shop.endpoint);
  const add = (finding: ContractFinding) => found.push(finding);
  await checkConnector({ endpoint, secret, ...rose, freedMsMax: 300 }, add);
  expect(found.filter(({ state }) => state !== "good")).toEqual([
    {
      check: "A reservation frees its goods when it ends.",
      section: "Reserve",
      state: "wrong",
      problem: "5 of product rose should be available again, but quotes still show 3.",
      exchange: { sent: expect.stringContaining('"expires_in_s":1,'), received: expect.anything() },
    },
  ]);
});

test("a failed check says what was sent, what came back and where the contract says it", async () => {
  FAULTS["reserves at any price"]?.[1](shop);
  const { code, out, err } = await check();
  expect(code).toBe(1);
  const [, mark] =
    /^(.) A reservation with a wrong total is refused with price_changed\.$/m.exec(out) ?? [];
  expect(mark).toBe("✗");
  expect(out).toMatch(
    /^ {4}The reservation was made, but must be refused with price_changed\.\n {4}Sent: +\{"type":"reserve".*\n {4}Received: +200 \{"type":"reserve\.answer","state":"reserved"\}\n {4}Contract: +\/docs\/guide\/connector\.md#reserve of the service$/m,
  );
  expect(err).toMatch(/^1 of \d+ checks failed\.\nFix the lines marked ✗, then check again\.$/m);
  expect(out).not.toContain(shop.secret);
});

test("a check that cannot be made is not passed", async () => {
  const { code, out, err } = await check("--country", "FR");
  expect(code).toBe(1);
  expect(out).toMatch(
    /^– A quote with each delivery option is answered\.\n {4}There is no option for FR\./m,
  );
  expect(err).toMatch(/^1 of \d+ checks could not be run\.\nDo what the lines marked – say/m);
});

test("a product with too few in stock is not enough", async () => {
  shop.stock = { rose: 1 };
  const { findings: all } = await findings();
  expect(all.filter(({ state }) => state === "wrong")).toEqual([]);
  expect(all.find(({ problem }) => problem?.startsWith("Only 1 of"))?.problem).toBe(
    "Only 1 of the product can be bought. Use a product with at least 5 in stock.",
  );
});

test("says what is wrong with the address or the secret", async () => {
  const run = (address: string, secret = shop.secret) =>
    command(["connector", "check", address, "--secret", secret, "--product", "rose"], {});
  const plain = await run("http://shop.example.com/connector");
  expect(plain).toMatchObject({ code: 2, err: expect.stringContaining("has no HTTPS") });
  const other = await run("ftp://shop.example.com");
  expect(other).toMatchObject({ code: 2, err: expect.stringContaining("is not the address") });
  const short = await run(shop.endpoint, "whsec_AAAA");
  expect(short).toMatchObject({ code: 2, err: expect.stringContaining("is not a secret") });
  const wrong = await run(shop.endpoint, `whsec_${"A".repeat(43)}=`);
  expect(wrong).toMatchObject({
    code: 1,
    err: expect.stringMatching(/with 401\.\nCheck --secret/),
  });
  const { endpoint } = shop;
  shop.stop();
  const away = await run(endpoint);
  expect(away).toMatchObject({ code: 4, err: expect.stringContaining("cannot be reached") });
});

test("checks an endpoint once at a time", async () => {
  const second = await oneAtATime(new URL(shop.endpoint), () => check());
  expect(second).toMatchObject({ code: 1, err: expect.stringContaining("by another run") });
  expect((await check()).code).toBe(0);
});

test("follows no redirect, and reads no answer that is too long", async () => {
  shop.spoil = { quote: (answer) => ({ ...answer, padding: "x".repeat(300_000) }) };
  const { findings: long } = await findings();
  expect(long.find(({ state }) => state === "wrong")?.problem).toContain("more than 256 KB");
  shop.spoil = {};
  shop.status = 302;
  const { findings: moved } = await findings();
  expect(moved.find(({ state }) => state === "wrong")?.problem).toContain("status 302");
});
