import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type CallerClass,
  type Networks,
  networksOf,
  prefixOf,
  type Sender,
} from "../../../infra/networks.js";
import type { ClientConnection } from "../trusted-proxies.js";

/** The limits that can refuse a request, as metrics name them. */
export type RefusedBy =
  | "address_rate"
  | "process_rate"
  | "site_rate"
  | "caller_rate"
  | "body_bytes"
  | "queue";

/** The sender of one request: where it came from, and what it has proven so far. */
export class Caller implements ClientConnection, Sender {
  readonly address: string;
  readonly secure: boolean;
  readonly forwarded: boolean;
  readonly networks: Networks;
  /** Its answer; everything reserved for the request is released when this closes. */
  readonly response: ServerResponse;
  /** Anonymous until something is proven. */
  provenAs: CallerClass = "anonymous";
  /** The limit that refused it, if one did. */
  refusedBy: RefusedBy | undefined = undefined;

  constructor({ address, secure, forwarded }: ClientConnection, response: ServerResponse) {
    this.address = address;
    this.secure = secure;
    this.forwarded = forwarded;
    this.response = response;
    this.networks = networksOf(address);
  }

  /** Totals are shared out by this network while nothing is proven. */
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

/** The sender of a request. Every request passes admission before any other code sees it. */
export function callerOf(request: IncomingMessage): Caller {
  const caller = (request as Admitted)[CALLER];
  if (caller === undefined) throw new Error("a request that did not pass admission");
  return caller;
}
