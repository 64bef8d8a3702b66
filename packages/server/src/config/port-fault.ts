import type { Config } from "./config.js";

const HTTP_PORT = "80";

/**
 * What is wrong if the base URL has another port than the service listens on, and what to do. With HTTPS or a
 * proxy the public port may be another one. Undefined if nothing is wrong.
 */
export function portFault(
  { baseUrl, trustProxy }: Config,
  port: number,
): readonly [string, string] | undefined {
  const { protocol, port: named } = new URL(baseUrl);
  const known = named === "" ? HTTP_PORT : named;
  if (protocol !== "http:" || trustProxy.length > 0 || known === String(port)) return undefined;
  return [
    `GATEHOUSE_BASE_URL has port ${known}, but the service listens on port ${port}.`,
    "Commands and agents cannot reach it. Change GATEHOUSE_BASE_URL or GATEHOUSE_PORT.",
  ];
}
