import type Stripe from "stripe";
import { DAY_MS } from "../../infra/time.js";
import type { Attempt, PageRequest, ProviderAnswer, VoidResult } from "../provider.js";
import { answerOfFailure } from "./answers.js";
import {
  findListed,
  isNamed,
  isOfAttempt,
  keyOf,
  NOT_THIS_PAYMENT,
  orGone,
  providerResult,
  releaseIntent,
  searchIntent,
} from "./intents.js";
import { pageParams } from "./page-params.js";

type Session = Stripe.Checkout.Session;

/** A page is open for a day at most, and may be requested again for a day. */
const PAGE_ENDED_MS = 2 * DAY_MS;

/** Opens a page. A repeated call opens no second one, and is answered with what became of the first. */
export async function openPage(
  client: Stripe,
  request: PageRequest,
  live: boolean,
): Promise<ProviderAnswer> {
  const params = pageParams(request);
  if (params === undefined) return { outcome: "declined", reason: "amount_not_expressible" };
  const { sessions } = client.checkout;
  try {
    const options = { idempotencyKey: keyOf(request) };
    const opened = await sessions.create(params, options);
    // Stripe repeats its first answer, which says that the page is open.
    const now = request.first ? opened : await orGone(sessions.retrieve(opened.id));
    return await answerToSession(client, request, now ?? opened, live);
  } catch (error) {
    return answerOfFailure(error, request.first);
  }
}

/** Whether the attempt is still known by its page. Later it is known by the intent of the page. */
export function isPage({ hosted, reference }: Attempt): boolean {
  return reference === null ? hosted : reference.startsWith("cs_");
}

/**
 * Finds the session of an attempt. Sessions cannot be searched for. If there are too many to list, the intent
 * of a paid one is, as soon as no page can be open any more.
 */
async function findSession(
  client: Stripe,
  attempt: Attempt,
  now: number,
): Promise<Session | undefined> {
  const { sessions } = client.checkout;
  if (attempt.reference !== null) return orGone(sessions.retrieve(attempt.reference));
  const listed = await findListed(attempt, (page) => sessions.list(page));
  if (listed !== "too_many") return listed;
  const intent = await searchIntent(client, attempt, now, PAGE_ENDED_MS);
  if (intent === undefined) return undefined;
  return (await sessions.list({ payment_intent: intent.id, limit: 1 })).data[0];
}

async function intentOf(
  client: Stripe,
  { payment_intent: intent }: Session,
): Promise<Stripe.PaymentIntent | undefined> {
  const id = typeof intent === "string" ? intent : intent?.id;
  return id === undefined ? undefined : orGone(client.paymentIntents.retrieve(id));
}

/** Whether money is or may become held, although the page is closed. Only on an open page is another card tried. */
const mayHold = ({ status }: Stripe.PaymentIntent) =>
  status === "requires_capture" || status === "succeeded" || status === "processing";

async function answerToSession(
  client: Stripe,
  attempt: Attempt,
  session: Session,
  live: boolean,
): Promise<ProviderAnswer> {
  const { id: reference, status, url, amount_total: amount } = session;
  const isSame = isNamed(session, attempt) && isOfAttempt(attempt, { ...session, amount }, live);
  if (!isSame) return NOT_THIS_PAYMENT;
  // A declined card leaves the page open for another one.
  if (status === "open") {
    const challenge = url === null ? {} : { challengeUrl: url };
    return { outcome: "unknown", reason: "requires_action", reference, ...challenge };
  }
  const intent = await intentOf(client, session);
  if (intent !== undefined && (status === "complete" || mayHold(intent))) {
    return providerResult(client, attempt, intent, live);
  }
  if (status === "expired") return { outcome: "declined", reason: "page_closed", reference };
  return { outcome: "unknown", reason: "unknown_status", reference };
}

export async function readPage(
  client: Stripe,
  attempt: Attempt,
  { live, now }: { readonly live: boolean; readonly now: number },
): Promise<ProviderAnswer | undefined> {
  const session = await findSession(client, attempt, now);
  return session && answerToSession(client, attempt, session, live);
}

export async function intentOfPage(
  client: Stripe,
  attempt: Attempt,
  now: number,
): Promise<Stripe.PaymentIntent | undefined> {
  const session = await findSession(client, attempt, now);
  return session && intentOf(client, session);
}

/** Closes an open page, unless it was paid or closed meanwhile. Returns it as it is then. */
async function close(client: Stripe, id: string): Promise<Session | undefined> {
  const { sessions } = client.checkout;
  try {
    // Without an idempotency key: Stripe would repeat a refusal for a day.
    return await sessions.expire(id);
  } catch (error) {
    const session = await orGone(sessions.retrieve(id));
    if (session?.status === "open") throw error;
    return session;
  }
}

/** Closes the page of an attempt and releases what was authorized on it. */
export async function voidPage(client: Stripe, attempt: Attempt, now: number): Promise<VoidResult> {
  const current = await findSession(client, attempt, now);
  const session = current?.status === "open" ? await close(client, current.id) : current;
  const intent = session && (await intentOf(client, session));
  // Stripe refuses to cancel other intents of a page: closing it has ended them.
  if (intent === undefined || !mayHold(intent)) return { outcome: "released" };
  return releaseIntent(client, attempt, intent);
}
