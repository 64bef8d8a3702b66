import type { Money } from "../../money/amount.js";
import type { CountFact, SpentFact } from "../../policy/facts.js";
import type { PolicyReview } from "../../policy/review.js";

/** Where a record stands. */
interface Placed {
  readonly seq: number;
  readonly recordId: string;
  /** When it happened, in milliseconds. */
  readonly at: number;
}

/** A version of the owner's rules came into force. */
interface PublishedStep extends Placed {
  readonly kind: "published";
  readonly policy: string;
}

/** Something was refused before the rules were asked. */
interface RefusedStep extends Placed {
  readonly kind: "refused";
}

/** Whoever pays on the provider's own page, whichever platform sent them. No budget and no velocity counts them. */
export const BUYER = "(buyer)";

/** Who asked for what, and what the rules were asked with. */
interface Asked extends Placed {
  /** Agent, mandate or checkout, their digests and the skill, as one text to compare. */
  readonly subject: string;
  /** Who it is counted by: the agent it names, or {@link BUYER}. */
  readonly agent: string;
  readonly skill: string;
  readonly protocol: string | undefined;
  readonly amount: Money | undefined;
  /** Digest of the rules that were followed; undefined where none are named. */
  readonly policy: string | undefined;
  readonly spend: readonly SpentFact[];
  readonly count: readonly CountFact[];
  /** Whether it says that a processor will be asked. */
  readonly pays: boolean;
  /** The review it opens, or ends. */
  readonly review: string | undefined;
}

/** The rules were asked about a mandate. */
export interface DecidedStep extends Asked {
  readonly kind: "decided";
  readonly outcome: string;
  /** Agent and mandate, as one text; undefined where none is named. */
  readonly mandate: string | undefined;
  /** How its rules want people to be asked, where they do. */
  readonly wanted: PolicyReview | undefined;
  /** Whether somebody else has it paid: no outcome of ours follows. */
  readonly elsewhere: boolean;
}

/** What became of an order: of its authorization, of money that was taken, or of its goods. */
export interface AdjustedStep extends Placed {
  readonly kind: "adjusted";
  readonly attempt: string;
  readonly became: string | undefined;
  /** What was taken, or goes back. */
  readonly amount: Money | undefined;
  /** What the processor calls money that goes back, and how far it is. */
  readonly returned: { readonly id: string; readonly status: string } | undefined;
}

/** A review ended. */
export interface ReviewedStep extends Asked {
  readonly kind: "reviewed";
  readonly approved: boolean;
  readonly parent: string;
  /** How many people said yes. */
  readonly approvers: number;
}

/** A payment came further. */
export interface PaidStep extends Placed {
  readonly kind: "paid";
  readonly subject: string;
  readonly amount: Money | undefined;
  readonly parent: string;
  readonly attempt: string;
  /** `authorized`, `declined` or `unknown`. */
  readonly payment: string | undefined;
  /** `requested` or `done`. */
  readonly release: string | undefined;
  /** What the mandate has come to. */
  readonly outcome: string | undefined;
  readonly ordered: boolean;
  /** Whether nobody was asked for money, so that the same mandate or review may be decided once more. */
  readonly reopens: boolean;
}

/** What a record says that other records can confirm or contradict. */
export type Step =
  | PublishedStep
  | RefusedStep
  | DecidedStep
  | ReviewedStep
  | PaidStep
  | AdjustedStep;
