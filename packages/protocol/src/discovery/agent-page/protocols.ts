import { PROTOCOLS, type Protocol } from "../../protocols.js";
import type { SiteSnapshot } from "../snapshot.js";

/** A protocol this site has an address for. */
export interface SiteProtocol {
  readonly protocol: Protocol;
  readonly url: string;
}

/** The rows of the protocols table that a reader of the page can follow up on this site. */
export function siteProtocols({ addresses, sells }: SiteSnapshot): readonly SiteProtocol[] {
  const urls: Readonly<Record<string, string>> = {
    mcp: addresses.mcpServerCard,
    a2a: addresses.card,
    ap2: addresses.mandateGuide,
    ard: addresses.catalog,
    "llms-txt": addresses.llms,
    jwks: addresses.keySet,
    acp: addresses.acp,
    "web-bot-auth": addresses.installGuide,
    ...(sells ? { ucp: addresses.ucpProfile } : {}),
  };
  return PROTOCOLS.flatMap((protocol) => {
    const url = urls[protocol.id];
    return url === undefined ? [] : [{ protocol, url }];
  });
}

/** The status as the table has it, limits included. */
export function statusText({ status, limitation }: Protocol): string {
  const words = status.toLowerCase();
  return limitation === undefined ? words : `${words}, ${limitation}`;
}
