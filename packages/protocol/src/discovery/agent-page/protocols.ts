import { isServed, PROTOCOLS, type Protocol } from "../../protocols.js";
import type { SiteSnapshot } from "../snapshot.js";

/** A protocol this site has an address for. */
export interface SiteProtocol {
  readonly protocol: Protocol;
  readonly url: string;
}

/** The rows of the protocols table that a reader of the page can follow up on this site. */
export function siteProtocols({ addresses }: SiteSnapshot): readonly SiteProtocol[] {
  const urls: Readonly<Record<string, string>> = {
    mcp: addresses.mcpServerCard,
    a2a: addresses.card,
    ard: addresses.catalog,
    "llms-txt": addresses.llms,
    jwks: addresses.keySet,
    acp: addresses.acp,
  };
  return PROTOCOLS.flatMap((protocol) => {
    const url = urls[protocol.id];
    return url === undefined ? [] : [{ protocol, url }];
  });
}

/** The status as the table has it, limits included; or that it is not there yet. */
export function statusText({ id, status, limitation }: Protocol): string {
  if (!isServed(id)) return "not served yet";
  const words = status.toLowerCase();
  return limitation === undefined ? words : `${words}, ${limitation}`;
}
