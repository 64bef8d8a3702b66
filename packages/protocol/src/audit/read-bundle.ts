import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { BUNDLE_SCHEMA, type Bundle, PART_RECORDS_MAX } from "./bundle.js";
import { isNoteName } from "./note.js";

/** One part of an export as it travels: the bundle, and the note that signs it. */
export interface SignedBundle {
  readonly bundle: Bundle & JsonObject;
  readonly signature: string;
}

type Test = (value: JsonValue | undefined) => boolean;

const HEX_HASH = /^[0-9a-f]{64}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

const isText: Test = (value) => typeof value === "string";
const isHash: Test = (value) => typeof value === "string" && HEX_HASH.test(value);
const isCount: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);

/** An object with exactly these members. */
function shape(members: Readonly<Record<string, Test>>): Test {
  const names = Object.keys(members);
  return (value) =>
    isJsonObject(value) &&
    Object.keys(value).length === names.length &&
    names.every((name) => name in value && members[name]?.(value[name]) === true);
}

const isEntry = shape({ hash: isHash, key_id: isText, record: isJsonObject, sig: isText });
const isPolicy = shape({ version: isCount, digest: isHash, document: isJsonObject });

const isBundle = shape({
  schema: (value) => value === BUNDLE_SCHEMA,
  chain: (value) => typeof value === "string" && isNoteName(value),
  day: (value) => typeof value === "string" && DAY.test(value),
  closed: (value) => typeof value === "boolean",
  part: isCount,
  parts: isCount,
  day_first_seq: isCount,
  day_count: isCount,
  first_seq: isCount,
  count: isCount,
  prev_part_sha256: (value) => value === null || isHash(value),
  before: shape({ size: isCount, frontier: listOf(isHash) }),
  checkpoint_before: isText,
  checkpoint_after: isText,
  policies: listOf(isPolicy),
  records: listOf(isEntry),
});

const isSignedBundle = shape({ bundle: isBundle, signature: isText });

/**
 * Reads one part of an export from a parsed JSON value. Whether it is true is another question.
 *
 * @example
 * readBundle({ bundle: {}, signature: "" }).reason; //=> "malformed"
 */
export function readBundle(value: JsonValue): Result<SignedBundle, "malformed"> {
  if (!isSignedBundle(value)) return refuse("malformed", "it is not a part of an audit export");
  const signed = value as unknown as SignedBundle;
  if (signed.bundle.records.length > PART_RECORDS_MAX) {
    return refuse("malformed", `it has more than ${PART_RECORDS_MAX} records`);
  }
  return ok(signed);
}
