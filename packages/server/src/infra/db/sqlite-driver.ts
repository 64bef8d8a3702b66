import type { DatabaseSync, StatementSync } from "@photostructure/sqlite";

/**
 * SQLite as Node has it built in, or on Node 20 a package with the same interface. Node 22 and 24 warn that
 * the module is experimental; the warning is for programmers and does not belong in an owner's terminal.
 */
async function loadDriver(): Promise<{ DatabaseSync: typeof DatabaseSync }> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    const builtIn = process.getBuiltinModule?.("node:sqlite");
    return (builtIn as typeof import("@photostructure/sqlite")) ?? import("@photostructure/sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

const driver = await loadDriver();

export type SqliteFile = InstanceType<typeof DatabaseSync>;
export type SqliteStatement = InstanceType<typeof StatementSync>;

/** Opens a file. A statement waits up to `busyMs` milliseconds, inside SQLite, while another process writes. */
export function openSqliteFile(path: string, busyMs: number): SqliteFile {
  return new driver.DatabaseSync(path, { timeout: busyMs, enableForeignKeyConstraints: true });
}

/** Result codes of SQLite for a value that must be unique: by primary key, by an index, by row id. */
const UNIQUE_CODES: readonly number[] = [1555, 2067, 2579];

const BUSY = 5;
const LOCKED = 6;
const FULL = 13;
/** Primary result codes that mean that the file cannot be used now, with SQLite's own text for each. */
const UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [BUSY, "database is locked"],
  [LOCKED, "database table is locked"],
  [8, "attempt to write a readonly database"],
  [10, "disk I/O error"],
  [11, "database disk image is malformed"],
  [FULL, "database or disk is full"],
  [14, "unable to open database file"],
  [26, "file is not a database"],
]);

export type SqliteFault = "conflict" | "busy" | "full" | "unavailable";

/** The primary result code of an error. Statements that return rows fail without a code on Node 20. */
function primaryCode({ errcode, message }: { errcode?: unknown; message: string }) {
  if (typeof errcode === "number") return errcode & 0xff;
  return [...UNAVAILABLE].find(([, text]) => message.startsWith(text))?.[0];
}

/** What an error of the driver means; undefined for a mistake in a statement. */
export function sqliteFault(error: unknown): SqliteFault | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_SQLITE_ERROR") return;
  const { errcode } = error as { errcode?: number };
  if (UNIQUE_CODES.includes(errcode ?? 0) || /^UNIQUE constraint failed/.test(error.message)) {
    return "conflict";
  }
  const code = primaryCode(error);
  if (code === BUSY || code === LOCKED) return "busy";
  if (code === FULL) return "full";
  return code !== undefined && UNAVAILABLE.has(code) ? "unavailable" : undefined;
}
