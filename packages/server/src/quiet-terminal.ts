import type { Environment } from "./config/config.js";
import { type Running, start as startService } from "./main.js";

/** Where log lines go; only whether a person reads along there. */
interface LogPlace {
  readonly isTTY?: boolean;
}

/**
 * Starts the service. A person at a terminal reads what it prints; of its log, unless asked for,
 * only what needs a look.
 */
export function start(
  env: Environment,
  print: (text: string) => void,
  { isTTY }: LogPlace = process.stderr,
): Promise<Running> {
  const said = (env.GATEHOUSE_LOG ?? "").trim() !== "";
  return startService(isTTY === true && !said ? { ...env, GATEHOUSE_LOG: "warn" } : env, print);
}
