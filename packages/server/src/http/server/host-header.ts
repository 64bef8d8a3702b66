import { parseUrl } from "@gatehouse/protocol";
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
export function hostNameOf(header = ""): string | undefined {
  return /[@/?#\\]/.test(header) ? undefined : parseUrl(`http://${header}`)?.hostname;
}

/** Whether a host name always means this machine, without asking DNS. */
export function isLocalName(host: string): boolean {
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
