import type { IncomingMessage, ServerResponse } from "node:http";
import type { Connection } from "../connection.js";
import { type Networks, networksOf, prefixOf } from "./networks.js";

/**
 * What a caller has shown: nothing yet, who it is, or who it is on a call that pays. What the first
 * uses up is never what the others need.
 */
export type CallerClass = "anonymous" | "proven" | "spending";

/** Why a request was turned away; what metrics count by. */
export type RefusedBy =
  | "address_rate"
  | "process_rate"
  | "site_rate"
  | "caller_rate"
  | "body_bytes"
  | "queue";

/** Whoever sent one request: where it came from, and what it has proven so far. */
export class Caller implements Connection {
  readonly address: string;
  readonly secure: boolean;
  readonly forwarded: boolean;
  readonly networks: Networks;
  /** What it waits for; whatever is held for it is given back when this closes. */
  readonly response: ServerResponse;
  /** Anonymous until something is proven. */
  provenAs: CallerClass = "anonymous";
  /** The limit that turned it away, if one did. */
  refusedBy: RefusedBy | undefined = undefined;

  constructor({ address, secure, forwarded }: Connection, response: ServerResponse) {
    this.address = address;
    this.secure = secure;
    this.forwarded = forwarded;
    this.response = response;
    this.networks = networksOf(address);
  }

  /** What totals are shared out by while nothing is proven. */
  get prefix(): string {
    return prefixOf(this.networks);
  }
}

const CALLER = Symbol("caller");

interface Admitted extends IncomingMessage {
  [CALLER]?: Caller;
}

export function setCaller(request: IncomingMessage, caller: Caller): void {
  (request as Admitted)[CALLER] = caller;
}

/** Whoever sent a request. Every request has passed admission before anything else sees it. */
export function callerOf(request: IncomingMessage): Caller {
  const caller = (request as Admitted)[CALLER];
  if (caller === undefined) throw new Error("a request that did not pass admission");
  return caller;
}
