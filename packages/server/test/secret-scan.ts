import { readdirSync, readFileSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import type pg from "pg";

/**
 * What must be in clear nowhere but where it was given: keys and secrets of a processor, and tokens
 * that pay. Tests use no others, so whatever looks like one is one.
 */
const SECRETS = [
  "[sr]k_(?:test|live)_[A-Za-z0-9]{8}",
  "whsec_[A-Za-z0-9]{8}",
  "(?:pm|tok|spt)_(?:card|sandbox|usBankAccount|visa|mastercard|charge|test|live|given)[A-Za-z0-9_]*",
  // Not longer, or a signature could begin so by chance.
  "(?:pm|tok|spt)_1[A-Za-z0-9]{0,30}(?![A-Za-z0-9_-])",
].join("|");
const SECRET = new RegExp(`(?<![A-Za-z0-9_-])(?:${SECRETS})`);
/** How each of them begins: what a database finds quickly. */
const BEGINNINGS = ["k_test_", "k_live_", "whsec_", "pm_", "tok_", "spt_"];
const FOUND_LENGTH_MAX = 200;

/** A secret that is in a text, with what stands around it. */
export function secretIn(where: string, text: string): string | undefined {
  const found = SECRET.exec(text);
  if (found === null) return undefined;
  const from = Math.max(0, found.index - FOUND_LENGTH_MAX / 2);
  const around = text.slice(from, from + FOUND_LENGTH_MAX).replace(/[^ -~]/g, ".");
  return `a secret in clear in ${where}: ${around}`;
}

function sweepText(where: string, text: string): void {
  const found = secretIn(where, text);
  if (found !== undefined) throw new Error(found);
}

/** What a running service lets out is noted as it goes, and fails the test when it is over. */
export class Sweep {
  private found: string | undefined;

  note(where: string, text: string): void {
    this.found ??= secretIn(where, text);
  }

  end(): void {
    if (this.found !== undefined) throw new Error(this.found);
  }
}

/** Databases with what they have not let go of yet, backups, exports, logs: whatever a folder holds. */
export function sweepFolder(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    sweepText(file, unpacked(bytesOf(file)).toString("latin1"));
  }
}

/** A file that is being replaced may be gone; the one that replaces it is not. */
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

function unpacked(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return bytes;
  }
}

/** Pages that explain the names of test tokens; nobody's are in them. And where a shop system is given its secret. */
const PAGES = /^\/(?:docs|openapi\.json|v1\/connections$)/;

/** Whatever a service answers, refusals and exports too. */
export function sweepAnswers(sweep: Sweep, listener: RequestListener): RequestListener {
  return (request, response) => {
    const at = request.url ?? "";
    if (!PAGES.test(at)) sweepResponse(sweep, `the answer of ${request.method} ${at}`, response);
    return listener(request, response);
  };
}

function sweepResponse(sweep: Sweep, where: string, response: ServerResponse): void {
  for (const method of ["write", "end"] as const) {
    const send = response[method].bind(response) as (...args: unknown[]) => never;
    response[method] = ((chunk: unknown, ...rest: unknown[]) => {
      if (typeof chunk === "string") sweep.note(where, chunk);
      if (chunk instanceof Uint8Array) sweep.note(where, Buffer.from(chunk).toString("latin1"));
      return send(chunk, ...rest);
    }) as never;
  }
}

/** Every row there is, as text. */
export async function sweepPostgres(client: pg.Client): Promise<void> {
  // Most tables are empty, and have no page: planning to read them would take longer than all else.
  const tables = await client.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0`,
  );
  const suspects = BEGINNINGS.map((text) => `%${text.replaceAll("_", "\\_")}%`);
  const found = tables.rows.map(
    ({ name: table }) =>
      `SELECT '${table}' AS name, row_of::text AS text FROM ${table} row_of
       WHERE row_of::text LIKE ANY ($1)`,
  );
  if (found.length === 0) return;
  const { rows } = await client.query<{ name: string; text: string }>(found.join(" UNION ALL "), [
    suspects,
  ]);
  for (const row of rows) sweepText(`table ${row.name}`, row.text);
}
