import type { Accounts } from "./accounts.ts";
import type { SimulatedCall } from "./calls.ts";
import { textOf } from "./form.ts";
import { failAuthentication, finish } from "./intents.ts";
import type { Ledger } from "./ledger.ts";
import { completeIfPaid, expireDue, intentOf, payWith, type Session } from "./sessions.ts";

interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const PATH = /^\/c\/pay\/(\w+)(\/authenticate)?$/;

export const isPage = ({ path }: SimulatedCall) => path.startsWith("/c/");

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

function document(body: string, status = 200): PageAnswer {
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  const title = "Checkout (simulated)";
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  const html = `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>${title}</h1>${body}</main></body></html>`;
  return { status, headers, body: html };
}

function redirect(location: string | null): PageAnswer {
  return { status: 303, headers: { location: location ?? "/" }, body: "" };
}

/** Stripe counts these with two decimals, and everybody else with none. */
const TWO_DECIMALS = new Set(["isk", "ugx"]);

function shown(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const { maximumFractionDigits = 2 } = format.resolvedOptions();
  const digits = TWO_DECIMALS.has(currency) ? 2 : maximumFractionDigits;
  return format.format(amount / 10 ** digits);
}

const button = (does: string, label: string) =>
  `<button name="do" value="${does}">${label}</button> `;

const form = (path: string, ...buttons: readonly string[]) =>
  `<form method="post" action="${path}">${buttons.join("")}</form>`;

function payForm(ledger: Ledger, session: Session): PageAnswer {
  const { id, currency, amount_total, cancel_url } = session;
  const money = (amount: number) => escaped(shown(amount, currency ?? "usd"));
  const items = (ledger.sessionTerms.get(id)?.lines ?? []).map(
    ({ name, quantity, unitAmount }) =>
      `<li>${escaped(name)}: ${quantity} × ${money(unitAmount)}</li>`,
  );
  const error = intentOf(ledger, session)?.last_payment_error?.message;
  return document(
    [
      `<ul>${items.join("")}</ul><p>Total: <strong>${money(amount_total ?? 0)}</strong></p>`,
      error === undefined ? "" : `<p role="alert">${escaped(error)}</p>`,
      form(
        `/c/pay/${id}`,
        button("pay", "Pay"),
        button("decline", "Pay with a declined card"),
        button("authenticate", "Pay with 3D Secure"),
      ),
      cancel_url === null ? "" : `<p><a href="${escaped(cancel_url)}">Back</a></p>`,
    ].join(""),
  );
}

function bankForm({ id }: Session): PageAnswer {
  const buttons = [button("complete", "Complete"), button("fail", "Fail")];
  const text = "<p>The bank of the card asks whether you are paying.</p>";
  return document(text + form(`/c/pay/${id}/authenticate`, ...buttons));
}

const CARDS: Readonly<Record<string, string>> = {
  pay: "visa",
  decline: "chargeDeclined",
  authenticate: "authenticationRequired",
};

/** What a button of the first page does. */
function press(ledger: Ledger, session: Session, does: string): PageAnswer {
  const card = Object.hasOwn(CARDS, does) ? CARDS[does] : undefined;
  if (card === undefined) return document("<p>There is no such button.</p>", 400);
  payWith(ledger, session, card);
  if (session.status === "complete") return redirect(session.success_url);
  const waits = intentOf(ledger, session)?.status === "requires_action";
  return redirect(`/c/pay/${session.id}${waits ? "/authenticate" : ""}`);
}

/** What the buyer tells the bank. */
function authenticate(ledger: Ledger, session: Session, does: string): PageAnswer {
  const intent = intentOf(ledger, session);
  if (intent?.status !== "requires_action") return redirect(`/c/pay/${session.id}`);
  if (does === "complete") {
    finish(ledger, intent, "requires_capture");
    completeIfPaid(ledger, session);
    return redirect(session.success_url);
  }
  failAuthentication(ledger, intent);
  return redirect(`/c/pay/${session.id}`);
}

/** The page of a session, for people: plain forms that need no script. */
export function showPage(accounts: Accounts, call: SimulatedCall): PageAnswer {
  const [, id = "", bank] = PATH.exec(call.path) ?? [];
  const found = accounts.withSession(id);
  if (found === undefined) return document("<p>There is no such page.</p>", 404);
  const { ledger, session } = found;
  expireDue(ledger);
  const pressed = call.method === "POST" ? (textOf(call.params, "do") ?? "") : undefined;
  // Whoever presses twice has paid once, and goes on.
  if (session.status === "complete" && pressed !== undefined) return redirect(session.success_url);
  if (session.status === "complete") return document("<p>This payment is complete.</p>");
  if (session.status !== "open") return document("<p>This page has expired.</p>");
  if (bank === undefined) {
    return pressed === undefined ? payForm(ledger, session) : press(ledger, session, pressed);
  }
  const waits = intentOf(ledger, session)?.status === "requires_action";
  if (pressed === undefined && waits) return bankForm(session);
  return authenticate(ledger, session, pressed ?? "");
}
