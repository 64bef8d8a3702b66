import type { Socket } from "node:net";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { freshEnvironment, startServer } from "../harness.ts";
import { POLICY, submitting } from "./submitting.ts";

const COUNTING = {
  ...POLICY,
  rules: [
    ...POLICY.rules,
    {
      id: "velocity",
      effect: "deny",
      when: { count: { scope: "agent", window: "PT10M", gt: 100 } },
    },
    { id: "busy", effect: "deny", when: { count: { scope: "site", window: "P1D", gt: 1000 } } },
  ],
};

const ROUND_TRIPS_MAX = 8;
const SITES = 5;
const MANDATES_PER_SITE = 10;

const { query } = pg.Client.prototype;
afterEach(() => {
  pg.Client.prototype.query = query;
});

/** The socket of a client, which its types leave out. */
interface Connected {
  readonly connection: { readonly stream: Socket };
}

/** Counts, for every transaction from now on, how often it sends something after it has received something. */
function countRoundTrips(): readonly number[] {
  const ended: number[] = [];
  const ends = new Map<pg.Client, () => void>();
  const begin = (client: pg.Client) => {
    const { stream } = (client as unknown as Connected).connection;
    const { write } = stream;
    let trips = 0;
    let hasReceived = true;
    const onData = () => {
      hasReceived = true;
    };
    // Before the client's own listener, which sends what waits for this answer.
    stream.prependListener("data", onData);
    stream.write = ((...args: Parameters<typeof write>) => {
      if (hasReceived) trips++;
      hasReceived = false;
      return write.apply(stream, args);
    }) as typeof write;
    ends.set(client, () => {
      stream.off("data", onData);
      stream.write = write;
      ended.push(trips);
    });
  };
  pg.Client.prototype.query = function watched(this: pg.Client, ...args: unknown[]) {
    const [sent] = args;
    if (sent === "BEGIN") begin(this);
    const answer = (query as (...sent: unknown[]) => Promise<unknown>).apply(this, args);
    return sent === "COMMIT" ? answer.finally(() => ends.get(this)?.()) : answer;
  } as typeof query;
  return ended;
}

test("mandates to several sites at once share transactions, each with at most eight round trips", async () => {
  const env = await freshEnvironment("postgres");
  const limits = { GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000" };
  const server = await startServer({ ...env, ...limits });
  const agent = submitting(server);
  const pairs = [];
  for (let i = 0; i < SITES; i++) {
    const shop = await agent.shop(COUNTING, `shop-${i}.example.com`);
    pairs.push({ shop, buyer: await agent.buyer(shop) });
  }
  // Rules that count, and what is read only once: the rules themselves, and the clock of the database.
  for (const { shop, buyer } of pairs) await agent.submit(shop, buyer);
  const trips = countRoundTrips();
  const answers = await Promise.all(
    pairs.flatMap(({ shop, buyer }) =>
      Array.from({ length: MANDATES_PER_SITE }, () => agent.submit(shop, buyer)),
    ),
  );
  expect(new Set(answers.map(({ body }) => body.outcome))).toEqual(new Set(["approved"]));
  expect(trips.length).toBeLessThan(answers.length / 2);
  expect(Math.max(...trips)).toBeLessThanOrEqual(ROUND_TRIPS_MAX);
});
