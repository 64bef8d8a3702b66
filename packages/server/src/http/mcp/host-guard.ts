import type { IncomingMessage } from "node:http";
import { parseUrl } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import { isLoopback } from "../../config/readers.js";
import { hostNameOf, isLocalName } from "../server/host-header.js";

/**
 * DNS rebinding: a page of a stranger may reach a service on loopback through a name it controls,
 * or directly. On a loopback address only requests for this machine or for our public name are
 * taken, and those for this machine only from its own pages. Elsewhere MCP is open to every origin.
 */
export function hostGuard({ host, baseUrl }: Config): (request: IncomingMessage) => boolean {
  if (!isLoopback(host)) return () => true;
  const own = new URL(baseUrl).hostname;
  const isOurs = (name: string) => name === own || isLocalName(name);
  // Nearly all requests are for one and the same host.
  let known: string | undefined;
  return ({ headers }) => {
    if (headers.host === known && headers.origin === undefined && known !== undefined) return true;
    const asked = hostNameOf(headers.host);
    if (asked === undefined || !isOurs(asked)) return false;
    known = headers.host;
    if (headers.origin === undefined || !isLocalName(asked)) return true;
    const origin = parseUrl(headers.origin)?.hostname;
    return origin !== undefined && isOurs(origin);
  };
}
