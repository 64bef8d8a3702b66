import { hash } from "node:crypto";
import { isVisible, oneLine } from "../../infra/one-line.js";
import type { Rate } from "../../infra/rate-limit/local.js";
import { DAY_MS, MINUTE_MS } from "../../infra/time.js";

export const QUESTION_STATES = ["new", "answered", "dismissed"] as const;
export type QuestionState = (typeof QUESTION_STATES)[number];

/** What an agent asked through an action, once for everybody who asks the same. Times are milliseconds. */
export interface Question {
  readonly questionId: string;
  readonly siteKeyHash: string;
  readonly skill: string;
  /** The words of the first caller who asked, on one line. */
  readonly question: string;
  /** Equal texts have equal keys: see {@link questionKey}. */
  readonly questionKey: string;
  /** The agent that asked first; null if the caller did not prove who it is. */
  readonly askerId: string | null;
  /** The name that this caller gives itself; null if it gives none. */
  readonly askerName: string | null;
  readonly firstAskedAt: number;
  readonly lastAskedAt: number;
  readonly timesAsked: number;
  readonly state: QuestionState;
  readonly answer: string | null;
  /** Whether everybody can read the question with its answer. */
  readonly published: boolean;
  readonly answeredAt: number | null;
  readonly answeredBy: string | null;
}

/** A question as it comes from a call. */
export interface AskedQuestion
  extends Pick<Question, "siteKeyHash" | "skill" | "question" | "askerId" | "askerName"> {
  readonly askedAt: number;
}

/** Changes of this topic: there is a new question, or one has changed. */
export const QUESTION_TOPIC = "questions";

/** Questions of a site. When there are more, dismissed and unanswered ones are deleted. */
export const QUESTIONS_MAX = 1000;
/** Questions that nobody asked again are deleted after this time, unless their answer is published. */
export const QUESTION_KEPT_MS = 90 * DAY_MS;
/** Questions of one address to one site that are stored. */
export const ADDRESS_RATE: Rate = { perMinute: 6, burst: 10 };
/** Questions of all callers to one site that are stored: in a burst, then over a day. */
export const SITE_RATE: Rate = { perMinute: 60 };
export const SITE_DAY_RATE: Rate = { perMinute: 500 / 1440, burst: 500 };
/** Owners get one notification about new questions in this time. */
export const NOTICE_EVERY_MS = 15 * MINUTE_MS;
/** Published answers on the pages for agents: of one skill, and in all. Those asked most often come first. */
export const SHOWN_PER_SKILL_MAX = 10;
export const SHOWN_MAX = 100;

/** The question as it is stored and shown; undefined if it contains no visible text. */
export function plainQuestion(text: string): string | undefined {
  const plain = oneLine(text);
  return isVisible(plain) ? plain : undefined;
}

/** A digest that ignores case, white space, and punctuation at the end. */
export function questionKey(question: string): string {
  const normal = question.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
  return hash("sha256", normal.replace(/[\s\p{P}]+$/u, "") || normal, "hex");
}
