import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { withGoogleCodes } from "./google-codes.js";
import { UCP_VERSION, type UcpVersion } from "./versions.js";

const OWN = "dev.ucp.";

const mapped = (value: JsonValue | undefined, change: (one: JsonObject) => JsonObject) =>
  Array.isArray(value)
    ? (value as readonly JsonValue[]).map((one) => (isJsonObject(one) ? change(one) : one))
    : value;

/** An object with some members changed, where it has them. */
function changed(
  value: JsonObject,
  changes: Readonly<Record<string, (member: JsonValue) => JsonValue | undefined>>,
): JsonObject {
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    Object.hasOwn(changes, name) ? changes[name]?.(member) : member,
  ]);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined)) as JsonObject;
}

/** The `ucp` member: UCP's own entries say the version of the document. */
function envelopeIn(version: UcpVersion) {
  const entries = (list: JsonValue) => mapped(list, (entry) => ({ ...entry, version }));
  const own = (all: JsonValue) =>
    isJsonObject(all)
      ? changed(
          all,
          Object.fromEntries(
            Object.keys(all)
              .filter((name) => name.startsWith(OWN))
              .map((name) => [name, entries]),
          ),
        )
      : all;
  return (ucp: JsonValue) =>
    isJsonObject(ucp) ? changed(ucp, { version: () => version, capabilities: own }) : ucp;
}

/** 2026-04-08 describes a delivery option by a text. */
const plainText = (description: JsonValue) =>
  isJsonObject(description) ? (description.plain ?? undefined) : description;

const aprilGroup = (group: JsonObject) =>
  changed(group, {
    options: (options) => mapped(options, (option) => changed(option, { description: plainText })),
  });

/** 2026-04-08 tells destinations apart by their members, and has no place for their type. */
const aprilMethod = (method: JsonObject) =>
  changed(method, {
    destinations: (list) => mapped(list, (one) => changed(one, { type: () => undefined })),
    groups: (groups) => mapped(groups, aprilGroup),
  });

const aprilFulfillment = (fulfillment: JsonValue) =>
  isJsonObject(fulfillment)
    ? changed(fulfillment, { methods: (methods) => mapped(methods, aprilMethod) })
    : fulfillment;

/**
 * An answer, made in the newest version, as another version has it, and with the codes that the platform knows.
 * `policies`, which 2026-04-08 does not know, stay: its answers are open, and the signed terms are among the
 * links too.
 *
 * @example
 * const body = { ucp: { version: "2026-08-25", capabilities: {} }, id: "chk_1" };
 * renderUcp("2026-04-08", body).ucp.version; //=> "2026-04-08"
 */
export function renderUcp(
  version: UcpVersion,
  body: JsonObject,
  codes: "ucp" | "google" = "ucp",
): JsonObject {
  const coded = codes === "google" ? withGoogleCodes(body) : body;
  if (version === UCP_VERSION) return coded;
  return changed(coded, { ucp: envelopeIn(version), fulfillment: aprilFulfillment });
}
