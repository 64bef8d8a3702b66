import { canonicalize, GET_ORDER, MANDATE_BYTES_MAX, utf8 } from "@gatehouse/protocol";
import { readOrderByMandate } from "../../actions/mandates/read-order.js";
import { recordCall } from "../../actions/mcp/record-call.js";
import { type ToolCall, type ToolResult, toolResult } from "../../actions/mcp/tools.js";
import type { Context } from "../../context.js";
import type { Site } from "../../domain/sites/site.js";
import type { Caller } from "../server/admission/caller.js";
import { answerOf, refusedAnswer } from "../server/mandate-answer.js";
import { readCall, resultOf } from "./money-tool.js";

/** Reads an order with a mandate, and records the call. */
export async function callOrderTool(
  context: Context,
  site: Site,
  call: ToolCall,
  { meta, caller }: { readonly meta: Parameters<typeof readCall>[1]; readonly caller: Caller },
): Promise<ToolResult> {
  const { baseUrl } = context.config;
  const read = readCall(call.args, meta);
  const answered = async (result: ToolResult) => {
    const recorded = read.ok ? { ...call, args: read.value.args } : call;
    await recordCall(context, recorded, result, { isProven: caller.provenAs === "proven" });
    return result;
  };
  if (!read.ok || read.value.mandate === undefined) {
    const message = read.ok ? undefined : read.detail;
    return answered(resultOf(refusedAnswer(baseUrl, "schema_invalid", { message })));
  }
  const { mandate, args } = read.value;
  if (utf8(canonicalize(mandate)).length > MANDATE_BYTES_MAX) {
    return answered(resultOf(refusedAnswer(baseUrl, "body_too_large")));
  }
  const requested = { skill: GET_ORDER, arguments: args };
  const answer = await readOrderByMandate(context, site, { mandate, call: requested, caller });
  if (!answer.ok) {
    return answered(resultOf(answerOf(baseUrl, { kind: "refused", fault: answer.fault })));
  }
  const { order } = answer;
  const content = [{ type: "text", text: JSON.stringify(order) }];
  return answered(toolResult({ content, structuredContent: order, isError: false }, "answered"));
}
