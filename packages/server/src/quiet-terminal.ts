import type { Environment } from "./config/config.js";
import { type Running, start as startService } from "./main.js";

/** Where log lines go. */
interface LogPlace {
  readonly isTTY?: boolean;
}

/** Starts the service. On a terminal only warnings and errors are logged, unless a level is set. */
export function start(
  env: Environment,
  print: (text: string) => void,
  { isTTY }: LogPlace = process.stderr,
): Promise<Running> {
  const isSet = (env.GATEHOUSE_LOG ?? "").trim() !== "";
  return startService(isTTY === true && !isSet ? { ...env, GATEHOUSE_LOG: "warn" } : env, print);
}
