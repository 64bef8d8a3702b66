import type { JsonObject, Signer, UcpCapability } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Site } from "../../owners/sites/site.js";
import type { Transaction } from "../../platform/db/database.js";
import type { UcpBody } from "./answer.js";
import type { Caller } from "./caller.js";

/** A call whose sender is known, and has this in common with the shop. */
export interface UcpCall {
  readonly site: Site;
  readonly caller: Caller;
  /** The resource its path names; empty where it names none. */
  readonly id: string;
  readonly body: JsonObject;
  /** Signs the terms: got before any transaction, which must not wait for a second connection. */
  readonly signer: Signer;
}

interface Named {
  readonly method: "get" | "post" | "put";
  /** Below the address of the shop. */
  readonly path: string;
  readonly capability: UcpCapability;
  /** What was begun may be looked at and given up while the shop sells nothing. */
  readonly whileShut?: true;
}

/** Something a platform asks a shop for. */
interface Reading extends Named {
  read(context: Context, call: UcpCall): Promise<UcpBody>;
}

/** Something that changes: done once for each key of idempotency, in one transaction. */
interface Changing extends Named {
  change(context: Context, tx: Transaction, call: UcpCall): Promise<UcpBody>;
}

export type Operation = Reading | Changing;
