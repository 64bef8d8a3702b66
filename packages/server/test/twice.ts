import type { Database, Transaction } from "../src/platform/db/database.ts";

/** Ends the first run of a body: nothing of it may stay. */
class FirstRunOver extends Error {
  override readonly name = "FirstRunOver";
}

/**
 * A database that runs the body of every transaction twice, as a deadlock, a head that another
 * process moved or a failing neighbour in a batch would: the first run is rolled back. A body that
 * changes anything outside its transaction changes it twice, and a test that counts sees it.
 */
export function runningTwice(db: Database): Database {
  const transaction = async <T>(body: (tx: Transaction) => Promise<T>): Promise<T> => {
    try {
      await db.transaction(async (tx) => {
        await body(tx);
        throw new FirstRunOver();
      });
    } catch (error) {
      if (!(error instanceof FirstRunOver)) throw error;
    }
    return db.transaction(body);
  };
  return new Proxy(db, {
    get(target, name) {
      if (name === "transaction") return transaction;
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** What `TEST_TWICE=1` makes of the databases of a run; others are as they are. */
export const asTestsRun = (db: Database): Database =>
  process.env.TEST_TWICE === "1" ? runningTwice(db) : db;
