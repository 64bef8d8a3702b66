import { parseJson } from "../json/parse.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import type { FindKey } from "../jws/detached.js";
import type { Verify } from "../keys/signer.js";
import { CLOCK_SKEW_MS, MINUTE_MS } from "../time.js";
import type { Checklist } from "./checklist.js";

/** What a verifier needs from its caller. */
export interface VerifyOptions {
  /** Finds a key of the key set the reader trusts; it should refresh the set on an unknown id. */
  readonly findKey: FindKey;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly verify?: Verify | undefined;
}

/** Reads a document as strictly as it was written; two readers must not see different things. */
export function readDocument(list: Checklist, bytes: Uint8Array): JsonObject | undefined {
  const parsed = parseJson(bytes);
  const document = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
  const bad = parsed.ok
    ? "it is JSON, but not an object"
    : `it is not strict JSON: ${parsed.detail}`;
  list.note("json", document !== undefined, "it is strict JSON", bad);
  return document;
}

/** The member at a path of names, or undefined. */
export function member(value: JsonValue | undefined, ...names: string[]): JsonValue | undefined {
  let current = value;
  for (const name of names) current = isJsonObject(current) ? current[name] : undefined;
  return current;
}

/** The string at a path of names, or an empty one. */
export function text(value: JsonValue | undefined, ...names: string[]): string {
  const current = member(value, ...names);
  return typeof current === "string" ? current : "";
}

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** Notes whether now lies between two times; words say which side it fell off. */
export function checkDates(list: Checklist, from: number, until: number, now: number): boolean {
  const minutes = Math.floor((until - now) / MINUTE_MS);
  const bad =
    now >= until ? "it has expired; fetch it again" : "it is dated in the future, or has no dates";
  const held = from <= now + CLOCK_SKEW_MS && now < until;
  return list.note("dates", held, `it is valid for ${minutes} more minutes`, bad);
}

/** The same for a JWS whose header says from when to when it is good, in seconds. */
export function checkHeaderDates(list: Checklist, { iat, exp }: JsonObject, now: number): boolean {
  const ms = (seconds: JsonValue | undefined) =>
    typeof seconds === "number" ? seconds * 1000 : Number.NaN;
  return checkDates(list, ms(iat), ms(exp), now);
}

/** Milliseconds of an ISO-8601 UTC time; NaN for anything else. */
export function utcTime(text: string): number {
  return ISO_UTC.test(text) ? Date.parse(text) : Number.NaN;
}
