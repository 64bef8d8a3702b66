import { protocolById } from "../protocols.js";

/** The revision without sessions, where every request says what it speaks. */
export const MCP_STATELESS_REVISION = "2026-07-28";

/**
 * Revisions of MCP a site's server speaks: the declared one, with its handshake, and the stateless
 * one.
 *
 * @example
 * MCP_REVISIONS; //=> ["2025-06-18", "2026-07-28"]
 */
export const MCP_REVISIONS: readonly string[] = Object.freeze([
  protocolById("mcp").version as string,
  MCP_STATELESS_REVISION,
]);
