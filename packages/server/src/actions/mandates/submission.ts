import type { Mandate } from "@gatehouse/protocol";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import type { StoredAnswer } from "../../domain/decisions/decision.js";
import type { Site } from "../../domain/sites/site.js";
import type { Payment } from "../../purchase/request-payment.js";
import type { MandateFault, ProvenFacts } from "./refuse-mandate.js";

/** What a submission comes to: an answer of the contract, or why there is none. */
export type Submitted =
  | { readonly answer: StoredAnswer; readonly replayed: boolean }
  | { readonly fault: MandateFault; readonly mandateId?: string | undefined };

/** A decision whose payment is under way; with the attempt where it is ours to ask for. */
export interface Paying {
  readonly decisionId: string;
  readonly payment?: Payment | undefined;
}

/** A mandate whose sender is known, at the moment it is decided about. */
export interface Admission {
  readonly site: Site;
  readonly mandate: Mandate;
  readonly proven: ProvenFacts;
  readonly requestId: string;
  /** Whether its agent was active when it came: until then its words are a stranger's. */
  readonly admitted: boolean;
  /** The address it came from, as limits name it. */
  readonly source: string;
  readonly now: number;
}

export interface Made {
  readonly records: readonly RecordDraft[];
  readonly answer: Submitted | { readonly paying: Paying; readonly replayed: boolean };
  /** Changes what this process remembers, once all of it is durable. */
  readonly after?: (() => void) | undefined;
}
