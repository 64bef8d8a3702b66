import { isSkillId, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { isVerified, readOfStatus } from "../../domain/sites/store.js";
import {
  type CommittedWords,
  isKnownClient,
  type StrangerWords,
} from "../../domain/stranger-records/stranger-words.js";
import type { Transaction } from "../../infra/db/database.js";
import { REJECTED_REQUESTS, type RejectionCommit } from "../mandates/rejection-aggregator.js";
import type { MandateCommit } from "../mandates/submission.js";
import { type CallingClient, digestOf, type ToolCall, type ToolOutcome } from "./tools.js";

/** The site was deleted during the call, so nothing is recorded and nothing is answered. */
export class SiteGoneError extends Error {
  override readonly name = "SiteGoneError";
}

interface CallOutcome {
  readonly outcome: ToolOutcome;
  readonly reason?: string;
  readonly digest?: string;
}

/** Words of strangers that a record names by their commitments. */
class Commitments {
  private readonly words: StrangerWords;
  private readonly siteKeyHash: string;
  readonly committed: CommittedWords[] = [];

  constructor(words: StrangerWords, siteKeyHash: string) {
    this.words = words;
    this.siteKeyHash = siteKeyHash;
  }

  of(text: string): string {
    const committed = this.words.commit(this.siteKeyHash, text);
    this.committed.push(committed);
    return committed.commitment;
  }
}

/** The `tool` member of the record. It does not contain names that no tool can have. */
function toolMember(
  { name, isKnown, args }: ToolCall,
  { outcome, reason, digest }: CallOutcome,
  commitments: Commitments,
): Record<string, JsonValue> {
  const member: Record<string, JsonValue> = { is_error: outcome !== "answered", outcome };
  // A refused call is not worth the work of a digest.
  if (outcome === "answered" || outcome === "error") member.args_digest = digestOf(args);
  if (typeof name === "string" && isSkillId(name)) {
    if (isKnown) member.name = name;
    else member.name_commitment = commitments.of(name);
  }
  if (reason !== undefined) member.reason = reason;
  if (digest !== undefined) member.result_digest = digest;
  return member;
}

function clientMember(
  { address, session, name = "", version = "" }: CallingClient,
  commitments: Commitments,
): Record<string, JsonValue> {
  const member: Record<string, JsonValue> = { address };
  if (isKnownClient(name)) member.name = name;
  else if (name !== "") member.name_commitment = commitments.of(name);
  if (session !== undefined) member.session = session;
  if (version !== "") member.version_commitment = commitments.of(version);
  return member;
}

/** The reason that records give for a call that a limit refused. */
const LIMIT_REASONS: Readonly<Record<string, string>> = {
  session: "session_limit",
  address: "address_limit",
  site: "site_limit",
  day: "day_limit",
};

/** Bytes of a log row in addition to its record: position, hashes, signature, index. */
const ROW_BYTES = 1000;

/** The record of a call, or its count if a limit refused it. */
async function takeCall(
  context: Context,
  tx: Transaction,
  call: ToolCall,
  outcome: CallOutcome,
  { isProven, reason: limit }: { readonly isProven: boolean; readonly reason: string | undefined },
): Promise<RejectionCommit> {
  const { clock, metrics, rejections, strangerWords } = context;
  const { siteKeyHash } = call;
  const commitments = new Commitments(strangerWords, siteKeyHash);
  const content: JsonObject = {
    client: clientMember(call.client, commitments),
    protocol: "mcp",
    protocol_version: call.revision,
    request: { id: call.requestId, ...REJECTED_REQUESTS.mcp },
    tool: toolMember(call, outcome, commitments),
  };
  const now = clock.now();
  const record = { type: "mcp.tools_call" as const, occurredAt: now, content };
  const caller = { siteKeyHash, endpoint: "mcp" } as const;
  const written: RejectionCommit =
    limit === undefined
      ? { records: [record] }
      : await rejections.take(tx, { caller, reason: limit, record }, now);
  const isRecorded = written.records.length > 0;
  const remember = await strangerWords.store(
    tx,
    siteKeyHash,
    isRecorded ? commitments.committed : [],
    now,
  );
  const after = () => {
    written.after?.();
    remember();
    if (isRecorded && !isProven) countBytes(context, siteKeyHash, content);
    metrics.counter("gatehouse_mcp_calls_total")({ outcome: outcome.outcome });
  };
  return { records: written.records, after };
}

/** The reason of a call that a limit refused. */
const limitReason = ({ reason = "rate_limited" }: CallOutcome) => LIMIT_REASONS[reason] ?? reason;

/**
 * Records a call before it is answered. The first calls that a limit refuses have a record each; the others
 * are counted. The same applies to strangers' calls when the site's daily quota is used up.
 */
export async function recordCall(
  context: Context,
  call: ToolCall,
  outcome: CallOutcome,
  { isProven = false }: { readonly isProven?: boolean } = {},
): Promise<void> {
  const { audit, metrics, rejections, recordAllowance } = context;
  const { siteKeyHash } = call;
  const isLimited = outcome.outcome === "rate_limited";
  const isSpent = !isProven && (await recordAllowance.waitMs(siteKeyHash)) > 0;
  const reason = isLimited ? limitReason(outcome) : isSpent ? "day_limit" : undefined;
  const caller = { siteKeyHash, endpoint: "mcp" } as const;
  if (reason !== undefined && rejections.isFull(caller)) {
    rejections.count({ caller, reason });
    metrics.counter("gatehouse_mcp_calls_total")({ outcome: outcome.outcome });
    return;
  }
  const record = async (tx: Transaction) => {
    // A site that was deleted or lost its domain during the call does not answer.
    if (!(await isVerified(tx, siteKeyHash))) return { records: [], answer: false };
    const { records, after } = await takeCall(context, tx, call, outcome, { isProven, reason });
    return { records, after, answer: true };
  };
  const reads = () => [readOfStatus(siteKeyHash)];
  const { answer: isRecorded } = await audit.commit(siteKeyHash, record, reads);
  if (!isRecorded) throw new SiteGoneError();
}

/** The outcome of a call with a mandate, as its commit knows it. */
function mandateOutcome(answer: MandateCommit["answer"]): CallOutcome {
  // The record of the payment shows how it ended.
  if (answer.kind === "paying") return { outcome: "answered" };
  if (answer.kind === "refused") {
    const { reason } = answer.fault;
    if (reason === "rate_limited") return { outcome: "rate_limited", reason };
    return { outcome: reason === "unavailable" ? "error" : "refused", reason };
  }
  const { outcome, reason } = answer.answer.body;
  if (outcome === "approved" || outcome === "escalated") return { outcome: "answered" };
  if (outcome === "unavailable") return { outcome: "error", reason: "unavailable" };
  return { outcome: "refused", reason: String(reason ?? outcome) };
}

/** Adds the record of the tool call that carried a mandate to the commit of its decision. */
export async function withCallRecord(
  context: Context,
  tx: Transaction,
  decision: MandateCommit,
  call: ToolCall,
): Promise<MandateCommit> {
  if (!(await isVerified(tx, call.siteKeyHash))) return decision;
  const outcome = mandateOutcome(decision.answer);
  const reason = outcome.outcome === "rate_limited" ? limitReason(outcome) : undefined;
  const callRecord = await takeCall(context, tx, call, outcome, { isProven: true, reason });
  const after = () => {
    decision.after?.();
    callRecord.after?.();
  };
  const answer = { ...decision.answer, callRecorded: true };
  return { records: [...decision.records, ...callRecord.records], answer, after };
}

function countBytes(
  { metrics, recordAllowance }: Context,
  siteKeyHash: string,
  content: JsonObject,
): void {
  const bytes = ROW_BYTES + Buffer.byteLength(JSON.stringify(content));
  recordAllowance.add(siteKeyHash, bytes);
  metrics.counter("gatehouse_mcp_record_bytes_total")({}, bytes);
}
