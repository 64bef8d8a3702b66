import type { JsonObject, JsonValue } from "../json/value.js";

/** `true` keeps a member as it is; an object keeps the named members of an object or of a list's objects. */
interface Shape {
  readonly [member: string]: true | Shape;
}

/** The members A2A 1.0 knows. Its SDKs reduce a card to these before they check `signatures[]`. */
const AGENT_CARD: Shape = {
  name: true,
  description: true,
  version: true,
  documentationUrl: true,
  iconUrl: true,
  provider: { organization: true, url: true },
  supportedInterfaces: { url: true, protocolBinding: true, protocolVersion: true, tenant: true },
  capabilities: {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: true,
    extensions: { uri: true, description: true, required: true, params: true },
  },
  securitySchemes: true,
  securityRequirements: true,
  defaultInputModes: true,
  defaultOutputModes: true,
  skills: {
    id: true,
    name: true,
    description: true,
    tags: true,
    examples: true,
    inputModes: true,
    outputModes: true,
    securityRequirements: true,
  },
};

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function reduce(value: JsonValue, shape: true | Shape): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item) => reduce(item, shape)).filter((item) => !isEmpty(item));
  }
  const kept: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value as JsonObject)) {
    const inner = shape === true ? true : shape[name];
    const reduced = inner === undefined ? null : reduce(member, inner);
    if (!isEmpty(reduced)) kept[name] = reduced;
  }
  return kept;
}

/**
 * A card reduced to what A2A's `signatures[]` cover: known members, without empty ones (A2A 1.0
 * section 8.4.1, as its SDKs read it).
 *
 * @example
 * a2aProjection({ name: "Shop", skills: [], signing: {} }); //=> { name: "Shop" }
 */
export function a2aProjection(card: JsonObject): JsonObject {
  return reduce(card, AGENT_CARD) as JsonObject;
}
