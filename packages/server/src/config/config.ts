import { join } from "node:path";
import type { KeyAlias } from "../infra/keys/store.js";
import type { MailSettings } from "../infra/mail/mailer.js";
import type { OidcSettings } from "../infra/oidc.js";
import type { TelemetrySettings } from "../infra/telemetry/telemetry.js";
import { StartupError } from "../startup-error.js";
import { mailSender, mailServer } from "./mail-readers.js";
import * as read from "./readers.js";
import { readTelemetry } from "./telemetry.js";
import type { LogLevel } from "./variables.js";
import { LIMIT_NAMES, type LimitName, limitMax, PREFIX, VARIABLES } from "./variables.js";

/** TLS settings: the certificate's files, and the oldest version that is accepted. */
export interface TlsSettings {
  readonly certFile: string;
  readonly keyFile: string;
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
}

/** The settings of an installation, checked once and frozen. */
export interface Config {
  readonly mode: "production" | "development";
  /** Origin without a trailing slash. */
  readonly baseUrl: string;
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** Closed days of the audit log that stay in the database; undefined: all. */
  readonly auditKeepDays: number | undefined;
  /** Where archived days are. */
  readonly archiveDir: string;
  readonly logLevel: LogLevel;
  readonly tls: TlsSettings | undefined;
  readonly trustProxy: readonly string[];
  readonly adminToken: string | undefined;
  readonly secretsKey:
    | { readonly kind: "value"; readonly value: string }
    | { readonly kind: "file"; readonly path: string }
    | undefined;
  readonly keyAliases: readonly KeyAlias[];
  /** The contact in security.txt. */
  readonly securityContact: string;
  /** Absent: this installation sends no mail. */
  readonly mail: MailSettings | undefined;
  /** Absent: people sign in by passkey and link alone. */
  readonly oidc: OidcSettings | undefined;
  readonly limits: Readonly<Record<LimitName, number>>;
  /** `host` or `host:port` entries; empty outside development. */
  readonly fetchAllow: readonly string[];
  /** The address of a Stripe simulator; undefined outside development. */
  readonly stripeApiBase: string | undefined;
  /** Undefined: no traces and no metrics are sent. */
  readonly telemetry: TelemetrySettings | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const FALLBACKS = new Map(VARIABLES.map(({ name, fallback }) => [name, fallback]));

/** The value of a variable; an empty one counts as absent, as in compose files. */
function setting(env: Environment, name: string): string | undefined {
  const value = env[PREFIX + name]?.trim();
  return value === undefined || value === "" ? FALLBACKS.get(PREFIX + name) : value;
}

/** What Kubernetes adds to every pod when a service is called gatehouse. */
const FROM_KUBERNETES = /^GATEHOUSE_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP))/;

/** Settings of a site's worker or plugin, which may be in the same file or shell. */
const OF_THE_EDGE = /^GATEHOUSE_(?:SITE|URL|SITE_KEY_HASH|EDGE_TOKEN|EXCEPT|VISITS|KEYS_ALLOW)$/;

/** A misspelt variable must not be ignored silently, because it may be meant to protect something. */
function refuseUnknown(env: Environment): void {
  const known = VARIABLES.map(({ name }) => name);
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || known.includes(name)) continue;
    if (FROM_KUBERNETES.test(name) || OF_THE_EDGE.test(name)) continue;
    const near = read.nearest(name, known);
    throw new StartupError(
      `${name} is not a setting of Gatehouse${near === undefined ? "" : `; did you mean ${near}?`} ` +
        "Run `gatehouse serve --help` for the list.",
    );
  }
}

function readTls(env: Environment): Config["tls"] {
  const certFile = setting(env, "TLS_CERT");
  const keyFile = setting(env, "TLS_KEY");
  const oldest = read.oneOf("GATEHOUSE_TLS_MIN", setting(env, "TLS_MIN"), ["1.2", "1.3"]);
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw new StartupError("Set GATEHOUSE_TLS_CERT and GATEHOUSE_TLS_KEY together, or neither.");
  }
  return { certFile, keyFile, minVersion: `TLSv${oldest}` };
}

function readSecretsKey(env: Environment): Config["secretsKey"] {
  const value = setting(env, "SECRETS_KEY");
  const file = setting(env, "SECRETS_KEY_FILE");
  if (value !== undefined && file !== undefined) {
    throw new StartupError("Set GATEHOUSE_SECRETS_KEY or GATEHOUSE_SECRETS_KEY_FILE, not both.");
  }
  if (value !== undefined) {
    return { kind: "value", value: read.secretsKey("GATEHOUSE_SECRETS_KEY", value) };
  }
  return file === undefined ? undefined : { kind: "file", path: file };
}

function readMail(env: Environment): Config["mail"] {
  const server = setting(env, "SMTP_URL");
  const from = setting(env, "MAIL_FROM");
  if (server === undefined && from === undefined) return undefined;
  if (server === undefined || from === undefined) {
    throw new StartupError("Set GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM together, or neither.");
  }
  const sender = mailSender("GATEHOUSE_MAIL_FROM", from);
  return { server: mailServer("GATEHOUSE_SMTP_URL", server), from: sender };
}

function readOidc(env: Environment, mode: Config["mode"]): Config["oidc"] {
  const issuer = setting(env, "OIDC_ISSUER");
  const clientId = setting(env, "OIDC_CLIENT_ID");
  const clientSecret = setting(env, "OIDC_CLIENT_SECRET");
  const given = [issuer, clientId, clientSecret].filter((value) => value !== undefined);
  if (given.length === 0) return undefined;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    throw new StartupError(
      "Set GATEHOUSE_OIDC_ISSUER, GATEHOUSE_OIDC_CLIENT_ID and GATEHOUSE_OIDC_CLIENT_SECRET together, or none.",
    );
  }
  const name = setting(env, "OIDC_NAME") ?? "your company account";
  return {
    issuer: read.issuer("GATEHOUSE_OIDC_ISSUER", issuer, mode),
    clientId,
    clientSecret,
    name,
  };
}

/** Ten years. */
const KEEP_DAYS_MAX = 3650;

function readArchive(env: Environment, dataDir: string) {
  const name = "GATEHOUSE_AUDIT_KEEP_DAYS";
  const days = read.integer(name, setting(env, "AUDIT_KEEP_DAYS"), { min: 0, max: KEEP_DAYS_MAX });
  const folder = setting(env, "AUDIT_ARCHIVE_DIR") ?? join(dataDir, "audit-archive");
  return {
    auditKeepDays: days === 0 ? undefined : days,
    archiveDir: read.path("GATEHOUSE_AUDIT_ARCHIVE_DIR", folder),
  };
}

function refuseOutsideDevelopment(env: Environment, mode: Config["mode"]): void {
  if (mode === "development") return;
  for (const name of ["FETCH_ALLOW", "STRIPE_API_BASE"]) {
    if (setting(env, name) === undefined) continue;
    throw new StartupError(
      `GATEHOUSE_${name} works only in development. Remove it, or set GATEHOUSE_MODE=development.`,
    );
  }
}

function readLimits(env: Environment): Config["limits"] {
  const entries = LIMIT_NAMES.map((name) => [
    name,
    read.limit(PREFIX + name, setting(env, name), limitMax(name)),
  ]);
  return Object.freeze(Object.fromEntries(entries));
}

/** Reads the configuration from the environment. An error says which variable to fix, and how. */
export function readConfig(env: Environment): Config {
  refuseUnknown(env);
  const mode = read.oneOf("GATEHOUSE_MODE", setting(env, "MODE"), ["production", "development"]);
  refuseOutsideDevelopment(env, mode);
  const host = read.host("GATEHOUSE_HOST", setting(env, "HOST"));
  const port = read.integer("GATEHOUSE_PORT", setting(env, "PORT"), { min: 0, max: 65_535 });
  const tls = readTls(env);
  if (mode === "development" && tls === undefined && !read.isLoopback(host)) {
    throw new StartupError(
      `Development mode without TLS listens only on this machine. Set GATEHOUSE_HOST=127.0.0.1 instead ` +
        `of ${host}, or set GATEHOUSE_TLS_CERT and GATEHOUSE_TLS_KEY.`,
    );
  }
  const scheme = mode === "development" && tls === undefined ? "http" : "https";
  const ownUrl = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const baseUrl = read.baseUrl("GATEHOUSE_BASE_URL", setting(env, "BASE_URL") ?? ownUrl, mode);
  const dataDir = read.path("GATEHOUSE_DATA_DIR", setting(env, "DATA_DIR"));
  const contact = setting(env, "SECURITY_CONTACT");
  return Object.freeze({
    mode,
    baseUrl,
    host,
    port,
    dataDir,
    ...readArchive(env, dataDir),
    databaseUrl: read.databaseUrl("GATEHOUSE_DATABASE_URL", setting(env, "DATABASE_URL")),
    logLevel: read.logLevel("GATEHOUSE_LOG", setting(env, "LOG")),
    tls,
    trustProxy: read.networks("GATEHOUSE_TRUST_PROXY", setting(env, "TRUST_PROXY")),
    adminToken: read.adminToken("GATEHOUSE_ADMIN_TOKEN", setting(env, "ADMIN_TOKEN")),
    secretsKey: readSecretsKey(env),
    keyAliases: read.keyAliases("GATEHOUSE_KEY_ALIASES", setting(env, "KEY_ALIASES")),
    securityContact: read.contact("GATEHOUSE_SECURITY_CONTACT", contact, baseUrl),
    mail: readMail(env),
    oidc: readOidc(env, mode),
    limits: readLimits(env),
    fetchAllow: read.hosts("GATEHOUSE_FETCH_ALLOW", setting(env, "FETCH_ALLOW")),
    stripeApiBase: read.origin("GATEHOUSE_STRIPE_API_BASE", setting(env, "STRIPE_API_BASE")),
    telemetry: readTelemetry(env),
  });
}
