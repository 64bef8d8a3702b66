import { parseUrl } from "@gatehouse/protocol";

/**
 * Where a page of the documentation is: every service serves it, so nobody needs a copy of the
 * repository. `service` is an address of one, where the command knows one.
 */
export function docsPage(path: string, service?: string): string {
  const url = service === undefined ? undefined : parseUrl(service);
  const known = url !== undefined && /^https?:$/.test(url.protocol);
  return known ? `${url.origin}/docs/${path}` : `/docs/${path} of the service`;
}
