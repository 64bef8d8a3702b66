import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { rewriteWords } from "../src/actions/products/rewrite-words.ts";
import { nextOrderNumber } from "../src/domain/orders/store.ts";
import { dueSales } from "../src/domain/products/sales/store.ts";
import { searchProducts } from "../src/domain/products/search/store.ts";
import { productById } from "../src/domain/products/store.ts";
import type { Database, Dialect } from "../src/infra/db/database.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../src/infra/db/migrate.ts";
import type { Migration } from "../src/infra/db/migration.ts";
import { openPostgres } from "../src/infra/db/postgres.ts";
import { openSqlite } from "../src/infra/db/sqlite.ts";
import { systemIds } from "../src/infra/ids.ts";
import { createLog } from "../src/infra/log/log.ts";
import { searchWords } from "../src/infra/search-words.ts";
import { freshPostgres, NOON, TIER_DATABASES, temporaryFolder } from "./harness.ts";

const HOUR_MS = 3_600_000;
const tools = { ids: systemIds, log: createLog("silent") };

async function fresh(
  dialect: Dialect,
): Promise<{ db: Database; again(): Promise<Database>; dir: string }> {
  const dir = temporaryFolder();
  const place = dialect === "sqlite" ? join(dir, "t.db") : await freshPostgres();
  const open = async () => {
    const db = dialect === "sqlite" ? openSqlite(place) : await openPostgres(place, tools);
    onTestFinished(() => db.close().catch(() => undefined));
    return db;
  };
  return { db: await open(), again: open, dir };
}

const first: Migration = {
  name: "first",
  sql: ({ integer, strict }) => `CREATE TABLE a (id ${integer} PRIMARY KEY) ${strict};`,
};
const second: Migration = {
  name: "second",
  sql: ({ strict }) =>
    `CREATE TABLE b (id TEXT PRIMARY KEY) ${strict};\n\nINSERT INTO a (id) VALUES (1);`,
};
const broken: Migration = {
  name: "broken",
  sql: ({ strict }) =>
    `CREATE TABLE c (id TEXT PRIMARY KEY) ${strict};\n\nINSERT INTO nowhere VALUES (1);`,
};

describe.each(TIER_DATABASES)("migrations on %s:", (dialect) => {
  test("they bring an empty database to this build's schema, once", async () => {
    const { db } = await fresh(dialect);
    expect(await schemaVersion(db)).toBe(0);
    await migrate(db, { now: NOON });
    await migrate(db, { now: NOON });
    expect(await schemaVersion(db)).toBe(SCHEMA_VERSION);
    const names = await db.all<{ name: string }>(
      "SELECT name FROM schema_versions ORDER BY version",
    );
    expect(names.map(({ name }) => name)).toEqual([
      "foundation",
      "skills",
      "audit",
      "visits",
      "edge-tokens",
      "visits-by-time",
      "agents",
      "decisions",
      "reviews",
      "commerce",
      "outbox",
      "spending",
      "stripe",
      "ucp",
      "carts",
      "captured",
      "checkouts",
      "after-sale",
      "console",
      "decision-counts",
      "platforms",
      "pause",
      "audit-archives",
      "rejections",
      "identities",
      "stranger-records",
      "stored-bytes",
      "registration-shares",
      "declines",
      "revocations",
      "kept-answers",
      "own-profiles",
      "site-checks",
      "product-search",
      "filtered-lists",
      "ucp-versions",
      "order-pages",
      "hand-off",
      "platform-credentials",
      "people",
      "paused-products",
      "review-verdicts",
      "oidc",
      "webhook-format",
      "buyers",
      "questions",
      "order-numbers",
      "payment-changes",
      "lost-rights",
      "shared-addresses",
      "product-feeds",
      "shop-connections",
      "access-limits",
      "test-items",
      "product-imports",
      "test-openings",
      "order-search",
      "bound-codes",
      "product-pictures",
      "planned-shipments",
      "reached-owners",
      "job-names",
      "product-details",
      "site-pictures",
      "published-details",
      "word-forms",
      "product-skus",
    ]);
  });

  test("they keep the visits from before visits were stored in order", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 4 });
    const visit = {
      visit_id: "vis_1",
      site_key_hash: "hash",
      observed_at: NOON,
      received_at: NOON + 5,
      source: "beacon",
      classification: "declared_agent",
      agent_name: "GPTBot",
      agent_operator: "OpenAI",
      signature: null,
      page_url: "https://a.example/",
      off_site: 0,
    };
    await db.transaction((tx) => tx.insert("visits", [visit]));
    await migrate(db, { now: NOON });
    const [kept] = await db.all<Record<string, unknown>>("SELECT * FROM visits");
    expect({ ...kept }).toEqual(visit);
    const again = db.transaction((tx) => tx.insert("visits", [visit]));
    await expect(again).rejects.toThrow();
  });

  test("they keep waiting messages and sold items from before orders were tracked", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 17 });
    const message = {
      message_id: "msg_1",
      site_key_hash: "hash",
      kind: "mail",
      topic: "review.requested",
      destination: "ann@example.com",
      body: "{}",
      created_at: NOON - 5,
      attempts: 3,
      next_at: NOON,
      state: "waiting",
      delivered_at: null,
      last_problem: "it was away",
    };
    const order = {
      order_id: "ord_1",
      site_key_hash: "hash",
      decision_id: "dec_1",
      attempt_id: "pay_1",
      actor_id: "agt_1",
      skill: "place_order",
      protocol: "a2a",
      mandate_id: "m1",
      items: "[]",
      amount_minor: 100,
      currency: "EUR",
      payment: "captured",
      created_at: NOON - 5,
    };
    await db.transaction(async (tx) => {
      await tx.insert("outbox", [message]);
      await tx.insert("orders", [order]);
    });
    await migrate(db, { now: NOON });
    const [kept] = await db.all<Record<string, unknown>>("SELECT * FROM outbox");
    expect(kept).toMatchObject({ ...message, audience: "owner", since: NOON - 5, place: null });
    const [sold] = await db.all<Record<string, unknown>>("SELECT * FROM orders");
    expect(sold).toMatchObject({ ...order, status: "open", revision: 0, number: 1001 });
  });

  test("they tell apart replies to requests of different callers with the same key and digest", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 44 });
    const reply = (site_key_hash: string, caller: string, operation: string, id: string) => ({
      site_key_hash,
      caller,
      operation,
      idempotency_key: "1",
      digest: "same",
      status: 201,
      body: JSON.stringify({ id }),
      created_at: NOON,
      holder: caller,
    });
    const replies = [
      reply("one", "a.example", "create_cart", "cart_1"),
      reply("one", "a.example", "create_checkout", "chk_1"),
      reply("one", "b.example", "create_cart", "cart_2"),
      reply("two", "a.example", "create_cart", "cart_3"),
    ];
    await db.transaction((tx) => tx.insert("ucp_replies", replies));
    await migrate(db, { now: NOON });
    const stored = await db.all<{ subject_id: string; body: string }>(
      "SELECT subject_id, body FROM ucp_replies",
    );
    expect(stored.length).toBe(replies.length);
    for (const { subject_id, body } of stored) expect(JSON.parse(body)).toEqual({ id: subject_id });
  });

  test("they number the orders of each site by their time, and go on from there", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 44 });
    const order = (order_id: string, site_key_hash: string, created_at: number) => ({
      order_id,
      site_key_hash,
      decision_id: `dec_${order_id}`,
      attempt_id: `pay_${order_id}`,
      actor_id: "agt_1",
      skill: "place_order",
      protocol: "a2a",
      items: "[]",
      amount_minor: 100,
      currency: "EUR",
      payment: "authorized",
      created_at,
    });
    const rows = [order("b", "one", NOON), order("a", "one", NOON), order("c", "one", NOON - 1)];
    await db.transaction((tx) => tx.insert("orders", [...rows, order("d", "two", NOON)]));
    await migrate(db, { now: NOON });
    const numbered = await db.all<Record<string, unknown>>(
      "SELECT order_id, number FROM orders ORDER BY site_key_hash, number",
    );
    expect(numbered.map((row) => Object.values(row))).toEqual([
      ["c", 1001],
      ["a", 1002],
      ["b", 1003],
      ["d", 1001],
    ]);
    const next = (site: string) => db.transaction((tx) => nextOrderNumber(tx, site));
    expect([await next("one"), await next("one"), await next("two"), await next("three")]).toEqual([
      1004, 1005, 1002, 1001,
    ]);
  });

  test("they keep products searchable from before words were searched by site", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 33 });
    const site = "Ab-_5678901234567890123456789012345678901234";
    const product = (product_id: string, site_key_hash: string) => ({
      site_key_hash,
      product_id,
      title: "Red rose",
      description: "A flower",
      availability: "in_stock",
      title_words: "red rose",
      body_words: "a flower",
      price_minor: 100,
      currency: "EUR",
      import_id: "imp_1",
      changed_at: NOON,
    });
    // The same words and the same start of the name, so the same words in the index.
    const other = `${site.slice(0, 8)}${"0".repeat(36)}`;
    const rows = [product("theirs", other), product("rose", site), product("rose", other)];
    await db.transaction((tx) => tx.insert("products", rows));
    await migrate(db, { now: NOON });
    const found = async (...words: string[]) => {
      const query = {
        words: words.map((word) => [word]),
        minMinor: null,
        maxMinor: null,
        offset: 0,
        limit: 1,
      };
      return (await searchProducts(db, site, query)).map(({ productId }) => productId);
    };
    const change = (sql: string) => db.transaction((tx) => tx.run(sql));
    expect(await found("red", "ros")).toEqual(["rose"]);
    await change(
      `UPDATE products SET title_words = 'white rose' WHERE product_id = 'rose' AND site_key_hash = '${site}'`,
    );
    expect([await found("red"), await found("white"), await found("flower")]).toEqual([
      [],
      ["rose"],
      ["rose"],
    ]);
    await change("DELETE FROM products WHERE product_id = 'rose'");
    expect(await found("rose")).toEqual([]);
    if (dialect === "postgres") return;
    const left = await db.all("SELECT product_id FROM products_search");
    expect(left).toEqual([{ product_id: "theirs" }]);
  });

  test("products of an earlier version get words with their forms, and are found before that", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 65 });
    const row = (n: number, title: string, words: string) => ({
      site_key_hash: "one",
      product_id: `p-${String(n).padStart(4, "0")}`,
      title,
      description: title,
      availability: "in_stock",
      title_words: words,
      body_words: words,
      price_minor: 100,
      currency: "EUR",
      import_id: "imp_1",
      changed_at: NOON,
    });
    const many = Array.from({ length: 1_001 }, (_, n) => row(n, `Rose ${n}`, `rose ${n}`));
    const others = [row(2_000, "Rote Rosen", "rote rosen"), row(2_001, "Red roses", "")];
    await db.transaction((tx) => tx.insert("products", [...many, ...others]));
    await migrate(db, { now: NOON });
    await rewriteWords({ db }, () => false);
    const found = async (text: string) => {
      const query = { words: searchWords(text), minMinor: null, maxMinor: null };
      const rows = await searchProducts(db, "one", { ...query, offset: 0, limit: 1 });
      return rows.map(({ productId }) => productId);
    };
    expect([await found("rote rose"), await found("roses 1000")]).toEqual([["p-2000"], ["p-1000"]]);
    expect(await found("red")).toEqual([]);
    const old = row(3_000, "Weiße Nelken", "weiße nelken");
    await db.transaction((tx) => tx.insert("products", [old]));
    for (const text of ["weiße nelken", "nelken weiße"]) {
      expect(await found(text)).toEqual(["p-3000"]);
    }
    const stored = await db.all<{ product_id: string }>(
      "SELECT product_id FROM products WHERE title_words LIKE 'rote rosen%' AND body_words LIKE '% rose'",
    );
    expect(stored).toEqual([{ product_id: "p-2000" }]);
  });

  test("they keep the prices of existing products, and put none on sale", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 62 });
    const row = {
      site_key_hash: "one",
      product_id: "rose",
      title: "Rose",
      description: "Rose",
      availability: "in_stock",
      price_minor: 450,
      currency: "EUR",
      import_id: "imp_1",
      changed_at: NOON,
    };
    await db.transaction((tx) => tx.insert("products", [row]));
    await migrate(db, { now: NOON });
    expect(await productById(db, "one", "rose")).toMatchObject({
      price: { minor: 450, currency: "EUR" },
      regularPrice: { minor: 450, currency: "EUR" },
      sale: null,
      brand: null,
      sku: null,
      additionalImageUrls: [],
      options: [],
    });
    expect(await dueSales(db, NOON, 10)).toEqual([]);
  });

  test("they add up what platforms spent under several names, and keep their age", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 20 });
    const names = [
      "https://p.example.com/a",
      "https://www.example.com/b",
      "https://x.github.io/p",
      "unsigned https://p.example.com/a",
      "agt_1",
    ];
    const decisions = names.map((actor_id, n) => ({
      decision_id: `dec_${n}`,
      site_key_hash: "hash",
      actor_id,
      mandate_id: `m${n}`,
      digest: "",
      skill: "complete_checkout",
      protocol: "ucp",
      amount_minor: 10 ** n,
      currency: "EUR",
      outcome: "approved",
      rules_evaluated: 1,
      record_id: `rec_${n}`,
      evaluated_at: NOON,
      spent_at: NOON,
      answer: "{}",
    }));
    const buckets = (column: string) =>
      names.map((actor_id, n) => ({
        site_key_hash: "hash",
        [column]: NOON,
        actor_id,
        currency: "EUR",
        minor: 10 ** n,
        decisions: 1,
      }));
    const checkout = {
      checkout_id: "chk_1",
      site_key_hash: "hash",
      page_id: "page_1",
      status: "open",
      platform_url: "https://p.example.com/a",
      platform_signed: 1,
      content: "{}",
      quote: "{}",
      tries: 0,
      created_at: NOON - HOUR_MS,
      expires_at: NOON,
    };
    await db.transaction(async (tx) => {
      await tx.insert("decisions", decisions);
      await tx.insert("decision_hours", buckets("hour"));
      await tx.insert("decision_minutes", buckets("minute"));
      await tx.insert("checkouts", [checkout]);
    });
    await migrate(db, { now: NOON });
    const rows = await db.all<Record<string, unknown>>(
      "SELECT actor_id, identity, pooled FROM decisions ORDER BY decision_id",
    );
    expect(rows.map((row) => Object.values(row))).toEqual([
      [names[0], "example.com", 1],
      [names[1], "example.com", 1],
      [names[2], "x.github.io", 1],
      [names[3], "(unsigned)", 1],
      ["agt_1", "agt_1", 0],
    ]);
    for (const table of ["decision_hours", "decision_minutes"]) {
      const sums = await db.all<Record<string, unknown>>(
        `SELECT actor_id, minor, decisions FROM ${table} ORDER BY minor`,
      );
      expect(sums.map((row) => Object.values(row))).toEqual([
        ["example.com", 11, 2],
        ["x.github.io", 100, 1],
        ["(unsigned)", 1_000, 1],
        ["agt_1", 10_000, 1],
      ]);
    }
    const [seen] = await db.all<Record<string, unknown>>("SELECT * FROM platforms");
    expect(seen).toMatchObject({
      identity: "example.com",
      status: "seen",
      profile_url: "https://p.example.com/a",
      first_seen_at: NOON - HOUR_MS,
      last_seen_at: NOON - HOUR_MS,
    });
  });

  test("they keep which carts and checkouts were signed", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 38 });
    const row = (n: number) => ({
      site_key_hash: "hash",
      platform_url: "https://p.example.com/a",
      platform_signed: n,
      created_at: NOON,
      expires_at: NOON,
    });
    const checkout = { status: "open", content: "{}", quote: "{}", tries: 0 };
    const cart = { lines: "[]", buyer: "{}", context: "{}" };
    const revoked = { kind: "token", id: "adm_1", revoked_at: NOON };
    await db.transaction(async (tx) => {
      for (const n of [0, 1]) {
        const named = { checkout_id: `chk_${n}`, page_id: `page_${n}` };
        await tx.insert("checkouts", [{ ...row(n), ...checkout, ...named }]);
        await tx.insert("carts", [{ ...row(n), ...cart, cart_id: `cart_${n}` }]);
      }
      await tx.insert("revocations", [revoked]);
    });
    await migrate(db, { now: NOON });
    for (const [table, id] of [
      ["checkouts", "checkout_id"],
      ["carts", "cart_id"],
    ]) {
      const rows = await db.all<{ proof: string }>(`SELECT proof FROM ${table} ORDER BY ${id}`);
      expect(rows.map(({ proof }) => proof)).toEqual(["none", "signature"]);
    }
    expect(await db.all("SELECT * FROM revocations")).toEqual([revoked]);
  });

  test("they count the decisions from before decisions were counted", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 19 });
    const decision = (place: number, at: number, outcome: string, more = {}) => ({
      decision_id: `dec_${place}`,
      site_key_hash: "hash",
      actor_id: "agt_1",
      mandate_id: `m${place}`,
      digest: "",
      skill: "get_pricing",
      protocol: "a2a",
      outcome,
      rules_evaluated: 1,
      record_id: `rec_${place}`,
      evaluated_at: at,
      answer: "{}",
      ...more,
    });
    const day = NOON - 12 * HOUR_MS;
    const rows = [
      decision(1, NOON, "approved"),
      decision(2, NOON + HOUR_MS - 1, "approved", { actor_id: "agt_2" }),
      decision(3, NOON + HOUR_MS, "approved"),
      decision(4, NOON + HOUR_MS, "escalated"),
      decision(5, day + 24 * HOUR_MS, "rejected"),
      decision(6, NOON, "approved", { site_key_hash: "other" }),
    ];
    await db.transaction((tx) => tx.insert("decisions", rows));
    await migrate(db, { now: NOON });
    const values = async (table: string) => {
      const found = await db.all<Record<string, unknown>>(`SELECT * FROM ${table}`);
      return found.map((row) => Object.values(row).join(" ")).sort();
    };
    expect(await values("outcome_hours")).toEqual([
      `hash ${NOON} approved 1`,
      `hash ${NOON + 0.75 * HOUR_MS} approved 1`,
      `hash ${NOON + HOUR_MS} approved 1`,
      `hash ${NOON + HOUR_MS} escalated 1`,
      `hash ${day + 24 * HOUR_MS} rejected 1`,
      `other ${NOON} approved 1`,
    ]);
    expect(await values("outcome_agent_days")).toEqual([
      `hash ${day} agt_1 approved 2`,
      `hash ${day} agt_1 escalated 1`,
      `hash ${day} agt_2 approved 1`,
      `hash ${day + 24 * HOUR_MS} agt_1 rejected 1`,
      `other ${day} agt_1 approved 1`,
    ]);
  });

  test("they give the stored jobs their new names, with the last failure", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON, upTo: 61 });
    const sql = "INSERT INTO jobs (name, next_run_at, last_error) VALUES (?, ?, ?)";
    for (const name of ["audit.tend", "payments.lapse", "outbox.forget", "outbox.deliver"]) {
      await db.run(sql, name, NOON, `${name} failed`);
    }
    await migrate(db, { now: NOON });
    expect(await db.all("SELECT name, last_error FROM jobs ORDER BY name")).toEqual([
      { name: "audit.maintain", last_error: "audit.tend failed" },
      { name: "outbox.delete", last_error: "outbox.forget failed" },
      { name: "outbox.deliver", last_error: "outbox.deliver failed" },
      { name: "payments.expire", last_error: "payments.lapse failed" },
    ]);
  });

  test("they apply what is missing, in order", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON }, [first]);
    await migrate(db, { now: NOON }, [first, second]);
    expect(await db.all("SELECT id FROM a")).toEqual([{ id: 1 }]);
    expect(await schemaVersion(db)).toBe(2);
  });

  test("one that fails leaves the schema unchanged", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON }, [first]);
    await expect(migrate(db, { now: NOON }, [first, second, broken])).rejects.toThrow(/nowhere/);
    expect(await schemaVersion(db)).toBe(1);
    await expect(db.all("SELECT * FROM b")).rejects.toThrow();
    await migrate(db, { now: NOON }, [first, second]);
    expect(await schemaVersion(db)).toBe(2);
  });

  test("a schema newer than this build is refused and not touched", async () => {
    const { db } = await fresh(dialect);
    await migrate(db, { now: NOON }, [first, second]);
    await expect(migrate(db, { now: NOON }, [first])).rejects.toThrow(
      /schema version 2, but this build .* supports versions up to 1\. Start the newer Gatehouse/,
    );
  });

  test("two processes that start together both end up with the new schema", async () => {
    const { db, again } = await fresh(dialect);
    const other = await again();
    await Promise.all([migrate(db, { now: NOON }), migrate(other, { now: NOON })]);
    expect((await db.all("SELECT version FROM schema_versions")).length).toBe(SCHEMA_VERSION);
  });
});

test("an existing SQLite file is copied before it is migrated", async () => {
  const { db, dir } = await fresh("sqlite");
  const backupDir = join(dir, "backups");
  const options = { now: NOON, sqlitePath: join(dir, "t.db"), backupDir };
  await migrate(db, options, [first]);
  expect(() => readdirSync(backupDir)).toThrow();
  await db.run("INSERT INTO a (id) VALUES (7)");
  await migrate(db, options, [first, second]);
  expect(readdirSync(backupDir)).toEqual(["before-schema-2-2030-05-17T12-00-00-000Z.db"]);
  const copy = openSqlite(join(backupDir, readdirSync(backupDir)[0] as string));
  expect(await schemaVersion(copy)).toBe(1);
  expect(await copy.all("SELECT id FROM a")).toEqual([{ id: 7 }]);
  await copy.close();
});
