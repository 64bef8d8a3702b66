import type { Clock } from "../src/infra/clock.ts";
import type { CrashPoint } from "../src/infra/crash-points.ts";
import {
  type Database,
  DatabaseUnavailableError,
  type Transaction,
} from "../src/infra/db/database.ts";
import type { PaymentProvider } from "../src/payments/provider.ts";

/** Unwinds the code of a process that has died. */
class CrashedError extends Error {
  override readonly name = "CrashedError";
}

/** What a call of a process that has died waits for. */
const never = <T>() => new Promise<T>(() => {});

/** What goes wrong at the seams, as the world decides. Each call of a seam asks once. */
export interface Trouble {
  /** Whether the process dies at this call. */
  crashesAt(seam: string): boolean;
  /** What becomes of a transaction: `fails` writes nothing, `unheard` commits, but its answer is lost. */
  disk(): "none" | "fails" | "unheard";
}

/**
 * The seams of one process: its database, clock, provider and named points. After its crash none of them has
 * any effect, so that whatever its code still does is lost, as its memory is.
 */
export class Seams {
  private readonly trouble: Trouble;
  private readonly world: Clock;
  private readonly due = new Set<number>();
  private readonly crashed: (seam: string) => void;
  /** Calls so far. While it grows, the process is doing something. */
  calls = 0;
  isDead = false;

  constructor(trouble: Trouble, world: Clock, crashed: (seam: string) => void) {
    this.trouble = trouble;
    this.world = world;
    this.crashed = crashed;
  }

  /** Counts a call, and ends the process if it is to die there. */
  private pass(seam: string): void {
    this.calls++;
    if (this.isDead) throw new CrashedError(seam);
    if (!this.trouble.crashesAt(seam)) return;
    this.kill(seam);
    throw new CrashedError(seam);
  }

  /** Ends the process now. */
  kill(why: string): void {
    this.isDead = true;
    this.crashed(why);
  }

  readonly crashPoint: CrashPoint = (point) => this.pass(point);

  readonly clock: Clock = {
    now: () => this.world.now(),
    after: (delayMs, task) => {
      this.calls++;
      const at = this.world.now() + delayMs;
      this.due.add(at);
      return this.world.after(delayMs, () => {
        this.due.delete(at);
        this.calls++;
        if (!this.isDead) task();
      });
    },
  };

  /** When something is due next; cancelled timers count until then. */
  nextDue(): number {
    const now = this.world.now();
    for (const at of this.due) if (at <= now) this.due.delete(at);
    return Math.min(...this.due);
  }

  private async write<T>(
    write: Database["transaction"],
    body: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    if (this.isDead) return never();
    const disk = this.trouble.disk();
    this.pass("db.begin");
    if (disk === "fails") throw new DatabaseUnavailableError("the disk fails");
    const result = await write(async (tx) => {
      if (this.isDead) throw new CrashedError("db.body");
      const made = await body(tx);
      this.pass("db.commit");
      return made;
    });
    this.pass("db.committed");
    if (disk === "unheard") throw new DatabaseUnavailableError("the answer of the disk is lost");
    return result;
  }

  database(db: Database): Database {
    const write =
      (method: "transaction" | "shortTransaction") =>
      <T>(body: (tx: Transaction) => Promise<T>) =>
        this.write((inner) => db[method](inner), body);
    const replaced: Partial<Database> = {
      transaction: write("transaction"),
      shortTransaction: write("shortTransaction"),
      run: (sql, ...values) => write("shortTransaction")((tx) => tx.run(sql, ...values)),
      close: async () => {},
    };
    return new Proxy(db, {
      get: (target, name) => {
        if (name in replaced) return Reflect.get(replaced, name);
        const member = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          this.calls++;
          if (this.isDead) return Promise.reject(new CrashedError(String(name)));
          return member.apply(target, args);
        };
      },
    });
  }

  /** The process may die before it asks the provider, and before it hears the answer. */
  provider(provider: PaymentProvider): PaymentProvider {
    return new Proxy(provider, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target);
        if (typeof member !== "function" || name === "amountFault") return member;
        return async (...args: unknown[]) => {
          if (this.isDead) return never();
          this.pass(`provider.${String(name)}`);
          const answer = await member.apply(target, args).finally(() => this.calls++);
          this.pass(`provider.${String(name)}.answered`);
          return answer;
        };
      },
    });
  }
}
