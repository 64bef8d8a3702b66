import { formatAmount, htmlText } from "@gatehouse/protocol";
import type { Progress } from "../../actions/checkout/progress.js";
import { type Checkout, isHandedOff, type Quote } from "../../domain/checkouts/checkout.js";
import type { Site } from "../../domain/sites/site.js";
import type { WholeOrder } from "../../purchase/after-sale/whole-order.js";
import { htmlPage, own } from "../server/html-page.js";
import { orderHistory, orderSaying } from "./order-html.js";

/** How soon somebody who waits is told more. */
const REFRESH_S = 5;

/** What a page says: a heading, a sentence, and perhaps something to do. */
interface Saying {
  readonly heading: string;
  readonly text: string;
  readonly act?: string;
  readonly waits?: true;
}

const link = (url: string, text: string) =>
  `<p><a class="act" rel="noreferrer" href="${htmlText(url)}">${text}</a></p>`;

function underWay(progress: Progress | null, paused: boolean): Saying {
  if (progress?.kind === "challenged" && paused) {
    return {
      heading: "The shop has paused sales",
      text: "This payment cannot be confirmed now, and nothing was charged. Wait here, or try again later.",
      waits: true,
    };
  }
  if (progress?.kind === "challenged") {
    return {
      heading: "Your bank wants to hear from you",
      text: "Confirm this payment to your bank. Afterwards you come back to this page.",
      act: link(progress.challengeUrl, "Continue to your bank"),
    };
  }
  if (progress?.kind === "reviewed") {
    return {
      heading: "The shop is looking at this order",
      text: "A person at the shop decides about it before anything is paid. There is nothing for you to do.",
      waits: true,
    };
  }
  const text = "Your payment is being confirmed. This page says when it is.";
  return { heading: "One moment", text, waits: true };
}

/** What a page is made of: how far the checkout is, and the order it came to. */
export interface Shown {
  readonly progress: Progress | null;
  readonly order: WholeOrder | null;
  /** Whether no money is behind the order. */
  readonly rehearsed: boolean;
  /** Whether the shop has paused sales. */
  readonly paused: boolean;
  readonly now: number;
}

const REHEARSED = '<p class="soft">This is a rehearsal: no money moves, and nothing is sent.</p>';

function sayingOf(checkout: Checkout, { progress, order, paused, now }: Shown): Saying {
  const { status, problem, expiresAt } = checkout;
  if (order !== null) return orderSaying(order);
  if (status === "completing") return underWay(progress, paused);
  if (status === "cancelled" || now >= expiresAt) {
    const text = "It was cancelled, or has expired. Nothing was paid for it.";
    return { heading: "This order is not open any more", text };
  }
  if (isHandedOff(checkout)) {
    return {
      heading: "Order from the shop directly",
      text: "The shop does not take payments from the app you used. Nothing was paid.",
    };
  }
  if (problem !== null) {
    return {
      heading: "Nothing was paid",
      text: `${problem.content} Go back to where you ordered.`,
    };
  }
  const text = "Go on where you began: this page only shows how far the order is.";
  return { heading: "This order is not completed yet", text };
}

/** What is bought and what it costs; never who buys it, or where it goes. */
function summary({ currency, lines, totals }: Quote, order: WholeOrder | null): string {
  if (currency === null) return "";
  const money = (minor: number) => htmlText(`${formatAmount({ currency, minor })} ${currency}`);
  const row = (name: string, minor: number, kind = "") =>
    `<tr${kind}><th scope="row">${name}</th><td>${money(minor)}</td></tr>`;
  const items = lines.flatMap((line, i) => {
    if (typeof line === "string") return [];
    const gone = line.quantity - (order?.lines[i]?.total ?? line.quantity);
    const cancelled = gone === 0 ? "" : ` <span class="soft">(${gone} cancelled)</span>`;
    return [row(`${own(line.title)} &times; ${line.quantity}${cancelled}`, line.amountMinor)];
  });
  const { shippingMinor, taxMinor, totalMinor } = totals;
  return [
    "<table>",
    ...items,
    ...(shippingMinor === null ? [] : [row("Delivery", shippingMinor)]),
    ...(taxMinor === 0 ? [] : [row("Tax", taxMinor)]),
    row("Total", totalMinor, ' class="total"'),
    "</table>",
  ].join("\n");
}

/** The page of a checkout for its buyer: how far it is. It confirms nothing but what a bank asks. */
export function checkoutPage({ name, domain }: Site, checkout: Checkout, shown: Shown): string {
  const { heading, text, act = "", waits } = sayingOf(checkout, shown);
  const { order } = shown;
  const named =
    order === null
      ? []
      : [
          `<p class="soft">Order <code>${htmlText(order.order.orderId)}</code></p>`,
          orderHistory(order),
        ];
  const body = [
    `<p class="soft">${own(name)} &middot; <a rel="noreferrer" href="https://${htmlText(domain)}/">${htmlText(domain)}</a></p>`,
    ...(shown.rehearsed ? [REHEARSED] : []),
    `<h1>${heading}</h1>`,
    `<p>${htmlText(text)}</p>`,
    act,
    ...named,
    summary(checkout.quote, order),
  ].join("\n");
  return htmlPage({ title: heading, refreshS: waits && REFRESH_S }, body);
}
