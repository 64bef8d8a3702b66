import type { JsonObject } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "./harness.ts";
import type { Shop } from "./mandates/submitting.ts";
import { openWorld, paying, type World } from "./ucp/buying.ts";

/** Names in which whatever SQL, GLOB or regular expressions know is only itself. */
const NAMES = [
  "100% cotton",
  "snake_case",
  "snake-case",
  "a*b",
  "what?",
  "[draft] (v1.0)",
  "back\\slash",
  "^$|{2}+",
  "ÄPFEL und Öl",
  "Straße",
  'it\'s "quoted"',
  "\u{1f339} rose",
];
/** What is asked for, and the only names that hold it. Longer than an id could hold by chance. */
const ASKED: readonly (readonly [string, readonly string[]])[] = [
  ["%", ["100% cotton"]],
  ["e_case", ["snake_case"]],
  ["*", ["a*b"]],
  ["?", ["what?"]],
  ["[", ["[draft] (v1.0)"]],
  ["]", ["[draft] (v1.0)"]],
  ["[d", ["[draft] (v1.0)"]],
  ["(v1.0)", ["[draft] (v1.0)"]],
  ["(v1x0)", []],
  ["\\", ["back\\slash"]],
  ["^$|{2}+", ["^$|{2}+"]],
  ["\\d", []],
  ["cOTTon", ["100% cotton"]],
  ["äpfel", ["ÄPFEL und Öl"]],
  ["ÖL", ["ÄPFEL und Öl"]],
  ["STRAßE", ["Straße"]],
  ["it's", ['it\'s "quoted"']],
  ["\u{1f339} R", ["\u{1f339} rose"]],
  ["o s", []],
];

describe.each(TIER_DATABASES)("a list with a filter, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    shop = await at.shop();
  });

  const items = async (path: string, query: Record<string, string>): Promise<JsonObject[]> => {
    const { status, body } = await shop.admin("GET", `${path}?${new URLSearchParams(query)}`);
    expect([path, query, status]).toEqual([path, query, 200]);
    return body.items;
  };
  const taken = async (path: string, query: Record<string, string>, name: string) =>
    (await items(path, query)).map((item) => item[name]).sort();

  test("finds agents by a part of their name or id, without case", async () => {
    const ids = new Map<string, string>();
    for (const name of NAMES) ids.set(name, (await at.buyer(shop, { name })).agentId);
    for (const [q, found] of ASKED) {
      expect([q, await taken("/agents", { q }, "name")]).toEqual([q, [...found].sort()]);
    }
    const id = ids.get("a*b") as string;
    expect(await taken("/agents", { q: id.slice(6).toUpperCase() }, "agent_id")).toEqual([id]);
    await shop.admin("POST", `/agents/${id}/suspend`, {});
    expect(await taken("/agents", { q: id, status: "suspended" }, "agent_id")).toEqual([id]);
    expect(await taken("/agents", { q: id, status: "active" }, "agent_id")).toEqual([]);
    const first = (await shop.admin("GET", "/agents?q=AGT_&limit=5")).body;
    const rest = await shop.admin("GET", `/agents?q=AGT_&cursor=${first.next_cursor}`);
    const names = [...first.items, ...rest.body.items].map(({ name }) => name);
    expect([first.items.length, names.sort()]).toEqual([5, [...NAMES].sort()]);
  });

  test("finds products by a part of their title, id or SKU, without case", async () => {
    const products = NAMES.map((title, n) => ({
      id: `SKU-${n}*x`,
      sku: n === 2 ? null : `Shelf*${n}`,
      title,
      price: "1",
      currency: "EUR",
    }));
    await shop.admin("PUT", "/products", { products });
    for (const [q, found] of ASKED) {
      const held = q === "*" ? NAMES : found;
      expect([q, await taken("/products", { q }, "title")]).toEqual([q, [...held].sort()]);
    }
    expect(await taken("/products", { q: "sku-3*X" }, "id")).toEqual(["SKU-3*x"]);
    expect(await taken("/products", { q: "sHELF*4" }, "id")).toEqual(["SKU-4*x"]);
    expect(await taken("/products", { q: "SKU-2*x" }, "sku")).toEqual([null]);
    const first = (await shop.admin("GET", "/products?q=SKU&limit=7")).body;
    const next = `/products?q=SKU&limit=7&cursor=${first.next_cursor}`;
    expect((await shop.admin("GET", next)).body.items).toHaveLength(NAMES.length - 7);
  });

  test.each(["/agents", "/products"])("of %s takes one to a hundred characters", async (path) => {
    const status = async (q: string) =>
      (await shop.admin("GET", `${path}?${new URLSearchParams({ q })}`)).status;
    expect(await Promise.all(["x".repeat(100), "x\0y"].map(status))).toEqual([200, 200]);
    expect(await Promise.all(["", " ", "\0", "x".repeat(101)].map(status))).toEqual([
      400, 400, 400, 400,
    ]);
  });

  test("finds orders and decisions of one agent, or of one platform", async () => {
    const [one, other] = [await at.buyer(shop), await at.buyer(shop)];
    await at.order(shop, one);
    clock.advance(1000);
    await at.order(shop, other);
    clock.advance(1000);
    await at.bought(shop);
    clock.advance(1000);
    await at.order(shop, one);
    const [, platform] = (await items("/orders", {})).map(({ agent_id }) => agent_id as string);
    expect(platform).toMatch(/^https?:\/\//);
    const lists: Record<string, readonly string[]> = {};
    for (const path of ["/orders", "/decisions"]) {
      for (const agent_id of [one.agentId, other.agentId, platform as string]) {
        const found = await taken(path, { agent_id }, "agent_id");
        lists[`${path} ${agent_id}`] = found as string[];
      }
    }
    const times = (id: string, n: number) => Array(n).fill(id);
    expect(lists).toEqual({
      [`/orders ${one.agentId}`]: times(one.agentId, 2),
      [`/orders ${other.agentId}`]: times(other.agentId, 1),
      [`/orders ${platform}`]: times(platform as string, 1),
      [`/decisions ${one.agentId}`]: times(one.agentId, 2),
      [`/decisions ${other.agentId}`]: times(other.agentId, 1),
      [`/decisions ${platform}`]: times(platform as string, 1),
    });
    expect(await items("/orders", { agent_id: one.agentId, status: "cancelled" })).toEqual([]);
    for (const path of ["/orders", "/decisions"]) {
      // Who only names a profile is somebody else than who has proven it.
      expect(await items(path, { agent_id: `unsigned ${platform}` })).toEqual([]);
      for (const agent_id of ["", "x y", "ftp://x", "https://x y", "https://x\0", "ä"]) {
        const { status } = await shop.admin("GET", `${path}?${new URLSearchParams({ agent_id })}`);
        expect([path, agent_id, status]).toEqual([path, agent_id, 400]);
      }
    }
  });

  test("finds decisions about one checkout, and no mandate with a similar id", async () => {
    const { id } = await at.ready(shop);
    const declined = await at.complete(shop, id, paying("pm_card_chargeDeclined"));
    expect(declined.body.status).not.toBe("completed");
    expect((await at.complete(shop, id)).body.status).toBe("completed");
    await at.bought(shop);
    const buyer = await at.buyer(shop);
    const mandate_id = `${id}-9`;
    const sent = await at.send(shop, await at.signed(shop, buyer, {}, { mandate_id }));
    expect(sent.body.mandate_id).toBe(mandate_id);
    const tries = [`${id}-1`, `${id}-2`];
    expect(await taken("/decisions", { checkout_id: id }, "mandate_id")).toEqual(tries);
    const other = `${id.slice(0, -1)}${id.endsWith("A") ? "B" : "A"}`;
    expect(await items("/decisions", { checkout_id: other })).toEqual([]);
    expect((await shop.admin("GET", "/decisions?checkout_id=x")).status).toBe(400);
  });
});
