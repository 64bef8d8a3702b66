import type { Context } from "../context.js";
import { shopConnection } from "../domain/shop-connections/store.js";
import {
  QUOTE_LIVE_MS_MAX,
  QUOTE_SHOWN_MS_MAX,
  questionDigest,
  type ShopQuestion,
  type ShopQuote,
  UNANSWERED_MS,
} from "../domain/shop-quotes/shop-quote.js";
import { keepQuote, keptQuote } from "../domain/shop-quotes/store.js";
import { type Queries, UnavailableError } from "../infra/db/database.js";

/** How often one request may ask the shop system: its content changes at most twice while it is priced. */
const QUESTIONS_MAX = 3;

/** A transaction needs an answer of the shop system, which nobody may wait for inside it. */
class QuoteNeeded extends UnavailableError {
  override readonly name: string = "QuoteNeeded";
  readonly question: ShopQuestion;
  readonly purpose: "order" | "quote";

  constructor(question: ShopQuestion, purpose: "order" | "quote") {
    super("a quote of the shop system is needed");
    this.question = question;
    this.purpose = purpose;
  }
}

/** The shop system does not answer, so nothing can be bought. */
export class ShopUnanswered extends UnavailableError {
  override readonly name: string = "ShopUnanswered";

  constructor() {
    super("the shop system does not answer");
  }
}

/** An answer of the shop system, and when it was given. */
export interface DatedQuote {
  readonly answer: ShopQuote;
  readonly askedAt: number;
}

/**
 * What the shop system answered to a question: for an order a moment ago, for a quote within 15 minutes. If there is
 * no such answer, the transaction is rolled back, and `withShopQuotes` asks and runs it again.
 */
export async function shopQuote(
  { clock }: Pick<Context, "clock">,
  db: Queries,
  question: ShopQuestion,
  purpose: "order" | "quote",
): Promise<DatedQuote> {
  const kept = await keptQuote(db, question.siteKeyHash, questionDigest(question));
  if (kept === undefined) throw new QuoteNeeded(question, purpose);
  const { answer, askedAt } = kept;
  const answeredMs = purpose === "order" ? QUOTE_LIVE_MS_MAX : QUOTE_SHOWN_MS_MAX;
  const freshMs = answer.kind === "unanswered" ? UNANSWERED_MS : answeredMs;
  if (clock.now() > askedAt + freshMs) throw new QuoteNeeded(question, purpose);
  return { answer, askedAt };
}

/**
 * The same for a cart, which is also shown if the shop system cannot be asked: unanswered while it is asked too
 * often.
 */
export async function shopEstimate(
  context: Pick<Context, "clock" | "shopQuestions">,
  db: Queries,
  question: ShopQuestion,
): Promise<DatedQuote> {
  try {
    return await shopQuote(context, db, question, "quote");
  } catch (error) {
    const { clock, shopQuestions } = context;
    const now = clock.now();
    const mayAsk = shopQuestions.wait(question.siteKeyHash, now) === 0;
    if (!(error instanceof QuoteNeeded) || mayAsk) throw error;
    return { answer: { kind: "unanswered" }, askedAt: now };
  }
}

async function ask(
  { clock, db, shopSystem, shopQuestions }: Context,
  { question, purpose }: QuoteNeeded,
): Promise<void> {
  const { siteKeyHash } = question;
  const connection = await shopConnection(db, siteKeyHash);
  // The site was disconnected since: the next run does not need a quote.
  if (connection === undefined) return;
  // Strangers may browse, but not keep the shop system busy. Who orders is limited elsewhere.
  // Nothing is kept of that, or strangers could keep others from ordering.
  if (purpose === "quote" && shopQuestions.take(siteKeyHash, clock.now()) > 0) {
    throw new ShopUnanswered();
  }
  const answer = await shopSystem.quote(connection, question);
  // Taken after the answer, because an answer that took long is not old.
  const askedAt = clock.now();
  const after = await shopConnection(db, siteKeyHash);
  if (after?.connectionId !== connection.connectionId) return;
  await keepQuote(db, { siteKeyHash, question: questionDigest(question), answer, askedAt });
}

/** Runs something that prices goods, and asks the shop system for each quote that it needs. */
export async function withShopQuotes<T>(context: Context, run: () => Promise<T>): Promise<T> {
  for (let quotes = 0; ; quotes++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof QuoteNeeded) || quotes === QUESTIONS_MAX) throw error;
      await ask(context, error);
    }
  }
}
