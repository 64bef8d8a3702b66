import { type Mandate, movesMoney, readLinkArguments } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { decisionById } from "../../domain/decisions/store.js";
import { plainQuestion, questionKey } from "../../domain/questions/question.js";
import { publishedAnswer } from "../../domain/questions/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { Sender } from "../../infra/networks.js";
import type { PurchaseRequest } from "../../purchase/request.js";
import type { MandateCommit } from "../mandates/submission.js";

interface SignedQuestion {
  readonly siteKeyHash: string;
  readonly mandate: Mandate;
  readonly caller: Sender;
}

/** What an agent asks with a mandate for a link skill; undefined if it asks nothing. */
function questionIn({ skill, arguments: args }: Mandate): string | undefined {
  if (movesMoney(skill)) return undefined;
  const read = readLinkArguments(args ?? {});
  return read.ok ? plainQuestion(String(read.value.question ?? "")) : undefined;
}

/** What a mandate asks, and the answer that the owner published; empty if it asks nothing. */
export async function signedQuestion(
  tx: Transaction,
  siteKeyHash: string,
  mandate: Mandate,
): Promise<Pick<PurchaseRequest, "questionKey" | "published">> {
  const question = questionIn(mandate);
  if (question === undefined) return {};
  const key = { skill: mandate.skill, questionKey: questionKey(question) };
  const published = await publishedAnswer(tx, siteKeyHash, key);
  return { questionKey: key.questionKey, published };
}

/** The answer that the owner had published when a decision was approved, as the agent got it. */
export async function answerOfDecision(
  { db }: Context,
  decisionId: string,
): Promise<{ readonly answer?: string }> {
  const { answer } = (await decisionById(db, decisionId))?.answer.body ?? {};
  return typeof answer === "string" ? { answer } : {};
}

/**
 * Passes on what an agent asked with a mandate for a link skill, unless the rules reject it. If it needs a
 * review, the owner can answer the question before the review is decided.
 */
export function takeSignedQuestion(
  { questions }: Context,
  { siteKeyHash, mandate, caller }: SignedQuestion,
  answer: MandateCommit["answer"],
): void {
  if (answer.kind !== "answered" || answer.replayed) return;
  const { outcome } = answer.answer.body;
  if (outcome !== "approved" && outcome !== "escalated") return;
  const question = questionIn(mandate);
  if (question === undefined) return;
  const { agentId: askerId, skill } = mandate;
  questions.take({ siteKeyHash, skill, question, askerId, askerName: null }, caller.networks);
}
