import type { JsonObject, Mandate, ReasonCode } from "@gatehouse/protocol";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import type { StoredAnswer } from "../../domain/decisions/decision.js";
import type { Payment } from "../../domain/payments/payment.js";
import type { Site } from "../../domain/sites/site.js";
import type { Sender } from "../../infra/networks.js";
import type { ToolCall } from "../mcp/tools.js";

/** The request that a mandate came with. */
export interface Submission {
  readonly requestId: string;
  /** The sender, as limits see it. */
  readonly caller: Sender;
  /** Called before an unproven mandate is refused and recorded; false refuses it without a record. */
  readonly mayRefuse?: (() => boolean) | undefined;
  /** The tool call that carried it. The mandate must be for exactly this call. */
  readonly call?: MandateCall | undefined;
}

export interface MandateCall {
  readonly skill: string;
  readonly arguments: JsonObject;
  /** The call, if it is to be recorded in the decision's commit. */
  readonly toolCall?: ToolCall | undefined;
}

/** Why a mandate was refused. */
export interface MandateFault {
  readonly reason: ReasonCode;
  /** The specific reason for the log, if the agent gets a broader one. */
  readonly specific?: string | undefined;
  /** More detail than the reason's sentence. */
  readonly message?: string | undefined;
  readonly retryAfterS?: number | undefined;
  /** A narrower reason that the agent may know. */
  readonly reasonCode?: string | undefined;
  /** Help for developers, in development mode only. */
  readonly hints?: Readonly<Record<string, string>> | undefined;
}

/** What the signature of a mandate proves, for its records. */
export interface ProvenFacts {
  readonly agentId: string;
  readonly kid: string;
  readonly mandateId: string;
  readonly digest: string;
  readonly skill: string;
  readonly protocol: string;
}

/** The result of a submission: an answer of the contract, or why there is none. */
export type Submitted = Answered | Refused;

interface Answered extends CallRecorded {
  readonly kind: "answered";
  readonly answer: StoredAnswer;
  /** Whether the mandate was decided before, and is answered again. */
  readonly replayed: boolean;
}

interface Refused extends CallRecorded {
  readonly kind: "refused";
  readonly fault: MandateFault;
  readonly mandateId?: string | undefined;
}

interface CallRecorded {
  /** Whether the commit also wrote the record of the tool call that carried the mandate. */
  readonly callRecorded?: boolean | undefined;
}

/** A decision whose payment is under way; with the attempt if this request is to settle it. */
export interface Paying extends CallRecorded {
  readonly kind: "paying";
  readonly decisionId: string;
  readonly payment?: Payment | undefined;
  readonly replayed: boolean;
}

/** A mandate whose sender is known, at the moment it is decided. */
export interface ProvenMandate {
  readonly site: Site;
  readonly mandate: Mandate;
  readonly proven: ProvenFacts;
  readonly requestId: string;
  /** Whether its agent was active when the mandate came. If not, its texts are not recorded as they are. */
  readonly admitted: boolean;
  /** The address it came from, as limits name it. */
  readonly source: string;
  readonly now: number;
}

/** What the transaction of a mandate returns to the commit. */
export interface MandateCommit {
  readonly records: readonly RecordDraft[];
  readonly answer: Submitted | Paying;
  /** Changes memory after the commit. */
  readonly after?: (() => void) | undefined;
}
