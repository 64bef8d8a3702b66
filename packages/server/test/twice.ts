import type { Database, Transaction } from "../src/infra/db/database.ts";
import { DatabaseUnavailableError } from "../src/infra/db/database.ts";

/** Ends a run of a body: nothing of it may stay. */
class RunOver extends Error {
  override readonly name = "RunOver";
}

/** Runs a body for nothing, as a deadlock or a failing neighbour in a batch would. */
async function runInVain(db: Database, body: (tx: Transaction) => Promise<unknown>): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await body(tx);
      throw new RunOver();
    });
  } catch (error) {
    if (!(error instanceof RunOver)) throw error;
  }
}

/** What becomes of a transaction: it commits, runs again first, fails, or commits unheard. */
export type Trouble = "none" | "again" | "fails" | "unheard";

/** A database that has the trouble it is told to have, transaction by transaction. */
export function troubled(db: Database, next: () => Trouble): Database {
  const transaction = async <T>(body: (tx: Transaction) => Promise<T>): Promise<T> => {
    const trouble = next();
    if (trouble === "again" || trouble === "fails") await runInVain(db, body);
    if (trouble === "fails") throw new DatabaseUnavailableError("it fails for a test");
    const result = await db.transaction(body);
    if (trouble === "unheard") throw new DatabaseUnavailableError("its answer is lost for a test");
    return result;
  };
  return new Proxy(db, {
    get(target, name) {
      if (name === "transaction" || name === "shortTransaction") return transaction;
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/**
 * A database that runs the body of every transaction twice, and rolls the first run back. A body that
 * changes anything outside its transaction changes it twice, and a test that counts sees it.
 */
export const runningTwice = (db: Database): Database => troubled(db, () => "again");

/** How often a body runs: twice where `TEST_TWICE=1`. */
export const RUNS_OF_A_BODY = process.env.TEST_TWICE === "1" ? 2 : 1;

/** What `TEST_TWICE=1` makes of the databases of a run; others are as they are. */
export const asTestsRun = (db: Database): Database =>
  RUNS_OF_A_BODY === 2 ? runningTwice(db) : db;
