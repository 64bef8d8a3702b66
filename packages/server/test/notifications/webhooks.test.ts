import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  deleteExpiredMessages,
  deliverMessages,
} from "../../src/actions/notifications/deliver-messages.ts";
import { MESSAGE_KEPT_MS } from "../../src/domain/outbox/message.ts";
import { TRY_LEASE_MS } from "../../src/domain/outbox/retry-schedule.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { DatabaseUnavailableError } from "../../src/infra/db/database.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { isSigned, type Receiver, startReceiver } from "./receiver.ts";
import { telling } from "./telling.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Something that will happen once. */
function signal() {
  let happened = () => {};
  const happens = new Promise<void>((resolve) => {
    happened = resolve;
  });
  return { happened: () => happened(), happens };
}

describe.each(TIER_DATABASES)("notifications to an owner by webhook, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let env: Record<string, string>;
  let fails = false;
  let server: TestServer;
  let receiver: Receiver;
  let owner: ReturnType<typeof telling>;
  let shop: Shop;
  beforeAll(async () => {
    receiver = await startReceiver();
    env = { ...(await freshEnvironment(dialect)), GATEHOUSE_FETCH_ALLOW: "127.0.0.1" };
    const crashPoint = (point: string) => {
      if (fails && point === "audit.records_written") throw new DatabaseUnavailableError("gone");
    };
    server = await startServer(env, { clock, crashPoint });
    // Messages are delivered when a test says so.
    await server.context.jobs.stop();
    owner = telling(server, clock);
    shop = await owner.shop({ webhook_url: receiver.url });
    return async () => {
      receiver.close();
      await cleanUp();
    };
  });
  beforeEach(async () => {
    clock.advance(MINUTE_MS);
    // What an earlier test left waiting is not this one's.
    await server.context.db.run("DELETE FROM outbox");
    receiver.received.length = 0;
    receiver.status(200);
  });

  test("a review is sent with who requests what, by which rule, and until when", async () => {
    const fields = {
      protocol_context: { protocol: "ap2", cart_total: "60.00", cart_currency: "EUR" },
    };
    const { buyer, answer, escalationId } = await owner.escalate(shop, fields);
    expect(receiver.received).toEqual([]);
    const [waiting] = await owner.messages(shop, "&state=waiting");
    await owner.deliver();
    await owner.deliver();
    expect(receiver.received).toHaveLength(1);
    const [got] = receiver.received as [Receiver["received"][0]];
    const path = `/v1/admin/sites/${shop.site_key_hash}/escalations/${escalationId}`;
    expect(JSON.parse(got.body)).toEqual({
      type: "review.requested",
      message_id: waiting.message_id,
      occurred_at: new Date(clock.now()).toISOString(),
      site_key_hash: shop.site_key_hash,
      domain: "shop.example.com",
      escalation: {
        escalation_id: escalationId,
        agent_id: buyer.agentId,
        agent_name: "Buyer",
        skill: "get_pricing",
        amount: { minor: 6000, currency: "EUR" },
        items: [],
        rule_id: "ask",
        rule_title: "Ask me",
        expires_at: answer.body.expires_at,
        console_url: `${server.context.config.baseUrl}/console/shop.example.com/reviews/${answer.body.escalation_id}`,
        review_url: `${server.context.config.baseUrl}${path}`,
      },
    });
    const review = await server.admin("GET", path);
    expect(review.body.status).toBe("pending");
    const [delivered] = await owner.messages(shop);
    expect(delivered).toMatchObject({
      state: "delivered",
      attempts: 1,
      kind: "webhook",
      topic: "review.requested",
      destination: receiver.url,
      next_at: null,
      last_problem: null,
      about: escalationId,
    });
  });

  test("the receiver verifies it with the public keys alone, and any change fails", async () => {
    await owner.escalate(shop);
    await owner.deliver();
    const [got] = receiver.received as [Receiver["received"][0]];
    expect(got.headers["webhook-timestamp"]).toBe(String(clock.now() / 1000));
    expect(got.headers["webhook-id"]).toBe(JSON.parse(got.body).message_id);
    expect(got.headers["signature-input"]).toMatch(
      /;created=\d+;keyid="service-card-ed25519-v1-[0-9a-f]{16}";alg="ed25519";tag="service-webhook-v1"$/,
    );
    expect(await isSigned(server.url, got)).toBe(true);
    const path = { ...got, url: got.url.replace("/hook", "/other") };
    const body = { ...got, body: got.body.replace("ask", "nsk") };
    const id = { ...got, headers: { ...got.headers, "webhook-id": "msg_other" } };
    for (const changed of [path, body, id]) {
      expect(await isSigned(server.url, changed).catch(() => false)).toBe(false);
    }
  });

  test("the message is written once with the decision, or neither is", async () => {
    fails = true;
    const failed = await owner.escalate(shop);
    fails = false;
    expect(failed.answer.status).toBe(503);
    expect(await owner.messages(shop)).toEqual([]);
    const again = await owner.send(shop, failed.sent);
    expect(again.status).toBe(202);
    const replayed = await owner.send(shop, failed.sent);
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
    expect(await owner.messages(shop)).toHaveLength(1);
    await owner.deliver();
    const [got] = receiver.received as [Receiver["received"][0]];
    expect(JSON.parse(got.body).escalation.escalation_id).toBe(again.body.escalation_id);
  });

  test("a receiver that is down, slow, failing or redirecting gets the same message until it accepts it", async () => {
    const began = clock.now();
    await owner.escalate(shop);
    const problems: string[] = [];
    const tryNow = async () => {
      await owner.deliverNext(shop);
      problems.push((await owner.messages(shop))[0].last_problem);
    };
    receiver.answers((response) => response.destroy());
    await tryNow();
    const [first] = await owner.messages(shop);
    expect(Date.parse(first.next_at) - began).toBeLessThanOrEqual(MINUTE_MS - 5000);
    receiver.answers(() => clock.advance(3000));
    await tryNow();
    receiver.status(500);
    await tryNow();
    receiver.status(302);
    await tryNow();
    receiver.status(204);
    await tryNow();
    expect(problems).toEqual([
      expect.stringMatching(/^the connection failed \(\w+\)$/),
      "no whole answer within 3000 ms",
      "the receiver returned status 500",
      "the answer is a redirect (302), which is not followed",
      null,
    ]);
    expect((await owner.messages(shop))[0]).toMatchObject({ state: "delivered", attempts: 5 });
    expect(receiver.received).toHaveLength(5);
    const same = ({ body, headers }: Receiver["received"][0]) => [body, headers["webhook-id"]];
    for (const one of receiver.received) {
      expect(same(one)).toEqual(same(receiver.received[0] as Receiver["received"][0]));
      expect(await isSigned(server.url, one)).toBe(true);
    }
    const times = receiver.received.map(({ headers }) => headers["webhook-timestamp"]);
    expect(new Set(times).size).toBe(5);
  });

  test("after more than a day of failures it is given up, and the owner can send it again", async () => {
    receiver.status(503);
    await owner.escalate(shop);
    const began = clock.now();
    const tries: number[] = [];
    while ((await owner.messages(shop))[0].state === "waiting" && tries.length < 200) {
      await owner.deliverNext(shop);
      tries.push(clock.now() - began);
    }
    const made = tries.length;
    expect(made).toBeGreaterThanOrEqual(6);
    expect(tries.at(-1)).toBeGreaterThanOrEqual(DAY_MS);
    expect(tries.at(-1)).toBeLessThanOrEqual(3 * DAY_MS);
    const [failed] = await owner.messages(shop, "&state=failed");
    expect([failed.next_at, failed.last_problem]).toEqual([null, expect.stringContaining("503")]);
    clock.advance(DAY_MS);
    await owner.deliver();
    expect(receiver.received).toHaveLength(made);
    receiver.status(200);
    const path = `/messages/${failed.message_id}/resend`;
    expect((await shop.admin("POST", path, {})).body).toMatchObject({ state: "waiting" });
    await owner.deliver();
    expect(receiver.received).toHaveLength(made + 1);
    expect(receiver.received.at(-1)?.body).toBe(receiver.received[0]?.body);
    expect((await owner.messages(shop))[0]).toMatchObject({ state: "delivered", attempts: 1 });
    expect((await shop.admin("POST", "/messages/msg_none/resend", {})).status).toBe(404);
  });

  test("a receiver that answers 410 gets no more requests", async () => {
    receiver.status(410);
    await owner.escalate(shop);
    await owner.deliver();
    clock.advance(DAY_MS);
    await owner.deliver();
    expect(receiver.received).toHaveLength(1);
    const [failed] = await owner.messages(shop);
    expect(failed).toMatchObject({ state: "failed", attempts: 1 });
    expect(failed.last_problem).toContain("410");
  });

  test("a failing receiver gets one request in a run, however much is due, and others get theirs", async () => {
    const healthy = await startReceiver();
    const other = await owner.shop({ webhook_url: healthy.url }, "other.example.com");
    receiver.status(500);
    for (let i = 0; i < 2; i++) await owner.escalate(shop);
    for (let i = 0; i < 5; i++) await owner.escalate(other);
    await owner.deliver();
    healthy.close();
    expect([receiver.received.length, healthy.received.length]).toEqual([1, 5]);
    const order = healthy.received.map(({ headers }) => headers["webhook-id"]);
    expect(order).toEqual([...order].sort());
  });

  test("two nodes do not send the same message at the same time", async () => {
    const second = await startServer(env, { clock });
    await second.context.jobs.stop();
    await owner.escalate(shop);
    const arrived = signal();
    const released = signal();
    receiver.answers(async (response) => {
      arrived.happened();
      await released.happens;
      response.end();
    });
    const sending = owner.deliver();
    await arrived.happens;
    await deliverMessages(second.context);
    released.happened();
    await sending;
    await deliverMessages(second.context);
    expect(receiver.received).toHaveLength(1);
    const both = [owner.escalate(shop), owner.escalate(shop), owner.escalate(shop)];
    await Promise.all(both);
    await Promise.all([owner.deliver(), deliverMessages(second.context)]);
    expect(receiver.received).toHaveLength(4);
    await second.stop();
  });

  test("a receiver that takes its time makes no other one wait", async () => {
    const slow = await startReceiver();
    const elsewhere = await owner.shop({ webhook_url: slow.url }, "slow.example.com");
    await owner.escalate(elsewhere);
    for (let i = 0; i < 6; i++) await owner.escalate(shop);
    const released = signal();
    slow.answers(async (response) => {
      await released.happens;
      response.end();
    });
    const sending = owner.deliver();
    await expect.poll(() => receiver.received.length, { timeout: 2000 }).toBe(6);
    expect(slow.received).toHaveLength(1);
    released.happened();
    await sending;
    expect(await owner.messages(elsewhere)).toMatchObject([{ state: "delivered" }]);
    slow.close();
  });

  test("a receiver with a backlog that takes its time makes no message wait that is written meanwhile", async () => {
    const slow = await startReceiver();
    const elsewhere = await owner.shop({ webhook_url: slow.url }, "backlog.example.com");
    for (let i = 0; i < 6; i++) await owner.escalate(elsewhere);
    const begun = signal();
    const written = signal();
    slow.answers(async (response) => {
      begun.happened();
      await written.happens;
      response.end();
    });
    const sending = owner.deliver();
    await begun.happens;
    const arrived = signal();
    receiver.answers((response) => {
      arrived.happened();
      written.happened();
      response.end();
    });
    await owner.escalate(shop);
    await arrived.happens;
    expect([receiver.received.length, slow.received.length]).toEqual([1, 1]);
    await sending;
    expect(slow.received).toHaveLength(6);
    slow.close();
  });

  test("a node that dies after sending leaves the message to be sent again, with the same id and bytes", async () => {
    const dying = await startServer(env, { clock });
    await dying.context.jobs.stop();
    await owner.escalate(shop);
    receiver.answers(async (response) => {
      await dying.context.db.close();
      response.end();
    });
    await expect(deliverMessages(dying.context)).rejects.toThrow();
    receiver.status(200);
    await owner.deliver();
    expect(receiver.received).toHaveLength(1);
    clock.advance(TRY_LEASE_MS);
    await owner.deliver();
    const [first, second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect((await owner.messages(shop))[0]).toMatchObject({ state: "delivered", attempts: 2 });
    await dying.stop().catch(() => undefined);
  });

  test("a full queue takes no more, and what does not fit can be sent by hand", async () => {
    await owner.escalate(shop);
    const [{ message_id }] = await owner.messages(shop);
    // Ten thousand would be slow to make one by one.
    await server.context.db.run(
      `INSERT INTO outbox (message_id, site_key_hash, kind, topic, destination, body, created_at,
         attempts, next_at, state)
       SELECT message_id || '-' || n.version, site_key_hash, kind, topic, destination, body,
         created_at, attempts, next_at, state
       FROM outbox, (WITH RECURSIVE counted(version) AS
         (SELECT 1 UNION ALL SELECT version + 1 FROM counted WHERE version < 9999)
         SELECT version FROM counted) AS n WHERE message_id = ?`,
      message_id,
    );
    await owner.escalate(shop);
    const [failed] = await owner.messages(shop, "&state=failed");
    const last_problem = expect.stringContaining("too many");
    expect(failed).toMatchObject({ attempts: 0, last_problem });
  });

  test("messages are deleted long after they ended, and with the site", async () => {
    const leaving = await owner.shop({ webhook_url: receiver.url }, "leaving.example.com");
    await owner.escalate(leaving);
    await owner.deliver();
    await owner.escalate(leaving);
    clock.advance(MESSAGE_KEPT_MS + 1);
    await deleteExpiredMessages(server.context, () => false);
    expect(await owner.messages(leaving)).toMatchObject([{ state: "waiting" }]);
    await server.admin("DELETE", `/v1/admin/sites/${leaving.site_key_hash}`);
    for (const table of ["outbox", "notify_settings"]) {
      const sql = `SELECT 1 FROM ${table} WHERE site_key_hash = ?`;
      expect(await server.context.db.all(sql, leaving.site_key_hash)).toEqual([]);
    }
  });

  test("without settings nothing is sent", async () => {
    const quiet = await owner.shop({}, "quiet.example.com");
    expect((await owner.escalate(quiet)).answer.status).toBe(202);
    expect(await owner.messages(quiet)).toEqual([]);
  });
});

test("the delivery job is woken by the commit, and delivers before it is due", async () => {
  const receiver = await startReceiver();
  const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_FETCH_ALLOW: "127.0.0.1" };
  const clock = new ManualClock(NOON);
  const server = await startServer(env, { clock });
  const owner = telling(server, clock);
  const shop = await owner.shop({ webhook_url: receiver.url });
  const arrived = signal();
  receiver.answers((response) => {
    arrived.happened();
    response.end();
  });
  await owner.escalate(shop);
  clock.advance(200);
  await arrived.happens;
  receiver.close();
  expect(receiver.received).toHaveLength(1);
});
