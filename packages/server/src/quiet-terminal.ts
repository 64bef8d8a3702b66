import type { Environment } from "./config/config.js";
import { start as startService } from "./main.js";
import type { Running } from "./serve.js";
import { type RunningWorkers, startWorkers as startAll } from "./workers.js";

/** Where log lines go. */
interface LogPlace {
  readonly isTTY?: boolean;
}

/** On a terminal only warnings and errors are logged, unless a level is set. */
function quiet(env: Environment, { isTTY }: LogPlace): Environment {
  const isSet = (env.GATEHOUSE_LOG ?? "").trim() !== "";
  return isTTY === true && !isSet ? { ...env, GATEHOUSE_LOG: "warn" } : env;
}

/** Starts the service in this process. */
export function start(
  env: Environment,
  print: (text: string) => void,
  place: LogPlace = process.stderr,
): Promise<Running> {
  return startService(quiet(env, place), print);
}

/** Starts the service in several processes on one port. */
export function startWorkers(
  env: Environment,
  print: (text: string) => void,
  count: number,
): Promise<RunningWorkers> {
  return startAll(quiet(env, process.stderr), print, count);
}
