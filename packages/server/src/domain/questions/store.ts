import type { Queries, Transaction } from "../../infra/db/database.js";
import { countRows, deleterOf, equals, selectValues } from "../../infra/db/statements.js";
import { flag, type ListPage, Table } from "../../infra/db/table.js";
import {
  type AskedQuestion,
  QUESTION_TOPIC,
  QUESTIONS_MAX,
  type Question,
  type QuestionState,
  questionKey,
  SHOWN_MAX,
} from "./question.js";

const questions = new Table<Question>("questions", {
  questionId: "question_id",
  siteKeyHash: "site_key_hash",
  skill: "skill",
  question: "question",
  questionKey: "question_key",
  askerId: "asker_id",
  askerName: "asker_name",
  firstAskedAt: "first_asked_at",
  lastAskedAt: "last_asked_at",
  timesAsked: "times_asked",
  state: "state",
  answer: "answer",
  published: flag("published"),
  answeredAt: "answered_at",
  answeredBy: "answered_by",
});

export const questionById = questions.ofSiteBy("question_id");

/** Reads a question and locks it until the transaction ends. */
export function lockQuestion(
  tx: Transaction,
  siteKeyHash: string,
  questionId: string,
): Promise<Question | undefined> {
  const rest = "WHERE site_key_hash = ? AND question_id = ?";
  return questions.lock(tx, rest, siteKeyHash, questionId);
}

/** Newest first. */
export function listQuestions(
  db: Queries,
  siteKeyHash: string,
  state: QuestionState | undefined,
  page: ListPage,
): Promise<Question[]> {
  const where = [equals("site_key_hash", siteKeyHash), equals("state", state)];
  const order = { by: ["first_asked_at", "question_id"], newestFirst: true } as const;
  return questions.page(db, where, order, page);
}

/** Deletes the least important question of a full site. Returns whether there is room for another. */
async function makeRoom(tx: Transaction, siteKeyHash: string): Promise<boolean> {
  const count = await countRows(tx, "questions WHERE site_key_hash = ?", siteKeyHash);
  if (count < QUESTIONS_MAX) return true;
  const sql = `DELETE FROM questions WHERE question_id = (
    SELECT question_id FROM questions WHERE site_key_hash = ? AND state <> 'answered'
    ORDER BY CASE state WHEN 'dismissed' THEN 0 ELSE 1 END, times_asked, last_asked_at LIMIT 1)`;
  return (await tx.run(sql, siteKeyHash)) === 1;
}

/** `counted`: the question was known. `full`: the site has too many, and all of them are answered. */
export type StoreResult = "stored" | "counted" | "full";

/** Stores a question, or counts it if it was asked before. */
export async function storeQuestion(
  tx: Transaction,
  { askedAt, ...question }: AskedQuestion,
  questionId: string,
): Promise<StoreResult> {
  const { siteKeyHash, skill } = question;
  const key = questionKey(question.question);
  const counted = await tx.run(
    `UPDATE questions SET times_asked = times_asked + 1, last_asked_at = ?
     WHERE site_key_hash = ? AND skill = ? AND question_key = ?`,
    askedAt,
    siteKeyHash,
    skill,
    key,
  );
  if (counted === 1) return "counted";
  if (!(await makeRoom(tx, siteKeyHash))) return "full";
  const fresh: Question = {
    ...question,
    questionId,
    questionKey: key,
    firstAskedAt: askedAt,
    lastAskedAt: askedAt,
    timesAsked: 1,
    state: "new",
    answer: null,
    published: false,
    answeredAt: null,
    answeredBy: null,
  };
  // Another node may have stored the same words meanwhile.
  const changed = ["last_asked_at"];
  const conflict = { key: ["site_key_hash", "skill", "question_key"], changed };
  await questions.upsert(tx, fresh, conflict, { notified: 0 });
  tx.announce(QUESTION_TOPIC, siteKeyHash);
  return "stored";
}

/** Writes the state of a question and its answer. */
export async function updateQuestion(tx: Transaction, question: Question): Promise<void> {
  const columns = ["state", "answer", "published", "answered_at", "answered_by"];
  const { questionId, siteKeyHash } = question;
  await questions.update(tx, questions.rowOf(question), columns, "question_id = ?", questionId);
  tx.announce(QUESTION_TOPIC, siteKeyHash);
}

export async function deleteQuestion(tx: Transaction, question: Question): Promise<void> {
  await tx.run("DELETE FROM questions WHERE question_id = ?", question.questionId);
  tx.announce(QUESTION_TOPIC, question.siteKeyHash);
}

/** The answer that the owner published to a question. */
export async function publishedAnswer(
  db: Queries,
  siteKeyHash: string,
  { skill, questionKey: key }: Pick<Question, "skill" | "questionKey">,
): Promise<string | undefined> {
  const row = await db.get<{ answer: string }>(
    `SELECT answer FROM questions
     WHERE site_key_hash = ? AND skill = ? AND question_key = ? AND published = 1`,
    siteKeyHash,
    skill,
    key,
  );
  return row?.answer;
}

export async function hasPublishedAnswers(
  db: Queries,
  siteKeyHash: string,
  skill: string,
): Promise<boolean> {
  const sql =
    "SELECT 1 AS found FROM questions WHERE site_key_hash = ? AND skill = ? AND published = 1 LIMIT 1";
  return (await db.get(sql, siteKeyHash, skill)) !== undefined;
}

/** Questions with a published answer, most asked first. */
export function publishedQuestions(db: Queries, siteKeyHash: string): Promise<Question[]> {
  const rest = `WHERE site_key_hash = ? AND state = 'answered' AND published = 1
    ORDER BY times_asked DESC, question_id LIMIT ?`;
  return questions.all(db, rest, siteKeyHash, SHOWN_MAX);
}

/** Sites with new questions that their owners do not know of. */
export function sitesToNotify(db: Queries, limit: number): Promise<string[]> {
  const from = "questions WHERE notified = 0 ORDER BY site_key_hash LIMIT ?";
  return selectValues<string>(db, "DISTINCT site_key_hash", from, limit);
}

/** New questions that the owner of a site does not know of, most asked first. */
export function unnotifiedQuestions(db: Queries, siteKeyHash: string): Promise<Question[]> {
  const rest = `WHERE site_key_hash = ? AND notified = 0 AND state = 'new'
    ORDER BY times_asked DESC, question_id`;
  return questions.all(db, rest, siteKeyHash);
}

export async function noteNotified(tx: Transaction, siteKeyHash: string): Promise<void> {
  const sql = "UPDATE questions SET notified = 1 WHERE site_key_hash = ? AND notified = 0";
  await tx.run(sql, siteKeyHash);
}

/** Deletes questions that were asked last before a time, unless their answer is published. */
export async function deleteExpiredQuestions(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM questions WHERE published = 0 AND last_asked_at < ?", before);
}

export const deleteQuestions = deleterOf("questions");
