import type { PublishedAnswer, Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  type Question,
  type QuestionState,
  SHOWN_PER_SKILL_MAX,
} from "../../domain/questions/question.js";
import {
  publishedQuestions,
  questionById,
  listQuestions as selectQuestions,
} from "../../domain/questions/store.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** A page of a site's questions, newest first. */
export function listQuestions(
  { db }: Context,
  siteKeyHash: string,
  state: QuestionState | undefined,
  request: PageRequest,
): Promise<Result<Page<Question>, "invalid_request">> {
  return readPage(
    request,
    (page) => selectQuestions(db, siteKeyHash, state, page),
    ({ firstAskedAt, questionId }) => ({ createdAt: firstAskedAt, id: questionId }),
  );
}

export function showQuestion(
  { db }: Context,
  siteKeyHash: string,
  questionId: string,
): Promise<Question | undefined> {
  return questionById(db, siteKeyHash, questionId);
}

/** What the pages for agents show: of each skill, the questions that were asked most often. */
export async function shownAnswers(
  { db }: Context,
  siteKeyHash: string,
): Promise<readonly PublishedAnswer[]> {
  const counts = new Map<string, number>();
  const shown: PublishedAnswer[] = [];
  for (const { skill, question, answer } of await publishedQuestions(db, siteKeyHash)) {
    const count = (counts.get(skill) ?? 0) + 1;
    counts.set(skill, count);
    if (count <= SHOWN_PER_SKILL_MAX) shown.push({ skill, question, answer: answer as string });
  }
  return shown;
}
