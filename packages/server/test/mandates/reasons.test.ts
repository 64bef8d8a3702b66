import { type JsonObject, REASONS, type ReasonCode } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { newKey, registering } from "../agents/registering.ts";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  NOON,
  startServer,
  type TestAnswer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { type Cart, ORDER_POLICY, selling } from "../selling/selling.ts";
import { type Buyer, newMandateId, type Shop } from "./submitting.ts";
import { withdrawal } from "./withdrawing.ts";

const MINUTE_MS = 60_000;
const LIMITS = {
  GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000",
  GATEHOUSE_MANDATES_PER_AGENT_PER_MINUTE: "30",
};

interface Case {
  readonly reason: ReasonCode;
  /** What the record says, where that is more than the agent is told; null: metrics alone. */
  readonly recorded?: string | null;
  /** Which record says it, where it is not the decision's. */
  readonly in?: "payment.outcome" | "review.decision";
  readonly refuse: (at: Scene) => Promise<TestAnswer>;
}

interface Scene {
  readonly at: ReturnType<typeof selling>;
  readonly server: TestServer;
  readonly clock: ManualClock;
  readonly shop: Shop;
  readonly buyer: Buyer;
  submit(fields?: JsonObject): Promise<TestAnswer>;
  order(fields?: Cart): Promise<TestAnswer>;
  step(verb: string): Promise<unknown>;
}

const palm: Cart = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };

/** Has an order escalated, does something about it, and sends the same bytes again. */
async function reviewed(
  { at, shop, buyer }: Scene,
  meanwhile: (escalationId: string, statusUrl: string) => Promise<unknown>,
): Promise<TestAnswer> {
  const body = await at.signed(shop, buyer, palm);
  const { escalation_id, status_url } = (await at.send(shop, body)).body;
  await meanwhile(escalation_id, status_url);
  return at.send(shop, body);
}

const window = ({ clock }: Scene, from: number, to: number) => ({
  issued_at: new Date(clock.now() + from).toISOString(),
  expires_at: new Date(clock.now() + to).toISOString(),
});
const repeated = async (times: number, act: () => Promise<unknown>) => {
  for (let n = 0; n < times; n++) await act();
};
const identity = (recorded: string, refuse: Case["refuse"]): Case => ({
  reason: "identity_check_failed",
  recorded,
  refuse,
});

const CASES: readonly Case[] = [
  { reason: "malformed", recorded: null, refuse: ({ at, shop }) => at.send(shop, "{") },
  { reason: "schema_invalid", refuse: (to) => to.submit({ mandate_id: "short" }) },
  { reason: "unsupported_version", refuse: (to) => to.submit({ v: 2 }) },
  { reason: "audience_mismatch", refuse: (to) => to.submit({ audience: "https://evil.example" }) },
  {
    reason: "arguments_mismatch",
    refuse: async ({ at, shop, buyer }) => {
      const mandate = await at.signed(shop, buyer);
      const called = await at.call(shop, { items: [{ id: "rose", quantity: 2 }], mandate });
      // Only a tool's call has arguments beside the signed ones; its HTTP status is JSON-RPC's 200.
      return { status: 400, headers: new Headers(), body: called.result.structuredContent };
    },
  },
  { reason: "cart_invalid", refuse: (to) => to.order({ items: [{ id: "none", quantity: 1 }] }) },
  { reason: "cart_mismatch", refuse: (to) => to.order({ total: "1.00" }) },
  { reason: "mandate_not_yet_valid", refuse: (to) => to.submit(window(to, 61_000, 300_000)) },
  { reason: "mandate_expired", refuse: (to) => to.submit(window(to, -300_000, -60_000)) },
  { reason: "lifetime_too_long", refuse: (to) => to.submit(window(to, 0, 900_001)) },
  {
    reason: "mandate_id_conflict",
    refuse: async (to) => {
      const mandate_id = newMandateId();
      await to.submit({ mandate_id });
      return to.submit({ mandate_id, arguments: { question: "?" } });
    },
  },
  {
    reason: "evidence_invalid",
    refuse: (to) => to.submit({ evidence: [{ type: "mandate.checkout.1", digest: "sha-256:A" }] }),
  },
  {
    reason: "signature_invalid",
    refuse: async ({ at, shop, buyer }) => {
      const { signed, envelope } = await at.signed(shop, buyer);
      return at.send(shop, { signed, envelope: { ...envelope, signature: "A".repeat(86) } });
    },
  },
  identity("protocol_unsupported", (to) => to.submit({ protocol_context: { protocol: "acp" } })),
  identity("unknown_key", async ({ at, shop, buyer }) =>
    at.submit(shop, { ...buyer, key: await newKey() }),
  ),
  identity("unknown_key", async ({ at, shop }) => {
    const elsewhere = await at.buyer(await at.shop());
    return at.submit(shop, elsewhere);
  }),
  identity("key_of_another_agent", async ({ at, shop, buyer }) => {
    const thief = await at.buyer(shop);
    return at.submit(shop, { agentId: buyer.agentId, key: thief.key });
  }),
  identity("key_revoked", async (to) => {
    await to.step("revoke");
    return to.submit();
  }),
  {
    reason: "agent_pending",
    refuse: async ({ at, server, shop }) => {
      const key = await newKey();
      const { body } = await registering(server).register(shop, key);
      expect(body.status).toBe("pending");
      return at.submit(shop, { agentId: body.agent_id, key });
    },
  },
  {
    reason: "agent_suspended",
    refuse: async (to) => {
      await to.step("suspend");
      return to.submit();
    },
  },
  {
    reason: "scope_not_granted",
    refuse: async ({ at, shop }) =>
      at.order(shop, await at.buyer(shop, { scopes: ["skill:get_pricing"] })),
  },
  {
    reason: "policy_denied",
    refuse: (to) => to.order({ items: [{ id: "rose", quantity: 11 }], total: "1100.00" }),
  },
  {
    reason: "budget_exceeded",
    refuse: async (to) => {
      const spend = { scope: "agent", window: "P1D", would_exceed: { EUR: "150.00" } };
      const day = { all: [{ skill: { eq: "place_order" } }, { spend }] };
      const rules = [...ORDER_POLICY.rules, { id: "day", effect: "deny", when: day }];
      await to.shop.admin("PUT", "/policy", { ...ORDER_POLICY, rules });
      await to.order();
      return to.order();
    },
  },
  {
    reason: "payment_declined",
    in: "payment.outcome",
    refuse: (to) => to.order({ token: "pm_card_chargeDeclined" }),
  },
  {
    reason: "out_of_stock",
    refuse: (to) => to.order({ items: [{ id: "last", quantity: 2 }], total: "40.00" }),
  },
  {
    reason: "review_denied",
    in: "review.decision",
    recorded: "denied",
    refuse: (to) =>
      reviewed(to, (id) =>
        to.shop.admin("POST", `/escalations/${id}/deny`, { reason_code: "other" }),
      ),
  },
  {
    reason: "review_expired",
    in: "review.decision",
    recorded: "expired",
    refuse: (to) => reviewed(to, async () => to.clock.advance(4 * 60 * MINUTE_MS)),
  },
  {
    reason: "review_withdrawn",
    in: "review.decision",
    recorded: "withdrawn",
    refuse: (to) =>
      reviewed(to, (escalationId, statusUrl) =>
        withdrawal(statusUrl, { ...to, escalationId, now: to.clock.now() }),
      ),
  },
  {
    reason: "review_invalidated",
    in: "review.decision",
    recorded: "invalidated",
    refuse: (to) =>
      reviewed(to, async (id) => {
        const rules = [{ id: "no", effect: "deny", when: { skill: { exists: true } } }];
        await to.shop.admin("PUT", "/policy", { ...ORDER_POLICY, rules });
        await to.shop.admin("POST", `/escalations/${id}/approve`, {});
      }),
  },
  {
    reason: "mandates_disabled",
    refuse: async (to) => {
      await to.shop.admin("PATCH", "/mandates", { enabled: false });
      return to.submit();
    },
  },
  {
    reason: "skill_not_live",
    refuse: (to) => to.submit({ skill: "request_demo" }),
  },
  {
    reason: "site_not_found",
    recorded: null,
    refuse: ({ at, shop }) => at.send({ ...shop, site_key: `us_${"A".repeat(43)}` }, {}),
  },
  {
    reason: "body_too_large",
    recorded: null,
    refuse: ({ at, shop }) => at.send(shop, " ".repeat(8_193)),
  },
  {
    reason: "unsupported_media_type",
    recorded: null,
    refuse: ({ at, shop }) => at.send(shop, "{}", { "content-type": "text/plain" }),
  },
  {
    reason: "agent_temporarily_locked",
    refuse: async (to) => {
      await repeated(20, () => to.submit({ skill: "request_demo" }));
      return to.submit();
    },
  },
  {
    reason: "rate_limited",
    refuse: async (to) => {
      await repeated(30, () => to.submit());
      return to.submit();
    },
  },
  {
    reason: "unavailable",
    recorded: "unknown",
    in: "payment.outcome",
    refuse: (to) => to.order({ token: "pm_card_processing" }),
  },
];

/** Without rules nobody's mandate is looked at: the one case that needs another site. */
const RULELESS: Case = {
  reason: "mandates_disabled",
  recorded: "no_policy",
  refuse: (to) => to.submit(),
};

/**
 * Evidence is not taken yet, so none can have been used (decisions 6, AP2). Checkouts are cancelled in
 * the tests of checkouts, and sales are paused in the tests of that.
 */
const NOT_YET: readonly ReasonCode[] = [
  "checkout_cancelled",
  "evidence_already_used",
  "site_paused",
];

describe.each(TIER_DATABASES)("the reason of a rejected mandate, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  beforeAll(async () => {
    server = await startServer({ ...(await freshEnvironment(dialect)), ...LIMITS }, { clock });
    at = selling(server);
    return cleanUp;
  });
  beforeEach(() => clock.advance(60 * MINUTE_MS));

  async function scene(shop: Shop): Promise<Scene> {
    const buyer = await at.buyer(shop);
    return {
      at,
      server,
      clock,
      shop,
      buyer,
      submit: (fields) => at.submit(shop, buyer, fields),
      order: (fields) => at.order(shop, buyer, fields),
      step: (verb) => shop.admin("POST", `/agents/${buyer.agentId}/${verb}`, {}),
    };
  }

  async function proves(to: Scene, { reason, recorded = reason, ...where }: Case) {
    const answer = await where.refuse(to);
    const { status } = REASONS[reason];
    const told = "reason" in answer.body ? answer.body.reason : answer.body.outcome;
    expect([answer.status, told]).toEqual([status, reason]);
    expect(typeof answer.body.message).toBe("string");
    const type = where.in ?? "mandate.decision";
    const [last] = await at.records(to.shop, type);
    if (recorded === null) return expect(last).toBeUndefined();
    const { decision, review, payment } = last.record;
    const said = {
      "mandate.decision": decision?.reason_codes,
      "review.decision": [review?.outcome],
    };
    const codes = type === "payment.outcome" ? [...decision.reason_codes, payment] : said[type];
    expect(codes).toContain(recorded);
  }

  test.each(
    CASES.map(
      (one) =>
        [
          one.reason,
          one.recorded === null ? "nothing" : (one.recorded ?? one.reason),
          one,
        ] as const,
    ),
  )("is %s, and the log records %s", async (_reason, _recorded, one) =>
    proves(await scene(await at.shop()), one),
  );

  test("is mandates_disabled, and the log records no_policy", async () => {
    const { site_key, site_key_hash } = await createSite(server, "ruleless.example.com");
    const admin: Shop["admin"] = (method, path, body) =>
      server.admin(method, `/v1/admin/sites/${site_key_hash}${path}`, body);
    await proves(await scene({ site_key, site_key_hash, admin }), RULELESS);
  });
});

test("every reason of the mandate endpoint has a test case", () => {
  const shown = new Set(CASES.map(({ reason }) => reason));
  const listed = Object.keys(REASONS).slice(0, Object.keys(REASONS).indexOf("invalid_request"));
  expect(listed.filter((reason) => !shown.has(reason as ReasonCode))).toEqual(NOT_YET);
});
