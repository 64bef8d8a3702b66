import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { notifySettings } from "../../domain/notify-settings/store.js";
import { NOTICE_EVERY_MS, type Question } from "../../domain/questions/question.js";
import { noteNotified, sitesToNotify, unnotifiedQuestions } from "../../domain/questions/store.js";
import { domainOfSite } from "../../domain/sites/store.js";
import { isoTime } from "../../infra/clock.js";
import { quoted } from "../../infra/mail/text.js";
import { takeExact } from "../../infra/rate-limit/exact.js";
import { MINUTE_MS } from "../../infra/time.js";
import type { NoticeWords } from "../../purchase/notices/chat-message.js";
import { notifyOwner } from "../../purchase/notices/notify-owner.js";

export const QUESTIONS_JOB = "questions.notify";

const QUESTIONS_ASKED = "questions.asked";
/** Sites whose owners one run notifies. */
const SITES_MAX = 5000;
/** Questions that a mail quotes. */
const QUOTED_MAX = 3;
const NOTICE_RATE = { perMinute: MINUTE_MS / NOTICE_EVERY_MS, burst: 1 };

/** New questions of a site that its owner does not know of. */
interface QuestionsNotice {
  readonly siteKeyHash: string;
  readonly domain: string;
  readonly questions: readonly Question[];
  readonly page: string;
  readonly now: number;
}

function questionsEvent(notice: QuestionsNotice, messageId: string): JsonObject {
  const { siteKeyHash, domain, questions, page, now } = notice;
  return {
    type: QUESTIONS_ASKED,
    message_id: messageId,
    occurred_at: isoTime(now),
    site_key_hash: siteKeyHash,
    domain,
    questions: { count: questions.length, console_url: page },
  };
}

/** Its subject contains nothing that a stranger wrote. */
export function questionsMail({
  domain,
  questions,
  page,
}: Pick<QuestionsNotice, "domain" | "questions" | "page">): NoticeWords {
  const count = questions.length;
  const many = count === 1 ? "1 new question" : `${count} new questions`;
  const more = count - QUOTED_MAX;
  const lines = [
    `Agents asked ${many} at ${domain}. These are the words of the callers:`,
    "",
    ...questions.slice(0, QUOTED_MAX).map(({ question }) => quoted(question)),
    ...(more > 0 ? [`and ${more} more`] : []),
    "",
    "Answer them here:",
    "",
    page,
    "",
    "You need to be signed in to answer. A reply to this message reaches nobody.",
  ];
  return { subject: `${domain}: ${many} from agents`, text: `${lines.join("\n")}\n`, link: page };
}

/** Notifies the owner of one site, if there was no such notification in the last minutes. */
function notifySite({ config, clock, db, ids }: Context, siteKeyHash: string): Promise<void> {
  return db.transaction(async (tx) => {
    const now = clock.now();
    const questions = await unnotifiedQuestions(tx, siteKeyHash);
    const { questions: isWanted } = await notifySettings(tx, siteKeyHash);
    // Decided before the owner was notified, or not wanted.
    if (questions.length === 0 || !isWanted) return noteNotified(tx, siteKeyHash);
    if (!(await takeExact(tx, `question notices ${siteKeyHash}`, NOTICE_RATE, now))) return;
    const domain = (await domainOfSite(tx, siteKeyHash)) ?? "";
    const [first, ...others] = questions;
    const all = `${config.baseUrl}/console/${domain}/questions`;
    const page = first === undefined || others.length > 0 ? all : `${all}/${first.questionId}`;
    const notice = { siteKeyHash, domain, questions, page, now };
    const result = await notifyOwner(tx, ids, {
      siteKeyHash,
      topic: QUESTIONS_ASKED,
      now,
      budget: "question mails",
      event: (messageId) => questionsEvent(notice, messageId),
      mail: () => questionsMail(notice),
    });
    if (result !== "too_many") await noteNotified(tx, siteKeyHash);
  });
}

/** Notifies owners of new questions: one message with a count, however many there are. */
export async function notifyQuestions(context: Context, stopping: () => boolean): Promise<void> {
  for (const siteKeyHash of await sitesToNotify(context.db, SITES_MAX)) {
    if (stopping()) return;
    await notifySite(context, siteKeyHash);
  }
}
