import { readFileSync } from "node:fs";
import type { Json } from "./connector-shop.ts";

/** For the start of a shop whose own server is to run PHP of tests. */
export const AT_ONCE = readFileSync(new URL("at-once.php", import.meta.url), "utf8").slice(5);

/** Runs PHP in the server of a shop, sooner than in a process of its own; what it prints is JSON. */
export async function runAtOnce(port: number, code: string): Promise<Json> {
  const url = `http://127.0.0.1:${port}/run-at-once`;
  const answer = await fetch(url, { method: "POST", body: code });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text} of ${code}`);
  return JSON.parse(text);
}
