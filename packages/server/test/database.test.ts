import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Change } from "../src/infra/db/database.ts";
import {
  type Database,
  DatabaseConflictError,
  DatabaseUnavailableError,
  type Dialect,
} from "../src/infra/db/database.ts";
import { openPostgres } from "../src/infra/db/postgres.ts";
import { openSqlite } from "../src/infra/db/sqlite.ts";
import { SqliteConnection } from "../src/infra/db/sqlite-connection.ts";
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

  test("of short transactions at the same time, each that fails leaves nothing, and no other is affected", async () => {
    const { db } = await withNotes(dialect);
    const heard: string[] = [];
    db.changes.subscribe(({ id }) => heard.push(id));
    const all = Array.from({ length: 200 }, (_, n) =>
      db.shortTransaction(async (tx) => {
        await tx.run(insert, `n${n}`, n);
        await tx.announce("notes", `n${n}`);
        if (n % 7 === 3) throw new Error(`${n} fails`);
        return n;
      }),
    );
    const settled = await Promise.allSettled(all);
    const kept = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(kept).toEqual(Array.from({ length: 200 }, (_, n) => n).filter((n) => n % 7 !== 3));
    const rows = await db.all<{ size: number }>("SELECT size FROM notes ORDER BY size");
    expect(rows.map(({ size }) => size)).toEqual(kept);
    expect(new Set(heard)).toEqual(new Set(kept.map((n) => `n${n}`)));
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

/** A new SQLite file, and how often its writer ends a transaction so. Services of other tests may still write. */
async function withCommits() {
  const { db } = await withNotes("sqlite");
  const exec = vi.spyOn(SqliteConnection.prototype, "exec");
  onTestFinished(() => exec.mockRestore());
  const isOwn = (connection: SqliteConnection) =>
    connection.raw.prepare("SELECT 1 FROM sqlite_master WHERE name = 'notes'").all().length === 1;
  const count = (sql: string) =>
    exec.mock.calls.filter(([one], i) => {
      return one === sql && isOwn(exec.mock.contexts[i] as SqliteConnection);
    }).length;
  const write = (id: string) => db.shortTransaction((tx) => tx.run(insert, id, 1));
  return { db, exec, count, write };
}

test("on SQLite short transactions that wait at the same time share a commit, and others do not", async () => {
  const { db, count, write } = await withCommits();
  await Promise.all(["a", "b", "c"].map(write));
  expect(count("COMMIT")).toBe(1);
  await Promise.all(["d", "e"].map((id) => db.transaction((tx) => tx.run(insert, id, 1))));
  expect(count("COMMIT")).toBe(3);
});

test("on SQLite a shared commit that fails fails for all of them, and the next one is written", async () => {
  const { db, exec, write } = await withCommits();
  exec.mockImplementation(function (this: SqliteConnection, sql: string) {
    if (sql === "COMMIT") throw new DatabaseUnavailableError("the disk is full");
    this.raw.exec(sql);
  });
  const settled = await Promise.allSettled(["a", "b"].map(write));
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  exec.mockRestore();
  await write("c");
  expect(await db.all("SELECT id FROM notes")).toEqual([{ id: "c" }]);
});

test("on SQLite nothing of a shared commit is written if the database ends it in between", async () => {
  const { db, exec, write } = await withCommits();
  const end = async () => {
    // As SQLite does itself when the disk is full.
    const writer = exec.mock.contexts.at(-1) as SqliteConnection;
    writer.raw.exec("ROLLBACK");
    throw new DatabaseUnavailableError("the disk is full");
  };
  const settled = await Promise.allSettled([write("a"), db.shortTransaction(end), write("b")]);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(await db.all("SELECT id FROM notes")).toEqual([{ id: "b" }]);
});

test("on SQLite nothing more is written after the database has ended a transaction, or the body is over", async () => {
  const { db, exec, write } = await withCommits();
  let late: Promise<unknown> = Promise.resolve();
  const ended = db.transaction(async (tx) => {
    (exec.mock.contexts.at(-1) as SqliteConnection).raw.exec("ROLLBACK");
    await tx.run(insert, "after", 1);
  });
  await expect(ended).rejects.toBeInstanceOf(DatabaseUnavailableError);
  let goOn = () => {};
  const leaking = db.transaction(async (tx) => {
    const waits = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    late = waits.then(() => tx.run(insert, "late", 1));
  });
  await leaking;
  goOn();
  await expect(late).rejects.toBeInstanceOf(DatabaseUnavailableError);
  await write("b");
  expect(await db.all("SELECT id FROM notes")).toEqual([{ id: "b" }]);
});

test("on SQLite what failed because of something that is not committed in the end fails like it", async () => {
  const { db, exec, write } = await withCommits();
  exec.mockImplementation(function (this: SqliteConnection, sql: string) {
    if (sql === "COMMIT") throw new DatabaseUnavailableError("the disk is full");
    this.raw.exec(sql);
  });
  const taken = db.shortTransaction(async (tx) => {
    const rows = await tx.all("SELECT id FROM notes");
    throw new Error(rows.length === 0 ? "free" : "taken");
  });
  const first = await taken.catch((error: Error) => error.message);
  const after = () =>
    db.shortTransaction(async (tx) => {
      throw new Error(`${(await tx.all("SELECT id FROM notes")).length} there`);
    });
  const settled = await Promise.allSettled([write("a"), after()]);
  const reasons = settled.map((one) =>
    one.status === "rejected" ? one.reason.message : "written",
  );
  expect([first, ...reasons]).toEqual(["free", "the disk is full", "the disk is full"]);
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
