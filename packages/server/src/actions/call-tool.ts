import { isSkillId, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { isVerified } from "../owners/sites/store.js";
import { digestOf, type PlainTool, type ToolOutcome, type ToolResult } from "./tools.js";

/** One `tools/call`, as a door has read it. */
export interface ToolCall {
  readonly siteKeyHash: string;
  readonly requestId: string;
  /** The tool's name as it was sent; whatever was sent. */
  readonly name: JsonValue | undefined;
  readonly args: JsonValue;
  /** The revision of the protocol it came by. */
  readonly revision: string;
  /** Who called, as far as that is known. Nobody has proven any of it. */
  readonly client: JsonObject;
}

/** The site went away while a call was under way: nothing was recorded, and nothing is answered. */
export class SiteGoneError extends Error {
  override readonly name = "SiteGoneError";
}

interface Outcome {
  readonly outcome: ToolOutcome;
  readonly reason?: string;
  readonly digest?: string;
}

/** What a record says of a call. Names of tools that cannot exist are not in it. */
function toolMember(
  { name, args }: ToolCall,
  { outcome, reason, digest }: Outcome,
): Record<string, JsonValue> {
  const member: Record<string, JsonValue> = { is_error: outcome !== "answered", outcome };
  // Of a call that was refused it would be work for nothing.
  if (outcome === "answered" || outcome === "error") member.args_digest = digestOf(args);
  if (typeof name === "string" && isSkillId(name)) member.name = name;
  if (reason !== undefined) member.reason = reason;
  if (digest !== undefined) member.result_digest = digest;
  return member;
}

/** Records a call that no tool was asked for: it is in the log before it is answered, too. */
export async function recordCall(
  { audit, clock, metrics }: Context,
  call: ToolCall,
  outcome: Outcome,
): Promise<void> {
  const content: JsonObject = {
    client: call.client,
    protocol: "mcp",
    protocol_version: call.revision,
    request: { id: call.requestId, method: "POST", route: "/v1/mcp/{site_key}" },
    tool: toolMember(call, outcome),
  };
  const records = [{ type: "mcp.tools_call" as const, occurredAt: clock.now(), content }];
  const { answer: recorded } = await audit.commit(call.siteKeyHash, async (tx) => {
    // Nothing is said in the name of a site that was deleted or lost its domain meanwhile.
    const there = await isVerified(tx, call.siteKeyHash);
    return { records: there ? records : [], answer: there };
  });
  if (!recorded) throw new SiteGoneError();
  metrics.counter("gatehouse_mcp_calls_total")({ outcome: outcome.outcome });
}

/** Calls a tool and records it. Rejected, nothing was recorded and nothing may be answered. */
export async function callTool(
  context: Context,
  tool: PlainTool,
  call: ToolCall,
): Promise<ToolResult> {
  const result = await tool.call(call.args);
  await recordCall(context, call, result);
  return result;
}
