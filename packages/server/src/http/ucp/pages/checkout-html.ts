import { htmlText } from "@gatehouse/protocol";
import type { BuyerProgress } from "../../../actions/checkout/buyer-page.js";
import { isRefusedForGood, type PageNotice } from "../../../actions/checkout/hand-off.js";
import { quoteDigest } from "../../../actions/checkout/quote.js";
import { filled } from "../../../domain/buyer-words/words.js";
import {
  type Checkout,
  isHandedOff,
  isReady,
  type Missing,
} from "../../../domain/checkouts/checkout.js";
import { isTestMode } from "../../../domain/sites/gates.js";
import type { Site } from "../../../domain/sites/site.js";
import type { Voice } from "../../server/voice.js";
import { type FormShop, isInForm, orderForm } from "./form-html.js";
import { fullAddress, orderPage } from "./order-html.js";
import { asNext, buyerPage, type Message, notice, paragraph, summary } from "./parts.js";

/** After this time the page of a waiting buyer is loaded again. */
const REFRESH_S = 5;

/** What else a page shows. */
export interface PageState extends BuyerProgress {
  /** Whether the shop sells now, and whether its payment provider takes the sum on a page. */
  readonly sells: boolean;
  readonly payable: boolean;
  /** The browser that asks, as checkouts store it. */
  readonly browser: string;
  readonly shop: FormShop;
  readonly notice: PageNotice | undefined;
  readonly now: number;
}

/** A state in which nothing is entered, with the HTML of what the buyer can do. */
interface WaitMessage extends Message {
  readonly acts?: string;
  readonly waits?: true;
}

const link = (url: string, text: string) =>
  `<a class="act" rel="noreferrer" href="${htmlText(url)}">${htmlText(text)}</a>`;

const button = (value: string, text: string, kind = "") =>
  `<button name="do" value="${value}"${kind}>${htmlText(text)}</button>`;

const actForm = (parts: readonly string[]) =>
  `<form method="post"><p class="acts">${parts.join("\n")}</p></form>`;

const CANCEL = "cancel";
const OTHER = ' class="other"';

function underWay(
  voice: Voice,
  checkout: Checkout,
  state: PageState,
  isPaused: boolean,
): WaitMessage {
  const { words, time } = voice;
  const { progress, browser } = state;
  if (progress?.kind === "reviewed") {
    // The person who pays must see where it goes, so only the browser that is shown the address can. To ask for the same
    // once more would end in the same review.
    if (!state.payable || progress.ofBuyer || checkout.browserMac !== browser) {
      return { ...words.state.review, waits: true };
    }
    const digest = `<input type="hidden" name="quote" value="${quoteDigest(checkout.quote)}">`;
    const pay = actForm([digest, button("pay_now", words.state.review.act)]);
    return { ...words.state.review, acts: fullAddress(voice, checkout) + pay, waits: true };
  }
  if (progress?.kind === "challenged" && isPaused) return { ...words.state.paused, waits: true };
  if (progress?.kind === "challenged" && progress.closesAt === null) {
    const { act } = words.state.bank;
    return { ...words.state.bank, acts: `<p>${link(progress.challengeUrl, act)}</p>` };
  }
  const isHosted = progress?.kind === "challenged" || progress?.hosted === true;
  if (isHosted && checkout.browserMac !== browser) {
    const { elsewhere } = words.state;
    return { ...elsewhere, acts: actForm([button(CANCEL, elsewhere.cancel, OTHER)]), waits: true };
  }
  if (progress?.kind === "challenged") {
    const { heading, text, act, cancel } = words.state.page;
    const acts = [link(progress.challengeUrl, act), button(CANCEL, cancel, OTHER)];
    const until = filled(text, { time: time(progress.closesAt ?? state.now) });
    return { heading, text: until, acts: actForm(acts) };
  }
  if (!isHosted) return { ...words.state.confirming, waits: true };
  const { cancel } = words.state.page;
  return { ...words.state.opening, acts: actForm([button(CANCEL, cancel, OTHER)]), waits: true };
}

/** Why nothing can be entered; undefined if the buyer can go on. */
function waitingOf(voice: Voice, site: Site, checkout: Checkout, state: PageState) {
  const { words } = voice;
  const { status, expiresAt } = checkout;
  const isPaused = site.pausedAt !== null;
  if (status === "completing") return underWay(voice, checkout, state, isPaused);
  if (status === "cancelled" || state.now >= expiresAt) return words.state.ended;
  if (isRefusedForGood(checkout)) return words.state.refused;
  if (isPaused) return words.state.paused;
  return state.sells && state.payable ? undefined : words.state.closed;
}

/** What the buyer has to know before going on: about the order, and about what is missing in its form. */
interface Obstacles {
  readonly notices: readonly string[];
  readonly missing: readonly Missing[];
}

function obstaclesOf({ words }: Voice, checkout: Checkout, state: PageState): Obstacles {
  const { problem, quote } = checkout;
  if (state.notice !== undefined) return { notices: [words.notice[state.notice]], missing: [] };
  const known: Readonly<Record<string, string>> = words.notice;
  // A platform that may not pay itself is no problem of the buyer.
  const own = problem === null || isHandedOff(checkout) ? undefined : known[problem.code];
  const refusal = problem?.final ? words.state.refused.text : words.notice.unavailable;
  const other = problem === null || isHandedOff(checkout) ? undefined : refusal;
  const first = own ?? other;
  const isProblem = first !== undefined && isReady(quote);
  return isProblem ? { notices: [first], missing: [] } : missingOf(words, checkout, state);
}

/** What is missing, once the buyer has begun to enter something. */
function missingOf(
  words: Voice["words"],
  { quote, ...checkout }: Checkout,
  state: PageState,
): Obstacles {
  const lines = quote.lines.some((line) => typeof line === "string") ? [words.missing.lines] : [];
  const hasBegun = checkout.browserMac === state.browser && checkout.content.buyer.email;
  const missing = hasBegun ? quote.missing : [];
  const others = missing.filter((name) => !isInForm(name)).map((name) => words.missing[name]);
  return { notices: [...lines, ...others], missing: missing.filter(isInForm) };
}

/** The page of a checkout for its buyer: what is bought, where it goes, and the way to pay. */
export function checkoutPage(
  site: Site,
  voice: Voice,
  checkout: Checkout,
  state: PageState,
): string {
  const { order, browser } = state;
  if (order !== null) return orderPage(site, voice, { order, isTest: state.isTest, checkout });
  const isTest = isTestMode(site);
  const goods = summary(voice, checkout.quote, null);
  const waiting: WaitMessage | undefined = waitingOf(voice, site, checkout, state);
  if (waiting !== undefined) {
    const { heading, text, acts = "", waits } = waiting;
    const page = { site, voice, heading, isTest, refreshS: waits && REFRESH_S };
    return buyerPage(page, [paragraph(text), acts, goods]);
  }
  const { heading } = voice.words.order;
  const { notices, missing } = obstaclesOf(voice, checkout, state);
  const hasNotice = notices.length > 0;
  return buyerPage({ site, voice, heading, isTest }, [
    ...(hasNotice ? [`<div${asNext(true)}>`, ...notices.map(notice), "</div>"] : []),
    goods,
    orderForm(voice, state.shop, checkout, { browser, missing, hasNotice }),
  ]);
}
