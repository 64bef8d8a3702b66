import type { ReasonCode } from "@gatehouse/protocol";
import { REJECTED_REQUESTS, type Rejection } from "./rejection-aggregator.js";

/** Why a mandate was refused: to the agent in a word of the contract, to the log in full. */
export interface MandateFault {
  readonly reason: ReasonCode;
  /** The specific reason, where the agent is told a broader one. */
  readonly specific?: string | undefined;
  /** Says more than the reason's own sentence. */
  readonly message?: string | undefined;
  readonly retryAfterS?: number | undefined;
  /** A narrower reason that the agent may know. */
  readonly reasonCode?: string | undefined;
  /** What helps a developer, in development only. */
  readonly hints?: Readonly<Record<string, string>> | undefined;
}

/** What a signature has proven of a mandate; what a record says of it. */
export interface ProvenFacts {
  readonly agentId: string;
  readonly kid: string;
  readonly mandateId: string;
  readonly digest: string;
  readonly skill: string;
  readonly protocol: string;
}

/** The members of a record that say who asked for what. */
export function aboutMandate(facts: ProvenFacts, requestId: string, committed?: string) {
  const { agentId, kid, mandateId, digest, protocol } = facts;
  const skill = committed === undefined ? { skill: facts.skill } : { skill_commitment: committed };
  return {
    agent: { id: agentId, key_thumbprint: kid },
    mandate: { digest, mandate_id: mandateId },
    protocol,
    ...skill,
    request: requestOf(requestId),
  };
}

const requestOf = (id: string) => ({ id, ...REJECTED_REQUESTS.mandates });

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
