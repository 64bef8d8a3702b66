import { type Mandate, movesMoney, readLinkArguments } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { plainQuestion } from "../../domain/questions/question.js";
import { publishedAnswer } from "../../domain/questions/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { Sender } from "../../infra/networks.js";
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

/** The answer that the owner published to what a mandate asks. */
export async function answerToSigned(
  tx: Transaction,
  siteKeyHash: string,
  mandate: Mandate,
): Promise<string | undefined> {
  const question = questionIn(mandate);
  if (question === undefined) return undefined;
  return publishedAnswer(tx, siteKeyHash, { skill: mandate.skill, question });
}

/** Passes on what an agent asked with a mandate for a link skill, once the rules have approved it. */
export function takeSignedQuestion(
  { questions }: Context,
  { siteKeyHash, mandate, caller }: SignedQuestion,
  answer: MandateCommit["answer"],
): void {
  if (answer.kind !== "answered" || answer.replayed) return;
  if (answer.answer.body.outcome !== "approved") return;
  const question = questionIn(mandate);
  if (question === undefined) return;
  const { agentId: askerId, skill } = mandate;
  questions.take({ siteKeyHash, skill, question, askerId, askerName: null }, caller.networks);
}
