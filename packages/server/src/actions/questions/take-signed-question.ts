import { type Mandate, movesMoney, readLinkArguments } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { plainQuestion } from "../../domain/questions/question.js";
import type { Sender } from "../../infra/networks.js";
import type { MandateCommit } from "../mandates/submission.js";

interface SignedQuestion {
  readonly siteKeyHash: string;
  readonly mandate: Mandate;
  readonly caller: Sender;
}

/** Passes on what an agent asked with a mandate for a link skill, once the rules have approved it. */
export function takeSignedQuestion(
  { questions }: Context,
  { siteKeyHash, mandate, caller }: SignedQuestion,
  answer: MandateCommit["answer"],
): void {
  if (answer.kind !== "answered" || answer.replayed) return;
  if (answer.answer.body.outcome !== "approved" || movesMoney(mandate.skill)) return;
  const read = readLinkArguments(mandate.arguments ?? {});
  const question = read.ok ? plainQuestion(String(read.value.question ?? "")) : undefined;
  if (question === undefined) return;
  const { agentId: askerId, skill } = mandate;
  questions.take({ siteKeyHash, skill, question, askerId, askerName: null }, caller.networks);
}
