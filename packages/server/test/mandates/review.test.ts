import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expireReviews } from "../../src/actions/reviews/decide-review.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { browser } from "../console-browser.ts";
import {
  answerOf,
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { joined, type Page, secretOf, withPasskey } from "../people/joining.ts";
import { type Buyer, POLICY, type Shop, submitting } from "./submitting.ts";
import { withdrawal } from "./withdrawing.ts";

const HOUR_MS = 3_600_000;
const ASK = { id: "ask", effect: "escalate", when: { skill: { eq: "get_pricing" } } };
const ASKING = { ...POLICY, rules: [POLICY.rules[0], ASK] } as unknown as JsonObject;

describe.each(TIER_DATABASES)(
  "a request that the rules escalate to a person, on %s,",
  (dialect) => {
    const clock = new ManualClock(NOON);
    let server: TestServer;
    let agent: ReturnType<typeof submitting>;
    let shop: Shop;
    let buyer: Buyer;
    let sent: Awaited<ReturnType<typeof signMandate>>;
    // biome-ignore lint/suspicious/noExplicitAny: what the endpoint answers
    let first: any;
    beforeAll(async () => {
      server = await startServer(await freshEnvironment(dialect), { clock });
      agent = submitting(server);
      return cleanUp;
    });
    beforeEach(async () => {
      clock.advance(HOUR_MS);
      shop = await agent.shop(ASKING);
      buyer = await agent.buyer(shop);
      sent = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
      first = await agent.send(shop, sent);
    });

    const again = () => agent.send(shop, sent);
    const decide = (verb: string, body: JsonObject = {}) =>
      shop.admin("POST", `/escalations/${first.body.escalation_id}/${verb}`, body);
    const state = async (headers: Record<string, string> = {}) =>
      answerOf(await fetch(first.body.status_url, { headers }));

    test("is escalated in the contract's format, waits, and is recorded", async () => {
      expect(first.status).toBe(202);
      expect(first.body).toEqual({
        outcome: "escalated",
        mandate_id: sent.signed.mandate_id,
        escalation_id: expect.stringMatching(/^esc_[\w-]{24}$/),
        evaluated_rule_id: "ask",
        evaluated_at: new Date(clock.now()).toISOString(),
        expires_at: new Date(clock.now() + 4 * HOUR_MS).toISOString(),
        status_url: `${server.context.config.baseUrl}/v1/m/${shop.site_key}/escalations/${first.body.escalation_id}`,
      });
      const waiting = await again();
      expect([waiting.status, waiting.body]).toEqual([202, first.body]);
      expect((await state()).body).toEqual({
        status: "pending",
        expires_at: first.body.expires_at,
      });
      const [record] = await agent.records(shop);
      expect(record.record.decision.outcome).toBe("escalated");
      const { items } = (await shop.admin("GET", "/escalations?status=pending")).body;
      expect(items).toMatchObject([
        { skill: "get_pricing", agent_id: buyer.agentId, rule_id: "ask" },
      ]);
    });

    test("is approved by a person, and the same mandate then gets the approval", async () => {
      expect((await decide("approve", { note: "ok" })).body).toEqual({ status: "approved" });
      const approved = await again();
      expect(approved.status).toBe(200);
      const [record] = await agent.records(shop, "review.decision");
      expect(approved.body).toMatchObject({
        outcome: "approved",
        record_id: record.record.record_id,
      });
      expect(record.record).toMatchObject({
        review: { outcome: "approved", escalation_id: first.body.escalation_id },
        decision: { outcome: "escalated" },
      });
      expect(JSON.stringify(record.record)).not.toContain('"ok"');
      expect((await state()).body).toMatchObject({
        status: "approved",
        record_id: approved.body.record_id,
      });
      const twice = await decide("approve");
      expect([twice.status, twice.body.error]).toEqual([409, "conflict"]);
      expect((await decide("deny", { reason_code: "other" })).status).toBe(409);
    });

    test("can be approved after the mandate's own time window, until the review expires", async () => {
      clock.advance(4 * HOUR_MS - 1);
      expect((await decide("approve")).body.status).toBe("approved");
      expect((await again()).status).toBe(200);
    });

    test("is denied with a reason that the agent sees, and a note that it does not see", async () => {
      const denial = { reason_code: "suspected_fraud", note: "looks odd to me" };
      expect((await decide("deny", denial)).body.status).toBe("denied");
      const answer = await again();
      expect([answer.status, answer.body.reason, answer.body.reason_code]).toEqual([
        403,
        "review_denied",
        "suspected_fraud",
      ]);
      expect(JSON.stringify([answer.body, (await state()).body])).not.toContain("looks odd");
      expect((await decide("deny", { reason_code: "because" } as JsonObject)).status).toBe(400);
    });

    test("expires if nobody decides, whether a job, the agent or a reviewer comes first", async () => {
      clock.advance(4 * HOUR_MS);
      expect((await state()).body.status).toBe("expired");
      const late = await decide("approve");
      expect([late.status, late.body.message]).toEqual([409, expect.stringContaining("expired")]);
      expect((await again()).body.reason).toBe("review_expired");
      const another = await agent.submit(shop, buyer);
      clock.advance(4 * HOUR_MS);
      await expireReviews(server.context, () => false);
      const { body } = await shop.admin("GET", `/escalations/${another.body.escalation_id}`);
      expect([body.status, body.decided_by]).toEqual(["expired", "reviews.expire"]);
      expect(await agent.records(shop, "review.decision")).toHaveLength(2);
    });

    test("cannot be approved if a rule denies it now, or if the agent was revoked", async () => {
      const denying = {
        ...ASKING,
        rules: [ASK, { ...ASK, id: "no", effect: "deny" }],
      } as JsonObject;
      await shop.admin("PUT", "/policy", denying);
      expect((await decide("approve")).body.status).toBe("invalidated");
      expect((await again()).body.reason).toBe("review_invalidated");
      await shop.admin("PUT", "/policy", ASKING);
      first = await agent.submit(shop, buyer);
      await shop.admin("POST", `/agents/${buyer.agentId}/revoke`, {});
      expect((await decide("approve")).body.status).toBe("invalidated");
    });

    test("can be withdrawn only by its own agent", async () => {
      const { status_url, escalation_id: escalationId } = first.body;
      const withdraw = (by: Buyer, fields: JsonObject = {}) =>
        withdrawal(status_url, { shop, buyer: by, escalationId, now: clock.now() }, fields);
      const other = await agent.buyer(shop);
      expect((await withdraw(other)).status).toBe(404);
      expect((await withdraw(buyer, { escalation_id: "esc_other" })).body.reason).toBe(
        "audience_mismatch",
      );
      const old = new Date(clock.now() - HOUR_MS).toISOString();
      expect((await withdraw(buyer, { issued_at: old })).status).toBe(400);
      expect((await withdraw(buyer)).body.status).toBe("withdrawn");
      expect((await withdraw(buyer)).body.status).toBe("withdrawn");
      expect((await again()).body.reason).toBe("review_withdrawn");
      expect((await decide("approve")).status).toBe(409);
    });

    test("needs as many approvals as its rule requires, each by another person", async () => {
      const escalation = { expires_in: "PT30M", approvals: 2 };
      const rules = [POLICY.rules[0], { ...ASK, escalation }];
      await shop.admin("PUT", "/policy", { ...ASKING, rules } as unknown as JsonObject);
      first = await agent.submit(shop, buyer);
      expect(first.body.expires_at).toBe(new Date(clock.now() + HOUR_MS / 2).toISOString());
      expect((await decide("approve")).body.status).toBe("pending");
      expect((await decide("approve")).status).toBe(409);
      expect((await state()).body.status).toBe("pending");
      const named = { name: "R", role: "reviewer" };
      const reviewer = (await shop.admin("POST", "/tokens", named)).body.token;
      const path = `/v1/admin/sites/${shop.site_key_hash}/escalations/${first.body.escalation_id}`;
      expect((await server.admin("POST", `${path}/approve`, {}, reviewer)).body.status).toBe(
        "approved",
      );
      const [record] = await agent.records(shop, "review.decision");
      expect(record.record.review.approved_by).toHaveLength(2);
    });

    test("is not approved twice by one person with several tokens", async () => {
      const rules = [
        POLICY.rules[0],
        { ...ASK, escalation: { expires_in: "PT30M", approvals: 2 } },
      ];
      await shop.admin("PUT", "/policy", { ...ASKING, rules } as unknown as JsonObject);
      first = await agent.submit(shop, buyer);
      const site = `/v1/admin/sites/${shop.site_key_hash}`;
      const mint = async (role: string, by?: string) =>
        (await server.admin("POST", `${site}/tokens`, { name: role, role }, by)).body
          .token as string;
      const approve = (by: string) =>
        server.admin("POST", `${site}/escalations/${first.body.escalation_id}/approve`, {}, by);
      const owner = await mint("owner");
      const second = await mint("owner", owner);
      const reviewer = await mint("reviewer", second);
      expect((await approve(owner)).body.status).toBe("pending");
      for (const token of [second, reviewer]) {
        const { status, body } = await approve(token);
        expect([status, body.message]).toEqual([409, expect.stringContaining("The same person")]);
      }
      expect((await state()).body.status).toBe("pending");
      expect((await approve(await mint("reviewer"))).body.status).toBe("approved");
      first = await agent.submit(shop, buyer);
      expect((await approve(reviewer)).body.status).toBe("pending");
      expect((await approve(await mint("reviewer", owner))).status).toBe(409);
    });

    test("is not approved twice by one person whose accounts make links for themselves and each other", async () => {
      const escalation = { expires_in: "PT30M", approvals: 2 };
      const rules = [POLICY.rules[0], { ...ASK, escalation }];
      await shop.admin("PUT", "/policy", { ...ASKING, rules } as unknown as JsonObject);
      first = await agent.submit(shop, buyer);
      const hash = shop.site_key_hash as string;
      const site = `/v1/admin/sites/${hash}`;
      const person = async (page: Page, id: string) => {
        await withPasskey(server, page);
        const made = await page.ask("POST", `${site}/tokens`, { name: "T", role: "owner" });
        return { page, id, token: made.body.token as string };
      };
      const owner = await joined(server, hash, "owner", "Olga");
      const olga = await person(owner.page, owner.id);
      const invited = { name: "Second Olga", role: "owner" };
      const { body } = await olga.page.ask("POST", `${site}/people`, invited);
      const other = browser(server);
      await other.signIn({ link: secretOf(body.link.url) });
      const second = await person(other, body.person_id);
      const approve = (by: string) =>
        server.admin("POST", `${site}/escalations/${first.body.escalation_id}/approve`, {}, by);
      const link = (by: string, id: string) =>
        server.admin("POST", `/v1/admin/people/${id}/links`, {}, by);
      expect((await approve(olga.token)).body.status).toBe("pending");
      const refused = async () => {
        const { status, body: refusal } = await approve(second.token);
        expect([status, refusal.message]).toEqual([
          409,
          expect.stringContaining("The same person"),
        ]);
      };
      await refused();
      // A link of their own, of the other, and of their own by their own token.
      for (const [by, id] of [
        [second.token, second.id],
        [second.token, olga.id],
        [olga.token, olga.id],
      ] as const) {
        expect((await link(by, id)).status).toBe(201);
        await refused();
      }
      // Two links that were made at the same time could still form a circle.
      const vouch = "UPDATE people SET vouched_by = ? WHERE person_id = ?";
      await server.context.db.run(vouch, second.id, olga.id);
      await refused();
      const reviewer = await shop.admin("POST", "/tokens", { name: "R", role: "reviewer" });
      expect((await approve(reviewer.body.token)).body.status).toBe("approved");
    });

    test("does not count the approval of a reviewer whose token was revoked since", async () => {
      const rules = [
        POLICY.rules[0],
        { ...ASK, escalation: { expires_in: "PT30M", approvals: 2 } },
      ];
      await shop.admin("PUT", "/policy", { ...ASKING, rules } as unknown as JsonObject);
      first = await agent.submit(shop, buyer);
      const made = (await shop.admin("POST", "/tokens", { name: "R", role: "reviewer" })).body;
      const path = `/v1/admin/sites/${shop.site_key_hash}/escalations/${first.body.escalation_id}`;
      const said = async () => (await server.admin("GET", path)).body.approved_by;
      await server.admin("POST", `${path}/approve`, {}, made.token);
      expect(await said()).toEqual([made.token_id]);
      await server.admin("DELETE", `/v1/admin/tokens/${made.token_id}`);
      expect((await decide("approve")).body).toMatchObject({ status: "pending" });
      expect(await said()).toEqual(["operator"]);
    });

    test("can be decided only by reviewers of its site", async () => {
      const token = async (role: string) =>
        (await shop.admin("POST", "/tokens", { name: role, role })).body.token;
      const path = `/v1/admin/sites/${shop.site_key_hash}/escalations/${first.body.escalation_id}`;
      const auditor = await token("auditor");
      expect((await server.admin("POST", `${path}/approve`, {}, auditor)).status).toBe(403);
      const reviewer = await token("reviewer");
      expect((await server.admin("POST", `${path}/approve`, {}, reviewer)).body.status).toBe(
        "approved",
      );
      const none = await shop.admin("POST", "/escalations/esc_none/approve", {});
      expect(none.status).toBe(404);
    });

    test("is reported to waiting clients as soon as it is decided", async () => {
      const held = state({ prefer: "wait=20" });
      await decide("approve");
      const timer = setInterval(() => clock.advance(500), 5);
      try {
        const { body, headers } = await held;
        expect([body.status, headers.get("preference-applied")]).toEqual(["approved", "wait=20"]);
      } finally {
        clearInterval(timer);
      }
      const missing = await fetch(first.body.status_url.replace(/esc_.*/, "esc_none"));
      expect(missing.status).toBe(404);
    });
  },
);
