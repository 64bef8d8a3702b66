import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import type { PaymentProvider } from "../../src/payments/provider.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import {
  cleanUp,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestAnswer,
  type TestServer,
} from "../harness.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { expectBooksAgree } from "./books.ts";
import { FaultyProvider, seeded } from "./faulty-processor.ts";
import { type PaidBy, paidBySandbox, paidByStripe } from "./paid-by.ts";
import { type Cart, PRODUCTS, selling } from "./selling.ts";

/** A sample in `npm test`; `npm run test:long` asks for the full count. */
const SCHEDULES = Number(process.env.FAULT_SCHEDULES ?? 5);
const FIRST_SEED = Number(process.env.FAULT_SEED ?? 1);
const ORDERS = 4;
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

const CARTS: readonly Cart[] = [
  { items: [{ id: "rose", quantity: 1 }], total: "100.00" },
  { items: [{ id: "rose", quantity: 3 }], total: "300.00" },
  { items: [{ id: "last", quantity: 1 }], total: "20.00" },
  { items: [{ id: "palm", quantity: 1 }], total: "600.00" },
];
const TOKENS = {
  sandbox: [
    "pm_card_visa",
    "pm_card_visa",
    "tok_mastercard",
    "pm_sandbox_timeout",
    "pm_usBankAccount_processing",
    "pm_card_chargeDeclined",
  ],
  stripe: [
    "pm_card_visa",
    "pm_card_visa",
    "tok_mastercard",
    "pm_card_visa",
    "pm_usBankAccount_processing",
    "pm_card_chargeDeclined",
  ],
};
const CASES = DATABASES.flatMap((dialect) =>
  (["sandbox", "stripe"] as const).map((processor) => [processor, dialect] as const),
);
const STOCK = { rose: 50, palm: 5, last: 1 };
/** Where the owner has taken the last one away meanwhile. */
const FEWER = { rose: 50, palm: 5 };
const SEEDS = Array.from({ length: SCHEDULES }, (_, n) => FIRST_SEED + n);
/** Three times what a quiet machine takes: this run shares its machine with others. */
const BEFORE_MS_MAX = 120_000 + 6000 * SCHEDULES;

/** What goes wrong between us and a processor, and how often. */
interface Faults {
  begin(rate: number, random: () => number): void;
  /** Nothing fails any more, and what it had not decided it decides. */
  end(): void;
}

function faultsOf(faulty: FaultyProvider): Faults {
  return {
    begin: (rate, random) => Object.assign(faulty, { rate, random }),
    end: () => Object.assign(faulty, { rate: 0 }),
  };
}

const STRIPE_FAULTS = [
  "drop_before",
  "drop_during",
  "drop_after",
  "rate_limited",
  "in_use",
  "error_500",
  "error_500_after",
] as const;

function stripeFaults({ stripe, intents }: Awaited<ReturnType<typeof paidByStripe>>): Faults {
  return {
    begin: (rate, random) => {
      // What is asked before the faults begin does not change the course of a seed.
      stripe.fault = () => {
        if (rate === 0 || random() >= rate) return undefined;
        return STRIPE_FAULTS[Math.floor(random() * STRIPE_FAULTS.length)];
      };
    },
    end: () => {
      stripe.fault = () => undefined;
      for (const { id, status } of intents()) {
        if (status === "processing") stripe.finishProcessing(id, "requires_capture");
      }
    },
  };
}

interface Traded {
  readonly shop: Shop;
  readonly sent: readonly { readonly body: unknown; readonly answers: readonly TestAnswer[] }[];
  readonly taken: boolean;
}

describe.each(CASES)("the provider %s with seeded failures, on %s:", (name, dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let faults: Faults;
  let paidBy: PaidBy;
  let at: ReturnType<typeof selling>;
  const traded = new Map<number, Traded>();
  beforeAll(async () => {
    const env = await freshEnvironment(dialect);
    let faulty: FaultyProvider | undefined;
    const processor = (inner: PaymentProvider) => {
      faulty = new FaultyProvider(inner);
      return faulty;
    };
    const byStripe = name === "stripe" ? await paidByStripe(() => clock.now()) : undefined;
    paidBy = byStripe ?? paidBySandbox();
    // All come from one address, and most while the clock stands still.
    const limits = {
      GATEHOUSE_REQUESTS_PER_ADDRESS_PER_MINUTE: "1000000",
      GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "1000000",
    };
    server = await startServer({ ...env, ...paidBy.env, ...limits }, { clock, processor });
    // A seed stands for one course of things: nobody but the test looks after payments.
    await server.context.jobs.stop();
    faults = byStripe === undefined ? faultsOf(faulty as never) : stripeFaults(byStripe);
    at = selling(server);
    for (const seed of SEEDS) traded.set(seed, await trade(seed));
    // Faults go on for a day; then the processor answers, and what is open ends.
    for (let tries = 0; tries < 4; tries++) {
      clock.advance(DAY_MS / 4);
      await reconcile();
    }
    faults.end();
    for (let tries = 0; tries < 2; tries++) {
      clock.advance(DAY_MS);
      await reconcile();
    }
    return async () => {
      await cleanUp();
      await paidBy.stop();
    };
  }, BEFORE_MS_MAX);

  const reconcile = () => reconcilePayments(server.context, () => false);

  const takeLast = (shop: Shop) =>
    at.importLines(shop, [{ ...PRODUCTS.find(({ id }) => id === "last"), quantity: 0 }]);

  /** An order whose goods are gone before anybody hears that it was authorized: it is released. */
  async function outrun(shop: Shop, buyer: Buyer) {
    const cart = { items: [{ id: "last", quantity: 1 }], total: "20.00" };
    const body = await at.signed(shop, buyer, { ...cart, ...paidBy.unheard() });
    const answers = [await at.send(shop, body)];
    await takeLast(shop);
    paidBy.heard();
    return { body, answers };
  }

  /** Orders at random, sent again at random, approved at random, while time goes on. */
  async function trade(seed: number): Promise<Traded> {
    const random = seeded(seed);
    const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
    faults.begin(0, random);
    const shop = await at.shop();
    await shop.admin("PUT", "/processor", paidBy.connect());
    const buyers = [await at.buyer(shop), await at.buyer(shop)];
    const sent: { body: unknown; answers: TestAnswer[] }[] = [];
    let taken = seed === FIRST_SEED;
    if (taken) sent.push(await outrun(shop, pick(buyers)));
    faults.begin(0.15 + random() * 0.6, random);
    for (let n = 0; n < ORDERS; n++) {
      const body = await at.signed(shop, pick(buyers), {
        ...paidBy.cart,
        ...pick(CARTS),
        token: pick(TOKENS[name]),
      });
      const answers = await Promise.all(
        Array.from({ length: random() < 0.3 ? 3 : 1 }, () => at.send(shop, body)),
      );
      sent.push({ body, answers });
      const escalation = answers[0]?.body.escalation_id;
      if (escalation !== undefined && random() < 0.8) {
        await shop.admin("POST", `/escalations/${escalation}/approve`, {});
      }
      if (random() < 0.15) {
        taken = true;
        await takeLast(shop);
      }
      if (random() < 0.5) clock.advance(Math.floor(random() * 5 * MINUTE_MS));
      if (random() < 0.5) await reconcile();
    }
    return { shop, sent, taken };
  }

  /** The last record of every mandate says what its agent is told. */
  async function expectLogAgrees(shop: Shop, mandates: number) {
    const types = ["mandate.decision", "review.decision", "payment.outcome"];
    const last = new Map<string, { seq: number; outcome: string }>();
    for (const type of types) {
      for (const { record } of await at.records(shop, type)) {
        const { mandate_id } = record.mandate;
        const outcome = record.review?.outcome ?? record.decision.outcome;
        if ((last.get(mandate_id)?.seq ?? -1) < record.seq) {
          last.set(mandate_id, { seq: record.seq, outcome });
        }
      }
    }
    const { items } = (await shop.admin("GET", "/decisions")).body;
    expect(items).toHaveLength(mandates);
    for (const { mandate_id, outcome } of items) {
      const said = last.get(mandate_id)?.outcome;
      expect([mandate_id, said === "expired" ? "rejected" : said]).toEqual([mandate_id, outcome]);
    }
  }

  test.each(SEEDS)(
    "after schedule %i nothing is charged twice, nothing is lost, and all books agree",
    async (seed) => {
      const { shop, sent, taken } = traded.get(seed) as Traded;
      await expectBooksAgree(server.context, shop, taken ? FEWER : STOCK, paidBy);
      for (const { body, answers } of sent) {
        const last = await at.send(shop, body);
        expect([200, 202, 400, 403]).toContain(last.status);
        // Whoever was told something definite was told the same for ever.
        for (const { status, body: said } of answers) {
          if (status !== 503 && status !== 202) expect(last.body).toEqual(said);
        }
      }
      await expectLogAgrees(shop, sent.length);
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    },
  );

  test("the schedules reach every possible end of an attempt", async () => {
    const sql = "SELECT DISTINCT status FROM payments ORDER BY status";
    const rows = await server.context.db.all<{ status: string }>(sql);
    expect(rows.map(({ status }) => status)).toEqual(["authorized", "declined", "released"]);
  });
});
