import type { JsonObject, JsonValue, UcpRequest } from "@gatehouse/protocol";
import { recordCall } from "../../actions/mcp/record-call.js";
import {
  type ShopTool,
  type ToolCall,
  type ToolResult,
  toolResult,
} from "../../actions/mcp/tools.js";
import type { Context } from "../../context.js";
import type { Site } from "../../domain/sites/site.js";
import type { Caller as Client } from "../server/admission/caller.js";
import type { Answer } from "../server/exchange.js";
import { errorAnswer, RPC, type RpcId } from "./rpc.js";

/** Why a call did not reach the shop. */
interface ShopRefusal {
  readonly kind: "refused";
  /** A code of UCP, and the status that UCP gives it. */
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The request that a call came in. */
export interface Sent {
  readonly client: Client;
  /** The request it came in, which may be signed. */
  request(): UcpRequest;
}

/** The shop's operations, as UCP defines them for MCP. */
export interface ShopTools {
  call(
    site: Site,
    call: Sent & {
      readonly tool: string;
      readonly args: JsonValue;
      readonly requestId: string;
    },
  ): Promise<{ readonly kind: "answered"; readonly body: JsonObject } | ShopRefusal>;
  /** The checkout that a mandate pays for, as its platform sees it; undefined if there is none. */
  checkoutOfMandate(site: Site, args: JsonObject): Promise<JsonObject | undefined>;
}

/** UCP's own JSON-RPC code for a platform that cannot be identified (2026-08-25, error table). */
const DISCOVERY_FAILED = -32_001;
const CODES: Readonly<Record<string, number>> = {
  invalid_profile_url: DISCOVERY_FAILED,
  profile_unreachable: DISCOVERY_FAILED,
  profile_malformed: DISCOVERY_FAILED,
  version_unsupported: DISCOVERY_FAILED,
  invalid_request: RPC.invalidParams,
  request_too_large: RPC.invalidParams,
};

function refusalAnswer(
  id: RpcId,
  { code, status, message, headers }: ShopRefusal,
  isMcpClient: boolean,
): Answer {
  const wait = headers["retry-after"];
  const retry = wait === undefined ? {} : { retry_after_seconds: Number(wait) };
  // `code` and `content` are UCP's error; `error` is the name in every other answer of this server.
  const data = { code, content: message, error: code, ...retry };
  const error = { code: CODES[code] ?? RPC.refused, message, data };
  // Clients of MCP drop what other statuses carry. Those of UCP alone tell errors by the status.
  return errorAnswer(
    isMcpClient ? 200 : status,
    id,
    error,
    wait === undefined ? {} : { "retry-after": wait },
  );
}

type Called =
  | { readonly ok: true; readonly value: ToolResult }
  | { readonly ok: false; answer(id: RpcId, isMcpClient: boolean): Answer };

/** Calls one of the shop's tools, and records the call. A shop's refusal is a result, not an error. */
export async function callShopTool(
  { context, shop }: { readonly context: Context; readonly shop: ShopTools },
  site: Site,
  call: ToolCall,
  { tool, ...sent }: Sent & { readonly tool: ShopTool },
): Promise<Called> {
  const { args, requestId } = call;
  const answer = await shop.call(site, { tool: tool.operation, args, requestId, ...sent });
  if (answer.kind === "refused") {
    await recordCall(context, call, { outcome: "refused", reason: answer.code });
    return { ok: false, answer: (id, isMcpClient) => refusalAnswer(id, answer, isMcpClient) };
  }
  const { body } = answer;
  const content = [{ type: "text", text: JSON.stringify(body) }];
  const result = toolResult({ content, structuredContent: body, isError: false }, "answered");
  await recordCall(context, call, result);
  return { ok: true, value: result };
}
