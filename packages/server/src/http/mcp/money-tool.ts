import {
  COMPLETE_CHECKOUT,
  canonicalize,
  formatAmount,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MANDATE_BYTES_MAX,
  movesMoney,
  ok,
  type Result,
  refuse,
  siteAddresses,
  utf8,
} from "@gatehouse/protocol";
import { PAUSED } from "../../actions/mandates/admit.js";
import { priceToSign } from "../../actions/mandates/price-to-sign.js";
import type { Submission } from "../../actions/mandates/submission.js";
import { refuseUnproven, submitMandate } from "../../actions/mandates/submit.js";
import { recordCall } from "../../actions/mcp/record-call.js";
import {
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
  toolResult,
} from "../../actions/mcp/tools.js";
import type { Context } from "../../context.js";
import type { OrderedItem } from "../../domain/payments/payment.js";
import type { Site } from "../../domain/sites/site.js";
import type { Caller } from "../server/admission/caller.js";
import { answerOf, type MandateAnswer, refusedAnswer } from "../server/mandate-answer.js";
import type { Sent, ShopTools } from "./shop-tool.js";
import { withLink } from "./signed-link.js";

const MANDATE_META = "dev.gatehouse/mandate";

interface MoneyTools {
  readonly context: Context;
  readonly shop: ShopTools;
}

interface CallDetails {
  readonly meta: JsonValue | undefined;
  readonly caller: Caller;
  readonly request: Sent["request"];
}

/** Whether a call carries a mandate, in either place. The mandate is not checked here. */
export function carriesMandate({ arguments: args, _meta: meta }: JsonObject): boolean {
  if (isJsonObject(args) && args.mandate !== undefined) return true;
  return isJsonObject(meta) && meta[MANDATE_META] !== undefined;
}

/** The mandate of a call, from either place, and the arguments without it. */
export function readCall(
  args: JsonValue,
  meta: JsonValue | undefined,
): Result<{ mandate: JsonValue | undefined; args: JsonObject }, "no_object" | "two_mandates"> {
  if (!isJsonObject(args)) return refuse("no_object", "`arguments` must be an object.");
  const { mandate: inside, ...others } = args;
  const beside = isJsonObject(meta) ? meta[MANDATE_META] : undefined;
  const both = inside !== undefined && beside !== undefined;
  if (both && canonicalize(inside) !== canonicalize(beside)) {
    return refuse("two_mandates", "The call contains two different mandates. Send one.");
  }
  return ok({ mandate: inside ?? beside, args: others });
}

const OUTCOMES: Readonly<Record<string, ToolOutcome>> = {
  approved: "answered",
  escalated: "answered",
  rate_limited: "rate_limited",
  unavailable: "error",
};

/** The answer to a mandate as a tool result, with the same body as the mandate endpoint. */
export function resultOf(
  { body }: Pick<MandateAnswer, "body">,
  content: JsonObject = { ...body },
  shown: JsonValue = [{ type: "text", text: JSON.stringify(content) }],
): ToolResult {
  const decision = String(body.outcome);
  const outcome = OUTCOMES[decision] ?? "refused";
  const result = {
    content: shown,
    structuredContent: content,
    isError: outcome !== "answered",
  };
  return toolResult(
    result,
    outcome,
    outcome === "answered" ? undefined : String(body.reason ?? decision),
  );
}

/** Adds the refusal of the mandate to the checkout's messages, where UCP clients look. */
function withRefusal(checkout: JsonObject, { reason, message }: MandateAnswer["body"]): JsonObject {
  if (reason === undefined || checkout.ucp === undefined) return checkout;
  const { messages } = checkout;
  const refusal = { type: "error", code: String(reason), content: String(message ?? reason) };
  const others = Array.isArray(messages) ? messages : [];
  return { ...checkout, messages: [{ ...refusal, severity: "recoverable" }, ...others] };
}

const requestedItem = ({ id, quantity }: OrderedItem) => ({ id, quantity });

/** The statuses of a checkout that only lacks its payment. */
const PAYABLE = ["ready_for_complete", "requires_escalation"];

/** A checkout that its platform cannot complete without a mandate: its buyer has to act. */
function handedToPerson(checkout: JsonObject): JsonObject {
  if (!PAYABLE.includes(String(checkout.status))) return checkout;
  const others = Array.isArray(checkout.messages) ? checkout.messages : [];
  const content =
    "Over MCP, this checkout needs a signed mandate. Without one, send the buyer to `continue_url` to pay.";
  const severity = "requires_buyer_input";
  const message = { type: "error", code: "mandate_required", content, severity };
  return { ...checkout, status: "requires_escalation", messages: [message, ...others] };
}

/** The checkout that a call without a mandate names, as its platform sees it; empty if it sees none. */
async function checkoutToPay(
  shop: ShopTools,
  site: Site,
  { args, requestId }: ToolCall & { readonly args: JsonObject },
  { caller: client, request }: CallDetails,
): Promise<JsonObject> {
  const { meta = null, id = null } = args;
  const sent = { args: { meta, id }, requestId, client, request };
  const shown = await shop.call(site, { tool: "get_checkout", ...sent });
  return shown.kind === "answered" ? handedToPerson(shown.body) : {};
}

/** Answers a call without a mandate: what to sign, and the price. For a checkout, also the checkout. */
async function mandateRequired(
  context: Context,
  site: Site,
  { name: skill, args }: { readonly name: string; readonly args: JsonObject },
  checkout: JsonObject,
): Promise<ToolResult> {
  const { config } = context;
  const completes = skill === COMPLETE_CHECKOUT;
  const priced = await priceToSign(context, site, { skill, args });
  const cart = priced.ok
    ? {
        cart_total: formatAmount(priced.value.amount),
        cart_currency: priced.value.amount.currency,
      }
    : {};
  const { siteKey: site_key } = site;
  const { registration, registrationGuide, mandateGuide } = siteAddresses(config.baseUrl, site);
  const sign = {
    v: 1,
    site_key,
    audience: `${config.baseUrl}/v1/m/${site_key}/mandate`,
    skill,
    // Only arguments that were understood are sent back.
    ...(priced.ok && !completes
      ? { arguments: { items: priced.value.items.map(requestedItem) } }
      : {}),
    protocol_context: { protocol: "mcp", ...cart },
    ...(completes ? {} : { payment: { handler: site.provider?.kind ?? "", token: "" } }),
  };
  const problem = priced.ok ? "" : ` If you called it now, it would be refused: ${priced.detail}`;
  const moreMembers = completes
    ? "and `arguments`, which are the arguments of this call without the mandate. The instrument that pays is in " +
      "`checkout.payment`."
    : "and the payment token.";
  const message =
    "The tool was not called. It needs a mandate, signed by an agent that this site knows, in " +
    "`arguments.mandate`. Sign it with Ed25519 and the tag `service-mandate-v1`. The mandate must contain all members of `sign`, plus `mandate_id`, `agent_id`, " +
    `\`issued_at\`, \`expires_at\` ${moreMembers}${problem}`;
  const toSign = {
    outcome: "mandate_required",
    message,
    sign,
    register: {
      message:
        "If this site does not know your key yet, register it first. The answer contains a challenge to sign.",
      method: "POST",
      url: registration,
      body: { jwk: { kty: "OKP", crv: "Ed25519", x: "…" } },
      docs_url: registrationGuide,
    },
    docs_url: mandateGuide,
  };
  // UCP's error, for a checkout that is not there, has no place for anything else.
  const content =
    checkout.id === undefined && checkout.ucp !== undefined ? checkout : { ...checkout, ...toSign };
  const result = {
    content: [{ type: "text", text: JSON.stringify(content) }],
    structuredContent: content,
    // The checkout, with what comes next, is UCP's answer and no error.
    isError: checkout.ucp === undefined,
  };
  return toolResult(result, "refused", "mandate_required");
}

/** The result of a call, and whether the commit of its decision has recorded the call. */
interface MandateResult {
  readonly result: ToolResult;
  readonly isRecorded: boolean;
}

const unrecorded = (result: ToolResult): MandateResult => ({ result, isRecorded: false });

/** Submits the mandate of a call, like one that is sent to the mandate endpoint. */
async function submitCall(
  { context, shop }: MoneyTools,
  site: Site,
  call: ToolCall & { readonly args: JsonObject },
  { mandate, ...submission }: Omit<Submission, "call"> & { readonly mandate: JsonValue },
): Promise<MandateResult> {
  const { args } = call;
  const skill = String(call.name);
  const submitted = await submitMandate(context, { kind: "known", site }, mandate, {
    ...submission,
    call: { skill, arguments: args, toolCall: call },
  });
  const isRecorded = submitted.callRecorded === true;
  const { baseUrl } = context.config;
  const answer = answerOf(baseUrl, submitted);
  if (!movesMoney(skill)) {
    const { content, shown } = withLink({ site, baseUrl }, skill, answer.body);
    return { result: resultOf(answer, content, shown), isRecorded };
  }
  // A caller whose mandate does not verify must not see the checkout.
  if (skill !== COMPLETE_CHECKOUT || submitted.kind === "refused") {
    return { result: resultOf(answer), isRecorded };
  }
  // In UCP the result is the checkout, so its members are merged with those of the answer.
  const checkout = await shop.checkoutOfMandate(site, args);
  const content = { ...withRefusal(checkout ?? {}, answer.body), ...answer.body };
  return { result: resultOf(answer, content), isRecorded };
}

async function answerCall(
  tools: MoneyTools,
  site: Site,
  call: ToolCall,
  details: CallDetails,
): Promise<MandateResult> {
  const { meta, caller } = details;
  const { context } = tools;
  const { admission, config } = context;
  const { baseUrl } = config;
  const { requestId } = call;
  const read = readCall(call.args, meta);
  // Without a valid mandate it counts for the total of anonymous callers, like any other call.
  const mayRefuse = () => admission.takeOfSite(caller, "mcp_calls", site.siteKeyHash) === 0;
  const limited = () => unrecorded(resultOf(refusedAnswer(baseUrl, "rate_limited")));
  const submission = { requestId, caller, mayRefuse };
  if (!read.ok) {
    const fault = { reason: "schema_invalid", message: read.detail } as const;
    if (read.reason === "no_object") {
      if (carriesMandate({ _meta: meta ?? null }) && !mayRefuse()) return limited();
      return unrecorded(resultOf(answerOf(baseUrl, { kind: "refused", fault })));
    }
    // With two mandates neither is checked, so the call is refused as unproven.
    const refused = await refuseUnproven(context, site, fault, submission);
    return unrecorded(resultOf(answerOf(baseUrl, refused)));
  }
  const { mandate, args } = read.value;
  if (mandate === undefined) {
    const paused = { kind: "refused", fault: PAUSED } as const;
    if (site.pausedAt !== null) return unrecorded(resultOf(answerOf(baseUrl, paused)));
    const named = { ...call, name: String(call.name), args };
    const completes = named.name === COMPLETE_CHECKOUT;
    const checkout = completes ? await checkoutToPay(tools.shop, site, named, details) : {};
    return unrecorded(await mandateRequired(context, site, named, checkout));
  }
  if (utf8(canonicalize(mandate)).length > MANDATE_BYTES_MAX) {
    if (!mayRefuse()) return limited();
    return unrecorded(resultOf(refusedAnswer(baseUrl, "body_too_large")));
  }
  return submitCall(tools, site, { ...call, args }, { ...submission, mandate });
}

/**
 * Calls a tool that moves money, or a link tool with a mandate. The call is recorded in the commit of its decision; without a decision it
 * is recorded before it is answered, like any other call.
 */
export async function callWithMandate(
  tools: MoneyTools,
  site: Site,
  call: ToolCall,
  details: CallDetails,
): Promise<ToolResult> {
  const { result, isRecorded } = await answerCall(tools, site, call, details);
  if (isRecorded) return result;
  const read = readCall(call.args, undefined);
  const recordedCall = read.ok ? { ...call, args: read.value.args } : call;
  await recordCall(tools.context, recordedCall, result, {
    isProven: details.caller.provenAs === "spending",
  });
  return result;
}
