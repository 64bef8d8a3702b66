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

interface Watched {
  waiting: number;
  trips: number;
}

/** Counts, for every transaction from now on, how often it sends something while no answer is on its way. */
function countRoundTrips(): readonly number[] {
  const ended: number[] = [];
  const open = new Map<pg.Client, Watched>();
  pg.Client.prototype.query = function watchedQuery(this: pg.Client, ...args: unknown[]) {
    const [sent] = args as [string | { readonly text: string }];
    const text = typeof sent === "string" ? sent : sent.text;
    if (text === "BEGIN") open.set(this, { waiting: 0, trips: 0 });
    const own = open.get(this);
    const answer = (query as (...sent: unknown[]) => Promise<unknown>).apply(this, args);
    if (own === undefined) return answer;
    if (own.waiting === 0) own.trips++;
    own.waiting++;
    if (text === "COMMIT") {
      open.delete(this);
      ended.push(own.trips);
    }
    return answer.finally(() => {
      own.waiting--;
    });
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
