import { type Books, quantities } from "./books.ts";
import type { LogBook } from "./log-book.ts";
import type { Held } from "./provider.ts";
import { Violation } from "./trace.ts";

/** What is compared after a step. */
export interface Moment {
  readonly before: Books;
  readonly after: Books;
  /** The provider's own books. */
  readonly held: ReadonlyMap<string, Held>;
  readonly log: LogBook;
  /** Stock that the owner set in this step, by product. */
  readonly setStock: ReadonlyMap<string, number>;
  /** Whether the service had to refuse during the whole step. */
  readonly mustRefuse: boolean;
}

const OPEN = ["requested", "unknown"];
/** Payments that may hold money: they are open, they have an order, or they are being voided. */
const MAY_HOLD = [...OPEN, "authorized", "releasing", "captured"];

type Check = (moment: Moment) => string | undefined;

const repeated = (names: readonly string[]) => names.find((name, at) => names.indexOf(name) !== at);

const oneAuthorization: Check = ({ after, held }) => {
  const twice = [...held.values()].find(({ authorizations }) => authorizations > 1);
  if (twice !== undefined) return `${twice.key} was authorized ${twice.authorizations} times`;
  const attempts = new Map<string, number>();
  for (const { attempt_id, decision_id, amount_minor } of after.payments) {
    const one = held.get(attempt_id);
    if (one !== undefined && one.amount.minor !== amount_minor) {
      return `${attempt_id} is over ${amount_minor}, and ${one.amount.minor} was authorized`;
    }
    const count = (attempts.get(decision_id) ?? 0) + (one?.authorizations ?? 0);
    if (count > 1) return `${decision_id} was authorized ${count} times`;
    attempts.set(decision_id, count);
  }
  return undefined;
};

const oneOrder: Check = ({ after }) => {
  const twice =
    repeated(after.orders.map(({ attempt_id }) => attempt_id)) ??
    repeated(after.orders.map(({ decision_id }) => decision_id)) ??
    repeated(after.orders.flatMap(({ checkout_id }) => checkout_id ?? []));
  return twice && `${twice} has two orders`;
};

const orderIsPaid: Check = ({ after, held }) => {
  const payments = new Map(after.payments.map((one) => [one.attempt_id, one]));
  const decisions = new Map(after.decisions.map((one) => [one.decision_id, one]));
  for (const { order_id, attempt_id, decision_id, amount_minor } of after.orders) {
    const { status } = held.get(attempt_id) ?? { status: "unknown to the provider" };
    if (status !== "authorized" && status !== "captured") return `${order_id} is ${status}`;
    if (payments.get(attempt_id)?.status !== "authorized") {
      return `${order_id} has a payment that is ${payments.get(attempt_id)?.status}`;
    }
    const decision = decisions.get(decision_id);
    if (decision?.outcome !== "approved" || decision.amount_minor !== amount_minor) {
      return `${order_id} over ${amount_minor} was decided as ${JSON.stringify(decision)}`;
    }
  }
  return undefined;
};

const moneyIsWanted: Check = ({ after, held }) => {
  const payments = new Map(after.payments.map((one) => [one.attempt_id, one]));
  const ordered = new Set(after.orders.map(({ attempt_id }) => attempt_id));
  for (const { key, status } of held.values()) {
    if (status !== "authorized" && status !== "captured") continue;
    const payment = payments.get(key);
    if (payment === undefined) return `${key} is ${status}, and nobody has asked for it`;
    const isOrdered = payment.status !== "authorized" || ordered.has(key);
    if (!MAY_HOLD.includes(payment.status) || !isOrdered) {
      return `${key} is ${status}, its payment is ${payment.status}, and it has no order`;
    }
  }
  const approved = after.decisions.filter(({ outcome }) => outcome === "approved").length;
  if (approved !== after.orders.length) {
    return `${approved} decisions are approved, and there are ${after.orders.length} orders`;
  }
  return undefined;
};

const stockIsExact: Check = ({ before, after, setStock }) => {
  const reserved = quantities(after.payments.filter(({ status }) => OPEN.includes(status)));
  const known = new Set(before.orders.map(({ order_id }) => order_id));
  const sold = quantities(after.orders.filter(({ order_id }) => !known.has(order_id)));
  for (const { product_id: id, quantity, reserved: kept } of after.products) {
    if (kept !== (reserved.get(id) ?? 0)) {
      return `${kept} of ${id} are reserved, and ${reserved.get(id) ?? 0} are being paid for`;
    }
    const was = before.products.find(({ product_id }) => product_id === id)?.quantity ?? 0;
    const gone = sold.get(id) ?? 0;
    const set = setStock.get(id);
    const possible = [was - gone, ...(set === undefined ? [] : [set, set - gone])];
    if (!possible.includes(quantity) || quantity < 0) {
      return `there are ${quantity} of ${id}, and there should be ${possible.join(" or ")}`;
    }
  }
  return undefined;
};

/** Somebody who pays on the provider's page counts in nobody's budget or velocity. */
const BUYER = "(buyer)";

const budgetsAreExact: Check = ({ after }) => {
  const spent = new Map<string, number>();
  const decided = new Map<string, number>();
  const outcomes = new Map<string, number>();
  for (const { identity, outcome, amount_minor } of after.decisions) {
    const spends = identity !== BUYER && (outcome === "approved" || outcome === "paying");
    spent.set(identity, (spent.get(identity) ?? 0) + (spends ? (amount_minor ?? 0) : 0));
    decided.set(identity, (decided.get(identity) ?? 0) + (identity === BUYER ? 0 : 1));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  const differs = (wanted: ReadonlyMap<string, number>, counted: Books["spent"], what: string) => {
    for (const { name, amount } of counted) {
      const right = wanted.get(name) ?? 0;
      if (amount !== right) return `${what} of ${name} are ${amount}, and should be ${right}`;
    }
    const missing = [...wanted].find(
      ([name, amount]) => amount !== 0 && !counted.some((one) => one.name === name),
    );
    return missing && `${what} of ${missing[0]} are not counted`;
  };
  return (
    differs(spent, after.spent, "the expenses") ??
    differs(decided, after.decided, "the decisions") ??
    differs(outcomes, after.counted, "the outcomes")
  );
};

const notReady: Check = ({ before, after, mustRefuse }) => {
  const more = after.payments.length - before.payments.length;
  return mustRefuse && more > 0 ? `${more} payments were requested meanwhile` : undefined;
};

/** The order of the log is the order in which things were decided. */
const paused: Check = ({ after, log }) => {
  const [requested] = log.requestedWhilePaused;
  if (requested !== undefined) return `record ${requested} requests a payment`;
  const hosted = new Set(after.payments.flatMap((one) => (one.hosted ? one.attempt_id : [])));
  const ordered = log.orderedWhilePaused.find((attempt) => hosted.has(attempt));
  return ordered && `a buyer paid ${ordered} on the provider's page`;
};

const tokensAreErased: Check = ({ after }) => {
  const kept = after.payments.find(
    ({ status, has_token }) => !OPEN.includes(status) && has_token === 1,
  );
  return kept && `${kept.attempt_id} is ${kept.status}, and its token is still there`;
};

const ordersAreWanted: Check = ({ after }) => {
  const checkouts = new Map(after.checkouts.map((one) => [one.checkout_id, one]));
  for (const { order_id, checkout_id } of after.orders) {
    const checkout = checkouts.get(checkout_id ?? "");
    if (checkout === undefined || checkout.order_id === order_id) continue;
    return `${order_id} is of ${checkout_id}, which is ${checkout.status} and has no such order`;
  }
  return undefined;
};

const ENDED = ["approved", "rejected"];

const endsAreFinal: Check = ({ before, after }) => {
  const now = new Map(after.decisions.map((one) => [one.decision_id, one.outcome]));
  const changed = before.decisions.find(
    ({ decision_id, outcome }) => ENDED.includes(outcome) && now.get(decision_id) !== outcome,
  );
  const { decision_id: id = "", outcome } = changed ?? {};
  return changed && `${id} was ${outcome}, and is now ${now.get(id)}`;
};

/** Everything that was decided, ordered and refused is in the log. */
const logTellsAll: Check = ({ after, log }) => {
  const untold = after.decisions.find(({ record_id }) => !log.recordIds.has(record_id));
  if (untold !== undefined) return `the log does not tell of ${untold.decision_id}`;
  const outcomes = new Map(after.decisions.map((one) => [one.decision_id, one.outcome]));
  const orders = new Map(after.orders.map((one) => [one.attempt_id, one.order_id]));
  for (const { attempt_id, decision_id, status } of after.payments) {
    const told = log.payments.get(attempt_id);
    const wanted = status === "requested" ? undefined : outcomes.get(decision_id);
    const said = told?.outcome === "unavailable" ? "paying" : told?.outcome;
    if (said !== wanted || told?.orderId !== orders.get(attempt_id)) {
      const order = orders.get(attempt_id) ?? "no order";
      return `${attempt_id} is ${wanted} with ${order}, and the log says ${JSON.stringify(told)}`;
    }
  }
  return undefined;
};

/** After every step. */
const ALWAYS: Readonly<Record<string, Check>> = {
  "never two authorizations for a purchase": oneAuthorization,
  "never two orders for a purchase": oneOrder,
  "no order without authorization": orderIsPaid,
  "no authorization without order or void": moneyIsWanted,
  "no order for what was cancelled": ordersAreWanted,
  "ends are final": endsAreFinal,
  "the log tells all": logTellsAll,
  "stock is exact": stockIsExact,
  "budgets are exact": budgetsAreExact,
  "not ready means nothing approved": notReady,
  "paused means nothing approved": paused,
  "no token outlives its payment": tokensAreErased,
};

/** Once nothing fails any more and time has passed. */
const AT_REST: Readonly<Record<string, Check>> = {
  ...ALWAYS,
  "every payment ends": ({ after }) => {
    const ends = ["authorized", "declined", "released", "captured"];
    const open = after.payments.find(({ status }) => !ends.includes(status));
    return open && `${open.attempt_id} is still ${open.status}`;
  },
  "every decision ends": ({ after }) => {
    const paying = after.decisions.find(({ outcome }) => outcome === "paying");
    return paying && `${paying.decision_id} is still being paid`;
  },
  "nothing waits for ever": ({ after }) => {
    const [one] = after.waiting;
    return one && `${one.id} is still ${one.status}`;
  },
  "all money has an order": ({ after, held }) => {
    const ordered = new Set(after.orders.map(({ attempt_id }) => attempt_id));
    const payments = new Map(after.payments.map((one) => [one.attempt_id, one.status]));
    const lost = [...held.values()].find(
      ({ key, status }) =>
        (status === "authorized" && !ordered.has(key)) ||
        (status === "captured" && !ordered.has(key) && payments.get(key) !== "captured"),
    );
    return lost && `${lost.key} is ${lost.status} and has no order`;
  },
};

export type When = "after a step" | "at rest";

/** Throws if something does not hold that always must. */
export function checkInvariants(moment: Moment, when: When): void {
  for (const [name, check] of Object.entries(when === "at rest" ? AT_REST : ALWAYS)) {
    const what = check(moment);
    if (what !== undefined) throw new Violation(name, what);
  }
}
