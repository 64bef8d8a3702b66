import { existsSync } from "node:fs";
import { mkdir, open, rename, rm, rmdir } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname, join, resolve, sep } from "node:path";
import type { AdminClient } from "../admin-client.js";
import { CommandError, EXIT } from "../exit.js";

export type ExportFormat = "json" | "html" | "ocsf";

/** A name from outside becomes a file of ours only if it is one that exports have: no program's. */
const FILE_NAME =
  /^[\w][\w.-]{0,300}-\d{4}-\d\d-\d\d(?:-part-\d+-of-\d+)?\.(?:json|html|ndjson)(?:\.note)?$/;
/** Parts of one export at most: a day of a hundred million records. */
const PARTS_MAX = 100_000;

function nameIn(response: IncomingMessage): string {
  const disposition = response.headers["content-disposition"] ?? "";
  const [, name = ""] = /filename="([^"]*)"/.exec(disposition) ?? [];
  if (FILE_NAME.test(name)) return name;
  const hint = "Check GATEHOUSE_BASE_URL: a different service may run there.";
  throw new CommandError("The answer has no file name.", EXIT.failed, hint);
}

const linkOf = ({ headers: { link } }: IncomingMessage) => (typeof link === "string" ? link : "");

/** Removes a folder and those above it that were made for it, unless somebody has put something there. */
async function removeEmpty(folder: string, topCreated: string): Promise<void> {
  const top = resolve(topCreated);
  const isNew = (path: string) => path === top || path.startsWith(top + sep);
  for (let path = resolve(folder); isNew(path); path = dirname(path)) {
    await rmdir(path).catch(() => undefined);
  }
}

/** Written beside its final name: a download that was cut off never looks whole. */
async function save(
  response: IncomingMessage,
  folder: string,
  onBytes: (file: string, bytes: number) => void,
): Promise<string> {
  const file = join(folder, nameIn(response));
  if (existsSync(file)) {
    response.destroy();
    const hint = "Move or delete it, or choose another folder with --out.";
    throw new CommandError(`${file} already exists.`, EXIT.failed, hint);
  }
  const topCreated = await mkdir(resolve(folder), { recursive: true });
  const partial = `${file}.partial`;
  // What lies there under this name is not ours, and may lead elsewhere.
  await rm(partial, { force: true });
  const handle = await open(partial, "wx", 0o600);
  try {
    for await (const chunk of response) {
      await handle.write(chunk);
      onBytes(file, chunk.length);
    }
    await handle.sync();
  } catch {
    await handle.close();
    await rm(partial, { force: true });
    if (topCreated !== undefined) await removeEmpty(folder, topCreated);
    throw new CommandError(
      "The download was interrupted.",
      EXIT.unreachable,
      "Export the day again.",
    );
  }
  await handle.close();
  await rename(partial, file);
  return file;
}

/** Saves every part of an export, and the notes of files that carry no signature of their own. */
export async function downloadExport(
  client: AdminClient,
  path: string,
  folder: string,
  onBytes: (file: string, bytes: number) => void,
): Promise<string[]> {
  const files: string[] = [];
  const withNotes = !path.includes("format=json");
  for (let next: string | undefined = path; next !== undefined && files.length < PARTS_MAX; ) {
    const response: IncomingMessage = await client.download(next);
    files.push(await save(response, folder, onBytes));
    if (withNotes) {
      files.push(await save(await client.download(`${next}&note=true`), folder, onBytes));
    }
    const [, following]: readonly (string | undefined)[] =
      /^<([^>]+)>; rel="next"$/.exec(linkOf(response)) ?? [];
    next = following;
  }
  return files;
}
