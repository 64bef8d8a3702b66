import { parseUrl } from "@gatehouse/protocol";
import { isLoopback } from "../../config/readers.js";

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
