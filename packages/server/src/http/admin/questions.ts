import { ANSWER_CHARS_MAX } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  answerQuestion,
  dismissQuestion,
  removeQuestion,
} from "../../actions/questions/answer-question.js";
import { listQuestions, showQuestion } from "../../actions/questions/read-questions.js";
import type { Context } from "../../context.js";
import { QUESTION_STATES, type Question } from "../../domain/questions/question.js";
import { isoTime } from "../../infra/clock.js";
import { line } from "../server/fields.js";
import { requireFound } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { idParam, pageOf, siteRoute } from "./describe.js";
import { PageQuery, pageBody, SiteParams } from "./schemas.js";

const State = z.enum(QUESTION_STATES);

const QuestionBody = z
  .object({
    question_id: z.string(),
    skill: z.string(),
    question: z.string().openapi({
      description:
        "The words of the first caller who asked. Show them as text, never as HTML or Markdown.",
    }),
    asker: z
      .object({
        kind: z.enum(["agent", "unsigned"]).openapi({
          description: "`unsigned`: the caller did not prove who it is.",
        }),
        agent_id: z.string().nullable(),
        name: z
          .string()
          .nullable()
          .openapi({ description: "The name that the caller gives itself." }),
      })
      .openapi({ description: "Who asked first." }),
    first_asked_at: Timestamp,
    last_asked_at: Timestamp,
    times_asked: z.int(),
    state: State,
    answer: z.string().nullable(),
    published: z.boolean().openapi({
      description: "Whether agents get the answer, and the agent page shows it with the question.",
    }),
    answered_at: Timestamp.nullable(),
    answered_by: z.string().nullable(),
  })
  .openapi("Question");

const QuestionParams = SiteParams.extend({ question_id: idParam("question_id") });

const list = siteRoute("get", "/questions", {
  tags: ["Questions"],
  summary: "List questions from agents",
  query: PageQuery.extend({ state: State.optional() }),
  answer: pageOf(QuestionBody, "Newest first."),
});

const show = siteRoute("get", "/questions/{question_id}", {
  tags: ["Questions"],
  summary: "Show a question",
  params: QuestionParams,
  answer: json(QuestionBody, "The question."),
});

const answer = siteRoute("post", "/questions/{question_id}/answer", {
  tags: ["Questions"],
  summary: "Answer a question",
  description:
    "Replaces an earlier answer. With `publish`, agents that ask the same question get the answer, and the " +
    "agent page shows both. Without it, the answer is only for the people of the site.",
  params: QuestionParams,
  body: strict({ answer: line(ANSWER_CHARS_MAX), publish: z.boolean().default(false) }),
  answer: json(QuestionBody, "The question with its answer."),
});

const dismiss = siteRoute("post", "/questions/{question_id}/dismiss", {
  tags: ["Questions"],
  summary: "Dismiss a question, or undo that",
  description: "With `undo`, a dismissed question is new again.",
  params: QuestionParams,
  body: strict({ undo: z.boolean().default(false) }),
  answer: json(QuestionBody, "The question."),
  errors: ["conflict"],
});

const remove = siteRoute("delete", "/questions/{question_id}", {
  tags: ["Questions"],
  summary: "Delete a question with its answer",
  params: QuestionParams,
  noContent: "The question is deleted. If its answer was published, agents no longer get it.",
});

function render(question: Question): z.infer<typeof QuestionBody> {
  const { askerId } = question;
  return {
    question_id: question.questionId,
    skill: question.skill,
    question: question.question,
    asker: {
      kind: askerId === null ? "unsigned" : "agent",
      agent_id: askerId,
      name: question.askerName,
    },
    first_asked_at: isoTime(question.firstAskedAt),
    last_asked_at: isoTime(question.lastAskedAt),
    times_asked: question.timesAsked,
    state: question.state,
    answer: question.answer,
    published: question.published,
    answered_at: timeOrNull(question.answeredAt),
    answered_by: question.answeredBy,
  };
}

export function questionRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const query = c.req.valid("query");
    const page = await listQuestions(context, siteKeyHash, query.state, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { question_id } = c.req.valid("param");
    const question = requireFound(await showQuestion(context, siteKeyHash, question_id));
    return c.json(render(question), 200);
  });

  app.openapi(answer, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "reviewer");
    const name = { siteKeyHash, questionId: c.req.valid("param").question_id };
    const changed = await answerQuestion(context, name, c.req.valid("json"), actorOf(c));
    return c.json(render(requireOk(changed)), 200);
  });

  app.openapi(dismiss, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "reviewer");
    const name = { siteKeyHash, questionId: c.req.valid("param").question_id };
    const { undo } = c.req.valid("json");
    const changed = await dismissQuestion(context, name, { undo }, actorOf(c));
    return c.json(render(requireOk(changed)), 200);
  });

  app.openapi(remove, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const name = { siteKeyHash, questionId: c.req.valid("param").question_id };
    requireOk(await removeQuestion(context, name, actorOf(c)));
    return c.body(null, 204);
  });
}
