import { sha256, toHex, utf8 } from "../bytes.js";
import { parseJson } from "../json/parse.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import type { StoredEntry } from "./bundle.js";
import { activityOf } from "./ocsf-activity.js";
import {
  actorOf,
  apiOf,
  httpRequestOf,
  memberOf,
  policyOf,
  resourcesOf,
  SERVICE,
  sourceOf,
  textOf,
} from "./ocsf-objects.js";

const OCSF_VERSION = "1.8.0";

/** JSON leaves these as they are, and some readers end a line at them. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** What cannot be read as a record is still shown, with nothing known of it but its text. */
function recordIn(text: string): JsonObject {
  const parsed = parseJson(text);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}

function whole(value: JsonValue | undefined): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** The class demands a time, so one that cannot be read becomes the first of all. */
function milliseconds(time: JsonValue | undefined): number {
  const parsed = Date.parse(String(time));
  return Number.isNaN(parsed) ? 0 : parsed;
}

function metadataOf(record: JsonObject, version: string) {
  return {
    version: OCSF_VERSION,
    product: { name: SERVICE, vendor_name: SERVICE, version },
    profiles: ["security_control"],
    uid: textOf(record.record_id),
    sequence: whole(record.seq),
    event_code: textOf(record.type),
    log_name: textOf(record.chain),
    log_version: textOf(record.schema),
    tenant_uid: textOf(record.site),
    correlation_uid: textOf(record.parent_record_id),
    original_time: textOf(record.occurred_at),
  };
}

/**
 * A record as an OCSF event of the class API Activity, in one line of JSON without its end.
 * `raw_data` is the record's canonical text, so the line alone still proves the record: a zero byte
 * and that text have the SHA-256 in `unmapped.audit.hash`. `raw_data_hash` is of the text only.
 *
 * @example
 * const text = '{"seq":0,"type":"chain.genesis"}';
 * const line = await ocsfLine({ text, hash: "00", sig: "s", key_id: "k" }, { version: "1.0.0" });
 * const { class_uid, api, raw_data } = JSON.parse(line);
 * [class_uid, api.operation, raw_data === text]; //=> [6003, "chain.open", true]
 */
export async function ocsfLine(
  { text, hash, sig, key_id }: StoredEntry,
  product: { readonly version: string },
): Promise<string> {
  const record = recordIn(text);
  const { chain, seq, prev_hash } = record;
  const { operation, members } = activityOf(record);
  const event = {
    category_uid: 6,
    category_name: "Application Activity",
    class_uid: 6003,
    class_name: "API Activity",
    ...members,
    time: milliseconds(record.recorded_at),
    count: whole(memberOf(record, "refusals").count),
    metadata: metadataOf(record, product.version),
    actor: actorOf(record),
    api: apiOf(record, operation),
    src_endpoint: sourceOf(record),
    http_request: httpRequestOf(record),
    resources: resourcesOf(record),
    ...policyOf(record),
    raw_data: text,
    raw_data_hash: {
      algorithm_id: 3,
      algorithm: "SHA-256",
      value: toHex(await sha256(utf8(text))),
    },
    unmapped: { audit: { chain, seq, prev_hash, hash, sig, key_id } },
  };
  return JSON.stringify(event).replace(LINE_ENDS, (end) => {
    return `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
