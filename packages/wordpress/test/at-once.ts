import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "./connector-shop.ts";
import type { WordPress } from "./wordpress.ts";

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

/** What a worker of the shop can die of, as it is found in a request, and how many queries it needs at most. */
export const DEADLY = {
  reserve: { found: '"type":"reserve"', queries: 170 },
  order: { found: '"type":"order"', queries: 200 },
  release: { found: '"type":"release"', queries: 15 },
  send: { found: "Order_Change_Sender::run", queries: 90 },
  owner: { found: "// the owner", queries: 150 },
} as const;
export type Deadly = keyof typeof DEADLY;
/** Those that come from Gatehouse or go there. */
export const MESSAGES = [
  "reserve",
  "order",
  "release",
  "send",
] as const satisfies readonly Deadly[];
/** The shop is started again before fewer workers are left. */
const ALIVE_MIN = 3;

/** Nobody answered: the connection was refused or cut. */
export function isUnanswered(error: unknown): boolean {
  const { code, cause } = error as { readonly code?: string; readonly cause?: unknown };
  if (cause !== undefined && cause !== null) return isUnanswered(cause);
  return ["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(code ?? "");
}

/** Kills workers of a shop, and starts it again before too few are left. */
export function mortalWorkers(wordpress: WordPress, workers: number) {
  const content = join(wordpress.folder, "www/wp-content");
  const dead = () => readdirSync(content).filter((name) => name.startsWith("dies."));
  let buried = 0;
  return {
    deaths: () => buried + dead().length,
    /** The worker that gets the next such message dies, or loses its connection, after so many queries. */
    kill(by: Deadly, queries: number, what: "worker" | "connection" = "worker"): void {
      const message = DEADLY[by].found;
      writeFileSync(join(content, "dies"), JSON.stringify({ message, queries, what }));
    },
    /** Nobody else dies. */
    spare: () => rmSync(join(content, "dies"), { force: true }),
    async revive(): Promise<void> {
      const names = dead();
      if (names.length < workers - ALIVE_MIN) return;
      await wordpress.restart();
      for (const name of names) rmSync(join(content, name));
      buried += names.length;
    },
  };
}
