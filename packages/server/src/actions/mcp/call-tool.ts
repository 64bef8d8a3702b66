import { isSkillId, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { isVerified } from "../../domain/sites/store.js";
import type {
  CommittedWords,
  StrangerWords,
} from "../../domain/stranger-records/stranger-words.js";
import { isKnownClient } from "../../domain/stranger-records/stranger-words.js";
import { REJECTED_REQUESTS, type Taken } from "../mandates/rejection-aggregator.js";
import { digestOf, type PlainTool, type ToolOutcome, type ToolResult } from "./tools.js";

/** The caller as it describes itself; none of it is proven. */
export interface CallingClient {
  /** The network it came from. */
  readonly address: string;
  readonly session?: string | undefined;
  /** The name it gives itself: a stranger's words, or empty. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** One `tools/call`, as a door has read it. */
export interface ToolCall {
  readonly siteKeyHash: string;
  readonly requestId: string;
  /** The tool's name as it was sent; whatever was sent. */
  readonly name: JsonValue | undefined;
  /** Whether the site has a tool of that name. */
  readonly isKnown: boolean;
  readonly args: JsonValue;
  /** The revision of the protocol it came by. */
  readonly revision: string;
  readonly client: CallingClient;
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

/** Words of strangers that a record names by their commitments. */
class Commitments {
  private readonly words: StrangerWords;
  private readonly siteKeyHash: string;
  readonly made: CommittedWords[] = [];

  constructor(words: StrangerWords, siteKeyHash: string) {
    this.words = words;
    this.siteKeyHash = siteKeyHash;
  }

  of(text: string): string {
    const committed = this.words.commit(this.siteKeyHash, text);
    this.made.push(committed);
    return committed.commitment;
  }
}

/** What a record says of a call. Names of tools that cannot exist are not in it. */
function toolMember(
  { name, isKnown, args }: ToolCall,
  { outcome, reason, digest }: Outcome,
  commitments: Commitments,
): Record<string, JsonValue> {
  const member: Record<string, JsonValue> = { is_error: outcome !== "answered", outcome };
  // Of a call that was refused it would be work for nothing.
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

/** The limits of a door, as reasons of calls that they refuse. */
const LIMIT_REASONS: Readonly<Record<string, string>> = {
  session: "session_limit",
  address: "address_limit",
  site: "site_limit",
  day: "day_limit",
};

/** Bytes of a log row besides its record: position, hashes, signature, index. */
const ROW_BYTES = 1000;

/**
 * Records a call before it is answered. The first calls that a limit refuses have a record each; the others
 * are counted. The same applies to strangers' calls when the site's daily quota is used up.
 */
export async function recordCall(
  context: Context,
  call: ToolCall,
  outcome: Outcome,
  { proven = false }: { readonly proven?: boolean } = {},
): Promise<void> {
  const { audit, clock, metrics, rejections, recordAllowance, strangerWords } = context;
  const { siteKeyHash } = call;
  const caller = { siteKeyHash, endpoint: "mcp" } as const;
  const spent = !proven && (await recordAllowance.waitMs(siteKeyHash)) > 0;
  const isLimited = outcome.outcome === "rate_limited" || spent;
  const { reason: why = "rate_limited" } = outcome;
  const reason = outcome.outcome === "rate_limited" ? (LIMIT_REASONS[why] ?? why) : "day_limit";
  const count = () => metrics.counter("gatehouse_mcp_calls_total")({ outcome: outcome.outcome });
  if (isLimited && rejections.isFull(caller)) {
    rejections.count({ caller, reason });
    return count();
  }
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
  const { answer: recorded } = await audit.commit(siteKeyHash, async (tx) => {
    // Nothing is said in the name of a site that was deleted or lost its domain meanwhile.
    if (!(await isVerified(tx, siteKeyHash))) return { records: [], answer: false };
    const taken: Taken = isLimited
      ? await rejections.take(tx, { caller, reason, record }, now)
      : { records: [record] };
    const isRecorded = taken.records.length > 0;
    const kept = isRecorded ? commitments.made : [];
    const remember = await strangerWords.keep(tx, siteKeyHash, kept, now);
    const after = () => {
      taken.after?.();
      remember();
      if (isRecorded && !proven) countBytes(context, siteKeyHash, content);
    };
    return { records: taken.records, answer: true, after };
  });
  if (!recorded) throw new SiteGoneError();
  count();
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
