import type { Context } from "../../context.js";
import { countFailure } from "../../domain/agents/locks/locks.js";
import { skillsOf } from "../../domain/sites/gates.js";
import type { Transaction } from "../../infra/db/database.js";
import type { Rejection } from "./rejection-aggregator.js";
import { mandateMembers, requestMember } from "./request.js";
import type { MandateCommit, MandateFault, ProvenFacts, ProvenMandate } from "./submission.js";

interface Refused {
  readonly requestId: string;
  readonly proven?: ProvenFacts | undefined;
  /** Replaces the skill if the record must not name it. */
  readonly skillCommitment?: string | undefined;
}

/** The rejection of a mandate, to be recorded or counted. */
export function mandateRejection(
  caller: { readonly siteKeyHash: string; readonly agentId?: string | undefined },
  { reason, specific }: MandateFault,
  { requestId, proven, skillCommitment }: Refused,
  now: number,
): Rejection {
  const members =
    proven === undefined
      ? { request: requestMember(requestId) }
      : mandateMembers(proven, requestId, skillCommitment);
  const code = specific ?? reason;
  const content = { ...members, decision: { outcome: "rejected", reason_codes: [code] } };
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
/** An agent that the owner has not admitted counts as a stranger. */
const STRANGERS: readonly string[] = ["agent_pending"];

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

/** Refuses a mandate of a proven agent and records it. Beyond a rate, refusals are only counted. */
export async function refuseProven(
  context: Context,
  tx: Transaction,
  fault: MandateFault,
  provenMandate: ProvenMandate,
): Promise<MandateCommit> {
  const { proven, requestId, now } = provenMandate;
  const { siteKeyHash } = provenMandate.site;
  const { agentId, mandateId } = proven;
  await countIfFailed(tx, provenMandate, fault.reason, now);
  const caller = STRANGERS.includes(fault.reason) ? { siteKeyHash } : { siteKeyHash, agentId };
  const committedSkill = strangerSkill(context, provenMandate);
  const mandate = { requestId, proven, skillCommitment: committedSkill?.commitment };
  const rejection = mandateRejection(caller, fault, mandate, now);
  const part = await context.rejections.take(tx, rejection, now);
  const answer = { kind: "refused", fault, mandateId } as const;
  if (committedSkill === undefined || part.records.length === 0) return { ...part, answer };
  const remember = await context.strangerWords.store(tx, siteKeyHash, [committedSkill], now);
  const after = () => {
    part.after?.();
    remember();
  };
  return { ...part, answer, after };
}

/** The skill that a not yet admitted agent named, unless the site itself names it. */
function strangerSkill({ strangerWords }: Context, { site, proven, admitted }: ProvenMandate) {
  const { skill } = proven;
  if (admitted || skillsOf(site).some(({ id }) => id === skill)) return undefined;
  return strangerWords.commit(site.siteKeyHash, skill);
}
