import cluster from "node:cluster";
import { type Environment, readConfig } from "./config/config.js";
import { systemClock } from "./infra/clock.js";
import { createLog } from "./infra/log/log.js";
import { peersThrough, tellReady, whenToldToBegin } from "./infra/workers/peers.js";
import { Workers } from "./infra/workers/primary.js";
import { start } from "./main.js";
import type { Running } from "./serve.js";
import { StartupError } from "./startup-error.js";

/** What stops and reloads, whether this is a worker or the process that started them. */
export type RunningWorkers = Pick<Running, "reloadTls" | "stop">;

/** Starts the workers, or in one of them the service. Every worker runs the command that started it. */
export function startWorkers(
  env: Environment,
  print: (text: string) => void,
  count: number,
): Promise<RunningWorkers> {
  return cluster.isWorker ? startWorker(env, print) : startPrimary(env, print, count);
}

async function startPrimary(
  env: Environment,
  print: (text: string) => void,
  count: number,
): Promise<RunningWorkers> {
  const { databaseUrl, logLevel } = readConfig(env);
  if (databaseUrl === undefined) {
    throw new StartupError(
      "Several workers need PostgreSQL, because SQLite allows one writer. Set GATEHOUSE_DATABASE_URL, or " +
        "remove --workers.",
    );
  }
  const workers = new Workers(count, { clock: systemClock, log: createLog(logLevel) });
  await workers.start();
  print(`  workers  ${count}`);
  return workers;
}

async function startWorker(
  env: Environment,
  print: (text: string) => void,
): Promise<RunningWorkers> {
  const begin = await whenToldToBegin(process);
  const isFirst = begin.port === undefined;
  try {
    const peers = peersThrough(process, begin, systemClock);
    const running = await start(env, isFirst ? print : () => undefined, peers);
    tellReady(process, running.port);
    return running;
  } finally {
    // From here on the service keeps the process alive: one that cannot start, or has stopped, ends.
    process.channel?.unref();
  }
}
