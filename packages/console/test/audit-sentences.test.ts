import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type JsonObject, RECORD_TYPES } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { recordText, sentenceOf } from "../src/audit/records.ts";

const server = fileURLToPath(new URL("../../server/src/", import.meta.url));
const NAMES: Readonly<Record<string, string>> = { per_1: "Rosa", agt_1: "Ada's assistant" };
const nameOf = (id: string) => NAMES[id] ?? id;
const say = (record: object, order?: number) => recordText(record as JsonObject, order, nameOf);
const ROSA = { kind: "person", id: "per_1", role: "owner" };
const SUM = { minor: 4200, currency: "EUR" };

/** Every kind of change of a site, as the service writes them. */
function kindsOfChange(): string[] {
  const forms = [
    /(?:change(?:: JsonObject)? = |record\()\{\s*kind: "([a-z_]+)"/g,
    /\bkind: "([a-z]+_[a-z_]+)" \| "([a-z]+_[a-z_]+)"[;,]/g,
    /type (?:Site|Agent)ChangeKind =([^;]+);/g,
  ];
  const kinds = readdirSync(server, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(server + name, "utf8"))
    .filter((text) => text.includes('actorDraft("site.changed"') || text.includes("ChangeKind ="))
    .flatMap((text) => forms.flatMap((form) => [...text.matchAll(form)]))
    .flatMap(([, ...found]) => found.flatMap((words) => words.match(/[a-z_]+/g) ?? []));
  return [...new Set(kinds)].toSorted();
}

describe("the audit log in sentences:", () => {
  test.each(RECORD_TYPES.filter((type) => type !== "site.changed"))(
    "a record of the type %s has a sentence",
    (type) => {
      expect(sentenceOf({ type })).toMatch(/^[A-Z{].+\.$/);
      expect(say({ type })).not.toMatch(/[{}]|undefined/);
    },
  );

  test("every kind of change of a site has a sentence", () => {
    const kinds = kindsOfChange();
    expect(kinds.length).toBeGreaterThan(45);
    const silent = kinds.filter(
      (kind) => sentenceOf({ type: "site.changed", change: { kind } }) === undefined,
    );
    expect(silent).toEqual([]);
  });

  test.each<[string, object, number?]>([
    [
      "Rosa changed the actions of the site: added Get pricing; removed Place an order.",
      {
        type: "site.changed",
        actor: ROSA,
        change: {
          kind: "skills_set",
          ...{
            skills: ["get_pricing"],
            added: ["get_pricing"],
            removed: ["place_order"],
            changed: [],
          },
        },
      },
    ],
    [
      "Rosa changed the actions of the site.",
      { type: "site.changed", actor: ROSA, change: { kind: "skills_set", skills: [] } },
    ],
    [
      "Rosa changed the settings for delivery, taxes and terms: shipping, time zone.",
      {
        type: "site.changed",
        actor: ROSA,
        change: { kind: "shop_set", fields: ["shipping", "time_zone"] },
      },
    ],
    [
      "Rosa changed the notifications: 2 email addresses and a webhook to hooks.example.",
      {
        type: "site.changed",
        actor: ROSA,
        change: { kind: "notifications_set", emails: 2, webhook_host: "hooks.example" },
      },
    ],
    [
      "Rosa approved order #1042 in a review.",
      {
        type: "review.decision",
        actor: ROSA,
        review: { outcome: "approved" },
        skill: "place_order",
      },
      1042,
    ],
    [
      "Rosa declined “Place an order” in a review.",
      { type: "review.decision", actor: ROSA, review: { outcome: "denied" }, skill: "place_order" },
    ],
    [
      "Your rules asked for a review of “Buy at checkout” for €42.00, requested by Ada's assistant.",
      {
        type: "checkout.decision",
        agent: { id: "agt_1" },
        amount: SUM,
        decision: { outcome: "escalated" },
        skill: "complete_checkout",
      },
    ],
    [
      "Gatehouse declined “Get pricing”, requested by Ada's assistant.",
      {
        type: "mandate.decision",
        agent: { id: "agt_1" },
        decision: { outcome: "rejected" },
        skill: "get_pricing",
      },
    ],
    [
      "The payment of €42.00 for order #1042 is authorized.",
      { type: "payment.outcome", amount: SUM, payment: "authorized" },
      1042,
    ],
    [
      "The payment of €42.00 for order #1042 is not finished yet. The buyer may still be on the payment page.",
      { type: "payment.outcome", amount: SUM, payment: "unknown" },
      1042,
    ],
    [
      "Rosa asked to refund €42.00 of order #1042.",
      { type: "order.refund", actor: ROSA, refund: { status: "requested", amount: SUM } },
      1042,
    ],
    [
      "Rosa published version 3 of the rules.",
      {
        type: "site.changed",
        actor: ROSA,
        change: { kind: "policy_published", policy_version: 3 },
      },
    ],
    [
      "Rosa removed per_2.",
      { type: "person.changed", actor: ROSA, person: { person_id: "per_2", role: null } },
    ],
    [
      "Rosa read 1 record of the audit log.",
      { type: "audit.read", actor: ROSA, read: { count: 1 } },
    ],
    ["Cart renamed", { type: "site.changed", change: { kind: "cart_renamed" } }],
    ["new.type", { type: "new.type", actor: ROSA }],
    ["constructor", { type: "constructor" }],
  ])("“%s”", (sentence, record, order) => {
    expect(say(record, order)).toBe(sentence);
  });
});
