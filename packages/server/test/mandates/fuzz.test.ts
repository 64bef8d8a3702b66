import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { cleanUp, freshEnvironment, NOON, startServer, type TestServer } from "../harness.ts";
import { type Posted, postAll } from "../post-all.ts";
import { seeded } from "../selling/faulty-processor.ts";
import { cart, selling } from "../selling/selling.ts";
import { type Buyer, newMandateId, type Shop } from "./submitting.ts";

/** A sample in `npm test`; `npm run test:long` asks for the full counts. */
const RUNS = Number(process.env.MANDATE_FUZZ_RUNS ?? 1500);
const FORGED = Number(process.env.FORGED_MANDATES ?? 1000);
const SEED = Number(process.env.FUZZ_SEED ?? 2027);
const BATCH = 250;
const MANY = "10000000";

const clock = new ManualClock(NOON);
let server: TestServer;
let at: ReturnType<typeof selling>;
let shop: Shop;
let buyers: readonly Buyer[];
let path = "";
beforeAll(async () => {
  const env = {
    ...(await freshEnvironment("sqlite")),
    GATEHOUSE_REQUESTS_PER_ADDRESS_PER_MINUTE: "1000000",
    GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "1000000",
    GATEHOUSE_MANDATES_PER_AGENT_PER_MINUTE: "1000000",
    GATEHOUSE_MANDATES_PER_SITE_PER_MINUTE: "1000000",
  };
  server = await startServer(env, { clock });
  at = selling(server);
  shop = await at.shop();
  // Several: one that is refused too often has to wait, and its mandates come no further.
  buyers = await Promise.all(Array.from({ length: 8 }, () => at.buyer(shop)));
  path = `/v1/m/${shop.site_key}/mandate`;
  return cleanUp;
});

/** Values where something else was expected. */
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  1.5,
  "",
  " ",
  "0",
  "-0",
  "1e3",
  "\u0000",
  "\ud83d",
  [],
  {},
  [[]],
  "9".repeat(40),
  "x".repeat(300),
  { __proto__: null },
  "\u202e",
  [null, {}],
  MANY,
  "1.00001",
  { items: [] },
  { items: [{ id: "rose", quantity: 1e9 }] },
  "rose",
  "EUR",
  "JPY",
  "XXX",
];
/** Pieces of text where others were expected. */
const JUNK = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\\",
  "\\u0000",
  "null",
  "1e999",
  "-0",
  "\ufeff",
  "\u0000",
  '"__proto__":1,',
  '"v":1,',
  "/*",
  "NaN",
  "\ud800",
  "é",
  "{}".repeat(20),
  "[".repeat(40),
];

type Random = () => number;
const pick = <T>(random: Random, from: readonly T[]) =>
  from[Math.floor(random() * from.length)] as T;

/** Changes a member somewhere in an object, or takes it away, or adds one. */
function twist(random: Random, value: JsonObject): JsonObject {
  const names = Object.keys(value);
  const name = random() < 0.1 ? pick(random, ["extra", "constructor", "v"]) : pick(random, names);
  const inner = value[name ?? ""];
  const nested = typeof inner === "object" && inner !== null && !Array.isArray(inner);
  if (nested && random() < 0.6) return { ...value, [name]: twist(random, inner as JsonObject) };
  if (random() < 0.2)
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  return { ...value, [name]: pick(random, ODD) as never };
}

/** Changes the text of a body in a place or two. */
function smudge(random: Random, text: string): string {
  let made = text;
  for (let n = 0; n <= Math.floor(random() * 3); n++) {
    const place = Math.floor(random() * made.length);
    const cut = random() < 0.5 ? 0 : Math.floor(random() * 8);
    made =
      made.slice(0, place) + (random() < 0.8 ? pick(random, JUNK) : "") + made.slice(place + cut);
  }
  return random() < 0.05 ? made.slice(0, Math.floor(random() * made.length)) : made;
}

/** Ids of mandates that were really signed. */
const signedIds = new Set<string>();

/** A body: twisted and signed as it is, twisted after it was signed, or hardly JSON any more. */
async function fuzzed(random: Random): Promise<string> {
  const buyer = pick(random, buyers);
  const mandate = at.mandate(shop, buyer, random() < 0.6 ? cart() : {});
  const kind = random();
  if (kind < 0.06) {
    const signed = twist(random, mandate);
    if (typeof signed.mandate_id === "string") signedIds.add(signed.mandate_id);
    const made = await signMandate(signed, buyer.key.signer).catch(() => ({ signed }));
    return JSON.stringify(made);
  }
  const envelope = { alg: "EdDSA", kid: buyer.key.kid, signature: "A".repeat(86) };
  const body = { signed: { ...mandate, mandate_id: `forged-${newMandateId()}` }, envelope };
  if (kind < 0.5) return JSON.stringify(twist(random, body));
  return smudge(random, JSON.stringify(body));
}

test(`${RUNS} fuzzed bodies lead to no 5xx, and nothing unsigned is stored`, {
  timeout: 120_000 + RUNS * 5,
}, async () => {
  const random = seeded(SEED);
  const seen = new Map<number, number>();
  for (let sent = 0; sent < RUNS; sent += BATCH) {
    clock.advance(2 * 3_600_000);
    const bodies: string[] = [];
    while (bodies.length < Math.min(BATCH, RUNS - sent)) bodies.push(await fuzzed(random));
    const answers = await postAll(server.port, path, bodies);
    for (const [n, { status, text }] of answers.entries()) {
      seen.set(status, (seen.get(status) ?? 0) + 1);
      const { outcome, reason } = JSON.parse(text);
      const known = ["approved", "escalated", "rejected", "rate_limited"].includes(outcome);
      const told = outcome !== "rejected" || typeof reason === "string";
      if (status >= 500 || !known || !told) throw new Error(`${status} ${text} to ${bodies[n]}`);
    }
  }
  // The bodies reach past the parser: refusals of every kind, and some that are approved.
  expect([...seen.keys()].sort()).toEqual(expect.arrayContaining([200, 400, 401, 403]));
  const { db } = server.context;
  const kept = [
    ...(await db.all<{ mandate_id: string }>("SELECT mandate_id FROM decisions")),
    ...(await db.all<{ mandate_id: string }>("SELECT mandate_id FROM agent_failures")),
  ];
  expect(kept.filter(({ mandate_id }) => !signedIds.has(mandate_id))).toEqual([]);
  expect(await db.all("SELECT * FROM payments WHERE status IN ('requested', 'unknown')")).toEqual(
    [],
  );
});

test(`after ${FORGED} forged mandates and 100 replays the victim's next mandate is approved at once`, {
  timeout: 60_000 + FORGED * 5,
}, async () => {
  clock.advance(60_000);
  const victims = await at.shop();
  const victim = await at.buyer(victims);
  const to = `/v1/m/${victims.site_key}/mandate`;
  const send = (bodies: readonly unknown[]) =>
    postAll(
      server.port,
      to,
      bodies.map((body) => JSON.stringify(body)),
    );
  const captured = await at.signed(victims, victim);
  const [first] = (await send([captured])) as [Posted];
  const forged = Array.from({ length: FORGED }, () => ({
    signed: { ...at.mandate(victims, victim, cart()) },
    envelope: { ...captured.envelope, signature: "A".repeat(86) },
  }));
  const answers = await send(forged);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  const replays = await send(Array.from({ length: 100 }, () => captured));
  expect(new Set(replays.map(({ text }) => text))).toEqual(new Set([first.text]));
  const [next] = (await send([await at.signed(victims, victim)])) as [Posted];
  expect([next.status, JSON.parse(next.text).outcome]).toEqual([200, "approved"]);
  // Ten of a minute one by one, and one record for all others of it.
  clock.advance(60_000);
  await send([forged[0]]);
  const decisions = await at.records(victims);
  expect(decisions.length).toBeLessThanOrEqual(2 + 10 + 1);
  const folded = await at.records(victims, "refusals.folded");
  expect(folded.map(({ record }: { record: JsonObject }) => record.refusals)).toMatchObject([
    { count: FORGED - 10 },
  ]);
  expect(await at.authorizations(victims)).toHaveLength(2);
});
