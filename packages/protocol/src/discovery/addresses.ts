/**
 * Every path of a site, in this one place: addresses and routes are made from it. `{site_key}` takes
 * the key or its hash (the mandate endpoint the key only), `{site_key_hash}` the hash only.
 */
export const SITE_PATHS = Object.freeze({
  card: "/v1/agent-card/{site_key}.json",
  /** The same card with A2A's own fields only. */
  a2aCard: "/v1/agent-card/{site_key}/a2a.json",
  catalog: "/v1/catalog/{site_key}.json",
  /** The same catalog for readers that refuse fields they do not know. */
  ard: "/v1/catalog/{site_key}/ard.json",
  llms: "/v1/llms/{site_key_hash}.txt",
  agentPage: "/v1/agent/{site_key_hash}",
  /** What an agent should know before it acts, in one Markdown file. */
  agentsMd: "/v1/agents/{site_key_hash}.md",
  did: "/v1/did/{site_key_hash}.json",
  acp: "/v1/acp/{site_key_hash}.json",
  robots: "/v1/robots/{site_key_hash}.txt",
  mcp: "/v1/mcp/{site_key}",
  mcpServerCard: "/v1/mcp/{site_key}/server-card",
  mandate: "/v1/m/{site_key}/mandate",
  /** Where an agent asks for the challenge that its registration answers. */
  registration: "/v1/m/{site_key}/agents/challenge",
  /** Where platforms call the shop: UCP appends its own paths. */
  ucp: "/v1/ucp/{site_key_hash}",
  ucpProfile: "/v1/ucp/{site_key_hash}/profile",
  /** The same in one version of UCP each. */
  ucpProfileAugust: "/v1/ucp/{site_key_hash}/profile/2026-08-25",
  ucpProfileApril: "/v1/ucp/{site_key_hash}/profile/2026-04-08",
  terms: "/v1/ucp/{site_key_hash}/terms",
  /** All products, for those who read a file rather than call a tool. */
  googleFeed: "/v1/feeds/{site_key_hash}/google.xml",
  acpFeed: "/v1/feeds/{site_key_hash}/acp.jsonl",
});

/** Below it is every picture that an owner uploaded, by site and content. */
export const PICTURES_PATH = "/v1/pictures";

/**
 * Where everybody can read an uploaded picture. The address never means another one.
 *
 * @example
 * pictureUrl("https://gate.example.com", "A".repeat(43), "B".repeat(43)).length; //=> 124
 */
export function pictureUrl(baseUrl: string, siteKeyHash: string, digest: string): string {
  return `${baseUrl}${PICTURES_PATH}/${siteKeyHash}/${digest}`;
}

/**
 * Whether pages show the picture at an address: it is encrypted, or the service itself serves it, also
 * while somebody tries the service without TLS.
 *
 * @example
 * showsPicture("http://localhost:8080", "http://shop.example.com/rose.png"); //=> false
 */
export function showsPicture(baseUrl: string, url: string | null | undefined): url is string {
  if (url == null) return false;
  return url.startsWith("https://") || url.startsWith(`${baseUrl}${PICTURES_PATH}/`);
}

/** Where the service itself publishes what belongs to no site. */
const SERVICE_PATHS = Object.freeze({
  keySet: "/.well-known/jwks.json",
  /** How anybody verifies these documents. */
  verifyGuide: "/docs/guide/verify.md",
  registrationGuide: "/docs/guide/agent-developer.md",
  mandateGuide: "/docs/guide/mandates.md",
  ucpGuide: "/docs/guide/ucp.md",
  installGuide: "/docs/guide/install.md",
});

/** Every address of a site. */
export type SiteAddresses = Readonly<
  Record<keyof typeof SITE_PATHS | keyof typeof SERVICE_PATHS, string>
>;

/** Names a site in addresses: by its key, or by the key's hash. */
export interface SiteNames {
  readonly siteKey: string;
  readonly siteKeyHash: string;
}

const TEMPLATES = Object.entries({ ...SITE_PATHS, ...SERVICE_PATHS });

/**
 * The addresses of a site below a base URL.
 *
 * @example
 * const names = { siteKey: "sk_old-shop", siteKeyHash: "A".repeat(43) };
 * siteAddresses("https://gate.example.com", names).card; //=> "https://gate.example.com/v1/agent-card/sk_old-shop.json"
 */
export function siteAddresses(baseUrl: string, { siteKey, siteKeyHash }: SiteNames): SiteAddresses {
  const addresses: Record<string, string> = {};
  for (const [name, path] of TEMPLATES) {
    const filled = path.replace("{site_key}", siteKey).replace("{site_key_hash}", siteKeyHash);
    addresses[name] = baseUrl + filled;
  }
  return Object.freeze(addresses) as SiteAddresses;
}
