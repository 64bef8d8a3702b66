import dns from "node:dns";

const BELOW_LOCALHOST = /(?:^|\.)localhost$/i;
let reached = false;

/**
 * Names below `localhost` are this machine (RFC 6761 section 6.3), as they are for browsers and for the
 * service; many systems do not know them, and Node asks the system. Every request of Node looks names
 * up here.
 */
export function reachLocalNames(): void {
  if (reached) return;
  reached = true;
  const { lookup } = dns;
  const local = (name: string, ...rest: never[]) =>
    Reflect.apply(lookup, dns, [BELOW_LOCALHOST.test(name) ? "localhost" : name, ...rest]);
  dns.lookup = Object.assign(local, lookup) as typeof dns.lookup;
}
