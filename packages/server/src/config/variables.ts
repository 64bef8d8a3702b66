export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** An environment variable, as `serve --help` and the reference page show it. */
export interface Variable {
  readonly name: string;
  readonly group: "basics" | "network" | "secrets" | "mail" | "people" | "development" | "limits";
  readonly fallback?: string;
  readonly help: string;
  /** Secrets are never printed, not even by `doctor`. */
  readonly secret?: true;
  /** The part of the product that will read it, if that part is not built yet. */
  readonly awaits?: string;
}

export const PREFIX = "GATEHOUSE_";
const LIMIT_MAX = 1_000_000;

interface Limit {
  readonly fallback: number;
  readonly help: string;
  /** The highest value, if that is not {@link LIMIT_MAX}. */
  readonly max?: number;
  readonly awaits?: string;
}

/** The highest value of a limit for bytes in memory. */
const MEMORY_BYTES_MAX = 512 * 1024 * 1024;
/** The same for bytes in the database. */
const STORED_BYTES_MAX = 1024 * 1024 * 1024 * 1024;

/**
 * Every limit that can be set, by the name of its variable without the prefix. Help, reference and
 * configuration are made from this table. A limit by address applies to an IPv4 address or a
 * /64 of IPv6; a /56 may do 4 times as much, a /48 8 times.
 */
const LIMITS = {
  REQUESTS_PER_ADDRESS_PER_MINUTE: {
    fallback: 6000,
    help: "requests of any kind from one address, including documents",
  },
  UNPROVEN_REQUESTS_PER_MINUTE: {
    fallback: 120_000,
    help: "expensive requests of all anonymous callers together; divided fairly between them",
  },
  ANONYMOUS_WORK: {
    fallback: 32,
    help: "tool calls and shop requests of anonymous callers handled at the same time; others wait",
  },
  CONNECTIONS: { fallback: 10_000, help: "open connections" },
  CONNECTIONS_PER_ADDRESS: {
    fallback: 512,
    help: "open connections from one address; trusted proxies are not limited",
  },
  BODY_BYTES: {
    fallback: 33_554_432,
    max: MEMORY_BYTES_MAX,
    help: "bytes of request bodies of anonymous callers in memory at the same time; authenticated callers have the same limit again",
  },
  BODY_BYTES_PER_ADDRESS: {
    fallback: 2_097_152,
    max: MEMORY_BYTES_MAX,
    help: "bytes of request bodies from one address in memory at the same time",
  },
  MANDATES_PER_SITE_PER_MINUTE: {
    fallback: 120,
    help: "mandates that one site accepts; the last sixth is for agents that sent only a few",
  },
  MANDATES_PER_AGENT_PER_MINUTE: {
    fallback: 60,
    help: "mandates that one agent can send to a site",
  },
  MCP_CALLS_PER_SESSION_PER_MINUTE: {
    fallback: 60,
    help: "tool calls of one MCP session (burst 20)",
  },
  MCP_CALLS_PER_ADDRESS_PER_MINUTE: {
    fallback: 120,
    help: "tool calls from one address to a site",
  },
  MCP_CALLS_PER_SITE_PER_MINUTE: {
    fallback: 600,
    help: "tool calls without a valid mandate that one site accepts; divided fairly between callers",
  },
  MCP_RECORD_KB_PER_SITE_PER_DAY: {
    fallback: 65_536,
    help: "kilobytes of records that tool calls without a mandate can add to one site's log in a UTC day",
  },
  MCP_SESSIONS_PER_ADDRESS_PER_MINUTE: {
    fallback: 30,
    help: "MCP sessions that one address can open",
  },
  SOURCE_REQUESTS_PER_MINUTE: {
    fallback: 600,
    help: "expensive requests from one address: MCP, UCP, beacons, mandates",
  },
  BEACONS_PER_SITE_PER_MINUTE: {
    fallback: 6000,
    help: "visits that one site accepts from its pages, and the same number from its edge",
  },
  REGISTRATIONS_PER_ADDRESS_PER_HOUR: {
    fallback: 10,
    help: "agent registrations from one address",
  },
  PROFILE_FETCHES_PER_SOURCE_PER_MINUTE: {
    fallback: 30,
    help: "platform profiles fetched on behalf of one address",
  },
  SHOP_CHANGES_PER_SITE_PER_MINUTE: {
    fallback: 3000,
    help: "changes to carts and checkouts at one site by unsigned callers; signed callers and completions each have the same limit",
  },
  SHOP_READS_PER_SITE_PER_MINUTE: {
    fallback: 6000,
    help: "searches and reads of one shop by unsigned callers; signed callers have the same limit",
  },
  BEACON_VISITS_KEPT_PER_SITE: {
    fallback: 250_000,
    help: "stored visits that one site's pages reported; the oldest are deleted first",
  },
  EDGE_VISITS_KEPT_PER_SITE: {
    fallback: 500_000,
    help: "stored visits that one site's edge reported; the oldest are deleted first",
  },
  UNSIGNED_STORED_BYTES_PER_SITE: {
    fallback: 67_108_864,
    max: STORED_BYTES_MAX,
    help: "bytes of carts, checkouts and replies that one site stores for unsigned callers",
  },
  SIGNED_STORED_BYTES_PER_SITE: {
    fallback: 268_435_456,
    max: STORED_BYTES_MAX,
    help: "bytes of carts, checkouts and replies that one site stores for signed platforms",
  },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as readonly LimitName[];

/** The highest value of a limit. */
export function limitMax(name: LimitName): number {
  const limit: Limit = LIMITS[name];
  return limit.max ?? LIMIT_MAX;
}

/** All settings, in the order in which they are shown. Nothing else reads the environment. */
export const VARIABLES: readonly Variable[] = [
  {
    name: "GATEHOUSE_MODE",
    group: "basics",
    fallback: "production",
    help: "production, or development (plain HTTP, only on this machine)",
  },
  {
    name: "GATEHOUSE_BASE_URL",
    group: "basics",
    help: "public address of this service, as agents see it; default: made from host and port",
  },
  { name: "GATEHOUSE_HOST", group: "basics", fallback: "127.0.0.1", help: "address to listen on" },
  { name: "GATEHOUSE_PORT", group: "basics", fallback: "8787", help: "port to listen on" },
  {
    name: "GATEHOUSE_DATA_DIR",
    group: "basics",
    fallback: "./data",
    help: "folder for the database, the secrets key and the operator token",
  },
  {
    name: "GATEHOUSE_DATABASE_URL",
    group: "basics",
    help: "postgres://… for several nodes; default: SQLite in the data folder",
    secret: true,
  },
  {
    name: "GATEHOUSE_AUDIT_KEEP_DAYS",
    group: "basics",
    fallback: "0",
    help: "how many past days of the audit log stay in the database; older days are archived; 0: all days stay",
  },
  {
    name: "GATEHOUSE_AUDIT_ARCHIVE_DIR",
    group: "basics",
    help: "folder for archived days, the same for every node; default: audit-archive in the data folder",
  },
  {
    name: "GATEHOUSE_LOG",
    group: "basics",
    fallback: "info",
    help: `log level: ${LOG_LEVELS.join(", ")}; default on a terminal: warn`,
  },
  {
    name: "GATEHOUSE_TLS_CERT",
    group: "network",
    help: "certificate chain file (PEM); together with GATEHOUSE_TLS_KEY, the service itself uses HTTPS",
  },
  {
    name: "GATEHOUSE_TLS_KEY",
    group: "network",
    help: "private key file (PEM) of the certificate",
  },
  {
    name: "GATEHOUSE_TLS_MIN",
    group: "network",
    fallback: "1.3",
    help: "oldest TLS version that the service accepts: 1.3, or 1.2 for old clients",
  },
  {
    name: "GATEHOUSE_SECURITY_CONTACT",
    group: "network",
    help: "mailto: or https: address in security.txt; default: security@ the host of the base URL",
  },
  {
    name: "GATEHOUSE_TRUST_PROXY",
    group: "network",
    help: "addresses or CIDR blocks of proxies whose X-Forwarded-* headers are trusted",
  },
  {
    name: "GATEHOUSE_ADMIN_TOKEN",
    group: "secrets",
    help: "operator token, at least 32 characters; default: created at the first start, in the data folder",
    secret: true,
  },
  {
    name: "GATEHOUSE_SECRETS_KEY",
    group: "secrets",
    help: "32 bytes in base64url that encrypt stored secrets; default: created at the first start",
    secret: true,
  },
  {
    name: "GATEHOUSE_SECRETS_KEY_FILE",
    group: "secrets",
    help: "file with the secrets key, instead of GATEHOUSE_SECRETS_KEY",
  },
  {
    name: "GATEHOUSE_KEY_ALIASES",
    group: "secrets",
    help: "old ids of signing keys that stay listed, comma-separated: old-id=key-id@2027-01-31",
  },
  {
    name: "GATEHOUSE_SMTP_URL",
    group: "mail",
    help: "mail server for email notifications: smtps://user:password@host, or smtp:// (port 587); default: no email",
    secret: true,
  },
  {
    name: "GATEHOUSE_MAIL_FROM",
    group: "mail",
    help: "sender of notifications: gate@example.com, or Gatehouse <gate@example.com>",
  },
  {
    name: "GATEHOUSE_OIDC_ISSUER",
    group: "people",
    help: "address of your company's sign-in service (OpenID Connect), such as https://login.example.com",
  },
  {
    name: "GATEHOUSE_OIDC_CLIENT_ID",
    group: "people",
    help: "id of this installation at the sign-in service",
  },
  {
    name: "GATEHOUSE_OIDC_CLIENT_SECRET",
    group: "people",
    help: "secret of this installation at the sign-in service",
    secret: true,
  },
  {
    name: "GATEHOUSE_OIDC_NAME",
    group: "people",
    help: "what the button of the sign-in page calls it",
    fallback: "your company account",
  },
  {
    name: "GATEHOUSE_FETCH_ALLOW",
    group: "development",
    help: "development only: hosts (with or without port, comma-separated) that the service can call over plain HTTP or on this machine",
  },
  {
    name: "GATEHOUSE_STRIPE_API_BASE",
    group: "development",
    help: "development only: address of a Stripe simulator",
  },
  ...Object.entries<Limit>(LIMITS).map(([name, { fallback, help, max: _max, ...rest }]) => ({
    name: PREFIX + name,
    group: "limits" as const,
    fallback: String(fallback),
    help: `limit: ${help}`,
    ...rest,
  })),
];
