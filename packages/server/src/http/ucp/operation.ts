import type { JsonObject, Signer, UcpCapability } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import type { Site } from "../../domain/sites/site.js";
import type { Transaction } from "../../infra/db/database.js";
import type { UcpBody } from "./answer.js";
import type { Caller } from "./caller.js";

/** A call whose sender is known, and has this in common with the shop. */
export interface UcpCall {
  readonly site: Site;
  readonly caller: Caller;
  /** The resource its path names; empty where it names none. */
  readonly id: string;
  readonly body: JsonObject;
  readonly requestId: string;
  /** The address it came from, as limits name it. */
  readonly source: string;
  /** Signs the terms: got before any transaction, which must not wait for a second connection. */
  readonly signer: Signer;
}

interface Named {
  readonly method: "get" | "post" | "put";
  /** Below the address of the shop. */
  readonly path: string;
  readonly capability: UcpCapability;
  /** UCP's name of it, which is its tool's over MCP; an address besides the first has none. */
  readonly tool?: string | undefined;
  /** What was begun may be looked at and given up while the shop sells nothing. */
  readonly whileShut?: true;
  /** What ends something is done however much there is. */
  readonly ends?: true;
  /** Goes on where the site is not known to be its owner's any more: what was bought was bought. */
  readonly whilePending?: true;
  /** Whether only a platform that proves who it is may ask for it; whether an owner can waive that. */
  readonly signed?: "always" | "unless_waived";
}

/** Something a platform asks a shop for. */
interface Reading extends Named {
  read(context: Context, call: UcpCall): Promise<UcpBody>;
}

/** Something that changes: done once for each key of idempotency, in one transaction. */
interface Changing extends Named {
  /** Shows what was made or changed, as it is now. */
  look(context: Context, call: UcpCall): Promise<UcpBody>;
  change(context: Context, tx: Transaction, call: UcpCall): Promise<UcpBody>;
}

/** What a decision has come to: an answer, or something that has to be asked for before there is one. */
export interface Begun {
  readonly records: readonly RecordDraft[];
  readonly answer: UcpBody | Settling;
  /** Changes what this process remembers, once all of it is durable. */
  readonly after?: (() => void) | undefined;
}

/** Done after the decision is durable. */
interface Settling {
  settle(): Promise<UcpBody>;
}

/**
 * Something whose effect is recorded: once for each key, in one transaction with its records. What is
 * to be done outside follows, and whoever asks again meanwhile is shown how far it is.
 */
interface Deciding extends Named {
  /** Reads what is asked for, and refuses what cannot be read; what it gives back decides. */
  decide(context: Context, call: UcpCall): (tx: Transaction) => Promise<Begun>;
  look(context: Context, call: UcpCall): Promise<UcpBody>;
}

export type Operation = Reading | Changing | Deciding;
