import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import {
  headersPlace,
  type PlatformConnection,
  PRESETS,
} from "../../domain/platforms/connection.js";
import type { Platform } from "../../domain/platforms/platform.js";
import { platformByIdentity, writeConnection } from "../../domain/platforms/store.js";
import type { Secrets } from "../../infra/secrets/secrets.js";
import { readWebhookUrl } from "../webhook-url.js";
import { hostNamed, NOT_LISTED } from "./read-platforms.js";
import { headersFault } from "./webhook-headers.js";

type Webhook = PlatformConnection["webhook"];

/** An owner's changes to a connection. Absent members do not change. */
export interface ConnectionChange {
  /** Sets the formats that belong together. Members beside it count more. */
  readonly preset?: keyof typeof PRESETS | undefined;
  readonly errorCodes?: PlatformConnection["errorCodes"] | undefined;
  readonly webhook?:
    | {
        readonly url?: string | null | undefined;
        readonly headers?: Readonly<Record<string, string>> | undefined;
        readonly timestamp?: Webhook["timestamp"] | undefined;
        readonly id?: Webhook["id"] | undefined;
      }
    | undefined;
}

type ConnectionResult = Result<Platform, "not_found" | "invalid_request">;

/** An entry of the list, with how it is connected. */
export async function showConnection(
  { db }: Context,
  siteKeyHash: string,
  named: string,
): Promise<Result<Platform, "not_found">> {
  const entry = await platformByIdentity(db, siteKeyHash, hostNamed(named));
  return entry === undefined ? refuse("not_found", NOT_LISTED) : ok(entry);
}

/** Changes how a platform is connected. It applies to its next call, and to the next webhook. */
export async function setConnection(
  context: Context,
  siteKeyHash: string,
  named: string,
  change: ConnectionChange,
  actor: Actor,
): Promise<ConnectionResult> {
  const fault = headersFault(change.webhook?.headers ?? {});
  if (fault !== undefined) return refuse("invalid_request", fault);
  const wanted = change.webhook?.url;
  const url =
    typeof wanted === "string" ? await readWebhookUrl(context, wanted, "webhook.url") : ok(wanted);
  if (!url.ok) return url;
  const { audit, clock, secrets } = context;
  const identity = hostNamed(named);
  const { answer } = await audit.commit<ConnectionResult>(siteKeyHash, async (tx) => {
    const before = await platformByIdentity(tx, siteKeyHash, identity);
    if (before === undefined || before.status === "seen") {
      return { records: [], answer: refuse("not_found", NOT_LISTED) };
    }
    const now = clock.now();
    const connection = changed(secrets, before, { ...change, url: url.value });
    if (connection.webhook.url === null && connection.webhook.headerNames.length > 0) {
      const needed =
        "webhook.headers: requires webhook.url, because headers are only sent to that address.";
      return { records: [], answer: refuse("invalid_request", needed) };
    }
    const after: Platform = { ...before, connection, changedBy: actor.id, changedAt: now };
    await writeConnection(tx, after);
    const record = actorDraft("site.changed", actor, now, { change: recorded(after) });
    return { records: [record], answer: ok(after) };
  });
  return answer;
}

function changed(
  secrets: Secrets,
  { siteKeyHash, identity, connection: before }: Platform,
  { preset, errorCodes, webhook = {}, url }: ConnectionChange & { url: string | null | undefined },
): PlatformConnection {
  const formats =
    preset === undefined ? { ...before.webhook, errorCodes: before.errorCodes } : PRESETS[preset];
  // Headers may hold a secret of the old address, so another address begins without them.
  const isMoved = url !== undefined && url !== before.webhook.url;
  const headers = webhook.headers ?? (isMoved ? {} : undefined);
  const sealed =
    headers === undefined || Object.keys(headers).length === 0
      ? null
      : secrets.seal(headersPlace(siteKeyHash, identity), JSON.stringify(lowerCase(headers)));
  return {
    errorCodes: errorCodes ?? formats.errorCodes,
    webhook: {
      url: url === undefined ? before.webhook.url : url,
      headerNames: headers === undefined ? before.webhook.headerNames : namesOf(headers),
      sealedHeaders: headers === undefined ? before.webhook.sealedHeaders : sealed,
      timestamp: webhook.timestamp ?? formats.timestamp,
      id: webhook.id ?? formats.id,
    },
  };
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
const namesOf = (headers: Readonly<Record<string, string>>) =>
  Object.keys(lowerCase(headers)).sort();

/** Values of headers, and paths and queries, may be secrets, so the log has neither. */
function recorded({ identity, connection: { errorCodes, webhook } }: Platform) {
  return {
    kind: "platform_connection_set",
    platform: identity,
    error_codes: errorCodes,
    webhook_host: webhook.url === null ? null : new URL(webhook.url).host,
    webhook_headers: [...webhook.headerNames],
    webhook_timestamp: webhook.timestamp,
    webhook_id: webhook.id,
  };
}
