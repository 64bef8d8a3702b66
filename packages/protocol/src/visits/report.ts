import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { parseUrl } from "../url.js";
import { readPage, readTime, readUserAgent, type VisitedPage } from "./fields.js";

/** Visits one report may hold. */
export const REPORT_VISITS_MAX = 100;
const KEY_ID_CHARS_MAX = 128;
const AGENT_URL_CHARS_MAX = 2048;
const REASON_CHARS_MAX = 64;
const REASON = /^[a-z_]{1,64}$/;

/** What a signature on a page request can be worth. */
export const SIGNATURE_OUTCOMES = Object.freeze(["verified", "invalid", "unverified"] as const);

/** What an edge found a signature to be worth. */
export interface ReportedSignature {
  readonly outcome: (typeof SIGNATURE_OUTCOMES)[number];
  /** Why it is not verified, in a word. */
  readonly reason: string | null;
  readonly keyId: string | null;
  /** Where the agent's keys stand, which is who it is. */
  readonly agentUrl: string | null;
}

/** A visit as the edge worker or the plugin tells of it. */
export interface ReportedVisit {
  /** Milliseconds. */
  readonly observedAt: number;
  readonly userAgent: string;
  readonly page: VisitedPage | undefined;
  readonly signature: ReportedSignature | undefined;
}

/** What a stranger wrote, cut to what a report may hold: one of them must not spoil the rest. */
function signatureBody({ outcome, reason, keyId, agentUrl }: ReportedSignature): JsonObject {
  const word = reason
    ?.toLowerCase()
    .replace(/[^a-z_]+/g, "_")
    .slice(0, REASON_CHARS_MAX);
  return {
    outcome,
    reason: word === undefined || word === "" ? null : word,
    key_id: keyId?.replace(/[^ -~]/g, "?").slice(0, KEY_ID_CHARS_MAX) ?? null,
    agent_url: agentUrl,
  };
}

function visitBody({ observedAt, userAgent, page, signature }: ReportedVisit): JsonObject {
  return {
    observed_at: new Date(observedAt).toISOString(),
    user_agent: readUserAgent(userAgent),
    ...(page === undefined ? {} : { page_url: page.url }),
    ...(signature === undefined ? {} : { signature: signatureBody(signature) }),
  };
}

/**
 * The body an edge sends. {@link readVisitReport} takes it whatever the visits hold: one that it would
 * refuse all the same is left out, rather than to lose the others with it.
 *
 * @example
 * const visit = { observedAt: 0, userAgent: "curl/8", page: undefined, signature: undefined };
 * visitReport([visit]).visits[0].observed_at; //=> "1970-01-01T00:00:00.000Z"
 */
export function visitReport(visits: readonly ReportedVisit[]): { readonly visits: JsonObject[] } {
  return { visits: visits.map(visitBody).filter((body) => readVisit(body).ok) };
}

/** A text of at most so many characters, or none; undefined for anything else. */
function textOrNull(value: JsonValue | undefined, charsMax: number): string | null | undefined {
  if (value === undefined || value === null) return null;
  return typeof value === "string" && value.length <= charsMax ? value : undefined;
}

function readSignature(
  value: JsonValue | undefined,
): Result<ReportedSignature | undefined, "invalid"> {
  if (value === undefined || value === null) return ok(undefined);
  if (!isJsonObject(value)) return refuse("invalid", "`signature` must be an object");
  const outcome = SIGNATURE_OUTCOMES.find((one) => one === value.outcome);
  const keyId = textOrNull(value.key_id, KEY_ID_CHARS_MAX);
  const agentUrl = textOrNull(value.agent_url, AGENT_URL_CHARS_MAX);
  const reason = textOrNull(value.reason, REASON_CHARS_MAX);
  if (outcome === undefined) {
    return refuse("invalid", "`signature.outcome` must be verified, invalid or unverified");
  }
  if (keyId === undefined || reason === undefined || (reason !== null && !REASON.test(reason))) {
    return refuse("invalid", "`signature.key_id` or `signature.reason` is not valid");
  }
  if (agentUrl === undefined || (agentUrl !== null && parseUrl(agentUrl)?.protocol !== "https:")) {
    return refuse("invalid", "`signature.agent_url` must be an https address");
  }
  // Verified is always somebody, by some key.
  if (outcome === "verified" && (agentUrl === null || keyId === null)) {
    return refuse("invalid", "a verified signature names its `agent_url` and `key_id`");
  }
  return ok(Object.freeze({ outcome, reason, keyId, agentUrl }));
}

function readVisit(value: JsonValue): Result<ReportedVisit, "invalid"> {
  if (!isJsonObject(value)) return refuse("invalid", "it must be an object");
  const observedAt = readTime(value.observed_at);
  if (Number.isNaN(observedAt)) {
    return refuse("invalid", "`observed_at` must be an ISO-8601 UTC time");
  }
  const page = readPage(value.page_url, "page_url");
  if (!page.ok) return page;
  const signature = readSignature(value.signature);
  if (!signature.ok) return signature;
  const userAgent = readUserAgent(value.user_agent);
  const visit = { observedAt, userAgent, page: page.value, signature: signature.value };
  return ok(Object.freeze(visit));
}

/**
 * Reads what an edge reports. One bad visit refuses the whole: an edge that sends one is broken, and
 * its owner should hear of it.
 *
 * @example
 * readVisitReport({ visits: [{ observed_at: "2030-05-17T12:00:00Z" }] }).value.length; //=> 1
 * readVisitReport({ visits: [] }).ok; //=> false
 */
export function readVisitReport(body: JsonValue): Result<readonly ReportedVisit[], "invalid"> {
  const visits = isJsonObject(body) ? body.visits : undefined;
  if (!Array.isArray(visits) || visits.length === 0 || visits.length > REPORT_VISITS_MAX) {
    return refuse("invalid", `\`visits\` must list 1 to ${REPORT_VISITS_MAX} visits`);
  }
  const read: ReportedVisit[] = [];
  for (const [index, value] of visits.entries()) {
    const visit = readVisit(value as JsonValue);
    if (!visit.ok) return refuse("invalid", `visit ${index}: ${visit.detail}`);
    read.push(visit.value);
  }
  return ok(Object.freeze(read));
}
