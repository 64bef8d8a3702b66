import { type JsonObject, policyDigest, readPolicy } from "@gatehouse/protocol";
import { beforeAll, expect, test } from "vitest";
import type { RecordDraft } from "../../src/domain/audit/drafts.ts";
import type { Queries, Transaction } from "../../src/infra/db/database.ts";
import { cleanUp, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { ORDER_POLICY, selling } from "../selling/selling.ts";
import { findingsOfSite } from "./exporting.ts";

const LAX = { ...ORDER_POLICY, rules: ORDER_POLICY.rules.slice(0, 1) };
const WOULD_EXCEED = { scope: "agent", window: "P1D", would_exceed: { EUR: "150.00" } };
const DAILY = {
  ...ORDER_POLICY,
  rules: [ORDER_POLICY.rules[0], { id: "daily", effect: "deny", when: { spend: WOULD_EXCEED } }],
};
const TWO_PALMS = { items: [{ id: "palm", quantity: 2 }], total: "1200.00" };
const ONE_PALM = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };

let server: TestServer;
let at: ReturnType<typeof selling>;
beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  at = selling(server);
  return cleanUp;
});

/** What a bug does to a commit: it reads the database wrongly, or writes other records. */
interface Bug {
  readonly read?: (sql: string, row: JsonObject | undefined) => JsonObject | undefined | null;
  readonly write?: (records: readonly RecordDraft[]) => readonly RecordDraft[];
}

/** Lets a server with a bug do something. It signs and chains as it should. */
async function misled(bug: Bug, act: () => Promise<unknown>): Promise<void> {
  const { audit } = server.context;
  const { read = (_, row) => row, write = (records) => records } = bug;
  const wrong = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get(target, name) {
        const member = target[name as keyof Queries] as unknown;
        if (name !== "get") return typeof member === "function" ? member.bind(target) : member;
        return async (sql: string, ...values: never[]) =>
          read(sql, await target.get(sql, ...values));
      },
    });
  const commit: typeof audit.commit = (site, body) =>
    Object.getPrototypeOf(audit).commit.call(audit, site, async (tx: Transaction, now: number) => {
      const made = await body(wrong(tx), now);
      return { ...made, records: write(made.records) };
    });
  Object.assign(audit, { commit });
  try {
    await act();
  } finally {
    Reflect.deleteProperty(audit, "commit");
  }
}

/** A shop that has sold something as it should. */
async function honestShop(policy: unknown = ORDER_POLICY): Promise<{ shop: Shop; buyer: Buyer }> {
  const shop = await at.shop(policy as JsonObject);
  const buyer = await at.buyer(shop);
  expect((await at.order(shop, buyer)).status).toBe(200);
  expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  return { shop, buyer };
}

/** The first finding, and the newest record of a type, which it should name. */
async function caught(shop: Shop, type: string) {
  const [newest] = await at.records(shop, type);
  const [first] = await findingsOfSite(server, shop.site_key_hash);
  return { about: first?.about, text: first?.text, named: first?.seq === newest.record.seq };
}

const found = (text: string) => ({ about: "replay", text, named: true });

test("a server that decides by other rules than it names is caught", async () => {
  const { shop, buyer } = await honestShop();
  const { policies } = server.context;
  const lax = readPolicy(LAX as never);
  if (!lax.ok) throw new Error(lax.detail);
  const inForce: typeof policies.inForce = async (tx, site) => {
    const named = await Object.getPrototypeOf(policies).inForce.call(policies, tx, site);
    return { ...named, policy: lax.value };
  };
  Object.assign(policies, { inForce });
  expect((await at.order(shop, buyer, TWO_PALMS)).body.outcome).toBe("approved");
  Reflect.deleteProperty(policies, "inForce");
  expect(await caught(shop, "mandate.decision")).toEqual(
    found("it says approved, but the rules say rejected"),
  );
});

test("a server that follows rules its owner never published is caught", async () => {
  const { shop, buyer } = await honestShop();
  const document = { ...LAX, version: 77 };
  await server.context.db.run(
    `INSERT INTO policy_versions (site_key_hash, version, digest, document, published_at)
     VALUES (?, 77, ?, ?, 0)`,
    shop.site_key_hash,
    await policyDigest(document as never),
    JSON.stringify(document),
  );
  expect((await at.order(shop, buyer, TWO_PALMS)).body.outcome).toBe("approved");
  const { text, named } = await caught(shop, "mandate.decision");
  expect([named, text]).toEqual([
    true,
    expect.stringContaining("it does not follow the rules that were published last"),
  ]);
});

test("a server that does not count what was spent is caught", async () => {
  const { shop, buyer } = await honestShop(DAILY);
  const read: Bug["read"] = (sql, row) => (/SUM\(\w*minor\)/.test(sql) ? { value: 0 } : row);
  await misled({ read }, async () => {
    expect((await at.order(shop, buyer)).body.outcome).toBe("approved");
  });
  expect(await caught(shop, "mandate.decision")).toEqual(
    found("it counts 0.00 EUR as spent in P1D (agent), but the earlier records show 100.00 EUR"),
  );
});

test("a server that lets one person approve what two must approve is caught", async () => {
  const [skills, , never] = ORDER_POLICY.rules;
  const ask = { ...ORDER_POLICY.rules[1], escalation: { expires_in: "PT4H", approvals: 2 } };
  const { shop, buyer } = await honestShop({ ...ORDER_POLICY, rules: [skills, ask, never] });
  const { escalation_id } = (await at.order(shop, buyer, ONE_PALM)).body;
  const read: Bug["read"] = (_, row) =>
    row && "approvals_needed" in row ? { ...row, approvals_needed: 1 } : row;
  await misled({ read }, () => shop.admin("POST", `/escalations/${escalation_id}/approve`, {}));
  expect(await caught(shop, "review.decision")).toEqual(
    found("only 1 of the 2 people that its rule requires approved it"),
  );
});

/** The records a wrong server writes in place of one. */
type Change = (content: JsonObject) => JsonObject[];

test.each([
  [
    "leaves the rules out",
    "mandate.decision",
    (content) => [{ ...content, decision: { outcome: "approved", reason_codes: [] } }],
    "it says approved, but names no rules",
  ],
  [
    "takes more than was decided",
    "payment.outcome",
    (content) => [{ ...content, amount: { currency: "EUR", minor: 999_900 } }],
    "its amount is 9999.00 EUR, but record",
  ],
  [
    "takes the money twice",
    "payment.outcome",
    (content) => [content, { ...content, attempt_id: "pay_2", order_id: "ord_2" }],
    "it is a second attempt",
  ],
  [
    "decides for less than it asks for",
    "mandate.decision",
    (content) => [{ ...content, amount: { currency: "EUR", minor: 1_000_000 } }],
    "it was decided for a different amount than it says",
  ],
] as [string, string, Change, string][])(
  "a server that %s is caught",
  async (_, type, change, text) => {
    const { shop, buyer } = await honestShop();
    const write: Bug["write"] = (records) =>
      records.flatMap((draft) =>
        draft.type === type
          ? change(draft.content).map((content) => ({ ...draft, content }))
          : draft,
      );
    await misled({ write }, () => at.order(shop, buyer));
    const told = await caught(shop, type);
    expect([told.named, told.text]).toEqual([true, expect.stringContaining(text)]);
  },
);
