import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Environment } from "../src/config/config.ts";
import { FileHasher } from "../src/maintenance/backup-mac.ts";

/** The secrets key file of an installation that made its own. */
export function secretsKeyFile(env: Environment): string {
  return join(env.GATEHOUSE_DATA_DIR as string, "secrets.key");
}

/** What an operator says who knows the file from when it was made. */
export function byDigest(file: string) {
  const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
  return { unverified: true, sha256 };
}

/** The lines of a backup. */
export function linesIn(file: string): string[] {
  return gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
}

/** Bytes at the end of a backup that seal it. */
export const SEAL_BYTES = 97;

function sealOf(file: string): Buffer {
  return readFileSync(file).subarray(-SEAL_BYTES);
}

/**
 * Changes the rows of a backup and makes its end line fit again, as anybody can who knows the
 * format. The seal stays as it was, unless a key is given to make a new one.
 */
export function forge(
  file: string,
  change: (text: string) => string,
  { key, counts = {} }: { key?: string; counts?: Record<string, number> } = {},
): void {
  const seal = sealOf(file);
  const lines = linesIn(file);
  const rows = `${change(lines.slice(0, -1).join("\n"))}\n`;
  const { end } = JSON.parse(lines.at(-1) as string);
  Object.assign(end.rows, counts);
  end.sha256 = createHash("sha256").update(rows).digest("hex");
  const zipped = gzipSync(`${rows}${JSON.stringify({ end })}\n`);
  writeFileSync(file, Buffer.concat([zipped, key ? newSeal(zipped, key) : seal]));
}

/** The seal that belongs to a gzip part, by the key in a file. */
export function newSeal(zipped: Uint8Array, keyFile: string): Buffer {
  const hasher = new FileHasher(Buffer.from(readFileSync(keyFile, "utf8").trim(), "base64url"));
  hasher.add(zipped);
  return hasher.seal().trailer;
}
