import { isSecureUrl, parseUrl } from "@gatehouse/protocol";

/** Whether a host, with or without its port, is this machine: plain HTTP is enough there. */
export function isThisMachine(host: string): boolean {
  const url = parseUrl(`http://${host}`);
  return url !== undefined && isSecureUrl(url);
}
