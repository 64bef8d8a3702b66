import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Change } from "../src/infra/db/database.ts";
import {
  type Database,
  DatabaseConflictError,
  DatabaseUnavailableError,
  type Dialect,
} from "../src/infra/db/database.ts";
import { openPostgres } from "../src/infra/db/postgres.ts";
import { openSqlite } from "../src/infra/db/sqlite.ts";
import { systemIds } from "../src/infra/ids.ts";
import { createLog } from "../src/infra/log/log.ts";
import { DATABASES, freshPostgres, temporaryFolder } from "./harness.ts";

const tools = { ids: systemIds, log: createLog("silent") };

/** Opens the same new database any number of times, as several processes would. */
async function opener(dialect: Dialect): Promise<() => Promise<Database>> {
  const place = dialect === "sqlite" ? join(temporaryFolder(), "t.db") : await freshPostgres();
  return async () => {
    const db = dialect === "sqlite" ? openSqlite(place) : await openPostgres(place, tools);
    onTestFinished(() => db.close().catch(() => undefined));
    return db;
  };
}

async function withNotes(dialect: Dialect) {
  const open = await opener(dialect);
  const db = await open();
  const integer = dialect === "sqlite" ? "INTEGER" : "BIGINT";
  await db.transaction((tx) =>
    db.script(tx, `CREATE TABLE notes (id TEXT PRIMARY KEY, size ${integer} NOT NULL);`),
  );
  return { db, open };
}

const insert = "INSERT INTO notes (id, size) VALUES (?, ?)";

describe.each(DATABASES)("the database interface on %s:", (dialect) => {
  test("it reads back what was written, including integers up to 2^53 - 1", async () => {
    const { db } = await withNotes(dialect);
    expect(await db.run(insert, "a", Number.MAX_SAFE_INTEGER)).toBe(1);
    expect(await db.get("SELECT * FROM notes")).toEqual({ id: "a", size: Number.MAX_SAFE_INTEGER });
    expect(await db.all("SELECT id FROM notes")).toEqual([{ id: "a" }]);
    expect(await db.get("SELECT * FROM notes WHERE id = ?", "b")).toBeUndefined();
  });

  test("a transaction that throws changes nothing", async () => {
    const { db } = await withNotes(dialect);
    const failed = db.transaction(async (tx) => {
      await tx.run(insert, "a", 1);
      throw new Error("changed my mind");
    });
    await expect(failed).rejects.toThrow("changed my mind");
    expect(await db.all("SELECT * FROM notes")).toEqual([]);
    await db.transaction((tx) => tx.run(insert, "b", 2));
    expect(await db.all("SELECT id FROM notes")).toEqual([{ id: "b" }]);
  });

  test("a violated unique constraint is a conflict, and the connection stays usable", async () => {
    const { db } = await withNotes(dialect);
    await db.run(insert, "a", 1);
    await expect(db.run(insert, "a", 2)).rejects.toBeInstanceOf(DatabaseConflictError);
    await expect(db.transaction((tx) => tx.run(insert, "a", 3))).rejects.toBeInstanceOf(
      DatabaseConflictError,
    );
    expect(await db.run(insert, "b", 1)).toBe(1);
  });

  test("concurrent transactions do not see or lose each other's work", async () => {
    const { db, open } = await withNotes(dialect);
    const other = await open();
    await db.run(insert, "counter", 0);
    const bump = (on: Database) =>
      on.transaction((tx) => tx.run("UPDATE notes SET size = size + 1 WHERE id = 'counter'"));
    await Promise.all(Array.from({ length: 40 }, (_, i) => bump(i % 2 === 0 ? db : other)));
    expect(await db.get("SELECT size FROM notes")).toEqual({ size: 40 });
  });

  test("reads outside a transaction do not see its uncommitted work", async () => {
    const { db } = await withNotes(dialect);
    await db.transaction(async (tx) => {
      await tx.run(insert, "a", 1);
      expect(await db.all("SELECT * FROM notes")).toEqual([]);
    });
    expect(await db.all("SELECT id FROM notes")).toEqual([{ id: "a" }]);
  });

  test("a snapshot stays the same while others write", async () => {
    const { db } = await withNotes(dialect);
    await db.run(insert, "a", 1);
    await db.snapshot(async (reader) => {
      expect(await reader.all("SELECT id FROM notes")).toEqual([{ id: "a" }]);
      await db.run(insert, "b", 2);
      expect(await reader.all("SELECT id FROM notes")).toEqual([{ id: "a" }]);
    });
    expect((await db.all("SELECT id FROM notes")).length).toBe(2);
  });

  test("a change is announced in its own process before the transaction returns", async () => {
    const { db } = await withNotes(dialect);
    const heard: Change[] = [];
    db.changes.subscribe((change) => heard.push(change));
    await db.transaction(async (tx) => tx.announce("notes", "a"));
    expect(heard).toContainEqual({ topic: "notes", id: "a" });
  });

  test("a change that is rolled back is not announced", async () => {
    const { db, open } = await withNotes(dialect);
    const heard: string[] = [];
    for (const one of [db, await open()]) one.changes.subscribe(({ id }) => heard.push(id));
    await db
      .transaction(async (tx) => {
        await tx.announce("notes", "never");
        throw new Error("no");
      })
      .catch(() => undefined);
    await db.transaction(async (tx) => tx.announce("notes", "last"));
    expect(heard).not.toContain("never");
  });

  test("a change is announced in another process", async () => {
    const { db, open } = await withNotes(dialect);
    const other = await open();
    const heard = new Promise<Change>((resolve) => other.changes.subscribe(resolve));
    await db.transaction(async (tx) => {
      await tx.run(insert, "a", 1);
      await tx.announce("notes", "a");
    });
    const expected = dialect === "sqlite" ? { topic: "*", id: "*" } : { topic: "notes", id: "a" };
    expect(await heard).toEqual(expected);
  });
});

test("a nested transaction on SQLite ends as busy instead of waiting for itself", async () => {
  const { db } = await withNotes("sqlite");
  const nested = db.transaction(() => db.run(insert, "a", 1));
  await expect(nested).rejects.toThrow("the database is busy");
  expect(await db.run(insert, "b", 1)).toBe(1);
});

test("a PostgreSQL that disconnects is unavailable, not an unknown error", async () => {
  const { db } = await withNotes("postgres");
  const ended = db.all("SELECT pg_terminate_backend(pg_backend_pid())");
  await expect(ended).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(await db.all("SELECT * FROM notes")).toEqual([]);
});

test("a PostgreSQL listener that was disconnected reconnects and says that anything may have changed", async () => {
  const { db } = await withNotes("postgres");
  const states: boolean[] = [];
  const back = new Promise<void>((resolve) => {
    db.changes.subscribe(() => {
      states.push(db.changes.live);
      if (db.changes.live) resolve();
    });
  });
  await db.all(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'gatehouse-listener' AND datname = current_database()`,
  );
  await back;
  expect(states[0]).toBe(false);
  expect(db.changes.live).toBe(true);
});

test("an integer from PostgreSQL that JavaScript cannot represent is refused, not rounded", async () => {
  const { db } = await withNotes("postgres");
  await expect(db.get("SELECT 9007199254740993::bigint AS n")).rejects.toThrow(RangeError);
});
