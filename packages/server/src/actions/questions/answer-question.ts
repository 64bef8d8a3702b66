import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Question } from "../../domain/questions/question.js";
import { deleteQuestion, lockQuestion, updateQuestion } from "../../domain/questions/store.js";
import { touchSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { digestOf } from "../mcp/tools.js";

export interface QuestionName {
  readonly siteKeyHash: string;
  readonly questionId: string;
}

type Changed = Result<Question, "not_found" | "conflict">;

/** What a change makes of a question; null if it deletes the question. */
type Change = (before: Question, now: number) => Result<Question | null, "conflict">;

/**
 * The record of an answer that was published or withdrawn. The answer is the owner's own statement, so the record
 * has its digest. The question is a stranger's text, so the record has only its id.
 */
function publicationRecord(
  kind: "answer_published" | "answer_withdrawn",
  { questionId, skill, answer }: Question,
  actor: Actor,
  now: number,
): RecordDraft {
  const answer_digest = digestOf({ answer, skill });
  const change = { kind, question_id: questionId, skill, answer_digest };
  return actorDraft("site.changed", actor, now, { change });
}

/** The records of what agents see differently after a change. */
function publicationRecords(before: Question, after: Question | null, actor: Actor, now: number) {
  const isSame = before.published === after?.published && before.answer === after?.answer;
  if (isSame) return [];
  const withdrawn = before.published && !after?.published;
  if (withdrawn) return [publicationRecord("answer_withdrawn", before, actor, now)];
  return after?.published ? [publicationRecord("answer_published", after, actor, now)] : [];
}

/** Changes or deletes a question. If an answer becomes public or changes, the site's documents do too. */
async function changeQuestion(
  { audit, clock }: Context,
  { siteKeyHash, questionId }: QuestionName,
  change: Change,
  actor: Actor,
): Promise<Changed> {
  const body = async (tx: Transaction) => {
    const before = await lockQuestion(tx, siteKeyHash, questionId);
    if (before === undefined) {
      const answer: Changed = refuse("not_found", "The site has no such question.");
      return { records: [], answer };
    }
    const now = clock.now();
    const changed = change(before, now);
    if (!changed.ok) return { records: [], answer: changed as Changed };
    const after = changed.value;
    if (after === null) await deleteQuestion(tx, before);
    else await updateQuestion(tx, after);
    const records = publicationRecords(before, after, actor, now);
    if (records.length > 0) await touchSite(tx, siteKeyHash, now);
    return { records, answer: ok(after ?? before) as Changed };
  };
  return (await audit.commit(siteKeyHash, body)).answer;
}

/** Answers a question, or changes its answer. A published answer is on the site's pages at once. */
export function answerQuestion(
  context: Context,
  name: QuestionName,
  { answer, publish }: { readonly answer: string; readonly publish: boolean },
  actor: Actor,
): Promise<Changed> {
  const change: Change = (before, now) =>
    ok({
      ...before,
      state: "answered",
      answer,
      published: publish,
      answeredAt: now,
      answeredBy: actor.id,
    });
  return changeQuestion(context, name, change, actor);
}

/** Sets a question aside, or back among the new ones. It is still counted when it is asked again. */
export function dismissQuestion(
  context: Context,
  name: QuestionName,
  { undo }: { readonly undo: boolean },
  actor: Actor,
): Promise<Changed> {
  const change: Change = (before) =>
    before.state === "answered"
      ? refuse("conflict", "This question is answered. Change the answer, or delete the question.")
      : ok({ ...before, state: undo ? "new" : "dismissed" });
  return changeQuestion(context, name, change, actor);
}

/** Deletes a question with its answer. The same question asked again is a new question. */
export function removeQuestion(
  context: Context,
  name: QuestionName,
  actor: Actor,
): Promise<Changed> {
  return changeQuestion(context, name, () => ok(null), actor);
}
