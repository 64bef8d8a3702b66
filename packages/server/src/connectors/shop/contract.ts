import { OrderAnswer, ProofAnswer, QuoteAnswer, ReleaseAnswer, ReserveAnswer } from "./answers.js";
import {
  OrderMessage,
  ProofMessage,
  QuoteMessage,
  ReleaseMessage,
  ReserveMessage,
} from "./messages.js";

/**
 * What Gatehouse asks a shop system, as docs/guide/connector.md says. An agent waits for a quote, and for a payment that
 * needs a reservation. Nobody waits for the others.
 */
export const SHOP_MESSAGES = {
  quote: { message: QuoteMessage, answer: QuoteAnswer, totalMs: 2000 },
  reserve: { message: ReserveMessage, answer: ReserveAnswer, totalMs: 5000 },
  release: { message: ReleaseMessage, answer: ReleaseAnswer, totalMs: 10_000 },
  order: { message: OrderMessage, answer: OrderAnswer, totalMs: 10_000 },
} as const;

/** What Gatehouse asks a shop system that is connecting. There is no secret yet, so this is not signed. */
export const PROOF = { message: ProofMessage, answer: ProofAnswer, totalMs: 5000 } as const;

export const ANSWER_BYTES_MAX = 256 * 1024;
