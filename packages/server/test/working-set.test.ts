import { describe, expect, test } from "vitest";
import type { Database, Transaction } from "../src/infra/db/database.ts";
import { createSite, DATABASES, freshEnvironment, startServer } from "./harness.ts";

const LIMIT = { limit_key: "a" };
const row = (key: string, at: number) => ({ limit_key: key, arrival_us: at });
const rowsIn = (db: Pick<Database, "all">) =>
  db.all<{ limit_key: string; arrival_us: number }>(
    "SELECT limit_key, arrival_us FROM exact_limits ORDER BY limit_key",
  );

describe.each(DATABASES)("a transaction, on %s,", (dialect) => {
  async function database(): Promise<Database> {
    const { context } = await startServer(await freshEnvironment(dialect));
    await context.jobs.stop();
    await context.db.run("DELETE FROM exact_limits");
    return context.db;
  }

  test("reads what it has inserted, and writes it with the commit", async () => {
    const db = await database();
    const seen = await db.transaction(async (tx) => {
      await tx.insert("exact_limits", [row("a", 1)]);
      await tx.insert("exact_limits", [row("b", 2)]);
      return (await rowsIn(tx)).length;
    });
    expect([seen, (await rowsIn(db)).length]).toEqual([2, 2]);
  });

  test("writes nothing if it fails", async () => {
    const db = await database();
    const failing = db.transaction(async (tx) => {
      await tx.insert("exact_limits", [row("a", 1)]);
      throw new Error("on purpose");
    });
    await expect(failing).rejects.toThrow("on purpose");
    expect(await rowsIn(db)).toEqual([]);
  });

  test("finds a row that it has inserted itself, after it had found none", async () => {
    const db = await database();
    await db.transaction(async (tx) => {
      const find = () => tx.find<{ arrival_us: number }>("exact_limits", LIMIT);
      expect(await find()).toBeUndefined();
      await tx.insert("exact_limits", [row("a", 7)]);
      expect((await find())?.arrival_us).toBe(7);
      await tx.run("UPDATE exact_limits SET arrival_us = 8 WHERE limit_key = 'a'");
      expect((await find())?.arrival_us).toBe(8);
    });
  });

  test("finds rows that were read ahead, and those that are not there", async () => {
    const db = await database();
    await db.transaction((tx) => tx.insert("exact_limits", [row("a", 1), row("b", 2)]));
    await db.transaction(async (tx) => {
      await tx.prefetch(
        [LIMIT, { limit_key: "c" }].map((key) => ({ kind: "find", table: "exact_limits", key })),
      );
      const find = async (key: string) =>
        (await tx.find<{ arrival_us: number }>("exact_limits", { limit_key: key }))?.arrival_us;
      expect([await find("a"), await find("b"), await find("c")]).toEqual([1, 2, undefined]);
    });
  });

  test("finds several rows at once, as it has changed them, without those that are not there", async () => {
    const db = await database();
    const numbers = Array.from({ length: 40 }, (_, n) => String(n));
    const sold = numbers.map((n) => ({
      site_key_hash: "s",
      product_id: n,
      title: n,
      description: "",
      availability: "in_stock",
      price_minor: Number(n),
      currency: "EUR",
      import_id: "i",
      changed_at: 1,
    }));
    await db.transaction((tx) => tx.insert("products", sold.slice(1)));
    const site = { site_key_hash: "s" };
    const prices = async (from: Pick<Database, "findEach">, ids: readonly string[]) =>
      (await from.findEach<{ price_minor: number }>("products", site, "product_id", ids))
        .map(({ price_minor }) => price_minor)
        .sort((a, b) => a - b);
    expect(await prices(db, [])).toEqual([]);
    expect(await prices(db, numbers)).toEqual(numbers.slice(1).map(Number));
    expect(await prices(db, ["0", "3", "3", "x", "5"])).toEqual([3, 5]);
    await db.transaction(async (tx) => {
      expect(await prices(tx, ["1", "0"])).toEqual([1]);
      await tx.insert("products", sold.slice(0, 1));
      await tx.set("products", { ...site, product_id: "1" }, { price_minor: 100 });
      await tx.set("products", { ...site, product_id: "2" }, { price_minor: 200 });
      expect(await prices(tx, ["0", "1", "2", "3"])).toEqual([0, 3, 100, 200]);
      await tx.run("DELETE FROM products WHERE product_id = '3'");
      expect(await prices(tx, ["1", "2", "3"])).toEqual([100, 200]);
    });
  });

  test("reads a row once until one of its tables is changed", async () => {
    const db = await database();
    const sql = "SELECT arrival_us FROM exact_limits WHERE limit_key = ?";
    await db.transaction(async (tx) => {
      const once = () => tx.getOnce<{ arrival_us: number }>(sql, "a");
      expect(await once()).toBeUndefined();
      await tx.insert("exact_limits", [row("a", 3)]);
      expect((await once())?.arrival_us).toBe(3);
      await tx.run("UPDATE exact_limits SET arrival_us = 4 WHERE limit_key = 'a'");
      expect((await once())?.arrival_us).toBe(4);
    });
  });

  test("writes rows of one table with different columns", async () => {
    const db = await database();
    const attempt = (id: string) => ({
      attempt_id: id,
      site_key_hash: "site",
      identity: "agent",
      admitted: 1,
      instrument_mac: "mac",
      requested_at: 1,
      declined: 0,
    });
    await db.transaction(async (tx) => {
      await tx.insert("decline_attempts", [attempt("a")]);
      await tx.insert("decline_attempts", [{ ...attempt("b"), ended_at: 5 }]);
    });
    const sql = "SELECT ended_at FROM decline_attempts ORDER BY attempt_id";
    expect(await db.all(sql)).toMatchObject([{ ended_at: null }, { ended_at: 5 }]);
  });

  test("refuses the commit whose row exists, and writes the others of its batch", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    const { site_key_hash } = await createSite(server, "shop.example.com");
    const commit = (key: string) =>
      server.context.audit.commit(site_key_hash, async (tx) => {
        await tx.insert("exact_limits", [row(key, 1)]);
        return { records: [], answer: key };
      });
    const ended = await Promise.allSettled(["a", "b", "b", "c"].map(commit));
    expect(ended.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });

  test("adds to counters, and reads what it has added", async () => {
    const db = await database();
    const add = async (tx: Transaction) => {
      await tx.add("exact_limits", LIMIT, { arrival_us: 2 });
      await tx.add("exact_limits", LIMIT, { arrival_us: 3 });
      return rowsIn(tx);
    };
    expect(await db.transaction(add)).toEqual([row("a", 5)]);
    expect(await db.transaction(add)).toEqual([row("a", 10)]);
  });

  test("takes away from counters, not below zero, and leaves out rows that do not exist", async () => {
    const db = await database();
    await db.transaction((tx) => tx.insert("exact_limits", [row("a", 5), row("b", 1)]));
    await db.transaction(async (tx) => {
      for (const limit_key of ["a", "a", "b", "c"]) {
        await tx.take("exact_limits", { limit_key }, { arrival_us: 2 });
      }
    });
    expect(await rowsIn(db)).toEqual([row("a", 1), row("b", 0)]);
  });

  test("leaves a counter that has no value without one when it takes away from it", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    const { site_key_hash } = await createSite(server, "shop.example.com");
    const products = [{ id: "vase", title: "A vase", price: "12.50", currency: "EUR" }];
    await server.admin("PUT", `/v1/admin/sites/${site_key_hash}/products`, { products });
    const { db } = server.context;
    const key = { site_key_hash, product_id: "vase" };
    await db.transaction((tx) => tx.take("products", key, { quantity: 1 }));
    expect(await db.find("products", key)).toMatchObject({ quantity: null });
  });

  test("sets columns of rows, reads what it has set, and writes the last values", async () => {
    const db = await database();
    await db.transaction((tx) => tx.insert("exact_limits", [row("a", 1), row("b", 1)]));
    await db.transaction(async (tx) => {
      expect(await tx.find("exact_limits", LIMIT)).toEqual(row("a", 1));
      await tx.set("exact_limits", LIMIT, { arrival_us: 2 });
      await tx.set("exact_limits", { limit_key: "b" }, { arrival_us: 3 });
      expect(await tx.find("exact_limits", LIMIT)).toEqual(row("a", 2));
      expect(await tx.find("exact_limits", { limit_key: "b" })).toEqual(row("b", 3));
      await tx.set("exact_limits", LIMIT, { arrival_us: 4 });
    });
    expect(await rowsIn(db)).toEqual([row("a", 4), row("b", 3)]);
  });

  test("reads a row that it holds with the values that it has set", async () => {
    const db = await database();
    await db.transaction(async (tx) => {
      expect(await tx.hold("exact_limits", LIMIT)).toBeUndefined();
      await tx.insert("exact_limits", [row("a", 1)]);
      expect(await tx.hold("exact_limits", LIMIT)).toEqual(row("a", 1));
      await tx.set("exact_limits", LIMIT, { arrival_us: 2 });
      expect(await tx.find("exact_limits", LIMIT)).toEqual(row("a", 2));
      expect(await tx.hold("exact_limits", LIMIT)).toEqual(row("a", 2));
      await tx.run("UPDATE exact_limits SET arrival_us = 7");
      expect(await tx.hold("exact_limits", LIMIT)).toEqual(row("a", 7));
    });
  });

  test("changes rows that it holds, of which another transaction waits for the end", async () => {
    const db = await database();
    const take = () =>
      db.transaction(async (tx) => {
        const held = await tx.hold("exact_limits", LIMIT, { arrival_us: 0 });
        await tx.set("exact_limits", LIMIT, { arrival_us: (held?.arrival_us as number) + 1 });
        const again = await tx.hold("exact_limits", LIMIT, { arrival_us: 0 });
        return again?.arrival_us;
      });
    const taken = await Promise.all(Array.from({ length: 8 }, take));
    expect(taken.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await rowsIn(db)).toEqual([row("a", 8)]);
  });
});
