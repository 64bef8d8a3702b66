import type { IncomingMessage } from "node:http";
import { parseUrl } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import { isLoopback } from "../../config/readers.js";

/** Nearly every `Host` header: a name or an IPv4 address in lower case, and perhaps a port. */
const COMMON = /^[a-z0-9._-]+(?::[1-5]?\d{1,4})?$/;

/** Whether a `Host` header names a host and nothing else. */
export function isHost(header: string | undefined): boolean {
  if (header === undefined) return false;
  if (COMMON.test(header)) return true;
  const host = hostNameOf(header);
  return host !== undefined && host === header.replace(/:\d+$/, "").toLowerCase();
}

/** The host name of a `Host` header, in lower case and without its port; undefined for anything else. */
function hostNameOf(header = ""): string | undefined {
  return /[@/?#\\]/.test(header) ? undefined : parseUrl(`http://${header}`)?.hostname;
}

/** Whether a host name always means this machine, without asking DNS. */
function isLocalName(host: string): boolean {
  return isLoopback(host.replace(/^\[(.*)\]$/, "$1")) || host.endsWith(".localhost");
}

/**
 * Whether a request was sent to this machine or to our public name. A page that reaches a service on
 * loopback through DNS rebinding sends the name of its own site.
 */
export function isOwnHost(header: string | undefined, baseUrl: string): boolean {
  const host = hostNameOf(header);
  return host !== undefined && (isLocalName(host) || host === new URL(baseUrl).hostname);
}

/**
 * Protects a service on loopback from DNS rebinding: a web page may reach it through a name that the
 * page's owner controls, or directly. On a loopback address only requests for this machine or for our
 * public name are accepted, and those for this machine only from its own pages. On other addresses MCP is
 * open to every origin.
 */
export function hostGuard({
  host,
  baseUrl,
}: Pick<Config, "host" | "baseUrl">): (request: IncomingMessage) => boolean {
  if (!isLoopback(host)) return () => true;
  const own = new URL(baseUrl).hostname;
  const isOurs = (name: string) => name === own || isLocalName(name);
  // Nearly all requests are for the same host.
  let known: string | undefined;
  return ({ headers }) => {
    if (headers.host === known && headers.origin === undefined && known !== undefined) return true;
    const name = hostNameOf(headers.host);
    if (name === undefined || !isOurs(name)) return false;
    known = headers.host;
    if (headers.origin === undefined || !isLocalName(name)) return true;
    const origin = parseUrl(headers.origin)?.hostname;
    return origin !== undefined && isOurs(origin);
  };
}
