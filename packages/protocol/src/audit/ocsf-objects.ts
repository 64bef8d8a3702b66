import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import type { RecordType } from "./record.js";

/** What the service calls itself where a record names nobody else. */
export const SERVICE = "Gatehouse";

/** Records of what somebody outside asked for. */
const FROM_AGENTS: readonly RecordType[] = [
  "mandate.decision",
  "checkout.decision",
  "mcp.tools_call",
];
const METHODS = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"];
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
/** Of an address cut to /48, no more than three groups are left. */
const IPV6_CUT = /^(?:[0-9a-f]{1,4}:){1,3}:$/i;

/** A member that is an object; an empty one where it is missing or something else. */
export function memberOf(record: JsonObject, name: string): JsonObject {
  const value = record[name];
  return isJsonObject(value) ? value : {};
}

/** A text that says something, or a number as text. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list, leaving out whatever else is in it. */
export function textsOf(value: JsonValue | undefined): string[] {
  return listOf(value).flatMap((one) => textOf(one) ?? []);
}

/** Who is behind a record that names nobody: a caller it does not know, or the service itself. */
function namelessOf({ type }: JsonObject): string {
  return FROM_AGENTS.some((known) => known === type) ? "Unidentified agent" : SERVICE;
}

function userType(kind: JsonValue | undefined) {
  if (kind === "service") return { type_id: 4, type: "Service" };
  return kind === "token" ? { type_id: 99, type: "Token" } : { type_id: 0, type: "Unknown" };
}

/** Who did it: the token or part of the service that acted, the agent that asked, or the service. */
export function actorOf(record: JsonObject) {
  const agent = memberOf(record, "agent");
  const { id, kind, role } = memberOf(record, "actor");
  const [uid, agentId, group] = [textOf(id), textOf(agent.id), textOf(role)];
  const credential_uid = textOf(agent.key_thumbprint);
  const nameless = kind === "service" || (uid ?? agentId ?? credential_uid) === undefined;
  return {
    app_name: nameless ? namelessOf(record) : undefined,
    app_uid: agentId,
    session: credential_uid && { credential_uid },
    user: uid && { uid, ...userType(kind), groups: group && [{ name: group }] },
  };
}

/** Where it came from: the network of the caller and who called, or the service itself. */
export function sourceOf(record: JsonObject) {
  const actor = memberOf(record, "actor");
  const acting = actor.kind === "service" ? undefined : textOf(actor.id);
  const uid = acting ?? textOf(memberOf(record, "agent").id);
  const network = textOf(memberOf(record, "client").address);
  const [ip = "", bits] = network?.split("/") ?? [];
  if (IPV4.test(ip) || IPV6_CUT.test(ip)) {
    // Addresses are cut: the network is told too, lest its first address pass for a host.
    return { ip, subnet_uid: bits && network, uid };
  }
  if (uid !== undefined) return { uid };
  const name = namelessOf(record);
  return name === SERVICE ? { svc_name: name, instance_uid: textOf(record.node) } : { name };
}

/** What was asked of the service, where the record says so. */
export function apiOf(record: JsonObject, operation: string) {
  const request = memberOf(record, "request");
  const tool = memberOf(record, "tool");
  const uid = textOf(request.id);
  const data = {
    digest: request.digest,
    protocol: record.protocol,
    tool: tool.name,
    args_digest: tool.args_digest,
    result_digest: tool.result_digest,
  };
  return {
    operation,
    version: textOf(record.protocol_version),
    service: { name: SERVICE, uid: textOf(record.site) },
    request: uid && { uid, data },
  };
}

/** The HTTP request behind it, where the record names one. */
export function httpRequestOf(record: JsonObject) {
  const { method, route, id } = memberOf(record, "request");
  const path = textOf(route);
  const http_method = METHODS.find((known) => known === method);
  if (http_method === undefined && path === undefined) return undefined;
  const { name, version } = memberOf(record, "client");
  // What a client calls itself, where OCSF has a place for it that nobody takes for a proof.
  const user_agent = [textOf(name), textOf(version)].filter((text) => text !== undefined).join("/");
  return {
    http_method,
    url: path && { path },
    uid: textOf(id),
    user_agent: user_agent || undefined,
  };
}

/** What it was done to. */
export function resourcesOf(record: JsonObject) {
  const { skill, mandate_id, parent_record_id, amount, site } = record;
  const { kind, id, amount: adjusted } = memberOf(record, "adjustment");
  const { domain } = memberOf(record, "change");
  const exported = isJsonObject(record.export) ? record.chain : undefined;
  const objects = [
    { type: "mandate", uid: textOf(mandate_id), data: amount },
    { type: "skill", name: textOf(skill) },
    { type: "mcp.tool", name: textOf(memberOf(record, "tool").name) },
    { type: textOf(kind) ?? "adjustment", uid: textOf(id), data: adjusted },
    ...["capture", "refund"].map((type) => {
      const change = memberOf(record, type);
      return { type, uid: textOf(change.id), data: change.amount };
    }),
    { type: "audit.record", uid: textOf(parent_record_id), data: amount },
    { type: "site", name: textOf(domain), uid: textOf(domain) && textOf(site) },
    { type: "audit.log", uid: textOf(memberOf(record, "read").chain), data: record.read },
    { type: "audit.log", uid: textOf(exported), data: record.export },
  ].filter(({ uid, name }) => (uid ?? name) !== undefined);
  return objects.length === 0 ? undefined : objects;
}

/** The owner's rules it was decided by, each with how it came out, and their version. */
export function policyOf(record: JsonObject) {
  const { rules, policy_version, policy_digest } = memberOf(record, "decision");
  const [uid, version] = [textOf(policy_digest), textOf(policy_version)];
  const policy = { name: "Site policy", uid, version, is_applied: true };
  const authorizations = listOf(rules).flatMap((rule) => {
    const { id, result } = isJsonObject(rule) ? rule : {};
    return textOf(id) === undefined
      ? []
      : { decision: textOf(result), policy: { uid: textOf(id) } };
  });
  return {
    policy: (uid ?? version) === undefined ? undefined : policy,
    authorizations: authorizations.length === 0 ? undefined : authorizations,
  };
}
