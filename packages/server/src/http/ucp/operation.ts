import type { JsonObject, Signer, UcpCapability } from "@gatehouse/protocol";
import type { IdempotentRequest, IdempotentResult } from "../../actions/checkout/idempotent.js";
import type { Context } from "../../context.js";
import type { Site } from "../../domain/sites/site.js";
import type { Caller as Client } from "../server/admission/caller.js";
import type { UcpAnswer } from "./answer.js";
import type { Caller } from "./caller.js";

/** A call as its transport, REST or MCP, has read it. */
export interface ReceivedCall {
  readonly site: Site;
  readonly caller: Caller;
  /** The cart, checkout or order that it names; empty if it names none. */
  readonly id: string;
  readonly body: JsonObject;
  readonly requestId: string;
  /** The sender, as limits see it. */
  readonly client: Client;
  /** Makes a retry safe; undefined if none was sent. */
  readonly idempotencyKey: string | undefined;
  /** The path and body, which a repeated request has again. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface UcpCall extends ReceivedCall {
  /** Signs the terms. It is read before any transaction, which must not wait for a second connection. */
  readonly signer: Signer;
}

interface Named {
  /** The name in UCP, and of its tool in MCP. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT";
  /** Paths below the shop's. Replies are stored under the first. */
  readonly paths: readonly string[];
  readonly capability: UcpCapability;
  /** Whether only a platform that proves itself may call it, and whether the owner can waive that. */
  readonly proof?: "always" | "unless_waived";
  /** Works while the shop is closed, so that open checkouts can be read and cancelled. */
  readonly whileClosed?: true;
  /** Begins a purchase, so it works only while one can succeed. */
  readonly begins?: true;
  /** Works while the site is not verified, so that orders stay readable. */
  readonly whilePending?: true;
  /** Works while the storage quota is full, because it ends something. */
  readonly ends?: true;
}

interface ReadOperation extends Named {
  readonly kind: "read";
  run(context: Context, call: UcpCall): Promise<UcpAnswer>;
}

/** An operation that takes effect once for each idempotency key. */
export interface ChangeOperation extends Named {
  /** `decision`: what it changes is recorded in the audit log. */
  readonly kind: "change" | "decision";
  run(
    context: Context,
    call: UcpCall,
    request: IdempotentRequest,
  ): Promise<IdempotentResult<UcpAnswer>>;
  /** Shows the cart or checkout that a call names, as it is now. */
  show(context: Context, call: UcpCall): Promise<UcpAnswer>;
}

export type Operation = ReadOperation | ChangeOperation;
