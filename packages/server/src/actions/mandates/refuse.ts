import type { Context } from "../../context.js";
import { countFailure } from "../../domain/agents/locks/locks.js";
import { skillsOf } from "../../domain/sites/gates.js";
import type { Transaction } from "../../infra/db/database.js";
import type { Rejection } from "./rejection-aggregator.js";
import { aboutMandate, requestOf } from "./request.js";
import type { MandateCommit, MandateFault, ProvenFacts, ProvenMandate } from "./submission.js";

/** What is known of a refused mandate. */
interface Refused {
  readonly requestId: string;
  readonly proven?: ProvenFacts | undefined;
  /** Stands for the skill where the record must not say it. */
  readonly skillCommitment?: string | undefined;
}

/** A refused mandate, as it is recorded or counted. */
export function mandateRejection(
  caller: { readonly siteKeyHash: string; readonly agentId?: string | undefined },
  { reason, specific }: MandateFault,
  { requestId, proven, skillCommitment }: Refused,
  now: number,
): Rejection {
  const about =
    proven === undefined
      ? { request: requestOf(requestId) }
      : aboutMandate(proven, requestId, skillCommitment);
  const code = specific ?? reason;
  const content = { ...about, decision: { outcome: "rejected", reason_codes: [code] } };
  return {
    caller: { ...caller, endpoint: "mandates" },
    reason: code,
    record: { type: "mandate.decision", occurredAt: now, content },
  };
}

/** Refusals of a known agent that count against it, each mandate once. */
const COUNTED: readonly string[] = [
  "policy_denied",
  "scope_not_granted",
  "skill_not_live",
  "mandate_id_conflict",
  "cart_mismatch",
  "evidence_already_used",
];
/** An agent that the owner has not admitted is still a stranger, whatever its signature proves. */
const STRANGERS: readonly string[] = ["agent_pending"];

/** Counts a refusal against its agent, if it is of a kind that counts. */
export async function countIfFailed(
  tx: Transaction,
  { site, proven }: Pick<ProvenMandate, "site" | "proven">,
  reason: string | null,
  now: number,
): Promise<void> {
  if (reason === null || !COUNTED.includes(reason)) return;
  const { siteKeyHash } = site;
  const { agentId, mandateId } = proven;
  await countFailure(tx, { siteKeyHash, agentId, mandateId }, now);
}

/** Refuses a mandate whose sender is known, and records it: beyond a rate, counted with others. */
export async function refuseProven(
  context: Context,
  tx: Transaction,
  fault: MandateFault,
  asked: ProvenMandate,
): Promise<MandateCommit> {
  const { proven, requestId, now } = asked;
  const { siteKeyHash } = asked.site;
  const { agentId, mandateId } = proven;
  await countIfFailed(tx, asked, fault.reason, now);
  const caller = STRANGERS.includes(fault.reason) ? { siteKeyHash } : { siteKeyHash, agentId };
  const words = strangersSkill(context, asked);
  const mandate = { requestId, proven, skillCommitment: words?.commitment };
  const rejection = mandateRejection(caller, fault, mandate, now);
  const taken = await context.rejections.take(tx, rejection, now);
  const answer = { kind: "refused", fault, mandateId } as const;
  if (words === undefined || taken.records.length === 0) return { ...taken, answer };
  const remember = await context.strangerWords.store(tx, siteKeyHash, [words], now);
  const after = () => {
    taken.after?.();
    remember();
  };
  return { ...taken, answer, after };
}

/** The skill that a not yet admitted agent named, unless the site itself names it. */
function strangersSkill({ strangerWords }: Context, { site, proven, admitted }: ProvenMandate) {
  const { skill } = proven;
  if (admitted || skillsOf(site).some(({ id }) => id === skill)) return undefined;
  return strangerWords.commit(site.siteKeyHash, skill);
}
