import { canonicalize, MANDATE_BYTES_MAX, utf8 } from "@gatehouse/protocol";
import type { MandateSite } from "../../actions/mandates/find-site.js";
import type { Submitted } from "../../actions/mandates/submission.js";
import { submitMandate } from "../../actions/mandates/submit.js";
import type { Context } from "../../context.js";
import type { Answer, Exchange } from "../server/exchange.js";
import { answerOf } from "../server/mandate-answer.js";
import { readMessage } from "./message.js";
import { readCall, resultOf } from "./money-tool.js";
import { revisionOf } from "./revision.js";
import { resultAnswer } from "./rpc.js";
import { decidesMandate } from "./signed-link.js";

/** Whether there is an answer: an earlier decision, or that the key was revoked since. */
function isAnswered(submitted: Submitted): boolean {
  return submitted.kind === "answered" || submitted.fault.reason === "identity_check_failed";
}

/**
 * Answers a call to a site that serves no tools if its mandate was decided before: it gets its first
 * answer again. Undefined for every other call.
 */
export async function replayedCall(
  context: Context,
  site: MandateSite,
  exchange: Exchange,
  body: Uint8Array,
): Promise<Answer | undefined> {
  const message = readMessage(body);
  if (message.kind !== "request" || message.method !== "tools/call") return undefined;
  const result = revisionOf(message, exchange);
  const { name: skill, arguments: sent = {}, _meta: meta } = message.params;
  if (result.kind === "refused" || typeof skill !== "string" || !decidesMandate(skill)) {
    return undefined;
  }
  const read = readCall(sent, meta);
  const mandate = read.ok ? read.value.mandate : undefined;
  if (!read.ok || mandate === undefined) return undefined;
  if (utf8(canonicalize(mandate)).length > MANDATE_BYTES_MAX) return undefined;
  const call = { skill, arguments: read.value.args };
  const { caller, requestId } = exchange;
  const submitted = await submitMandate(context, site, mandate, { requestId, caller, call });
  if (!isAnswered(submitted)) return undefined;
  const { members } = resultOf(answerOf(context.config.baseUrl, submitted));
  const complete = result.revision === "declared" ? "" : '"resultType":"complete",';
  return resultAnswer(message.id, `{${complete}${members}}`);
}
