import { Resolver as DnsResolver } from "node:dns/promises";

/** DNS as the safe client and domain verification see it. */
export interface Resolver {
  /** Every address of a host name; empty when it has none. */
  addresses(host: string): Promise<readonly string[]>;
  /** TXT records, each with its strings joined. */
  txt(name: string): Promise<readonly string[]>;
}

const QUERY_MS = 1500;
const TRIES = 2;

const NO_ANSWER = new Set(["ENODATA", "ENOTFOUND"]);

async function orNone<T>(query: Promise<T[]>): Promise<T[]> {
  try {
    return await query;
  } catch (error) {
    if (NO_ANSWER.has(String((error as { code?: unknown }).code))) return [];
    throw error;
  }
}

/** Asks name servers directly: /etc/hosts and search domains name machines of this network. */
export function dnsResolver(servers?: readonly string[]): Resolver {
  const dns = new DnsResolver({ timeout: QUERY_MS, tries: TRIES });
  if (servers !== undefined) dns.setServers([...servers]);
  return {
    async addresses(host) {
      const [v4, v6] = await Promise.all([orNone(dns.resolve4(host)), orNone(dns.resolve6(host))]);
      return [...v4, ...v6];
    },
    txt: async (name) => (await orNone(dns.resolveTxt(name))).map((parts) => parts.join("")),
  };
}
