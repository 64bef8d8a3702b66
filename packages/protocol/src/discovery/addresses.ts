/** Every address of a site, made in this one place from the service's public address. */
export interface SiteAddresses {
  readonly card: string;
  /** The same card with A2A's own fields only. */
  readonly a2aCard: string;
  readonly catalog: string;
  /** The same catalog for readers that refuse fields they do not know. */
  readonly ard: string;
  readonly llms: string;
  readonly agentPage: string;
  readonly did: string;
  readonly acp: string;
  readonly robots: string;
  readonly mcp: string;
  readonly mcpServerCard: string;
  readonly mandate: string;
  readonly keySet: string;
  /** How anybody verifies these documents. */
  readonly verifyGuide: string;
}

/** Names a site in addresses: by its key, or by the key's hash. */
export interface SiteNames {
  readonly siteKey: string;
  readonly siteKeyHash: string;
}

/**
 * The addresses of a site below a base URL.
 *
 * @example
 * const names = { siteKey: "sk_old-shop", siteKeyHash: "A".repeat(43) };
 * siteAddresses("https://gate.example.com", names).card; //=> "https://gate.example.com/v1/agent-card/sk_old-shop.json"
 */
export function siteAddresses(baseUrl: string, { siteKey, siteKeyHash }: SiteNames): SiteAddresses {
  const v1 = `${baseUrl}/v1`;
  return Object.freeze({
    card: `${v1}/agent-card/${siteKey}.json`,
    a2aCard: `${v1}/agent-card/${siteKey}/a2a.json`,
    catalog: `${v1}/catalog/${siteKey}.json`,
    ard: `${v1}/catalog/${siteKey}/ard.json`,
    llms: `${v1}/llms/${siteKeyHash}.txt`,
    agentPage: `${v1}/agent/${siteKeyHash}`,
    did: `${v1}/did/${siteKeyHash}.json`,
    acp: `${v1}/acp/${siteKeyHash}.json`,
    robots: `${v1}/robots/${siteKeyHash}.txt`,
    mcp: `${v1}/mcp/${siteKey}`,
    mcpServerCard: `${v1}/mcp/${siteKey}/server-card`,
    mandate: `${v1}/m/${siteKey}/mandate`,
    keySet: `${baseUrl}/.well-known/jwks.json`,
    verifyGuide: `${baseUrl}/docs/guide/verify.md`,
  });
}
