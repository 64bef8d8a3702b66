import { OWN, Refused } from "../api/client.js";
import { queryText } from "../api/list.js";
import { logsOf } from "../proof/chains.js";
import type { GivenPart } from "./verify-files.js";

export type Format = "json" | "html" | "ocsf";

/** The most parts of an export in the browser. Use the command line for more. */
const PARTS_MAX = 1000;

async function part(
  path: string,
): Promise<{ readonly file: GivenPart; readonly next: string | undefined }> {
  const response = await fetch(path, { headers: OWN, credentials: "same-origin" });
  const text = await response.text();
  if (!response.ok) {
    const { error = "unknown", message = "" } = JSON.parse(text) as Record<string, string>;
    throw new Refused(response.status, error, message);
  }
  const disposition = response.headers.get("content-disposition") ?? "";
  const name = /filename="([^"]+)"/.exec(disposition)?.[1] ?? "audit-export";
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  return { file: { name, text }, next };
}

interface Asked {
  readonly day: string;
  readonly format: Format;
}

/** Every part of a day from each log that has it. A change of the domain ends one log and starts another. */
export async function exportDay(
  path: string,
  { day, format }: Asked,
  onParts: (count: number) => void,
): Promise<readonly GivenPart[]> {
  const logs = (await logsOf(path)).filter(
    ({ first_day, last_day, state }) => first_day <= day && (day <= last_day || state === "open"),
  );
  if (logs.length === 0) throw new Error(`There are no records for ${day}.`);
  const parts: GivenPart[] = [];
  for (const { chain } of logs.toReversed()) {
    parts.push(...(await exportOf(path, { day, format, chain }, (n) => onParts(parts.length + n))));
  }
  return parts;
}

async function exportOf(
  path: string,
  request: Asked & { readonly chain: string },
  onParts: (count: number) => void,
): Promise<readonly GivenPart[]> {
  const parts: GivenPart[] = [];
  let next: string | undefined = `${path}/audit/exports?${queryText({ ...request })}`;
  while (next !== undefined && parts.length < PARTS_MAX) {
    const answer: Awaited<ReturnType<typeof part>> = await part(next);
    parts.push(answer.file);
    onParts(parts.length);
    next = answer.next;
  }
  if (next !== undefined)
    throw new Error(
      "This day is too large for the browser. Export it with: gatehouse audit export",
    );
  return parts;
}
