const LOOPBACK_ADDRESS = /^(?:127(?:\.\d+){3}|\[::1\])$/;
const ADDRESS = /^(?:[\d.]+|\[.+\])$/;

/**
 * The origin at which browsers offer passkeys for a service: they bind them to a host name, and an IP address is
 * not one. An address of this machine has the name localhost. Undefined for any other IP address.
 */
export function namedOrigin(baseUrl: string): string | undefined {
  const { hostname, origin, port, protocol } = new URL(baseUrl);
  if (LOOPBACK_ADDRESS.test(hostname)) {
    return `${protocol}//localhost${port === "" ? "" : `:${port}`}`;
  }
  return ADDRESS.test(hostname) ? undefined : origin;
}

/** The host name that passkeys of a service are bound to; the IP address of a service that has no name. */
export function passkeyHost(baseUrl: string): string {
  return new URL(namedOrigin(baseUrl) ?? baseUrl).hostname;
}
