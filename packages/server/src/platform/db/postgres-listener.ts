import pg from "pg";
import { systemClock } from "../clock.js";
import type { Log } from "../log/log.js";
import { ANY_CHANGE, type Change, type ChangeFeed } from "./changes.js";

const RECONNECT_MS = 500;
const CONNECT_MS_MAX = 3000;

/** Any role that can connect may notify: what is not ours by form may mean anything. */
function readChange(payload: string | undefined, origin: string): Change | undefined {
  try {
    const [from, topic, id] = JSON.parse(payload ?? "") as unknown[];
    if (from === origin) return undefined;
    return typeof topic === "string" && typeof id === "string" ? { topic, id } : ANY_CHANGE;
  } catch {
    return ANY_CHANGE;
  }
}

/**
 * Hears other processes' changes by LISTEN on a connection of its own. While that is down the
 * feed is not `live` and caches ask the database; once it is back, anything may have changed.
 */
export async function listenForChanges(
  url: string,
  origin: string,
  feed: ChangeFeed,
  log: Log,
): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let stopped = false;
  let cancelRetry = () => {};

  const lost = (error: Error) => {
    if (stopped || client === undefined) return;
    client = undefined;
    feed.live = false;
    feed.emit(ANY_CHANGE);
    log.warn({ error }, "database.listener_lost");
    retryLater();
  };

  const retryLater = () => {
    cancelRetry = systemClock.after(RECONNECT_MS, () => {
      connect().catch(() => {
        if (!stopped) retryLater();
      });
    });
  };

  const connect = async () => {
    const fresh = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      application_name: "gatehouse-listener",
      keepAlive: true,
    });
    fresh.on("error", lost);
    fresh.on("end", () => lost(new Error("the connection ended")));
    fresh.on("notification", ({ payload }) => {
      const change = readChange(payload, origin);
      if (change !== undefined) feed.emit(change);
    });
    await fresh.connect();
    await fresh.query("LISTEN gatehouse_changes");
    client = fresh;
    feed.live = true;
    feed.emit(ANY_CHANGE);
  };

  await connect();
  return async () => {
    stopped = true;
    cancelRetry();
    await client?.end();
  };
}
