import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endDeclinedAttempt, insertAttempt } from "../../src/domain/declines/store.ts";
import { countDecline, handedOffUntil } from "../../src/domain/declines/waits.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { DATABASES, NOON, startServer, type TestAnswer } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import {
  BUYER,
  type BuyOptions,
  openWorld,
  paying,
  ROSE,
  SHOP,
  told,
  type World,
} from "../ucp/buying.ts";

const MINUTE_MS = 60_000;
const HERE = "198.51.100.1";
let cards = 0;
/** A buyer nobody has heard of. */
const freshBuyer = () => ({ ...BUYER, email: `buyer-${++cards}@example.com` });
/** A card nobody has tried before, and no bank accepts. */
const stolen = () => `pm_card_stolen_${++cards}`;

describe.each(DATABASES)("declined payments, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock, {
      GATEHOUSE_TRUST_PROXY: "127.0.0.1",
      GATEHOUSE_FETCH_ALLOW: "127.0.0.1,localhost",
      GATEHOUSE_MANDATES_PER_SITE_PER_MINUTE: "1000",
    });
    await world.server.context.jobs.stop();
    ({ server, platform, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(2 * 24 * 60 * MINUTE_MS);
    shop = await at.shop();
  });

  const from = (address: string, more: BuyOptions = {}): BuyOptions => ({
    ...more,
    headers: { "x-forwarded-for": address, ...more.headers },
  });
  /** A platform of another name, on this machine too. */
  const other = () => ({ profile: platform.profileUrl().replace("127.0.0.1", "localhost") });
  /** Tries a card in a checkout of its own. */
  async function tryCard(token: string, options: BuyOptions = from(HERE), buyer = BUYER) {
    const made = await at.create(shop, { ...ROSE, buyer }, options);
    expect(made.body.status).toBe("ready_for_complete");
    return at.complete(shop, made.body.id, paying(token), options);
  }
  const outcomeOf = ({ status, body, headers }: TestAnswer) =>
    status === 429
      ? ["wait", Number(headers.get("retry-after"))]
      : (body.messages?.[0]?.code ?? body.status);
  /** Asks the provider this often, since the shop opened. */
  const asked = async () =>
    (
      await server.context.db.all(
        "SELECT * FROM sandbox_authorizations WHERE site_key_hash = ?",
        shop.site_key_hash,
      )
    ).length;
  const repeat = async <T>(times: number, work: () => Promise<T>): Promise<T[]> => {
    const results: T[] = [];
    for (let n = 0; n < times; n++) results.push(await work());
    return results;
  };

  test("a platform that is not admitted can try five of 120 cards, one after the other", async () => {
    const answers: TestAnswer[] = [];
    for (let n = 0; n < 6; n++) {
      const { id } = (await at.create(shop, ROSE, from(HERE))).body;
      const tries = () => at.complete(shop, id, paying(stolen()), from(HERE));
      answers.push(...(await repeat(20, tries)));
    }
    expect(answers.slice(0, 5).map(outcomeOf)).toEqual(Array(5).fill("payment_failed"));
    expect(answers.slice(5).every(({ status }) => status === 429)).toBe(true);
    expect(await asked()).toBe(5);
  });

  test("a platform that is not admitted can try ten of 120 cards at the same moment", async () => {
    const ids = await Promise.all(
      Array.from({ length: 120 }, async () => (await at.create(shop, ROSE, from(HERE))).body.id),
    );
    await Promise.all(ids.map((id) => at.complete(shop, id, paying(stolen()), from(HERE))));
    expect(await asked()).toBeLessThanOrEqual(10);
  });

  test("an agent that the owner approved can try twenty of sixty cards before it has to wait", async () => {
    const buyer = await at.buyer(shop);
    const answers = await repeat(60, () => at.order(shop, buyer, { token: stolen() }));
    const reasons = answers.map(({ body }) => body.reason ?? body.outcome);
    expect(reasons.slice(0, 20)).toEqual(Array(20).fill("payment_declined"));
    expect(reasons.slice(20)).toEqual(Array(40).fill("agent_temporarily_locked"));
    const [last] = answers.slice(-1);
    expect([last?.status, last?.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(last?.body.reason_code).toBe("payments_declined");
    expect(await asked()).toBe(20);
  });

  test("the waits are 1, 5, 15 and 60 minutes, and start again after a day without one", async () => {
    const untilWait = async () => {
      for (;;) {
        const outcome = outcomeOf(await tryCard(stolen()));
        if (outcome !== "payment_failed") return outcome;
      }
    };
    for (const minutes of [1, 5, 15, 60, 60]) {
      expect(await untilWait()).toEqual(["wait", minutes * 60]);
      clock.advance(minutes * MINUTE_MS - 1);
      expect(outcomeOf(await tryCard("pm_card_visa"))).toEqual(["wait", 1]);
      clock.advance(1);
    }
    clock.advance(24 * 60 * MINUTE_MS + 1);
    expect(await untilWait()).toEqual(["wait", 60]);
  });

  test("after its wait a platform buys, and the same request under the same key is answered", async () => {
    await repeat(5, () => tryCard(stolen()));
    const made = (await at.create(shop, ROSE, from(HERE))).body;
    const again = from(HERE, { key: "1a3c8a4e-0001" });
    expect((await at.complete(shop, made.id, paying(), again)).status).toBe(429);
    clock.advance(MINUTE_MS);
    expect(told(await at.complete(shop, made.id, paying(), again))).toEqual([200, "completed"]);
  });

  test("another path, port or subdomain is the same platform, and a platform elsewhere can still pay", async () => {
    await repeat(5, () => tryCard(stolen()));
    const renamed = from("198.51.100.2", { profile: platform.profileUrl("other/path") });
    expect((await tryCard(stolen(), renamed)).status).toBe(429);
    const honest = from("198.51.100.3", other());
    expect(told(await tryCard("pm_card_visa", honest))).toEqual([200, "completed"]);
  });

  test("the address waits too, so another platform from there has to wait", async () => {
    await repeat(5, () => tryCard(stolen()));
    expect((await tryCard(stolen(), from(HERE, other()))).status).toBe(429);
  });

  test("an approved agent can pay from the address of a stranger who waits", async () => {
    await repeat(5, () => tryCard(stolen()));
    const buyer = await at.buyer(shop);
    const body = await at.signed(shop, buyer);
    expect((await at.send(shop, body, { "x-forwarded-for": HERE })).body.outcome).toBe("approved");
  });

  test("an unsigned caller that names a platform does not make that platform wait", async () => {
    await shop.admin("PUT", "/shop", { ...SHOP, allow_unsigned: true });
    const unsigned = from("198.51.100.9", { sign: false });
    await repeat(5, () => tryCard(stolen(), unsigned));
    expect((await tryCard("pm_card_visa", unsigned)).status).toBe(429);
    expect(told(await tryCard("pm_card_visa"))).toEqual([200, "completed"]);
  });

  test("an instrument that was declined five times is not sent to the provider for a while", async () => {
    const buyer = await at.buyer(shop);
    const token = stolen();
    await repeat(5, () => at.order(shop, buyer, { token }));
    const body = await at.signed(shop, buyer, { token });
    const refused = await at.send(shop, body);
    expect([refused.status, refused.body.reason]).toEqual([403, "payment_declined"]);
    expect(refused.body.reason_code).toBe("instrument_declined");
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await asked()).toBe(5);
    expect((await at.order(shop, buyer)).body.outcome).toBe("approved");
    // Nothing was stored of it: the same bytes are decided after the wait.
    clock.advance(MINUTE_MS);
    expect((await at.send(shop, body)).body.reason_code).toBeUndefined();
    expect(await asked()).toBe(7);
  });

  test("an agent whose payments mostly succeed is not locked by twenty that do not", async () => {
    const buyer = await at.buyer(shop);
    const pays = (token: string) =>
      at.order(shop, buyer, { token, items: [{ id: "vase", quantity: 1 }], total: "12.50" });
    for (let n = 0; n < 21; n++) {
      clock.advance(2000);
      expect((await pays("pm_card_visa")).body.outcome).toBe("approved");
      expect((await pays(stolen())).body.reason).toBe("payment_declined");
    }
    expect((await pays("pm_card_visa")).body.outcome).toBe("approved");
  });

  test("requests that move no money are decided while an agent waits", async () => {
    const buyer = await at.buyer(shop);
    await repeat(20, () => at.order(shop, buyer, { token: stolen() }));
    expect((await at.order(shop, buyer)).body.reason).toBe("agent_temporarily_locked");
    const read = await at.submit(shop, buyer);
    expect(read.body.reason).not.toBe("agent_temporarily_locked");
  });

  const admit = async (name: string) => {
    const admitted = await shop.admin("PUT", `/platforms/${name}`, { status: "admitted" });
    expect(admitted.status).toBe(200);
  };

  test("a platform that the owner admits need not wait, and then has the limit of twenty", async () => {
    await repeat(5, () => tryCard(stolen()));
    expect((await tryCard(stolen())).status).toBe(429);
    await admit("127.0.0.1");
    const one = async () => outcomeOf(await tryCard(stolen(), from(HERE), freshBuyer()));
    expect(await repeat(20, one)).toEqual(Array(20).fill("payment_failed"));
    expect(await one()).toEqual(["wait", 60]);
  });

  test("one buyer of an admitted platform waits alone, whatever card is tried", async () => {
    await admit("127.0.0.1");
    const buyer = freshBuyer();
    await repeat(5, () => tryCard(stolen(), from(HERE), buyer));
    const refused = await tryCard("pm_card_visa", from(HERE), buyer);
    expect(told(refused)).toEqual([200, "ready_for_complete", "payment_failed"]);
    expect(refused.body.messages[0].content).toContain("declined too often");
    expect(told(await tryCard("pm_card_visa", from(HERE), freshBuyer()))).toEqual([
      200,
      "completed",
    ]);
  });

  /** Agents of the owner have this many payments declined. */
  async function declinesOfAgents(count: number) {
    for (let left = count; left > 0; left -= 15) {
      const buyer = await at.buyer(shop);
      await repeat(Math.min(15, left), () => at.order(shop, buyer, { token: stolen() }));
    }
  }

  test("after thirty at one site, platforms that are not admitted send buyers to the shop for ten minutes, and the owner is notified once", async () => {
    const receiver = { webhook_url: `http://${platform.host}/owner`, emails: [] };
    expect((await shop.admin("PUT", "/notifications", receiver)).status).toBe(200);
    await declinesOfAgents(29);
    expect(told(await tryCard("pm_card_visa"))).toEqual([200, "completed"]);
    await declinesOfAgents(3);
    const off = await tryCard("pm_card_visa");
    expect(told(off)).toEqual([200, "requires_escalation", "payments_declined"]);
    expect(off.body.continue_url).toContain("/pages/page_");
    expect(off.body.messages[0].severity).toBe("requires_buyer_review");
    expect(await at.authorizations(shop)).toHaveLength(1);
    // Who was admitted goes on: agents and platforms.
    expect((await at.order(shop, await at.buyer(shop))).body.outcome).toBe("approved");
    await admit("localhost");
    expect(told(await tryCard("pm_card_visa", from(HERE, other())))).toEqual([200, "completed"]);
    const shown = (await shop.admin("GET", "/declines")).body;
    expect(shown).toMatchObject({ declined: 32, attempts: 35, waiting: [] });
    expect(Date.parse(shown.hand_off_until)).toBe(clock.now() + 10 * MINUTE_MS);
    const { items } = (await shop.admin("GET", "/messages")).body;
    expect(
      items.filter(({ topic }: { topic: string }) => topic === "payments.declined_often"),
    ).toHaveLength(1);
    clock.advance(10 * MINUTE_MS);
    const again = await at.complete(shop, off.body.id, paying(), from(HERE));
    expect(told(again)).toEqual([200, "completed"]);
  });

  test("the hand-off to the shop lasts an hour at most, however long declines go on", async () => {
    const { db } = server.context;
    const siteKeyHash = shop.site_key_hash;
    const began = clock.now();
    let ends = 0;
    const decline = (n: number) =>
      db.transaction(async (tx) => {
        const now = clock.now();
        const caller = { siteKeyHash, identity: `agt_${n}`, admitted: true, addressMac: null };
        const counted = { ...caller, instrumentMac: `card ${n}`, buyerMac: null };
        await insertAttempt(tx, `pay_${siteKeyHash}_${n}`, counted, now);
        await endDeclinedAttempt(tx, `pay_${siteKeyHash}_${n}`, now);
        const { handOff } = await countDecline(tx, counted, now);
        if (handOff !== undefined) ends = handOff.until;
      });
    for (let n = 0; n < 30; n++) await decline(n);
    expect(ends).toBe(began + 10 * MINUTE_MS);
    for (let n = 30; clock.now() < began + 59 * MINUTE_MS; n++) {
      clock.advance(20_000);
      await decline(n);
    }
    expect(await handedOffUntil(db, siteKeyHash, clock.now())).toBe(began + 60 * MINUTE_MS);
    clock.advance(MINUTE_MS);
    expect(await handedOffUntil(db, siteKeyHash, clock.now())).toBeUndefined();
  });

  test("a decline is counted once, though its answer was lost and another process finds it", async () => {
    const { sandbox } = server.context.providers;
    if (sandbox === undefined) throw new Error("no sandbox");
    const authorize = sandbox.authorize.bind(sandbox);
    sandbox.authorize = async (request) => {
      await authorize(request);
      throw new Error("the connection was lost");
    };
    await repeat(5, () => tryCard(stolen()));
    sandbox.authorize = authorize;
    const counted = async () => (await shop.admin("GET", "/declines")).body;
    expect(await counted()).toMatchObject({ attempts: 0, declined: 0, waiting: [] });
    clock.advance(MINUTE_MS);
    const successor = await startServer(server.env, { clock });
    await successor.context.jobs.stop();
    await reconcilePayments(successor.context, () => false);
    await reconcilePayments(server.context, () => false);
    const { attempts, declined, waiting } = await counted();
    expect([attempts, declined]).toEqual([5, 5]);
    expect(waiting).toMatchObject([{ times: 1 }, { times: 1 }]);
    expect((await tryCard("pm_card_visa")).status).toBe(429);
  });

  test("a shop whose own key is refused makes no caller wait", async () => {
    const { sandbox } = server.context.providers;
    if (sandbox === undefined) throw new Error("no sandbox");
    const authorize = sandbox.authorize.bind(sandbox);
    sandbox.authorize = async () => ({ outcome: "declined", reason: "processor_refused_key" });
    await repeat(6, () => tryCard("pm_card_visa"));
    sandbox.authorize = authorize;
    expect(told(await tryCard("pm_card_visa"))).toEqual([200, "completed"]);
  });

  test("metrics count declines, waits and what was refused for them", async () => {
    await repeat(6, () => tryCard(stolen()));
    const text = await (await fetch(`${server.url}/metrics`)).text();
    for (const line of [
      'gatehouse_payment_declines_total{caller="unlisted"}',
      'gatehouse_decline_waits_total{kind="address"}',
      'gatehouse_decline_waits_total{kind="identity"}',
      'gatehouse_decline_refusals_total{kind="identity"}',
    ]) {
      expect(text).toMatch(new RegExp(`^${line.replace(/[{}"]/g, "\\$&")} [1-9]`, "m"));
    }
  });

  test("no card, address or mail address is stored with the declines", async () => {
    await tryCard("pm_card_stolen_plainly");
    const rows = await server.context.db.all(
      "SELECT * FROM decline_attempts WHERE site_key_hash = ?",
      shop.site_key_hash,
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/plainly|198\.51|ada@/);
  });
});
