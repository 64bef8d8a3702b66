import pg from "pg";
import { systemClock } from "../clock.js";
import type { Log } from "../log/log.js";
import { ANY_CHANGE, type Change, type ChangeFeed } from "./database.js";

const RECONNECT_MS = 500;
const CONNECT_MS_MAX = 3000;
/** A silent connection is noticed by pings. Either side may be busy for a moment. */
const PING_EVERY_MS = 1000;
const ANSWER_MS_MAX = 3000;

/** Any role that can connect may notify, so an unknown format means that anything may have changed. */
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
 * Receives other processes' changes by LISTEN on a separate connection. While that is down, the feed is not
 * `live` and caches ask the database. After a reconnect anything may have changed.
 */
class PostgresListener {
  private client: pg.Client | undefined;
  private stopped = false;
  private cancel = () => {};
  private readonly url: string;
  private readonly origin: string;
  private readonly feed: ChangeFeed;
  private readonly log: Log;

  constructor(url: string, origin: string, feed: ChangeFeed, log: Log) {
    this.url = url;
    this.origin = origin;
    this.feed = feed;
    this.log = log;
  }

  async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      query_timeout: CONNECT_MS_MAX,
      application_name: "gatehouse-listener",
    });
    client.on("error", (error) => this.lost(client, error));
    client.on("end", () => this.lost(client, new Error("the connection ended")));
    client.on("notification", ({ payload }) => {
      const change = readChange(payload, this.origin);
      if (change !== undefined) this.feed.emit(change);
    });
    try {
      await client.connect();
      await client.query("LISTEN gatehouse_changes");
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.stopped) return client.end();
    this.client = client;
    this.feed.live = true;
    this.feed.emit(ANY_CHANGE);
    this.pingLater(client);
  }

  private pingLater(client: pg.Client): void {
    this.cancel = systemClock.after(PING_EVERY_MS, () => {
      const ping = { text: "SELECT 1", query_timeout: ANSWER_MS_MAX };
      client.query(ping).then(
        () => this.client === client && !this.stopped && this.pingLater(client),
        (error: Error) => this.lost(client, error),
      );
    });
  }

  private lost(client: pg.Client, error: Error): void {
    if (this.stopped || this.client !== client) return;
    this.client = undefined;
    this.feed.live = false;
    this.feed.emit(ANY_CHANGE);
    this.log.warn({ error }, "database.listener_lost");
    void client.end().catch(() => undefined);
    this.reconnectLater();
  }

  private reconnectLater(): void {
    this.cancel = systemClock.after(RECONNECT_MS, () => {
      this.connect().catch(() => {
        if (!this.stopped) this.reconnectLater();
      });
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel();
    await this.client?.end();
  }
}

/** Starts to listen; the returned function stops. */
export async function listenForChanges(
  url: string,
  origin: string,
  feed: ChangeFeed,
  log: Log,
): Promise<() => Promise<void>> {
  const listener = new PostgresListener(url, origin, feed, log);
  await listener.connect();
  return () => listener.stop();
}
