import { describe, expect, test } from "vitest";
import type { JsonObject } from "../src/index.ts";
import {
  adjusted,
  decided,
  deciding,
  declined,
  lax,
  paid,
  published,
  returned,
  reviewed,
  rules,
  unknown,
} from "./written-decisions.ts";
import { DAY, exportOf, verdict, writeLog } from "./written-log.ts";

const NEXT_DAY = "2030-05-18";
const POLICIES = [rules, lax];

/** What the verifier says of a log in which these records follow the publishing of the rules. */
async function compared(records: readonly JsonObject[]) {
  const log = await writeLog([{ previous: null }, published(rules), ...records]);
  return verdict(await exportOf(log, POLICIES), log.jwk, { replay: true });
}

/** The first finding, with the record it names; undefined when there is none. */
async function found(...records: readonly JsonObject[]) {
  const { findings, answers } = await compared(records);
  expect(answers.integrity.verdict).toBe("holds");
  const [first] = findings;
  return first && [first.about, first.seq, first.text];
}

const order = decided();
const large = decided({ mandate: "m-large", minor: 60_000 });
/** The same mandate, after a decision on it counts. */
const again = decided({ mandate: "m-large", minor: 60_000, count: 1 });
const huge = decided({ mandate: "m-huge", minor: 200_000 });
const refusal = { ...order, decision: { outcome: "rejected", reason_codes: ["rate_limited"] } };
/** Rules that do not look at the cart let it through without one. */
const unpriced = deciding(
  { ...decided({ by: lax }), amount: null as never },
  { facts: { agent: { id: "agt_1" }, protocol: "a2a", skill: "place_order" } },
);
/** The shop system did not answer, so the payment provider was never asked. */
const unrequested = {
  ...declined,
  decision: { outcome: "rejected", reason_codes: ["unavailable"] },
};
const reopened = { decision: { outcome: "escalated", reason_codes: ["unavailable"] } };
const releasing = { release: "requested" };
const released = { release: "done" };
const taken = { release: "captured" };
const CAPTURED = { kind: "captured", amount: { currency: "EUR", minor: 10_000 } };

describe("a log that follows its rules verifies", () => {
  test.each([
    ["with an order that is paid", [order, paid(order, 2)]],
    ["with an order whose payment was declined", [order, paid(order, 2, declined)]],
    [
      "with a payment whose outcome was unknown at first",
      [order, paid(order, 2, unknown), paid(order, 2)],
    ],
    [
      "with an authorization that was voided",
      [order, paid(order, 2, unknown), paid(order, 2, releasing), paid(order, 2, released)],
    ],
    [
      "with an authorization that its owner had captured",
      [order, paid(order, 2, releasing), paid(order, 2, taken)],
    ],
    [
      "with an authorization after a decline that its owner had captured",
      [order, paid(order, 2, declined), paid(order, 2, taken)],
    ],
    [
      "with an order whose payment was voided later",
      [order, paid(order, 2), paid(order, 2, releasing)],
    ],
    ["with a review", [large, reviewed(large, 2), paid(large, 3)]],
    [
      "with captured money that was refunded later, in parts",
      [
        order,
        paid(order, 2),
        adjusted(2, CAPTURED),
        returned(2, "adj_re_1", "pending"),
        returned(2, "adj_re_2", "completed"),
        returned(2, "adj_re_1", "completed"),
        returned(2, "adj_re_1", "completed", 400),
      ],
    ],
    [
      "with goods that were shipped and cancelled, whatever the payment state",
      [
        order,
        paid(order, 2),
        adjusted(2, { kind: "fulfillment", id: "evt_1" }),
        adjusted(2, { kind: "cancellation", id: "adj_1" }),
        adjusted(2, { kind: "released" }),
      ],
    ],
    [
      "with a review that ends at the last moment",
      [large, { ...reviewed(large, 2), occurred_at: `${DAY}T16:00:01.999Z` }],
    ],
    ["with a review that was denied", [large, reviewed(large, 2, { outcome: "denied" })]],
    [
      "with a mandate that was decided again, because the shop system had not answered",
      [order, paid(order, 2, unrequested), decided({ count: 1 })],
    ],
    [
      "with a mandate that was decided again after its review, because the shop system had not answered",
      [large, reviewed(large, 2), paid(large, 3, unrequested), again],
    ],
    [
      "with a review that was approved again, because the shop system had not answered",
      [
        large,
        reviewed(large, 2),
        paid(large, 3, { ...unrequested, ...reopened }),
        reviewed(large, 2),
        paid(large, 5),
      ],
    ],
    ["with rejections of the same mandate before and after", [refusal, order, refusal]],
    ["with another agent's mandate of the same id", [order, decided({ agent: "agt_2", count: 1 })]],
    ["with a mandate that the rules deny", [huge]],
    [
      "with newer rules",
      [order, published(lax), decided({ mandate: "m-2", by: lax, spent: 10_000, count: 1 })],
    ],
    [
      "with money that was returned before the next count",
      [order, paid(order, 2, declined), decided({ mandate: "m-2", count: 1 })],
    ],
    [
      "with a buyer who pays at the provider, whatever the platform has spent before",
      [order, decided({ mandate: "m-2", buyer: true, count: 1 })],
    ],
    [
      "with what a buyer has paid at the provider, which spends no platform's budget",
      [decided({ buyer: true }), decided({ mandate: "m-2", count: 1 })],
    ],
    [
      "with more counted than the records show",
      [order, decided({ mandate: "m-2", spent: 90_000, count: 5 })],
    ],
    [
      "with an amount for a skill that moves no money",
      [decided({ skill: "get_pricing" }), decided({ mandate: "m-2", count: 1 })].map((record, i) =>
        i === 0 ? { ...record, payment: null } : record,
      ),
    ],
    [
      "with a review that does not count its own request",
      [large, { ...reviewed(large, 2), decision: decided({ minor: 60_000 }).decision }],
    ],
  ] as [string, JsonObject[]][])("%s", async (_, records) => {
    expect(await found(...records)).toBe(undefined);
  });
});

const about = "it is about a different request from record";
const twice = decided({ mandate: "m-2", spent: 10_000, count: 1 });

describe("an audit finds in a correctly signed and linked log", () => {
  test.each([
    [
      "a mandate decided twice",
      [order, decided({ spent: 10_000, count: 1 })],
      [3, "record 2 already decided its mandate"],
    ],
    [
      "a mandate decided again under another id for the same bytes",
      [
        order,
        {
          ...decided({ spent: 10_000, count: 1 }),
          mandate: { mandate_id: "m-1", digest: "f".repeat(64) },
        },
      ],
      [3, "record 2 already decided its mandate"],
    ],
    [
      "a refund of money that was never captured",
      [order, paid(order, 2), returned(2, "adj_re_1", "completed")],
      [4, "it refunds or disputes a payment that was not captured"],
    ],
    [
      "a refund of a voided authorization",
      [
        order,
        paid(order, 2),
        adjusted(2, { kind: "released" }),
        returned(2, "adj_re_1", "completed"),
      ],
      [5, "it refunds or disputes a payment that was not captured"],
    ],
    [
      "the same refund twice",
      [
        order,
        paid(order, 2),
        adjusted(2, CAPTURED),
        returned(2, "adj_re_1", "completed"),
        returned(2, "adj_re_1", "completed"),
      ],
      [6, "record 5 already says the same"],
    ],
    [
      "one refund for two payments",
      [
        order,
        paid(order, 2),
        adjusted(2, CAPTURED),
        returned(2, "adj_re_1", "completed"),
        twice,
        paid(twice, 6),
        adjusted(6, CAPTURED),
        returned(6, "adj_re_1", "pending"),
      ],
      [9, "record 5 has the same refund or dispute for another payment"],
    ],
    [
      "a refund without its kind and state",
      [
        order,
        paid(order, 2),
        adjusted(2, CAPTURED),
        adjusted(2, { kind: "refund", amount: { currency: "EUR", minor: 1 } }),
      ],
      [5, "it does not name the refund or dispute, or not its status"],
    ],
    [
      "refunds that add up to more than was captured",
      [
        order,
        paid(order, 2),
        adjusted(2, CAPTURED),
        returned(2, "re_1", "completed", 6000),
        returned(2, "re_2", "failed", 9000),
        returned(2, "re_3", "completed", 4001),
      ],
      [7, "more was refunded than was captured"],
    ],
    [
      "more captured than was authorized",
      [
        order,
        paid(order, 2),
        adjusted(2, { kind: "captured", amount: { currency: "EUR", minor: 10_001 } }),
      ],
      [4, "it captures more than was authorized"],
    ],
    [
      "a refund in another currency",
      [
        order,
        paid(order, 2),
        adjusted(2, CAPTURED),
        adjusted(2, {
          kind: "refund",
          id: "adj_re_1",
          status: "completed",
          amount: { currency: "USD", minor: 1 },
        }),
      ],
      [5, "it is in a different currency from the authorization"],
    ],
    [
      "a payment captured twice",
      [order, paid(order, 2), adjusted(2, CAPTURED), adjusted(2, CAPTURED)],
      [5, "record 4 already says how the payment ended"],
    ],
    [
      "goods of a payment that does not exist",
      [order, paid(order, 2), adjusted(9, { kind: "fulfillment", id: "evt_1" })],
      [4, "it is about a payment that is not in the log"],
    ],
    [
      "an invalid adjustment",
      [order, paid(order, 2), adjusted(2, { kind: "eaten" })],
      [4, "it does not say how the payment ended"],
    ],
    [
      "a decision by rules that were replaced",
      [published(lax), order],
      [3, "it does not follow the rules that were published last, in record 2"],
    ],
    [
      "a decision by rules that were never published",
      [decided({ minor: 999_900, by: lax })],
      [2, "it does not follow the rules that were published last, in record 1"],
    ],
    [
      "a person's approval by rules that were replaced",
      [large, published(lax), reviewed(large, 2)],
      [4, "it does not follow the rules that were published last, in record 3"],
    ],
    [
      "spent money that is not counted",
      [order, decided({ mandate: "m-2", count: 1 })],
      [3, "it counts 0.00 EUR as spent in P1D (agent), but the earlier records show 100.00 EUR"],
    ],
    [
      "money that a person approved and that is not counted",
      [large, reviewed(large, 2), paid(large, 3), decided({ mandate: "m-2", count: 1 })],
      [5, "it counts 0.00 EUR as spent in P1D (agent), but the earlier records show 600.00 EUR"],
    ],
    [
      "money of a payment with an unknown outcome that is not counted",
      [order, paid(order, 2, unknown), decided({ mandate: "m-2", count: 1 })],
      [4, "it counts 0.00 EUR as spent in P1D (agent), but the earlier records show 100.00 EUR"],
    ],
    [
      "decisions that are not counted",
      [huge, decided()],
      [3, "it counts 0 decisions in PT1H (site), but there are 1 before it"],
    ],
    [
      "an approval that requests a payment its skill does not have",
      [decided({ skill: "get_pricing" })],
      [2, "it requests a payment, but its skill moves no money"],
    ],
    [
      "a rejection with a payment",
      [{ ...huge, payment: "requested" }],
      [2, "it requests a payment, but was not approved"],
    ],
    [
      "a payment without an amount",
      [published(lax), unpriced],
      [3, "it requests a payment, but names no amount"],
    ],
    [
      "a record with another record's id",
      [order, decided({ mandate: "m-2", spent: 10_000, count: 1 })].map((record) => ({
        ...record,
        record_id: "r2",
      })),
      [3, "it has the same id as record 2"],
    ],
    [
      "an escalation without a review",
      [{ ...large, escalation_id: null }],
      [2, "it names no review"],
    ],
  ] as [string, JsonObject[], [number, string]][])("%s", async (_, records, [seq, text]) => {
    expect(await found(...records)).toEqual(["replay", seq, text]);
  });

  test.each([
    [
      "a payment without a decision",
      [paid(order, 99)],
      [2, "it follows a record that is not in the log"],
    ],
    [
      "a payment that names no decision",
      [order, paid(order, 2, { parent_record_id: "" })],
      [3, "it does not name the record that it follows"],
    ],
    [
      "a payment after a rejection before the rules were evaluated",
      [refusal, paid(order, 2)],
      [3, "it follows from record 2, which refused the mandate"],
    ],
    [
      "a payment after a rejection by the rules",
      [huge, paid(huge, 2)],
      [3, "it follows from record 2, which requested no payment"],
    ],
    [
      "a payment before a person decided",
      [large, paid(large, 2)],
      [3, "it follows from record 2, which requested no payment"],
    ],
    [
      "a payment of more than was decided",
      [order, paid(order, 2, { amount: { currency: "EUR", minor: 5_000_000 } })],
      [3, "its amount is 50000.00 EUR, but record 2 approved 100.00 EUR"],
    ],
    [
      "a payment of more than a person approved",
      [large, reviewed(large, 2), paid(decided({ mandate: "m-large", minor: 60_001 }), 3)],
      [4, "its amount is 600.01 EUR, but record 3 approved 600.00 EUR"],
    ],
    [
      "a payment for another agent",
      [order, paid(decided({ agent: "agt_2" }), 2)],
      [3, `${about} 2`],
    ],
    [
      "a payment for other bytes",
      [order, paid(order, 2, { mandate: { mandate_id: "m-1", digest: "f".repeat(64) } })],
      [3, `${about} 2`],
    ],
    [
      "the same payment twice",
      [order, paid(order, 2), paid(order, 2)],
      [4, "it says authorized, but record 3 said that the payment was authorized"],
    ],
    [
      "a second attempt",
      [order, paid(order, 2), paid(order, 2, { attempt_id: "pay-other", ...releasing })],
      [4, "it is a second attempt: record 3 has another one for the same decision"],
    ],
    [
      "one attempt for two decisions",
      [
        order,
        decided({ mandate: "m-2", spent: 10_000, count: 1 }),
        paid(order, 2),
        paid(decided({ mandate: "m-2" }), 3, { ...declined, attempt_id: "pay-2" }),
      ],
      [5, "its payment attempt belongs to another decision"],
    ],
    [
      "an authorization after a decline",
      [order, paid(order, 2, declined), paid(order, 2)],
      [4, "it says authorized, but record 3 said that the payment was declined"],
    ],
    [
      "an authorization voided twice",
      [order, paid(order, 2, releasing), paid(order, 2, released), paid(order, 2, released)],
      [5, "it says released, but record 4 said that the payment was released"],
    ],
    [
      "a void of a payment that was not authorized",
      [order, paid(order, 2, released)],
      [3, "it voids a payment that was not authorized"],
    ],
    [
      "an order without a payment",
      [order, paid(order, 2, { ...declined, order_id: "ord" })],
      [3, "it names an order without an authorized payment"],
    ],
    [
      "an approval without a payment",
      [order, paid(order, 2, { ...unknown, decision: { outcome: "approved" } })],
      [3, "it says approved, but the payment was not authorized"],
    ],
    [
      "an authorization kept without an order",
      [order, paid(order, 2, { payment: "authorized" })],
      [3, "a payment was authorized, but no order was created and nothing was voided"],
    ],
    [
      "a payment with an unknown state",
      [order, paid(order, 2, { payment: "perhaps" })],
      [3, "it does not give the state of the payment"],
    ],
  ] as [string, JsonObject[], [number, string]][])("%s", async (_, records, [seq, text]) => {
    expect(await found(...records)).toEqual(["replay", seq, text]);
  });

  const cheap = decided({ mandate: "m-large", minor: 50_001 });
  test.each([
    [
      "a review without a request",
      [reviewed(large, 99)],
      [2, "it follows a record that is not in the log"],
    ],
    [
      "a review of a request that the rules approved",
      [order, reviewed(order, 2, { outcome: "denied" })],
      [3, "it follows from record 2, which opened no review"],
    ],
    [
      "the end of another review",
      [large, reviewed(large, 2, { escalation_id: "esc-other" })],
      [3, "record 2 opened another review"],
    ],
    [
      "a review of another mandate",
      [large, { ...reviewed(large, 2), mandate: { mandate_id: "m-2", digest: "00" } }],
      [3, `${about} 2`],
    ],
    [
      "a mandate that was decided again after its payment was declined",
      [order, paid(order, 2, declined), decided({ count: 1 })],
      [4, "record 2 already decided its mandate"],
    ],
    [
      "a mandate that was decided twice after the shop system had not answered once",
      [
        order,
        paid(order, 2, unrequested),
        decided({ count: 1 }),
        decided({ spent: 10_000, count: 2 }),
      ],
      [5, "record 4 already decided its mandate"],
    ],
    [
      "a review that was approved again after its payment was declined",
      [large, reviewed(large, 2), paid(large, 3, declined), reviewed(large, 2)],
      [5, "record 3 already ended its review"],
    ],
    [
      "a review that was approved again, although the request was rejected",
      [large, reviewed(large, 2), paid(large, 3, unrequested), reviewed(large, 2)],
      [5, "record 3 already ended its review"],
    ],
    [
      "a mandate that was decided again, although its request waits for a review",
      [order, paid(order, 2, { ...unrequested, ...reopened }), decided({ count: 1 })],
      [4, "record 2 already decided its mandate"],
    ],
    [
      "a review that ends twice",
      [large, reviewed(large, 2, { outcome: "denied" }), reviewed(large, 2)],
      [4, "record 3 already ended its review"],
    ],
    [
      "a person who approved another amount than was requested",
      [large, { ...reviewed(large, 2), decision: cheap.decision }],
      [3, "its amount is 500.01 EUR, but record 2 has 600.00 EUR"],
    ],
    [
      "one approval where the rule requires two",
      [large, reviewed(large, 2, { approved_by: ["tok_1", "tok_1"] })],
      [3, "only 1 of the 2 people that its rule requires approved it"],
    ],
    [
      "a person who approved too late",
      [large, { ...reviewed(large, 2), occurred_at: `${DAY}T16:00:02.000Z` }],
      [3, "it was approved after the review of record 2 expired"],
    ],
    [
      "a payment of a request that a person denied",
      [large, { ...reviewed(large, 2, { outcome: "denied" }), payment: "requested" }],
      [3, "it requests a payment, but was not approved"],
    ],
  ] as [string, JsonObject[], [number, string]][])("%s", async (_, records, [seq, text]) => {
    expect(await found(...records)).toEqual(["replay", seq, text]);
  });

  test("first the record that by itself does not follow from the rules", async () => {
    const bad = deciding(huge, { outcome: "approved" });
    const { findings, answers } = await compared([bad, paid(huge, 2)]);
    expect([findings[0]?.seq, answers.replay.text]).toEqual([
      2,
      "record 2: it says approved, but the rules say rejected",
    ]);
  });
});

describe("if records name earlier ones,", () => {
  const contents = [{ previous: null }, published(rules), order, paid(order, 2)];
  const days = [
    [DAY, 3],
    [NEXT_DAY, 1],
  ] as const;

  test("an audit says how many of those are missing, and reports no fault for them", async () => {
    const log = await writeLog(contents, days);
    const { ok, answers, not_compared } = await verdict(
      await exportOf(log, POLICIES, NEXT_DAY),
      log.jwk,
      { replay: true },
    );
    expect([ok, not_compared]).toEqual([true, { earlier: 1, forgotten: 0 }]);
    expect(answers.replay.text.split("; ")[1]).toBe(
      "1 record names an earlier one that is not here",
    );
  });

  test.each([["in order"], ["in reverse order"]])(
    "all are compared when their days are given %s",
    async (how) => {
      const twice = [...contents, paid(order, 2)];
      const log = await writeLog(twice, [days[0], [NEXT_DAY, 2]]);
      const parts = [await exportOf(log, POLICIES), await exportOf(log, POLICIES, NEXT_DAY)];
      const given = how === "in order" ? parts : parts.reverse();
      const { findings, not_compared } = await verdict(given, log.jwk, { replay: true });
      expect([findings.map(({ seq }) => seq), not_compared.earlier]).toEqual([[4], 0]);
    },
  );

  test("a gap between days is not a fault", async () => {
    const gone = [
      order,
      paid(order, 2, declined),
      published(lax),
      decided({ mandate: "m-2", by: lax, count: 1 }),
    ];
    const log = await writeLog(
      [{ previous: null }, published(rules), ...gone],
      [
        [DAY, 3],
        ["2030-05-18", 2],
        ["2030-05-19", 1],
      ],
    );
    const parts = [await exportOf(log, POLICIES), await exportOf(log, POLICIES, "2030-05-19")];
    const { answers } = await verdict(parts, log.jwk, { replay: true });
    expect([answers.completeness.verdict, answers.replay.verdict]).toEqual(["fails", "holds"]);
  });

  test("a missing record whose id is from a time within the export is a fault", async () => {
    const idAt = (at: string) => {
      const hex = Date.parse(at).toString(16).padStart(12, "0");
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
    };
    for (const [at, verdictOfIt] of [
      [`${DAY}T23:59:59.000Z`, "holds"],
      [`${NEXT_DAY}T12:30:00.000Z`, "fails"],
    ] as const) {
      const named = [...contents.slice(0, 3), paid(order, 2, { parent_record_id: idAt(at) })];
      const log = await writeLog(named, days);
      const part = await exportOf(log, POLICIES, NEXT_DAY);
      const { answers } = await verdict(part, log.jwk, { replay: true });
      expect(answers.replay.verdict).toBe(verdictOfIt);
    }
  });

  test("a log that continues another may name its records and follow its rules", async () => {
    const previous = { chain: "old.example.com/audit/1", size: 9, checkpoint: "" };
    const log = await writeLog([{ previous }, order, paid(large, 99)]);
    const { answers, not_compared } = await verdict(await exportOf(log, POLICIES), log.jwk, {
      replay: true,
    });
    expect([answers.replay.verdict, not_compared.earlier]).toEqual(["holds", 1]);
  });

  test("a log from its beginning shows that rules were never published", async () => {
    const log = await writeLog([{ previous: null }, order]);
    const { findings } = await verdict(await exportOf(log, POLICIES), log.jwk, { replay: true });
    expect([findings[0]?.seq, findings[0]?.text]).toEqual([
      1,
      "it follows rules that were never published",
    ]);
  });
});
