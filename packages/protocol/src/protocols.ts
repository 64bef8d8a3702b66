/** How far a protocol is supported (the labels of the public contract). */
export type ProtocolStatus = "LIVE" | "BUILT" | "ROADMAP" | "DEFERRED" | "NOT STARTED";

/** One protocol of the field and what Gatehouse does with it. */
export interface Protocol {
  readonly id: string;
  readonly name: string;
  readonly kind: "mandate protocol" | "discovery" | "merchant endpoint" | "identity";
  readonly status: ProtocolStatus;
  /** What the status is limited to, when it is. */
  readonly limitation?: string;
  /** The version declared on the wire, where one is. */
  readonly version?: string;
  readonly scope: string;
  /** Whether a mandate may name it in `protocol_context.protocol`. */
  readonly mandates: boolean;
}

/**
 * Every protocol Gatehouse knows, with its honest status. Catalog, card, agent page, docs and the
 * refusal of mandates are all made from this table.
 *
 * @example
 * PROTOCOLS.filter((protocol) => protocol.mandates).map((protocol) => protocol.id); //=> ["mcp", "a2a", "ap2"]
 */
export const PROTOCOLS: readonly Protocol[] = Object.freeze([
  {
    id: "mcp",
    name: "MCP",
    kind: "mandate protocol",
    status: "LIVE",
    version: "2025-06-18",
    scope: "per-site server: initialize, tools/list, audited tools/call",
    mandates: true,
  },
  {
    id: "a2a",
    name: "A2A",
    kind: "mandate protocol",
    status: "LIVE",
    limitation: "agent card only",
    version: "a2a/1.2",
    scope: "signed card; task methods such as message/send are not implemented",
    mandates: true,
  },
  {
    id: "ap2",
    name: "AP2",
    kind: "mandate protocol",
    status: "LIVE",
    limitation: "boundary",
    scope:
      "signed AP2 mandates admitted; cart_total and cart_currency are shape-checked and fed to the " +
      "policy engine; full IntentMandate, CartMandate and PaymentMandate objects are not validated",
    mandates: true,
  },
  {
    id: "ard",
    name: "ARD",
    kind: "discovery",
    status: "LIVE",
    version: "1.0",
    scope: "signed catalog",
    mandates: false,
  },
  {
    id: "llms-txt",
    name: "llms.txt",
    kind: "discovery",
    status: "LIVE",
    scope: "generated per site",
    mandates: false,
  },
  {
    id: "agent-page",
    name: "HTML gateway (/agent)",
    kind: "discovery",
    status: "LIVE",
    scope: "HTML page",
    mandates: false,
  },
  {
    id: "jwks",
    name: "JWKS",
    kind: "discovery",
    status: "LIVE",
    scope: "public keys",
    mandates: false,
  },
  {
    id: "acp",
    name: "ACP (agentic checkout)",
    kind: "mandate protocol",
    status: "BUILT",
    limitation: "not enabled for sites",
    version: "2026-04-17",
    scope:
      "discovery half served through catalog and card; mandates with protocol acp are not accepted",
    mandates: false,
  },
  {
    id: "ucp",
    name: "UCP",
    kind: "merchant endpoint",
    status: "LIVE",
    limitation: "checkout and orders through one card-payment rail",
    version: "2026-08-25",
    scope: "profile, checkout, orders, webhooks",
    mandates: false,
  },
  {
    id: "web-bot-auth",
    name: "Web Bot Auth (RFC 9421)",
    kind: "identity",
    status: "LIVE",
    limitation: "on edge-worker and plugin installs only",
    scope:
      "verifies signatures that some agents attach to requests; a failed signature is shown on the " +
      "visit and does not block the agent",
    mandates: false,
  },
  {
    id: "x402",
    name: "x402",
    kind: "mandate protocol",
    status: "DEFERRED",
    scope: "mandates with protocol x402 are not accepted",
    mandates: false,
  },
]);

/**
 * Whether a mandate may name this protocol.
 *
 * @example
 * acceptsMandates("ap2"); //=> true
 * acceptsMandates("x402"); //=> false
 */
export function acceptsMandates(protocol: string): boolean {
  return PROTOCOLS.some((known) => known.id === protocol && known.mandates);
}

/**
 * The row of a protocol the table has.
 *
 * @example
 * protocolById("acp").version; //=> "2026-04-17"
 */
export function protocolById(id: string): Protocol {
  const row = PROTOCOLS.find((protocol) => protocol.id === id);
  if (row === undefined) throw new TypeError(`the protocols table has no row ${id}`);
  return row;
}
