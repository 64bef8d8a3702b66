import { isSkillId, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { digestOf, type Tool, type ToolOutcome, type ToolResult } from "./tools.js";

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

/** Names of tools that do not exist are recorded only where they could be one. */
function recordedName(name: JsonValue | undefined): JsonObject {
  return typeof name === "string" && isSkillId(name) ? { name } : {};
}

interface Outcome {
  readonly outcome: ToolOutcome;
  readonly reason?: string;
  readonly digest?: string;
}

/** Records a call that no tool was asked for: it is in the log before it is answered, too. */
export async function recordCall(
  { audit, clock }: Context,
  { siteKeyHash, requestId, name, args, revision, client }: ToolCall,
  { outcome, reason, digest }: Outcome,
): Promise<void> {
  const occurredAt = clock.now();
  const content: JsonObject = {
    protocol: "mcp",
    protocol_version: revision,
    request: { id: requestId, method: "POST", route: "/v1/mcp/{site_key}" },
    client,
    tool: {
      ...recordedName(name),
      outcome,
      ...(reason === undefined ? {} : { reason }),
      args_digest: digestOf(args),
      ...(digest === undefined ? {} : { result_digest: digest }),
      is_error: outcome !== "answered",
    },
  };
  const records = [{ type: "mcp.tools_call" as const, occurredAt, content }];
  await audit.commit(siteKeyHash, async () => ({ records, answer: null }));
}

/** Calls a tool and records it. Rejected, nothing was recorded and nothing may be answered. */
export async function callTool(context: Context, tool: Tool, call: ToolCall): Promise<ToolResult> {
  const result = await tool.call(call.args);
  await recordCall(context, call, result);
  return result;
}
