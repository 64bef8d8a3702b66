import { newAccount } from "./adjustments.ts";
import { methodOfToken } from "./cards.ts";
import { CREATE, create } from "./create.ts";
import { innerOf, numberOf, type Params, textOf } from "./form.ts";
import { cancel, capture } from "./intents.ts";
import type { Kind, Ledger } from "./ledger.ts";
import { pageOf } from "./lists.ts";
import type { Intent } from "./objects.ts";
import { checkAmount, checkIntent, checkList, LIST, required, type Shape } from "./params.ts";
import { invalid, missing } from "./refusals.ts";
import { refundAsked } from "./returns.ts";
import { CREATE_SESSION, checkSession } from "./session-params.ts";
import { createSession, expire } from "./sessions.ts";

export interface Route {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  readonly permission: string;
  readonly shape: Shape;
  readonly expandable: readonly string[];
  check?(params: Params, apiVersion: string | undefined, ledger: Ledger): void;
  run(ledger: Ledger, params: Params, id: string): object;
}

function found<K extends Kind>(ledger: Ledger, kind: K, id: string, param: string) {
  const object = ledger.find(kind, id);
  if (object === undefined) throw missing(kind, id, param);
  return object;
}

const intentOf = (ledger: Ledger, id: string) => found(ledger, "payment_intent", id, "intent");

const REASONS = ["duplicate", "fraudulent", "requested_by_customer", "abandoned"];

function checkReason(params: Params): void {
  const reason = textOf(params, "cancellation_reason") ?? "abandoned";
  if (REASONS.includes(reason)) return;
  throw invalid(`Invalid cancellation_reason: ${reason}`, { param: "cancellation_reason" });
}

/** Whether the intent is a page's. Only what is held can be cancelled then. */
function checkCancel(ledger: Ledger, { id, status }: Intent): void {
  const pages = ledger.all("checkout.session").filter((one) => one.payment_intent === id);
  if (pages.length === 0 || status === "requires_capture") return;
  throw invalid("You cannot perform this action on PaymentIntents created by Checkout.");
}

/** How Stripe's errors call what a path names. */
const NAMES: Partial<Record<Kind, string>> = {
  payment_intent: "intent",
  "checkout.session": "session",
};

/** A list and each of what it lists. */
function readable(kind: Kind, expandable: readonly string[], more: Shape = {}): readonly Route[] {
  const url = `/v1/${kind.replace(".", "/")}s`;
  const permission = `${kind.replace(".", "_")}s_read`;
  const shared = { method: "GET", permission } as const;
  return [
    {
      ...shared,
      path: new RegExp(`^${url}$`),
      shape: { ...LIST, ...more },
      expandable: expandable.map((name) => `data.${name}`),
      check: checkList,
      run: (ledger, params) => ({ object: "list", url, ...pageOf(ledger, kind, params) }),
    },
    {
      ...shared,
      path: new RegExp(`^${url}/(\\w+)$`),
      shape: { expand: "texts" },
      expandable,
      run: (ledger, _, id) => found(ledger, kind, id, NAMES[kind] ?? "id"),
    },
  ];
}

/** Intents by a metadata field; what was made in the last minute is not found yet. */
function searchIntents(ledger: Ledger, params: Params): object {
  const [, name = "", value = ""] =
    /^metadata\["(\w+)"\]:"([\w-]+)"$/.exec(textOf(params, "query") ?? "") ?? [];
  const data = ledger
    .all("payment_intent")
    .filter(
      ({ metadata, created }) => metadata[name] === value && created <= ledger.stamp().created - 60,
    )
    .slice(0, numberOf(params, "limit") ?? 10);
  const url = "/v1/payment_intents/search";
  return { object: "search_result", url, has_more: false, next_page: null, data };
}

const WRITES = { method: "POST", permission: "payment_intents_write" } as const;
const PAGES = {
  method: "POST",
  permission: "checkout_sessions_write",
  expandable: ["payment_intent"],
} as const;
const CHARGED = { expandable: ["latest_charge"] };
const PLAIN = { method: "GET", shape: {}, expandable: [] } as const;

export const ROUTES: readonly Route[] = [
  {
    ...WRITES,
    ...CHARGED,
    path: /^\/v1\/payment_intents$/,
    shape: CREATE,
    check: checkIntent,
    run: create,
  },
  {
    ...WRITES,
    ...CHARGED,
    path: /^\/v1\/payment_intents\/(\w+)\/cancel$/,
    shape: { cancellation_reason: "text", expand: "texts" },
    check: checkReason,
    run(ledger, params, id) {
      const reason = (textOf(params, "cancellation_reason") ??
        null) as Intent["cancellation_reason"];
      const intent = intentOf(ledger, id);
      checkCancel(ledger, intent);
      cancel(ledger, intent, reason);
      return intent;
    },
  },
  {
    ...WRITES,
    ...CHARGED,
    path: /^\/v1\/payment_intents\/(\w+)\/capture$/,
    shape: { amount_to_capture: "integer", expand: "texts" },
    check: (params) => checkAmount(numberOf(params, "amount_to_capture"), "amount_to_capture"),
    run(ledger, params, id) {
      const intent = intentOf(ledger, id);
      capture(ledger, intent, numberOf(params, "amount_to_capture"));
      return intent;
    },
  },
  {
    method: "POST",
    path: /^\/v1\/payment_methods$/,
    permission: "payment_methods_write",
    shape: { type: "text", card: { token: "text" } },
    expandable: [],
    check(params) {
      const token = textOf(innerOf(params, "card"), "token");
      if (textOf(params, "type") === "card" && token !== undefined) return;
      throw invalid("Missing required param: card[token].", {
        code: "parameter_missing",
        param: "card",
      });
    },
    run: (ledger, params) =>
      methodOfToken(ledger, textOf(innerOf(params, "card"), "token") ?? "", "card[token]"),
  },
  {
    ...PLAIN,
    path: /^\/v1\/payment_intents\/search$/,
    permission: "payment_intents_read",
    shape: { query: "text", limit: "integer" },
    run: searchIntents,
  },
  ...readable("payment_intent", ["latest_charge"]),
  ...readable("charge", ["payment_intent"], { payment_intent: "text" }),
  {
    method: "POST",
    path: /^\/v1\/refunds$/,
    permission: "refunds_write",
    shape: { payment_intent: "text", amount: "integer", metadata: "map", expand: "texts" },
    expandable: ["charge", "payment_intent"],
    check(params) {
      required(params, "payment_intent");
      checkAmount(numberOf(params, "amount"), "amount");
    },
    run(ledger, params) {
      const intent = intentOf(ledger, required(params, "payment_intent"));
      const metadata = innerOf(params, "metadata") as Readonly<Record<string, string>>;
      return refundAsked(ledger, intent, { amount: numberOf(params, "amount"), metadata });
    },
  },
  ...readable("refund", ["charge", "payment_intent"], { charge: "text", payment_intent: "text" }),
  ...readable("dispute", ["charge", "payment_intent"], { charge: "text", payment_intent: "text" }),
  {
    ...PAGES,
    path: /^\/v1\/checkout\/sessions$/,
    shape: CREATE_SESSION,
    check: checkSession,
    run: createSession,
  },
  {
    ...PAGES,
    path: /^\/v1\/checkout\/sessions\/(\w+)\/expire$/,
    shape: { expand: "texts" },
    run(ledger, _, id) {
      const session = found(ledger, "checkout.session", id, "session");
      expire(ledger, session);
      return session;
    },
  },
  ...readable("checkout.session", ["payment_intent"], { payment_intent: "text", status: "text" }),
  {
    ...PLAIN,
    path: /^\/v1\/account$/,
    permission: "account_read",
    run: (ledger) => newAccount(ledger.accountId, ledger.opened),
  },
  {
    ...PLAIN,
    path: /^\/v1\/events\/(\w+)$/,
    permission: "events_read",
    run(ledger, _, id) {
      const event = ledger.events.find((one) => one.id === id);
      if (event === undefined) throw missing("event", id, "id");
      return event;
    },
  },
];
