import type { Context } from "../../context.js";
import { type Question, questionKey } from "../../domain/questions/question.js";
import { hasPublishedAnswers, publishedAnswer } from "../../domain/questions/store.js";
import { plainLine } from "../../infra/mail/text.js";
import type { Sender } from "../../infra/networks.js";
import { recordCall } from "./record-call.js";
import type { PlainTool, ToolCall, ToolResult } from "./tools.js";

/** The published answer to a question. A skill that has none costs one look, not one for each question. */
async function answerTo(
  { db }: Context,
  { seen }: PlainTool,
  { siteKeyHash, skill, question }: Pick<Question, "siteKeyHash" | "skill" | "question">,
): Promise<string | undefined> {
  if (seen.hasNoAnswers) return undefined;
  const key = { skill, questionKey: questionKey(question) };
  const answer = await publishedAnswer(db, siteKeyHash, key);
  if (answer === undefined) {
    seen.hasNoAnswers = !(await hasPublishedAnswers(db, siteKeyHash, skill));
  }
  return answer;
}

/**
 * Calls a tool and records the call. If this throws, nothing was recorded and nothing may be answered. A question
 * of the call goes to the owner afterwards.
 */
export async function callTool(
  context: Context,
  tool: PlainTool,
  call: ToolCall,
  { networks }: Pick<Sender, "networks">,
): Promise<ToolResult> {
  const { siteKeyHash, client } = call;
  const skill = String(call.name);
  const result = await tool.call(call.args, (question) =>
    answerTo(context, tool, { siteKeyHash, skill, question }),
  );
  await recordCall(context, call, result);
  const { question } = result;
  if (question !== undefined) {
    const askerName = plainLine(client.name ?? "") || null;
    context.questions.take({ siteKeyHash, skill, question, askerId: null, askerName }, networks);
  }
  return result;
}
